"""Programs as values: expressions, tensors, equations, kernels, and how they print. Nothing here reads a text."""

from dataclasses import dataclass, field, replace

FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32")
TYPES = FLOATS + INTEGERS + ("bool",)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
STRENGTH = {"or": 1, "and": 2, **{c: 4 for c in COMPARISONS}, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}


@dataclass(frozen=True)
class Node:
    """An expression. `kind`: num, index, size, scalar, read, neg, not, bin, call (with select), cast."""

    kind: str
    name: str = ""
    args: tuple = ()
    type: str = ""
    value: object = None

    def walk(self):
        yield self
        for a in self.args:
            yield from a.walk()


def num(value, type="i64"):
    return Node("num", value=value, type=type)


def index(name, type="i64"):
    return Node("index", name, type=type)


def size(name, type="i64"):
    return Node("size", name, type=type)


def read(tensor, places, type):
    return Node("read", tensor, tuple(places), type)


def binary(op, a, b, type=None):
    return Node("bin", op, (a, b), type or ("bool" if op in COMPARISONS or op in ("and", "or") else a.type))


def call(function, *args, type=None):
    return Node("call", function, args, type or args[-1].type)


def cast(to, a):
    return Node("cast", "", (a,), to)


def number_text(n):
    if isinstance(n, float):
        return repr(n) if n == int(n) or "e" not in repr(n) else f"{n:.10f}".rstrip("0")
    return str(n)


def text(node, strength=0):
    """The node as the notation writes it, in brackets where its surroundings bind closer than `strength`."""
    kind = node.kind
    if kind == "num":
        out = number_text(node.value)
        return f"({out})" if node.value < 0 and strength > 0 else out
    if kind in ("index", "size", "scalar"):
        return node.name
    if kind == "read":
        return f"{node.name}[{', '.join(text(a) for a in node.args)}]"
    if kind == "call":
        return f"{node.name}({', '.join(text(a) for a in node.args)})"
    if kind == "cast":
        return f"{node.type}({text(node.args[0])})"
    if kind in ("neg", "not"):
        own = 7 if kind == "neg" else 3
        out = ("-" if kind == "neg" else "not ") + text(node.args[0], own + 1)
        return f"({out})" if strength >= own else out
    own = STRENGTH[node.name]
    left, right = text(node.args[0], own - (own != 4)), text(node.args[1], own)
    out = f"{left}{node.name}{right}" if node.name in "*/%" else f"{left} {node.name} {right}"
    return f"({out})" if own <= strength else out


@dataclass
class Dim:
    """`extent` is a formula of sizes, or None for a dim without one. `pad` is (before, behind), formulas or None."""

    extent: Node = None
    pad: tuple = None

    def text(self):
        out = text(self.extent) if self.extent else "_"
        if self.pad is None:
            return out
        low, high = text(self.pad[0]), text(self.pad[1])
        return f"{out} pad {low}" if low == high else f"{out} pad ({low}, {high})"


@dataclass
class Tensor:
    """`role`: in, out, mid. `boundary`: None, a number, or a mode's name. `span` is what data in it may be."""

    name: str
    type: str
    role: str
    rank: int
    dims: list = None  # of Dim; None where the equations give the rank
    boundary: object = None
    span: tuple = None

    def text(self):
        out = f"{self.name}: {self.type}"
        if self.dims is not None:
            out += f"[{', '.join(d.text() for d in self.dims)}]"
        if self.boundary is not None:
            out += f" else {self.boundary if isinstance(self.boundary, str) else number_text(self.boundary)}"
        return out


@dataclass(frozen=True)
class Equation:
    """`left op right where …`: `ranges` maps an index to its two ends, `predicates` are expressions of bool."""

    tensor: str
    at: tuple
    op: str
    right: Node
    ranges: tuple = ()  # of (index, begin, end)
    predicates: tuple = ()

    def text(self):
        out = f"{self.tensor}[{', '.join(text(p) for p in self.at)}] {self.op} {text(self.right)}"
        items = [f"{i} in {text(a)}:{text(b)}" for i, a, b in self.ranges] + [text(p) for p in self.predicates]
        return out + (" where " + ", ".join(items) if items else "")

    def walk(self):
        """Every expression: places of the left, the right, predicates."""
        for part in (*self.at, self.right, *self.predicates):
            yield from part.walk()

    def indices(self):
        found = dict.fromkeys(n.name for n in self.walk() if n.kind == "index")
        return list(found) + [i for i, _, _ in self.ranges if i not in found]

    def reads(self):
        return [n for n in self.walk() if n.kind == "read"]


@dataclass
class Kernel:
    name: str
    tensors: dict = field(default_factory=dict)
    params: dict = field(default_factory=dict)  # of sizes: name to default, or None
    scalars: dict = field(default_factory=dict)  # name to type
    equations: list = field(default_factory=list)

    def inputs(self):
        return [t for t in self.tensors.values() if t.role == "in"]

    def outputs(self):
        return [t for t in self.tensors.values() if t.role == "out"]

    def text(self):
        items = [t.text() for t in self.inputs()]
        items += [f"{n}: size" + ("" if v is None else f" = {v}") for n, v in self.params.items()]
        items += [f"{n}: {t}" for n, t in self.scalars.items()]
        outputs = [t.text() for t in self.outputs()]
        out = outputs[0] if len(outputs) == 1 else f"({', '.join(outputs)})"
        lines = "".join(f"  {e.text()}\n" for e in self.equations)
        return f"kernel {self.name}({', '.join(items)}) -> {out} {{\n{lines}}}\n"


@dataclass
class Call:
    """What a program is called with: `shapes` of its inputs, `sizes` set, `data`, `scalars`, memory `orders`."""

    shapes: dict = field(default_factory=dict)
    sizes: dict = field(default_factory=dict)
    data: dict = field(default_factory=dict)
    scalars: dict = field(default_factory=dict)
    orders: dict = field(default_factory=dict)


def map_node(node, change):
    """The node with `change` applied to every part, leaves first."""
    return change(replace(node, args=tuple(map_node(a, change) for a in node.args)) if node.args else node)
