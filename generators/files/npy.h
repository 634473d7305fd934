#pragma once
// NumPy's file format, versions 1 to 3 (numpy/lib/format.py): little endian, C or Fortran order.

#include "frontend/base/error.h"
#include "frontend/interpret/host_tensor.h"

#include <optional>
#include <string>
#include <string_view>

namespace halogen {

bool is_npy(std::string_view bytes);

/// The tensor in `bytes`, with the file's own order as strides. u16 data is read as bf16 when `want` is bf16.
/// Errors: io: `path` is truncated or damaged; type: big endian, objects, records, complex or other foreign types.
Result<HostTensor> parse_npy(std::string_view bytes, const std::string& path, std::optional<Type> want = std::nullopt);

/// The file for a tensor: version 1, C order; bf16 as u16 bits.
std::string print_npy(const HostTensor&);

}  // namespace halogen
