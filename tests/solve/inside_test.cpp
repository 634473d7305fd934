// Every form that may stand in brackets, read and written, padded or not: under the guards every place lies inside, and
// where they do not hold one does not. Places are evaluated from their text, without formulas.

#include "frontend/solve/place.h"
#include "frontend/solve/proof.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <span>

namespace halogen {
namespace {

/// Forms over the indices i and j and the parameter K, all within bounds that guards can state.
const char* const guarded_forms[] = {
    "i + 0",
    "i + 4",
    "2*i + 3",
    "5 - i",
    "K - 1 - i",
    "i*K",
    "i/3",
    "(i + 1)/K",
    "i % 4",
    "(i + 1) % 4",
    "(i - 2) % 3",
    "(2*i) % 4",
    "i % K",
    "(i - 1) % K",
    "(4 - i) % 3",
    "abs(i - 2)",
    "abs(i + 4)",
    "abs(5 - 2*i)",
    "abs(abs(i - 4) - 2)",
    "abs(i - 3) - 1",
    "min(i, 3)",
    "min(i, 5 - i)",
    "min(3*i, 2*i + 4)",
    "max(i, K)",
    "max(i - 3, 4 - i)",
    "max(min(i, 4), 2)",
    "max(i - 3, 4 - i) + i % 2",
    "i*i",
    "i*(i + 1)/2",
    "2*(i/2) + i%2",
    "i%7 + i/3",
    "i%3 - i/3",
    "2 - i%3 + i/3",
    "i - i/2",
    "i - i%3",
    "i32(i)",
    "i64(i + 1)",
    "u8(i)",
    "u8(i + 250)",
    "i8(i + 3)",
    "i32(abs(i - 2))",
    "i + j",
    "i - j",
    "abs(i - j)",
    "abs(2*i - 3*j)",
    "abs(i*j - 2)",
    "abs(i*j - (2 - i))",
    "max(i, j)",
    "max(i - j, 2*j - i)",
    "min(i, j) + 2*i",
    "i*j",
    "(i - 1)*(j - 2)",
    "(i + j) % 3",
    "(2*i + j)/2",
    "i/(j + 1)",
    "4*i + j % 4",
    "min(i + j, 4) + i",
};

/// Those that the kernel looks at when it runs.
const char* const checked_forms[] = {
    "i%2 + i%3", "i % (j + 1)", "i32(f32(i)*0.5)", "u8(u8(i) + 250)", "i32(select(i < 3, i, 0))",
    "D[i]",      "D[i] + i",    "abs(D[i])",
};

struct Values {
    std::map<std::string, std::int64_t> of;
};

/// The place as the notation defines it; not for data and floats.
std::int64_t evaluate(const Expr& e, const Values& values) {
    if (const auto* n = e.as<IntegerLiteral>()) return n->value;
    if (const auto* s = e.as<SizeRef>()) return values.of.at(s->name);
    if (const auto* i = e.as<IndexRef>()) return values.of.at(i->name);
    if (const auto* u = e.as<Unary>()) return -evaluate(*u->value, values);
    if (const auto* c = e.as<Cast>()) {
        const std::int64_t v = evaluate(*c->value, values);
        return c->to == Type::u8 ? static_cast<std::uint8_t>(v) : c->to == Type::i8 ? static_cast<std::int8_t>(v) : v;
    }
    if (const auto* c = e.as<Call>()) {
        const std::int64_t a = evaluate(c->arguments[0], values);
        if (c->function == Function::abs) return std::abs(a);
        const std::int64_t b = evaluate(c->arguments[1], values);
        return c->function == Function::min ? std::min(a, b) : std::max(a, b);
    }
    const auto& b = *e.as<Binary>();
    const std::int64_t x = evaluate(*b.left, values), y = evaluate(*b.right, values);
    switch (b.op) {
    case BinaryOp::add: return x + y;
    case BinaryOp::sub: return x - y;
    case BinaryOp::mul: return x * y;
    case BinaryOp::div: return x / y - (x % y < 0);
    default: return (x % y + y) % y;
    }
}

/// "X[form]" or "Y[form]" with i over N elements of V and j over M of W.
struct Form {
    std::string text;
    bool is_left = false;
    int pad = 0;

    std::string kernel() const {
        const std::string pads = pad ? fmt::format(" pad {}", pad) : "";
        const std::string head = "D: i32[N], V: f32[N], W: f32[M], K: size";
        if (is_left) return fmt::format("kernel k({}) -> Y: f32[L] {{ Y[{}] += V[i]*W[j] }}", head, text);
        return fmt::format("kernel k({}, X: f32[L{}]{}) -> Y: f32 {{ Y[i, j] = X[{}]*V[i]*W[j] }}", head, pads,
                           pad ? " else 0" : "", text);
    }
};

std::vector<Form> all_forms(std::span<const char* const> texts) {
    std::vector<Form> forms;
    for (const char* text : texts) {
        forms.push_back({text, false, 0});
        forms.push_back({text, false, 2});
        forms.push_back({text, true, 0});
    }
    return forms;
}

/// Counts what holds and what does not.
void expect_exact_guards(const Form& form, test::Dice& dice, int& legal, int& refused) {
    SCOPED_TRACE(form.kernel());
    const Kernel kernel = test::kernel_of(form.kernel());
    const auto solved = solve(kernel, {{"K", std::nullopt}});
    ASSERT_TRUE(solved) << format(solved.error(), "-e");
    const Solution& s = solved.value();
    EXPECT_TRUE(s.checked.empty());
    const Expr place = form.is_left ? kernel.equations[0].left.at[0] : [&] {
        Expr found;
        walk(kernel.equations[0].right, [&](const Expr& e) {
            if (const auto* a = e.as<Access>(); a && a->tensor == "X") found = a->at[0];
        });
        return found;
    }();
    const bool divides = form.text.find("/K") != std::string::npos || form.text.find("% K") != std::string::npos;
    for (int round = 0; round < 60; ++round) {
        Values v{{{"N", dice.between(1, 12)},
                  {"M", dice.between(1, 5)},
                  {"K", dice.between(0, 5)},
                  {"L", dice.between(1, 20)}}};
        bool inside = !divides || v.of["K"] > 0;
        for (std::int64_t i = 0; i < v.of["N"] && inside; ++i) {
            for (std::int64_t j = 0; j < v.of["M"] && inside; ++j) {
                v.of["i"] = i, v.of["j"] = j;
                const std::int64_t at = evaluate(place, v);
                inside = at >= -form.pad && at < v.of["L"] + form.pad;
            }
        }
        const Bindings values(v.of.begin(), v.of.end());
        ASSERT_EQ(test::guards_hold(s, values), inside)
            << fmt::format("N={} M={} K={} L={} guards {}", v.of["N"], v.of["M"], v.of["K"], v.of["L"],
                           fmt::join(test::guards(s), ", "));
        ++(inside ? legal : refused);
    }
}

TEST(Inside, GuardsHoldExactlyWhereEveryPlaceLiesInside) {
    test::Dice dice(test::seed_of_run());
    int legal = 0, refused = 0;
    for (const Form& form : all_forms(guarded_forms)) expect_exact_guards(form, dice, legal, refused);
    std::cout << legal << " legal, " << refused << " refused\n";
    EXPECT_GT(legal, 1000);
    EXPECT_GT(refused, 1000);
}

TEST(Inside, WhatNoGuardStatesIsCheckedWhenTheKernelRuns) {
    for (const Form& form : all_forms(checked_forms)) {
        SCOPED_TRACE(form.kernel());
        const Kernel kernel = test::kernel_of(form.kernel());
        const Solution s = solve(kernel, {{"K", std::nullopt}}).value();
        ASSERT_EQ(s.checked.size(), 1);
        EXPECT_EQ(s.checked[0].equation, 0);
        EXPECT_EQ(s.checked[0].access[0], form.is_left ? 'Y' : 'X');
        EXPECT_EQ(s.checked[0].dim, 0);
    }
}

TEST(Inside, TheLargestExtentOfProductsWithinAbsIsAFormula) {
    const Kernel kernel =
        test::kernel_of("kernel k(F: i32[M]) -> I: i32 { I[j] += F[abs(k*j + t - 2)] where k in 0:4, t in 0:3 }");
    const Solution s = solve(kernel).value();
    EXPECT_EQ(print(s.extents.at("I")[0]), "(M + 2)/3");
    EXPECT_TRUE(s.checked.empty());
}

TEST(Inside, FormsTooDeepForGuardsAreCheckedWhenTheKernelRuns) {
    const Kernel kernel = test::kernel_of(
        "kernel k(E: bool[S, N, 3]) -> I: bool[S] { I[u] and= E[abs(min(u, 4) - max(r, m))%2, r, 0] where m in 0:7, r "
        "in 0:3 }");
    EXPECT_EQ(solve(kernel).value().checked.size(), 1);
}

TEST(Inside, EveryAccessIsProvedGuardedOrChecked) {
    for (const auto& texts :
         {std::span<const char* const>(guarded_forms), std::span<const char* const>(checked_forms)}) {
        for (const Form& form : all_forms(texts)) {
            const Kernel kernel = test::kernel_of(form.kernel());
            for (const InBounds& p : prove_in_bounds(kernel, solve(kernel, {{"K", std::nullopt}}).value()))
                EXPECT_NE(p.verdict, InBounds::Verdict::missing) << form.kernel() << "\n" << print(p);
        }
    }
}

}  // namespace
}  // namespace halogen
