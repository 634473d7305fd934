#include "frontend/solve/equalities.h"

#include "frontend/formula/linear_part.h"
#include "frontend/solve/failure.h"

#include <fmt/format.h>

namespace halogen {

namespace {

/// factor*x == rest gives x; where the quotient is not exact under a guard.
Formula quotient_of(Sizes& s, const std::string& name, const LinearPart& part, const Equality& e) {
    const Formula value = floor_div(-part.rest, part.factor);
    if (value * part.factor == -part.rest) return value;
    const auto number = (-part.rest).constant(), divisor = part.factor.constant();
    if (number && divisor)
        fail(s,
             error_at(s.kernel(), ErrorKind::non_integer,
                      fmt::format("`{}` would be {}/{}: {}", name, *number, *divisor, e.why.text), e.why.equation,
                      fmt::format("make {} a multiple of {}", *number, *divisor)),
             {{e.left, e.right}});
    s.guards.push_back(
        {part.factor, Relation::divides, -part.rest, e.why.equation, e.why.tensor, e.why.dim, e.why.index, e.why.text});
    if (!divisor) s.positive.push_back(part.factor);
    return value;
}

}  // namespace

bool use_equalities(Sizes& s) {
    bool progress = false;
    for (Equality& e : s.equalities) {
        if (e.done) continue;
        const Formula difference = s.resolve(e.left) - s.resolve(e.right);
        const auto open = s.classes.unknowns(difference);
        if (open.size() != 1) continue;
        auto part = linear_part(difference, open[0]);
        if (!part || part->factor == Formula(0)) continue;
        const auto number = part->factor.constant();
        if (number ? *number < 0 : is_nonnegative(-part->factor)) part = LinearPart{-part->factor, -part->rest};
        const Formula value = quotient_of(s, open[0], *part, e);
        if (const auto c = value.constant(); c && *c < 0)
            fail(s,
                 error_at(s.kernel(), ErrorKind::negative, fmt::format("`{}` would be {}: {}", open[0], *c, e.why.text),
                          e.why.equation, "give larger sizes"),
                 {{e.left, e.right}});
        s.classes.set_value(open[0], value);
        derive(s, open[0], Derivation::How::equality, e.why.equation, {e.left, e.right}, e.why.text);
        e.done = progress = true;
    }
    return progress;
}

}  // namespace halogen
