#pragma once
// What `compile_kernels` is asked for, and what it made.

#include "schedules/history/history.h"
#include "schedules/records/record.h"

#include <cstdint>
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
    bool plain = false;            // it has the plain schedule, because no other fits
};

struct CompileReport {
    std::string name;
    std::string library, header, manifest;  // paths
    std::vector<CompiledLegReport> legs;    // worst first
    std::string note = {};                  // says which legs have the plain schedule; "" for none
};

}  // namespace halogen
