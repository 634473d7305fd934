#include "frontend/integers/least.h"

#include "frontend/integers/simplex.h"

#include <array>

namespace halogen {

namespace {

constexpr int most_cuts_in_a_row = 100;
constexpr int most_values = 200;  // of a form, tried one by one

/// Cuts that lead nowhere: the rows hold no end of it.
struct TooDeep {};

/// Rows and bounds of the unknowns that are left, numbered anew.
struct Program {
    std::vector<int> unknowns, number;  // the unknown of each number, the number of each unknown
    std::vector<Inequality> rows;
    std::vector<Wide> form;
};

Program program_of(const Rows& rows, const Poly& form) {
    Program p;
    auto& number = p.number;
    number.assign(rows.unknowns(), -1);
    const auto number_all = [&](const Poly& q) {
        for (const auto& [m, c] : q.terms) {
            if (number[m[0]] >= 0) continue;
            number[m[0]] = static_cast<int>(p.unknowns.size());
            p.unknowns.push_back(m[0]);
        }
    };
    for (const auto& row : rows.rows()) {
        if (row.alive) number_all(row.p);
    }
    number_all(form);
    const auto factors_of = [&](const Poly& q) {
        std::vector<Wide> factors(p.unknowns.size());
        for (const auto& [m, c] : q.terms) factors[number[m[0]]] = c;
        return factors;
    };
    const auto add = [&](std::vector<Wide> factors, const Range& range) {
        if (range.lo) {
            std::vector<Wide> scaled = factors;
            for (Wide& f : scaled) f = multiply(f, range.lo->den);
            p.rows.push_back({std::move(scaled), -range.lo->num});
        }
        if (range.hi) {
            for (Wide& f : factors) f = multiply(-f, range.hi->den);
            p.rows.push_back({std::move(factors), range.hi->num});
        }
    };
    for (const int x : p.unknowns) add(factors_of(Poly::unknown(x)), rows.bounds(x));
    for (const auto& row : rows.rows()) {
        if (row.alive) add(factors_of(row.p), row.range);
    }
    p.form = factors_of(form);
    return p;
}

/// How one-sided forms are cut: next to the point, or by the end they have first.
enum class Cuts { at_the_point, at_the_end };

class Search {
public:
    Search(const Poly& form, Cuts cuts, Budget& budget) : form_(form), cuts_(cuts), budget_(budget) {}

    Least run(const Rows& rows) {
        visit(rows, 0);
        return best_;
    }

private:
    /// Looks for values below the best one.
    void visit(Rows rows, int cuts) {
        budget_.spend();
        if (is_done() || !rows.settle()) return;
        if (cuts > most_cuts_in_a_row) throw TooDeep();
        Wide denominator = 1;
        const Poly form = rows.reduced(form_, denominator);
        const Program program = program_of(rows, form);
        const Optimum optimum = minimize(program.rows, program.form, budget_);
        if (optimum.kind == Optimum::Kind::no_point) return;
        if (optimum.kind == Optimum::Kind::unbounded) return visit_unbounded(rows);
        Rational value = Rational(1, denominator) * (optimum.value + Rational(form.constant));
        if (rows.over_integers()) value = Rational(value.ceil());
        if (best_.kind == Least::Kind::attained && best_.value <= value) return;
        const auto cut = rows.over_integers() ? cut_of(rows, program, optimum.point) : std::nullopt;
        if (!cut) {
            best_ = {Least::Kind::attained, value};
            return;
        }
        for (const Range& part : parts_of(*cut)) {
            Rows half = rows;
            half.add(cut->p, part);
            visit(std::move(half), cuts + 1);
        }
    }

    /// A form without a bound over the rationals has none over the integers either, if there are integers at all.
    void visit_unbounded(const Rows& rows) {
        if (rows.over_integers() && least_of(rows, {}, budget_).kind == Least::Kind::no_solution) return;
        best_ = {Least::Kind::unbounded, {}};
    }

    bool is_done() const {
        return best_.kind == Least::Kind::unbounded || (best_.kind == Least::Kind::attained && form_.terms.empty());
    }

    /// A form that is no integer at the point.
    struct Cut {
        Poly p;
        Rational at;
        Range range;
    };

    /// What lies on both sides of the cut, the likelier first.
    std::array<Range, 2> parts_of(const Cut& cut) const {
        const Rational one(1);
        const Range &r = cut.range, below{std::nullopt, Rational(cut.at.floor())},
                    above{Rational(cut.at.ceil()), std::nullopt};
        if (cuts_ == Cuts::at_the_end && r.lo.has_value() != r.hi.has_value()) {
            if (r.lo) return {Range{r.lo, r.lo}, Range{*r.lo + one, std::nullopt}};
            return {Range{r.hi, r.hi}, Range{std::nullopt, *r.hi - one}};
        }
        return cut.at - *below.hi <= *above.lo - cut.at ? std::array{below, above} : std::array{above, below};
    }

    /// Of unknowns and rows, what has both ends before what has one: a cut between ends leaves less on both sides.
    static std::optional<Cut> cut_of(const Rows& rows, const Program& program, const std::vector<Rational>& point) {
        std::optional<Cut> best;
        int most_ends = -1;
        const auto consider = [&](const Poly& p, const Range& range) {
            const int ends = (range.lo ? 1 : 0) + (range.hi ? 1 : 0);
            if (ends <= most_ends) return;
            Rational at;
            for (const auto& [m, c] : p.terms) at = at + Rational(c) * point[program.number[m[0]]];
            if (at.is_integer()) return;
            best = Cut{p, at, range};
            most_ends = ends;
        };
        for (const int x : program.unknowns) consider(Poly::unknown(x), rows.bounds(x));
        for (const auto& row : rows.rows()) {
            if (row.alive) consider(row.p, row.range);
        }
        return best;
    }

    const Poly form_;
    const Cuts cuts_;
    Budget& budget_;
    Least best_;
};

}  // namespace

namespace {

bool is_solvable(const Rows& rows, Budget& budget) {
    return least_of(rows, {}, budget).kind != Least::Kind::no_solution;
}

/// Tries the values of the form one by one, from the least one over the rationals.
Least least_by_values(const Rows& rows, const Poly& form, Budget& budget) {
    Rows settled = rows;
    if (!settled.settle()) return {};
    Wide denominator = 1;
    const Poly reduced = settled.reduced(form, denominator);
    const Program program = program_of(settled, reduced);
    const Optimum optimum = minimize(program.rows, program.form, budget);
    if (optimum.kind != Optimum::Kind::attained || denominator != 1) fail_coupled();
    const Wide first = add(optimum.value.ceil(), reduced.constant);
    for (int i = 0; i < most_values; ++i) {
        const Rational value(first + i);
        Rows pinned = rows;
        pinned.add(form, {value, value});
        if (is_solvable(pinned, budget)) return {Least::Kind::attained, value};
    }
    fail_coupled();
}

}  // namespace

Least least_of(const Rows& rows, const Poly& form, Budget& budget) try {
    try {
        return Search(form, Cuts::at_the_point, budget).run(rows);
    } catch (const TooDeep&) {
        if (!form.terms.empty()) return least_by_values(rows, form, budget);
    }
    try {
        return Search(form, Cuts::at_the_end, budget).run(rows);
    } catch (const TooDeep&) {
        fail_coupled();
    }
} catch (const Failure& failure) {
    if (failure.error().kind == ErrorKind::overflow) fail_coupled();
    throw;
}

}  // namespace halogen
