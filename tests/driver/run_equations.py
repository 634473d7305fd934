#!/usr/bin/env python3
"""`halogen run` against NumPy: equations that are not built in.

    run_equations.py HALOGEN [NAME...]     runs all cases, or those named; one line each, exit 1 if any fails
    run_equations.py --list                the names
"""

import sys

import numpy as np

from numpy_cases import case, main, real, result, rng, whole


# ---- every op --------------------------------------------------------------------------------------------------------
@case
def matmul_c_order():
    a, b = real((9, 17)), real((17, 33))
    return result("C[i,j] += A[i,k]*B[k,j]", {"A": a, "B": b}, {"C": a @ b}, 17, 17)


@case
def matmul_fortran_order():
    a, b = np.asfortranarray(real((9, 17))), np.asfortranarray(real((17, 33)))
    return result("C[i,j] += A[i,k]*B[k,j]", {"A": a, "B": b}, {"C": a @ b}, 17, 17)


@case
def matmul_transposed_view():
    a, b = real((17, 9)).T, real((33, 17)).T
    return result("C[i,j] += A[i,k]*B[k,j]", {"A": a, "B": b}, {"C": a @ b}, 17, 17)


@case
def matmul_reversed_input():
    a, b = real((9, 17))[::-1, ::-1], real((17, 33))[:, ::-1]
    return result("C[i,j] += A[i,k]*B[k,j]", {"A": a, "B": b}, {"C": a @ b}, 17, 17)


@case
def product_over_rows():
    x = rng().uniform(0.5, 1.5, (13, 21)).astype(np.float32)
    return result("Y[i] *= X[i,j]", {"X": x}, {"Y": x.prod(1)}, 21, float(x.prod(1).max()))


@case
def max_over_columns():
    x = real((13, 21))
    return result("Y[j] max= X[i,j]", {"X": x}, {"Y": x.max(0)})


@case
def min_over_all():
    x = real((13, 21))
    return result("Y[] min= X[i,j]", {"X": x}, {"Y": x.min()})


@case
def all_of_rows():
    x = rng().random((9, 5)) < 0.8
    return result("kernel k(X: bool[N, M]) -> Y: bool { Y[i] and= X[i,j] }", {"X": x}, {"Y": x.all(1)})


@case
def any_of_rows():
    x = rng().random((9, 5)) < 0.2
    return result("kernel k(X: bool[N, M]) -> Y: bool { Y[i] or= X[i,j] }", {"X": x}, {"Y": x.any(1)})


@case
def plain_assignment():
    x = real((6, 7))
    return result("Y[j,i] = 2*X[i,j] + 1", {"X": x}, {"Y": 2 * x.T + 1}, 2, 4)


# ---- every type ------------------------------------------------------------------------------------------------------
def sum_case(name, dtype, values, total, terms=1, scale=None):
    return result(f"kernel k(X: {name}[N, M]) -> Y: {name} {{ Y[i] += X[i,j] }}", {"X": values}, {"Y": total.astype(dtype)}, terms, scale)


@case
def type_f64():
    x = real((5, 40), np.float64)
    return sum_case("f64", np.float64, x, x.sum(1), 40, 40)


@case
def type_f32():
    x = real((5, 40))
    return sum_case("f32", np.float32, x, x.sum(1, dtype=np.float64), 40, 40)


@case
def type_f16():
    x = real((5, 40), np.float16)
    return sum_case("f16", np.float16, x, x.sum(1, dtype=np.float64), 40, 40)


def bf16_bits(x):
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def bf16_values(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


@case
def type_bf16():
    x, y = bf16_bits(real((40,))), bf16_bits(real((40,))[::-1])
    return result("kernel k(X: bf16[N], Z: bf16[N]) -> Y: bf16 { Y[i] = X[i] + Z[i] }", {"X": x, "Z": y},
                  {"Y": bf16_bits(bf16_values(x) + bf16_values(y))})


@case
def type_i8_wraps():
    x = whole((5, 40), np.int8, -128, 128)
    return sum_case("i8", np.int8, x, x.sum(1, dtype=np.int64))


@case
def type_i16_wraps():
    x = whole((5, 40), np.int16, -32768, 32768)
    return sum_case("i16", np.int16, x, x.sum(1, dtype=np.int64))


@case
def type_i32():
    x = whole((5, 40), np.int32, -10**6, 10**6)
    return sum_case("i32", np.int32, x, x.sum(1))


@case
def type_i64():
    x = whole((5, 40), np.int64, -10**15, 10**15)
    return sum_case("i64", np.int64, x, x.sum(1))


@case
def type_u8_wraps():
    x = whole((5, 40), np.uint8, 0, 256)
    return sum_case("u8", np.uint8, x, x.sum(1, dtype=np.int64))


@case
def type_u16_wraps():
    x = whole((5, 40), np.uint16, 0, 65536)
    return sum_case("u16", np.uint16, x, x.sum(1, dtype=np.int64))


@case
def type_u32():
    x = whole((5, 40), np.uint32, 0, 10**7)
    return sum_case("u32", np.uint32, x, x.sum(1))


@case
def type_bool():
    x, y = real((7, 9)), real((7, 9))[::-1]
    return result("kernel k(X: f32[N, M], Z: f32[N, M]) -> Y: bool { Y[i,j] = X[i,j] < Z[i,j] and not X[i,j] > 0.5 }",
                  {"X": x, "Z": y}, {"Y": (x < y) & ~(x > 0.5)})


@case
def mixed_types_by_casts():
    x, w = whole((6, 30), np.uint8, 0, 256), whole((30, 5), np.int8, -128, 128)
    return result("kernel k(X: u8[M, K], W: i8[K, N]) -> Y: i32 { Y[m,n] += i32(X[m,k])*i32(W[k,n]) }", {"X": x, "W": w},
                  {"Y": x.astype(np.int32) @ w.astype(np.int32)})


@case
def float_to_integer_saturates():
    x = np.array([-1.9, 1.9, 300, -300, np.nan, np.inf, -np.inf, 127.5, 254.9], np.float32)
    want = np.array([0, 1, 255, 0, 0, 255, 0, 127, 254], np.uint8)
    return result("kernel k(X: f32[N]) -> Y: u8 { Y[i] = u8(X[i]) }", {"X": x}, {"Y": want})


@case
def integer_division_is_euclidean():
    a = np.array([-7, 7, -7, 7, 5, -5, 0], np.int32)
    b = np.array([2, -2, -2, 2, 0, 3, 4], np.int32)
    return result("kernel k(A: i32[N], B: i32[N]) -> (Q: i32, R: i32) { Q[i] = A[i]/B[i]; R[i] = A[i]%B[i] }", {"A": a, "B": b},
                  {"Q": np.array([-4, -3, 4, 3, 0, -2, 0], np.int32), "R": np.array([1, 1, 1, 1, 0, 1, 0], np.int32)})


@case
def round_half_to_even():
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.49, 7], np.float32)
    return result("Y[i] = round(X[i]) + floor(X[i])*10 + ceil(X[i])*100", {"X": x}, {"Y": np.rint(x) + np.floor(x) * 10 + np.ceil(x) * 100})


@case
def every_function():
    x = rng().uniform(0.1, 3, 50).astype(np.float32)
    v = x.astype(np.float64)
    import math
    erf = np.array([math.erf(t) for t in v])
    want = np.exp(v) + np.log(v) + np.sin(v) + np.cos(v) + np.tanh(v) + erf + 1 / (1 + np.exp(-v)) + v**1.5 + np.sqrt(v) + 1 / np.sqrt(v) + np.abs(-v)
    return result("Y[i] = exp(X[i]) + log(X[i]) + sin(X[i]) + cos(X[i]) + tanh(X[i]) + erf(X[i]) + sigmoid(X[i]) + pow(X[i], 1.5) "
                  "+ sqrt(X[i]) + rsqrt(X[i]) + abs(0 - X[i])", {"X": x}, {"Y": want}, 64, 40)


# ---- boundaries ------------------------------------------------------------------------------------------------------
def padded(boundary, **numpy):
    x = real((9, 11))
    text = f"kernel k(X: f32[H pad 2, W pad (1, 3)] {boundary}) -> Y: f32[H + 4, W + 4] {{ Y[y,x] = X[y - 2, x - 1] }}"
    return result(text, {"X": x}, {"Y": np.pad(x, ((2, 2), (1, 3)), **numpy)})


@case
def else_nothing_is_zero():
    return padded("", mode="constant")


@case
def else_constant():
    return padded("else -1.5", mode="constant", constant_values=-1.5)


@case
def else_edge():
    return padded("else edge", mode="edge")


@case
def else_reflect():
    return padded("else reflect", mode="reflect")


@case
def else_symmetric():
    return padded("else symmetric", mode="symmetric")


@case
def else_wrap():
    return padded("else wrap", mode="wrap")


@case
def else_lowest():
    x = whole((20,), np.int8, -128, 128)
    p = np.pad(x, 1, constant_values=-128)
    return result("kernel k(X: i8[N pad 1] else lowest) -> Y: i8[N] { Y[i] max= X[i + r - 1] where r in 0:3 }", {"X": x},
                  {"Y": np.maximum(np.maximum(p[:-2], p[1:-1]), p[2:])})


@case
def else_highest():
    x = whole((20,), np.uint16, 0, 65536)
    p = np.pad(x, 1, constant_values=65535)
    return result("kernel k(X: u16[N pad 1] else highest) -> Y: u16[N] { Y[i] min= X[i + r - 1] where r in 0:3 }", {"X": x},
                  {"Y": np.minimum(np.minimum(p[:-2], p[1:-1]), p[2:])})


# ---- shapes of equations ---------------------------------------------------------------------------------------------
@case
def select_between_tensors():
    a, b = real((8, 9)), real((8, 9))[::-1]
    return result("Y[i,j] = select(A[i,j] > B[i,j], A[i,j] - B[i,j], 3*B[i,j])", {"A": a, "B": b}, {"Y": np.where(a > b, a - b, 3 * b)}, 2, 4)


@case
def view_of_every_other_row():
    x = real((10, 6))
    return result("V[y,r] = X[2*y + r, 1]; Y[y] = V[y,0]*V[y,1]", {"X": x}, {"Y": x[0::2, 1] * x[1::2, 1]}, 2, 1, sets=["r=2"])


@case
def view_that_is_an_output():
    x = real((7, 5))
    return result("kernel k(X: f32[N, M]) -> V: f32[N, M] { V[i,j] = X[N - 1 - i, j] }", {"X": x}, {"V": x[::-1]})


@case
def scatter_with_collisions():
    i, w = whole((300,), np.int32, 0, 16), real((300,))
    want = np.zeros(16, np.float64)
    np.add.at(want, i, w)
    return result("kernel k(I: i32[N], W: f32[N]) -> H: f32[16] { H[I[n]] += W[n] }", {"I": i, "W": w}, {"H": want}, 300, 300)


@case
def scatter_into_a_size_only_the_output_has():
    i, w = whole((300,), np.int32, 0, 16), real((300,))
    want = np.zeros(21, np.float64)
    np.add.at(want, i, w)
    return result("kernel k(I: i32[N], W: f32[N]) -> H: f32[M] { H[I[n]] += W[n] }", {"I": i, "W": w}, {"H": want}, 300, 300,
                  sets=["M=21"])


@case
def scatter_of_maxima():
    i, w = whole((200,), np.uint8, 0, 10), real((200,))
    want = np.full(10, -np.inf, np.float32)
    np.maximum.at(want, i, w)
    return result("kernel k(I: u8[N], W: f32[N]) -> H: f32[10] { H[I[n]] max= W[n] }", {"I": i, "W": w}, {"H": want})


@case
def scatter_by_a_permutation():
    p, x = rng().permutation(50).astype(np.int64), real((50,))
    want = np.zeros(50, np.float32)
    want[p] = x
    return result("kernel k(P: i64[N], X: f32[N]) -> Y: f32[N] { Y[P[n]] = X[n] }", {"P": p, "X": x}, {"Y": want})


@case
def gather_of_columns():
    i, x = whole((30,), np.int32, 0, 9), real((5, 9))
    return result("kernel k(I: i32[M], X: f32[N, K]) -> Y: f32 { Y[n,m] = X[n, I[m]] }", {"I": i, "X": x}, {"Y": x[:, i]})


@case
def overlapping_writes_add_up():
    a = real((12, 3))
    want = np.zeros(25, np.float64)
    for x in range(12):
        want[2 * x:2 * x + 3] += a[x]
    return result("Y[2*x + k] += A[x,k]", {"A": a}, {"Y": want}, 2, 2)


@case
def recurrence_decays():
    x = real((30,))
    want, carry = [], np.float32(0)
    for v in x:
        carry = np.float32(0.5) * carry + v
        want.append(carry)
    return result("Y[0] = X[0]; Y[i] = 0.5*Y[i-1] + X[i] where i in 1:X.0", {"X": x}, {"Y": np.array(want)}, 30, 2)


@case
def recurrence_down_columns():
    x = real((12, 20))
    return result("kernel k(X: f32[N, M]) -> Y: f32[N, M] { Y[0,j] = X[0,j]; Y[i,j] = Y[i-1,j] + X[i,j] where i in 1:N }", {"X": x},
                  {"Y": np.cumsum(x, 0)}, 12, 12)


@case
def where_by_a_function_of_an_index():
    x = real((9,))
    i = np.arange(9)
    keep = (np.sqrt(i) < 2) | (np.ceil(i / 2) > 3)
    return result("Y[i] += X[i] where sqrt(i) < 2 or ceil(i/2) > 3", {"X": x}, {"Y": np.where(keep, x, 0)})


@case
def triangular_where():
    x = real((15, 15))
    return result("Y[i,j] = X[i,j] where j <= i", {"X": x}, {"Y": np.tril(x)})


@case
def dilated_convolution():
    x, f = real((40,)), real((5,))
    want = sum(x[3 * r:3 * r + 28].astype(np.float64) * f[r] for r in range(5))
    return result("Y[x] += X[x + 3*r]*F[r]", {"X": x, "F": f}, {"Y": want}, 5, 5)


@case
def strided_window_with_parameter():
    x = real((41, 3))
    want = np.stack([x[2 * y:2 * y + 4].max(0) for y in range(19)])
    return result("kernel k(X: f32[H, C], T: size = 1) -> Y: f32[OH, C] { Y[y,c] max= X[T*y + r, c] where r in 0:4 }", {"X": x},
                  {"Y": want}, sets=["T=2"])


@case
def three_tensors_contract():
    a, b, c = real((6, 7)), real((7, 8)), real((8, 5))
    return result("D[i,l] += A[i,j]*B[j,k]*C[k,l]", {"A": a, "B": b, "C": c}, {"D": a.astype(np.float64) @ b @ c}, 56, 56)


@case
def batched_outer_and_trace():
    a = real((4, 6, 6))
    return result("Y[b] += A[b,i,i]", {"A": a}, {"Y": np.trace(a, axis1=1, axis2=2)}, 6, 6)


@case
def several_outputs():
    x = real((9, 14))
    return result("kernel k(X: f32[N, M]) -> (S: f32, V: f32, I: i32) { S[i] += X[i,j]; V[i] max= X[i,j]; "
                  "I[i] max= i32(select(X[i,j] == V[i], i32(j), i32(-1))) }", {"X": x},
                  {"S": x.sum(1), "V": x.max(1), "I": x.argmax(1).astype(np.int32)}, 14, 14)


@case
def scalar_parameters():
    x, y = real((50,)), real((50,))[::-1]
    return result("kernel axpy(X: f32[N], Y: f32[N], a: f32) -> Z: f32 { Z[i] = a*X[i] + Y[i] }", {"X": x, "Y": y},
                  {"Z": np.float32(0.25) * x + y}, 2, 2, params=["a=0.25"])


@case
def split_into_blocks():
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    want = x.reshape(2, 2, 3, 2).transpose(0, 2, 1, 3).reshape(2, 3, 4)
    return result("kernel k(X: f32[H, W]) -> Y: f32[H/2, W/2, 4] { Y[y,x,c] = X[2*y + c/2, 2*x + c%2] }", {"X": x}, {"Y": want})


@case
def indices_as_values():
    x = real((6, 8))
    i, j = np.indices(x.shape)
    return result("Y[i,j] = X[i,j]*i + j/2", {"X": x}, {"Y": x * i + j / 2}, 3, 10)


@case
def empty_reduction():
    return result("Y[i] += X[i,j]", {"X": np.zeros((5, 0), np.float32)}, {"Y": np.zeros(5, np.float32)})


@case
def empty_output():
    return result("C[i,j] += A[i,k]*B[k,j]", {"A": np.zeros((0, 3), np.float32), "B": real((3, 4))}, {"C": np.zeros((0, 4), np.float32)})


@case
def one_element():
    return result("C[i,j] += A[i,k]*B[k,j]", {"A": np.full((1, 1), 3, np.float32), "B": np.full((1, 1), 5, np.float32)},
                  {"C": np.full((1, 1), 15, np.float32)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
