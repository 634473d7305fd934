"""Inputs, and what is right: each operation in NumPy, in double precision, written for clearness and not for speed."""

import math
import zlib

import numpy as np

NUMPY = {"f32": np.float32, "f64": np.float64, "bf16": np.uint16, "u8": np.uint8, "i8": np.int8, "u16": np.uint16,
         "i32": np.int32, "i64": np.int64}
# The largest error allowed, as a share of the largest element. It tells a wrong index or a lost term from rounding: the sums
# here have 4 million terms at most, and random ones of f32 differ from theirs by far less.
TOLERANCE = {"f32": 1e-3, "f64": 1e-10, "u16": 0, "i32": 0}
ALPHA, BETA = 1.5, 1.2
GAUSS = np.exp(-0.5 * (np.arange(-3, 4) / 1.5) ** 2)


def bfloat16_bits(values):
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def make_input(given, known):
    if given.of:
        return np.ascontiguousarray(known[given.of].reshape(given.split).transpose(given.axes))
    if given.name == "G" and given.shape == (7,):
        return (GAUSS / GAUSS.sum()).astype(np.float32)
    random = np.random.default_rng(zlib.crc32(given.name.encode()))
    if given.type in ("u8", "i8", "u16", "i64"):
        least, end = (-128, 128) if given.type == "i8" else (0, given.limit or 256)
        return random.integers(least, end, given.shape, NUMPY[given.type])
    values = random.random(given.shape, np.float32) * np.float32(2 * given.scale) + np.float32(given.offset - given.scale)
    return bfloat16_bits(values) if given.type == "bf16" else values.astype(NUMPY[given.type])


def make_inputs(operation):
    """The inputs by name, always the same."""
    arrays = {}
    for given in operation.inputs:
        arrays[given.name] = make_input(given, arrays)
    return arrays


def exact(array, type):
    """The values of a stored array in double precision; integers as they are."""
    if type == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def reference(operation, inputs):
    """The result, in the operation's own layout."""
    values = [exact(inputs[i.name], i.type) for i in operation.inputs if not i.of]
    return np.asarray(REFERENCES[operation.kind](operation, *values)).reshape(operation.result[1])


def difference(operation, result, right):
    """The largest error as a share of the largest element that is right, and whether that is close enough."""
    error = np.abs(result.astype(right.dtype) - right).max(initial=0)
    share = float(error) / (float(np.abs(right).max(initial=0)) or 1.0)
    return share, share <= TOLERANCE[operation.result[0]]


def product(_, a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def erf(x):
    return np.vectorize(math.erf, otypes=[float])(x)


def gelu(x):
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def windows(x, size, step, dilation=1):
    """x[n, h, w, c] as [n, y, x, c, r, s]."""
    seen = np.lib.stride_tricks.sliding_window_view(x, (dilation * (size - 1) + 1,) * 2, (1, 2))
    return seen[:, ::step, ::step, :, ::dilation, ::dilation]


def channels_last(o, x):
    return x if o.layout == "nhwc" else x.transpose(0, 2, 3, 1)


def in_layout(o, y):
    return y if o.layout == "nhwc" else y.transpose(0, 3, 1, 2)


def padded(x, pad, value=0.0):
    return np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)), constant_values=value)


def conv2d(o, x, w):
    seen = windows(padded(channels_last(o, x), o.pad), o.r, o.step, o.dilation)
    if o.groups == o.c:
        return in_layout(o, np.einsum("nyxcrs,crs->nyxc", seen, w[:, 0]))
    outputs = []
    for part, weights in zip(np.split(seen, o.groups, 3), np.split(w, o.groups)):
        outputs.append(np.tensordot(part, weights, ((3, 4, 5), (1, 2, 3))))
    return in_layout(o, np.concatenate(outputs, 3))


def conv1d(o, x, w):
    seen = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (0, 0), (o.pad, o.pad))), o.r, 2)
    return np.tensordot(w, seen, ((1, 2), (1, 3))).transpose(1, 0, 2)


def deconv2d(o, x, w):
    whole = np.zeros((1, o.k, o.o + 2 * o.pad, o.o + 2 * o.pad))
    for r in range(o.r):
        for s in range(o.r):
            at = tuple(slice(t, t + o.step * (o.h - 1) + 1, o.step) for t in (r, s))
            whole[:, :, at[0], at[1]] += np.tensordot(w[:, :, r, s], x, ((0,), (1,))).transpose(1, 0, 2, 3)
    return whole[:, :, o.pad : o.pad + o.o, o.pad : o.pad + o.o]


def pool(o, x):
    seen = windows(padded(channels_last(o, x), o.pad, -np.inf if o.what == "max" else 0.0), o.r, o.step)
    return in_layout(o, seen.max((4, 5)) if o.what == "max" else seen.mean((4, 5)))


def layernorm(_, x, gamma, beta):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gamma + beta


def some_gelu(o, x):
    return gelu(x) if o.what == "gelu_erf" else 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def blur(_, x):
    rows = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) // 3
    return (rows[:-2] + rows[1:-1] + rows[2:]) // 3


def shifted(x, axis, by):
    """The points beside the inner ones."""
    at = [slice(1, -1)] * x.ndim
    at[axis] = slice(1 + by, x.shape[axis] - 1 + by)
    return x[tuple(at)]


def sweeps(o, x):
    """Two a step: jacobi2d averages a point and its four neighbours, heat3d adds an eighth of each second difference."""
    inner = (slice(1, -1),) * x.ndim
    for _ in range(2 * o.steps):
        around = sum(shifted(x, axis, by) for axis in range(x.ndim) for by in (-1, 1))
        x, old = x.copy(), x
        x[inner] = 0.2 * (old[inner] + around) if x.ndim == 2 else 0.125 * (around - 6 * old[inner]) + old[inner]
    return x


def separable(x, down, right):
    """The correlation with the product of two vectors, where it fits."""
    n = len(right)
    rows = sum(right[i] * x[:, i : x.shape[1] - n + 1 + i] for i in range(n))
    return sum(down[i] * rows[i : x.shape[0] - n + 1 + i] for i in range(n))


def harris(_, x):
    smooth, slope, box = (1.0, 2.0, 1.0), (-1.0, 0.0, 1.0), (1.0, 1.0, 1.0)
    gx, gy = separable(x, smooth, slope) / 12, separable(x, slope, smooth) / 12
    a, b, c = (separable(p, box, box) for p in (gx * gx, gx * gy, gy * gy))
    return a * c - b * b - 0.04 * (a + c) ** 2


def gemver(_, a, u1, v1, u2, v2, y, z):
    b = a + np.outer(u1, v1) + np.outer(u2, v2)
    return ALPHA * (b @ (BETA * (b.T @ y) + z))


REFERENCES = {
    "gemm": product,
    "bgemm": lambda o, a, b: a @ (b.transpose(0, 2, 1) if o.transposed else b),
    "conv2d": conv2d,
    "conv1d": conv1d,
    "deconv2d": deconv2d,
    "pool": pool,
    "softmax": lambda o, x: softmax(x),
    "layernorm": layernorm,
    "rmsnorm": lambda o, x, gamma: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * gamma,
    "gelu": some_gelu,
    "mlp": lambda o, x, w, b: gelu(x @ w + b),
    "attention": lambda o, q, k, v: softmax(q @ k.transpose(0, 2, 1) / math.sqrt(o.d)) @ v,
    "add": lambda o, a, b: a + b,
    "reduce": lambda o, x: getattr(x, o.what)(o.axis),
    "reduceall": lambda o, x: getattr(x, o.what)(),
    "transpose": lambda o, x: x.T,
    "blur": blur,
    "jacobi2d": sweeps,
    "heat3d": sweeps,
    "unsharp": lambda o, x, g: 2 * x[3:-3, 3:-3] - separable(x, g, g),
    "harris": harris,
    "hist": lambda o, x: np.bincount(x, minlength=256),
    "cumsum": lambda o, x: x.cumsum(o.axis),
    "gather": lambda o, x, i: x[i],
    "einsum4": lambda o, a, b: np.tensordot(a, b, 2),
    "einsum3": product,
    "mttkrp": lambda o, x, p, q: ((x @ q) * p).sum(1),
    "gemver": gemver,
    "atax": lambda o, a, x: a.T @ (a @ x),
    "bicg": lambda o, a, p, r: np.concatenate([a.T @ r, a @ p]),
    "mvt": lambda o, a, x1, x2, y1, y2: np.concatenate([x1 + a @ y1, x2 + a.T @ y2]),
    "2mm": lambda o, a, b, c, d: ALPHA * (a @ b) @ c + BETA * d,
    "3mm": lambda o, a, b, c, d: (a @ b) @ (c @ d),
    "doitgen": lambda o, a, c: a @ c,
    "syrk": lambda o, a, c: np.tril(ALPHA * a @ a.T + BETA * c),
}
