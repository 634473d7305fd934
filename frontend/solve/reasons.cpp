// Why a size has its value: the relations behind an error, in the user's names and with their places in the text.

#include "frontend/solve/solver.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

std::string print_shown(const Formula&);

/// "W.0 + Y.0 <= X.0 + 1"
std::string inequality(const Formula& slack) {
    const auto [left, right] = sides_of(slack);
    return print_shown(left) + " <= " + print_shown(right);
}

constexpr std::size_t most_reasons = 12;

/// Names of indices carry their equation inside: "r@2".
std::string shown(const std::string& name) { return name.substr(0, name.find('@')); }

std::string print_shown(const Formula& f) {
    std::map<std::string, Formula> plain;
    f.for_each_symbol([&](const std::string& n) { plain.emplace(n, Formula::symbol(shown(n))); });
    return print(f.substitute(plain));
}

std::vector<std::string> names_in(const std::vector<Formula>& formulas) {
    std::vector<std::string> names;
    for (const Formula& f : formulas) {
        f.for_each_symbol([&](const std::string& name) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        });
    }
    return names;
}

}  // namespace

std::pair<Formula, Formula> sides_of(const Formula& slack) {
    Formula left, right;
    for (const auto& [m, c] : slack.terms()) {
        Formula& side = c < 0 ? left : right;
        side = side + Formula::term(m, c < 0 ? -c : c);
    }
    return {left, right};
}

void KernelSolver::derive(const std::string& name, Derivation::How how, int equation, std::vector<Formula> from,
                          const std::string& about) {
    derivations_.try_emplace(sizes_.root(name), Derivation{how, equation, std::move(from), about});
}

std::string KernelSolver::text_of(const std::string& root, const Derivation& d) const {
    const auto& value = sizes_.value(root);
    const std::string equals = value ? fmt::format("`{}` = {}", shown(root), print_shown(*value)) : shown(root);
    switch (d.how) {
    case Derivation::How::given: return fmt::format("`{}` = {} is given", d.about, value ? print(*value) : "?");
    case Derivation::How::standard: return equals + " is its default";
    case Derivation::How::largest:
        return fmt::format("{} stays inside: {}, and {} is the largest", d.about, inequality(d.from.front()), equals);
    case Derivation::How::equality:
        return fmt::format("{}: {} == {}, so {}", d.about, print_shown(d.from[0]), print_shown(d.from[1]), equals);
    case Derivation::How::written: return fmt::format("{} ends at the last position written", equals);
    default:
        return fmt::format("{} is the least for which {} == {}", equals, print_shown(d.from[0]),
                           print_shown(d.from[1]));
    }
}

std::string KernelSolver::at_place(int equation, const std::string& text) const {
    const Position at = equation < 0 ? Position{} : kernel_.equations[equation].at;
    return (at.line > 0 ? fmt::format("{}:{}: ", at.line, at.column) : "") + text;
}

void KernelSolver::add_reason(const std::string& name, std::set<std::string>& seen,
                              std::vector<std::string>& reasons) const {
    if (!sizes_.has(name) || !seen.insert(name).second || seen.size() > 4 * most_reasons) return;
    const std::string& root = sizes_.root(name);
    const auto add = [&](int equation, const std::string& text) { reasons.push_back(at_place(equation, text)); };
    if (name != root) {
        add_reason(root, seen, reasons);
        if (const auto& join = sizes_.joined_by(name))
            add(join->equation, join->index.empty()
                                    ? fmt::format("`{}` is to equal `{}`", join->first, join->second)
                                    : fmt::format("index `{}` has one extent in {} and {}: `{}` = `{}`", join->index,
                                                  join->first, join->second, shown(name), shown(root)));
        return;
    }
    const auto at = derivations_.find(root);
    if (at == derivations_.end()) return;
    for (const auto& other : names_in(at->second.from)) add_reason(other, seen, reasons);
    add(at->second.equation, text_of(root, at->second));
}

/// Remembers what a failure is about: `slack >= 0`, because `about` stays inside.
void KernelSolver::fail_about(const std::vector<Formula>& slacks, int equation, const std::string& about) const {
    failing_ = slacks;
    failed_relation_.clear();
    if (slacks.empty() || slacks.front().is_constant() || about.empty()) return;
    failed_relation_ = at_place(equation, fmt::format("{} stays inside: {}", about, inequality(slacks.front())));
}

/// What leads to the failure, causes first; the middle of a long chain is left out.
std::vector<std::string> KernelSolver::reasons() const {
    std::set<std::string> seen;
    std::vector<std::string> all;
    for (const auto& name : names_in(failing_)) add_reason(name, seen, all);
    if (!failed_relation_.empty()) all.push_back(failed_relation_);
    if (all.size() <= most_reasons) return all;
    const std::size_t half = most_reasons / 2, dropped = all.size() - 2 * half;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(half), all.end() - static_cast<std::ptrdiff_t>(half));
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(half), fmt::format("… {} more …", dropped));
    return all;
}

}  // namespace halogen
