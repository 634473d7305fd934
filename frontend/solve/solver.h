#pragma once
// The rules of docs/notation.md ("Sizes") over a kernel's model. Inside of `solve`; not for others.
//
//   hulls        every access becomes two inequalities in the extents (`Constraint`), by `hull_of`
//   rule 1       indices that stand alone make sizes equal (`SizeClasses`) or equal to a formula (`Equality`)
//   rule 2       what is left open takes the largest value its inequalities admit, a formula of the rest
//   backward     equalities with given numbers are solved for input sizes, each least, by the exact integer `System`
//   guards       what then still depends on open symbols

#include "frontend/formula/bound.h"
#include "frontend/formula/hull.h"
#include "frontend/integers/system.h"
#include "frontend/solve/classes.h"
#include "frontend/solve/model.h"
#include "frontend/solve/refine.h"
#include "frontend/solve/solution.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace halogen {

/// Says why a condition exists, for guards and messages.
struct Reason {
    int equation = -1;
    std::string tensor;
    int dim = -1;
    std::string index;
    std::string text;  // one clause: "X[i + 1] stays inside X"; of a Constraint see reason_of
};

/// slack >= 0.
struct Constraint {
    /// above, below: an access at its last and first position; fixed: a constant place; range: `a:b`; positive: a
    /// divisor; fits: a cast that keeps its value; largest: an extent that rule 2 found; boundary: what a mode of
    /// padding needs.
    enum class Kind { above, below, fixed, range, positive, fits, largest, boundary };
    Kind kind = Kind::above;
    Formula slack;
    Reason why;
    std::string access;      // what the condition is about, as written
    Formula reach;           // the first or last position reached; the extent or divisor itself
    bool satisfied = false;  // holds by construction
    bool is_left = false;
    std::string root = {};     // of `largest`: the class it is about
    const Use* use = nullptr;  // the access, of those that have one
};

/// left == right.
struct Equality {
    Formula left, right;
    Reason why;
    bool done = false;               // used up to define a size
    bool given = false;              // with a number of the caller's
    std::vector<Formula> from = {};  // slacks or positions it comes from, where its sides are resolved already
    std::string about = {};          // of slacks: the access
};

struct IndexModel {
    Formula min, extent;
    bool fixed = false;  // by `in`
    bool reduced = false;
};

/// How a size came to its value, and the formulas, over names, that say so.
struct Derivation {
    enum class How { given, standard, largest, equality, written, least };
    How how = How::given;
    int equation = -1;
    std::vector<Formula> from;  // slacks; the two sides of an equality; last positions
    std::string about;          // the setting; the access; the clause
};

/// `slack >= 0` as `left <= right` without minus signs.
std::pair<Formula, Formula> sides_of(const Formula& slack);

class KernelSolver {
public:
    KernelSolver(const Kernel&, const Settings& known, const std::vector<SizeEquality>& equal = {});
    Solution run();
    /// After `run` has failed: the relations that led there, one line each.
    std::vector<std::string> reasons() const;

private:
    // kernel_rules.cpp: names, settings, rule 1, hulls
    void add_names();
    void apply_settings();
    void set_number(const std::string& name, std::int64_t value, const std::string& setting);
    void apply_equality(const SizeEquality&);
    Formula size_named(const std::string& name) const;
    void apply_index_setting(const std::string& index, std::int64_t value);
    void apply_ranges();
    void pin_indices();
    void pin_index(int equation, const std::string& index);
    void join(const std::string& a, const std::string& b, const Join&);
    bool is_stencil_read(const Use&, int d, const std::string& index) const;
    void add_constraints();
    void add_access_constraints(const Use&, int d, const Box&);
    void check_when_run(const CheckedPlace&);
    void add_boundary_constraints();
    void add_condition(const KernelModel::Condition&);
    void add_constraint(Constraint);
    Box box_of(int equation) const;

    // kernel_extents.cpp: rule 2 and what defines a size
    void open_inputs();
    void open(const std::string& name, SymbolSource source, bool has_source);
    void solve_input_formulas();
    void find_definitions();
    void determine();
    bool use_equalities();
    bool use_definitions();
    bool maximize(const std::string& root, bool even_if_equated);
    void check_given();
    struct Upper {
        std::optional<Formula> value;
        std::vector<int> constraints;
        std::vector<Formula> positive;  // strides that have to be at least 1 for it
        std::vector<int> satisfied;     // those that hold by its choice
        bool waits = false;             // for another size
    };
    Upper upper_bound(const std::string& root) const;
    bool only_grows_with(const Formula& slack, const std::string& root) const;
    bool shares_bound(const std::string& root, const std::vector<int>& constraints) const;
    bool is_eligible(const std::string& root) const;
    bool is_left_extent(const std::string& root, const std::vector<int>& constraints) const;
    bool is_held_by_reads(const std::string& root) const;
    bool is_equated(const std::string& root) const;
    void fail_undetermined();

    // largest.cpp: rule 2 where no formula gives the extent
    std::vector<int> falling_constraints(const std::string& root) const;
    bool only_falls_with(const Constraint&, const std::string& root) const;
    bool search_largest(const std::string& root);
    bool take_from_output(const std::string& root);
    std::optional<std::int64_t> largest_that_fits(const std::string& root, const std::vector<int>& constraints) const;
    void take_largest(const std::string& root, Formula value, const std::vector<int>& constraints,
                      const std::vector<int>& satisfied);

    // kernel_backward.cpp
    void solve_backward();
    bool solve_group(const std::vector<int>& group, const std::set<std::string>& symbols);
    [[noreturn]] void fail_system(const SystemAnswer&, const std::vector<int>& group) const;
    void fit_inputs();
    bool invert(const Equality&);
    bool is_read_at_compound(const std::string& symbol) const;
    void substitute(const std::string& symbol, const Formula& value);

    // kernel_guards.cpp
    void check_or_guard();
    void require_nonnegative();
    void add_guard(Guard);
    void guard_nonnegative(const Formula& slack, const Reason&, const std::vector<Formula>& over = {});
    void guard_equal(const Formula& a, const Formula& b, const Reason&);
    static Reason reason_of(const Constraint&);
    std::string fix_below(const Constraint&, const std::string& dim, std::int64_t missing) const;
    std::string fix_above(const Constraint&, const std::string& dim, std::int64_t missing) const;
    [[noreturn]] void fail_constraint(const Constraint&, std::int64_t slack) const;
    std::vector<Formula> extents_over(const Constraint&) const;
    Formula at_least_both(const Formula& a, const Formula& b) const;
    [[noreturn]] void fail_equality(const Equality&) const;
    Error error_at(ErrorKind, std::string what, int equation, std::string fix) const;
    void minimize_guards();
    void drop_weaker_guards();
    void drop_extents_never_0();

    // kernel_reasons.cpp
    void derive(const std::string& name, Derivation::How, int equation, std::vector<Formula> from,
                const std::string& about);
    std::string text_of(const std::string& root, const Derivation&) const;
    void fail_about(const std::vector<Formula>& slacks, int equation, const std::string& about) const;
    std::string at_place(int equation, const std::string& text) const;
    void add_reason(const std::string& name, std::set<std::string>& seen, std::vector<std::string>& reasons) const;

    // kernel_collisions.cpp
    void check_collisions();
    /// A step of the left side is as wide as the smaller ones reach where `slack` is not negative; of one point there is none.
    struct WideStep {
        Formula slack, extent;
    };
    bool is_injective(int equation, std::vector<WideStep>* needed) const;
    bool points_meet(int equation) const;

    // solve.cpp
    Solution assemble();

    const Kernel& kernel_;
    const Settings& known_;
    const std::vector<SizeEquality> equal_;
    KernelModel model_;
    SizeClasses sizes_;
    LowerBounds bounds_;
    std::vector<std::map<std::string, IndexModel>> indices_;
    std::vector<Constraint> constraints_;
    std::unordered_map<int, std::vector<int>> constraints_of_;  // class -> constraints that mention it
    /// slack >= 0, which may fail though the place lies inside: its bounds are not exact.
    struct Loose {
        Formula slack;
        CheckedPlace place;
    };
    std::vector<Loose> loose_;
    std::vector<CheckedPlace> checked_;
    std::vector<Equality> equalities_;
    LowerBounds maximized_;                     // classes whose value rule 2 found, each at least 1
    std::map<std::string, std::string> given_;  // class -> the setting that gave it a number
    std::set<std::string> input_names_;         // bare in a dim of an input
    std::map<std::string, std::vector<std::pair<Formula, int>>>
        definitions_;  // "X.0" -> last positions written, equation
    std::vector<Formula> positive_;
    std::vector<std::string> symbols_;
    std::map<std::string, SymbolSource> sources_;
    std::vector<Guard> guards_;
    std::map<std::pair<Formula, Formula>, std::vector<std::size_t>> guards_with_;  // these sides: places in guards_
    std::map<std::string, Derivation> derivations_;                                // by class
    mutable std::vector<Formula> failing_;                                         // what a failure is about
    mutable std::string failed_relation_;  // the relation that fails, with its place
};

}  // namespace halogen
