"""Random programs: a kernel, the sizes and data of one call, and what must come out."""

import copy
import random
from dataclasses import dataclass

import numpy as np

import values as V
from equations import Equations
from expressions import DYADIC, Expressions
from oracle import Oracle, OutOfRange
from places import Places
from sizes import Sizes, Unclear, Unfit
from syntax import FLOATS, TYPES, Call, Dim, Kernel, Tensor, binary, num, prune, read, size
from values import Undefined

MODES = [None, None, "lowest", "highest", "edge", "reflect", "symmetric", "wrap", "number", "number"]

MOST_ELEMENTS = 20_000  # of a tensor: they stand in the text of the program that calls the kernel


class Skip(Exception):
    """No program came of this seed; the text says why."""


@dataclass
class Program:
    """`expect`: "ok" with values and errors by output, "refused" or "data" (refused for what stands in the data)."""

    kernel: Kernel
    call: Call
    expect: str = "ok"
    why: str = ""
    shapes: dict = None  # of the outputs; where the program is refused, what was known
    values: dict = None
    errors: dict = None


def judge(kernel, call):
    """The program with the oracle's verdict. Raises Unclear, Undefined."""
    sizes = Sizes(kernel, call)
    names = [t.name for t in kernel.outputs()]

    def known():
        return {n: [1 if x is None else x for x in sizes.extents[n]] for n in names}

    try:
        sizes.solve()
        oracle = Oracle(kernel, call, sizes)
    except Unfit as unfit:
        return Program(kernel, call, "refused", str(unfit), known())
    except OutOfRange as out:
        return Program(kernel, call, "data", str(out), known())
    values, errors = ({n: of[n] for n in names} for of in (oracle.values, oracle.errors))
    return Program(kernel, call, "ok", "", known(), values, errors)


class Generator(Equations, Places, Expressions):
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.special = self.chance(0.06)  # NaN and infinities among the data: only what moves and compares values
        self.large = self.chance(0.5)  # narrow integers over their whole range
        self.fine = self.chance(0.3)  # floats that are no short binary fractions
        self.long = self.rng.choice([0, 0, 1, 2, 3])  # extents of more than a vector, still to be given away
        self.kernel, self.call = Kernel("k"), Call()
        self.numbers = {}
        self.main_type = self.rng.choice(TYPES + ("f32", "f32", "i32"))

    def chance(self, p):
        return self.rng.random() < p

    def extent(self):
        """Mostly less than a vector; now and then around whole vectors and strips of them, of bytes as of doubles."""
        if self.long and self.chance(0.4):
            self.long -= 1
            return self.rng.choice([15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 250, 257])
        return self.rng.choice([1, 2, 2, 3, 3, 4, 5, 5, 7, 8, 11, 13, 0] if self.chance(0.25) else [2, 3, 3, 4, 5, 7])

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def inputs(self):
        return [t for t in self.kernel.inputs() if t.name in self.call.shapes]

    def readable(self, scope):
        return self.inputs() + [
            t for t in self.kernel.tensors.values() if t.name != scope.left and t.name in self.known
        ]

    def extents_of(self, t):
        return self.call.shapes[t.name] if t.role == "in" else self.known[t.name]

    def new_name(self, letters):
        free = [c for c in letters if c not in self.kernel.tensors and c not in self.numbers]
        return self.rng.choice(free) if free else f"{letters[0]}{len(self.kernel.tensors)}"

    def extent_formula(self, n, binds):
        """What a declaration says of an extent n: a name that may be new, a number, a formula, or nothing."""
        roll = self.rng.random()
        numbers = [(m, v) for m, v in sorted(self.numbers.items()) if "." not in m and m not in self.kernel.lets]
        named = [name for name, v in numbers if v == n]
        if named and roll < 0.35:
            return size(self.rng.choice(named))
        if binds and roll < 0.75:
            free = [c for c in "NMKHWLPQRSC" if c not in self.numbers and c not in self.kernel.tensors]
            if free:
                name = self.rng.choice(free)
                self.numbers[name] = n
                return size(name)
        other = [(name, v) for name, v in numbers if name in self.bound]
        if other and roll < 0.85:
            name, v = self.rng.choice(other)
            return binary("+", size(name), num(n - v)) if n >= v else binary("-", size(name), num(v - n))
        return num(n) if roll < 0.93 else None

    def read_new(self, scope, type, span, plain=False):
        """A read of an input made for it."""
        name = self.new_name("XABDEFGZUV")
        rank = self.rng.choice([1, 1, 2, 2, 3, 0]) if not span else self.rng.choice([1, 1, 2])
        t = Tensor(name, type, "in", rank, None, None, span)
        self.kernel.tensors[name] = t
        parts = [self.place_new(scope, plain) for _ in range(rank)]
        t.dims = []
        for place, n, pad in parts:
            formula = self.extent_formula(n, True)
            t.dims.append(Dim(formula, tuple(num(p) for p in pad) if pad else None))
        t.boundary = self.boundary(t, parts)
        self.call.shapes[name] = [n for _, n, _ in parts]
        for d, (_, n, _) in enumerate(parts):
            self.numbers[f"{name}.{d}"] = n
            if t.dims[d].extent is not None and t.dims[d].extent.kind == "size":
                self.bound.add(t.dims[d].extent.name)
        return read(name, [p for p, _, _ in parts], type)

    def boundary(self, t, parts):
        if not any(pad for _, _, pad in parts):
            return None
        mode = self.rng.choice(MODES)
        if t.type == "bool":
            mode = self.rng.choice([None, "edge", "wrap", "symmetric"])
        if t.span and mode in ("lowest", "highest", "number", None):
            mode = "edge"
        fits = all(n > max(pad) for _, n, pad in parts if pad)
        if mode == "reflect" and not fits and self.chance(0.9):
            mode = "symmetric"
        if mode == "number":
            return self.rng.choice(
                [-1.5, 0.5, 3.0, -2.0] if t.type in FLOATS else [1, 2, 7] if t.type[0] == "u" else [-3, 1, 5]
            )
        return mode

    def maybe_param(self):
        if self.chance(0.25):
            name, value = self.rng.choice("TDP"), self.rng.choice([1, 1, 2, 3])
            given = self.chance(0.5)
            self.kernel.params[name] = (
                self.rng.choice([1, 2]) if given and self.chance(0.5) else None if given else value
            )
            if given:
                self.call.sizes[name] = value
            self.numbers[name] = value
            self.bound.add(name)

    # ---- programs ----------------------------------------------------------------------------------------------------
    def accept(self, eq):
        """Keeps an equation if the program is still right; else forgets it."""
        self.kernel.equations.append(eq)
        self.call.data = {t.name: self.data_of(t) for t in self.inputs()}
        sizes = Sizes(self.kernel, self.call)
        sizes.solve()
        oracle = Oracle(self.kernel, self.call, sizes)
        for e, ranges in enumerate(oracle.sizes.ranges):
            if np.prod([b - a for a, b in ranges.values()] or [1]) > 5000:
                raise Undefined("too many points")
        self.known = {t.name: oracle.sizes.extents[t.name] for t in self.kernel.tensors.values() if t.role != "in"}
        for name, v in oracle.sizes.sizes.items():
            self.numbers.setdefault(name, v)

    def state(self):
        k, c = self.kernel, self.call
        return (
            dict(k.lets),
            list(k.conditions),
            dict(k.tensors),
            dict(k.params),
            dict(k.scalars),
            list(k.equations),
            dict(c.shapes),
            dict(c.sizes),
            dict(c.data),
            dict(c.scalars),
            dict(self.numbers),
            set(self.bound),
            dict(self.known),
        )

    def restore(self, state):
        k, c = self.kernel, self.call
        (
            k.lets,
            k.conditions,
            k.tensors,
            k.params,
            k.scalars,
            k.equations,
            c.shapes,
            c.sizes,
            c.data,
            c.scalars,
            self.numbers,
            self.bound,
            self.known,
        ) = state

    def program(self):
        self.bound, self.known = set(), {}
        self.maybe_param()
        wanted, failures = self.rng.choice([1, 1, 1, 2, 2, 2, 3, 3, 4, 5]), []
        for _ in range(40):
            if len(self.kernel.equations) >= wanted:
                break
            state = self.state()
            try:
                eq = self.first() if not self.kernel.equations or self.chance(0.45) else self.further()
                if eq is None:
                    self.restore(state)
                    continue
                self.accept(eq)
            except (Unfit, Unclear, OutOfRange, Undefined) as error:
                failures.append(error)
                if isinstance(error, (Unfit, OutOfRange)) and self.chance(0.04):
                    break  # a program that must be refused
                self.restore(state)
        if not self.kernel.equations:
            raise Skip("no equation: " + (str(failures[-1]).split(":")[0] if failures else ""))
        prune(self.kernel, self.call)
        if self.chance(0.12):
            self.spoil()
        self.call.orders = {t.name: self.rng.choice("CCFS") for t in self.kernel.tensors.values()}
        try:
            return judge(self.kernel, self.call)
        except (Unclear, Undefined) as error:
            raise Skip(str(error).split(":")[0]) from error

    def spoil(self):
        """One extent, or one value of data, becomes another: often the program must then be refused."""
        rich = [t for t in self.inputs() if t.span and self.call.data[t.name].size]
        if rich and self.chance(0.4):
            t = self.rng.choice(rich)
            data = self.call.data[t.name].copy()
            flat = data.reshape(-1)
            flat[self.rng.randrange(flat.size)] = t.span[1] + 1 if self.chance(0.5) or t.type[0] == "u" else -1
            self.call.data[t.name] = data
            return
        shaped = [t for t in self.inputs() if t.rank]
        if not shaped:
            return
        t = self.rng.choice(shaped)
        d = self.rng.randrange(t.rank)
        self.call.shapes[t.name] = list(self.call.shapes[t.name])
        self.call.shapes[t.name][d] = max(0, self.call.shapes[t.name][d] + self.rng.choice([-1, -1, 1, -2]))
        self.call.data[t.name] = self.data_of(t)

    def resize(self):
        """One size becomes another, wherever it stands; sometimes only in one dim."""
        cells = [(t, d, dim.extent) for t in self.inputs() for d, dim in enumerate(t.dims)]
        params = sorted(self.kernel.params)
        if params and (not cells or self.chance(0.3)):
            self.call.sizes[self.rng.choice(params)] = self.rng.randint(0, 4)
        elif cells:
            t, d, formula = self.rng.choice(cells)
            old = self.call.shapes[t.name][d]
            new = max(0, old + self.rng.choice([-2, -1, -1, 1, 1, 2])) if self.chance(0.8) else self.rng.randint(0, 9)
            alone = self.chance(0.3) or formula is None
            for other, k, same in cells:
                if (other.name, k) == (t.name, d) or not alone and same == formula:
                    self.call.shapes[other.name] = list(self.call.shapes[other.name])
                    self.call.shapes[other.name][k] = new
        self.call.data = {t.name: self.data_of(t) for t in self.inputs()}

    def data_of(self, t):
        shape = tuple(self.call.shapes[t.name])
        known = self.call.data.get(t.name)
        if known is not None and known.shape == shape:
            return known
        n = int(np.prod(shape))
        if n > MOST_ELEMENTS:
            raise Undefined("a tensor that is too large")
        return np.array([self.element(t) for _ in range(n)], np.float64 if t.type in FLOATS else np.int64).reshape(
            shape
        )

    def element(self, t):
        if t.span:
            place = self.rng.randint(*t.span)
            if t.type in FLOATS:
                return float(V.rounded(t.type, place + self.rng.choice([0, 0.25, 0.5])))
            return place if t.type == "bool" else min(max(place, V.LIMITS[t.type][0]), V.LIMITS[t.type][1])
        if t.type == "bool":
            return self.rng.randint(0, 1)
        if t.type in FLOATS:
            if self.special and self.chance(0.15):
                return self.rng.choice([np.nan, np.inf, -np.inf])
            v = self.rng.uniform(-2, 2) if self.fine else self.rng.choice([*DYADIC, 0.0, -2.0, 0.75])
            return float(V.rounded(t.type, v))
        low, high = V.LIMITS[t.type]
        if t.type in ("i8", "i16", "u8", "u16") and self.large:
            return self.rng.choice([low, high, self.rng.randint(low, high), self.rng.randint(low, high)])
        return self.rng.randint(max(low, -4), 4)


def generate(seed, number):
    return Generator(f"{seed}:{number}").program()


def bindings(program, seed, number, count=3):
    """The same kernel with other sizes, most of them near those of the program: some fit, some must be refused."""
    generator = Generator(f"{seed}:{number}:bindings")
    made = []
    for _ in range(count):
        generator.kernel, generator.call = program.kernel, copy.deepcopy(program.call)
        try:
            generator.resize()
            made.append(judge(generator.kernel, generator.call))
        except (Unclear, Undefined):
            continue
    return made
