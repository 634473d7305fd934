// halogen kernels: what is built in.

#include "generators/run/builtin.h"
#include "generators/verbs/cli.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace halogen {

namespace {

/// The first sentence of the comment above a kernel.
std::string about(std::string_view text) {
    std::string sentence;
    while (text.substr(0, 1) == "#") {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(1, end - 1);
        while (line.substr(0, 1) == " ") line.remove_prefix(1);
        sentence += (sentence.empty() ? "" : " ") + std::string(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return sentence.substr(0, sentence.find(". "));
}

}  // namespace

int verb_kernels(const Options& options) {
    std::vector<BuiltinKernel> chosen = options.arguments.empty() ? builtin_kernels() : std::vector<BuiltinKernel>{};
    for (const std::string& name : options.arguments) {
        const BuiltinKernel* kernel = find_builtin(name);
        if (!kernel)
            throw Failure(Error{ErrorKind::name,
                                fmt::format("no kernel `{}` is built in", name),
                                {},
                                "",
                                "`halogen kernels` lists them"});
        chosen.push_back(*kernel);
    }
    nlohmann::json document = {{"status", "ok"}, {"kernels", nlohmann::json::array()}};
    for (const BuiltinKernel& kernel : chosen) {
        if (options.json)
            document["kernels"].push_back(
                {{"name", kernel.name}, {"about", about(kernel.text)}, {"text", kernel.text}});
        else if (options.arguments.empty())
            fmt::print("{:18} {}\n", kernel.name, about(kernel.text));
        else
            fmt::print("{}", kernel.text);
    }
    if (options.json) fmt::print("{}\n", document.dump());
    return 0;
}

}  // namespace halogen
