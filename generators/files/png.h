#pragma once
// PNG pictures as u8 tensors [H, W, C]: C = 1 grey, 2 grey with alpha, 3 colour, 4 colour with alpha.

#include "frontend/base/error.h"
#include "frontend/interpret/host_tensor.h"

#include <string>
#include <string_view>

namespace halogen {

bool is_png(std::string_view bytes);

/// The samples as the file stores them, no gamma applied; palettes and transparent colours are expanded.
/// Errors: io: truncated or damaged; type: 16 bits per sample.
Result<HostTensor> parse_png(std::string_view bytes, const std::string& path);

/// Errors: type: not u8; rank: not [H, W, C] with 1 to 4 channels and at least one pixel.
Result<std::string> print_png(const HostTensor&, const std::string& path);

}  // namespace halogen
