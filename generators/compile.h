#pragma once
// Ahead-of-time compilation: a kernel becomes lib<name>.a with the code of every leg, <name>.h and <name>.json.

#include "frontend/error.h"
#include "frontend/program.h"
#include "schedules/history.h"
#include "schedules/record.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

struct CompileOptions {
    std::string directory = ".";    // made if it is missing
    std::string name;               // of files and symbols; the kernel's own when empty ("kernel" for a bare equation)
    std::vector<std::string> legs;  // by name; empty: all
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

/// Solves with every size open, schedules and compiles each leg, and writes the files; all appear, or none.
/// Errors: those of solve and bind; target (an unknown leg or feature), name (an estimate of no size, a name that is no
/// C++ identifier), io (a directory that cannot be written).
Result<CompileReport> compile_kernel(const Kernel&, const CompileOptions&);

/// Writes libhalogen_halide_runtime.a, the one copy of Halide's runtime that all kernels of a program share, and with
/// `headers` the folder halogen/ of C++ headers. Errors: target, io.
Result<std::string> compile_runtime(const std::string& directory, const std::vector<std::string>& features,
                                    bool headers);

}  // namespace halogen
