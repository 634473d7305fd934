// Largest extents that no formula gives, against trying all: with numbers they are found, with open sizes the output's
// buffer gives them and the guards hold for the largest one alone.

#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace halogen {
namespace {

struct Form {
    const char* text;
    std::function<std::int64_t(std::int64_t)> at;
};

const Form forms[] = {
    {"i*i", [](auto i) { return i * i; }},
    {"i*(i + 1)/2", [](auto i) { return i * (i + 1) / 2; }},
    {"i%7 + i/3", [](auto i) { return i % 7 + i / 3; }},
    {"min(3*i, 2*i + 10)", [](auto i) { return std::min(3 * i, 2 * i + 10); }},
    {"i*i + i/2", [](auto i) { return i * i + i / 2; }},
};

/// The largest n for which i = 0, …, n - 1 all lie in [0, extent).
std::int64_t tried(const Form& form, std::int64_t extent) {
    std::int64_t n = 0;
    while (form.at(n) >= 0 && form.at(n) < extent) ++n;
    return n;
}

TEST(Largest, IsFoundWithNumbersAndGuardedWithOpenSizes) {
    for (const Form& form : forms) {
        const std::string text = fmt::format("kernel k(X: f32[N]) -> Y: f32 {{ Y[i] = X[{}] }}", form.text);
        const Solution open = test::solved(text);
        for (std::int64_t extent = 1; extent <= 40; ++extent) {
            const std::int64_t largest = tried(form, extent);
            EXPECT_EQ(test::solved(text, {{"N", extent}}).extents.at("Y")[0], Formula(largest)) << text << extent;
            for (std::int64_t given = std::max<std::int64_t>(0, largest - 2); given <= largest + 2; ++given) {
                const bool right = given == largest;
                EXPECT_EQ(test::guards_hold(open, {{"N", extent}, {"Y.0", given}}), right)
                    << text << " N=" << extent << " Y.0=" << given;
                EXPECT_EQ(static_cast<bool>(solve(test::kernel_of(text), {{"N", extent}, {"Y.0", given}})), right)
                    << text << " N=" << extent << " Y.0=" << given;
            }
        }
    }
}

/// A largest of two is as far as either reaches, though an index stands in both.
TEST(Largest, OfALargestOfTwoIsWhatBothAllow) {
    const char* text = "kernel k(X: f32[N], V: f32[Q]) -> Y: f32 { Y[m] += X[max(2*m + 1, abs(1 - j - m))]*V[j] }";
    const Solution open = test::solved(text);
    for (std::int64_t extent = 2; extent <= 12; ++extent)
        for (std::int64_t q = 1; q <= extent; ++q) {
            std::int64_t largest = 0;
            const auto reach = [&](std::int64_t m) {
                return std::max(2 * m + 1, std::max<std::int64_t>(1, m + q - 2));
            };
            while (reach(largest) < extent) ++largest;
            EXPECT_EQ(test::solved(text, {{"N", extent}, {"Q", q}}).extents.at("Y")[0], Formula(largest));
            EXPECT_EQ(evaluate(open.extents.at("Y")[0], {{"N", extent}, {"Q", q}}), largest) << extent << " " << q;
        }
}

/// Places of which bounds are hard to find, or are not exact: then every point is tried, with numbers.
TEST(Largest, IsFoundPointByPointWhereNoBoundIsExact) {
    const auto far = [](std::int64_t m, auto&& at) {
        std::int64_t most = 0;
        for (std::int64_t i = 0; i < 7; ++i) most = std::max(most, at(m, i));
        return most;
    };
    const Form folded[] = {
        {"abs(m - abs(i - 3))",
         [&](auto m) { return far(m, [](auto n, auto i) { return std::abs(n - std::abs(i - 3)); }); }},
        {"abs(m/1 - abs(i - R)) + 2*max(i, 4)",
         [&](auto m) {
             return far(
                 m, [](auto n, auto i) { return std::abs(n - std::abs(i - 3)) + 2 * std::max<std::int64_t>(i, 4); });
         }},
        {"i16(m) + i%1", [](auto m) { return m; }},
    };
    for (const Form& form : folded) {
        const std::string text =
            fmt::format("kernel k(X: f32[N], R: size) -> Y: f32 {{ Y[m] max= X[{}] where i in 0:7 }}", form.text);
        for (const std::int64_t extent : {16, 17, 18, 40})
            EXPECT_EQ(test::solved(text, {{"N", extent}, {"R", 3}}).extents.at("Y")[0], Formula(tried(form, extent)))
                << text << extent;
    }
    EXPECT_EQ(test::solved("kernel k(X: i8[N]) -> Y: i8 { Y[m] = X[i8(m)] }", {{"N", 200}}).extents.at("Y")[0],
              Formula(128));  // i8(128) is -128
    const Kernel wrapped = test::kernel_of("kernel k(X: i8[N]) -> Y: i8 { Y[m] = X[u8(m)] }");
    EXPECT_FALSE(solve(wrapped, {{"N", 256}})) << "any number of points fits";
}

/// A place without an exact bound beside one with a bound: the less of both counts with numbers; without, nothing gives the size.
TEST(Largest, IsFoundPointByPointBesideABound) {
    const std::string text = "kernel k(X: f32[N], Z: f32[M]) -> Y: f32 { Y[i] = X[2*i] + Z[(i/4)*4 + (3 - i%4)] }";
    for (std::int64_t extent = 1; extent <= 24; ++extent)
        for (std::int64_t other = 4; other <= 12; ++other) {
            const std::int64_t reached = std::min((extent + 1) / 2, other / 4 * 4);
            EXPECT_EQ(test::solved(text, {{"N", extent}, {"M", other}}).extents.at("Y")[0], Formula(reached))
                << extent << " " << other;
        }
    const auto open = solve(test::kernel_of(text), {});
    ASSERT_FALSE(open);
    EXPECT_EQ(open.error().kind, ErrorKind::underdetermined);
}

/// A remainder ends no large extent, but with the number of a short dim it does; while that is open it has to fit.
TEST(Largest, IsEndedByARemainderThatReachesTooFar) {
    const std::string next = "kernel k(D: f32[N]) -> Q: f32 { Q[b] = D[b]*D[(b + 1) % 5] }",
                      turned = "kernel k(V: f32[N, M]) -> J: f32 { J[a] = V[abs(2*a - 4), (1 - a) % 3] }";
    for (std::int64_t extent = 2; extent <= 9; ++extent)
        EXPECT_EQ(test::solved(next, {{"N", extent}}).extents.at("Q")[0], Formula(extent < 5 ? extent - 1 : extent));
    for (std::int64_t extent = 5; extent <= 9; ++extent)
        for (const std::int64_t other : {2, 3, 4})
            EXPECT_EQ(test::solved(turned, {{"N", extent}, {"M", other}}).extents.at("J")[0],
                      Formula(other < 3 ? 2 : (extent + 5) / 2))
                << extent << " " << other;
    EXPECT_EQ(test::solved(next, {}).extents.at("Q")[0], Formula::symbol("N"));
}

TEST(Largest, GoesOnThroughIntermediates) {
    const Solution s = test::solved("kernel k(X: f32[N]) -> Y: f32 { T[i] = X[i*i]; Y[i] = T[i + 1] }", {{"N", 30}});
    EXPECT_EQ(test::size(s, "T.0"), "6");
    EXPECT_EQ(test::size(s, "Y.0"), "5");
}

TEST(Largest, OfWhatAnyExtentFitsIsStillOpen) {
    const Kernel kernel = test::kernel_of("kernel k(X: f32[N]) -> Y: f32 { Y[i] = X[i % 4] }");
    for (const Settings& known : {Settings{}, Settings{{"N", 9}}}) {
        const auto result = solve(kernel, known);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, ErrorKind::underdetermined);
    }
}

/// What rule 2 is about does not depend on what the numbers leave of an access: min(i, 3) is inside whatever N is.
TEST(Largest, IsAboutAnIndexThoughItsAccessFitsByNumbers) {
    const Solution s =
        test::solved("kernel k(X: f32[_], Z: f32[N/2]) -> Y: f32[N] { T[i/2] += Z[i]*X[i + 1]; Y[i] += X[min(i, 3)] }",
                     {{"X.0", 11}, {"Z.0", 10}});
    EXPECT_EQ(test::size(s, "N"), "21");
    const Solution t = test::solved(
        "kernel k(X: f32[_], W: f32[N], K: size) -> Y: f32[N] { T[i] += X[K*i]; Y[i] += T[k]*T[1]*W[i*k] }",
        {{"K", 0}, {"X.0", 5}, {"N", 10}});
    EXPECT_EQ(test::size(t, "T.0"), "2");
}

TEST(Largest, IsNotBoundedByAnAccessThatIsNeverMade) {  // with N = 0 there is no W[i*k]
    const Solution s =
        test::solved("kernel k(X: f32[_], W: f32[N], K: size) -> Y: f32[N] { T[i] += X[K*i]; Y[i] += T[k]*W[i*k] }",
                     {{"K", 1}, {"X.0", 3}, {"N", 0}});
    EXPECT_EQ(test::size(s, "T.0"), "3");
}

TEST(Largest, UnderAStrideThatIsAnExtentLessOne) {  // v*a reaches (V.0 - 1)*(Y.0 - 1)
    const std::string text = "kernel k(V: f32[_, _]) -> Y: f32 { Y[a] += V[v, v*a] }";
    const Solution open = test::solved(text);
    EXPECT_EQ(test::size(open, "Y.0"), "(V.0 + V.1 - 2)/(V.0 - 1)");
    for (const std::int64_t v : {0, 1, 2, 3, 4}) {
        for (const std::int64_t w : {0, 1, 6, 7}) {
            const Bindings values{{"V.0", v}, {"V.1", w}};
            const auto number = solve(test::kernel_of(text), {{"V.0", v}, {"V.1", w}});
            ASSERT_EQ(test::guards_hold(open, values), static_cast<bool>(number)) << v << " " << w;
            EXPECT_EQ(static_cast<bool>(number), v >= 2 && w >= 1);
            if (number) {
                EXPECT_EQ(number.value().extents.at("Y")[0], Formula((w - 1) / (v - 1) + 1));
            }
        }
    }
}

TEST(Largest, IsNotAskedOfASizeThatAnEqualityFixes) {  // N*M = 4 elements of Z: M is 1, though 3 would keep Y[i] inside
    const std::string text =
        "kernel k(Z: f32[N*M], X: f32[_]) -> Y: f32[N - 1] { Y[i] += Z[i]*X[k] where k in 0:3, i in 0:M }";
    EXPECT_EQ(test::size(test::solved(text, {{"N", 4}, {"Z.0", 4}, {"X.0", 3}}), "M"), "1");
    EXPECT_EQ(test::size(test::solved(text, {{"N", 4}, {"Z.0", 4}, {"M", 1}, {"X.0", 3}}), "M"), "1");
}

TEST(Largest, HoldsThoughNothingIsAccessed) {  // as where a formula gives it: with K = P nothing is read
    const std::string text =
        "kernel k(Z: f32[_], W: f32[_], K: size, P: size) -> Y: f32 { Y[i] += W[i*i]*Z[k/2] where k in P:K }";
    const Solution s = test::solved(text, {{"K", std::nullopt}, {"P", std::nullopt}});
    for (const std::int64_t k : {3, 4}) {
        for (const std::int64_t given : {2, 3, 4, 7}) {
            const Bindings values{{"K", k}, {"P", 3}, {"W.0", 9}, {"Z.0", 5}, {"Y.0", given}};
            EXPECT_EQ(test::guards_hold(s, values), given == 3) << k << " " << given;
        }
    }
}

/// Some accesses bound the extent by a formula, others by a search alone: the least of both.
TEST(Largest, OfAFormulaAndASearchIsTheLess) {
    const std::string text = "kernel k(X: f32[M], W: f32[A], K: size) -> Y: f32 { Y[i] = X[i*i]*W[K*i] }";
    const Solution open = test::solved(text, {{"K", std::nullopt}});
    for (const std::int64_t m : {1, 5, 9, 17}) {
        for (const std::int64_t a : {1, 3, 4, 12}) {
            for (const std::int64_t k : {0, 1, 2}) {
                std::int64_t largest = 0;
                while (largest * largest < m && k * largest < a) ++largest;
                const Settings known{{"M", m}, {"A", a}, {"K", k}};
                EXPECT_EQ(test::solved(text, known).extents.at("Y")[0], Formula(largest)) << m << " " << a << " " << k;
                for (std::int64_t given = 0; given <= largest + 2; ++given) {
                    Settings all = known;
                    all["Y.0"] = given;
                    const Bindings values{{"M", m}, {"A", a}, {"K", k}, {"Y.0", given}};
                    EXPECT_EQ(static_cast<bool>(solve(test::kernel_of(text), all)), given == largest);
                    EXPECT_EQ(test::guards_hold(open, values), given == largest) << m << a << k << given;
                }
            }
        }
    }
}

TEST(Largest, EndsWhereARangeIsLong) {  // l*min(v, l) reaches L*L at most, whatever Y.0 is
    const std::string text = "kernel k(F: f32[N], L: size) -> Y: f32 { Y[v, l] = F[l*min(v, l)] where l in 0:L }";
    const Solution open = test::solved(text, {{"L", std::nullopt}});
    for (const std::int64_t n : {1, 5, 9, 10, 17}) {
        for (const std::int64_t l : {1, 3, 4}) {
            const bool ends = n <= (l - 1) * (l - 1);
            std::int64_t largest = 0;
            while (ends && (l - 1) * std::min(largest, l - 1) < n) ++largest;
            const auto number = solve(test::kernel_of(text), {{"N", n}, {"L", l}});
            ASSERT_EQ(static_cast<bool>(number), ends) << n << " " << l;
            if (ends) {
                EXPECT_EQ(number.value().extents.at("Y")[0], Formula(largest));
            }
            for (std::int64_t given = 1; given <= n + 2; ++given) {
                const Bindings values{{"N", n}, {"L", l}, {"Y.0", given}};
                EXPECT_EQ(test::guards_hold(open, values), ends && given == largest) << n << l << given;
            }
        }
    }
}

TEST(Largest, OfWhatIsReachedWhateverTheExtentIsStillOpen) {  // how far m goes has nothing to do with i
    for (const char* place : {"i % 3 + m", "i % 1000000 + m"}) {
        const std::string text =
            fmt::format("kernel k(X: f32[N], M: size) -> Y: f32 {{ Y[i, m] = X[{}] where m in 0:M }}", place);
        const auto result = solve(test::kernel_of(text), {{"M", std::nullopt}});
        ASSERT_FALSE(result) << text;
        EXPECT_EQ(result.error().kind, ErrorKind::underdetermined);
    }
}

TEST(Largest, SaysSoWhereAnotherIsGiven) {
    const auto result =
        solve(test::kernel_of("kernel k(X: f32[N]) -> Y: f32 { Y[i] = X[i*i] }"), {{"N", 10}, {"Y.0", 3}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::contradictory);
    EXPECT_EQ(result.error().what, "4 is not 3: `Y.0` is the largest extent that keeps X[i*i] inside");
}

}  // namespace
}  // namespace halogen
