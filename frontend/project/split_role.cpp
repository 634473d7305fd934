#include "frontend/project/split_role.h"

#include "frontend/formula/hull.h"
#include "frontend/formula/linear_part.h"
#include "frontend/notation/parts.h"
#include "frontend/project/projection.h"
#include "frontend/solve/place.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

bool holds_index(const Expr& e, const std::string& index) {
    bool found = false;
    walk(e, [&](const Expr& node) {
        const auto* ref = node.as<IndexRef>();
        found = found || (ref && ref->name == index);
    });
    return found;
}

class Roles {
public:
    Roles(const Kernel& kernel, const Solution& s, int equation, const std::string& index)
        : kernel_(kernel), solution_(s), number_(equation), equation_(kernel.equations[equation]), index_(index) {}

    SplitRole role() const {
        int alone = -1, within = -1;
        for (int d = 0; d < static_cast<int>(equation_.left.at.size()); ++d) {
            const Expr& place = equation_.left.at[d];
            if (bare_index(place) == index_) alone = alone < 0 ? d : alone;
            if (!bare_index(place) && holds_index(place, index_)) within = within < 0 ? d : within;
        }
        if (const auto needed = read_of_another_element(alone >= 0 ? alone : within)) return *needed;
        if (alone >= 0) return {SplitRole::Kind::independent, alone, Op::assign, ""};
        if (within >= 0 && is_apart(within)) return {SplitRole::Kind::independent, within, Op::assign, ""};
        if (equation_.op == Op::assign)
            return ordered(fmt::format("shards of `{}` would write the same places of `{}`", index_, left_text()));
        if (reads_itself(equation_))
            return ordered(fmt::format("`{}` reads what it adds to, so `{}` runs in order", left_text(), index_));
        return {SplitRole::Kind::partial, -1, equation_.op, ""};
    }

private:
    static SplitRole ordered(std::string reason) {
        return {SplitRole::Kind::ordered, -1, Op::assign, std::move(reason)};
    }
    std::string left_text() const { return print(Expr(ExprNode{equation_.left})); }

    /// A recurrence along the index, or across the dim that it cuts.
    std::optional<SplitRole> read_of_another_element(int dim) const {
        std::optional<SplitRole> role;
        const auto order = recurrence_order(kernel_, equation_);
        const bool along = std::find(order.begin(), order.end(), index_) != order.end();
        each_self_read(equation_, [&](const Access& read) {
            const bool other = dim >= 0 && !(read.at[dim] == equation_.left.at[dim]);
            if (role || (!other && !along)) return;
            role = ordered(fmt::format("`{}` needs `{}`, so `{}` runs in order", left_text(),
                                       print(Expr(ExprNode{read})), index_));
        });
        return role;
    }

    /// The places of neighbouring values of the index lie further apart than what the other indices reach: `2*x + k` with k below 2.
    bool is_apart(int d) const {
        const auto place = solved_formula(equation_.left.at[d], solution_);
        if (!place) return false;
        const LowerBounds bounds = lower_bounds(kernel_, solution_);
        const auto part = linear_part(*place, index_);
        if (!part) return false;
        const Hull rest = hull_of(part->rest, box_of(solution_, number_), bounds);
        const bool forward = is_nonnegative(part->factor - rest.extent(), bounds);
        const bool fixed =
            !part->factor.symbols().contains(index_) &&
            std::none_of(solution_.indices[number_].begin(), solution_.indices[number_].end(),
                         [&](const auto& entry) { return part->factor.symbols().contains(entry.first); });
        return fixed && forward && is_nonnegative(part->factor - Formula(1), bounds);
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const int number_;
    const Equation& equation_;
    const std::string& index_;
};

}  // namespace

SplitRole role_of(const Kernel& kernel, const Solution& s, int equation, const std::string& index) {
    return Roles(kernel, s, equation, index).role();
}

std::string combining(Op op) {
    const std::string text = to_string(op);
    return text.substr(0, text.size() - 1);
}

std::string print(const SplitRole& role, const Equation& equation) {
    switch (role.kind) {
    case SplitRole::Kind::independent: return fmt::format("independent (dim {} of {})", role.dim, equation.left.tensor);
    case SplitRole::Kind::partial: return "partial results, combined by " + combining(role.combine);
    default: return "not: " + role.reason;
    }
}

}  // namespace halogen
