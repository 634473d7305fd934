// halogen run: the kernel on files.

#include "generators/files/output.h"
#include "generators/run/call_data.h"
#include "generators/run/executor.h"
#include "generators/run/run_plan.h"
#include "generators/run/verify.h"
#include "generators/verbs/cli.h"
#include "generators/verbs/history_file.h"
#include "generators/verbs/plan_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <thread>

namespace halogen {

namespace {

/// Where each output goes, by name.
std::map<std::string, std::string> output_paths(const Kernel& kernel, const Options& options) {
    std::map<std::string, std::string> paths;
    std::string names;
    for (const Tensor* t : kernel.outputs()) names += (names.empty() ? "`" : ", `") + t->name + "`";
    for (const std::string& item : options.out) {
        const auto [name, path] = split_assignment(item, "--out");
        const Tensor* tensor = kernel.find_tensor(name);
        if (!tensor || tensor->role != Role::output)
            throw Failure(Error{ErrorKind::name,
                                fmt::format("the kernel has no output `{}`", name),
                                {},
                                "",
                                fmt::format("its outputs are {}", names)});
        for (const auto& [other, taken] : paths)
            if (taken == path)
                throw Failure(Error{ErrorKind::usage,
                                    fmt::format("--out gives `{}` and `{}` the same file `{}`", other, name, path),
                                    {},
                                    "",
                                    "write each to its own"});
        if (!paths.emplace(name, path).second)
            throw Failure(
                Error{ErrorKind::usage, fmt::format("--out gives `{}` twice", name), {}, "", "leave one of them out"});
    }
    return paths;
}

/// All files or none: every one is written beside its place before the first gets its name.
void write_outputs(const Tensors& outputs, const std::map<std::string, std::string>& paths) {
    std::vector<OutputFile> files;
    for (const auto& [name, path] : paths) {
        const std::string bytes = tensor_file(outputs.at(name), path);
        files.emplace_back(path);
        files.back().write(bytes);
    }
    for (OutputFile& file : files) file.commit();
}

std::string element_text(const HostTensor& tensor, std::span<const std::int64_t> index) {
    const std::int64_t offset = tensor.offset_of(index);
    return is_float(tensor.type()) ? fmt::format("{}", tensor.real(offset)) : fmt::format("{}", tensor.integer(offset));
}

/// The elements of a small tensor, row-major.
std::string values_text(const HostTensor& tensor) {
    std::string text;
    for_each_index(tensor.extents(), [&](std::span<const std::int64_t> index) {
        text += (text.empty() ? "" : " ") + element_text(tensor, index);
    });
    return text;
}

void report(const Kernel& kernel, const Options& options, const Tensors& outputs,
            const std::map<std::string, std::string>& paths, const std::optional<Verification>& verification) {
    constexpr std::int64_t few = 64;
    nlohmann::json document = {{"status", "ok"}, {"outputs", nlohmann::json::object()}};
    for (const Tensor* t : kernel.outputs()) {
        const HostTensor& value = outputs.at(t->name);
        auto& entry = document["outputs"][t->name];
        entry = {{"type", to_string(t->type)}, {"extents", value.extents()}};
        if (paths.count(t->name)) entry["file"] = paths.at(t->name);
        if (options.json) continue;
        fmt::print("{}: {}", t->name, describe(t->type, value.extents()));
        if (paths.count(t->name))
            fmt::print(" -> {}", paths.at(t->name));
        else if (value.elements() <= few)
            fmt::print(" = {}", values_text(value));
        fmt::print("\n");
    }
    if (verification) {
        document["verified"] = true;
        document["largest_error"] = verification->largest_error;
        if (!options.json)
            fmt::print("verified against the interpreter: {}\n",
                       verification->largest_error == 0
                           ? "equal"
                           : fmt::format("largest difference {:.3g}, at most {:.2g} of what rounding explains",
                                         verification->largest_error, verification->largest_share));
    }
    if (options.json) fmt::print("{}\n", document.dump());
}

/// The outputs of the kernel compiled as a whole.
Tensors run_whole(const Kernel& kernel, const Options& options, const CallData& data, const Leg& leg, int threads) {
    const Settings settings = parse_settings(options.set);
    const auto compiled = serving_executor(kernel, leg, settings, data, options, threads, Compiles::one_call);
    const Executor& executor = *compiled;
    if (!executor.note().empty()) fmt::print(stderr, "halogen: {}\n", executor.note());
    executor.check_guards(data);
    executor.check_data(data);
    Tensors outputs = executor.make_outputs(data);
    executor.prepare(data, outputs)();
    return outputs;
}

}  // namespace

int verb_run(const Options& options) {
    const Kernel kernel = load_kernel(options);
    const auto paths = output_paths(kernel, options);
    const CallData data = prepare_call(kernel, options, true);
    const int threads =
        options.threads ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    set_threads(threads);
    const Leg leg = leg_to_run(options.leg, options.strict);
    const Tensors outputs = options.plan.empty()
                                ? run_whole(kernel, options, data, leg, threads)
                                : run_plan(kernel, data, load_plan(options.plan, kernel), leg, threads);
    std::optional<Verification> verification;
    if (options.verify) verification = verify(kernel, data, outputs);
    write_outputs(outputs, paths);
    report(kernel, options, outputs, paths, verification);
    return 0;
}

}  // namespace halogen
