#include "frontend/solve/implied.h"

#include "frontend/base/checked.h"
#include "frontend/formula/sign.h"
#include "frontend/integers/least.h"

#include <algorithm>
#include <map>

namespace halogen {

namespace {

constexpr std::size_t most_facts = 60, most_columns = 24;
constexpr long most_steps = 2000;

/// Facts as inequalities over columns, one for each product of atoms that stands in them. What an atom means is stated
/// by inequalities of its own: b*q <= a <= b*q + b - 1 for q = floor(a/b), and so on.
class Table {
public:
    void add(const Formula& slack) {
        if (slack.is_constant() && *slack.constant() >= 0) return;
        rows_.push_back(slack);
        for (const auto& [m, c] : slack.terms()) add_column(m);
    }

    /// Whether the rows leave no solution in integers.
    bool is_empty() {
        describe_columns();
        if (columns_.size() > 2 * most_columns) return false;
        Rows rows(static_cast<int>(columns_.size()), true);
        for (const Formula& row : rows_) rows.add_nonnegative(poly(row));
        try {
            Budget budget(most_steps);
            return least_of(rows, {}, budget).kind == Least::Kind::no_solution;
        } catch (const Failure&) {
            return false;
        }
    }

private:
    Poly poly(const Formula& f) const {
        Poly sum;
        for (const auto& [m, c] : f.terms())
            sum = sum + (m.empty() ? Poly::number(c) : Wide(c) * Poly::unknown(columns_.at(Formula::term(m, 1))));
        return sum;
    }

    void add_column(const Formula::Monomial& m) {
        if (m.empty()) return;
        const Formula product = Formula::term(m, 1);
        if (columns_.try_emplace(product, static_cast<int>(columns_.size())).second) products_.push_back(m);
    }

    /// States what is known of each column not yet described; that may make further ones.
    void describe_columns() {
        while (done_ < products_.size() && rows_.size() < most_facts && columns_.size() < most_columns) {
            const Formula::Monomial m = products_[done_++];
            if (m.size() > 1)
                describe_product(m);
            else
                describe_atom(m[0]);
        }
    }

    void describe_atom(const Formula::AtomRef& of) {
        using Kind = Formula::Atom::Kind;
        const Formula::Atom& atom = *of;
        const Formula self(of);
        switch (atom.kind) {
        case Kind::symbol: add(self); break;
        case Kind::floor_div:
            add(atom.a - atom.b * self);
            add(atom.b * self + atom.b - Formula(1) - atom.a);
            if (is_nonnegative(atom.a)) add(self);
            break;
        case Kind::remainder: {
            add(self);
            add(atom.b - Formula(1) - self);
            const Formula quotient = floor_div(atom.a, atom.b);
            add(atom.a - atom.b * quotient - self);
            add(self + atom.b * quotient - atom.a);
            break;
        }
        case Kind::min:
            add(atom.a - self);
            add(atom.b - self);
            break;
        case Kind::max:
            add(self - atom.a);
            add(self - atom.b);
            break;
        }
    }

    /// (x - 1)*(rest - 1) >= 0 and the like, for factors that are at least 0, or 1 where a row says so.
    void describe_product(const Formula::Monomial& m) {
        Formula::Monomial::Atoms rest;
        for (std::size_t i = 1; i < m.size(); ++i) rest.push_back(m[i]);
        const Formula x(m[0]), y = Formula::term(rest, 1);
        const Formula at_least_x = least(x), at_least_y = least(y);
        if (!is_known_nonnegative(x) || !is_known_nonnegative(y)) return;
        add((x - at_least_x) * (y - at_least_y));
    }

    bool is_known_nonnegative(const Formula& f) const {
        return is_nonnegative(f) ||
               std::any_of(rows_.begin(), rows_.end(), [&](const Formula& row) { return is_nonnegative(f - row); });
    }

    /// 1 where a row says f >= 1, else 0.
    Formula least(const Formula& f) const {
        const bool positive = std::any_of(rows_.begin(), rows_.end(),
                                          [&](const Formula& row) { return is_nonnegative(f - Formula(1) - row); });
        return positive ? 1 : 0;
    }

    std::vector<Formula> rows_;
    std::map<Formula, int> columns_;
    std::vector<Formula::Monomial> products_;
    std::size_t done_ = 0;
};

/// Rows times the atoms they are multiplied by in what has to be shown: T*(OH - 1) needs OH - 1 >= 0 times T.
std::vector<Formula> multiplied(const std::vector<Formula>& facts, const Formula& goal) {
    std::vector<Formula> factors;
    for (const auto& [m, c] : goal.terms()) {
        if (m.size() < 2) continue;
        for (const auto& atom : m) {
            const Formula f(atom);
            if (is_nonnegative(f) && std::find(factors.begin(), factors.end(), f) == factors.end())
                factors.push_back(f);
        }
    }
    std::vector<Formula> all = facts;
    for (const Formula& f : factors) {
        for (const Formula& fact : facts) {
            if (factors.size() * facts.size() <= most_facts) all.push_back(f * fact);
        }
    }
    return all;
}

}  // namespace

void Facts::add(const Guard& g) {
    const auto may_be_0 = [&](const Formula& extent) { return !imply_at_once(extent - Formula(1)); };
    if (std::any_of(g.over.begin(), g.over.end(), may_be_0)) return;
    if (g.relation == Relation::divides) {
        const Formula r = remainder(g.right, g.left);
        add_nonnegative(-r);
        add_nonnegative(g.right - g.left * floor_div(g.right, g.left));
        add_nonnegative(g.left * floor_div(g.right, g.left) - g.right);
        return;
    }
    add_nonnegative(g.right - g.left);
    if (g.relation == Relation::equal) add_nonnegative(g.left - g.right);
}

bool Facts::imply_at_once(const Formula& slack) const {
    return is_nonnegative(slack) || std::any_of(nonnegative_.begin(), nonnegative_.end(),
                                                [&](const Formula& fact) { return is_nonnegative(slack - fact); });
}

bool Facts::imply_nonnegative(const Formula& slack) const {
    if (imply_at_once(slack)) return true;
    try {
        for (const bool products : {false, true}) {
            Table table;
            for (const Formula& f : products ? multiplied(nonnegative_, slack) : nonnegative_) table.add(f);
            table.add(-slack - Formula(1));
            if (table.is_empty()) return true;
        }
    } catch (const Failure&) {
        return false;  // past 64 bits
    }
    return false;
}

}  // namespace halogen
