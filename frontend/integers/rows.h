#pragma once
// One conjunction of facts about integers (or, for the question whether it fails over the reals already, rationals):
// rows lo <= polynomial <= hi. Equalities are eliminated by substitution (over the integers in Hermite fashion: a new
// unknown stands for a lattice direction), bounds are propagated and rounded to what is attainable.

#include "frontend/integers/poly.h"

#include <map>
#include <set>
#include <vector>

namespace halogen {

class Rows {
public:
    Rows(int unknowns, bool over_integers)
        : over_integers_(over_integers),
          bounds_(unknowns),
          occurs_(unknowns),
          eliminated_(unknowns),
          substituted_(unknowns, -1) {}

    bool over_integers() const { return over_integers_; }
    int unknowns() const { return static_cast<int>(bounds_.size()); }
    void add(const Poly& p, Range range);
    void add_equal(const Poly& p) { add(p, {Rational(0), Rational(0)}); }
    void add_nonnegative(const Poly& p) { add(p, {Rational(0), std::nullopt}); }

    /// Eliminates and propagates until nothing changes; false when there is no solution.
    bool settle();
    /// False when propagation was cut short, so that bounds may be loose.
    bool is_stable() const { return stable_; }

    struct Row {
        Poly p;  // no constant, coprime coefficients, the first one positive
        Range range;
        bool alive = true;
    };
    const std::vector<Row>& rows() const { return rows_; }
    const Range& bounds(int x) const { return bounds_[x]; }
    bool is_eliminated(int x) const { return eliminated_[x]; }
    /// What `p` is in terms of unknowns that are not eliminated, times the positive `denominator`.
    Poly reduced(Poly p, Wide& denominator) const;
    /// All values of `p` as far as bounds tell.
    Range values(const Poly& p) const;

private:
    void solve_equality(int row);
    void eliminate(int x, const Poly& value, Wide denominator);
    void fix_points();
    void propagate();
    void propagate_row(int row);
    /// An unknown that is not 0 and stands in every term of `p`; -1 when there is none.
    int common_factor(const Poly& p) const;
    void tighten(int x, Range);
    Range product_values(const Product&) const;
    void tighten_product(const Product&, const Range&);
    bool is_implied(const Row&) const;

    struct Substitution {
        int unknown;
        Poly value;
        Wide denominator;
    };
    bool over_integers_;
    bool impossible_ = false;
    bool stable_ = true;
    std::vector<Row> rows_;
    std::map<std::vector<std::pair<Product, Wide>>, int> row_of_;
    std::vector<Range> bounds_;
    std::vector<std::vector<int>> occurs_;  // rows that hold, or once held, an unknown
    std::vector<bool> eliminated_;
    std::vector<Substitution> substitutions_;
    std::vector<int> substituted_;  // per unknown: where in substitutions_, or -1
    std::vector<int> equalities_;   // rows to solve
    std::vector<int> fixed_;        // unknowns with one value
    std::set<int> touched_;         // rows to propagate
};

}  // namespace halogen
