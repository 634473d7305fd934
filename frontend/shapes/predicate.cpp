#include "frontend/shapes/predicate.h"

#include "frontend/base/checked.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::shapes {

namespace {

bool is_equality(const Fact& f) { return f.relation == Relation::equal; }

std::optional<bool> truth(const Fact& f) {
    const auto left = f.left.constant(), right = f.right.constant();
    if (left && right) return is_equality(f) ? *left == *right : *left <= *right;
    if (left || right) return std::nullopt;
    const auto slack = (f.right - f.left).constant();
    if (!slack) return std::nullopt;
    return is_equality(f) ? *slack == 0 : *slack >= 0;
}

/// The ends of a sum of multiples of single symbols, from their least values; an end that is missing is infinite.
struct Ends {
    std::optional<Wide> least, most;
};
/// Nothing for any other formula.
std::optional<Ends> ends_of(const Formula& sum, const LowerBounds& bounds) {
    Wide end = 0;
    bool has_positive = false, has_negative = false;
    for (const auto& [atoms, factor] : sum.terms()) {
        if (atoms.size() > 1 || (atoms.size() == 1 && atoms[0]->kind != Formula::Atom::Kind::symbol))
            return std::nullopt;
        if (atoms.empty()) {
            end += factor;
            continue;
        }
        const auto bound = bounds.find(atoms[0]->name);
        if (bound != bounds.end()) end += Wide{factor} * bound->second;
        (factor > 0 ? has_positive : has_negative) = true;
    }
    Ends ends;
    if (!has_negative) ends.least = end;
    if (!has_positive) ends.most = end;
    return ends;
}

std::optional<bool> truth(const Fact& f, const LowerBounds& bounds) {
    if (const auto known = truth(f)) return known;
    const Formula slack = f.right - f.left;
    if (const auto ends = ends_of(slack, bounds)) {
        if (ends->most && *ends->most < 0) return false;
        if (is_equality(f)) return ends->least && *ends->least > 0 ? std::optional(false) : std::nullopt;
        return ends->least && *ends->least >= 0 ? std::optional(true) : std::nullopt;
    }
    const Formula below = -slack - Formula(1);  // at least 0 where the fact fails from below
    if (is_nonnegative(below, bounds)) return false;
    if (is_equality(f)) return is_nonnegative(slack - Formula(1), bounds) ? std::optional(false) : std::nullopt;
    return is_nonnegative(slack, bounds) ? std::optional(true) : std::nullopt;
}

int compare(const Fact& a, const Fact& b) {
    if (a.relation != b.relation) return a.relation < b.relation ? -1 : 1;
    if (!(a.left == b.left)) return a.left < b.left ? -1 : 1;
    return a.right == b.right ? 0 : a.right < b.right ? -1 : 1;
}

bool same_facts(const Predicate::Facts& a, const Predicate::Facts& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Fact& x, const Fact& y) { return compare(x, y) == 0; });
}

/// Drops facts that hold and alternatives that fail, as `truth_of` tells; true when one alternative has nothing left.
template<typename Truth>
bool reduce(std::vector<Predicate::Facts>& alternatives, Truth&& truth_of) {
    std::vector<Predicate::Facts> kept;
    for (const auto& facts : alternatives) {
        Predicate::Facts open;
        bool possible = true;
        for (const Fact& f : facts) {
            const auto known = truth_of(f);
            possible = possible && known.value_or(true);
            if (!known) open.push_back(f);
        }
        if (possible && open.empty()) return true;
        const bool again = std::any_of(kept.begin(), kept.end(), [&](const auto& k) { return same_facts(k, open); });
        if (possible && !again) kept.push_back(std::move(open));
    }
    alternatives = std::move(kept);
    return false;
}

std::vector<Predicate> negations(const Fact& f) {
    std::vector<Predicate> all{at_least(f.left, f.right + Formula(1))};
    if (is_equality(f)) all.push_back(at_most(f.left, f.right - Formula(1)));
    return all;
}

}  // namespace

Predicate::Predicate(Fact fact) : known_(truth(fact)) {
    if (known_.value_or(false)) return;
    shown_ = fact;
    if (!known_) alternatives_.push_back({std::move(fact)});
}

Predicate::Predicate(std::vector<Facts> alternatives) : alternatives_(std::move(alternatives)) {
    if (!alternatives_.empty() && !alternatives_[0].empty()) shown_ = alternatives_[0][0];
    const bool always = reduce(alternatives_, [](const Fact& f) { return truth(f); });
    if (always || alternatives_.empty()) {
        known_ = always;
        alternatives_.clear();
    }
}

Predicate operator||(Predicate a, const Predicate& b) {
    if (a.known_.value_or(false) || b.known_.value_or(false)) return true;
    const auto shown = a.shown_ ? a.shown_ : b.shown_;
    if (a.known_)
        a = b;
    else if (!b.known_)
        a = Predicate([&] {
            auto all = a.alternatives_;
            all.insert(all.end(), b.alternatives_.begin(), b.alternatives_.end());
            return all;
        }());
    a.shown_ = shown;
    return a;
}

Predicate operator&&(const Predicate& a, const Predicate& b) {
    if (a.known_) return *a.known_ ? b : a;
    if (b.known_) return *b.known_ ? a : b;
    std::vector<Predicate::Facts> all;
    for (const auto& x : a.alternatives_) {
        for (const auto& y : b.alternatives_) {
            all.push_back(x);
            all.back().insert(all.back().end(), y.begin(), y.end());
        }
    }
    return Predicate(std::move(all));
}

Predicate operator!(const Predicate& p) {
    if (p.known_) return !*p.known_;
    Predicate none = true;
    for (const auto& facts : p.alternatives_) {
        Predicate fails = false;
        for (const Fact& f : facts) {
            for (const Predicate& n : negations(f)) fails = fails || n;
        }
        none = none && fails;
    }
    return none;
}

bool operator==(const Predicate& a, const Predicate& b) {
    return a.known_ == b.known_ && std::equal(a.alternatives_.begin(), a.alternatives_.end(), b.alternatives_.begin(),
                                              b.alternatives_.end(), same_facts);
}

bool operator<(const Predicate& a, const Predicate& b) {
    if (a.known_ != b.known_) return a.known_ < b.known_;
    const auto fact_less = [](const Fact& x, const Fact& y) { return compare(x, y) < 0; };
    return std::lexicographical_compare(a.alternatives_.begin(), a.alternatives_.end(), b.alternatives_.begin(),
                                        b.alternatives_.end(), [&](const auto& x, const auto& y) {
                                            return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(),
                                                                                fact_less);
                                        });
}

Predicate Predicate::substitute(SymbolLookup values) const {
    if (known_) return *this;
    auto all = alternatives_;
    for (auto& facts : all) {
        for (Fact& f : facts) {
            f.left = f.left.substitute(values);
            f.right = f.right.substitute(values);
        }
    }
    return Predicate(std::move(all));
}

Predicate equal(const Formula& a, const Formula& b) { return Predicate(Fact{a, Relation::equal, b}); }

Predicate differ(const Formula& a, const Formula& b) { return !equal(a, b); }

Predicate at_least(const Formula& value, const Formula& least) {
    return Predicate(Fact{least, Relation::at_most, value});
}

Predicate at_most(const Formula& value, const Formula& most) { return Predicate(Fact{value, Relation::at_most, most}); }

Predicate divides(const Formula& divisor, const Formula& value) {
    Predicate p = equal(remainder(value, divisor), 0);
    p.shown_ = Fact{divisor, Relation::equal, value};
    p.shows_multiple_ = true;
    return p;
}

namespace {

bool is_one_fact(const Predicate& p) { return p.alternatives().size() == 1 && p.alternatives()[0].size() == 1; }

}  // namespace

std::optional<bool> decide(const Predicate& p, const LowerBounds& bounds) {
    if (p.known()) return p.known();
    return is_one_fact(p) ? truth(p.alternatives()[0][0], bounds) : simplify(p, bounds).known();
}

Predicate simplify(const Predicate& p, const LowerBounds& bounds) {
    if (p.known()) return p;
    if (is_one_fact(p)) {
        const auto known = truth(p.alternatives()[0][0], bounds);
        return known ? Predicate(*known) : p;
    }
    auto all = p.alternatives();
    if (reduce(all, [&](const Fact& f) { return truth(f, bounds); })) return true;
    if (all.empty()) return false;
    return Predicate(std::move(all));
}

bool holds(const Predicate& p, const Bindings& values) {
    if (p.known()) return *p.known();
    return std::any_of(p.alternatives().begin(), p.alternatives().end(), [&](const auto& facts) {
        return std::all_of(facts.begin(), facts.end(), [&](const Fact& f) {
            const std::int64_t slack = evaluate(f.right, values) - evaluate(f.left, values);
            return is_equality(f) ? slack == 0 : slack >= 0;
        });
    });
}

void add_to(System& system, const Predicate& p, int source) {
    if (p.known().value_or(false)) return;
    if (p.known()) {
        system.add_equal(0, 1, source);
        return;
    }
    auto all = p.alternatives();
    for (auto& facts : all) {
        for (Fact& f : facts) f.source = source;
    }
    if (all.size() == 1) {
        for (Fact& f : all[0]) system.add(std::move(f));
    } else {
        system.add_either(std::move(all));
    }
}

namespace {

Formula constant_part(const Formula& f) {
    for (const auto& [atoms, factor] : f.terms()) {
        if (atoms.empty()) return factor;
    }
    return 0;
}

std::string print(const Fact& f) {
    const std::string left = halogen::print(f.left), right = halogen::print(f.right);
    if (is_equality(f)) return fmt::format("{} == {}", left, right);
    if (!f.left.is_constant()) return fmt::format("{} <= {}", left, right);
    const Formula without_constant = f.right - constant_part(f.right);
    return fmt::format("{} >= {}", halogen::print(without_constant), halogen::print(f.left - constant_part(f.right)));
}

}  // namespace

std::string print(const Predicate& p) {
    if (p.known()) return *p.known() ? "true" : "false";
    std::string text;
    for (const auto& facts : p.alternatives()) {
        if (!text.empty()) text += " or ";
        for (std::size_t i = 0; i < facts.size(); ++i) text += (i ? " and " : "") + print(facts[i]);
    }
    return text;
}

std::string print_failure(const Predicate& p) {
    if (!p.shown()) return "it is not so";
    const Fact& f = *p.shown();
    const std::string left = halogen::print(f.left), right = halogen::print(f.right);
    if (p.shows_multiple_) return fmt::format("{} is no multiple of {}", right, left);
    if (is_equality(f)) return fmt::format("{} is not {}", left, right);
    return f.left.is_constant() ? fmt::format("{} is less than {}", right, left)
                                : fmt::format("{} is more than {}", left, right);
}

}  // namespace halogen::shapes
