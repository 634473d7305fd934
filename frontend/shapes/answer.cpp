#include "frontend/shapes/answer.h"

#include "frontend/base/checked.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::shapes {

namespace {

constexpr std::size_t most_solutions = 100'000;
constexpr std::int64_t most_values = 1 << 20;  // of one size that are tried

/// Whether `p` holds; also false where it has no value, as behind a divisor that an earlier condition excludes.
bool meets(const Predicate& p, const Bindings& sizes) {
    try {
        return holds(p, sizes);
    } catch (const Failure&) {
        return false;
    }
}

void require_value(const std::string& name, const Bindings& sizes) {
    if (!sizes.contains(name))
        throw Refusal(Refused::call, fmt::format("`{}` has no value", name), "give one for each size");
}

/// Errors: Refusal for a size without a value, or a number past 2^62.
std::int64_t value_of(const Formula& f, const Bindings& sizes) {
    f.for_each_symbol([&](const std::string& name) { require_value(name, sizes); });
    try {
        return evaluate(f, sizes);
    } catch (const Failure& failure) {
        throw Refusal(Refused::undetermined, failure.error().what, "give smaller sizes");
    }
}

bool is_taken(const Path& path, const Bindings& sizes) {
    return std::all_of(path.assumed.begin(), path.assumed.end(), [&](const Predicate& p) { return meets(p, sizes); });
}

std::string printed(const Bindings& sizes) {
    std::string text;
    for (const auto& [name, value] : sizes) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
}

const Operand* result_of(const Path& path, const Want& want) {
    if (want.step >= static_cast<int>(path.results.size())) return nullptr;
    const auto& results = path.results[static_cast<std::size_t>(want.step)];
    if (want.result >= static_cast<int>(results.size())) return nullptr;
    const Operand& operand = results[static_cast<std::size_t>(want.result)];
    return want.dim < operand.rank() ? &operand : nullptr;
}

}  // namespace

std::vector<std::vector<std::int64_t>> shapes_for(const ShapeProgram& program, const Bindings& sizes) {
    for (const auto& [name, value] : sizes) {
        const auto at = program.source.symbols.find(name);
        const SizeRange range = at == program.source.symbols.end() ? SizeRange{} : at->second;
        if (value < range.least || value > range.most.value_or(value))
            throw Refusal(Refused::not_positive, fmt::format("{} = {} is outside the range of `{}`", name, value, name),
                          range.most ? fmt::format("give {} to {}", range.least, *range.most)
                                     : fmt::format("give {} or more", range.least));
    }
    for (const Path& path : program.paths) {
        if (!is_taken(path, sizes)) continue;
        for (const StepGuard& guard : path.guards) {
            if (meets(guard.what.condition, sizes)) continue;
            for (const std::string& name : symbols_of(guard.what.condition)) require_value(name, sizes);
            throw Refusal(guard.what.kind,
                          fmt::format("{} needs {}: {}, but {}", name_of(program.source, guard.step),
                                      guard.what.sentence, print(guard.what.condition), printed(sizes)));
        }
        if (path.refusal) throw path.refusal->refusal;
        std::vector<std::vector<std::int64_t>> shapes;
        if (path.results.empty()) return shapes;
        for (const Operand& o : path.results.back()) {
            shapes.emplace_back();
            for (const Formula& extent : o.shape) shapes.back().push_back(value_of(extent, sizes));
        }
        return shapes;
    }
    throw Refusal(Refused::undetermined, fmt::format("no case of the program covers {}", printed(sizes)));
}

std::vector<std::string> print_results(const ShapeProgram& program, int step) {
    std::vector<std::pair<std::string, std::vector<std::string>>> cases;
    for (const Path& path : program.paths) {
        if (step >= static_cast<int>(path.results.size())) continue;
        std::string when;
        for (const Predicate& p : path.assumed) when += (when.empty() ? "" : " and ") + print(p);
        std::vector<std::string> shapes;
        for (const Operand& o : path.results[static_cast<std::size_t>(step)]) shapes.push_back(print(o.shape));
        cases.emplace_back(when, std::move(shapes));
    }
    if (cases.empty()) return {};
    const bool agree = std::all_of(cases.begin(), cases.end(),
                                   [&](const auto& c) { return c.second.size() == cases[0].second.size(); });
    if (!agree) {  // one text for all results
        for (auto& [when, shapes] : cases) {
            std::string all;
            for (const std::string& s : shapes) all += (all.empty() ? "" : ", ") + s;
            shapes = {"(" + all + ")"};
        }
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < cases[0].second.size(); ++i) {
        const bool same =
            std::all_of(cases.begin(), cases.end(), [&](const auto& c) { return c.second[i] == cases[0].second[i]; });
        std::string text;
        for (std::size_t k = 0; k + 1 < cases.size() && !same; ++k)
            text += fmt::format("{} if {} else ", cases[k].second[i], cases[k].first);
        texts.push_back(text + cases.back().second[i]);
    }
    return texts;
}

namespace {

/// Values for all sizes of one path, found by halving what the exact System leaves: each size in turn takes each value of the
/// range it has left.
class Search {
public:
    Search(const StepProgram& program, const Path& path, const std::vector<Want>& wants, Solutions& found)
        : found_(found) {
        const Knowledge known = knowledge_of(program);
        for (const Predicate& p : path.assumed) conditions_.push_back(p);
        for (const StepGuard& guard : path.guards) conditions_.push_back(guard.what.condition);
        for (const Want& want : wants)
            conditions_.push_back(equal(result_of(path, want)->shape[static_cast<std::size_t>(want.dim)], want.extent));
        for (const auto& [name, range] : program.symbols) box_.emplace(name, range);
        for (const Predicate& p : conditions_) {
            for (const std::string& name : symbols_of(p)) box_.try_emplace(name);
        }
        for (const auto& [name, range] : box_) {
            system_.add_unknown(name, range.least);
            if (range.most) system_.add_at_most(Formula::symbol(name), *range.most, -1);
        }
        for (std::size_t i = 0; i < conditions_.size(); ++i) add_to(system_, conditions_[i], static_cast<int>(i));
    }

    void run(const Bindings& known = {}) {
        if (!found_.complete) return;
        std::map<std::string, Range> open = ranges(known);
        if (open.empty()) {
            if (known.size() == box_.size()) take(known);
            return;
        }
        const auto narrowest = std::min_element(
            open.begin(), open.end(), [](const auto& a, const auto& b) { return width(a.second) < width(b.second); });
        if (width(narrowest->second) >= most_values || found_.all.size() >= most_solutions) {
            found_.complete = false;
            for (const auto& [name, range] : ranges({})) found_.ranges[name].unite(range);
            return;
        }
        Bindings next = known;
        for (Wide v = narrowest->second.lo->ceil(); v <= narrowest->second.hi->floor(); ++v) {
            next[narrowest->first] = static_cast<std::int64_t>(v);
            if (open.size() == 1)
                take(next);
            else
                run(next);
        }
    }

    /// Which wants and conditions clash.
    std::vector<std::string> conflict(std::size_t wanted) const {
        std::vector<std::string> texts;
        try {
            for (const int source : system_.clashing_sources({})) {
                const bool is_want = static_cast<std::size_t>(source) + wanted >= conditions_.size();
                texts.push_back((is_want ? "wanted " : "needed ") +
                                print(conditions_[static_cast<std::size_t>(source)]));
            }
        } catch (const Failure&) {
            texts.clear();  // too hard to say
        }
        return texts;
    }

private:
    static Wide width(const Range& r) { return r.lo && r.hi ? r.hi->floor() - r.lo->ceil() : Wide{1} << 100; }

    /// What each size without a value may be; empty when none is open, or nothing is left.
    std::map<std::string, Range> ranges(const Bindings& known) const {
        std::map<std::string, Range> open;
        try {
            open = system_.ranges(known);
            if (open.empty()) return open;
        } catch (const Failure&) {  // too hard: the box itself
            for (const auto& [name, range] : box_) {
                open[name].lo = Rational(range.least);
                if (range.most) open[name].hi = Rational(*range.most);
            }
        }
        for (const auto& [name, value] : known) open.erase(name);
        return open;
    }

    void take(const Bindings& sizes) {
        for (const auto& [name, value] : sizes) {
            const SizeRange& range = box_.at(name);
            if (value < range.least || value > range.most.value_or(value)) return;
        }
        if (std::all_of(conditions_.begin(), conditions_.end(), [&](const Predicate& p) { return meets(p, sizes); }))
            found_.all.push_back(sizes);
    }

    Solutions& found_;
    std::vector<Predicate> conditions_;
    std::map<std::string, SizeRange> box_;
    System system_;
};

}  // namespace

Solutions solve_backward(const ShapeProgram& program, const std::vector<Want>& wants, std::optional<int> rank) {
    Solutions found;
    for (const Path& path : program.paths) {
        if (path.refusal) {
            found.conflict.push_back(path.refusal->refusal.error().what);
            continue;
        }
        const bool has_rank =
            !rank || (!path.results.empty() && !path.results.back().empty() && path.results.back()[0].rank() == *rank);
        if (!has_rank || !std::all_of(wants.begin(), wants.end(), [&](const Want& w) { return result_of(path, w); })) {
            found.conflict.push_back("the result has another rank");
            continue;
        }
        const std::size_t before = found.all.size();
        Search search(program.source, path, wants, found);
        search.run();
        if (found.all.size() == before && found.complete) {
            for (std::string& text : search.conflict(wants.size())) found.conflict.push_back(std::move(text));
        }
    }
    std::sort(found.all.begin(), found.all.end());
    if (!found.all.empty() || !found.complete) found.conflict.clear();
    return found;
}

}  // namespace halogen::shapes
