#pragma once
// Ahead-of-time compilation: kernels become one library lib<name>.a with the code of every leg, and each of them <kernel>.h and
// <kernel>.json.

#include "frontend/base/error.h"
#include "frontend/notation/program.h"
#include "generators/compile/report.h"
#include "generators/compile/staging.h"

#include <functional>
#include <string>
#include <vector>

namespace halogen {

/// What became of the kernels of one text: their reports, or the mistakes of those that are wrong.
struct CompiledLibrary {
    std::vector<CompileReport> kernels;
    std::vector<Error> errors;  // when there are any, the staged files are worth nothing
};

/// Told before each part of the work: the kernel, its leg, and how many parts of how many are done.
using TellProgress = std::function<void(const std::string& kernel, const std::string& leg, int done, int all)>;

/// Solves each kernel with every size open, schedules and compiles its legs, and writes all of them into one library in
/// `staging`; a library of several kernels needs `options.name`. What is wrong with options, sizes and limits is told of all
/// kernels before any is compiled. Errors: those of solve and bind; target (an unknown leg or feature), name (an estimate of no
/// size, a name that is no C++ identifier), usage (a history for several kernels), io (a file that cannot be written).
CompiledLibrary compile_kernels(const std::vector<Kernel>&, const CompileOptions&, Staging&, const TellProgress& = {});

/// One kernel, written to `options.directory`: all files appear, or none. Errors: those of compile_kernels.
Result<CompileReport> compile_kernel(const Kernel&, const CompileOptions&);

}  // namespace halogen
