#include "frontend/shapes/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace halogen::shapes {

namespace {

constexpr std::int64_t most_change = 8;
constexpr std::size_t most_numbers = 40, most_proposals = 2;

/// Every number of an argument that a proposal may change.
void each_number(Argument& a, const std::function<void(Formula&)>& visit) {
    if (auto* f = std::get_if<Formula>(&a.value)) visit(*f);
    if (auto* operand = std::get_if<Operand>(&a.value)) {
        for (Formula& extent : operand->shape) visit(extent);
    }
    if (auto* list = std::get_if<std::vector<Argument>>(&a.value)) {
        for (Argument& item : *list) each_number(item, visit);
    }
}

bool does(Library& library, std::string_view op, const Arguments& arguments) {
    try {
        const std::vector<Inference> all = library.infer(op, arguments);
        return std::any_of(all.begin(), all.end(), [](const Inference& i) { return !i.refusal; });
    } catch (const Refusal&) {
        return false;
    }
}

}  // namespace

std::string print_call(std::string_view op, const Arguments& arguments) {
    std::string text;
    for (const auto& [name, value] : arguments)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, print(value));
    return fmt::format("{}({})", op, text);
}

std::vector<Operand> run(Library& library, std::string_view op, const Arguments& arguments) {
    std::vector<Inference> all = library.infer(op, arguments);
    if (!all[0].refusal) return std::move(all[0].results);
    Error error = all[0].refusal->error();
    error.equation = print_call(op, arguments);
    if (error.fix.empty()) {
        const std::string close = nearest_calls(library, op, arguments);
        if (!close.empty()) error.fix = "nearest that would do: " + close;
    }
    throw Refusal(all[0].refusal->kind, std::move(error));
}

std::string nearest_calls(Library& library, std::string_view op, const Arguments& arguments) {
    Arguments tried = arguments;
    std::vector<std::pair<std::string, Formula*>> numbers;
    for (auto& [name, value] : tried)
        each_number(value, [&, name = name](Formula& f) { numbers.emplace_back(name, &f); });
    if (numbers.size() > most_numbers) return "";
    std::vector<std::string> proposals;
    std::vector<std::string> changed;
    for (std::int64_t change = 1; change <= most_change && proposals.size() < most_proposals; ++change) {
        for (const auto& [name, number] : numbers) {
            if (std::find(changed.begin(), changed.end(), name) != changed.end() || !number->constant()) continue;
            const Formula before = *number;
            for (const std::int64_t step : {change, -change}) {
                if (step < 0 && *before.constant() >= 0 && *before.constant() + step < 0) continue;
                *number = before + Formula(step);
                const bool good = does(library, op, tried);
                if (good) proposals.push_back(fmt::format("{} = {}", name, print(tried.at(name))));
                *number = before;
                if (!good) continue;
                changed.push_back(name);
                break;
            }
            if (proposals.size() == most_proposals) break;
        }
    }
    return proposals.empty() ? "" : proposals.size() == 1 ? proposals[0] : proposals[0] + ", or " + proposals[1];
}

}  // namespace halogen::shapes
