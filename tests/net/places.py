"""Random expressions in brackets: what an access may hold, for dims that still can be chosen and for given ones."""

import numpy as np

from sizes import Unfit, place_values
from syntax import binary, call, cast, index, num, read, size

DATA_TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32")


class Scope:
    """The indices of one equation: `box[i]` is (begin, end); those in `ranged` get an `in`."""

    def __init__(self, reduces):
        self.box, self.ranged, self.reduces, self.data = {}, {}, reduces, False

    def points(self):
        n = 1
        for a, b in self.box.values():
            n *= max(b - a, 0)
        return n


class Places:
    """Mixed into the generator, which has `rng`, `numbers` (sizes by name), and makes tensors."""

    def span(self, scope, place):
        """Least and largest value over the scope's box, or None where it is empty or divides by 0."""
        names = sorted({n.name for n in place.walk() if n.kind == "index"})
        axes = [np.arange(*scope.box[n]) for n in names]
        if any(a.size == 0 for a in axes):
            return None
        env = dict(self.numbers)
        env.update(zip(names, np.meshgrid(*axes, indexing="ij") if axes else []))
        try:
            v = place_values(place, env)
        except (Unfit, KeyError):
            return None
        return int(np.min(v)), int(np.max(v))

    def some_index(self, scope):
        if not scope.box or (scope.reduces and len(scope.box) < 4 and self.chance(0.3)):
            if scope.reduces and scope.points() < 400:
                return self.new_index(scope)
        return self.rng.choice(sorted(scope.box)) if scope.box else None

    def new_index(self, scope, extent=None):
        free = [n for n in "ijklmnabcxyrstuv" if n not in scope.box]
        name = self.rng.choice(free)
        scope.box[name] = (0, self.extent() if extent is None else extent)
        return name

    def small(self, low=1, high=3):
        """A small number: a literal, or a size that has such a value."""
        fitting = [n for n, v in sorted(self.numbers.items()) if low <= v <= high and "." not in n]
        if fitting and self.chance(0.3):
            return size(self.rng.choice(fitting))
        return num(self.rng.randint(low, high))

    def compound(self, scope, depth=2):
        """An expression of indices without data."""
        name = self.some_index(scope)
        if name is None:
            return num(self.rng.randint(0, 3))
        i = index(name)
        if depth == 0:
            return i
        a = self.compound(scope, depth - 1)
        b = self.compound(scope, depth - 1)
        c = self.small()
        kind = self.rng.choice(
            [
                "shift",
                "shift",
                "stretch",
                "stretch",
                "sum",
                "sum",
                "less",
                "back",
                "halve",
                "rest",
                "rest",
                "abs",
                "min",
                "max",
                "pick",
                "product",
                "cast",
                "mixed",
            ]
        )
        if kind == "shift":
            return binary("+", a, c)
        if kind == "stretch":
            return binary("*", c, a) if self.chance(0.5) else binary("+", binary("*", c, i), b)
        if kind == "sum":
            return binary("+", a, b)
        if kind == "less":
            return binary("-", a, c if self.chance(0.5) else b)
        if kind == "back":
            return binary("-", num(scope.box[name][1] - 1), i)
        if kind == "halve":
            return binary("/", a, c)
        if kind == "rest":
            return binary("%", a, c)
        if kind == "abs":
            return call("abs", binary("-", a, c if self.chance(0.5) else b))
        if kind in ("min", "max"):
            return call(kind, a, b if self.chance(0.5) else num(self.rng.randint(0, 5)))
        if kind == "pick":
            return binary("%", binary("+", i, c), num(self.rng.randint(1, 5)))
        if kind == "product":
            return binary("*", i, b)
        if kind == "cast":
            return cast(self.rng.choice(["i32", "i64", "i16", "u8"]), i)
        return binary("+", binary("*", num(2), binary("/", i, num(2))), binary("%", i, num(2)))

    def data(self, scope, low, high):
        """A read of integers that lie in [low, high], sometimes with arithmetic around it."""
        scope.data = True
        if self.chance(0.15) and low <= 0 and high >= 1:
            m = num(high + 1)
            inner = self.data_read(scope, -9, 9)
            return self.rng.choice(
                [
                    binary("%", inner, m, "i64"),
                    call("min", call("abs", inner, type="i64"), num(high)),
                    call("max", call("min", inner, num(high)), num(low)),
                ]
            )
        if self.chance(0.15) and low <= 0 and high >= 1:
            return binary("+", self.data_read(scope, 0, high - 1), num(1), "i64")
        if self.chance(0.1) and low <= 0 <= high:
            return cast("i32", self.read_new(scope, self.rng.choice(["f32", "f64"]), (0, high), plain=True))
        return self.data_read(scope, low, high)

    def data_read(self, scope, low, high):
        fitting = [
            t for t in self.inputs() if t.type in DATA_TYPES and t.span and low <= t.span[0] and t.span[1] <= high
        ]
        if fitting and self.chance(0.4):
            t = self.rng.choice(fitting)
            return read(t.name, [self.place_in(scope, n, data=False) for n in self.call.shapes[t.name]], t.type)
        types = [t for t in DATA_TYPES if low >= 0 or t[0] == "i"]
        return self.read_new(scope, self.rng.choice(types), (low, high), plain=self.chance(0.8))

    def place_new(self, scope, plain=False):
        """A place in a dim that is still free, with the dim's extent and padding: (place, extent, pad)."""
        roll = self.rng.random()
        name = self.some_index(scope)
        if name and (plain or roll < 0.5):
            low, high = scope.box[name]
            if low >= 0:
                slack = self.rng.choice([0, 0, 1]) if name in scope.ranged else 0
                return index(name), high + slack, None
        if roll < 0.57 and not plain:
            n = max(self.extent(), 1)
            return self.data(scope, 0, n - 1), n, None
        if roll < 0.62 or not name:
            n = max(self.extent(), 1)
            return num(self.rng.randrange(n)), n, None
        place = self.compound(scope, self.rng.choice([1, 1, 2, 3]))
        return self.fit(scope, place)

    def fit(self, scope, place):
        span = self.span(scope, place)
        if span is None or span[1] - span[0] > 40 or abs(span[0]) > 40:
            name = self.some_index(scope)
            return (index(name), scope.box[name][1], None) if scope.box[name][0] >= 0 else (num(0), 1, None)
        low, high = span
        pad_low = pad_high = 0
        if self.chance(0.35):
            pad_high = min(self.rng.choice([0, 0, 1, 2, 3]), max(high, 0))
            pad_low = self.rng.choice([0, 0, 1, 2]) if low >= 0 else -low
            pad_low += self.rng.choice([0, 0, 0, 1])
        if low < -pad_low:
            shift = -low - pad_low
            place = binary("+", place, num(shift))
            high += shift
        slack = self.rng.choice([0, 0, 0, 1, 2])
        extent = max(high + 1 - pad_high + slack, 0 if pad_low or pad_high else 1)
        if extent == 0:
            extent, pad_high = 1, max(pad_high - 1, 0)
        return place, extent, (pad_low, pad_high) if pad_low or pad_high else None

    def place_in(self, scope, n, data=True):
        """A place in a dim of extent n."""
        exact = [i for i, b in sorted(scope.box.items()) if b == (0, n) and i not in scope.ranged]
        inner = [i for i, b in sorted(scope.box.items()) if b[0] >= 0 and b[1] <= n and i in scope.ranged]
        roll = self.rng.random()
        if exact and (roll < 0.65 or n == 0):
            return index(self.rng.choice(exact))
        if inner and roll < 0.8:
            return index(self.rng.choice(inner))
        if n == 0 or (scope.reduces and len(scope.box) < 4 and scope.points() * n < 600 and roll < 0.75):
            return index(self.new_index(scope, n))
        if data and roll < 0.82:
            return self.data(scope, 0, n - 1)
        if roll < 0.88 or not scope.box:
            return num(self.rng.randrange(n))
        place = self.compound(scope, self.rng.choice([1, 2]))
        span = self.span(scope, place)
        if span and 0 <= span[0] and span[1] < n:
            return place
        if span and span[0] >= 0 and self.chance(0.3):
            return call("min", place, num(n - 1))
        return binary("%", place, num(n))
