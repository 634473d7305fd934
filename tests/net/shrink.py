"""Makes a program that shows a finding smaller, as long as it shows a finding of the same kind."""

import copy
from dataclasses import replace

from generate import judge
from sizes import Unclear
from syntax import Dim, Node, index, num, prune
from values import Undefined


def variants(node, in_place, numbers):
    """Simpler expressions for one expression, each with one change somewhere."""
    same = (lambda c: True) if in_place else (lambda c: c.type == node.type)
    for child in node.args:
        if node.kind != "read" and same(child):
            yield child
    if node.kind == "size" and node.name in numbers:
        yield num(numbers[node.name], node.type)
    if in_place and node.kind not in ("num", "index", "size"):
        yield num(0)
        for n in node.walk():
            if n.kind == "index":
                yield index(n.name)
                break
    elif node.kind not in ("num", "index", "size", "read", "scalar") and node.type != "bool":
        yield num(1, node.type)
    if not in_place and node.kind == "read" and node.type != "bool":
        yield num(1, node.type)
    for k, child in enumerate(node.args):
        inner = in_place or node.kind == "read"
        for other in variants(child, inner, numbers):
            yield replace(node, args=node.args[:k] + (other,) + node.args[k + 1 :])


def smaller(kernel, call, numbers):
    """Copies of (kernel, call) with one thing less each, the coarse ones first."""

    def changed(change):
        k, c = copy.deepcopy(kernel), copy.deepcopy(call)
        change(k, c)
        return k, c

    def put(e, eq):
        return changed(lambda k, c: k.equations.__setitem__(e, eq))

    for e in range(len(kernel.equations)):
        if len(kernel.equations) > 1:
            yield changed(lambda k, c, e=e: k.equations.pop(e))
    for e, eq in enumerate(kernel.equations):
        for p in eq.predicates:
            yield put(e, replace(eq, predicates=tuple(q for q in eq.predicates if q is not p)))
        for other in variants(eq.right, False, numbers):
            yield put(e, replace(eq, right=other))
        for r in eq.ranges:
            yield put(e, replace(eq, ranges=tuple(q for q in eq.ranges if q is not r)))
        for p in eq.predicates:
            for other in variants(p, False, numbers):
                yield put(e, replace(eq, predicates=tuple(other if q is p else q for q in eq.predicates)))
        for d, place in enumerate(eq.at):
            for other in variants(place, True, numbers):
                yield put(e, replace(eq, at=eq.at[:d] + (other,) + eq.at[d + 1 :]))
        for n, (i, a, b) in enumerate(eq.ranges):
            if b.kind == "size" and b.name in numbers:
                yield put(e, replace(eq, ranges=eq.ranges[:n] + ((i, a, num(numbers[b.name])),) + eq.ranges[n + 1 :]))
    for t in kernel.tensors.values():
        yield from simpler_tensor(t, numbers, changed)
    for n, c in enumerate(kernel.conditions):
        yield changed(lambda k, _, n=n: k.conditions.pop(n))
    for name in call.orders:
        if call.orders[name] != "C":
            yield changed(lambda k, c, name=name: c.orders.__setitem__(name, "C"))


def simpler_tensor(t, numbers, changed):
    if t.boundary is not None:
        yield changed(lambda k, c: setattr(k.tensors[t.name], "boundary", None))
    if t.dims is not None and t.role == "out":
        yield changed(lambda k, c: setattr(k.tensors[t.name], "dims", None))
    for d, dim in enumerate(t.dims or []):

        def put(extent, pad, d=d):
            return changed(lambda k, c: k.tensors[t.name].dims.__setitem__(d, Dim(extent, pad)))

        if dim.pad is not None:
            yield put(dim.extent, None)
        if dim.extent is not None and dim.extent.kind not in ("size", "num"):
            yield put(None, dim.pad)
        if dim.extent is not None and dim.extent.kind == "size":
            yield put(None, dim.pad)


def shrink(program, shows, budget=150):
    """The smallest program found for which `shows(program)` stays true, trying at most `budget` times."""
    best, progress, tried = program, True, set()
    while progress and budget > 0:
        progress = False
        numbers = sizes_of(best)
        for candidate in smaller(best.kernel, best.call, numbers):
            if budget <= 0:
                break
            try:
                other = judge(*prune(*candidate))
            except (Unclear, Undefined, KeyError, IndexError, ValueError):
                continue
            if other.expect != best.expect or not other.kernel.outputs():
                continue
            key = f"{other.kernel.text()}{other.call}"
            if key in tried:
                continue
            tried.add(key)
            budget -= 1
            if shows(other):
                best, progress = other, True
                break
    return best


def sizes_of(program):
    numbers = dict(program.call.sizes)
    for t in program.kernel.inputs():
        for d, dim in enumerate(t.dims or []):
            if dim.extent is not None and dim.extent.kind == "size":
                numbers[dim.extent.name] = program.call.shapes[t.name][d]
            numbers[f"{t.name}.{d}"] = program.call.shapes[t.name][d]
    return {**{n: v for n, v in program.kernel.params.items() if v is not None}, **numbers}


__all__ = ["shrink", "Node"]
