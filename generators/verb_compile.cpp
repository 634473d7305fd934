// halogen compile: a static library with all legs, its header and its manifest.

#include "generators/cli.h"
#include "generators/compile.h"
#include "generators/history_file.h"
#include "generators/record_file.h"
#include "generators/with_halide.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace halogen {

int verb_compile(const Options& options) {
    const Kernel kernel = load_kernel(options);
    if (!options.set.empty())
        throw Failure(Error{ErrorKind::usage,
                            "compile leaves every size open; --set is not for it",
                            {},
                            "",
                            "give likely sizes with --estimate NAME=INT"});
    CompileOptions wanted;
    wanted.directory = options.directory;
    wanted.name = options.as;
    wanted.legs = options.targets;
    if (options.sanitize) wanted.features = {"asan"};
    wanted.runtime = options.runtime;
    wanted.history = load_history(options, kernel, nullptr);
    for (const auto& [name, value] : parse_settings(options.estimates)) {
        if (!value)
            throw Failure(Error{ErrorKind::usage,
                                fmt::format("--estimate `{}=?` is not a number", name),
                                {},
                                "",
                                "for example N=1024"});
        wanted.estimates[name] = *value;
    }
    if (!options.records.empty()) wanted.records = read_records(options.records);
    const CompileReport made = with_halide([&] { return compile_kernel(kernel, wanted); }).value();
    if (options.json) {
        nlohmann::ordered_json document = {
            {"status", "ok"},        {"name", made.name},         {"library", made.library},
            {"header", made.header}, {"manifest", made.manifest}, {"legs", nlohmann::json::array()}};
        for (const CompiledLegReport& leg : made.legs)
            document["legs"].push_back({{"name", leg.name}, {"target", leg.halide_target}});
        fmt::print("{}\n", document.dump());
        return 0;
    }
    if (options.quiet) return 0;
    fmt::print("{}\n{}\n{}\n", made.library, made.header, made.manifest);
    for (const CompiledLegReport& leg : made.legs) fmt::print("  leg {}: {}\n", leg.name, leg.halide_target);
    return 0;
}

}  // namespace halogen
