#include "frontend/solve/failure.h"

#include "frontend/formula/relation.h"
#include "frontend/notation/symbol.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

constexpr std::size_t most_reasons = 12;

std::string shown(const std::string& name) { return Symbol::of(name).shown(); }

std::string print_shown(const Formula& f) {
    std::map<std::string, Formula> plain;
    f.for_each_symbol([&](const std::string& n) { plain.emplace(n, Formula::symbol(shown(n))); });
    return print(f.substitute(plain));
}

/// "W.0 + Y.0 <= X.0 + 1"
std::string inequality(const Formula& slack) {
    const auto [left, right] = sides_of(slack);
    return print_shown(left) + " <= " + print_shown(right);
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

std::string text_of(const Sizes& s, const std::string& root, const Derivation& d) {
    const auto& value = s.classes.value(root);
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

std::string at_place(const Kernel& kernel, int equation, const std::string& text) {
    const Position at = equation < 0 ? Position{} : kernel.equations[equation].at;
    return (at.line > 0 ? fmt::format("{}:{}: ", at.line, at.column) : "") + text;
}

/// Collects why sizes have their values, each once, causes first.
class Reasons {
public:
    explicit Reasons(const Sizes& s) : s_(s) {}

    void add(const std::string& name) {
        if (!s_.classes.has(name) || !seen_.insert(name).second || seen_.size() > 4 * most_reasons) return;
        const std::string& root = s_.classes.root(name);
        if (name != root) {
            add(root);
            if (const auto& join = s_.classes.joined_by(name))
                add_line(join->equation, text_of_join(*join, name, root));
            return;
        }
        const auto at = s_.derivations.find(root);
        if (at == s_.derivations.end()) return;
        for (const auto& other : names_in(at->second.from)) add(other);
        add_line(at->second.equation, text_of(s_, root, at->second));
    }

    std::vector<std::string> lines;

private:
    static std::string text_of_join(const Join& join, const std::string& name, const std::string& root) {
        if (join.index.empty()) return fmt::format("`{}` is to equal `{}`", join.first, join.second);
        return fmt::format("index `{}` has one extent in {} and {}: `{}` = `{}`", join.index, join.first, join.second,
                           shown(name), shown(root));
    }

    void add_line(int equation, const std::string& text) { lines.push_back(at_place(s_.kernel(), equation, text)); }

    const Sizes& s_;
    std::set<std::string> seen_;
};

std::vector<std::string> reasons_of(const Sizes& s, const About& about) {
    Reasons reasons(s);
    for (const auto& name : names_in(about.formulas)) reasons.add(name);
    auto& all = reasons.lines;
    if (!about.relation.empty()) all.push_back(about.relation);
    if (all.size() <= most_reasons) return all;
    const std::size_t half = most_reasons / 2, dropped = all.size() - 2 * half;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(half), all.end() - static_cast<std::ptrdiff_t>(half));
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(half), fmt::format("… {} more …", dropped));
    return all;
}

}  // namespace

About about_access(const Sizes& s, std::vector<Formula> slacks, int equation, const std::string& access) {
    std::string relation;
    if (!slacks.empty() && !slacks.front().is_constant() && !access.empty())
        relation =
            at_place(s.kernel(), equation, fmt::format("{} stays inside: {}", access, inequality(slacks.front())));
    return {std::move(slacks), std::move(relation)};
}

Error error_at(const Kernel& kernel, ErrorKind kind, std::string what, int equation, std::string fix) {
    Error error = error_of(kind, std::move(what), std::move(fix));
    if (equation >= 0) {
        error.at = kernel.equations[equation].at;
        error.equation = kernel.equations[equation].text;
    }
    return error;
}

Error error_of(ErrorKind kind, std::string what, std::string fix) {
    return {kind, std::move(what), {}, "", std::move(fix)};
}

void fail(const Sizes& s, Error error, const About& about) {
    throw SizeFailure(std::move(error), reasons_of(s, about));
}

}  // namespace halogen
