#pragma once
// The sizes of a kernel while they are solved: a value that each pass takes and gives, with more of it known.
// For example, `pin_indices` gives sizes in which those that one index spans are one class.

#include "frontend/formula/hull.h"
#include "frontend/formula/sign.h"
#include "frontend/solve/classes.h"
#include "frontend/solve/model.h"
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
    std::string text;           // one clause: "X[i + 1] stays inside X"; of a Constraint see reason_of
    bool is_condition = false;  // of the kernel; `text` is it, as written
};

/// slack >= 0.
struct Constraint {
    /// above, below: an access at its last and first position; fixed: a constant place; range: `a:b`; positive: a
    /// divisor; fits: a cast that keeps its value; largest: an extent that rule 2 found; boundary: what a mode of
    /// padding needs; condition: what the kernel asks for.
    enum class Kind { above, below, fixed, range, positive, fits, largest, boundary, condition };
    Kind kind = Kind::above;
    Formula slack;
    Reason why;
    std::string access;      // what the condition is about, as written
    Formula reach;           // the first or last position reached; the extent or divisor itself
    bool satisfied = false;  // holds by construction
    bool is_left = false;
    std::string root = {};     // of `largest`: the class it is about
    const Use* use = nullptr;  // the access, of those that have one
    bool is_strict = false;    // to hold though nothing is accessed, for rule 2 finds an extent by it

    /// Says that an access stays inside its tensor.
    bool is_access() const { return kind == Kind::above || kind == Kind::below || kind == Kind::fixed; }
    /// Of an access whose place moves with an index.
    bool moves() const { return kind == Kind::above || kind == Kind::below; }
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

/// The values of an index: min, min + 1, …, min + extent - 1.
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

/// A place whose bounds are not exact: where `slack` may be negative it is looked at when the kernel runs.
struct LoosePlace {
    Formula slack;
    CheckedPlace place;
};

/// A last position that an equation writes in a dim that nothing else defines.
struct LastPlace {
    Formula position;
    int equation;
};

/// What the passes know of a kernel's sizes. The model, and so the kernel, must outlive it. A pass takes sizes that nobody else
/// holds and gives them on, changed in place: to move them at each pass was a quarter of the time of a small kernel. Never assign
/// what it gives to what it took.
struct Sizes {
    explicit Sizes(const KernelModel& m) : model(&m), indices(m.kernel.equations.size()) {}

    const KernelModel* model;
    SizeClasses classes;
    LowerBounds bounds;
    std::vector<std::map<std::string, IndexModel>> indices;  // by equation
    std::vector<Constraint> constraints;
    std::unordered_map<int, std::vector<int>> constraints_of;  // class -> constraints that mention it
    std::vector<LoosePlace> loose;
    std::vector<CheckedPlace> checked;
    std::set<int> may_meet;  // see Solution
    std::vector<Equality> equalities;
    LowerBounds maximized;                                      // classes whose value rule 2 found, each at least 1
    std::map<std::string, std::string> given;                   // class -> the setting that gave it a number
    std::set<std::string> input_names;                          // bare in a dim of an input
    std::map<std::string, std::vector<LastPlace>> definitions;  // of dims ("X.0")
    std::vector<Formula> positive;                              // strides and divisors
    std::vector<std::string> symbols;                           // of open sizes
    std::map<std::string, SymbolSource> sources;
    std::vector<Guard> guards;
    std::map<std::string, Derivation> derivations;  // by class

    const Kernel& kernel() const { return model->kernel; }
    Formula resolve(const Formula& f) const { return classes.resolve(f); }
};

/// The first and last value of each index of an equation.
Box box_of(const Sizes&, int equation);
void add_constraint(Sizes&, Constraint);
/// The class of `name` stays a symbol, which `source` gives.
void open_size(Sizes&, const std::string& name);
void open_size(Sizes&, const std::string& name, SymbolSource source);
/// The dim of an output whose extent is the class; nothing where there is none.
std::optional<SymbolSource> output_with(const Sizes&, const std::string& root);
/// Notes how the class of `name` came to its value, unless that is known.
void derive(Sizes&, const std::string& name, Derivation::How, int equation, std::vector<Formula> from,
            const std::string& about);
/// Puts `value` in place of an open size.
void substitute(Sizes&, const std::string& symbol, const Formula& value);
/// True for a dim of an input that is read at compound places: rule 3 chooses the least that will do. Windows and
/// parameters are not chosen.
bool is_chosen(const Sizes&, const std::string& symbol);
/// True for a class that is open: neither an input's bare dim nor a parameter. Rule 2 may take the largest extent.
bool is_eligible(const Sizes&, const std::string& root);

}  // namespace halogen
