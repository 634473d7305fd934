#pragma once
// What the verbs of `halogen` share: their options, and the kernel those name.

#include "frontend/base/error.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/variants/variants.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// The command line after the verb. Each verb reads the members that its table entry in `cli.cpp` offers.
struct Options {
    std::string file;                 // FILE.hgn, or the name of a built-in kernel
    std::optional<std::string> text;  // -e TEXT
    std::string kernel;               // --kernel K
    std::vector<std::string> set;     // --set NAME=INT or NAME=?
    bool json = false;
    bool all = false;                     // explain --all
    bool cpp = false;                     // solve --cpp, shape --cpp
    std::string system;                   // solve --system FILE.json
    std::vector<std::string> in, out;     // --in NAME=FILE
    std::vector<std::string> param;       // --param NAME=NUMBER
    int threads = 0;                      // 0: as many as there are processors
    std::optional<std::uint64_t> random;  // --random SEED
    bool verify = false;
    std::string leg;                     // run, bench, explain: the instruction set; "" is the best one here
    std::string directory;               // compile -o DIR
    std::vector<std::string> targets;    // compile --target T,...
    std::vector<std::string> estimates;  // compile --estimate N=1024
    std::string as;                      // compile --name: of the archive and its functions
    bool sanitize = false;               // compile --asan
    bool quiet = false;                  // compile --quiet
    bool runtime = true;                 // compile, without --no-runtime
    std::vector<std::string> arguments;  // kernels NAME...
    std::string history;                 // schedule, run, bench, compile --history FILE
    std::string rebind;                  // schedule --rebind FILE.hgn: the kernel the history was written for
    std::optional<int> prefix;           // schedule --prefix K
    std::string diff, save;              // schedule --diff FILE, --save FILE
    std::string level = "steps";         // schedule --diff FILE --level steps, nest or effect
    std::string import_from;             // schedule --import NAME: an autoscheduler
    bool state = false;                  // schedule --state
    bool dry = false;                    // schedule --dry
    bool skip_illegal = false;           // schedule --skip-illegal
    bool bisect = false;                 // schedule --bisect
    double slower_than = 0;              // schedule --bisect --slower-than NS
    std::vector<std::string> knobs;      // schedule, run, bench, compile --knob NAME=INT
    std::string export_file;             // schedule --export FILE.cpp
    std::string variant;                 // run, bench, explain, schedule, tune --variant NAME
    std::vector<std::string> wanted;     // compile, run, bench, explain, schedule --for FACTS
    int most = default_most_variants;    // --variants N
    std::vector<std::string> only;       // compile, schedule --only NAME,...
    double seconds = 60;                 // tune --seconds S
    std::uint64_t seed = 1;              // tune --seed N
    std::string records;                 // tune, compile --records DIR
    std::string cases, steps;            // shape --cases FILE.json, --program FILE.json
    std::vector<std::string> want;       // shape --want OUT.DIM=INT
    bool trace = false;                  // shape --trace
    bool markdown = false;               // ops --markdown
    std::string split;                   // shard --split n=4,k=2
    std::int64_t ranks = 0;              // shard --ranks N; 0: not given
    double memory = 0;                   // shard --memory BYTES; 0: not given
    std::string machine;                 // shard --machine FILE
    std::string plan;                    // shard, run --plan FILE
    bool strict = false;                 // run, bench --strict
    bool parts = false;                  // shard --parts
    std::string scale;                   // shard --scale strong or NAME
    std::string html;                    // shard, explain --html FILE
};

/// Several mistakes at once, one or more; `run_program` prints them all.
class Failures : public std::exception {
public:
    explicit Failures(std::vector<Error> errors) : errors_(std::move(errors)) {}
    const std::vector<Error>& errors() const { return errors_; }
    const char* what() const noexcept override { return errors_.front().what.c_str(); }

private:
    std::vector<Error> errors_;
};

/// Where messages say a text stands: the file as the caller wrote it, `-e`, or `<name>.hgn` for a built-in kernel.
std::string source_name(const Options&);

/// The kernel that FILE, -e and --kernel choose. Errors: Failure(usage, io, syntax, name, ...).
Kernel load_kernel(const Options&);

/// All kernels that FILE or -e holds, or the one that --kernel chooses. Errors: Failures, the mistakes of every kernel; Failure.
std::vector<Kernel> load_kernels(const Options&);

/// "NAME=VALUE" taken apart. `option` is named in the error. Errors: Failure(usage).
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option);

/// `--set` as the solver takes it. Errors: Failure(usage): not an integer; Failure(overflow): past 2^62.
Settings parse_settings(const std::vector<std::string>& set);

}  // namespace halogen
