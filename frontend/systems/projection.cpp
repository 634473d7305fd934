// What one block of the loops touches, and how many points predicates keep.

#include "frontend/base/checked.h"
#include "frontend/formula/hull.h"
#include "frontend/systems/case.h"
#include "frontend/systems/expr.h"

#include <algorithm>
#include <functional>

namespace halogen {

namespace {

constexpr std::int64_t most_points = 20'000'000;

using Interval = std::pair<std::int64_t, std::int64_t>;  // half open

/// A formula over numbered variables, for enumeration: evaluated without look-ups by name.
class Compiled {
public:
    Compiled(const Formula& f, const std::map<std::string, int>& positions) {
        for (const auto& [m, c] : f.terms()) {
            Term t{c, {}};
            for (const auto& atom : m) {
                Factor factor{atom->kind, -1, nullptr, nullptr};
                if (atom->kind == Formula::Atom::Kind::symbol) {
                    factor.position = positions.at(atom->name);
                } else {
                    factor.a = std::make_shared<Compiled>(atom->a, positions);
                    factor.b = std::make_shared<Compiled>(atom->b, positions);
                }
                t.factors.push_back(std::move(factor));
            }
            terms_.push_back(std::move(t));
        }
    }

    Wide operator()(const std::vector<std::int64_t>& at) const {
        Wide sum = 0;
        for (const Term& t : terms_) {
            Wide product = t.coefficient;
            for (const Factor& f : t.factors) product = multiply(product, value(f, at));
            sum = add(sum, product);
        }
        return sum;
    }

private:
    struct Factor {
        Formula::Atom::Kind kind;
        int position;
        std::shared_ptr<const Compiled> a, b;
    };
    struct Term {
        Wide coefficient;
        std::vector<Factor> factors;
    };
    static Wide value(const Factor& f, const std::vector<std::int64_t>& at) {
        using Kind = Formula::Atom::Kind;
        if (f.kind == Kind::symbol) return at[f.position];
        const Wide a = (*f.a)(at), b = (*f.b)(at);
        switch (f.kind) {
        case Kind::floor_div: return floor_div(a, b);
        case Kind::remainder: return a - b * floor_div(a, b);
        case Kind::min: return std::min(a, b);
        default: return std::max(a, b);
        }
    }
    std::vector<Term> terms_;
};

/// Visits the points of a box, last variable fastest; false when there are too many.
bool for_each_point(const std::vector<Interval>& box,
                    const std::function<void(const std::vector<std::int64_t>&)>& visit) {
    Wide count = 1;
    for (const auto& [begin, end] : box) {
        if (end <= begin) return true;
        count = multiply(count, end - begin);
        if (count > most_points) return false;
    }
    std::vector<std::int64_t> at;
    for (const auto& [begin, end] : box) at.push_back(begin);
    for (;;) {
        visit(at);
        std::size_t d = box.size();
        while (d > 0 && ++at[d - 1] == box[d - 1].second) {
            at[d - 1] = box[d - 1].first;
            --d;
        }
        if (d == 0) return true;
    }
}

/// Symbols grouped so that no formula has symbols of two groups.
std::vector<std::set<std::string>> groups_of(const std::vector<Formula>& formulas) {
    std::vector<std::set<std::string>> groups;
    for (const Formula& f : formulas) {
        std::set<std::string> merged = f.symbols();
        for (auto at = groups.begin(); at != groups.end();) {
            const bool shares = std::any_of(at->begin(), at->end(), [&](const auto& s) { return merged.contains(s); });
            if (shares) {
                merged.insert(at->begin(), at->end());
                at = groups.erase(at);
            } else {
                ++at;
            }
        }
        if (!merged.empty()) groups.push_back(std::move(merged));
    }
    return groups;
}

class BlockProjection {
public:
    BlockProjection(const SystemCase& c, const Bindings& sizes) : case_(c), sizes_(sizes) {
        for (const auto& [name, value] : sizes) numbers_.emplace(name, Formula(value));
        for (const auto& r : c.relations) {
            for (std::size_t i = 0; i < r.axes.size(); ++i) {
                if (r.fit != SystemCase::Fit::data)
                    expressions_[r.axes[i]].push_back(r.expressions[i].substitute(numbers_));
            }
        }
    }

    void project(CaseAnswer& answer) const {
        for (const auto& [tensor, axes] : case_.tensors) {
            auto& ranges = answer.ranges[tensor];
            bool single = true;
            std::vector<Formula> places;
            for (const auto& axis : axes) {
                ranges.push_back(axis_range(axis));
                const auto at = expressions_.find(axis);
                single = single && (at == expressions_.end() || at->second.size() == 1);
                places.push_back(at == expressions_.end() ? Formula::symbol(index_symbol(axis)) : at->second.front());
            }
            if (!single) continue;
            if (const auto count = cells(axes, places)) answer.cells.emplace(tensor, *count);
        }
    }

private:
    Interval index_range(const std::string& index) const {
        const auto block = case_.block.find(index);
        if (block != case_.block.end()) return block->second;
        const std::int64_t min = case_.min_of(index);
        return {min, narrow(add(min, sizes_.at(index)))};
    }

    Interval axis_range(const std::string& axis) const {
        const auto at = expressions_.find(axis);
        if (at == expressions_.end()) return index_range(axis);
        std::optional<Interval> all;
        for (const Formula& f : at->second) {
            Box box;
            for (const auto& s : f.symbols()) {
                const auto [begin, end] = index_range(s.substr(1));
                box[s] = {begin, end - 1};
            }
            const Hull h = hull_of(f, box);
            const Interval one{*h.low.constant(), *h.high.constant() + 1};
            all = all ? Interval{std::min(all->first, one.first), std::max(all->second, one.second)} : one;
        }
        return *all;
    }

    /// Distinct positions inside the tensor: axes without common indices count on their own.
    std::optional<std::int64_t> cells(const std::vector<std::string>& axes, const std::vector<Formula>& places) const {
        Wide total = 1;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if (places[i].is_constant()) total *= is_inside(axes[i], *places[i].constant());
        }
        for (const auto& group : groups_of(places)) {
            std::vector<std::size_t> members;
            for (std::size_t i = 0; i < axes.size(); ++i) {
                if (!places[i].is_constant() && group.contains(*places[i].symbols().begin())) members.push_back(i);
            }
            const auto count = members.size() == 1 && places[members[0]].as_symbol()
                                   ? plain_count(axes[members[0]], places[members[0]])
                                   : distinct(axes, places, members, group);
            if (!count) return std::nullopt;
            total = multiply(total, *count);
        }
        return narrow(total);
    }

    bool is_inside(const std::string& axis, Wide value) const {
        const std::int64_t min = case_.min_of(axis);
        return value >= min && value < Wide{min} + sizes_.at(axis);
    }

    std::optional<std::int64_t> plain_count(const std::string& axis, const Formula& place) const {
        const auto [begin, end] = index_range(place.as_symbol()->substr(1));
        const std::int64_t min = case_.min_of(axis);
        return std::max<std::int64_t>(0, std::min(end, min + sizes_.at(axis)) - std::max(begin, min));
    }

    std::optional<std::int64_t> distinct(const std::vector<std::string>& axes, const std::vector<Formula>& places,
                                         const std::vector<std::size_t>& members,
                                         const std::set<std::string>& group) const {
        std::map<std::string, int> positions;
        std::vector<Interval> box;
        for (const auto& s : group) {
            positions.emplace(s, static_cast<int>(box.size()));
            box.push_back(index_range(s.substr(1)));
        }
        std::vector<Compiled> compiled;
        for (std::size_t i : members) compiled.emplace_back(places[i], positions);
        std::set<std::vector<Wide>> seen;
        const bool done = for_each_point(box, [&](const std::vector<std::int64_t>& at) {
            std::vector<Wide> cell;
            for (std::size_t k = 0; k < members.size(); ++k) {
                cell.push_back(compiled[k](at));
                if (!is_inside(axes[members[k]], cell.back())) return;
            }
            seen.insert(std::move(cell));
        });
        return done ? std::optional(static_cast<std::int64_t>(seen.size())) : std::nullopt;
    }

    const SystemCase& case_;
    const Bindings& sizes_;
    std::map<std::string, Formula> numbers_;
    std::map<std::string, std::vector<Formula>> expressions_;
};

bool compare(Wide left, const std::string& relation, Wide right) {
    if (relation == "=") return left == right;
    if (relation == "!=") return left != right;
    if (relation == "<=") return left <= right;
    if (relation == ">=") return left >= right;
    return relation == "<" ? left < right : left > right;
}

}  // namespace

void project_block(const SystemCase& c, const Bindings& sizes, CaseAnswer& answer) {
    BlockProjection(c, sizes).project(answer);
}

std::optional<std::int64_t> count_points(const SystemCase& c, const Bindings& sizes) {
    std::map<std::string, Formula> numbers;
    for (const auto& [name, value] : sizes) numbers.emplace(name, Formula(value));
    std::vector<Formula> differences;
    for (const auto& w : c.where) differences.push_back((w.left - w.right).substitute(numbers));
    Wide total = 1;
    std::set<std::string> tied;
    const auto groups = groups_of(differences);
    for (std::size_t i = 0; i < differences.size(); ++i) {
        if (differences[i].is_constant() && !compare(*differences[i].constant(), c.where[i].relation, 0)) return 0;
    }
    for (const auto& group : groups) {
        std::map<std::string, int> positions;
        std::vector<Interval> box;
        for (const auto& s : group) {
            const std::string name = s.substr(1);
            if (!sizes.contains(name)) return std::nullopt;
            tied.insert(name);
            positions.emplace(s, static_cast<int>(box.size()));
            box.emplace_back(c.min_of(name), c.min_of(name) + sizes.at(name));
        }
        std::vector<std::pair<Compiled, std::string>> predicates;
        for (std::size_t i = 0; i < differences.size(); ++i) {
            if (!differences[i].is_constant() && group.contains(*differences[i].symbols().begin()))
                predicates.emplace_back(Compiled(differences[i], positions), c.where[i].relation);
        }
        std::int64_t kept = 0;
        const bool done = for_each_point(box, [&](const std::vector<std::int64_t>& at) {
            kept += std::all_of(predicates.begin(), predicates.end(),
                                [&](const auto& p) { return compare(p.first(at), p.second, 0); });
        });
        if (!done) return std::nullopt;
        total = multiply(total, kept);
    }
    for (const auto& name : c.loops()) {
        if (!tied.contains(name)) total = multiply(total, sizes.at(name));
        if (total > Wide{largest_extent}) return std::nullopt;
    }
    return narrow(total);
}

}  // namespace halogen
