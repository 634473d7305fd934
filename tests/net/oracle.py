"""What a program must compute: its equations over all their points, in NumPy, from the program's own value."""

from dataclasses import replace

import numpy as np

import values as V
from sizes import Unclear, Unfit
from syntax import COMPARISONS
from values import Real, Undefined

OPS = {"+=": np.add, "*=": np.multiply, "max=": np.maximum, "min=": np.minimum, "and=": np.minimum, "or=": np.maximum}


class OutOfRange(Exception):
    """A value from data lies outside of a dim: an error at run time."""


def lowest(type):
    return Real(-np.inf) if V.is_float(type) else V.LIMITS[type][0]


def highest(type):
    return Real(np.inf) if V.is_float(type) else V.LIMITS[type][1]


def identity(op, type):
    start = {"=": 0, "+=": 0, "*=": 1, "and=": 1, "or=": 0}
    return start[op] if op in start else lowest(type) if op == "max=" else highest(type)


def array_type(type):
    return Real if V.is_float(type) else np.int64


class Oracle:
    """Evaluates; `values` and `errors` hold every tensor. Raises Unfit, Unclear, Undefined, OutOfRange."""

    def __init__(self, kernel, call, sizes):
        self.kernel, self.call, self.sizes = kernel, call, sizes
        self.values = {n: np.asarray(a, array_type(kernel.tensors[n].type)) for n, a in call.data.items()}
        self.errors = {n: np.zeros(a.shape) for n, a in self.values.items()}
        self.types = {t.name: t.type for t in kernel.tensors.values()}
        self.types.update(kernel.scalars)
        for e, eq in enumerate(kernel.equations):
            self.equation(e, eq)

    # ---- equations ---------------------------------------------------------------------------------------------------
    def equation(self, e, eq):
        type = self.types[eq.tensor]
        if eq.tensor not in self.values:
            shape = self.sizes.extents[eq.tensor]
            self.values[eq.tensor] = np.full(shape, identity(eq.op, type), array_type(type))
            self.errors[eq.tensor] = np.zeros(shape)
        if self.holds_empty_place(eq):
            return
        points = self.sizes.points(e)
        steps = self.steps(eq, points)
        goes_on = any(later.tensor == eq.tensor for later in self.kernel.equations[e + 1 :])
        for step in steps:
            self.step(eq, type, step, (len(steps) > 1 or goes_on) and type in ("f16", "bf16"))

    def holds_empty_place(self, eq):
        """A constant position in a dim without elements makes an equation empty; left open where the left side has none."""
        is_fixed = any(not any(n.kind in ("index", "read") for n in place.walk()) for place in eq.at)
        accesses = [(eq.tensor, eq.at, False)] + [(r.name, r.args, True) for r in eq.reads()]
        is_empty = any(
            self.sizes.extents[name][d] == 0
            and not (is_read and any(self.sizes.pad(name, d)))
            and not any(n.kind in ("index", "read") for n in place.walk())
            for name, places, is_read in accesses
            for d, place in enumerate(places)
        )
        if is_empty and not is_fixed:
            raise Unclear("a constant position in a dim of 0, read for a left side without one")
        return is_empty

    def steps(self, eq, points):
        """All points at once; where the equation reads other elements of its own tensor, one place after the other."""
        others = [r for r in eq.reads() if r.name == eq.tensor and r.args != eq.at]
        count = len(next(iter(points.values()))) if points else 1
        if not others:
            return [(points, count)]
        order = [p.name for p in eq.at if p.kind == "index"]
        order.sort(key=lambda name: not self.runs_along(eq, others, name))
        keys = np.stack([points[n] for n in order], 1) if order else np.zeros((count, 0), np.int64)
        unique, inverse = np.unique(keys, axis=0, return_inverse=True)
        inverse = np.ravel(inverse)
        chosen = [np.flatnonzero(inverse == k) for k in range(len(unique))]
        return [({n: v[c] for n, v in points.items()}, len(c)) for c in chosen]

    def runs_along(self, eq, others, name):
        """Every such read stands an earlier place along index `name`."""
        d = next(d for d, p in enumerate(eq.at) if p.kind == "index" and p.name == name)
        return all(r.args[d].kind == "bin" and r.args[d].name == "-" and r.args[d].args[0] == eq.at[d] for r in others)

    def step(self, eq, type, step, is_unrounded):
        """`is_unrounded`: what is stored may be read again, or gone on from, before it is rounded, for a tensor rounds once."""
        points, count = step
        certain = np.zeros(count)
        for predicate in eq.predicates:
            keep, error = self.expression(predicate, points, count)
            kept = keep != 0
            certain = np.maximum(certain, error)[kept | (error > 0)]
            points = {n: v[kept | (error > 0)] for n, v in points.items()}
            count = int(np.count_nonzero(kept | (error > 0)))
        if count == 0:
            return
        right, error = self.expression(eq.right, points, count)
        error = np.where(certain > 0, np.inf, np.maximum(error, 2.0**-60 if is_unrounded else 0))
        where = self.position(eq.tensor, eq.at, points, count, None)
        self.write(eq, type, where, right, error)

    def write(self, eq, type, where, right, error):
        values, errors = self.values[eq.tensor].reshape(-1), self.errors[eq.tensor].reshape(-1)
        if eq.op == "=":
            if len(np.unique(where)) != len(where):
                if any(n.kind == "read" for p in eq.at for n in p.walk()):
                    raise OutOfRange("points meet under =")
                raise (
                    Unfit("contradictory: points meet under =")
                    if not eq.predicates
                    else Unclear("points meet where a predicate allows")
                )
            values[where], errors[where] = V.store(type, right, error)
        else:
            self.reduce(eq.op, type, values, errors, where, right, error)
        self.values[eq.tensor] = values.reshape(self.values[eq.tensor].shape)
        self.errors[eq.tensor] = errors.reshape(self.values[eq.tensor].shape)

    def reduce(self, op, type, values, errors, where, right, error):
        touched = np.unique(where)
        if not V.is_float(type):
            self.reduce_whole(op, type, values, where, right)
            np.maximum.at(errors, where, np.where(error > 0, np.inf, 0.0))
            return
        old, old_error = values[touched].copy(), errors[touched].copy()
        exact = self.is_exact(op, values, errors, where, right, error)
        magnitude, certain = np.abs(values).astype(np.float64), np.abs(values).astype(np.float64)
        terms = np.zeros(values.shape)
        np.add.at(terms, where, 1)
        with np.errstate(all="ignore"):
            OPS[op].at(values, where, np.asarray(right, Real))
            if op in ("max=", "min="):
                np.maximum.at(errors, where, error)
            elif op == "+=":
                np.add.at(magnitude, where, np.abs(right).astype(np.float64))
                np.add.at(errors, where, error)
                errors += np.where(
                    terms > 0,
                    2 * (terms + 2) * V.UNIT[V.computed(type)] * np.where(np.isfinite(magnitude), magnitude, 0),
                    0,
                )
            else:
                certain = np.abs(certain)
                high = certain + errors
                # Partial products, in any order, may leave the type's range.
                least, most = V.RANGE[V.computed(type)]
                up, down = np.maximum(certain, 1), np.minimum(np.where(certain == 0, 1, certain), 1)
                factors = np.abs(right).astype(np.float64)
                np.multiply.at(up, where, np.maximum(factors, 1))
                np.multiply.at(down, where, np.minimum(np.where(factors == 0, 1, factors), 1))
                leaves = (up > most) | (down < least)
                np.multiply.at(certain, where, np.abs(right).astype(np.float64))
                np.multiply.at(high, where, np.abs(right).astype(np.float64) + error)
                spread = np.where(
                    np.isfinite(high), high - certain + 2 * (terms + 2) * V.UNIT[V.computed(type)] * high, np.inf
                )
                spread = np.where(leaves, np.inf, spread)
                errors[:] = np.where(terms > 0, np.where(np.isnan(spread), np.inf, spread), errors)
            errors[exact & (terms > 0)] = 0
            stored, stored_error = V.store(
                type, values[touched], np.where(np.isnan(errors[touched]), np.inf, errors[touched])
            )
        values[touched], errors[touched] = stored, stored_error

    def is_exact(self, op, values, errors, where, right, error):
        """Sums of few enough multiples of one power of two are exact in any order."""
        inexact = errors > 0
        np.logical_or.at(inexact, where, error > 0)
        if op in ("max=", "min="):
            return ~inexact
        if op != "+=":
            return np.zeros(values.shape, bool)
        with np.errstate(all="ignore"):
            for bits in range(0, 12):
                scaled, old = right * 2.0**bits, values * 2.0**bits
                if not (np.all(scaled == np.rint(scaled)) and np.all(old == np.rint(old))):
                    continue
                total = np.abs(old)
                np.add.at(total, where, np.abs(scaled))
                return ~inexact & (total < 2.0**23)
        return np.zeros(values.shape, bool)

    def reduce_whole(self, op, type, values, where, right):
        if op in ("+=", "*=") and type in ("i32", "u32", "i64"):
            bound = np.abs(values).astype(np.float64)
            grown = np.abs(np.asarray(right)).astype(np.float64)
            OPS[op].at(bound, where, grown if op == "+=" else np.maximum(grown, 1))
            if np.any(bound > min(V.LIMITS[type][1], 2.0**62)):
                raise Undefined(f"overflow of {type}")
        with np.errstate(all="ignore"):
            OPS[op].at(values, where, np.asarray(right, np.int64))
        if op in ("+=", "*="):
            touched = np.unique(where)
            values[touched] = V.whole(type, values[touched])

    # ---- expressions -------------------------------------------------------------------------------------------------
    def expression(self, node, points, count):
        kind, type = node.kind, node.type
        if kind in ("num", "index", "size", "scalar"):
            return self.leaf(node, points, count)
        if kind == "read":
            where = self.position(node.name, node.args, points, count, self.kernel.tensors[node.name])
            return self.element(node.name, where)
        args = [self.expression(a, points, count) for a in node.args]
        if kind == "cast":
            return V.convert(type, node.args[0].type, args[0])
        if kind == "neg":
            if V.is_float(type):
                return -args[0][0], args[0][1]
            return V.negated(type, args[0][0]), args[0][1]
        if kind == "not":
            return 1 - args[0][0], args[0][1]
        if kind == "call":
            return V.select(type, *args) if node.name == "select" else V.function(node.name, type, args)
        if node.name in COMPARISONS:
            return V.compare(node.name, *args)
        if node.name in ("and", "or"):
            pick = np.minimum if node.name == "and" else np.maximum
            return pick(args[0][0], args[1][0]), V.unsure(args[0][1], args[1][1])
        v, e = V.arithmetic(node.name, type, *args)
        if node.name == "*" and V.is_float(type):
            for factor in node.args:  # a zero of padding may be 0 times anything
                e = np.where(self.is_zero_padding(factor, points, count) & np.isnan(v), np.inf, e)
        if V.is_float(type) and is_sum(node) and any(is_sum(a) for a in node.args):
            e = np.maximum(e, self.of_any_order(node, points, count))
        if V.is_float(type) and (is_sum(node) or node.name == "/") and any(is_worked_out(a) for a in node.args):
            e = np.where(np.isnan(v) & self.may_cancel(node, points, count), np.inf, e)
        return v, e

    def may_cancel(self, node, points, count):
        """Where NaN comes of infinite terms or factors, or of zeros, that may cancel each other."""
        parts = terms_of(node) if is_sum(node) else node.args
        return ~np.any([np.isnan(self.expression(t, points, count)[0]) for t in parts], axis=0)

    def is_zero_padding(self, node, points, count):
        """Where a factor is a zero that its tensor's boundary gives."""
        if node.kind == "cast":
            return self.is_zero_padding(node.args[0], points, count)
        if node.kind != "read" or self.kernel.tensors[node.name].boundary not in (None, 0):
            return np.zeros(count, bool)
        return self.position(node.name, node.args, points, count, self.kernel.tensors[node.name]) < 0

    def of_any_order(self, node, points, count):
        """What a sum may be off when its terms are added in another order; 0 where each order is exact."""
        terms = [np.abs(self.expression(t, points, count)[0]) for t in terms_of(node)]
        total = np.sum(terms, axis=0)
        with np.errstate(all="ignore"):
            is_whole = np.all([t * 2.0**11 == np.rint(t * 2.0**11) for t in terms], axis=0) & (total < 2.0**12)
            size = np.where(np.isfinite(total), total, 0).astype(np.float64)
        return np.where(is_whole, 0, len(terms) * V.UNIT[V.computed(node.type)] * size)

    def leaf(self, node, points, count):
        if node.kind == "scalar" and node.name in self.kernel.lets:
            v, e = self.expression(self.kernel.lets[node.name], {}, 1)
            return np.broadcast_to(v, (count,)), np.broadcast_to(e, (count,))
        if node.kind == "num":
            value = node.value
        elif node.kind == "index":
            value = points[node.name]
        else:
            value = self.sizes.sizes[node.name] if node.kind == "size" else self.call.scalars[node.name]
        if V.is_float(node.type):
            return np.broadcast_to(V.rounded(V.computed(node.type), np.asarray(value, Real)), (count,)), np.zeros(count)
        out = np.broadcast_to(np.asarray(value, np.int64), (count,))
        return V.whole(node.type, out), np.zeros(count)

    # ---- places ------------------------------------------------------------------------------------------------------
    def position(self, name, places, points, count, padded):
        """Row-major positions of an access, -1 where padding by a constant answers."""
        out, outside = np.zeros(count, np.int64), np.zeros(count, bool)
        for d, place in enumerate(places):
            v, e = self.expression(exact(place), points, count)
            if np.any(e > 0):
                raise Unclear("a place that rounding decides")
            extent = self.sizes.extents[name][d]
            low, high = self.sizes.pad(name, d) if padded else (0, 0)
            if np.any(v < -low) or np.any(v >= extent + high):
                raise OutOfRange(f"dim {d} of {name}")
            if low or high:
                v, beyond = mirrored(padded.boundary, v, extent)
                outside |= beyond
            out = out * extent + v
        return np.where(outside, -1, out)

    def element(self, name, where):
        values, errors = self.values[name].reshape(-1), self.errors[name].reshape(-1)
        if not np.any(where < 0):
            return values[where], errors[where]
        t = self.kernel.tensors[name]
        fill = {None: 0, "lowest": lowest(t.type), "highest": highest(t.type)}.get(t.boundary, t.boundary)
        fill = V.rounded(t.type, fill) if V.is_float(t.type) else fill
        if values.size == 0:
            return np.full(where.shape, fill, values.dtype), np.zeros(where.shape)
        return np.where(where < 0, fill, values[where]), np.where(where < 0, 0, errors[where])


def is_sum(node):
    """`a % b` of floats is a sum too: a - b*floor(a/b)."""
    return node.kind == "bin" and (node.name in "+-" or (node.name == "%" and V.is_float(node.type)))


def is_worked_out(node):
    return node.kind not in ("num", "index", "size", "scalar", "read")


def terms_of(node):
    if not is_sum(node):
        return [node]
    parts = [*node.args, node.args[0]] if node.name == "%" else node.args  # b*floor(a/b) is about a
    return [t for a in parts for t in terms_of(a)]


def exact(place):
    """A place as it is computed: whole numbers without a type; only a cast takes what it holds into one."""
    if place.kind in ("read", "cast", "scalar"):
        return place
    return replace(place, type="i64", args=tuple(exact(a) for a in place.args))


def mirrored(mode, v, n):
    """Places in a padded dim as places inside of it, and which of them a constant answers."""
    inside = (v >= 0) & (v < n)
    if mode == "edge":
        return np.clip(v, 0, n - 1), np.zeros(v.shape, bool)
    if mode == "wrap":
        return v % n, np.zeros(v.shape, bool)
    if mode == "symmetric":
        t = v % (2 * n)
        return np.where(t < n, t, 2 * n - 1 - t), np.zeros(v.shape, bool)
    if mode == "reflect":
        t = v % max(2 * n - 2, 1)
        return np.where(t < n, t, 2 * n - 2 - t), np.zeros(v.shape, bool)
    return np.where(inside, v, 0), ~inside
