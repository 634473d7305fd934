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
    lets: dict = field(default_factory=dict)  # name to expression; a capital is a size
    conditions: list = field(default_factory=list)  # relations of sizes

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
        if self.conditions:
            out += " where " + ", ".join(text(c) for c in self.conditions)
        body = [f"let {n} = {text(e)}" for n, e in self.lets.items()]
        body += [f"tmp {t.text()}" for t in self.tensors.values() if t.role == "mid" and t.dims is not None]
        body += [e.text() for e in self.equations]
        return f"kernel {self.name}({', '.join(items)}) -> {out} {{\n" + "".join(f"  {b}\n" for b in body) + "}\n"


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


def names_in(kernel):
    """Every name that equations, dims and conditions use, and the lets that these need."""
    parts = [n for eq in kernel.equations for n in eq.walk()]
    parts += [n for eq in kernel.equations for r in eq.ranges for e in r[1:] for n in e.walk()]
    dims = [d for t in kernel.tensors.values() for d in t.dims or []]
    parts += [n for d in dims for e in (d.extent, *(d.pad or ())) if e for n in e.walk()]
    parts += [n for c in kernel.conditions for n in c.walk()]
    named = {n.name for n in parts}
    for name, value in reversed(kernel.lets.items()):
        named |= {n.name for n in value.walk()} if name in named else set()
    return named


def prune(kernel, call):
    """Drops what nobody reads or names: inputs, scalars, sizes, lets; a tensor nobody reads becomes an output."""
    readers = {}
    for eq in kernel.equations:
        for r in eq.reads():
            readers.setdefault(r.name, set()).add(eq.tensor)
    written = {eq.tensor for eq in kernel.equations}
    kernel.tensors = {n: t for n, t in kernel.tensors.items() if n in written or t.role == "in" and n in readers}
    for t in kernel.tensors.values():
        if t.role == "mid" and not readers.get(t.name, set()) - {t.name}:
            t.role = "out"
    if not kernel.outputs() and kernel.equations:
        kernel.tensors[kernel.equations[-1].tensor].role = "out"
    bound = {d.extent.name for t in kernel.inputs() for d in t.dims or [] if d.extent and d.extent.kind == "size"}
    bound |= set(kernel.params) | set(kernel.lets)
    kernel.conditions = [c for c in kernel.conditions if {n.name for n in c.walk() if n.kind == "size"} <= bound]
    named = names_in(kernel)
    kernel.lets = {n: e for n, e in kernel.lets.items() if n in named}
    kernel.scalars = {n: t for n, t in kernel.scalars.items() if n in named}
    kernel.params = {n: v for n, v in kernel.params.items() if n in named}
    for table in (call.shapes, call.data):
        for n in [n for n in table if n not in kernel.tensors]:
            del table[n]
    call.scalars = {n: v for n, v in call.scalars.items() if n in named}
    call.sizes = {n: v for n, v in call.sizes.items() if n in named}
    return kernel, call
