#include "generators/run/options.h"

#include "frontend/notation/parse.h"
#include "generators/files/output.h"
#include "generators/run/builtin.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

namespace halogen {

namespace {

Failure usage(std::string what, std::string fix) {
    return Failure(Error{ErrorKind::usage, std::move(what), {}, "", std::move(fix)});
}

/// The text and the name that messages give it.
struct Source {
    std::string text, name;
};

bool names_builtin(const Options& options) {
    const std::string& name = options.file.empty() ? options.kernel : options.file;
    std::error_code ignored;
    return !options.text && find_builtin(name) && !(std::filesystem::exists(name, ignored) && !options.file.empty());
}

Source read_source(const Options& options) {
    if (options.text && !options.file.empty()) throw usage("both a file and -e are given", "leave one of them out");
    if (options.text) return {*options.text, "-e"};
    if (names_builtin(options)) {
        const std::string name = options.file.empty() ? options.kernel : options.file;
        return {std::string(find_builtin(name)->text), name + ".hgn"};
    }
    if (options.file.empty() && !options.kernel.empty())
        throw Failure(Error{ErrorKind::name,
                            fmt::format("no kernel `{}` is built in", options.kernel),
                            {},
                            "",
                            "`halogen kernels` lists them; or name a file"});
    if (options.file.empty())
        throw usage("no kernel is given", "name a .hgn file or a built-in kernel, or give its text with -e");
    return {read_file(options.file), options.file};
}

std::string joined_names(const Program& program) {
    std::string names;
    for (const Kernel& k : program.kernels) names += (names.empty() ? "`" : ", `") + k.name + "`";
    return names;
}

}  // namespace

std::string source_name(const Options& options) {
    if (options.text) return "-e";
    if (names_builtin(options)) return (options.file.empty() ? options.kernel : options.file) + ".hgn";
    return options.file;
}

namespace {

Error no_such_kernel(const std::string& name, const Program& program) {
    return {ErrorKind::name,
            fmt::format("there is no kernel `{}`", name),
            {},
            "",
            fmt::format("choose among {}", joined_names(program))};
}

}  // namespace

Kernel load_kernel(const Options& options) {
    Program program = parse(read_source(options).text).value();
    if (options.kernel.empty()) {
        if (program.kernels.size() == 1) return program.kernels[0];
        throw Failure(Error{ErrorKind::name,
                            fmt::format("there are several kernels: {}", joined_names(program)),
                            {},
                            "",
                            "choose one with --kernel"});
    }
    for (Kernel& k : program.kernels)
        if (k.name == options.kernel) return std::move(k);
    throw Failure(no_such_kernel(options.kernel, program));
}

std::vector<Kernel> load_kernels(const Options& options) {
    if (!options.kernel.empty()) return {load_kernel(options)};
    Reading reading = parse_each(read_source(options).text);
    if (!reading.errors.empty()) throw Failures(std::move(reading.errors));
    return std::move(reading.program.kernels);
}

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
        throw usage(fmt::format("{} `{}` is not of the form NAME=VALUE", option, text), "for example N=64");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

Settings parse_settings(const std::vector<std::string>& set) {
    Settings settings;
    for (const std::string& item : set) {
        const auto [name, value] = split_assignment(item, "--set");
        if (settings.count(name)) throw usage(fmt::format("--set gives `{}` twice", name), "leave one of them out");
        if (value == "?") {
            settings[name] = std::nullopt;
            continue;
        }
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error == std::errc::result_out_of_range ||
            (error == std::errc() && (number > std::int64_t{1} << 62 || number < -(std::int64_t{1} << 62))))
            throw Failure(Error{ErrorKind::overflow,
                                fmt::format("`{}` = {} is past 2^62", name, value),
                                {},
                                "",
                                "give a smaller number"});
        if (error != std::errc() || end != value.data() + value.size())
            throw usage(fmt::format("--set `{}` is not NAME=INTEGER or NAME=?", item), "for example N=64");
        settings[name] = number;
    }
    return settings;
}

}  // namespace halogen
