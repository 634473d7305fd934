// Texts whose names, ranks or types do not fit, and the full text of what is said about each.

#include "frontend/notation/program.h"
#include "tests/language/mended.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

struct Mistake {
    const char* text;
    const char* kind;
    const char* message;  // as the command line shows it for `-e`
};

const Mistake mistakes[] = {
    {"kernel f(X: float[N]) -> Y: f32 { Y[i] = X[i] }", "type",
     "-e:1:13: expected the type of `X`, found `float`\n"
     "  at   kernel f(X: float[N]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  did you mean `f32`? the types are f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 bool"},
    {"kernel f(X: f33[N]) -> Y: f32 { Y[i] = X[i] }", "type",
     "-e:1:13: expected the type of `X`, found `f33`\n"
     "  at   kernel f(X: f33[N]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  did you mean `f32`? the types are f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 bool"},
    {"kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] } kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] }", "name",
     "-e:1:54: there are two kernels `f`\n"
     "  at   kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] } kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  rename one of them"},
    {"kernel f(X: u8[N pad 1] else 300) -> Y: u8 { Y[i] = X[i] }", "type",
     "-e:1:30: the `else` of `X` does not fit its type: the literal `300` is outside the range of u8, which is 0 to "
     "255\n"
     "  fix  use a literal of u8, or lowest, highest or a mode"},
    {"kernel f(X: u8[N pad 1] else -1) -> Y: u8 { Y[i] = X[i] }", "type",
     "-e:1:30: the `else` of `X` does not fit its type: the literal `-1` is outside the range of u8, which is 0 to "
     "255\n"
     "  fix  use a literal of u8, or lowest, highest or a mode"},
    {"kernel f(X: i32[N pad 1] else 0.5) -> Y: i32 { Y[i] = X[i] }", "type",
     "-e:1:31: the `else` of `X` does not fit its type: the real literal `0.5` does not fit i32\n"
     "  fix  use a literal of i32, or lowest, highest or a mode"},
    {"kernel f(X: bool[N pad 1] else 2) -> Y: bool { Y[i] = X[i] }", "type",
     "-e:1:32: the `else` of `X` does not fit its type: the literal `2` is no bool\n"
     "  fix  use 0 or 1"},
    {"kernel f(X: f32[N pad -1]) -> Y: f32 { Y[i] = X[i] }", "negative",
     "-e:1:23: the pad of dim 0 of `X` is -1\n"
     "  fix  give 0 or more"},
    {"kernel f(X: f32[-3]) -> Y: f32 { Y[i] = X[i] }", "negative",
     "-e:1:17: the extent of dim 0 of `X` is -3\n"
     "  fix  give 0 or more"},
    {"kernel f(X: f32[n]) -> Y: f32 { Y[i] = X[i] }", "name",
     "-e:1:17: `n` in the dims of `X` is an index, for its initial is lower case\n"
     "  fix  write a size with a capital, or declare `n: size`"},
    {"kernel f(X: f32[a], a: f32) -> Y: f32 { Y[i] = X[i] }", "name",
     "-e:1:17: `a` is a scalar and cannot be a size in the extent of dim 0 of `X`\n"
     "  fix  declare `a: size`, or rename one of them"},
    {"kernel f(X: f32[N/0]) -> Y: f32 { Y[i] = X[i] }", "contradictory",
     "-e:1:18: the divisor of `N/0` is not positive\n"
     "  fix  divide by 1 or more"},
    {"kernel f(X: f32[N*0.5]) -> Y: f32 { Y[i] = X[i] }", "type",
     "-e:1:19: `0.5` cannot stand in the extent of dim 0 of `X`\n"
     "  fix  use whole numbers, sizes, + - * / %, min and max"},
    {"kernel f(X: f32[N], T: size = -1) -> Y: f32 { Y[i] = X[i] }", "negative",
     "-e:1:31: the default of size `T` is negative\n"
     "  at   kernel f(X: f32[N], T: size = -1) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  a size is 0 or more"},
    {"kernel f(X: f32[N], X: f32[N]) -> Y: f32 { Y[i] = X[i] }", "name",
     "-e:1:21: `X` is declared twice\n"
     "  fix  rename one of them"},
    {"kernel f(X: f32[N]) -> X: f32 { X[i] = X[i] }", "name",
     "-e:1:24: `X` is declared twice\n"
     "  fix  rename one of them"},
    {"kernel f(X: f32[N], T: f32, T: size) -> Y: f32 { Y[i] = X[i] }", "name",
     "-e:1:29: `T` names both a scalar and a size\n"
     "  fix  rename one of them"},
    {"kernel f(X: f32[N], N: f32) -> Y: f32 { Y[i] = X[i] }", "name",
     "-e:1:17: `N` is a scalar and cannot be a size in the extent of dim 0 of `X`\n"
     "  fix  declare `N: size`, or rename one of them"},
    {"kernel f(X: f32[N]) -> Y: f32 { Z[i] = X[i] }", "name",
     "-e:1:24: output `Y` is never written\n"
     "  fix  add an equation with `Y[...]` on its left, or remove the output"},
    {"kernel f(X: f32[N]) -> Y: f32 { Y[i] = Z[i]; Z[i] = X[i] }", "name",
     "-e:1:40: `Z` is read before it is written\n"
     "  at   Y[i] = Z[i]\n"
     "  fix  equations run in textual order: move the one that defines `Z` up"},
    {"kernel f(X: f32[N]) -> Y: f32 { Y[i] = XX[i] }", "name",
     "-e:1:40: there is no tensor `XX`\n"
     "  at   Y[i] = XX[i]\n"
     "  fix  did you mean `X`?"},
    {"kernel f(X: f32[N]) -> Y: f32 { X[i] = 3; Y[i] = X[i] }", "name",
     "-e:1:33: `X` is an input and cannot be written\n"
     "  at   X[i] = 3\n"
     "  fix  write to an output or to a tensor of another name"},
    {"kernel f(a: f32, X: f32[N]) -> Y: f32 { Y[i] = a[i] + X[i] }", "name",
     "-e:1:48: `a` is a scalar, and only tensors take brackets\n"
     "  at   Y[i] = a[i] + X[i]\n"
     "  fix  declare it with dims, `a: f32[N]`, or remove the brackets"},
    {"kernel f(X: f32[N, M]) -> Y: f32 { Y[i] += X[i] }", "rank",
     "-e:1:44: `X` has 2 dims but is used with 1 in X[i]\n"
     "  at   Y[i] += X[i]\n"
     "  fix  give 2 places in the brackets, or change the declaration"},
    {"kernel f(X: f32[N]) -> Y: f32[M, N] { Y[i] = X[i] }", "rank",
     "-e:1:39: `Y` has 2 dims but is used with 1 in Y[i]\n"
     "  at   Y[i] = X[i]\n"
     "  fix  give 2 places in the brackets, or change the declaration"},
    {"Y[i] = X[i] + X[i, i]", "rank",
     "-e:1:15: `X` has 1 dim but is used with 2 in X[i, i]\n"
     "  at   Y[i] = X[i] + X[i, i]\n"
     "  fix  use `X` with one number of dims throughout"},
    {"Y[i] = X[i]*k", "name",
     "-e:1:13: index `k` is missing on the left, and `=` reduces nothing\n"
     "  at   Y[i] = X[i]*k\n"
     "  fix  reduce with `+=`, put `k` on the left, or declare `k` if it is meant as a scalar or size"},
    {"Y[i] = X[i] where k in 0:3", "name",
     "-e:1:19: index `k` is missing on the left, and `=` reduces nothing\n"
     "  at   Y[i] = X[i] where k in 0:3\n"
     "  fix  reduce with `+=`, put `k` on the left, or declare `k` if it is meant as a scalar or size"},
    {"Y[i] = a(X[i])", "name",
     "-e:1:8: there is no function `a`\n"
     "  at   Y[i] = a(X[i])\n"
     "  fix  use select, min, max, abs, floor, ceil, round, sqrt, rsqrt, exp, log, sin, cos, tanh, erf, sigmoid, pow, "
     "or a type's name to cast"},
    {"Y[i] = X(i)", "name",
     "-e:1:8: there is no function `X`\n"
     "  at   Y[i] = X(i)\n"
     "  fix  a tensor is read with square brackets, `X[i]`; a product needs its `*`"},
    {"Y[i] = sqrtt(X[i])", "name",
     "-e:1:8: there is no function `sqrtt`\n"
     "  at   Y[i] = sqrtt(X[i])\n"
     "  fix  did you mean `sqrt`?"},
    {"Y[i] = clamp(X[i], 0, 1)", "name",
     "-e:1:8: there is no function `clamp`\n"
     "  at   Y[i] = clamp(X[i], 0, 1)\n"
     "  fix  write `min(max(a, low), high)`"},
    {"Y[i] = sum(X[i, j])", "name",
     "-e:1:8: there is no function `sum`\n"
     "  at   Y[i] = sum(X[i, j])\n"
     "  fix  write an equation with `+=`: what its left side does not have is reduced"},
    {"Y[i] = X[i]*pi", "name",
     "-e:1:13: index `pi` is missing on the left, and `=` reduces nothing\n"
     "  at   Y[i] = X[i]*pi\n"
     "  fix  reduce with `+=`, put `pi` on the left, or declare `pi` if it is meant as a scalar or size, or write "
     "3.141592653589793"},
    {"Y[i] = X[i] & 3", "syntax",
     "-e:1:13: there is no `&` in the notation\n"
     "  at   Y[i] = X[i] & 3\n"
     "  fix  there are no operators on bits: `a % 8` keeps the last 3, `a/8` drops them"},
    {"Y[i] = X[i] << 2", "syntax",
     "-e:1:14: expected an operand, found `<`\n"
     "  at   Y[i] = X[i] << 2\n"
     "  fix  there are no shifts: `a*8` shifts by 3 bits, and `a/8` back"},
    {"Y[i] = X[i] ? 1 : 2", "syntax",
     "-e:1:13: there is no `?` in the notation\n"
     "  at   Y[i] = X[i] ? 1 : 2\n"
     "  fix  write `select(condition, if_true, if_false)`"},
    {"Y[i] = min(X[i])", "rank",
     "-e:1:8: `min` takes 2 arguments, not 1\n"
     "  at   Y[i] = min(X[i])\n"
     "  fix  write `min(a, b)`"},
    {"Y[i] = select(X[i], 1)", "rank",
     "-e:1:8: `select` takes 3 arguments, not 2\n"
     "  at   Y[i] = select(X[i], 1)\n"
     "  fix  write `select(condition, if_true, if_false)`"},
    {"Y[i] = X[i] where N in 0:3", "name",
     "-e:1:19: `N` is a size, and `in` gives the range of an index\n"
     "  at   Y[i] = X[i] where N in 0:3\n"
     "  fix  write the index in lower case, under a name that no parameter has"},
    {"Y[i] = X[i] where i in 0:3, i in 1:2", "name",
     "-e:1:29: index `i` has two ranges\n"
     "  at   Y[i] = X[i] where i in 0:3, i in 1:2\n"
     "  fix  keep one `in`, and make the other a predicate"},
    {"Y[i] = X[i] where i in 0:j", "type",
     "-e:1:26: `j` cannot stand in the range of index `i`\n"
     "  at   Y[i] = X[i] where i in 0:j\n"
     "  fix  use a size, or a predicate such as `where k <= i`"},
    {"Y[i] = X[i] where i", "type",
     "-e:1:19: a predicate behind `where` must be bool, and `i` is a whole number\n"
     "  at   Y[i] = X[i] where i\n"
     "  fix  compare it: `i != 0`"},
    {"Y[i] = X[i] where X[i]", "type",
     "-e:1:19: a predicate behind `where` must be bool, and `X[i]` is f32\n"
     "  at   Y[i] = X[i] where X[i]\n"
     "  fix  compare it: `X[i] != 0`"},
    {"Y[i] = X[0.5]", "type",
     "-e:1:10: `0.5` cannot stand in the brackets of `X`\n"
     "  at   Y[i] = X[0.5]\n"
     "  fix  positions are whole numbers; cast with `i32(...)`"},
    {"Y[i] = X[i < 3]", "type",
     "-e:1:12: `i < 3` cannot stand in the brackets of `X`\n"
     "  at   Y[i] = X[i < 3]\n"
     "  fix  positions are whole numbers; put the condition behind `where`"},
    {"Y[i] = X[sqrt(i)]", "type",
     "-e:1:10: `sqrt(i)` cannot stand in the brackets of `X`\n"
     "  at   Y[i] = X[sqrt(i)]\n"
     "  fix  use + - * / %, min, max, abs, or an intermediate tensor of integers"},
    {"Y[i] = X[I[i]]", "type",
     "-e:1:10: `I[i]` is f32 and cannot be a position\n"
     "  at   Y[i] = X[I[i]]\n"
     "  fix  use a tensor of integers, or cast: `i32(I[i])`"},
    {"Y[i] = X[f32(i)]", "type",
     "-e:1:10: `f32(i)` cannot stand in the brackets of `X`\n"
     "  at   Y[i] = X[f32(i)]\n"
     "  fix  positions are whole numbers; cast to an integer type"},
    {"Y[i] = X[i/0]", "contradictory",
     "-e:1:11: the divisor of `i/0` is not positive\n"
     "  at   Y[i] = X[i/0]\n"
     "  fix  divide by 1 or more"},
    {"Y[i] = X[i%-2]", "contradictory",
     "-e:1:11: the divisor of `i%-2` is not positive\n"
     "  at   Y[i] = X[i%-2]\n"
     "  fix  divide by 1 or more"},
    {"Y[i] = X[i] + 1e39", "type",
     "-e:1:15: the literal `1e+39` is outside the range of f32\n"
     "  at   Y[i] = X[i] + 1e39\n"
     "  fix  use a smaller number"},
    {"Y[i] = X[i]*X.1", "name",
     "-e:1:13: `X.1` is no size, for `X` has 1 dim\n"
     "  at   Y[i] = X[i]*X.1\n"
     "  fix  write `X.0` for dim 0 of a tensor `X`"},
    {"Y[i] = X[i]*Q.0", "name",
     "-e:1:13: `Q.0` is no size, for there is no tensor `Q`\n"
     "  at   Y[i] = X[i]*Q.0\n"
     "  fix  write `X.0` for dim 0 of a tensor `X`"},
    {"S[] += X[i]; Y[i] = X[i]/S", "name",
     "-e:1:26: `S` without brackets is a size, and no dim gives a size of that name\n"
     "  at   Y[i] = X[i]/S\n"
     "  fix  read the tensor with brackets, `S[]`, or declare `S: size`"},
    {"Y[i] = Y[i+1]", "name",
     "-e:1:8: `Y[i + 1]` is read while `Y[i]` is written, and is not strictly earlier along one index\n"
     "  at   Y[i] = Y[i+1]\n"
     "  fix  read the element that is written, or an earlier one such as `i - 1` for `i`; or write to a tensor of "
     "another name"},
    {"Y[i] = Y[i-1] + Y[i+1]", "name",
     "-e:1:17: `Y[i + 1]` is read while `Y[i]` is written, and is not strictly earlier along one index\n"
     "  at   Y[i] = Y[i-1] + Y[i+1]\n"
     "  fix  read the element that is written, or an earlier one such as `i - 1` for `i`; or write to a tensor of "
     "another name"},
    {"Y[i, j] = Y[i-1, j+1] + Y[i+1, j-1]", "name",
     "-e:1:11: `Y[i - 1, j + 1]` is read while `Y[i, j]` is written, and is not strictly earlier along one index\n"
     "  at   Y[i, j] = Y[i-1, j+1] + Y[i+1, j-1]\n"
     "  fix  read the element that is written, or an earlier one such as `i - 1` for `i`; or write to a tensor of "
     "another name"},
    {"Y[i] += Y[j]", "name",
     "-e:1:9: `Y[j]` is read while `Y[i]` is written, and is not strictly earlier along one index\n"
     "  at   Y[i] += Y[j]\n"
     "  fix  read the element that is written, or an earlier one such as `i - 1` for `i`; or write to a tensor of "
     "another name"},
    {"Y[i] = Y[I[i]]", "type",
     "-e:1:10: `I[i]` is f32 and cannot be a position\n"
     "  at   Y[i] = Y[I[i]]\n"
     "  fix  use a tensor of integers, or cast: `i32(I[i])`"},
    {"Y[i] = Z[i]; Z[i] = X[i]", "name",
     "-e:1:8: `Z` is read before it is written\n"
     "  at   Y[i] = Z[i]\n"
     "  fix  equations run in textual order: move the one that defines `Z` up"},
    {"Z[i] = X[i]; Y[i] = Z[i]; Z[i] = Y[i]", "name",
     "-e:1:27: there is no output, for every tensor written is read by another equation\n"
     "  at   Z[i] = Y[i]\n"
     "  fix  write a `kernel` and declare its outputs"},
    {"kernel f(A: i32[N], B: f32[N]) -> Y: f32 { Y[i] = A[i] + B[i] }", "type",
     "-e:1:56: `+` joins i32 `A[i]` and f32 `B[i]`\n"
     "  at   Y[i] = A[i] + B[i]\n"
     "  fix  cast one of them: `f32(A[i])`"},
    {"kernel f(A: i32[N], B: f32[N]) -> Y: f32 { Y[i] = A[i] }", "type",
     "-e:1:51: the right side is i32, and `Y` is f32\n"
     "  at   Y[i] = A[i]\n"
     "  fix  cast it: `f32(A[i])`"},
    {"kernel f(A: i32[N]) -> Y: i32 { Y[i] = A[i]*0.5 }", "type",
     "-e:1:44: `*` joins i32 `A[i]` and a real `0.5`\n"
     "  at   Y[i] = A[i]*0.5\n"
     "  fix  cast: `f32(A[i])`"},
    {"kernel f(A: i32[N]) -> Y: i32 { Y[i] = 0.5 }", "type",
     "-e:1:40: the right side is a real, and `Y` is i32\n"
     "  at   Y[i] = 0.5\n"
     "  fix  cast it: `i32(0.5)`"},
    {"kernel f(A: u8[N]) -> Y: u8 { Y[i] = A[i] + 300 }", "type",
     "-e:1:45: the literal `300` is outside the range of u8, which is 0 to 255\n"
     "  at   Y[i] = A[i] + 300\n"
     "  fix  cast the other side to a wider type, or use another number"},
    {"kernel f(A: u8[N]) -> Y: u8 { Y[i] = max(A[i], -1) }", "type",
     "-e:1:48: the literal `-1` is outside the range of u8, which is 0 to 255\n"
     "  at   Y[i] = max(A[i], -1)\n"
     "  fix  cast the other side to a wider type, or use another number"},
    {"kernel f(A: i8[N]) -> Y: i8 { Y[i] = A[i] + -129 }", "type",
     "-e:1:45: the literal `-129` is outside the range of i8, which is -128 to 127\n"
     "  at   Y[i] = A[i] + -129\n"
     "  fix  cast the other side to a wider type, or use another number"},
    {"kernel f(A: i32[N]) -> Y: i32 { Y[i] = sqrt(A[i]) }", "type",
     "-e:1:40: `sqrt` takes floats, and `A[i]` is i32\n"
     "  at   Y[i] = sqrt(A[i])\n"
     "  fix  cast the argument: `f32(A[i])`"},
    {"kernel f(A: bool[N]) -> Y: bool { Y[i] = A[i] + A[i] }", "type",
     "-e:1:47: `+` takes numbers, and `A[i]` is bool\n"
     "  at   Y[i] = A[i] + A[i]\n"
     "  fix  cast it: `i32(A[i])`"},
    {"kernel f(A: bool[N]) -> Y: i32 { Y[i] += A[i] }", "type",
     "-e:1:42: the right side is bool, and `Y` is i32\n"
     "  at   Y[i] += A[i]\n"
     "  fix  cast it: `i32(A[i])`"},
    {"kernel f(A: bool[N]) -> Y: bool { Y[] += A[i] }", "type",
     "-e:1:35: `+=` reduces numbers, and `Y` is bool\n"
     "  at   Y[] += A[i]\n"
     "  fix  use `and=`, `or=` or `=`"},
    {"kernel f(A: f32[N]) -> Y: f32 { Y[] and= A[i] }", "type",
     "-e:1:33: `and=` reduces bool, and `Y` is f32\n"
     "  at   Y[] and= A[i]\n"
     "  fix  use `+=`, `*=`, `max=` or `min=`, or declare the tensor bool"},
    {"kernel f(A: f32[N]) -> Y: bool { Y[] and= A[i] }", "type",
     "-e:1:43: the right side is f32, and `Y` is bool\n"
     "  at   Y[] and= A[i]\n"
     "  fix  cast it: `bool(A[i])`"},
    {"kernel f(A: bool[N]) -> Y: bool { Y[i] = 1 }", "type",
     "-e:1:42: the right side is a whole number, and `Y` is bool\n"
     "  at   Y[i] = 1\n"
     "  fix  write a comparison such as `1 == 1`, or cast with `bool(...)`"},
    {"kernel f(A: bool[N]) -> Y: bool { Y[i] = A[i] and 1 }", "type",
     "-e:1:51: the right side of `and` must be bool, and `1` is a whole number\n"
     "  at   Y[i] = A[i] and 1\n"
     "  fix  compare it: `1 != 0`"},
    {"kernel f(A: bool[N]) -> Y: bool { Y[i] = A[i] == 1 }", "type",
     "-e:1:47: `==` joins bool `A[i]` and a whole number `1`\n"
     "  at   Y[i] = A[i] == 1\n"
     "  fix  cast: `bool(1)`"},
    {"kernel f(A: bool[N]) -> Y: f32 { Y[i] = select(A[i], 1, A[i]) }", "type",
     "-e:1:41: `select` joins bool `A[i]` and a whole number `1`\n"
     "  at   Y[i] = select(A[i], 1, A[i])\n"
     "  fix  cast: `bool(1)`"},
    {"kernel f(A: f32[N]) -> Y: f32 { Y[i] = select(A[i], 1, A[i]) }", "type",
     "-e:1:47: the condition of `select` must be bool, and `A[i]` is f32\n"
     "  at   Y[i] = select(A[i], 1, A[i])\n"
     "  fix  compare it: `A[i] != 0`"},
    {"kernel f(A: f32[N]) -> Y: f32 { Y[i] = not A[i] }", "type",
     "-e:1:44: the operand of `not` must be bool, and `A[i]` is f32\n"
     "  at   Y[i] = not A[i]\n"
     "  fix  compare it: `A[i] != 0`"},
    {"kernel f(A: bool[N], X: f32[N]) -> Y: f32 { Y[i] = X[A[i]] }", "type",
     "-e:1:54: `A[i]` is bool and cannot be a position\n"
     "  at   Y[i] = X[A[i]]\n"
     "  fix  use a tensor of integers"},
    {"kernel f(s: i32, X: f32[N]) -> Y: f32 { Y[i] = X[i + s] }", "type",
     "-e:1:54: `s` cannot stand in the brackets of `X`\n"
     "  at   Y[i] = X[i + s]\n"
     "  fix  declare `s: size` instead of a scalar"},
    {"kernel f(s: f32, X: f32[N]) -> Y: f32 { Y[i] = X[i32(s*i)] }", "type",
     "-e:1:54: the scalar `s` cannot stand in the brackets of `X`\n"
     "  at   Y[i] = X[i32(s*i)]\n"
     "  fix  compute the position in an intermediate tensor of integers"},
    {"kernel f(I: i32[N], J: i64[N], X: f32[N]) -> Y: f32 { Y[i] = X[I[i] + J[i]] }", "type",
     "-e:1:69: `+` joins i32 `I[i]` and i64 `J[i]`\n"
     "  at   Y[i] = X[I[i] + J[i]]\n"
     "  fix  cast one of them: `i64(I[i])`"},
    {"kernel f(X: f32[N], Z: i32[N]) -> Y: f32 { T[i] = X[i]; T[i] += Z[i]; Y[i] = T[i] }", "type",
     "-e:1:65: the right side is i32, and `T` is f32\n"
     "  at   T[i] += Z[i]\n"
     "  fix  cast it: `f32(Z[i])`"},
    {"kernel f(X: f32[N]) -> Y: f32 { }", "name",
     "-e:1:24: output `Y` is never written\n"
     "  fix  add an equation with `Y[...]` on its left, or remove the output"},
    {"kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] where s in 0:2 }", "name",
     "-e:1:51: index `s` is missing on the left, and `=` reduces nothing\n"
     "  at   Y[i] = X[i] where s in 0:2\n"
     "  fix  reduce with `+=`, put `s` on the left, or declare `s` if it is meant as a scalar or size"},
    {"kernel f(X: f32[N], A: f32) -> Y: f32 { Y[i] = X[i] where i in 0:A }", "name",
     "-e:1:66: `A` is a scalar and cannot be a size in the range of index `i`\n"
     "  at   Y[i] = X[i] where i in 0:A\n"
     "  fix  declare `A: size`, or rename one of them"},
    {"kernel f(X: half[N]) -> Y: f32 { Y[i] = X[i] }", "type",
     "-e:1:13: expected the type of `X`, found `half`\n"
     "  at   kernel f(X: half[N]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  did you mean `f16`? the types are f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 bool"},
    {"Y[i, j] = Y[i, j + 1]", "name",
     "-e:1:11: `Y[i, j + 1]` is read while `Y[i, j]` is written, and is not strictly earlier along one index\n"
     "  at   Y[i, j] = Y[i, j + 1]\n"
     "  fix  read the element that is written, or an earlier one such as `i - 1` for `i`; or write to a tensor of "
     "another name"},
    {"kernel f(X: f32[N], D: size) -> Y: f32[N, N] { Y[i, j] = Y[i - D, j + 1] + X[i] }", "name",
     "-e:1:58: `Y[i - D, j + 1]` is read while `Y[i, j]` is written, and is not strictly earlier along one index\n"
     "  at   Y[i, j] = Y[i - D, j + 1] + X[i]\n"
     "  fix  read the element that is written, or an earlier one such as `i - 1` for `i`; or write to a tensor of "
     "another name"},
    {"kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] + f16(X[i]) }", "type",
     "-e:1:45: `+` joins f32 `X[i]` and f16 `f16(X[i])`\n"
     "  at   Y[i] = X[i] + f16(X[i])\n"
     "  fix  cast one of them: `f32(f16(X[i]))`"},
    {"kernel f(a: i64, X: f32[N]) -> Y: f32 { Y[i] = a*X[i] }", "type",
     "-e:1:49: `*` joins i64 `a` and f32 `X[i]`\n"
     "  at   Y[i] = a*X[i]\n"
     "  fix  cast one of them: `f32(a)`"},
    {"kernel f(X: bool[N]) -> Y: bool { Y[i] = -X[i] }", "type",
     "-e:1:42: `-` takes numbers, and `X[i]` is bool\n"
     "  at   Y[i] = -X[i]\n"
     "  fix  cast it: `i32(X[i])`"},
    {"kernel f(X: bool[N]) -> Y: bool { Y[i] = X[i] < X[i] }", "type",
     "-e:1:47: `<` takes numbers, and `X[i]` is bool\n"
     "  at   Y[i] = X[i] < X[i]\n"
     "  fix  cast it: `i32(X[i])`"},
    {"kernel f(X: u32[N]) -> Y: u32 { Y[i] = X[i]/4294967296 }", "type",
     "-e:1:45: the literal `4294967296` is outside the range of u32, which is 0 to 4294967295\n"
     "  at   Y[i] = X[i]/4294967296\n"
     "  fix  cast the other side to a wider type, or use another number"},
    {"kernel f(X: f16[N pad 1] else 65536) -> Y: f16 { Y[i] = X[i] }", "type",
     "-e:1:31: the `else` of `X` does not fit its type: the literal `65536` is outside the range of f16\n"
     "  fix  use a literal of f16, or lowest, highest or a mode"},
};

TEST(Error, EveryMistakeOfMeaningSaysWhatWhereAndHowToMendIt) {
    for (const auto& [text, kind, message] : mistakes) {
        const auto result = parse(text);
        ASSERT_FALSE(result) << text << "\nis taken for\n" << print(result.value());
        EXPECT_EQ(to_string(result.error().kind), kind) << text;
        EXPECT_EQ(format(result.error(), "-e"), message) << text;
    }
}

/// A proposal may lead to the next mistake of a text, whose proposal is followed in turn; where it names nothing to write, that
/// mistake must be of another kind.
TEST(Error, FixesOfMeaningLeadToATextThatIsRight) {
    int followed = 0;
    for (const auto& [text, kind, message] : mistakes) {
        std::string now = text, way = now;
        for (int round = 0; round < 4; round++) {
            const auto result = parse(now);
            const auto next = result ? std::nullopt : testing::mended(now, result.error());
            if (!next) break;
            now = *next;
            way += "\n" + format(result.error(), "-e") + "\n" + now;
        }
        if (now == text) continue;
        followed++;
        const auto result = parse(now);
        EXPECT_TRUE(result || to_string(result.error().kind) != kind) << way << "\n"
                                                                      << (result ? "" : format(result.error(), "-e"));
    }
    EXPECT_GE(followed, 5);
}

}  // namespace
}  // namespace halogen
