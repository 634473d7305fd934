"""Values with what rounding may do to them: a pair of arrays, the value and how far a right answer may lie from it.

Integers and bools are int64 with an error of 0, or of infinity where an inexact float decided. Floats are long doubles;
the error counts roundings of the type that computes (f32 for f16 and bf16). A result that a right program must give to
the bit has the error 0.
"""

import math

import numpy as np

from sizes import wrap
from syntax import COMPARISONS, FLOATS

Real = np.longdouble
UNIT = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
RANGE = {"f64": (1e-300, 1e300), "f32": (1e-37, 1e38)}  # of what is computed in the type without a special value
LIMITS = {
    "i8": (-(2**7), 2**7 - 1),
    "i16": (-(2**15), 2**15 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "u8": (0, 2**8 - 1),
    "u16": (0, 2**16 - 1),
    "u32": (0, 2**32 - 1),
    "bool": (0, 1),
}
GREATEST = {
    "f64": 1.7976931348623157e308,
    "f32": 3.4028234663852886e38,
    "f16": 65504.0,
    "bf16": 2.0**127 * (2 - 2.0**-7),
}


class Undefined(Exception):
    """The notation leaves the program's result open (overflow of wide integers)."""


def is_float(type):
    return type in FLOATS


def computed(type):
    return "f32" if type in ("f16", "bf16") else type


def rounded(type, v):
    """Long doubles rounded to a type, to nearest even."""
    v = np.asarray(v, Real)
    with np.errstate(all="ignore"):
        if type == "f64":
            return v.astype(np.float64).astype(Real)
        if type == "f32":
            return v.astype(np.float32).astype(Real)
        if type == "f16":
            return v.astype(np.float32).astype(np.float16).astype(Real)
        return from_bf16(to_bf16(v)).astype(Real)


def to_bf16(v):
    single = np.asarray(v).astype(np.float32)
    bits = single.view(np.uint32).astype(np.uint64)
    out = ((bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), out)


def from_bf16(bits):
    return (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)


def settle(type, v, e, units):
    """A float result with the errors it inherits; `units` is the size of what rounds."""
    unit = UNIT[computed(type)]
    with np.errstate(all="ignore"):
        near = rounded(computed(type), v)
        exact = (e == 0) & ((near == v) | np.isnan(v))
        least = 2.0**-149 if computed(type) == "f32" else 2.0**-1074
        big = np.where(np.isfinite(units), np.abs(units), 0).astype(np.float64) * unit + least
        e = np.where(exact, 0, e + big)
        return np.where(np.isinf(near), near, v), np.where(np.isnan(e), np.inf, e)


def store(type, v, e):
    """What an element of the type holds: one rounding of a float, wrapping of narrow integers."""
    if not is_float(type):
        return v, e
    near = rounded(type, v)
    if type not in ("f16", "bf16"):
        return np.where(e == 0, near, v), e
    with np.errstate(all="ignore"):
        wide = np.where(np.isfinite(near), np.abs(near), 0).astype(np.float64) * 2 * UNIT[type] + 2.0**-24
        return near, np.where(e == 0, 0, e + wide)


def whole(type, v):
    """An integer result: narrow ones wrap, wide ones must not overflow. `v` is of int64 or of Python's integers."""
    if type in ("i8", "i16", "u8", "u16"):
        return wrap(type, v)
    low, high = LIMITS[type]
    if np.any(v < low) or np.any(v > high):
        raise Undefined(f"overflow of {type}")
    return v


def negated(type, v):
    """-v of an integer type: that of the lowest i64 is none."""
    if type == "i64" and np.any(v == LIMITS[type][0]):
        raise Undefined(f"overflow of {type}")
    return whole(type, -v)


def exact_integer(op, type, a, b):
    if type == "i64":
        estimate = {"+": np.add, "-": np.subtract, "*": np.multiply}[op](a.astype(Real), b.astype(Real))
        if np.any(np.abs(estimate) > 2.0**62):
            raise Undefined("overflow of i64")
    return whole(type, {"+": np.add, "-": np.subtract, "*": np.multiply}[op](a, b))


def euclid(op, type, a, b):
    safe = np.where(b == 0, 1, b)
    rest, quotient = np.mod(a, safe), a // safe
    beyond = rest < 0  # of a negative divisor; |b| may be no i64
    rest, quotient = np.where(beyond, rest - safe, rest), np.where(beyond, quotient + 1, quotient)
    return whole(type, np.where(b == 0, 0, rest if op == "%" else quotient))


def unsure(*errors):
    with np.errstate(all="ignore"):
        out = errors[0]
        for e in errors[1:]:
            out = out + e
        return np.where(out > 0, np.inf, 0.0)


def compare(op, x, y):
    (a, ea), (b, eb) = x, y
    with np.errstate(all="ignore"):
        v = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
        close = (np.abs(a - b) <= ea + eb) & (ea + eb > 0) | np.isinf(ea + eb)
    return v.astype(np.int64), np.where(close, np.inf, 0.0)


def arithmetic(op, type, x, y):
    """`+ - * / %` of two values of one type."""
    (a, ea), (b, eb) = x, y
    if not is_float(type):
        v = exact_integer(op, type, a, b) if op in "+-*" else euclid(op, type, a, b)
        return v, unsure(ea, eb)
    with np.errstate(all="ignore"):
        magnitudes = np.maximum(np.abs(a), np.abs(b))
        if op in "+-":
            v = a + b if op == "+" else a - b
            return settle(type, v, ea + eb, 2 * np.maximum(magnitudes, np.abs(v)))
        if op == "*":
            v = a * b
            inherited = np.abs(a).astype(float) * eb + np.abs(b).astype(float) * ea + ea * eb
            inherited = np.where((ea == 0) & (eb == 0), 0, inherited)
            return settle(type, v, inherited, 2 * np.abs(v))
        v = a / b
        if op == "/":
            power = (np.frexp(np.abs(b))[0] == 0.5) & (ea == 0) & (eb == 0)
            inherited = np.where(
                (ea == 0) & (eb == 0), 0, (ea + np.abs(v).astype(float) * eb) / (np.abs(b) - eb).astype(float)
            )
            inherited = np.where(eb >= np.abs(b), np.inf, np.abs(inherited))
            out, e = settle(type, v, inherited, 4 * np.abs(v))
            return out, np.where(
                power, e, e + 4 * UNIT[computed(type)] * np.abs(np.where(np.isfinite(v), v, 0)).astype(float)
            )
        return remainder(type, x, y)


def remainder(type, x, y):
    """a - b*floor(a/b); certain only where a/b is exact, or far enough from a whole number."""
    (a, ea), (b, eb) = x, y
    with np.errstate(all="ignore"):
        q = a / b
        v = a - b * np.floor(q)
        far = np.abs(q - np.rint(q)) > 1e-4 * (1 + np.abs(q))
        sure = (ea == 0) & (eb == 0) & (far | ((np.rint(q) * b == a) & (np.frexp(np.abs(b))[0] == 0.5)))
        return settle(type, v, np.where(sure, 0, np.inf), 4 * np.maximum(np.abs(a), np.abs(b)))


ERF = np.frompyfunc(lambda t: math.erf(float(t)), 1, 1)
SMOOTH = {
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "erf": lambda a: ERF(a).astype(Real),
    "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "pow": np.power,
}
STEPS = {"floor": np.floor, "ceil": np.ceil, "round": np.rint}


def function(name, type, args):
    if name in ("min", "max"):
        (a, ea), (b, eb) = args
        v = (np.minimum if name == "min" else np.maximum)(a, b)
        return v, np.maximum(ea, eb)
    a, ea = args[0]
    if name == "abs":
        return (np.abs(a) if is_float(type) else np.where(a < 0, negated(type, np.minimum(a, 0)), a)), ea
    with np.errstate(all="ignore"):
        if name in STEPS:
            v = STEPS[name](a)
            certain = (ea == 0) | ((STEPS[name](a - ea) == v) & (STEPS[name](a + ea) == v))
            return v, np.where(certain, 0, np.inf)
        return smooth(name, type, args)


def smooth(name, type, args):
    """Elementary functions: their own error of some units, and what the argument's error does at its ends."""
    f = SMOOTH[name]
    values = [np.asarray(v, Real) for v, _ in args]
    v = f(*values)
    moved = np.zeros(np.shape(v))
    for signs in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        ends = [x + s * e for x, s, (_, e) in zip(values, signs, args)]
        moved = np.maximum(moved, np.abs((f(*ends) - v).astype(np.float64)))
    errors = sum(e for _, e in args)
    moved = np.where(errors == 0, 0, moved)
    size = np.maximum(np.abs(v), 2.0**-20)
    if name in ("sin", "cos"):
        size = np.maximum(1, np.abs(values[0]))
    if name == "pow":
        size = size * np.maximum(1, np.abs(values[1] * np.log(np.maximum(values[0], 1e-300))))
    units = {"sqrt": 4, "rsqrt": 8}.get(name, 32) * size
    unit = UNIT[computed(type)] if name != "erf" else max(UNIT[computed(type)], 2.0**-51)
    own = np.where(np.isfinite(units), units, 0).astype(np.float64) * unit
    return v, np.where(np.isnan(moved), np.inf, moved + own)


def convert(to, from_type, x):
    """A cast."""
    v, e = x
    if is_float(to):
        v = np.asarray(v, Real)
        if to == from_type:
            return v, e
        return narrowed(to, from_type, v, e)
    if not is_float(from_type):
        return ((v != 0).astype(np.int64) if to == "bool" else wrap(to, v)), e
    if to == "bool":
        return (v != 0).astype(np.int64), np.where(e > 0, np.inf, 0.0)
    with np.errstate(all="ignore"):
        out, low, high = (saturated(to, t) for t in (v, v - e, v + e))
        return out, np.where((e > 0) & ((low != out) | (high != out)) | np.isinf(e), np.inf, 0.0)


def narrowed(to, from_type, v, e):
    near = rounded(to, v)
    with np.errstate(all="ignore"):
        wide = np.where(np.isfinite(near), np.abs(near), 0).astype(np.float64) * 2 * UNIT[to] + 2.0**-150
        if to in ("f16", "bf16"):
            wide = wide + 2.0**-24
        return near, np.where(e == 0, 0.0, e + wide)


def saturated(to, v):
    low, high = LIMITS[to]
    inner = np.where(np.isfinite(v), v, 0)
    whole_part = np.trunc(np.clip(inner, Real(low), Real(high)))
    out = np.where(v == np.inf, high, np.where(v == -np.inf, low, 0))
    return np.where(
        np.isfinite(v), np.array([int(t) for t in np.ravel(whole_part)], np.int64).reshape(np.shape(v)), out
    )


def select(type, condition, x, y):
    (c, ec), (a, ea), (b, eb) = condition, x, y
    with np.errstate(all="ignore"):
        e = np.where(c != 0, ea, eb)
        same = (a == b) & (ea == 0) & (eb == 0)
    return np.where(c != 0, a, b), np.where((ec > 0) & ~same, np.inf, e)


__all__ = [n for n in dir() if not n.startswith("_")] + ["COMPARISONS"]
