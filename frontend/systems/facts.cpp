// From the words of a case (fit, pad, maximal) to facts.

#include "frontend/formula/bound.h"
#include "frontend/formula/hull.h"
#include "frontend/systems/case.h"
#include "frontend/systems/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace halogen {

namespace {

using Fit = SystemCase::Fit;

Fact equal(Formula a, Formula b, int source) { return {std::move(a), Relation::equal, std::move(b), source}; }
Fact at_most(Formula a, Formula b, int source) { return {std::move(a), Relation::at_most, std::move(b), source}; }

class CaseModel {
public:
    explicit CaseModel(const SystemCase& c) : case_(c), params_(c.params.begin(), c.params.end()) {
        for (std::size_t i = 0; i < c.relations.size(); ++i) {
            if (c.relations[i].fit != Fit::inside) continue;
            for (const auto& f : c.relations[i].expressions) {
                for (const auto& name : indices_in(f)) relations_of_[name].push_back(i);
            }
        }
    }

    System build() {
        for (const auto& axis : case_.axes()) system_.add_unknown(axis, 1);
        for (const auto& p : case_.params) system_.add_unknown(p, 0);
        for (const auto& [name, value] : case_.known) need(name, "known");
        for (const auto& name : case_.choose) need(name, "chosen");
        for (const auto& name : case_.maximal) need(name, "maximal");
        for (int i = 0; i < static_cast<int>(case_.relations.size()); ++i) add_relation(i);
        for (int i = 0; i < static_cast<int>(case_.sizes.size()); ++i)
            add_size(case_.sizes[i], static_cast<int>(case_.relations.size()) + i);
        const int first = static_cast<int>(case_.relations.size() + case_.sizes.size());
        for (int i = 0; i < static_cast<int>(case_.maximal.size()); ++i) add_maximal(case_.maximal[i], first + i);
        return std::move(system_);
    }

private:
    void need(const std::string& name, const char* what) const {
        if (system_.has(name)) return;
        throw Failure(Error{ErrorKind::name,
                            fmt::format("`{}` is {} but is no size or parameter of the system", name, what),
                            {},
                            "",
                            "use it, or drop it"});
    }

    /// The hull of an expression of a relation; the same object gives it again without work.
    const Hull& hull(const Formula& f) {
        const auto [at, is_new] = hulls_.try_emplace(&f.terms());
        if (is_new) at->second = hull_over_all(f);
        return at->second;
    }
    Hull hull_over_all(const Formula& f) const {
        Box box;
        for (const auto& name : indices_in(f)) {
            const Formula min = case_.min_of(name);
            box[index_symbol(name)] = {min, min + Formula::symbol(name) - Formula(1)};
        }
        LowerBounds bounds;
        f.for_each_symbol([&](const std::string& s) {
            if (s[0] != '#' && !params_.contains(s)) bounds[s] = 1;
        });
        return hull_of(f, box, bounds);
    }
    Formula first_of(const SystemCase::Relation& r, const std::string& axis) const {
        return Formula(case_.min_of(axis)) - r.pad_low;
    }
    Formula last_of(const SystemCase::Relation& r, const std::string& axis) const {
        return Formula(case_.min_of(axis)) + Formula::symbol(axis) - Formula(1) + r.pad_high;
    }
    static Formula count_of(const Formula& f) {
        Formula count = 1;
        for (const auto& name : indices_in(f)) count = count * Formula::symbol(name);
        return count;
    }

    void add_relation(int source) {
        const auto& r = case_.relations[source];
        if (r.fit == Fit::data || (r.fit == Fit::partition && add_chain(r, source))) return;
        for (std::size_t i = 0; i < r.expressions.size(); ++i) {
            const Hull& h = hull(r.expressions[i]);
            system_.add_at_most(first_of(r, r.axes[i]), h.low, source);
            system_.add_at_most(h.high, last_of(r, r.axes[i]), source);
            if (r.fit != Fit::inside && r.fit != Fit::partition)
                system_.add_equal(h.high, last_of(r, r.axes[i]), source);
            if (r.fit == Fit::onto || r.fit == Fit::cover) system_.add_equal(h.low, first_of(r, r.axes[i]), source);
            if (r.fit == Fit::onto) add_bijection(r, i, source);
            if (r.fit == Fit::cover) add_cover(r.expressions[i], source);
        }
        if (r.fit == Fit::partition) add_partition(r, source);
    }

    /// |coefficient| of each index of an affine expression; nothing when it is not affine.
    static std::optional<std::vector<std::pair<Formula, std::string>>> coefficients(const Formula& f) {
        std::vector<std::pair<Formula, std::string>> list;
        for (const auto& name : indices_in(f)) {
            Formula factor;
            for (const auto& [m, c] : f.terms()) {
                Formula others = c;
                int count = 0;
                for (const auto& atom : m) {
                    if (atom->kind == Formula::Atom::Kind::symbol && atom->name == index_symbol(name))
                        ++count;
                    else
                        others = others * Formula(atom);
                }
                if (count > 1 || (count == 1 && !indices_in(others).empty())) return std::nullopt;
                if (count == 0 && mentions(others, index_symbol(name))) return std::nullopt;
                if (count == 1) factor = factor + others;
            }
            list.emplace_back(is_nonnegative(-factor) ? -factor : factor, name);
        }
        return list;
    }

    /// Orders in which coefficients may ascend: one where that is plain, all where sizes decide.
    static std::vector<std::vector<std::pair<Formula, std::string>>> ascending(
        std::vector<std::pair<Formula, std::string>> list) {
        const auto below = [](const Formula& a, const Formula& b) {  // a divides b, so a <= b
            return floor_div(b, a) * a == b;
        };
        std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
            const auto x = a.first.constant(), y = b.first.constant();
            if (x && y) return *x < *y;
            const auto degree = [](const Formula& f) {
                return f.terms().empty() ? std::size_t{0} : f.terms().rbegin()->first.size();
            };
            const auto factor = [](const Formula& f) {
                return f.terms().empty() ? std::int64_t{0} : f.terms().rbegin()->second;
            };
            return std::pair(degree(a.first), factor(a.first)) < std::pair(degree(b.first), factor(b.first));
        });
        bool plain = true;
        for (std::size_t i = 0; i + 1 < list.size(); ++i) {
            const bool constants = list[i].first.is_constant() && list[i + 1].first.is_constant();
            plain = plain && (constants || below(list[i].first, list[i + 1].first));
        }
        if (plain || list.size() > 4) return {list};
        std::vector<std::vector<std::pair<Formula, std::string>>> orders;
        std::vector<std::size_t> order(list.size());
        std::iota(order.begin(), order.end(), 0);
        do {
            std::vector<std::pair<Formula, std::string>> permuted;
            for (std::size_t i : order) permuted.push_back(list[i]);
            orders.push_back(std::move(permuted));
        } while (std::next_permutation(order.begin(), order.end()));
        return orders;
    }

    /// Mixed radix: each coefficient is the product of the extents of the smaller ones, or its index has one value.
    void add_bijection(const SystemCase::Relation& r, std::size_t i, int source) {
        const Formula& f = r.expressions[i];
        system_.add_equal(count_of(f), last_of(r, r.axes[i]) - first_of(r, r.axes[i]) + Formula(1), source);
        add_radix(
            f, source,
            [&](const Formula& coefficient, const Formula& reached) { return equal(coefficient, reached, source); },
            [](const Formula& reached, const Formula&, const Formula& extent) { return reached * extent; });
    }

    /// No holes: each coefficient is at most one more than what the smaller ones reach.
    void add_cover(const Formula& f, int source) {
        add_radix(
            f, source,
            [&](const Formula& coefficient, const Formula& reached) { return at_most(coefficient, reached, source); },
            [](const Formula& reached, const Formula& coefficient, const Formula& extent) {
                return reached + coefficient * (extent - Formula(1));
            });
    }

    /// No two points in one position: each coefficient exceeds what the smaller ones reach.
    void add_injection(const Formula& f, int source) {
        add_radix(
            f, source,
            [&](const Formula& coefficient, const Formula& reached) { return at_most(reached, coefficient, source); },
            [](const Formula& reached, const Formula& coefficient, const Formula& extent) {
                return reached + coefficient * (extent - Formula(1));
            });
    }

    void add_radix(const Formula& f, int source, const std::function<Fact(const Formula&, const Formula&)>& fits,
                   const std::function<Formula(const Formula&, const Formula&, const Formula&)>& grow) {
        const auto list = coefficients(f);
        if (!list) return;
        const auto orders = ascending(*list);
        if (orders.size() == 1) {
            Formula reached = 1;
            for (const auto& [coefficient, name] : orders[0]) {
                system_.add_either({{fits(coefficient, reached)}, {equal(Formula::symbol(name), 1, source)}});
                reached = grow(reached, coefficient, Formula::symbol(name));
            }
            return;
        }
        std::vector<std::vector<Fact>> alternatives;
        for (const auto& order : orders) {
            for (unsigned ones = 0; ones < (1U << order.size()); ++ones) {  // which indices have one value
                std::vector<Fact> facts;
                Formula reached = 1;
                for (std::size_t j = 0; j < order.size(); ++j) {
                    const Formula extent = Formula::symbol(order[j].second);
                    if (ones >> j & 1) {
                        facts.push_back(equal(extent, 1, source));
                        continue;
                    }
                    facts.push_back(fits(order[j].first, reached));
                    reached = grow(reached, order[j].first, extent);
                }
                alternatives.push_back(std::move(facts));
            }
        }
        system_.add_either(std::move(alternatives));
    }

    /// Parts of which each begins where another ends, in sizes: z = a, z = b + |a|. Then the first begins the axis and the
    /// last ends it; that every part lies inside follows from sizes of at least 1 and must not be said twice, or a part
    /// that is too long would contradict instead of leaving a negative rest.
    bool add_chain(const SystemCase::Relation& r, int source) {
        std::vector<Hull> left;
        for (const auto& f : r.expressions) {
            const auto list = coefficients(f);
            if (!list || list->size() != 1 || !((*list)[0].first == Formula(1))) return false;
            left.push_back(hull(f));
        }
        const auto follows = [](const Hull& a, const Hull& b) { return a.high + Formula(1) == b.low; };
        std::vector<Hull> chain;
        while (!left.empty()) {
            const auto next = std::find_if(left.begin(), left.end(), [&](const Hull& h) {
                if (!chain.empty()) return follows(chain.back(), h);
                return std::none_of(left.begin(), left.end(), [&](const Hull& other) { return follows(other, h); });
            });
            if (next == left.end()) return false;
            chain.push_back(*next);
            left.erase(next);
        }
        system_.add_equal(chain.front().low, first_of(r, r.axes[0]), source);
        system_.add_equal(chain.back().high, last_of(r, r.axes[0]), source);
        return true;
    }

    /// The parts have as many points as the axis has positions and no two of them meet.
    void add_partition(const SystemCase::Relation& r, int source) {
        Formula count;
        for (const auto& f : r.expressions) {
            count = count + count_of(f);
            add_injection(f, source);
        }
        system_.add_equal(count, last_of(r, r.axes[0]) - first_of(r, r.axes[0]) + Formula(1), source);
        for (std::size_t i = 0; i < r.expressions.size(); ++i) {
            for (std::size_t j = i + 1; j < r.expressions.size(); ++j) {
                const Hull a = hull(r.expressions[i]), b = hull(r.expressions[j]);
                if (in_different_classes(r.expressions[i], r.expressions[j])) continue;
                system_.add_either(
                    {{at_most(a.high + Formula(1), b.low, source)}, {at_most(b.high + Formula(1), a.low, source)}});
            }
        }
    }

    /// True when all differences a - b leave a remainder by a common divisor of the coefficients: 2*a and 2*b + 1.
    static bool in_different_classes(const Formula& a, const Formula& b) {
        Wide g = 0;
        const Formula difference = a - b;
        std::int64_t constant = 0;
        for (const auto& f : {a, b}) {
            for (const auto& [m, c] : f.terms()) {
                if (!m.empty()) g = gcd(g, c);
            }
        }
        if (!difference.terms().empty() && difference.terms().begin()->first.empty())
            constant = difference.terms().begin()->second;
        return g > 1 && constant % g != 0;
    }

    void add_size(const SystemCase::SizeRelation& s, int source) {
        if (s.relation == "=")
            system_.add_equal(s.left, s.right, source);
        else if (s.relation == "<=")
            system_.add_at_most(s.left, s.right, source);
        else if (s.relation == ">=")
            system_.add_at_most(s.right, s.left, source);
        else if (s.relation == "<")
            system_.add_at_most(s.left + Formula(1), s.right, source);
        else if (s.relation == ">")
            system_.add_at_most(s.right + Formula(1), s.left, source);
        else
            system_.add_either(
                {{at_most(s.left + Formula(1), s.right, source)}, {at_most(s.right + Formula(1), s.left, source)}});
    }

    /// One more value of v pushes some 'inside' relation out of range.
    void add_maximal(const std::string& v, int source) {
        const std::map<std::string, Formula> grown{{v, Formula::symbol(v) + Formula(1)}};
        std::vector<std::vector<Fact>> alternatives;
        const std::string index = index_symbol(v);
        for (std::size_t n : relations_of_[v]) {
            const auto& r = case_.relations[n];
            for (std::size_t i = 0; i < r.expressions.size(); ++i) {
                if (!mentions(r.expressions[i], index)) continue;
                const Hull& h = hull(r.expressions[i]);
                const Formula over = last_of(r, r.axes[i]) + Formula(1), under = first_of(r, r.axes[i]) - Formula(1);
                // A side that v does not move is inside anyhow, by the relation itself.
                if (mentions(h.high - over, v))
                    alternatives.push_back({at_most(over.substitute(grown), h.high.substitute(grown), source)});
                if (mentions(h.low - under, v))
                    alternatives.push_back({at_most(h.low.substitute(grown), under.substitute(grown), source)});
            }
        }
        if (!alternatives.empty()) system_.add_either(std::move(alternatives));
    }

    const SystemCase& case_;
    const std::set<std::string> params_;
    std::unordered_map<const Formula::Terms*, Hull> hulls_;
    std::map<std::string, std::vector<std::size_t>> relations_of_;  // index -> `inside` relations that use it
    System system_;
};

}  // namespace

System system_of(const SystemCase& c) { return CaseModel(c).build(); }

}  // namespace halogen
