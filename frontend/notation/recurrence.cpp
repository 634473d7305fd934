// The recurrence rule: an equation may read, of the tensor it defines, the element it writes, and otherwise only
// elements strictly earlier along one index. Decided on the text: differences of places as linear forms, whose least
// values follow from `in` ranges and from the `where` predicates.

#include "frontend/notation/check.h"

#include "frontend/notation/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace halogen {
namespace {

/// constant + sum of coefficient * atom. An atom is an index, a size, or any other term by its text (`T*y`, `i/2`).
struct Linear {
    std::int64_t constant = 0;
    std::map<std::string, std::pair<std::int64_t, Expr>> terms;
};

/// Small enough that no sum or product of a few forms overflows; larger ones are treated as undecidable.
constexpr std::int64_t cap = std::int64_t{1} << 30;
bool is_small(std::int64_t n) { return n > -cap && n < cap; }

std::optional<Linear> add(Linear a, const Linear& b, std::int64_t factor) {
    if (!is_small(factor)) return std::nullopt;
    a.constant += factor * b.constant;
    if (!is_small(a.constant)) return std::nullopt;
    for (const auto& [name, term] : b.terms) {
        auto& [coefficient, atom] = a.terms[name];
        coefficient += factor * term.first;
        atom = term.second;
        if (!is_small(coefficient)) return std::nullopt;
        if (coefficient == 0) a.terms.erase(name);
    }
    return a;
}

std::optional<Linear> linear(const Expr& e) {
    if (auto* n = e.as<IntegerLiteral>()) {
        if (!is_small(n->value)) return std::nullopt;
        return Linear{n->value, {}};
    }
    if (auto* u = e.as<Unary>()) {
        const auto inner = linear(*u->value);
        if (!inner) return std::nullopt;
        return add({}, *inner, -1);
    }
    if (auto* b = e.as<Binary>(); b && b->op <= BinaryOp::mul) {
        const auto left = linear(*b->left), right = linear(*b->right);
        if (!left || !right) return std::nullopt;
        if (b->op != BinaryOp::mul) return add(*left, *right, b->op == BinaryOp::add ? 1 : -1);
        if (left->terms.empty()) return add({}, *right, left->constant);
        if (right->terms.empty()) return add({}, *left, right->constant);
    }
    Linear atom;
    atom.terms[print(e)] = {1, e};
    return atom;
}

std::optional<Linear> difference(const Expr& a, const Expr& b) {
    const auto left = linear(a), right = linear(b);
    if (!left || !right) return std::nullopt;
    return add(*left, *right, -1);
}

class Recurrence {
public:
    explicit Recurrence(const Equation& eq) : eq_(eq) {
        for (const InRange* range : ranges_of(eq)) add_range(*range);
        for (const Expr* predicate : predicates_of(eq)) add_facts(*predicate);
    }

    /// The reads of the defined tensor at another element than the written one.
    std::vector<const Access*> other_reads() const {
        std::vector<const Access*> found;
        each_self_read(eq_, [&](const Access& read) {
            if (!is_same(read)) found.push_back(&read);
        });
        return found;
    }

    /// Finds indices to run in order, outermost first: no read may be later along the first, those equal there are
    /// settled by the next, and so on. Reads that no choice settles stay in `reads`.
    std::vector<std::string> order(std::vector<const Access*>& reads) const {
        std::vector<std::string> chosen;
        std::vector<bool> used(eq_.left.at.size(), false);
        for (bool progress = true; progress && !reads.empty();) {
            progress = false;
            for (std::size_t d = 0; d < used.size() && !progress; ++d) {
                const auto sign = direction(d);
                if (used[d] || !sign) continue;
                const bool never_later =
                    std::all_of(reads.begin(), reads.end(), [&](auto* r) { return earlier_by(*r, d, *sign, 0); });
                const auto settled = [&](auto* r) { return earlier_by(*r, d, *sign, 1); };
                if (!never_later || std::none_of(reads.begin(), reads.end(), settled)) continue;
                std::erase_if(reads, settled);
                used[d] = progress = true;
                if (const std::string name = index_of(d); !name.empty()) chosen.push_back(name);
            }
        }
        // `Y[i - D]` with a size D reads earlier, or, where D is 0, the element itself: nothing else is needed of it.
        std::erase_if(reads, [&](const Access* r) { return only_by_sizes(*r, chosen); });
        return chosen;
    }

private:
    bool is_same(const Access& read) const {
        for (std::size_t d = 0; d < read.at.size(); ++d) {
            const auto gap = difference(eq_.left.at[d], read.at[d]);
            if (read.at[d] == eq_.left.at[d]) continue;
            if (!gap || gap->constant != 0 || !gap->terms.empty()) return false;
        }
        return true;
    }

    bool only_by_sizes(const Access& read, std::vector<std::string>& chosen) const {
        std::optional<std::size_t> moved;
        for (std::size_t d = 0; d < read.at.size(); ++d) {
            const auto gap = difference(eq_.left.at[d], read.at[d]);
            if (!gap) return false;
            if (gap->constant == 0 && gap->terms.empty()) continue;
            if (moved) return false;
            moved = d;
        }
        const auto sign = moved ? direction(*moved) : std::nullopt;
        if (!sign || !earlier_by(read, *moved, *sign, 0)) return false;
        const std::string name = index_of(*moved);
        if (chosen.empty() && !name.empty()) chosen.push_back(name);
        return chosen.size() == 1 && chosen[0] == name;
    }

    /// The one index of left dim `d` ("" when it holds none).
    std::string index_of(std::size_t d) const {
        std::string name;
        walk(eq_.left.at[d], [&](const Expr& node) {
            if (auto* index = node.as<IndexRef>()) name = index->name;
        });
        return name;
    }

    /// +1 when left dim `d` grows with its one index, -1 when it falls, nothing when it holds several or data.
    std::optional<int> direction(std::size_t d) const {
        const auto place = linear(eq_.left.at[d]);
        if (!place) return std::nullopt;
        int sign = 0;
        for (const auto& [name, term] : place->terms) {
            if (term.second.as<SizeRef>()) continue;
            if (!term.second.as<IndexRef>() || sign != 0) return std::nullopt;
            sign = term.first > 0 ? 1 : -1;
        }
        return sign == 0 ? 1 : sign;
    }

    bool earlier_by(const Access& read, std::size_t d, int sign, std::int64_t least) const {
        const auto gap = sign > 0 ? difference(eq_.left.at[d], read.at[d]) : difference(read.at[d], eq_.left.at[d]);
        if (!gap) return false;
        if (at_least(*gap, least)) return true;
        return std::any_of(facts_.begin(), facts_.end(), [&](const Linear& fact) {
            const auto rest = add(*gap, fact, -1);
            return rest && at_least(*rest, least);
        });
    }

    /// True when the form is surely `least` or more.
    bool at_least(const Linear& form, std::int64_t least) const {
        std::int64_t sum = form.constant;
        for (const auto& [name, term] : form.terms) {
            const auto& [coefficient, atom] = term;
            if (coefficient < 0) return false;
            if (auto* index = atom.as<IndexRef>()) {
                const auto begin = begins_.find(index->name);
                if (begin != begins_.end()) {
                    if (!begin->second) return false;
                    sum += coefficient * *begin->second;
                }
            } else if (!is_never_negative(atom)) {
                return false;
            }
        }
        return sum >= least;
    }

    bool is_never_negative(const Expr& e) const {
        if (e.as<SizeRef>()) return true;
        if (auto* n = e.as<IntegerLiteral>()) return n->value >= 0;
        if (auto* index = e.as<IndexRef>()) {
            const auto begin = begins_.find(index->name);
            return begin == begins_.end() || (begin->second && *begin->second >= 0);
        }
        auto* b = e.as<Binary>();
        return b && b->op <= BinaryOp::mod && b->op != BinaryOp::sub && is_never_negative(*b->left) &&
               is_never_negative(*b->right);
    }

    /// Where an index begins: 0 unless `in` says otherwise; nothing when that is no number and may be negative.
    void add_range(const InRange& range) {
        const auto begin = linear(range.begin);
        if (begin && begin->terms.empty())
            begins_[range.index] = begin->constant;
        else if (is_never_negative(range.begin))
            begins_[range.index] = 0;
        else
            begins_[range.index] = std::nullopt;
        if (begin) {  // index - begin >= 0
            Linear index;
            index.terms[range.index] = {1, Expr(ExprNode{IndexRef{range.index}})};
            if (auto fact = add(index, *begin, -1)) facts_.push_back(*fact);
        }
    }

    void add_fact(const Expr& greater, const Expr& smaller, std::int64_t by) {
        auto gap = difference(greater, smaller);
        if (!gap) return;
        gap->constant -= by;
        facts_.push_back(*gap);
    }

    /// Forms that are 0 or more wherever the predicate holds.
    void add_facts(const Expr& predicate) {
        auto* b = predicate.as<Binary>();
        if (!b) return;
        switch (b->op) {
        case BinaryOp::logical_and: return add_facts(*b->left), add_facts(*b->right);
        case BinaryOp::lt: return add_fact(*b->right, *b->left, 1);
        case BinaryOp::le: return add_fact(*b->right, *b->left, 0);
        case BinaryOp::gt: return add_fact(*b->left, *b->right, 1);
        case BinaryOp::ge: return add_fact(*b->left, *b->right, 0);
        case BinaryOp::eq: return add_fact(*b->left, *b->right, 0), add_fact(*b->right, *b->left, 0);
        default: return;
        }
    }

    const Equation& eq_;
    std::vector<Linear> facts_;                                  // each is 0 or more at every point of the equation
    std::map<std::string, std::optional<std::int64_t>> begins_;  // least values of indices that have a range
};

}  // namespace

void check_recurrences(const Kernel& kernel) {
    for (const Equation& eq : kernel.equations) {
        const Recurrence recurrence(eq);
        auto reads = recurrence.other_reads();
        recurrence.order(reads);
        if (reads.empty()) continue;
        fail_in(eq, ErrorKind::name,
                fmt::format("`{}` is read while `{}` is written, and is not strictly earlier along one index",
                            brief(Expr(ExprNode{*reads[0]})), brief(Expr(ExprNode{eq.left}))),
                reads[0]->position,
                "read the element that is written, or an earlier one such as `i - 1` for `i`; or write to a tensor of "
                "another name");
    }
}

std::vector<std::string> recurrence_order(const Kernel&, const Equation& equation) {
    const Recurrence recurrence(equation);
    auto reads = recurrence.other_reads();
    return recurrence.order(reads);
}

}  // namespace halogen
