"""NumPy, with whatever BLAS its wheel brings."""

import numpy as np
from harness import kept, serve


def shifted_sums(x, weights, axis):
    n = x.shape[axis] - len(weights) + 1
    at = [slice(None)] * x.ndim
    total = 0
    for i, weight in enumerate(weights):
        at[axis] = slice(i, i + n)
        total = total + weight * x[tuple(at)]
    return total


def blur(x):
    rows = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) // 3
    return (rows[:-2] + rows[1:-1] + rows[2:]) // 3


def gemver(number, a, u1, v1, u2, v2, y, z):
    b = a + np.outer(u1, v1) + np.outer(u2, v2)
    return number(1.5) * (b @ (number(1.2) * (b.T @ y) + z))


def functions(o, values):
    """Functions of no arguments that return the result, by name."""
    x = values[0]
    number = x.dtype.type
    out = np.empty(o.result[1], x.dtype)
    products = o.kind not in ("gemm", "bgemm") or o.words.get("type", "f32") in ("f32", "f64")
    table = {
        "gemm": lambda: np.matmul(x, values[1], out=out),
        "bgemm": lambda: np.matmul(x, values[1].transpose(0, 2, 1) if o.transposed else values[1], out=out),
        "add": lambda: np.add(x, values[1], out=out.reshape(x.shape)),
        "reduce": lambda: getattr(x, o.what)(o.axis),
        "reduceall": lambda: getattr(x, o.what)(),
        "transpose": lambda: np.ascontiguousarray(x.T),
        "blur": lambda: blur(x),
        "unsharp": lambda: 2 * x[3:-3, 3:-3] - shifted_sums(shifted_sums(x, values[1], 1), values[1], 0),
        "hist": lambda: np.bincount(x, minlength=256),
        "cumsum": lambda: np.cumsum(x, axis=o.axis, out=out),
        "gather": lambda: np.take(x, values[1], axis=0, out=out, mode="clip"),
        "einsum4": lambda: np.tensordot(x, values[1], 2),
        "einsum3": lambda: np.matmul(x, values[1], out=out),
        "mttkrp": lambda: np.einsum("ikl,kj,lj->ij", *values, optimize="optimal"),
        "gemver": lambda: gemver(number, *values),
        "atax": lambda: x.T @ (x @ values[1]),
        "bicg": lambda: np.concatenate([x.T @ values[2], x @ values[1]]),
        "mvt": lambda: np.concatenate([values[1] + x @ values[3], values[2] + x.T @ values[4]]),
        "2mm": lambda: number(1.5) * (x @ values[1]) @ values[2] + number(1.2) * values[3],
        "3mm": lambda: (x @ values[1]) @ (values[2] @ values[3]),
        "doitgen": lambda: x @ values[1],
        "syrk": lambda: np.tril(number(1.5) * (x @ x.T) + number(1.2) * values[1]),
    }
    return table.get(o.kind) if products else None


def forms(o, inputs, _):
    values = [inputs[i.name] for i in o.inputs if not i.of]
    if function := functions(o, values):
        yield "", *kept(function)


serve("numpy " + np.__version__, forms)
