#pragma once
// The photograph, from a file.

#include "work/picture.h"

#include <string>

namespace halogen::demo {

/// The picture in a PNG file as colours: grey ones get three equal channels, transparency is dropped.
/// Errors: Failure(io): missing, unreadable, no PNG, damaged; Failure(type): 16 bits per sample; Failure(rank): smaller than
/// 16 x 16 pixels.
Picture read_photo(const std::string& path);

/// The bytes of a PNG file.
std::string png_bytes(const Picture&);

}  // namespace halogen::demo
