// Places from data are looked at before a kernel runs: by vectors of the neighbours in a row, and one by one at its end.

#include "tests/schedule/run_compiled.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace halogen {
namespace {

/// What is said of a call of `kernel k(B, I) -> Y` with the places `at`; nothing where it runs.
std::string refusal(const Executor& executor, const Kernel& kernel, const Settings& sizes, const HostTensor& at) {
    const auto outputs = guarded([&] { return outputs_of(executor, call_of(kernel, sizes, {{"I", at}})); });
    return outputs ? "" : outputs.error().what;
}

/// Rows around a vector's width, with one place that lies outside: before the first element, behind the last, and far from both.
void expect_each_place_is_looked_at(Type type, const std::vector<std::int64_t>& outside) {
    const std::string text =
        "kernel k(B: f32[N], I: " + to_string(type) + "[R, M]) -> Y: f32[R, M] { Y[r, m] = B[I[r, m]] }";
    SCOPED_TRACE(text);
    const Kernel kernel = parse(text).value().kernels.front();
    const Executor executor(kernel, choose_leg(""), {});
    constexpr std::int64_t elements = 5, rows = 3;
    for (const std::int64_t row : {1, 2, 15, 16, 17, 31, 32, 50}) {
        const Settings sizes{{"N", elements}, {"R", rows}, {"M", row}};
        HostTensor places(type, {rows, row});
        for (std::int64_t i = 0; i < rows * row; i++) places.set_integer(i, i % elements);
        EXPECT_EQ(refusal(executor, kernel, sizes, places), "");
        for (std::int64_t i = 0; i < rows * row; i += 1 + row / 7)
            for (const std::int64_t bad : outside) {
                HostTensor broken = places;
                broken.set_integer(i, bad);
                EXPECT_EQ(refusal(executor, kernel, sizes, broken),
                          "`I[r, m]` is " + std::to_string(bad) + " at r = " + std::to_string(i / row) +
                              ", m = " + std::to_string(i % row) + ", outside [0, 5) of dim 0 of `B`");
            }
    }
}

TEST(Checks, EachPlaceOfARowIsLookedAt) {
    expect_each_place_is_looked_at(Type::i32, {-1, 5, INT32_MIN, INT32_MAX});
    expect_each_place_is_looked_at(Type::i64, {-1, 5, INT64_MIN, INT64_MAX, std::int64_t{1} << 32});
    expect_each_place_is_looked_at(Type::u8, {5, 255});
    expect_each_place_is_looked_at(Type::i8, {-128, -1, 5, 127});
    expect_each_place_is_looked_at(Type::u32, {5, std::int64_t{UINT32_MAX}});
}

struct ComputedPlace {
    const char *equations, *place;
    int value;         // of the place where I[m] is -3
    const char* loop;  // besides m, at its first point
};

TEST(Checks, EachComputedPlaceIsLookedAt) {
    for (const ComputedPlace& computed :
         {ComputedPlace{"Y[m] = B[min(I[m] + 1, N - 1)]", "min(I[m] + 1, N - 1)", -2, ""},
          ComputedPlace{"J[m] = 2*I[m] - 1; Y[m] = B[min(J[m], N - 1)]", "min(J[m], N - 1)", -7, ""},
          ComputedPlace{"Y[m] += B[2*I[m] + k - 1] where k in 0:2", "2*I[m] + k - 1", -7, ", k = 0"}}) {
        const std::string text =
            fmt::format("kernel k(B: f32[N], I: i32[M]) -> Y: f32[M] {{ {} }}", computed.equations);
        SCOPED_TRACE(text);
        const Kernel kernel = parse(text).value().kernels.front();
        const Executor executor(kernel, choose_leg(""), {});
        for (const std::int64_t points : {1, 15, 16, 17, 40}) {
            const Settings sizes{{"N", 9}, {"M", points}};
            HostTensor places(Type::i32, {points});
            for (std::int64_t i = 0; i < points; i++) places.set_integer(i, 1 + i % 3);
            EXPECT_EQ(refusal(executor, kernel, sizes, places), "");
            for (std::int64_t bad = 0; bad < points; bad += 1 + points / 5) {
                HostTensor broken = places;
                broken.set_integer(bad, -3);
                EXPECT_EQ(refusal(executor, kernel, sizes, broken),
                          fmt::format("`{}` is {} at m = {}{}, outside [0, 9) of dim 0 of `B`", computed.place,
                                      computed.value, bad, computed.loop));
            }
        }
    }
}

TEST(Checks, TheFirstOfSeveralIsTold) {
    const Kernel kernel =
        parse("kernel k(B: f32[N], I: i32[M]) -> Y: f32[M] { Y[m] = B[I[m]] }").value().kernels.front();
    const Executor executor(kernel, choose_leg(""), {});
    HostTensor places(Type::i32, {70});
    for (const std::int64_t at : {69, 40, 33}) places.set_integer(at, -at);
    EXPECT_EQ(refusal(executor, kernel, {{"N", 1}, {"M", 70}}, places),
              "`I[m]` is -33 at m = 33, outside [0, 1) of dim 0 of `B`");
}

/// What is said on every leg of `kernel k(B: f32[elements], I) -> Y` with these equations; where it runs, its values are those of the interpreter.
std::string said_of(const std::string& equations, std::int64_t elements, const HostTensor& places) {
    const std::string text =
        "kernel k(B: f32[N], I: " + to_string(places.type()) + "[M]) -> Y: f32[M] { " + equations + " }";
    const Kernel kernel = parse(text).value().kernels.front();
    const Settings sizes{{"N", elements}, {"M", places.extents().front()}};
    std::optional<std::string> why;
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        const std::string on_leg = refusal(Executor(kernel, leg, {}), kernel, sizes, places);
        if (!why) why = on_leg;
        EXPECT_EQ(on_leg, *why) << text << " on " << leg.name;
    }
    if (why->empty()) expect_as_interpreted(text, sizes, {{"I", places}});
    return *why;
}

/// Places that their own bounds keep inside are looked at only where sizes do not suffice for that.
TEST(Checks, ClampedPlacesLieInsideWhateverTheData) {
    HostTensor far(Type::i32, {40});
    for (std::int64_t i = 0; i < 40; i++) far.set_integer(i, i % 3 == 0 ? INT32_MIN : i % 3 == 1 ? INT32_MAX : i - 20);
    const auto said = [&](const std::string& equations, std::int64_t elements) {
        return said_of(equations, elements, far);
    };
    const std::string clamped = "Y[m] = B[min(max(I[m], 0), N - 1)]",
                      made = "J[m] = max(min(I[m], N - 3), 1); Y[m] = B[J[m] + 1] + B[J[m] - 1]";
    EXPECT_EQ(said(clamped, 5), "");
    EXPECT_EQ(said(clamped, 1), "");
    EXPECT_EQ(said_of(clamped, 0, HostTensor(Type::i32, {0})), "");
    EXPECT_EQ(said(clamped, 0), "`min(max(I[m], 0), N - 1)` is -1 at m = 0, outside [0, 0) of dim 0 of `B`");
    EXPECT_EQ(said(made, 5), "");
    EXPECT_EQ(said(made, 3), "");
    EXPECT_EQ(said(made, 2), "`J[m] + 1` is 2 at m = 0, outside [0, 2) of dim 0 of `B`");
    EXPECT_EQ(said("J[m] = select(I[m] > 3, N - 1, 0); Y[m] = B[J[m]]", 5), "");
    EXPECT_EQ(said("J[0] = 0; J[m] = J[m - 1] + i32(I[m] > 3) where m in 1:M; Y[m] = B[min(max(J[m], 0), N - 1)]", 5),
              "");
    EXPECT_EQ(said("J[m] += select(I[n] > I[m], 1, 0); Y[m] = B[min(max(J[m], 0), N - 1)]", 5), "");
    // Elements that the equation leaves out, and what stands beyond the edges, are none of those that it keeps.
    EXPECT_EQ(said("J[m] = max(min(I[m], N - 1), 3) where m in 2:M; Y[m] = B[J[m] - 3]", 5),
              "`J[m] - 3` is -3 at m = 0, outside [0, 5) of dim 0 of `B`");
    EXPECT_EQ(said("J[m, m] = max(min(I[m], N - 1), 3); Y[m] = B[J[m, 0] - 3]", 5),
              "`J[m, 0] - 3` is -3 at m = 1, outside [0, 5) of dim 0 of `B`");
    EXPECT_EQ(said("tmp J: i32[M pad 1] else 9; J[m] = max(min(I[m], N - 1), 0); Y[m] = B[J[m - 1]]", 5),
              "`J[m - 1]` is 9 at m = 0, outside [0, 5) of dim 0 of `B`");
    // One side is not kept, one bound is too far, and what wraps is no wide integer.
    EXPECT_EQ(said("Y[m] = B[max(I[m], 0)]", 5),
              "`max(I[m], 0)` is 2147483647 at m = 1, outside [0, 5) of dim 0 of `B`");
    EXPECT_EQ(said("Y[m] = B[min(max(I[m], 0), N)]", 5),
              "`min(max(I[m], 0), N)` is 5 at m = 1, outside [0, 5) of dim 0 of `B`");
    EXPECT_EQ(said("J[m] = min(max(I[m], 0), N - 1); J[0] = 7; Y[m] = B[J[m]]", 5),
              "`J[m]` is 7 at m = 0, outside [0, 5) of dim 0 of `B`");
    EXPECT_EQ(said("J[m] = u8(min(max(I[m], 0), N - 1)) - 1; Y[m] = B[J[m]]", 5),
              "`J[m]` is 255 at m = 0, outside [0, 5) of dim 0 of `B`");
}

/// Of a real number, whichever it is: infinite, none, between whole ones, beyond all whole ones of its type.
TEST(Checks, ClampedRealNumbersLieInsideWhateverTheyAre) {
    const std::vector<double> numbers{-INFINITY, INFINITY, NAN, -1e30, 1e30, -0.5, 0.5, 2.999, 4, 3e9, -3e9, 7};
    HostTensor at(Type::f32, {static_cast<std::int64_t>(numbers.size())});
    for (std::size_t i = 0; i < numbers.size(); i++) at.set_real(static_cast<std::int64_t>(i), numbers[i]);
    const auto said = [&](const std::string& equations, std::int64_t elements) {
        return said_of(equations, elements, at);
    };
    const std::string neighbours =
        "J[m] = i32(min(max(floor(I[m]), 0), f32(N - 2))); Y[m] += B[J[m] + a] where a in 0:2";
    EXPECT_EQ(said(neighbours, 5), "");
    EXPECT_EQ(said(neighbours, 2), "");
    EXPECT_EQ(said(neighbours, 1), "`J[m] + a` is -1 at m = 0, a = 0, outside [0, 1) of dim 0 of `B`");
    EXPECT_EQ(said("f[m] = max(min(round(I[m]), f32(N) - 1), 0.0); Y[m] = B[i32(f[m])]", 5), "");
    EXPECT_EQ(said("J[m] = i64(max(min(I[m], 3), 1)); Y[m] = B[J[m] - 1]", 5),
              "`J[m] - 1` is -1 at m = 2, outside [0, 5) of dim 0 of `B`")
        << "what is no number gives 0";
    // Half an element too far, one side alone, and a neighbour that is not there.
    EXPECT_EQ(said("Y[m] = B[i32(min(max(I[m], 0), f32(N)))]", 5),
              "`i32(min(max(I[m], 0), f32(N)))` is 5 at m = 1, outside [0, 5) of dim 0 of `B`");
    EXPECT_EQ(said("Y[m] = B[i32(min(I[m], 4))]", 5),
              "`i32(min(I[m], 4))` is -2147483648 at m = 0, outside [0, 5) of dim 0 of `B`");
    EXPECT_EQ(said("J[m] = i32(min(max(I[m], 0), f32(N - 1))); Y[m] += B[J[m] - a] where a in 0:2", 5),
              "`J[m] - a` is -1 at m = 0, a = 1, outside [0, 5) of dim 0 of `B`");
}

/// Places beside conditions of other indices: all are looked at first, and where one lies outside, whether a condition leaves it out.
TEST(Checks, PlacesOfRaggedRowsMayLieOutsideWhereNoRowIs) {
    HostTensor at(Type::i32, {40});
    for (std::int64_t k = 0; k < 40; k++) at.set_integer(k, k < 30 ? k % 5 : 5);
    const auto said = [&](const std::string& end) {
        return said_of("Y[m] += B[I[k]] where 7*m <= k and k < " + end, 5, at);
    };
    EXPECT_EQ(said("min(7*m + 7, 30)"), "");
    EXPECT_EQ(said("min(7*m + 7, 31)"), "`I[k]` is 5 at k = 30, outside [0, 5) of dim 0 of `B`");
}

TEST(Checks, NothingMayBeChosenFromATensorWithoutElements) {
    const Kernel kernel =
        parse("kernel k(B: f32[N], I: i32[M]) -> Y: f32[M] { Y[m] = B[I[m]] }").value().kernels.front();
    const Executor executor(kernel, choose_leg(""), {});
    EXPECT_EQ(refusal(executor, kernel, {{"N", 0}, {"M", 0}}, HostTensor(Type::i32, {0})), "");
    EXPECT_EQ(refusal(executor, kernel, {{"N", 0}, {"M", 20}}, HostTensor(Type::i32, {20})),
              "`I[m]` is 0 at m = 0, outside [0, 0) of dim 0 of `B`");
}

/// Of u32 Halide knows where it begins when it simplifies, and not when it asks how much of `O` is read.
TEST(Checks, AConditionMayReadWhatWasComputedAtPlacesOfU32) {
    HostTensor places(Type::u32, {3, 20}), bins(Type::u32, {20});
    for (std::int64_t i = 0; i < 60; i++) places.set_integer(i, i % 3);
    for (std::int64_t i = 0; i < 20; i++) bins.set_integer(i, i % 8);
    expect_as_interpreted(
        "kernel k(F: u32[K], E: u32[M, K]) -> I: i32[M, 8] { O[1] += 1; O[2] = 1; "
        "I[v, F[t]] += 1 where 1 == O[E[v, t]] }",
        {{"K", 20}, {"M", 3}}, {{"E", places}, {"F", bins}});
}

TEST(Checks, AResultWithoutElementsAsksForNothing) {
    const Kernel kernel = parse(
                              "kernel k(Z: u16[P], U: u16[P], E: u16[C, P, S]) -> (J: u16, T: u16[C, S, S - 5]) { "
                              "J[0] = Z[6]; T[y, x, s] max= U[t] + E[y, t, x] }")
                              .value()
                              .kernels.front();
    expect_as_interpreted(Executor(kernel, choose_leg(""), {}), kernel, {{"C", 2}, {"P", 13}, {"S", 5}});
}

}  // namespace
}  // namespace halogen
