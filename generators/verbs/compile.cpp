// halogen compile: kernels as one static library with all legs, their headers and manifests.

#include "generators/compile/compile.h"
#include "generators/run/interrupt.h"
#include "generators/run/progress.h"
#include "generators/verbs/cli.h"
#include "generators/verbs/history_file.h"
#include "generators/verbs/record_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace halogen {

namespace {

Failure usage(std::string what, std::string fix) {
    return Failure(Error{ErrorKind::usage, std::move(what), {}, "", std::move(fix)});
}

/// The name of a library of several kernels: the file's.
std::string library_name(const Options& options) {
    if (!options.as.empty() || options.file.empty()) return options.as.empty() ? "kernels" : options.as;
    return std::filesystem::path(options.file).stem().string();
}

CompileOptions compile_options(const Options& options, const std::vector<Kernel>& kernels) {
    if (!options.set.empty())
        throw usage("compile leaves every size open; --set is not for it",
                    "give likely sizes with --estimate NAME=INT");
    CompileOptions wanted;
    wanted.directory = options.directory;
    wanted.name = kernels.size() == 1 ? options.as : library_name(options);
    if (wanted.name.find('/') != std::string::npos)
        throw usage(fmt::format("--name `{}` is not a name", wanted.name), "give the folder with -o");
    wanted.legs = options.targets;
    if (options.sanitize) wanted.features = {"asan"};
    wanted.runtime = options.runtime;
    wanted.history = load_schedule(options, kernels.front(), nullptr);
    wanted.wishes = wishes_of(options);
    for (const auto& [name, value] : parse_settings(options.estimates)) {
        if (!value) throw usage(fmt::format("--estimate `{}=?` is not a number", name), "for example N=1024");
        wanted.estimates[name] = *value;
    }
    if (!options.records.empty()) wanted.records = read_records(options.records);
    return wanted;
}

nlohmann::ordered_json legs_of(const CompileReport& made) {
    nlohmann::ordered_json legs = nlohmann::json::array();
    for (const CompiledLegReport& leg : made.legs) legs.push_back({{"name", leg.name}, {"target", leg.halide_target}});
    return legs;
}

/// One kernel's files stand in the document itself, those of several in a list.
nlohmann::ordered_json as_json(const std::vector<CompileReport>& made) {
    nlohmann::ordered_json document = {{"status", "ok"}};
    if (made.size() == 1) {
        document["name"] = made.front().name;
        document["library"] = made.front().library;
        document["header"] = made.front().header;
        document["manifest"] = made.front().manifest;
        document["legs"] = legs_of(made.front());
        return document;
    }
    document["library"] = made.front().library;
    for (const CompileReport& one : made)
        document["kernels"].push_back({{"name", one.name}, {"header", one.header}, {"manifest", one.manifest}});
    document["legs"] = legs_of(made.front());
    return document;
}

void print_files(const std::vector<CompileReport>& made) {
    fmt::print("{}\n", made.front().library);
    for (const CompileReport& one : made) fmt::print("{}\n{}\n", one.header, one.manifest);
    for (const CompiledLegReport& leg : made.front().legs) fmt::print("  leg {}: {}\n", leg.name, leg.halide_target);
}

}  // namespace

int verb_compile(const Options& options) {
    const std::vector<Kernel> kernels = load_kernels(options);
    const CompileOptions wanted = compile_options(options, kernels);
    Staging staging(wanted.directory);
    const Interrupt interrupt([&] { return staging.discard(); });
    Progress progress(options.quiet);
    const CompiledLibrary made =
        compile_kernels(kernels, wanted, staging, [&](const auto& kernel, const auto& leg, int done, int all) {
            progress.at(fmt::format("compiling `{}` for {}, {} of {}", kernel, leg, done + 1, all));
        });
    if (!made.errors.empty()) throw Failures(made.errors);
    staging.publish();
    for (const CompileReport& one : made.kernels)
        if (!one.note.empty()) fmt::print(stderr, "halogen: {}\n", one.note);
    if (options.json)
        fmt::print("{}\n", as_json(made.kernels).dump());
    else if (!options.quiet)
        print_files(made.kernels);
    return 0;
}

}  // namespace halogen
