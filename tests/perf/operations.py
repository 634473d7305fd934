"""The table of operations: what is measured, for Halogen and for its peers.

An operation has a kind (which code a peer takes), numbers and words that say which one it is, inputs, one result, the work
that counts, and the forms in which Halogen computes it. The first form is the natural one: the text a user writes first.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

ITEM_BYTES = {"f32": 4, "f64": 8, "bf16": 2, "i8": 1, "u8": 1, "u16": 2, "i32": 4, "i64": 8}
QUICK = """sgemm_256 sgemm_16x4096x1024 sgemm_63x65x67 dgemm_512 igemm_u8s8s32_512 bgemm_qkt_12x128x128x64
conv_28x28x128_3x3x128_nhwc conv_28x28x128_3x3x128_nchw conv_dw14x14x512_3x3_nhwc maxpool_112x112x64_3x3s2_nchw
softmax_1536x128 layernorm_128x768 gelu_tanh_128x3072 attention_12x128x64 add_4M sum_axis1_1024x1024 transpose_2048
blur3x3_u16_2048 jacobi2d_1300_s1 harris_2048 cumsum_axis0_1024x1024 hist_u8_4M mttkrp_128 atax_f64""".split()


@dataclass(frozen=True)
class Input:
    """A tensor that is given: uniform in [offset - scale, offset + scale], or all values of its type, or below `limit`.
    With `of`, another input whose dims were `split` and put into the order `axes`: weights as a library wants them."""

    name: str
    type: str
    shape: tuple
    scale: float = 1.0
    offset: float = 0.0
    limit: int = 0
    of: str = ""
    split: tuple = ()
    axes: tuple = ()


@dataclass(frozen=True)
class Form:
    """A way to compute the operation with kernels of ours: `tensors` in the kernel's order as `NAME`, `NAME:2x3` (other
    extents) or `NAME:3@6` (from element 6 on); RESULT is the result, another unknown name is scratch memory. Calls
    alternate between the kernel and the kernel with its two tensors exchanged where `times` > 1; RESULT begins as
    `start`."""

    name: str
    kernel: str
    tensors: str
    parameters: dict = field(default_factory=dict)
    times: int = 1
    start: str = ""


@dataclass(frozen=True)
class Operation:
    id: str
    kind: str
    group: str
    numbers: dict
    inputs: tuple
    result: tuple  # type, extents
    flops: float
    forms: tuple
    words: dict = field(default_factory=dict)
    moved: float = 0  # bytes, where it is not each input and the result once
    counts_bytes: bool = False  # the rate that tells most is bytes a second

    def __getattr__(self, name):
        for table in ("numbers", "words"):
            if name in self.__dict__.get(table, ()):
                return self.__dict__[table][name]
        raise AttributeError(name)

    @cached_property
    def bytes(self):
        given = sum(ITEM_BYTES[i.type] * prod(i.shape) for i in self.inputs if not i.of)
        return self.moved or given + ITEM_BYTES[self.result[0]] * prod(self.result[1])


def taps(inside, outside, window, step, pad, dilation=1):
    """How many pairs of output and tap of one dim fall inside the input: padding is no work."""
    return sum(0 <= o * step - pad + t * dilation < inside for o in range(outside) for t in range(window))


def gemm(name, m, n, k, types=("f32", "f32", "f32"), kernel="gemm_f32"):
    forms = [Form("", kernel, "A B RESULT")]
    if m == 1:
        forms.append(Form("vecmat", "vecmat_f32", f"A:{k} B RESULT:{n}"))
    inputs = (Input("A", types[0], (m, k)), Input("B", types[1], (k, n)))
    words = {"type": types[0]}
    return Operation(name, "gemm", "gemm", {"m": m, "n": n, "k": k}, inputs, (types[2], (m, n)), 2 * m * n * k,
                     tuple(forms), words, counts_bytes=m == 1)


def bgemm(name, b, m, n, k, transposed):
    inputs = (Input("A", "f32", (b, m, k)), Input("B", "f32", (b, n, k) if transposed else (b, k, n)))
    forms = (Form("", "bgemm_nt" if transposed else "bgemm", "A B RESULT"),)
    numbers = {"b": b, "m": m, "n": n, "k": k, "transposed": int(transposed)}
    return Operation(name, "bgemm", "gemm", numbers, inputs, ("f32", (b, m, n)), 2 * b * m * n * k, forms)


def extents(*numbers):
    return ":" + "x".join(map(str, numbers))


def conv2d(name, layout, h, c, k, r, step=1, pad=1, dilation=1, groups=1):
    """Square images and windows; one image."""
    last, o = layout == "nhwc", (h + 2 * pad - dilation * (r - 1) - 1) // step + 1
    cg, kg = c // groups, k // groups
    inputs = [Input("X", "f32", (1, h, h, c) if last else (1, c, h, h)), Input("W", "f32", (k, cg, r, r))]
    if groups == 1:
        natural = Form("plain", f"conv2d_{layout}" + ("_oihw" if last else ""), "X W RESULT")
        inputs += [Input("W_hwio", "f32", (r, r, c, k), of="W", split=(k, c, r, r), axes=(2, 3, 1, 0))]
    elif groups == c:
        natural = Form("rsc" if last else "plain", f"dwconv2d_{layout}", f"X W{extents(c, r, r)} RESULT")
        inputs += [Input("W_hwi", "f32", (r, r, c), of="W", split=(c, r, r), axes=(1, 2, 0))]
    else:
        x, y = ((1, h, h, groups, cg), (1, o, o, groups, kg)) if last else ((1, groups, cg, h, h), (1, groups, kg, o, o))
        natural = Form("5d" if last else "plain", f"gconv2d_{layout}",
                       f"X{extents(*x)} W{extents(groups, kg, cg, r, r)} RESULT{extents(*y)}")
        inputs += [Input("W_hwgio", "f32", (r, r, groups, cg, kg), of="W", split=(groups, kg, cg, r, r), axes=(3, 4, 0, 2, 1))]
    forms = [Form(natural.name, natural.kernel, natural.tensors, {"T": step, "D": dilation, "P": pad})]
    packed = inputs[-1].name
    if last and groups > 1:  # channels last, a weight for each channel or group: as the kernel's text has them
        forms = [Form(natural.name, natural.kernel, re.sub(r"W:\S+", packed, natural.tensors), forms[0].parameters)]
    elif last:
        forms.append(Form("hwio", "conv2d_nhwc", f"X {packed} RESULT", forms[0].parameters))
    numbers = {"h": h, "c": c, "k": k, "r": r, "step": step, "pad": pad, "dilation": dilation, "groups": groups, "o": o}
    shape = (1, o, o, k) if last else (1, k, o, o)
    return Operation(f"conv_{name}_{layout}", "conv2d", "conv", numbers, tuple(inputs), ("f32", shape),
                     2 * k * cg * taps(h, o, r, step, pad, dilation) ** 2, tuple(forms), {"layout": layout})


def conv1d(name, c, length, k, r, pad):
    inputs = (Input("X", "f32", (1, c, length)), Input("W", "f32", (k, c, r)))
    return Operation(name, "conv1d", "conv", {"c": c, "l": length, "k": k, "r": r, "pad": pad}, inputs,
                     ("f32", (1, k, length)), 2 * k * c * taps(length, length, r, 1, pad),
                     (Form("plain", "conv1d_ncw", "X W RESULT", {"T": 1, "D": 1, "P": pad}),))


def deconv2d(name, h, c, k, r, step, pad):
    o = step * (h - 1) + r - 2 * pad
    inputs = (Input("X", "f32", (1, c, h, h)), Input("W", "f32", (c, k, r, r)))
    numbers = {"h": h, "c": c, "k": k, "r": r, "step": step, "pad": pad, "o": o}
    return Operation(name, "deconv2d", "conv", numbers, inputs, ("f32", (1, k, o, o)),
                     2 * c * k * taps(o, h, r, step, pad) ** 2,
                     (Form("scatter", "deconv_scatter", "X W RESULT", {"T": step, "P": pad}),))


def pool(name, layout, what, h, c, r, step, pad):
    o, last = (h + 2 * pad - r) // step + 1, layout == "nhwc"
    numbers = {"h": h, "c": c, "r": r, "step": step, "pad": pad, "o": o}
    inputs = (Input("X", "f32", (1, h, h, c) if last else (1, c, h, h)),)
    form = Form("", f"{what}pool_{layout}", "X RESULT", {"R": r, "T": step, "P": pad})
    return Operation(f"{name}_{layout}", "pool", "pool", numbers, inputs, ("f32", (1, o, o, c) if last else (1, c, o, o)),
                     o * o * c * r * r, (form,), {"what": what, "layout": layout}, counts_bytes=True)


def rowwise(kind, kernel, rows, columns, flops, vectors=(), scale=1.0, name=None, **form):
    inputs = (Input("X", "f32", (rows, columns), scale), *(Input(v, "f32", (columns,)) for v in vectors))
    names = " ".join(i.name for i in inputs)
    return Operation(f"{name or kernel}_{rows}x{columns}", kind, "norm", {"rows": rows, "columns": columns}, inputs,
                     ("f32", (rows, columns)), flops * rows * columns, (Form("", kernel, f"{names} RESULT", form),),
                     {"what": kernel}, counts_bytes=True)


def mlp(m, n, k):
    inputs = (Input("X", "f32", (m, k)), Input("W", "f32", (k, n), 0.1), Input("B", "f32", (n,)))
    return Operation(f"mlp_bias_gelu_{m}x{n}x{k}", "mlp", "fused", {"m": m, "n": n, "k": k}, inputs, ("f32", (m, n)),
                     2 * m * n * k + 10 * m * n, (Form("", "mlp", "X W B RESULT"),))


def attention(heads, length, depth):
    inputs = tuple(Input(name, "f32", (heads, length, depth)) for name in "QKV")
    return Operation(f"attention_{heads}x{length}x{depth}", "attention", "fused", {"h": heads, "l": length, "d": depth},
                     inputs, ("f32", (heads, length, depth)), 4 * heads * length**2 * depth + 5 * heads * length**2,
                     (Form("one-kernel", "attention", "Q K V RESULT"),))


def map_or_sum(name, kind, group, inputs, result, flops, kernel, words=None, numbers=None, **more):
    """Operations that move memory: elementwise, reductions, images of one kernel."""
    names = " ".join(i.name for i in inputs)
    return Operation(name, kind, group, numbers or {}, tuple(inputs), result, flops,
                     (Form("", kernel, f"{names} RESULT", more.get("parameters", {})),), words or {}, counts_bytes=True)


def reductions():
    rows = columns = 1024
    many = 4 << 20
    for what in ("sum", "mean", "max"):
        for axis in (0, 1):
            yield map_or_sum(f"{what}_axis{axis}_1024x1024", "reduce", "reduce", [Input("X", "f32", (rows, columns))],
                             ("f32", (columns if axis == 0 else rows,)), rows * columns, f"{what}_axis{axis}",
                             {"what": what}, {"rows": rows, "columns": columns, "axis": axis})
        yield map_or_sum(f"{what}_full_4M", "reduceall", "reduce", [Input("X", "f32", (many,))], ("f32", ()), many,
                         f"{what}_full", {"what": what}, {"n": many})


def sweeps(kind, n, dims, steps, flops):
    """Two sweeps of a stencil a step, each from one buffer to the other."""
    shape, points = (n,) * dims, (n - 2) ** dims
    forms = tuple(Form(name, kernel, "RESULT scratch", times=2 * steps, start="X")
                  for name, kernel in (("calls", kind), ("select-calls", f"{kind}_select")))
    return Operation(f"{kind}_{n}_s{steps}", kind, "stencil", {"n": n, "steps": steps},
                     (Input("X", "f32", shape, 0.5, 1.0),), ("f32", shape), 2 * steps * flops * points, forms,
                     moved=2 * steps * 8 * n**dims)


def images():
    n, image = 2048, Input("X", "f32", (2048, 2048), 0.5, 0.5)
    size = {"rows": n, "columns": n}
    yield map_or_sum("blur3x3_u16_2048", "blur", "stencil", [Input("X", "u16", (n, n), limit=1024)], ("u16", (n - 2, n - 2)),
                     6 * n * n, "blur3x3", numbers=size)
    for steps in (1, 10):
        yield sweeps("jacobi2d", 1300, 2, steps, 5)
    for steps in (1, 10):
        yield sweeps("heat3d", 120, 3, steps, 15)
    yield Operation("unsharp_2048", "unsharp", "stencil", size, (image, Input("G", "f32", (7,))), ("f32", (n - 6, n - 6)),
                    30 * n * n, (Form("", "unsharp", "X G RESULT"), Form("window7", "unsharp7", "X G RESULT")),
                    counts_bytes=True)
    yield map_or_sum("harris_2048", "harris", "stencil", [image], ("f32", (n - 4, n - 4)), 60 * n * n, "harris",
                     numbers=size, parameters={"kappa": 0.04})


def irregular():
    many, n = 4 << 20, 1024
    yield map_or_sum("hist_u8_4M", "hist", "irregular", [Input("X", "u8", (many,))], ("i32", (256,)), many, "histogram",
                     numbers={"n": many})
    for axis in (0, 1):
        yield map_or_sum(f"cumsum_axis{axis}_1024x1024", "cumsum", "irregular", [Input("X", "f32", (n, n))], ("f32", (n, n)),
                         n * n, f"cumsum_axis{axis}", numbers={"rows": n, "columns": n, "axis": axis})
    rows, columns, picked = 30522, 768, 128
    yield Operation("gather_30522x768_128", "gather", "irregular", {"rows": rows, "columns": columns, "n": picked},
                    (Input("X", "f32", (rows, columns)), Input("I", "i64", (picked,), limit=rows)), ("f32", (picked, columns)),
                    0, (Form("", "gather", "X I RESULT"),), moved=8 * picked * columns, counts_bytes=True)


def sums_of_products():
    n, names = 28, "A B RESULT"
    yield Operation("einsum_abcd_cdef_28", "einsum4", "einsum", {"n": n},
                    (Input("A", "f32", (n,) * 4), Input("B", "f32", (n,) * 4)), ("f32", (n,) * 4), 2 * n**6,
                    (Form("", "einsum4", names),))
    i, j, k, l = 64, 128, 256, 256
    yield Operation("einsum_ijk_kl_64x128x256x256", "einsum3", "einsum", {"i": i, "j": j, "k": k, "l": l},
                    (Input("A", "f32", (i, j, k)), Input("B", "f32", (k, l))), ("f32", (i, j, l)), 2 * i * j * k * l,
                    (Form("", "einsum3", names),))
    n = 128
    yield Operation("mttkrp_128", "mttkrp", "einsum", {"n": n},
                    (Input("X", "f32", (n,) * 3), Input("P", "f32", (n, n)), Input("Q", "f32", (n, n))), ("f32", (n, n)),
                    2 * n**4 + 2 * n**3, (Form("one-sum", "mttkrp", "X P Q RESULT"),
                                          Form("factored", "mttkrp_factored", "X P Q RESULT")))


def linear_algebra(type):
    """Kernels of PolyBench: kind, numbers, inputs, result's extents, flops, tensors, constants, bytes that move, forms."""
    ab = {"alpha": 1.5, "beta": 1.2}
    z = ITEM_BYTES[type]
    vectors = {v: ("n",) for v in ("u1", "v1", "u2", "v2", "y", "z")}
    rows = [
        ("gemver", {"n": 2000}, {"A": ("n", "n"), **vectors}, ("n",), 10 * 2000**2, "A u1 v1 u2 v2 y z RESULT", ab,
         z * 4 * 2000**2),
        ("atax", {"m": 1900, "n": 2100}, {"A": ("m", "n"), "X": ("n",)}, ("n",), 4 * 1900 * 2100, "A X RESULT", {}, 0),
        ("bicg", {"m": 1900, "n": 2100}, {"A": ("n", "m"), "P": ("m",), "R": ("n",)}, (4000,), 4 * 1900 * 2100,
         "A P R RESULT:1900@0 RESULT:2100@1900", {}, 0),
        ("mvt", {"n": 2000}, {"A": ("n", "n"), **{v: ("n",) for v in ("X1", "X2", "Y1", "Y2")}}, (4000,), 4 * 2000**2,
         "A X1 X2 Y1 Y2 RESULT:2000@0 RESULT:2000@2000", {}, 0),
        ("2mm", {"i": 800, "j": 900, "k": 1100, "l": 1200},
         {"A": ("i", "k"), "B": ("k", "j"), "C": ("j", "l"), "D": ("i", "l")}, ("i", "l"),
         2 * 800 * 900 * 1100 + 2 * 800 * 1200 * 900, "A B C D RESULT", ab, 0),
        ("3mm", {"i": 800, "j": 900, "k": 1000, "l": 1100, "m": 1200},
         {"A": ("i", "k"), "B": ("k", "j"), "C": ("j", "m"), "D": ("m", "l")}, ("i", "l"),
         2 * (800 * 900 * 1000 + 900 * 1100 * 1200 + 800 * 1100 * 900), "A B C D RESULT", {}, 0),
        ("doitgen", {"q": 140, "r": 150, "p": 160}, {"A": ("r", "q", "p"), "C": ("p", "p")}, ("r", "q", "p"),
         2 * 140 * 150 * 160 * 160, "A C RESULT", {}, 0),
        ("syrk", {"m": 1000, "n": 1200}, {"A": ("n", "m"), "C": ("n", "n")}, ("n", "n"), 1000 * 1200 * 1201, "A C RESULT",
         ab, z * (1000 * 1200 + 1200 * 1200)),
    ]
    kernels = {"2mm": "mm2", "3mm": "mm3"}
    one_kernel = {"2mm": "one-kernel", "3mm": "one-kernel"}
    for kind, numbers, shapes, result, flops, tensors, constants, moved in rows:
        inputs = tuple(Input(n, type, tuple(numbers[d] for d in dims)) for n, dims in shapes.items())
        forms = [Form(one_kernel.get(kind, ""), f"{kernels.get(kind, kind)}_{type}", tensors, constants)]
        if kind == "syrk":
            forms.append(Form("whole", f"syrk_whole_{type}", tensors, constants))
        is_product = kind in ("2mm", "3mm", "doitgen", "syrk")
        yield Operation(f"{kind}_{type}", kind, "poly", numbers, inputs,
                        (type, tuple(numbers.get(d, d) for d in result)), flops, tuple(forms), {"type": type}, moved,
                        counts_bytes=not is_product)


def all_operations():
    for n in (64, 128, 256, 512, 1024, 2048):
        yield gemm(f"sgemm_{n}", n, n, n)
    for m, n, k in ((63, 65, 67), (257, 129, 511)):
        yield gemm(f"sgemm_{m}x{n}x{k}", m, n, k)
    yield gemm("sgemm_1000", 1000, 1000, 1000)
    for m, n, k in ((1, 4096, 4096), (16, 4096, 1024), (128, 3072, 768), (128, 768, 3072), (128, 768, 768)):
        yield gemm(f"sgemm_{m}x{n}x{k}", m, n, k)
    yield gemm("dgemm_512", 512, 512, 512, ("f64",) * 3, "gemm_f64")
    yield gemm("igemm_u8s8s32_512", 512, 512, 512, ("u8", "i8", "i32"), "gemm_u8s8")
    yield gemm("bf16gemm_512", 512, 512, 512, ("bf16", "bf16", "f32"), "gemm_bf16")
    yield bgemm("bgemm_96x64x64x64", 96, 64, 64, 64, False)
    yield bgemm("bgemm_qkt_12x128x128x64", 12, 128, 128, 64, True)
    for layout in ("nhwc", "nchw"):
        yield conv2d("56x56x64_3x3x64", layout, 56, 64, 64, 3)
        yield conv2d("28x28x128_3x3x128", layout, 28, 128, 128, 3)
        yield conv2d("14x14x256_3x3x256", layout, 14, 256, 256, 3)
        yield conv2d("7x7x512_3x3x512", layout, 7, 512, 512, 3)
        yield conv2d("224x224x3_7x7x64s2", layout, 224, 3, 64, 7, step=2, pad=3)
        yield conv2d("56x56x64_1x1x256", layout, 56, 64, 256, 1, pad=0)
        yield conv2d("dw112x112x32_3x3", layout, 112, 32, 32, 3, groups=32)
        yield conv2d("dw14x14x512_3x3", layout, 14, 512, 512, 3, groups=512)
        yield conv2d("dw112x112x64_3x3s2", layout, 112, 64, 64, 3, step=2, groups=64)
        yield conv2d("dil2_28x28x128_3x3x128", layout, 28, 128, 128, 3, pad=2, dilation=2)
        yield conv2d("grp32_14x14x256_3x3x256", layout, 14, 256, 256, 3, groups=32)
    yield conv1d("conv1d_1x128x4096_k9x128", 128, 4096, 128, 9, 4)
    yield deconv2d("deconv_28x28x64_4x4x64s2", 28, 64, 64, 4, 2, 1)
    for layout in ("nhwc", "nchw"):
        yield pool("maxpool_112x112x64_3x3s2", layout, "max", 112, 64, 3, 2, 1)
        yield pool("avgpool_112x112x64_2x2s2", layout, "avg", 112, 64, 2, 2, 0)
    yield rowwise("softmax", "softmax", 1536, 128, 5, scale=4.0)
    yield rowwise("softmax", "softmax", 32, 30522, 5, scale=4.0)
    yield rowwise("layernorm", "layernorm", 128, 768, 8, ("G", "B"), eps=1e-5)
    yield rowwise("rmsnorm", "rmsnorm", 128, 768, 4, ("G",), eps=1e-5)
    yield rowwise("gelu", "gelu_erf", 128, 3072, 10, scale=4.0)
    yield rowwise("gelu", "gelu_tanh", 128, 3072, 10, scale=4.0)
    yield mlp(128, 3072, 768)
    yield attention(12, 128, 64)
    yield attention(12, 1024, 64)
    many, n = 4 << 20, 2048
    yield map_or_sum("add_4M", "add", "elem", [Input("A", "f32", (many,)), Input("B", "f32", (many,))], ("f32", (many,)), many,
                     "add", numbers={"rows": 1, "columns": many})
    yield map_or_sum("add_bcast_row_2048x2048", "add", "elem", [Input("A", "f32", (n, n)), Input("B", "f32", (n,))],
                     ("f32", (n, n)), n * n, "add_row", numbers={"rows": n, "columns": n})
    yield from reductions()
    yield map_or_sum("transpose_2048", "transpose", "elem", [Input("X", "f32", (n, n))], ("f32", (n, n)), 0, "transpose",
                     numbers={"rows": n, "columns": n})
    yield from images()
    yield from irregular()
    yield from sums_of_products()
    for type in ("f32", "f64"):
        yield from linear_algebra(type)


OPERATIONS = tuple(all_operations())


def select(pattern="", quick=False):
    """The operations whose id a regular expression is found in, or whose group it is; those of QUICK when asked.
    Errors: ValueError when the expression is none, or when nothing is left."""
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"--filter {pattern}: no regular expression ({error})") from None
    found = [o for o in OPERATIONS if o.group == pattern or expression.search(o.id)]
    found = [o for o in found if o.group == pattern] or found
    found = [o for o in found if not quick or o.id in QUICK]
    if not found:
        groups = ", ".join(dict.fromkeys(o.group for o in OPERATIONS))
        raise ValueError(f"--filter {pattern}: no operation of that name{' among the quick ones' if quick else ''}\n"
                         f"  fix  an expression that is found in an id, or one of the groups {groups}")
    return found
