#!/usr/bin/env python3
"""`halogen run NAME` against NumPy, for every built-in kernel, on C-ordered and on Fortran-ordered inputs.

    run_builtins.py HALOGEN [NAME...]     as run_equations.py
"""

import math
import sys

import numpy as np

from numpy_cases import CASES, case, main, real, result, whole


def builtin(name, inputs, outputs, terms=1, scale=None, params=(), sets=()):
    return result(name, inputs, outputs, terms, scale, params, sets)


def windows(x, r, s, t, d, p, fill=0.0):
    """x[N, H, W, C] padded by p as [N, OH, OW, R, S, C]: the windows of r x s taps, stride t, dilation d."""
    x = np.pad(x, ((0, 0), (p, p), (p, p), (0, 0)), constant_values=fill)
    oh, ow = (x.shape[1] - d * (r - 1) - 1) // t + 1, (x.shape[2] - d * (s - 1) - 1) // t + 1
    y = np.empty((x.shape[0], oh, ow, r, s, x.shape[3]), x.dtype)
    for i in range(r):
        for j in range(s):
            y[:, :, :, i, j] = x[:, d * i:d * i + t * oh:t, d * j:d * j + t * ow:t][:, :oh, :ow]
    return y


def gelu(z):
    return 0.5 * z * (1 + np.vectorize(math.erf)(z * 0.70710678))


def exact(a):
    return a.astype(np.float64)


@case
def matmul():
    a, b = real((13, 37)), real((37, 41))
    return builtin("matmul", {"A": a, "B": b}, {"C": exact(a) @ b}, 37, 37)


@case
def matmul_nt():
    a, b = real((13, 37)), real((41, 37))
    return builtin("matmul_nt", {"A": a, "B": b}, {"C": exact(a) @ b.T}, 37, 37)


@case
def batched_matmul():
    a, w = real((3, 13, 17)), real((3, 17, 19))
    return builtin("batched_matmul", {"A": a, "W": w}, {"C": exact(a) @ w}, 17, 17)


@case
def gemv():
    a, x = real((37, 29)), real((29,))
    return builtin("gemv", {"A": a, "X": x}, {"Y": exact(a) @ x}, 29, 29)


@case
def gelu_linear():
    x, w, bias = real((13, 37)), real((41, 37)), real((41,))
    return builtin("gelu_linear", {"X": x, "W": w, "bias": bias}, {"Y": gelu(exact(x) @ w.T + bias)}, 64, 38)


@case
def conv1d():
    x, f = real((2, 31, 5)), real((3, 5, 9))
    win = windows(np.pad(x, ((0, 0), (1, 1), (0, 0)))[:, None], 1, 3, 1, 2, 0)[:, 0, ::2]
    return builtin("conv1d", {"X": x, "F": f}, {"Y": np.einsum("nxirc,rck->nxk", exact(win), f)}, 15, 15, sets=["T=2", "D=2", "P=1"])


@case
def conv2d():
    x, f = real((2, 11, 13, 5)), real((3, 3, 5, 9))
    want = np.einsum("nyxrsc,rsck->nyxk", exact(windows(x, 3, 3, 1, 1, 1)), f)
    return builtin("conv2d", {"X": x, "F": f}, {"Y": want}, 45, 45, sets=["P=1"])


@case
def conv2d_strided_dilated():
    x, f = real((2, 17, 19, 5)), real((3, 2, 5, 9))
    want = np.einsum("nyxrsc,rsck->nyxk", exact(windows(x, 3, 2, 2, 2, 2)), f)
    return builtin("conv2d", {"X": x, "F": f}, {"Y": want}, 30, 30, sets=["T=2", "D=2", "P=2"])


@case
def conv2d_u8():
    x, f = whole((2, 9, 11, 6), np.uint8, 0, 256), whole((3, 3, 6, 7), np.int8, -128, 128)
    want = np.einsum("nyxrsc,rsck->nyxk", windows(x, 3, 3, 1, 1, 1).astype(np.int64), f)
    return builtin("conv2d_u8", {"X": x, "F": f}, {"Y": want.astype(np.int32)}, sets=["P=1"])


@case
def depthwise_conv2d():
    x, f = real((2, 11, 13, 5)), real((3, 3, 5))
    want = np.einsum("nyxrsc,rsc->nyxc", exact(windows(x, 3, 3, 2, 1, 1)), f)
    return builtin("depthwise_conv2d", {"X": x, "F": f}, {"Y": want}, 9, 9, sets=["T=2", "P=1"])


@case
def max_pool2d():
    x = real((2, 11, 13, 5))
    return builtin("max_pool2d", {"X": x}, {"Y": windows(x, 3, 3, 2, 1, 1, -np.inf).max((3, 4))}, sets=["R=3", "S=3", "P=1"])


@case
def avg_pool2d():
    x = real((2, 10, 12, 5))
    return builtin("avg_pool2d", {"X": x}, {"Y": exact(windows(x, 2, 2, 2, 1, 0)).mean((3, 4))}, 5, 1)


@case
def softmax():
    x = real((7, 33))
    e = np.exp(exact(x) - x.max(1, keepdims=True))
    return builtin("softmax", {"X": x}, {"Y": e / e.sum(1, keepdims=True)}, 64, 1)


@case
def layernorm():
    x, gamma, beta = real((7, 33)), real((33,)), real((33,))
    c = exact(x) - exact(x).mean(1, keepdims=True)
    want = c / np.sqrt((c * c).mean(1, keepdims=True) + 1e-5) * gamma + beta
    return builtin("layernorm", {"X": x, "gamma": gamma, "beta": beta}, {"Y": want}, 100, 4, params=["eps=1e-5"])


@case
def gaussian_blur():
    x = real((19, 23))
    t = np.arange(-2, 3)
    g = np.exp(-0.5 * (t / 1.25)**2)
    g /= g.sum()
    p = np.pad(exact(x), 2, mode="edge")
    rows = sum(g[i] * p[:, i:i + 23] for i in range(5))
    return builtin("gaussian_blur", {"X": x}, {"Y": sum(g[i] * rows[i:i + 19] for i in range(5))}, 40, 1, params=["sigma=1.25"])


@case
def sobel():
    x = real((19, 23))
    p = np.pad(exact(x), 1, mode="edge")
    at = lambda dy, dx: p[1 + dy:20 + dy, 1 + dx:24 + dx]
    gx = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
    gy = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1)
    return builtin("sobel", {"X": x}, {"Y": np.hypot(gx, gy)}, 32, 12)


@case
def color_matrix():
    x, m = real((9, 11, 3)), real((4, 3))
    return builtin("color_matrix", {"X": x, "M": m}, {"Y": exact(x) @ m.T}, 3, 3)


@case
def transpose():
    x = real((19, 35))
    return builtin("transpose", {"X": x}, {"Y": x.T})


@case
def cumsum():
    x = real((7, 33))
    return builtin("cumsum", {"X": x}, {"Y": np.cumsum(exact(x), 1)}, 33, 33)


@case
def histogram():
    x = whole((5000,), np.uint8, 0, 256)
    return builtin("histogram", {"X": x}, {"Y": np.bincount(x, minlength=256).astype(np.int32)})


@case
def gather_rows():
    x, i = real((9, 17)), whole((40,), np.int32, 0, 9)
    return builtin("gather_rows", {"X": x, "I": i}, {"Y": x[i]})


@case
def jacobi2d():
    x = real((19, 23))
    want = exact(x)
    want[1:-1, 1:-1] = 0.2 * (exact(x)[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    return builtin("jacobi2d", {"X": x}, {"Y": want}, 8, 5)


@case
def sum_first():
    x = real((37, 21))
    return builtin("sum_first", {"X": x}, {"Y": exact(x).sum(0)}, 37, 37)


@case
def sum_last():
    x = real((21, 37))
    return builtin("sum_last", {"X": x}, {"Y": exact(x).sum(1)}, 37, 37)


@case
def max_first():
    x = real((37, 21))
    return builtin("max_first", {"X": x}, {"Y": x.max(0)})


@case
def max_last():
    x = real((21, 37))
    return builtin("max_last", {"X": x}, {"Y": x.max(1)})


def in_fortran_order(make):
    def fortran():
        c = make()
        c["inputs"] = {name: np.asfortranarray(value) for name, value in c["inputs"].items()}
        c["leg"] = "avx2"  # C order takes the best leg of the machine, this one another; it compiles in half the time
        return c
    return fortran


for name, make in list(CASES.items()):
    CASES[name + "_fortran"] = in_fortran_order(make)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
