#include "frontend/solve/refusals.h"

#include "frontend/solve/failure.h"

#include <fmt/format.h>

namespace halogen {

namespace {

/// A declaration says what `T` is: its dims may be padded and made larger there.
bool is_declared(const Tensor& t) { return t.dims.has_value(); }

std::string fix_below(const Sizes& s, const Constraint& c, const std::string& dim, std::int64_t missing) {
    std::string later = c.kind == Constraint::Kind::fixed ? "name a later position" : "start the index later";
    if (c.is_left || !is_declared(s.kernel().tensor(c.why.tensor))) return later;
    return fmt::format("pad {} by {} at the low end, or {}", dim, missing, later);
}

std::string fix_above(const Sizes& s, const Constraint& c, const std::string& dim, std::int64_t missing) {
    const Tensor& t = s.kernel().tensor(c.why.tensor);
    const std::string earlier =
        c.kind == Constraint::Kind::fixed ? "name an earlier position" : "make the ranges of the indices smaller";
    if (is_declared(t) || t.role == Role::input)
        return fmt::format("make {} larger by {}, or {}", dim, missing, earlier);
    return fmt::format("{}, or make the ranges of the indices that write `{}` larger by {}", earlier, t.name, missing);
}

}  // namespace

Reason reason_of(const Constraint& c) {
    Reason why = c.why;
    if (c.kind == Constraint::Kind::largest) why.text = fmt::format("{} is at least 1{}", c.access, c.why.text);
    if (c.is_access()) why.text = fmt::format("{} stays inside dim {} of `{}`", c.access, why.dim, why.tensor);
    return why;
}

void fail_constraint(const Sizes& s, const Constraint& c, std::int64_t slack) {
    const std::string reach = print(s.resolve(c.reach));
    const std::string dim = fmt::format("dim {} of `{}`", c.why.dim, c.why.tensor);
    ErrorKind kind = ErrorKind::negative;
    std::string what, fix;
    switch (c.kind) {
    case Constraint::Kind::above:
    case Constraint::Kind::below:
    case Constraint::Kind::fixed:
        if (c.kind != Constraint::Kind::fixed) kind = ErrorKind::contradictory;
        if (reach[0] == '-') {
            what = fmt::format("{} reaches position {} in {}", c.access, reach, dim);
            fix = fix_below(s, c, dim, -slack);
        } else {
            const Formula extent = s.resolve(s.model->dims.at(c.why.tensor)[c.why.dim].extent);
            what =
                fmt::format("{} reaches position {} in {}, which has extent {}", c.access, reach, dim, print(extent));
            fix = fix_above(s, c, dim, -slack);
        }
        break;
    case Constraint::Kind::range:
        what = fmt::format("the range `{}` has extent {}", c.access, slack);
        fix = "let it end at or after its begin";
        break;
    case Constraint::Kind::positive:
        kind = ErrorKind::contradictory;
        what = fmt::format("the divisor `{}` is {}", c.access, reach);
        fix = "divide by at least 1";
        break;
    case Constraint::Kind::fits:
        kind = ErrorKind::overflow;
        what = fmt::format("`{}` does not keep its value: it is past the ends of its type by {}", c.access, -slack);
        fix = "cast to i64, or leave the cast out: positions are computed without loss";
        break;
    case Constraint::Kind::largest:
        what = fmt::format("{} would be {}, but {}", c.access, reach, reason_of(c).text);
        fix = "give larger sizes, or a smaller window, stride, dilation or pad";
        break;
    case Constraint::Kind::boundary:
        what = fmt::format("{}: it is short by {}", c.why.text, -slack);
        fix = "give a larger extent or a smaller pad";
        break;
    case Constraint::Kind::condition:
        kind = ErrorKind::contradictory;
        what = fmt::format("the condition `{}` does not hold", c.why.text);
        fix = "give sizes for which it holds";
        break;
    }
    const About about = c.kind == Constraint::Kind::largest && !c.root.empty()
                            ? About{{Formula::symbol(c.root)}}
                            : about_access(s, {c.slack}, c.why.equation, c.is_access() ? c.access : "");
    fail(s, error_at(s.kernel(), kind, std::move(what), c.why.equation, std::move(fix)), about);
}

void fail_equality(const Sizes& s, const Equality& e) {
    About about = e.from.empty() ? About{{e.left, e.right}} : about_access(s, e.from, e.why.equation, e.about);
    about.formulas.push_back(e.right);
    const std::string sides = fmt::format("{} is not {}", print(s.resolve(e.left)), print(s.resolve(e.right)));
    if (e.why.is_condition)
        fail(s,
             error_of(ErrorKind::contradictory, fmt::format("the condition `{}` does not hold: {}", e.why.text, sides),
                      "give sizes for which it holds"),
             about);
    const std::string what = fmt::format("{}: {}", sides, e.why.text);
    fail(s, error_at(s.kernel(), ErrorKind::contradictory, what, e.why.equation, "make both sides equal"), about);
}

}  // namespace halogen
