#include "frontend/lower/boundary.h"

#include "frontend/lower/number.h"

#include <limits>

namespace halogen::lowering {

namespace {

using Mode = Boundary::Mode;

/// `c` of `c % n`, where it is at most `reach` before 0 or behind the last: a remainder of vectors divides element by element. (Sums
/// of 3x3 that wrap around, of 100 rows of 100 bytes, on Zen 4: 12.6 us, and 5.2 so.)
Halide::Expr wrapped(const Halide::Expr& c, const Halide::Expr& n, std::optional<std::int64_t> reach) {
    if (!reach) return c % n;
    const Halide::Expr once = Halide::select(c < 0, c + n, c >= n, c - n, c);
    return Halide::select(n >= static_cast<int>(*reach), once, c % n);
}

/// The place inside [0, n) that stands for `c` (NumPy's pad modes).
Halide::Expr held_place(Mode mode, const Halide::Expr& c, const Halide::Expr& n,
                        std::optional<std::int64_t> reach = {}) {
    const Halide::Expr last = n - 1;
    Halide::Expr m = c;
    if (mode == Mode::reflect) {
        m = Halide::abs(c);
        m = Halide::cast<int>(m);
        m = Halide::select(m >= n, 2 * last - m, m);
    } else if (mode == Mode::symmetric) {
        m = wrapped(c, 2 * n, reach);
        m = Halide::select(m >= n, 2 * n - 1 - m, m);
    } else if (mode == Mode::wrap) {
        m = wrapped(c, n, reach);
    }
    return Halide::clamp(m, 0, last);
}

/// The place inside that stands for that of `p`; `likely` keeps the interior of a loop free of it. In an empty dim it is 0, which a
/// call backs with a block of zeros; the promise keeps Halide's checks from asking for it.
Halide::Expr inside_place(Mode mode, const PaddedPlace& p) {
    const Halide::Expr last = p.extent - 1, inside = p.at >= 0 && p.at <= last;
    Halide::Expr held;
    if (p.pixel.defined()) {
        const Halide::Expr size = Halide::max(p.pixel, 1);
        held = Halide::clamp(held_place(mode, p.at / size, p.extent / size) * size + p.at % size, 0, last);
    } else if (mode == Mode::reflect || mode == Mode::symmetric || mode == Mode::wrap) {
        held = held_place(mode, p.at, p.extent, p.reach);
    } else {
        return Halide::unsafe_promise_clamped(Halide::clamp(Halide::likely(p.at), 0, last), 0, last);
    }
    // Around the choice a clamp would stay in the interior of a loop, and vectors of it would be gathers (6 times slower).
    return Halide::unsafe_promise_clamped(Halide::select(inside, Halide::likely(p.at), held), 0, last);
}

Halide::Expr outside_constant(const Boundary& boundary, Type type) {
    const Halide::Type t = halide_type(type);
    if (boundary.mode == Mode::lowest)
        return type == Type::boolean
                   ? Halide::Internal::make_const(t, 0)
                   : (t.is_float() ? Halide::cast(t, -std::numeric_limits<float>::infinity()) : t.min());
    if (boundary.mode == Mode::highest)
        return type == Type::boolean
                   ? Halide::Internal::make_const(t, 1)
                   : (t.is_float() ? Halide::cast(t, std::numeric_limits<float>::infinity()) : t.max());
    if (auto* integer = boundary.constant.as<IntegerLiteral>()) return Halide::Internal::make_const(t, integer->value);
    if (auto* real = boundary.constant.as<RealLiteral>()) return Halide::Internal::make_const(t, real->value);
    if (auto* negative = boundary.constant.as<Unary>()) {
        if (auto* integer = negative->value->as<IntegerLiteral>())
            return Halide::Internal::make_const(t, -integer->value);
        if (auto* real = negative->value->as<RealLiteral>()) return Halide::Internal::make_const(t, -real->value);
    }
    return Halide::Internal::make_const(t, 0);
}

Halide::Expr outside_value(const Boundary& boundary, Type type) {
    const Halide::Expr value = outside_constant(boundary, type);
    return Halide::Internal::is_const_zero(value) ? value : not_folded(value);
}

}  // namespace

Halide::Expr read_padded(const Boundary& boundary, Type type, const std::vector<PaddedPlace>& places,
                         const std::function<Halide::Expr(const std::vector<Halide::Expr>&)>& read) {
    std::vector<Halide::Expr> inside;
    Halide::Expr outside;
    for (const PaddedPlace& p : places) {
        inside.push_back(p.padded ? inside_place(boundary.mode, p) : p.at);
        if (!p.padded || repeats(boundary.mode)) continue;
        const Halide::Expr out = p.at < 0 || p.at >= p.extent;
        outside = outside.defined() ? outside || out : out;
    }
    const Halide::Expr value = read(inside);
    return outside.defined() ? Halide::select(outside, outside_value(boundary, type), Halide::likely(value)) : value;
}

}  // namespace halogen::lowering
