#pragma once
// A system of facts about unknown integers: equalities, inequalities and alternatives over formulas. The exact engine
// behind `solve` and `--system`.
//
// Method (docs/solving.md): quotients, remainders, max and min become unknowns with facts of their own, once per operand pair;
// equalities are eliminated over the integers (Rows), bounds propagated, coupled rest decided by simplex with branch and bound, products
// by divisors and cases (explore). Alternatives split the system; a branch that contradicts itself is dropped. Better than
// the proposal in one point: one question, "which values does each unknown take over all solutions", asked at three
// levels (sizes at least 1; any integers; any rationals), gives answers, ranges and the kind of every error.

#include "frontend/base/rational.h"
#include "frontend/integers/fact.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// What each unknown may be, or why there is nothing.
struct SystemAnswer {
    std::optional<ErrorKind> error;       // contradictory, non_integer, negative, underdetermined
    std::map<std::string, Wide> values;   // of the unknowns with one value, or the value chosen
    std::map<std::string, Range> ranges;  // admissible, before anything is chosen
    std::vector<std::string> unresolved;  // as expect.error of tests/data/symbolic.json defines it for each kind
    std::vector<std::string> conflict;    // contradictory: a least set of known names that clash
    std::vector<int> sources;             // contradictory: a least set of relations that clash with them
};

class System {
public:
    /// An unknown with its least admissible value; the answer covers it.
    void add_unknown(const std::string& name, std::int64_t least);
    bool has(const std::string& name) const { return least_.contains(name); }
    void add(Fact fact) { facts_.push_back(std::move(fact)); }
    void add_equal(const Formula& a, const Formula& b, int source) { add({a, Relation::equal, b, source}); }
    void add_at_most(const Formula& a, const Formula& b, int source) { add({a, Relation::at_most, b, source}); }
    /// All facts of one of the alternatives hold.
    void add_either(std::vector<std::vector<Fact>> alternatives) { alternatives_.push_back(std::move(alternatives)); }

    /// `known` gives numbers; the names in `least` take their least values, jointly, else in the order listed.
    /// Errors: Failure(too_complex) at a resource cap, Failure(overflow) past 128 bits.
    SystemAnswer solve(const Bindings& known, const std::vector<std::string>& least = {}) const;

    /// The admissible values of each unknown beside the known ones; empty when there is no solution. For explanations: it
    /// gives up sooner than solve. Errors as for solve.
    std::map<std::string, Range> ranges(const Bindings& known) const;

    /// A least set of sources whose facts, with the known numbers, have no solution. Errors as for solve.
    std::vector<int> clashing_sources(const Bindings& known) const;

    /// True when some admissible values satisfy all facts; also when a cap leaves it undecided.
    bool has_solution() const;

    const std::vector<std::string>& names() const { return names_; }

private:
    friend class SystemSolver;
    std::vector<std::string> names_;
    std::map<std::string, std::int64_t> least_;
    std::vector<Fact> facts_;
    std::vector<std::vector<std::vector<Fact>>> alternatives_;
};

}  // namespace halogen
