#pragma once
// What `compile_kernels` is asked for, and what it made.

#include "schedules/history/history.h"
#include "schedules/records/record.h"
#include "schedules/variants/variants.h"

#include <cstdint>
#include <map>
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
    Schedule history = {};                          // in place of the recipes', for every leg; empty: theirs
    VariantWishes wishes = {};                      // without a history: which variants
    std::vector<Record> records;                    // looked into before those that are built in
    bool runtime = true;  // also libhalogen_halide_runtime.a and the headers, for use without CMake
};

struct CompiledVariantReport {
    Variant variant;
    std::string symbol;   // "" where Halide refuses it: the next that serves a call does
    std::string history;  // the schedule as text
};

struct CompiledLegReport {
    std::string name;           // "avx2"
    std::string halide_target;  // with all features
    std::string symbol;
    std::string check_symbol;  // "" without data checks
    bool needs_sse4a = false;
    std::string history;                               // the schedule of the variant that serves every call, as text
    std::vector<CompiledVariantReport> variants = {};  // those before it
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
