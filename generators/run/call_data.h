#pragma once
// What a call of a kernel works on: sizes, inputs and scalars, from the command line.

#include "frontend/interpret/interpret.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "generators/run/options.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace halogen {

struct CallData {
    Solution numbers;  // the kernel solved with all that is known; every formula is a number
    Tensors inputs;
    Scalars scalars;
    std::map<std::string, std::vector<std::int64_t>> output_strides = {};  // of outputs that do not lie row-major
};

/// Reads a .npy or .png file for `tensor`. Errors: Failure(io, type, rank), all naming both sides.
HostTensor read_tensor(const Tensor& tensor, const std::string& path);

/// The bytes of the file at `path` that holds `value`: PNG when the name ends in .png, else .npy. Errors: Failure(type, rank).
std::string tensor_file(const HostTensor& value, const std::string& path);

/// Reads --in, --set and --param, solves, and fills with --random what is not given (`required`: missing inputs are an
/// error without it). Errors: Failure(name, io, type, rank, usage, what `solve` gives, underdetermined, overflow past
/// 2^31 - 1 elements in one tensor).
CallData prepare_call(const Kernel& kernel, const Options& options, bool required);

/// "f32[224, 224, 3]".
std::string describe(Type type, const std::vector<std::int64_t>& extents);

}  // namespace halogen
