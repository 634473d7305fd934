#include "frontend/solve/conditions.h"

#include "frontend/base/checked.h"
#include "frontend/formula/linear_part.h"
#include "frontend/solve/settings.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace halogen {

namespace {

Reason reason_of(const SizeCondition& condition) { return {-1, "", -1, "", condition.text, true}; }

/// Not negative exactly where the relation holds.
Formula slack_of(const KernelModel::ConditionModel& c) {
    Formula more = c.right - c.left;
    switch (c.relation) {
    case BinaryOp::lt: return more - Formula(1);
    case BinaryOp::le: return more;
    case BinaryOp::gt: return -more - Formula(1);
    case BinaryOp::ge: return -more;
    default: return max(more, -more) - Formula(1);  // !=
    }
}

/// 2*R - 3 >= 0 says that R is at least 2.
void raise_bound(Sizes& s, const Formula& slack) {
    const std::set<std::string> names = slack.symbols();
    if (names.size() != 1) return;
    const auto part = linear_part(slack, *names.begin());
    const auto factor = part ? part->factor.constant() : std::nullopt,
               rest = part ? part->rest.constant() : std::nullopt;
    if (!factor || !rest || *factor <= 0) return;
    auto& bound = s.bounds[*names.begin()];
    bound = std::max(bound, narrow(-floor_div(Wide{*rest}, Wide{*factor})));
}

}  // namespace

Sizes&& equate_conditions(Sizes&& s) {
    for (const auto& [number, value] : s.model->size_lets) {
        const Let& let = s.kernel().lets[number];
        s.equalities.push_back({Formula::symbol(let.name), value, {-1, "", -1, "", let.text}});
    }
    for (std::size_t i = 0; i < s.model->kernel_conditions.size(); ++i) {
        const auto& c = s.model->kernel_conditions[i];
        if (c.relation != BinaryOp::eq) continue;
        const SizeCondition& written = s.kernel().conditions[i];
        const auto x = c.left.as_symbol(), y = c.right.as_symbol();
        if (x && y)
            join(s, *x, *y, {-1, "", *x, *y, written.text});
        else
            s.equalities.push_back({c.left, c.right, reason_of(written)});
    }
    return std::move(s);
}

Sizes&& require_conditions(Sizes&& s) {
    for (std::size_t i = 0; i < s.model->kernel_conditions.size(); ++i) {
        const auto& c = s.model->kernel_conditions[i];
        if (c.relation == BinaryOp::eq) continue;
        const Formula slack = slack_of(c);
        add_constraint(s, {Constraint::Kind::condition, slack, reason_of(s.kernel().conditions[i]), "", slack});
        raise_bound(s, s.resolve(slack));
    }
    return std::move(s);
}

}  // namespace halogen
