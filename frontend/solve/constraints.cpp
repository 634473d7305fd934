#include "frontend/solve/constraints.h"

#include "frontend/formula/hull.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

void check_when_run(Sizes& s, const CheckedPlace& place) {
    if (std::find(s.checked.begin(), s.checked.end(), place) == s.checked.end()) s.checked.push_back(place);
}

void add_access_constraints(Sizes& s, const Use& use, int d, const Box& box) {
    const Place& p = use.places[d];
    if (!p.formula) return check_when_run(s, {use.equation, use.text, d});
    const DimModel& dim = KernelModel::dim(use, d);
    const auto& indices = s.indices[use.equation];
    if (p.bare && !indices.at(*p.bare).fixed && !s.model->is_stencil_read(use, d, *p.bare))
        return;  // pinned: exactly the dim
    bool is_constant = true;
    p.formula->for_each_symbol([&](const std::string& name) { is_constant = is_constant && !indices.contains(name); });
    const Hull hull = reach_of(*p.formula, box, s.bounds);
    const Reason why{use.equation, use.access->tensor, d, "", ""};
    const auto above = is_constant ? Constraint::Kind::fixed : Constraint::Kind::above;
    const auto below = is_constant ? Constraint::Kind::fixed : Constraint::Kind::below;
    const auto add = [&](Constraint::Kind kind, const Formula& slack, const Formula& reach) {
        if (const auto c = slack.constant(); c && *c >= 0) return;
        if (!hull.exact) return s.loose.push_back({slack, {use.equation, use.text, d}});
        for (const auto& part : conjuncts(slack))
            add_constraint(s, {kind, part, why, use.text, reach, false, use.is_left, {}, &use});
    };
    // What lies in the padding is read, never written.
    const Formula low = use.is_left ? Formula(0) : dim.pad_low, high = use.is_left ? Formula(0) : dim.pad_high;
    add(above, dim.extent + high - (hull.high + Formula(1)), hull.high);
    add(below, hull.low + low, hull.low);
}

void add_boundary_constraints(Sizes& s) {
    const auto add = [&](const Formula& slack, const std::string& tensor, int d, const char* what,
                         const Formula& reach) {
        if (const auto c = slack.constant(); c && *c >= 0) return;
        const Reason why{-1, tensor, d, "", fmt::format(fmt::runtime(what), d, tensor)};
        add_constraint(s, {Constraint::Kind::boundary, slack, why, "", reach, false});
    };
    for (const Tensor& t : s.kernel().tensors) {
        const auto mode = t.boundary.mode;
        const bool repeats =
            mode == Boundary::Mode::edge || mode == Boundary::Mode::symmetric || mode == Boundary::Mode::wrap;
        for (int d = 0; d < t.rank; ++d) {
            const DimModel& dim = s.model->dims.at(t.name)[d];
            if (!dim.padded) continue;
            const Formula last = dim.extent - Formula(1);
            for (const auto& pad : {dim.pad_low, dim.pad_high}) {
                add(pad, t.name, d, "the padding of dim {} of `{}` is at least 0", pad);
                if (mode == Boundary::Mode::reflect)
                    add(last - pad, t.name, d, "`reflect` needs a pad below the extent in dim {} of `{}`", pad);
            }
            if (repeats) add(last, t.name, d, "the boundary of dim {} of `{}` needs an element", dim.extent);
        }
    }
}

/// Divisors are positive and casts keep their values, at every point of their equation.
void add_condition(Sizes& s, const KernelModel::Condition& c) {
    const Box box = c.equation < 0 ? Box{} : box_of(s, c.equation);
    const Formula least = hull_of(c.formula, box, s.bounds).low;
    const bool divisor = c.kind == PlaceCondition::Kind::divisor;
    const std::string clause =
        divisor ? fmt::format("the divisor `{}` is at least 1", c.text) : fmt::format("`{}` keeps its value", c.text);
    add_constraint(s, {divisor ? Constraint::Kind::positive : Constraint::Kind::fits,
                       least - Formula(1),
                       {c.equation, "", -1, "", clause},
                       c.text,
                       least,
                       false});
}

}  // namespace

Sizes&& add_constraints(Sizes&& s) {
    s.constraints.reserve(2 * s.model->uses.size());
    for (int e = 0; e < static_cast<int>(s.indices.size()); ++e) {
        const Box box = box_of(s, e);
        for (const Use& use : s.model->uses_of(e)) {
            for (int d = 0; d < static_cast<int>(use.places.size()); ++d) add_access_constraints(s, use, d, box);
        }
    }
    for (std::size_t e = 0; e < s.indices.size(); ++e) {
        for (const auto& [index, range] : s.model->ranges[e])
            add_constraint(s, {Constraint::Kind::range,
                               range.end - range.begin,
                               {static_cast<int>(e), "", -1, index,
                                fmt::format("the range `{}` does not end before it begins", range.text)},
                               range.text,
                               range.end,
                               false});
    }
    add_boundary_constraints(s);
    for (const auto& condition : s.model->conditions) add_condition(s, condition);
    return std::move(s);
}

}  // namespace halogen
