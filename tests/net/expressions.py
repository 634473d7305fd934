"""Random right sides: typed expressions over reads, scalars, sizes, indices and literals."""

from dataclasses import replace

from syntax import COMPARISONS, FLOATS, INTEGERS, TYPES, Node, binary, call, cast, index, num, read, size

DYADIC = [0.5, 1.5, 0.25, 2.0, 3.0, -0.5, 1.0, -1.25]


class Expressions:
    """Mixed into the generator."""

    def value(self, scope, type, depth):
        """An expression of the type that holds at least one read, scalar or cast, so that the type is its own."""
        if depth <= 0 or self.chance(0.25):
            return self.typed_leaf(scope, type)
        if type == "bool":
            return self.truth(scope, depth)
        return self.number(scope, type, depth)

    def operand(self, scope, type, depth):
        """As value, but it may be a literal, a size or an index."""
        if self.chance(0.25):
            return self.loose(scope, type)
        return self.value(scope, type, depth)

    def loose(self, scope, type):
        roll = self.rng.random()
        names = sorted(scope.box)
        if roll < 0.25 and names and type not in ("f16", "bf16"):
            return index(self.rng.choice(names), type)
        if roll < 0.4 and self.numbers and type not in ("f16", "bf16", "i8", "u8"):
            return size(self.rng.choice(sorted(self.numbers)), type)
        if roll < 0.45 and names and type in ("f32", "f64"):
            return binary("/", index(self.rng.choice(names), type), num(2, type), type)
        return self.literal(type)

    def literal(self, type):
        if type in FLOATS:
            return num(self.rng.choice(DYADIC + ([0.1, 2.7] if type in ("f32", "f64") else [])), type)
        if type[0] == "u":
            return num(self.rng.choice([0, 1, 2, 3, 7]), type)
        return num(self.rng.choice([-3, -1, 0, 1, 2, 3, 5]), type)

    def typed_leaf(self, scope, type):
        roll = self.rng.random()
        if roll < 0.08 and type != "bool":
            return self.scalar(type)
        if roll < 0.2 and not self.special:
            return self.conversion(scope, type)
        return self.any_read(scope, type)

    def scalar(self, type):
        fitting = [n for n, t in self.kernel.scalars.items() if t == type]
        fitting += [n for n, e in self.kernel.lets.items() if e.type == type and n[0].islower()]
        if not fitting:
            name = self.rng.choice(["alpha", "beta", "eps", "q", "w", "gain"])
            if name in self.kernel.scalars:
                return self.literal_cast(type)
            self.kernel.scalars[name] = type
            positive = type[0] == "u"
            self.call.scalars[name] = self.rng.choice(
                DYADIC if type in FLOATS else [0, 1, 2, 3] if positive else [-2, 0, 1, 3]
            )
            fitting = [name]
        return Node("scalar", self.rng.choice(fitting), type=type)

    def literal_cast(self, type):
        return cast(type, num(self.rng.randint(0, 5)))

    def conversion(self, scope, type):
        """A cast from another type."""
        if self.chance(0.3) and scope.box and type != "bool":
            return cast(type, index(self.rng.choice(sorted(scope.box))))
        other = self.rng.choice([t for t in TYPES if t != type])
        return cast(type, self.any_read(scope, other) if self.chance(0.6) else self.value(scope, other, 1))

    def any_read(self, scope, type):
        old = [t for t in self.readable(scope) if t.type == type]
        if old and (self.chance(0.5) or len(self.inputs()) >= 4):
            t = self.rng.choice(old)
            return self.read_old(scope, t)
        if len(self.inputs()) >= 5:
            return self.literal_cast(type) if type != "bool" else binary("==", num(1), num(1))
        return self.read_new(scope, type, None)

    def read_old(self, scope, t):
        places = [self.place_in(scope, n) for n in self.extents_of(t)]
        for d, dim in enumerate(t.dims or []):
            if t.role != "in" and dim.pad and places[d].kind == "index" and self.chance(0.7):
                back = self.chance(0.5)
                places[d] = binary("-" if back else "+", places[d], dim.pad[0 if back else 1])
        return read(t.name, places, t.type)

    # ---- by type -----------------------------------------------------------------------------------------------------
    def number(self, scope, type, depth):
        d = depth - 1
        kinds = ["min", "max", "select", "abs", "neg"]
        if not self.special:
            kinds += ["+", "+", "-", "*", "*", "*", "/", "%", "+"]
            kinds += ["smooth", "smooth", "step"] if type in FLOATS else []
        kind = self.rng.choice(kinds)
        if kind in ("min", "max"):
            return self.mixed(scope, type, d, lambda a, b: call(kind, a, b, type=type))
        if kind == "select":
            return self.mixed(scope, type, d, lambda a, b: call("select", self.truth(scope, 1), a, b, type=type))
        if kind == "abs":
            return call("abs", self.value(scope, type, d))
        if kind == "neg":
            return (
                Node("neg", "", (self.value(scope, type, d),), type) if type[0] != "u" else self.value(scope, type, d)
            )
        if kind == "smooth":
            return self.smooth(scope, type, d)
        if kind == "step":
            return call(self.rng.choice(["floor", "ceil", "round"]), self.value(scope, type, d))
        if kind in "/%":
            return self.quotient(scope, type, d, kind)
        return self.mixed(scope, type, d, lambda a, b: binary(kind, a, b, type))

    def mixed(self, scope, type, d, make):
        """Two operands of which one has the type for sure, in either order."""
        a, b = self.value(scope, type, d), self.operand(scope, type, d)
        return make(a, b) if self.chance(0.6) else make(b, a)

    def quotient(self, scope, type, d, op):
        a = self.value(scope, type, d)
        if type in INTEGERS:
            return binary(
                op, a, self.operand(scope, type, d) if self.chance(0.5) else num(self.rng.randint(1, 5), type), type
            )
        if self.chance(0.5):
            return binary(op, a, num(self.rng.choice([2.0, 0.5, 4.0, 3.0]), type), type)
        return binary(op, a, binary("+", call("abs", self.value(scope, type, d)), num(0.5, type), type), type)

    def smooth(self, scope, type, d):
        name = self.rng.choice(["sqrt", "rsqrt", "exp", "log", "sin", "cos", "tanh", "erf", "sigmoid", "pow"])
        a = self.value(scope, type, d)
        if name in ("rsqrt", "log"):
            a = binary("+", call("abs", a), num(0.5, type), type)
        if name == "sqrt":
            a = call("abs", a)
        if name == "exp":
            a = call("min", a, num(3.0, type))
        if name == "pow":
            base = binary("+", call("abs", a), num(0.5, type), type)
            return call("pow", base, num(self.rng.choice([1.5, 2.0, 0.5, -1.0, 3.0]), type), type=type)
        return call(name, a)

    def truth(self, scope, depth):
        kind = self.rng.choice(["compare", "compare", "compare", "and", "or", "not", "read", "whole", "cast"])
        if depth <= 0 or kind == "read":
            return self.any_read(scope, "bool")
        if kind == "whole" and scope.box:
            return self.index_truth(scope)
        if kind in ("and", "or"):
            return binary(kind, self.truth(scope, depth - 1), self.truth(scope, depth - 1))
        if kind == "not":
            return Node("not", "", (self.truth(scope, depth - 1),), "bool")
        type = self.rng.choice([self.main_type if self.main_type != "bool" else "i32", "f32", "i8"])
        if kind == "cast":
            return cast("bool", self.any_read(scope, type))
        op = self.rng.choice(COMPARISONS)
        return self.mixed(scope, type, depth - 1, lambda a, b: binary(op, a, b))

    def index_truth(self, scope):
        """A comparison of whole numbers alone. They are values here, not places: beside a cast they are of its type."""
        a = self.compound(scope, self.rng.choice([0, 1, 2]))
        b = self.compound(scope, 0) if self.chance(0.5) else num(self.rng.randint(0, 4))
        types = {n.type for n in a.walk() if n.kind == "cast"}
        if len(types) > 1:
            return self.index_truth(scope)
        type = types.pop() if types else "i64"
        return binary(self.rng.choice(COMPARISONS), of_type(type, a), of_type(type, b))


def of_type(type, node):
    if node.kind == "cast":
        return node
    return replace(node, type=type, args=tuple(of_type(type, a) for a in node.args))
