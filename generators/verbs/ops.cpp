// halogen ops: the operators that have shape functions.

#include "frontend/shapes/document.h"
#include "generators/verbs/cli.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace halogen {

int verb_ops(const Options& options) {
    shapes::Library library;
    if (options.markdown) {
        fmt::print("{}", document(library));
        return 0;
    }
    std::vector<const shapes::Entry*> chosen;
    for (const std::string& name : options.arguments) chosen.push_back(&library.entry(name));
    if (options.arguments.empty()) {
        for (const shapes::Entry& entry : library.entries()) chosen.push_back(&entry);
    }
    nlohmann::json document = {{"status", "ok"}, {"ops", nlohmann::json::array()}};
    for (const shapes::Entry* entry : chosen) {
        const shapes::Operator& op = *entry->op;
        if (options.json)
            document["ops"].push_back({{"name", op.name},
                                       {"family", entry->family->name},
                                       {"signature", op.signature},
                                       {"equation", op.equation}});
        else
            fmt::print("{:20} {:14} {}\n", op.name, entry->family->name, op.signature);
        if (!options.json && !options.arguments.empty() && !op.equation.empty()) fmt::print("  {}\n", op.equation);
    }
    if (options.json) fmt::print("{}\n", document.dump());
    return 0;
}

}  // namespace halogen
