#pragma once
// Ahead-of-time compilation: kernels become one library lib<name>.a with the code of every leg, and each of them <kernel>.h and
// <kernel>.json.

#include "frontend/error.h"
#include "frontend/program.h"
#include "generators/staging.h"
#include "schedules/history.h"
#include "schedules/record.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

struct CompileOptions {
    std::string directory = ".";  // made if it is missing
    // Of the library, and of one kernel's other files and functions. Empty: the kernel's own, "kernel" for a bare equation.
    std::string name;
    std::vector<std::string> legs;                  // by name; empty: all
    std::vector<std::string> features;              // "asan": the code checks its own accesses
    std::map<std::string, std::int64_t> estimates;  // likely values of sizes: records of others are passed over
    std::optional<History> history;                 // in place of the recipe's, for every leg
    std::vector<Record> records;                    // looked into before those that are built in
    bool runtime = true;  // also libhalogen_halide_runtime.a and the headers, for use without CMake
};

struct CompiledLegReport {
    std::string name;           // "avx2"
    std::string halide_target;  // with all features
    std::string symbol;
    std::string check_symbol;  // "" without data checks
    bool needs_sse4a = false;
    std::string history;           // the schedule as text
    std::string reversed_symbol;   // of the kernel with the dims of every tensor reversed; "" when there is none
    std::string reversed_history;  // its schedule
};

struct CompileReport {
    std::string name;
    std::string library, header, manifest;  // paths
    std::vector<CompiledLegReport> legs;    // worst first
};

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
