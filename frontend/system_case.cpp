// From the words of a case (fit, pad, maximal, choose) to facts.

#include "frontend/system_case.h"

#include "frontend/access_form.h"
#include "frontend/hull.h"
#include "frontend/nearest.h"
#include "frontend/system_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace halogen {

namespace {

using Fit = SystemCase::Fit;

/// Index names in an expression.
std::vector<std::string> indices_in(const Formula& f) {
    std::vector<std::string> names;
    f.for_each_symbol([&](const std::string& s) {
        if (s[0] == '#') names.push_back(s.substr(1));
    });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Fact equal(Formula a, Formula b, int source) { return {std::move(a), Fact::Relation::equal, std::move(b), source}; }
Fact at_most(Formula a, Formula b, int source) { return {std::move(a), Fact::Relation::at_most, std::move(b), source}; }

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

/// The element address of each tensor over the loops' index values.
void add_access(const SystemCase& c, const Bindings& sizes, CaseAnswer& answer) {
    std::map<std::string, Formula> numbers;
    for (const auto& [name, value] : sizes) numbers.emplace(name, Formula(value));
    std::map<std::string, const Formula*> expressions;
    std::set<std::string> several;
    std::map<std::string, std::set<std::string>> named;
    for (const auto& r : c.relations) {
        for (std::size_t i = 0; i < r.axes.size(); ++i) {
            if (r.fit == Fit::data || !expressions.emplace(r.axes[i], &r.expressions[i]).second)
                several.insert(r.axes[i]);
            named.emplace(r.axes[i], r.indices[i]);
        }
    }
    for (const auto& [tensor, axes] : c.tensors) {
        std::vector<std::optional<Formula>> places;
        std::vector<Formula> extents;
        std::set<std::string> indices, all_indices;
        for (const auto& axis : axes) {
            const auto at = expressions.find(axis);
            const Formula place = at == expressions.end() ? Formula::symbol(index_symbol(axis)) : *at->second;
            places.push_back(several.contains(axis)
                                 ? std::nullopt
                                 : std::optional(place.substitute(numbers) - Formula(c.min_of(axis))));
            extents.push_back(sizes.at(axis));
            for (const auto& i : indices_in(place)) indices.insert(index_symbol(i));
            if (at != expressions.end())
                all_indices.insert(named.at(axis).begin(), named.at(axis).end());
            else
                all_indices.insert(axis);
        }
        AccessForm form = access_form(places, extents, {indices.begin(), indices.end()});
        if (!form.affine) continue;
        std::map<std::string, Formula> strides;
        for (const auto& i : all_indices) strides.emplace(i, form.strides[index_symbol(i)]);
        form.strides = std::move(strides);
        answer.access.emplace(tensor, std::move(form));
    }
}

}  // namespace

std::int64_t SystemCase::min_of(const std::string& axis) const {
    const auto at = mins.find(axis);
    return at == mins.end() ? 0 : at->second;
}

std::vector<std::string> SystemCase::axes() const {
    std::vector<std::string> names;
    std::set<std::string> seen(params.begin(), params.end());
    const auto take = [&](const std::string& axis) {
        if (seen.insert(axis).second) names.push_back(axis);
    };
    const auto take_all = [&](const Formula& f) {
        for (const auto& s : f.symbols()) take(s[0] == '#' ? s.substr(1) : s);
    };
    for (const auto& [tensor, list] : tensors) {
        for (const auto& axis : list) take(axis);
    }
    for (const auto& r : relations) {
        for (const auto& axis : r.axes) take(axis);
        if (r.fit == Fit::data) continue;
        for (const auto& f : r.expressions) take_all(f);
        for (const auto& list : r.indices) {
            for (const auto& i : list) take(i);
        }
        take_all(r.pad_low);
        take_all(r.pad_high);
    }
    for (const auto& s : sizes) {
        take_all(s.left);
        take_all(s.right);
    }
    return names;
}

std::vector<std::string> SystemCase::loops() const {
    std::set<std::string> defined;
    for (const auto& r : relations) defined.insert(r.axes.begin(), r.axes.end());
    std::vector<std::string> names;
    for (const auto& axis : axes()) {
        // A size that only size relations speak of has no index.
        const bool in_tensor = std::any_of(tensors.begin(), tensors.end(), [&](const auto& t) {
            return std::find(t.second.begin(), t.second.end(), axis) != t.second.end();
        });
        const bool in_relation = std::any_of(relations.begin(), relations.end(), [&](const Relation& r) {
            return std::any_of(r.indices.begin(), r.indices.end(),
                               [&](const auto& list) { return list.contains(axis); });
        });
        if (!defined.contains(axis) && (in_tensor || in_relation)) names.push_back(axis);
    }
    return names;
}

System system_of(const SystemCase& c) { return CaseModel(c).build(); }

std::string source_text(const SystemCase& c, int source) {
    const int relations = static_cast<int>(c.relations.size()), sizes = static_cast<int>(c.sizes.size());
    if (source < relations) return c.relations[source].text;
    if (source < relations + sizes) return c.sizes[source - relations].text;
    return "|" + c.maximal[source - relations - sizes] + "| is maximal";
}

namespace {

std::string describe(const Range& r) {
    const auto number = [](const Rational& v) {
        return v.is_integer() ? to_string(v.num) : to_string(v.num) + "/" + to_string(v.den);
    };
    if (r.is_point()) return number(*r.lo);
    return fmt::format("[{}, {}]", r.lo ? number(*r.lo) : "-inf", r.hi ? number(*r.hi) : "inf");
}

/// "15 gives |y| = 7, 17 gives |y| = 8": what the unresolved sizes become with a number that fits.
std::string proposal(const SystemCase& c, const System& system, const SystemAnswer& a, const Nearest& n) {
    std::string text;
    for (const auto& value : {n.below, n.above}) {
        if (!value) continue;
        Bindings changed = c.known;
        changed[n.name] = *value;
        std::string gives;
        for (const auto& [name, range] : system.ranges(changed)) {
            const bool asked = std::find(a.unresolved.begin(), a.unresolved.end(), name) != a.unresolved.end();
            if (asked && gives.size() < 60)
                gives += fmt::format("{}|{}| {} {}", gives.empty() ? " gives " : ", ", name,
                                     range.is_point() ? "=" : "in", describe(range));
        }
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", *value, gives.empty() ? " fits" : gives);
    }
    return fmt::format("|{}| = {} does not fit: {}", n.name, n.given, text);
}

/// What would fit, nearest first, one line each.
std::string proposals(const SystemCase& c, const System& system, const SystemAnswer& a) {
    auto all = nearest_numbers(system, c.known);
    const auto distance = [](const Nearest& n) {
        return std::min(n.below ? n.given - *n.below : INT64_MAX, n.above ? *n.above - n.given : INT64_MAX);
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) { return distance(x) < distance(y); });
    std::string lines;
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 4); ++i)
        lines += "\n  near " + proposal(c, system, a, all[i]);
    return lines;
}

std::string message_of(const SystemCase& c, const System& system, const SystemAnswer& a) {
    std::string names;
    for (const auto& n : a.unresolved) {
        const auto at = a.ranges.find(n);
        names += fmt::format("{}|{}| in {}", names.empty() ? "" : ", ", n,
                             at == a.ranges.end() ? "?" : describe(at->second));
    }
    if (*a.error == ErrorKind::underdetermined) return "several values remain: " + names;
    const bool clash = *a.error == ErrorKind::contradictory;
    std::string facts, relations;
    for (const auto& n : a.conflict) facts += fmt::format("{}|{}| = {}", facts.empty() ? "" : ", ", n, c.known.at(n));
    for (int s : clash ? a.sources : system.clashing_sources(c.known))
        relations += fmt::format("{}`{}`", relations.empty() ? "" : ", ", source_text(c, s));
    if (relations.empty()) relations = "the system";
    std::string text;
    if (clash)
        text = fmt::format("{} cannot hold with {}", facts.empty() ? "the relations" : facts, relations);
    else if (*a.error == ErrorKind::non_integer)
        text = fmt::format("no solution of {} in whole numbers; over the rationals: {}", relations, names);
    else
        text = fmt::format("no solution of {} with every size at least 1; without that: {}", relations, names);
    return text + proposals(c, system, a);
}

/// The message, or less of it where a cap is reached on the way.
std::string explanation(const SystemCase& c, const System& system, const SystemAnswer& a) {
    try {
        return message_of(c, system, a);
    } catch (const Failure& failure) {
        return "no solution; why is not known: " + failure.error().what;
    }
}

}  // namespace

CaseAnswer solve_case(const SystemCase& c) {
    CaseAnswer answer;
    answer.key = canonical_key(c);
    const System system = system_of(c);
    answer.system = system.solve(c.known, c.choose);
    if (answer.system.error) {
        answer.message = explanation(c, system, answer.system);
        return answer;
    }
    Bindings sizes;
    for (const auto& [name, value] : answer.system.values) sizes.emplace(name, narrow_extent(value));
    add_access(c, sizes, answer);
    if (!c.block.empty()) project_block(c, sizes, answer);
    answer.points = count_points(c, sizes);
    return answer;
}

}  // namespace halogen
