#pragma once
// Random systems of facts over a few unknowns, and all their solutions by plain enumeration. Expressions are the
// tests' own trees with plain arithmetic: what formulas simplify and what the engine does is checked against them.

#include "frontend/integers/system.h"
#include "tests/solve/seed.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace halogen::test {

inline constexpr int most_unknowns = 7;
inline constexpr int largest_value = 7;
using Point = std::array<int, most_unknowns>;

/// An expression of numbers and the unknowns a, b, c, …
class SmallExpression {
public:
    enum class Op { number, unknown, add, multiply, floor_div, remainder, max, min };

    static SmallExpression number(int value) { return leaf(Op::number, value); }
    static SmallExpression unknown(int which) { return leaf(Op::unknown, which); }
    static SmallExpression of(Op, const SmallExpression& left, const SmallExpression& right);

    /// The value at a point; `fails` is set where a divisor is below 1.
    int at(const Point&, bool& fails) const;
    Formula formula(const std::vector<std::string>& names) const;

private:
    struct Node {
        Op op;
        int value, left, right;
    };
    static SmallExpression leaf(Op, int value);
    std::vector<Node> nodes_;  // operands before what is made of them; the whole last
};

struct SmallFact {
    SmallExpression left;
    Relation relation;
    SmallExpression right;
    bool holds(const Point&) const;
    Fact fact(const std::vector<std::string>& names, int source) const;
};

struct SmallSystem {
    int unknowns = 0;
    int largest = largest_value;  // no unknown is more
    std::vector<SmallFact> facts;
    std::vector<SmallFact> either;  // one of them holds, where there are any
    std::array<std::optional<int>, most_unknowns> known;

    /// In the engine's terms; facts and names in the orders given, each fact times its factor.
    struct Spelling {
        std::vector<std::string> names;  // of a, b, c, …
        std::vector<int> name_order, fact_order;
        std::vector<int> factors;
    };
    Spelling plain() const;
    System system(const Spelling&) const;
    System system() const { return system(plain()); }
    Bindings bindings(const Spelling&) const;
    Bindings bindings() const { return bindings(plain()); }
    std::string text() const;
    /// All solutions with values from `low` to `largest`.
    std::vector<Point> enumerate(int low) const;
};

enum class Shape {
    any,     // quotients, remainders, extremes and products
    affine,  // also quotients and remainders by numbers
    linear,
};
/// Over two to four unknowns.
SmallSystem random_system(Dice&, Shape = Shape::any);
/// Over five to seven unknowns, most of them in every fact.
SmallSystem coupled_system(Dice&, Shape = Shape::any);

}  // namespace halogen::test
