"""Sizes of a program by numbers: rules 1 and 2 of the notation, forwards, by trying.

An `Unfit` says that Halogen must refuse the program; `Unclear` that the notation leaves open whether it must.
"""

import itertools
import operator

import numpy as np

from syntax import binary, num, text

LARGEST = 60  # an extent that rule 2 could choose larger than this is taken for unbounded


RELATIONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Unfit(Exception):
    pass


class Unclear(Exception):
    pass


def place_values(node, env):
    """The value of a place without data over arrays or numbers in `env` (indices and sizes by name)."""
    kind = node.kind
    if kind == "num":
        return np.int64(node.value)
    if kind in ("index", "size"):
        return env[node.name]
    if kind == "read":
        raise Unclear("data in a bound")
    args = [place_values(a, env) for a in node.args]
    if kind == "neg":
        return -args[0]
    if kind == "cast":
        return wrap(node.type, args[0])
    if kind == "call":
        return {"abs": np.abs, "min": np.minimum, "max": np.maximum}[node.name](*args)
    a, b = args
    if node.name in "/%" and np.any(np.asarray(b) <= 0):
        raise Unfit("divisor not positive: " + text(node))
    return {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.floor_divide, "%": np.mod}[node.name](a, b)


def wrap(type, v):
    bits = int(type[1:])
    if bits == 64:
        return v
    low = -(1 << (bits - 1)) if type[0] == "i" else 0
    return (np.asarray(v, np.int64) - low) % (1 << bits) + low


def has_data(node):
    return any(n.kind == "read" for n in node.walk())


def is_met_point_by_point(node):
    """A product of indices or a cast: places of such are refused where they are met, which a predicate may prevent."""
    if node.kind == "cast":
        return any(n.kind == "index" for n in node.walk())
    factors = node.args if node.kind == "bin" and node.name == "*" else ()
    return bool(factors) and all(any(n.kind == "index" for n in f.walk()) for f in factors)


def names_index(node, name):
    return any(n.kind == "index" and n.name == name for n in node.walk())


def moves_with(node, name):
    """True where the place depends on the index: `v % 1` and `2*v % 2` are numbers, whatever v is."""
    if not names_index(node, name) or has_data(node):
        return names_index(node, name)
    others = {n.name for n in node.walk() if n.kind in ("index", "size")} - {name}
    try:
        values = [place_values(node, {name: np.arange(1000)} | dict.fromkeys(others, np.int64(n))) for n in (1, 7, 50)]
    except Unfit:
        return True
    return any(np.ptp(v) > 0 for v in values)


def bare_name(extent):
    """The size that an extent is, alone or as `P + 0`; None where it is a formula."""
    if extent.kind == "bin" and extent.name == "+" and extent.args[1].kind == "num" and extent.args[1].value == 0:
        return bare_name(extent.args[0])
    return extent.name if extent.kind == "size" else None


class Sizes:
    """`extents[tensor]` is a list, `ranges[e][index]` is (begin, end) for equation number e, `sizes` names numbers."""

    def __init__(self, kernel, call):
        self.kernel, self.call = kernel, call
        self.extents = {t.name: [None] * t.rank for t in kernel.tensors.values()}
        self.sizes = dict(call.sizes)
        self.ranges = [{} for _ in kernel.equations]

    def solve(self):
        """Fills extents, ranges and sizes. Raises Unfit, Unclear."""
        for name, shape in self.call.shapes.items():
            for d, n in enumerate(shape):
                self.set_cell((name, d), n)
        self.defaults()
        self.spread()
        while self.rule_two():
            self.spread()
        self.require_all()
        self.check()

    # ---- cells -------------------------------------------------------------------------------------------------------
    def set_cell(self, cell, value):
        name, d = cell
        known = self.extents[name][d]
        if known is not None and known != value:
            raise Unfit(f"contradictory: dim {d} of {name} is {known} and {value}")
        changed = known is None
        self.extents[name][d] = int(value)
        self.sizes[f"{name}.{d}"] = int(value)
        return changed

    def defaults(self):
        """A default holds where neither the caller nor a dim of that name says otherwise."""
        for t in self.kernel.tensors.values():
            for d, dim in enumerate(t.dims or []):
                known = self.extents[t.name][d]
                name = bare_name(dim.extent) if dim.extent is not None else None
                if name and known is not None:
                    self.sizes.setdefault(name, known)
        for name, value in self.kernel.params.items():
            if value is not None:
                self.sizes.setdefault(name, value)

    def declared(self):
        """Names of sizes from dims that are bare names; dims from what is declared."""
        changed = False
        for name, formula in self.kernel.lets.items():
            if name[0].isupper() and name not in self.sizes and self.formula(formula) is not None:
                self.sizes[name] = self.formula(formula)
                changed = True
        for t in self.kernel.tensors.values():
            for d, dim in enumerate(t.dims or []):
                if dim.extent is None:
                    continue
                known = self.extents[t.name][d]
                value = self.formula(dim.extent)
                if value is not None:
                    if value < 0:
                        raise Unfit(f"negative: dim {d} of {t.name}")
                    changed |= self.set_cell((t.name, d), value)
                elif known is not None and (name := bare_name(dim.extent)):
                    self.sizes[name] = known
                    changed = True
        return changed

    def formula(self, node):
        try:
            return int(place_values(node, self.sizes))
        except KeyError:
            return None

    # ---- rule 1 ------------------------------------------------------------------------------------------------------
    def pins(self, e, name):
        """The cells that give index `name` of equation e its extent."""
        eq = self.kernel.equations[e]
        found = [(eq.tensor, d) for d, p in enumerate(eq.at) if p.kind == "index" and p.name == name]
        places = [(r.name, d, p) for r in eq.reads() for d, p in enumerate(r.args)]
        plain = [(tensor, d) for tensor, d, p in places if p.kind == "index" and p.name == name]
        compound = [(tensor, d, p) for tensor, d, p in places if p.kind != "index" and names_index(p, name)]
        moving = {(tensor, d) for tensor, d, p in compound if moves_with(p, name)}
        if any((tensor, d) in plain and (tensor, d) not in moving for tensor, d, _ in compound):
            raise Unclear("a plain read beside a place that names its index and does not move with it")
        if any((tensor, d) in plain and has_data(p) for tensor, d, p in compound):
            raise Unclear("a plain read beside data at a place that names its index")
        return found + [cell for cell in plain if cell not in moving]

    def spread(self):
        while self.declared() or self.by_pins() or self.by_places():
            pass

    def by_pins(self):
        changed = False
        for e, eq in enumerate(self.kernel.equations):
            given = {i for i, _, _ in eq.ranges}
            for i, a, b in eq.ranges:
                ends = self.formula(a), self.formula(b)
                if i not in self.ranges[e] and None not in ends:
                    if ends[1] < ends[0]:
                        raise Unfit(f"negative: the range of {i}")
                    self.ranges[e][i] = ends
                    changed = True
            for i in eq.indices():
                if i in given:
                    continue
                cells = self.pins(e, i)
                known = [self.extents[t][d] for t, d in cells if self.extents[t][d] is not None]
                if i in self.ranges[e]:
                    known.append(self.ranges[e][i][1])
                if not known:
                    continue
                changed |= i not in self.ranges[e]
                self.ranges[e].setdefault(i, (0, known[0]))
                for cell in cells:
                    changed |= self.set_cell(cell, known[0])
        return changed

    def by_places(self):
        """Dims of what is defined that no index alone reaches: the largest place + 1."""
        for name, extents in self.extents.items():
            for d, known in enumerate(extents):
                values = self.written_places(name, d) if known is None else []
                if not values or None in values:
                    continue
                dims = self.kernel.tensors[name].dims
                if dims and dims[d].extent is not None:
                    raise Unclear("the largest place in a dim of a name")
                if () in values:
                    raise Unclear("the largest place of an empty equation")
                return self.set_cell((name, d), max(v[1] for v in values) + 1)
        return False

    def written_places(self, name, d):
        """The spans of the places in a dim of what is defined, where no index alone reaches it; nothing elsewhere."""
        if self.kernel.tensors[name].role == "in":
            return []
        writers = [
            (e, eq.at[d], {i for i, _, _ in eq.ranges})
            for e, eq in enumerate(self.kernel.equations)
            if eq.tensor == name
        ]
        if any(p.kind == "index" and p.name not in given for _, p, given in writers):
            return []
        # Data bound nothing: what they name is looked at.
        return [self.span(e, p) for e, p, _ in writers if not has_data(p)]

    def span(self, e, place):
        """Least and largest value of a place over its box; () over an empty one, None while something is unknown."""
        if has_data(place):
            return None
        names = list(dict.fromkeys(n.name for n in place.walk() if n.kind == "index"))
        if any(n not in self.ranges[e] for n in names):
            return None
        axes = [np.arange(*self.ranges[e][n]) for n in names]
        env = dict(self.sizes)
        env.update(zip(names, np.meshgrid(*axes, indexing="ij") if axes else []))
        if any(a.size == 0 for a in axes):
            return ()
        try:
            values = place_values(place, env)
        except KeyError:
            return None
        return int(np.min(values)), int(np.max(values))

    # ---- rule 2 ------------------------------------------------------------------------------------------------------
    def rule_two(self):
        for name in self.extents:
            if self.kernel.tensors[name].role == "in":
                continue
            for d, known in enumerate(self.extents[name]):
                open_in = [
                    (e, eq.at[d].name)
                    for e, eq in enumerate(self.kernel.equations)
                    if eq.tensor == name and eq.at[d].kind == "index" and eq.at[d].name not in self.ranges[e]
                ]
                held = [(e, i) for e, i in open_in if self.holding(e, i)]  # the others follow from the dim
                if known is not None or not held:
                    continue
                fits = [self.largest(e, i) for e, i in held]
                if None in fits:
                    continue
                if min(fits) < 1:
                    raise Unfit(f"negative: rule 2 gives dim {d} of {name} {min(fits)}")
                return self.set_cell((name, d), min(fits))
        return False

    def holding(self, e, i):
        """The places that index i of equation e moves, but those that data decide, which bound nothing, and the tensor's own."""
        eq = self.kernel.equations[e]
        return [
            (r, d, p)
            for r in eq.reads()
            for d, p in enumerate(r.args)
            if r.name != eq.tensor and names_index(p, i) and not has_data(p)
        ]

    def largest(self, e, i):
        """The largest extent of index i that keeps what it reads inside; None where that cannot be said yet."""
        places, best = self.holding(e, i), 0
        for n in range(1, LARGEST + 1):
            self.ranges[e][i] = (0, n)
            inside = [self.is_inside(e, r, d, p) for r, d, p in places]
            del self.ranges[e][i]
            if None in inside:
                return None
            if not all(inside):
                return best
            best = n
        raise Unfit(f"underdetermined: nothing bounds {i}")

    def is_inside(self, e, access, d, place):
        extent, span = self.extents[access.name][d], self.span(e, place)
        if extent is None or span is None:
            return None
        if span == ():
            return True
        low, high = self.pad(access.name, d)
        return -low <= span[0] and span[1] < extent + high

    def pad(self, name, d):
        dims = self.kernel.tensors[name].dims
        if not dims or dims[d].pad is None:
            return 0, 0
        pads = tuple(self.formula(p) for p in dims[d].pad)
        if None in pads:
            raise Unfit(f"underdetermined: the pad of {name}")
        return pads

    # ---- what must hold ----------------------------------------------------------------------------------------------
    def require_all(self):
        for eq in self.kernel.equations:
            left = {n.name for p in eq.at for n in p.walk() if n.kind == "index"}
            if eq.op == "=" and set(eq.indices()) - left:
                raise Unfit(f"index missing on the left of {eq.text()}")
        for e, eq in enumerate(self.kernel.equations):
            for i in set(eq.indices()) - set(self.ranges[e]):
                if any(names_index(p, i) and p.kind != "index" for p in eq.at):
                    raise Unclear("rule 2 for an index that the left holds at a compound place")
        for name, extents in self.extents.items():
            if None in extents:
                raise Unfit(f"underdetermined: {name} is {extents}")
        for e, eq in enumerate(self.kernel.equations):
            for i in eq.indices():
                if i not in self.ranges[e]:
                    raise Unfit(f"underdetermined: index {i} of {eq.text()}")

    def check(self):
        for c in self.kernel.conditions:
            a, b = (place_values(side, self.sizes) for side in c.args)
            if not RELATIONS[c.name](a, b):
                raise Unfit("condition: " + text(c))
        for t in self.kernel.tensors.values():
            for d, n in enumerate(self.extents[t.name]):
                low, high = self.pad(t.name, d)
                if low < 0 or high < 0:
                    raise Unfit("negative pad")
                if isinstance(t.boundary, str) and t.boundary not in ("lowest", "highest") and t.dims and t.dims[d].pad:
                    least = max(low, high) + 1 if t.boundary == "reflect" else 1
                    if n < least:
                        raise Unfit(f"negative: {t.boundary} in dim {d} of {t.name} with extent {n}")
        self.check_given()
        self.check_written()
        for e, eq in enumerate(self.kernel.equations):
            self.check_equation(e, eq)

    def check_given(self):
        """A number given for a bare size that rule 2 would find has to be what it finds, if nothing else fixes that size."""
        for t in self.kernel.tensors.values():
            for d, dim in enumerate(t.dims or [] if t.role != "in" else []):
                name = bare_name(dim.extent) if dim.extent is not None else None
                if name not in self.call.sizes or name in self.kernel.params:
                    continue
                for e, eq in enumerate(self.kernel.equations):
                    if eq.tensor != t.name or eq.at[d].kind != "index":
                        continue
                    i = eq.at[d].name
                    if any(i == n for n, _, _ in eq.ranges) or not self.holding(e, i):
                        continue
                    known = self.ranges[e].pop(i)
                    try:
                        best = self.largest(e, i)
                    except Unfit:  # nothing bounds it
                        best = known[1]
                    self.ranges[e][i] = known
                    if best != known[1]:
                        raise Unclear("a given size beside the largest that fits")

    def check_written(self):
        """A plain read may have said first what the largest place + 1 says of an undeclared dim."""
        for name, extents in self.extents.items():
            dims = self.kernel.tensors[name].dims
            for d, known in enumerate(extents):
                values = [] if dims and dims[d].extent is not None else self.written_places(name, d)
                if values and None not in values and () not in values and known != max(v[1] for v in values) + 1:
                    raise Unfit(f"contradictory: dim {d} of {name} is {known}")

    def check_equation(self, e, eq):
        fixed = [d for d, place in enumerate(eq.at) if not any(n.kind in ("index", "read") for n in place.walk())]
        empty = any(a == b for a, b in self.ranges[e].values()) or any(self.extents[eq.tensor][d] == 0 for d in fixed)
        for access, is_left in [(eq, True)] + [(r, False) for r in eq.reads()]:
            name = eq.tensor if is_left else access.name
            for d, place in enumerate(eq.at if is_left else access.args):
                self.check_divisors(place)
                if has_data(place):
                    continue
                span = self.span(e, place)
                low, high = (0, 0) if is_left else self.pad(name, d)
                extent = self.extents[name][d]
                if span is None:
                    raise Unfit(f"underdetermined: {text(place)} in {eq.text()}")
                if span == () or extent == 0 and not any(n.kind == "index" for n in place.walk()):
                    continue
                if -low <= span[0] and span[1] < extent + high:
                    continue
                if empty:
                    raise Unclear("an access outside in an empty equation")
                if eq.predicates and any(is_met_point_by_point(n) for n in place.walk()):
                    raise Unclear("a product or cast of indices outside, where a predicate may leave it out")
                raise Unfit(f"outside: {text(place)} in dim {d} of {name}")

    def check_divisors(self, place):
        """Divisors of sizes alone are positive in every call, also in one that has no points."""
        for n in place.walk():
            if n.kind == "bin" and n.name in "/%" and not any(m.kind in ("index", "read") for m in n.args[1].walk()):
                place_values(binary(n.name, num(0), n.args[1]), self.sizes)

    def points(self, e):
        """All points of equation e, in textual order of its indices: a dict of flat arrays."""
        names = list(self.ranges[e])
        axes = [range(*self.ranges[e][n]) for n in names]
        count = int(np.prod([len(a) for a in axes])) if axes else 1
        table = np.array(list(itertools.product(*axes)), np.int64).reshape(count, len(names))
        return {n: table[:, k] for k, n in enumerate(names)}
