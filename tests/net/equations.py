"""Random equations: the first of a tensor, further ones, recurrences."""

from places import Scope
from syntax import FLOATS, TYPES, Dim, Equation, Node, Tensor, binary, call, cast, index, num, read, size

NEWER = True  # version 1.1 of the notation: `let`, `tmp`, conditions


class Equations:
    """Mixed into the generator."""

    def op(self, type):
        if type == "bool":
            return self.rng.choice(["=", "=", "and=", "or="])
        if self.special:
            return self.rng.choice(["=", "max=", "min="])
        return self.rng.choice(["=", "=", "+=", "+=", "+=", "*=", "max=", "min="])

    def left_places(self, scope):
        """The places of a tensor that is new."""
        places = []
        for _ in range(self.rng.choice([0, 1, 1, 1, 2, 2, 2, 3])):
            roll = self.rng.random()
            if roll < 0.72:
                places.append(index(self.new_index(scope)))
            elif roll < 0.8:
                places.append(num(self.rng.randint(0, 2)))
            else:
                places.append(self.left_compound(scope))
        return places

    def left_compound(self, scope):
        i = index(self.new_index(scope))
        kind = self.rng.choice(["shift", "block", "stretch", "any"])
        if kind == "shift":
            return binary("+", i, self.small())
        if kind == "stretch":
            return binary("*", num(2), i)
        if kind == "block":
            k = self.new_index(scope, self.rng.choice([1, 2, 3]))
            return binary("+", binary("*", num(scope.box[k][1]), i), index(k))
        place = self.compound(scope, 1)
        span = self.span(scope, place)
        if span is None or span[1] > 40:
            return i
        return place if span[0] >= 0 else binary("+", place, num(-span[0]))

    def equation(self, t, places, scope, op):
        right = self.value(scope, t.type, self.rng.choice([0, 1, 1, 1, 2, 2]))
        predicates = []
        if self.chance(0.15) and scope.box:
            predicates.append(self.index_truth(scope) if self.chance(0.6) else self.truth(scope, 1))
        return self.finish(t, places, op, right, predicates, scope)

    def finish(self, t, places, op, right, predicates, scope):
        """The equation, with ranges for indices that nothing else pins."""
        eq = Equation(t.name, tuple(places), op, right, (), tuple(predicates))
        used = set(eq.indices())
        ranges = []
        for name in sorted(used):
            pinned = any(r.args and any(p == index(name) for p in r.args) for r in eq.reads()) or index(name) in eq.at
            if name in scope.ranged or not pinned or self.chance(0.05):
                a, b = scope.ranged.get(name, (num(scope.box[name][0]), self.end(scope.box[name][1])))
                ranges.append((name, a, b))
        return Equation(t.name, tuple(places), op, right, tuple(ranges), tuple(predicates))

    def end(self, n):
        named = [name for name, v in sorted(self.numbers.items()) if v == n and name in self.bound]
        return size(self.rng.choice(named)) if named and self.chance(0.5) else num(n)

    def scope(self, op, left):
        scope = Scope(op != "=")
        scope.left = left
        return scope

    def first(self):
        """A new tensor with its first equation."""
        type = self.main_type if self.chance(0.8) else self.rng.choice(TYPES)
        op = self.op(type)
        role = self.rng.choice(["mid", "out"])
        name = self.new_name("YTQOIJ")
        t = Tensor(name, type, role, 0)
        scope = self.scope(op, name)
        places = self.left_places(scope)
        if op != "=" and self.chance(0.1):
            places.append(self.data(scope, 0, self.rng.randint(0, 4)))
        t.rank = len(places)
        self.maybe_range(scope)
        self.maybe_newer()
        eq = self.equation(t, places, scope, op)
        self.kernel.tensors[name] = t
        if role == "out" and self.chance(0.6) or role == "mid" and NEWER and self.chance(0.25):
            t.dims = [Dim(self.output_dim(scope, p)) for p in places]
        if role == "mid" and t.dims and self.chance(0.5):
            pads = [(num(self.rng.randint(0, 2)), num(self.rng.randint(0, 2))) for _ in places]
            t.dims = [Dim(d.extent, pad) for d, pad in zip(t.dims, pads)]
            t.boundary = self.rng.choice([None, "edge", "wrap", "symmetric"])
        return eq

    def output_dim(self, scope, place):
        if place.kind == "index" and place.name not in scope.ranged:
            return self.extent_formula(scope.box[place.name][1], self.chance(0.3))
        span = None if any(n.kind == "read" for n in place.walk()) else self.span(scope, place)
        if span is None:
            return self.given_size(self.rng.randint(5, 7))
        return None if self.chance(0.4) else num(span[1] + 1 + self.rng.choice([0, 0, 1]))

    def given_size(self, n):
        """A size that only the caller knows: `--set`, or the output's buffer."""
        free = [c for c in "ACGHUVW" if c not in self.numbers and c not in self.kernel.tensors]
        if self.chance(0.5) or not free:
            return num(n)
        name = self.rng.choice(free)
        self.numbers[name] = self.call.sizes[name] = n
        return size(name)

    def maybe_newer(self):
        """Sometimes a `let`, or a condition that holds."""
        named = [(n, v) for n, v in sorted(self.numbers.items()) if n in self.bound]
        if not NEWER or not named or self.chance(0.7):
            return
        (name, v), k = self.rng.choice(named), num(self.rng.randint(1, 3))
        free = [c for c in ("Alpha", "Beta", "Qs") if c not in self.numbers]
        if self.chance(0.4) and free:
            op = self.rng.choice("+*/%")
            self.kernel.lets[free[0]] = binary(op, size(name), k)
            self.numbers[free[0]] = {"+": v + k.value, "*": v * k.value, "/": v // k.value, "%": v % k.value}[op]
            self.bound.add(free[0])
        elif self.chance(0.5):
            op, other = self.rng.choice(
                [("==", v), ("<=", v + 1), (">=", v), ("<", v + 2), (">", v - 1), ("!=", v + 1)]
            )
            self.kernel.conditions.append(binary(op, size(name), num(other)))
        elif self.main_type != "bool":
            type, letter = self.main_type, f"s{len(self.kernel.lets)}"
            value = binary(self.rng.choice("+*"), cast(type, size(name)), self.literal(type), type)
            self.kernel.lets[letter] = (
                call("sqrt", call("abs", value)) if type in FLOATS and self.chance(0.5) else value
            )

    def maybe_range(self, scope):
        """Some indices get a range instead of a dim."""
        for name in sorted(scope.box):
            if self.chance(0.12):
                a, b = scope.box[name]
                low = self.rng.choice([a, a, a, min(1, b), -1])
                scope.box[name] = (low, b)
                scope.ranged[name] = (num(low), self.end(b))

    def further(self):
        """Another equation of a tensor that is defined."""
        t = self.rng.choice([t for t in self.kernel.tensors.values() if t.role != "in"])
        extents = self.known[t.name]
        if self.chance(0.3) and t.rank and t.type != "bool" and not self.special:
            return self.recurrence(t, extents)
        op = self.op(t.type)
        scope = self.scope(op, t.name)
        places = []
        for n in extents:
            roll = self.rng.random()
            if roll < 0.65 or n == 0:
                places.append(index(self.new_index(scope, n)))
            elif roll < 0.75:
                places.append(num(self.rng.randrange(n)))
            elif roll < 0.9:
                name = self.new_index(scope, n)
                low = self.rng.randrange(n)
                scope.box[name] = (low, self.rng.randint(low, n))
                scope.ranged[name] = tuple(num(x) for x in scope.box[name])
                places.append(index(name))
            elif op != "=":
                places.append(self.data(scope, 0, n - 1))
            else:
                places.append(binary("-", num(n - 1), index(self.new_index(scope, n))))
        eq = self.equation(t, places, scope, op)
        if op == "=" and self.chance(0.5) and t.type != "bool" and not self.special:
            own = read(t.name, places, t.type)
            right = binary(self.rng.choice("+-*"), own, eq.right, t.type)
            eq = self.finish(t, places, op, right, eq.predicates, scope)
        return eq

    def recurrence(self, t, extents):
        """`T[…, i, …] = f(T[…, i - lag, …], …) where i in lag:n`."""
        d = self.rng.randrange(t.rank)
        lag = self.rng.choice([1, 1, 2])
        if extents[d] < lag:
            return None
        op = self.rng.choice(["=", "=", "=", "+=", "max="])
        scope = self.scope("=", t.name)
        names = [self.new_index(scope, n) for n in extents]
        scope.box[names[d]] = (lag, extents[d])
        scope.ranged[names[d]] = (num(lag), self.end(extents[d]))
        places = [index(n) for n in names]
        back = [binary("-", p, num(self.rng.randint(1, lag))) if k == d else p for k, p in enumerate(places)]
        if self.chance(0.2):
            for k in range(t.rank):
                if k != d and extents[k] > 0:
                    back[k] = binary("%", binary("+", back[k], num(1)), num(extents[k]))
        own = read(t.name, back, t.type)
        other = self.value(scope, t.type, self.rng.choice([0, 1]))
        if t.type in FLOATS:
            own = binary("*", num(0.5, t.type), own, t.type) if self.chance(0.6) else own
        kinds = ["+", "-", "max", "min"] if t.type[0] != "u" else ["+", "max", "min"]
        kind = self.rng.choice(kinds)
        right = binary(kind, own, other, t.type) if kind in "+-" else Node("call", kind, (own, other), t.type)
        return self.finish(t, places, op, right, [], scope)
