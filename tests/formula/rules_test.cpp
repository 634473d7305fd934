// Every rule of formulas, from its row alone: its law is true of numbers; and on random operands that have the form of
// `before`, the row applies and gives what the law promises. HALOGEN_ROUNDS operands a row, 1000 usually.

#include "frontend/formula/rules.h"
#include "frontend/formula/sign.h"
#include "frontend/notation/parse_expr.h"
#include "frontend/solve/place.h"
#include "tests/formula/random_formula.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace halogen {
namespace {

using Kind = Formula::Atom::Kind;
using Letters = std::map<std::string, Formula>;  // what the letters of a law stand for

/// `x, y` as two expressions.
std::vector<Expr> read_list(std::string_view text) {
    const std::string source(text);
    TokenStream tokens(source);
    std::vector<Expr> all{parse_expression(tokens)};
    while (tokens.take_symbol(",")) all.push_back(parse_expression(tokens));
    EXPECT_EQ(tokens.peek().kind, Token::Kind::end) << text;
    return all;
}

Expr read(std::string_view text) { return read_list(text).at(0); }

/// A law's expression at numbers; nothing where it divides by what is not positive, a negative number aside.
class Value {
public:
    explicit Value(const Bindings& at) : at_(at) {}

    std::optional<std::int64_t> of(const Expr& e) const {
        if (const auto* i = e.as<IntegerLiteral>()) return i->value;
        if (const auto* i = e.as<IndexRef>()) return at_.at(i->name);
        if (const auto* u = e.as<Unary>()) {
            const auto v = of(*u->value);
            return v ? std::optional(-*v) : std::nullopt;
        }
        const auto* call = e.as<Call>();
        const auto* b = e.as<Binary>();
        const auto left = of(call ? call->arguments[0] : *b->left), right = of(call ? call->arguments[1] : *b->right);
        if (!left || !right) return std::nullopt;
        if (call) return call->function == Function::min ? std::min(*left, *right) : std::max(*left, *right);
        return binary(*b, *left, *right);
    }

private:
    static std::optional<std::int64_t> binary(const Binary& b, std::int64_t l, std::int64_t r) {
        switch (b.op) {
        case BinaryOp::add: return l + r;
        case BinaryOp::sub: return l - r;
        case BinaryOp::mul: return l * r;
        case BinaryOp::div:
        case BinaryOp::mod: {
            const bool by_number = print(*b.right).find_first_of("wxyz") == std::string::npos;
            if (r == 0 || (r < 0 && !by_number)) return std::nullopt;
            const std::int64_t rest = (l % r + std::abs(r)) % std::abs(r);  // never negative
            if (b.op == BinaryOp::mod) return rest;
            return l / r - (l % r != 0 && (l < 0) != (r < 0));  // rounds down
        }
        case BinaryOp::lt: return l < r;
        case BinaryOp::le: return l <= r;
        case BinaryOp::ge: return l >= r;
        case BinaryOp::logical_and: return l != 0 && r != 0;
        default: ADD_FAILURE() << "a law with another operator"; return std::nullopt;
        }
    }

    const Bindings& at_;
};

const std::array<std::string, 4> sizes = {"H", "R", "T", "W"};

enum class Sign { any, never_negative };

Formula random_formula(test::Dice& dice, Sign sign) {
    const auto symbol = [&] { return Formula::symbol(sizes[dice.between(0, 3)]); };
    const auto leaf = [&] { return dice.chance(25) ? Formula(dice.between(sign == Sign::any ? -6 : 0, 9)) : symbol(); };
    return test::RandomFormulas{dice, leaf, symbol(), sign == Sign::any}.draw(dice.between(0, 2));
}

/// Numbers for c, d, g and k; formulas for the others.
Letters random_letters(test::Dice& dice) {
    Letters letters;
    for (const char* number : {"c", "d", "g", "k"}) letters[number] = dice.between(-2, 7);
    for (const char* formula : {"w", "x"}) letters[formula] = random_formula(dice, Sign::any);
    for (const char* formula : {"y", "z"}) letters[formula] = random_formula(dice, Sign::never_negative);
    return letters;
}

Bindings random_sizes(test::Dice& dice) {
    Bindings at;
    for (const auto& name : sizes) at[name] = dice.between(1, 9);
    return at;
}

Bindings numbers_of(const Letters& letters, const Bindings& at) {
    Bindings numbers;
    for (const auto& [letter, f] : letters) numbers[letter] = evaluate(f, at);
    return numbers;
}

Formula with(const Expr& e, const Letters& letters) {
    return *place_formula(e, [&](const std::string& name) { return &letters.at(name); });
}

/// The two operands of `x/y`, `x % y`, `min(x, y)` or `max(x, y)`, and which operation it is.
struct Operation {
    Kind kind;
    Expr a, b;

    explicit Operation(const Expr& e) {
        if (const auto* call = e.as<Call>()) {
            kind = call->function == Function::min ? Kind::min : Kind::max;
            a = call->arguments[0], b = call->arguments[1];
        } else {
            const auto& binary = *e.as<Binary>();
            kind = binary.op == BinaryOp::div ? Kind::floor_div : Kind::remainder;
            a = *binary.left, b = *binary.right;
        }
    }
};

/// One row under test: draws letters that satisfy its condition on numbers.
class Trial {
public:
    Trial(const Law& law, unsigned seed)
        : before(read(law.before)),
          after(read_list(law.after)),
          where_(law.where.empty() ? Expr() : read(law.where)),
          dice_(seed) {
        name_ = std::string(law.before) + " | " + std::string(law.after) +
                (law.where.empty() ? "" : " where " + std::string(law.where));
    }

    /// Checks the law on numbers, then `apply` on formulas: it gives results of which `holds(before, result)` is to be true.
    void run(const std::function<std::vector<Formula>(const Letters&)>& apply,
             const std::function<bool(std::int64_t, std::int64_t)>& holds) {
        const char* given = std::getenv("HALOGEN_ROUNDS");
        const int rounds = given ? std::atoi(given) : 1000;
        int tried = 0, fired = 0;
        for (int round = 0; round < rounds; ++round) {
            const Letters letters = random_letters(dice_);
            if (!possible(letters)) continue;
            ++tried;
            const std::vector<Formula> results = apply(letters);
            fired += !results.empty();
            for (int i = 0; i < 4; ++i) check(letters, random_sizes(dice_), results, holds);
            if (testing::Test::HasFailure()) return;
        }
        EXPECT_GT(tried, rounds / 100) << name_ << ": its condition is hardly ever met";
        EXPECT_GT(fired, tried / 10) << name_ << ": applied to " << fired << " of " << tried << " operands of its form";
    }

    Expr before;
    std::vector<Expr> after;

private:
    /// The condition is met with all formulas at 1: it is one on numbers, or may be met.
    bool possible(const Letters& letters) const {
        Bindings numbers;
        for (const auto& [letter, f] : letters) numbers[letter] = f.constant().value_or(1);
        return !where_.defined() || Value(numbers).of(where_) == 1;
    }

    void check(const Letters& letters, const Bindings& at, const std::vector<Formula>& results,
               const std::function<bool(std::int64_t, std::int64_t)>& holds) const {
        const Bindings numbers = numbers_of(letters, at);
        const auto expected = Value(numbers).of(before);
        if (!expected) return;
        std::string with;
        for (const auto& [letter, f] : letters) with += letter + " = " + print(f) + ", ";
        for (const auto& [size, value] : at) with += size + " = " + std::to_string(value) + ", ";
        for (const Expr& e : after) {
            const auto got = Value(numbers).of(e);
            if (!got || (where_.defined() && Value(numbers).of(where_) != 1)) continue;
            EXPECT_TRUE(holds(*expected, *got))
                << "the law " << name_ << ": " << *expected << " and " << *got << " for " << with;
        }
        for (const Formula& f : results) {
            const std::int64_t got = evaluate(f, at);
            EXPECT_TRUE(holds(*expected, got))
                << name_ << " gives " << print(f) << ": " << *expected << " and " << got << " for " << with;
        }
    }

    Expr where_;
    test::Dice dice_;
    std::string name_;
};

TEST(Rules, OfSimplificationKeepTheValue) {
    const unsigned seed = test::seed_of_run();
    for (const Simplification& rule : simplification_rules()) {
        Trial trial(rule.law, seed);
        const Operation form(trial.before);
        EXPECT_EQ(form.kind, rule.operation) << rule.law.before;
        trial.run(
            [&](const Letters& letters) {
                const auto simpler = rule.apply(with(form.a, letters), with(form.b, letters));
                return simpler ? std::vector{*simpler} : std::vector<Formula>();
            },
            std::equal_to<>());
    }
}

TEST(Rules, OfSignsHoldForAllValues) {
    const unsigned seed = test::seed_of_run();
    for (const SignRule& rule : sign_rules()) {
        Trial trial(rule.law, seed);
        const Operation form(trial.before);
        EXPECT_EQ(form.kind, rule.operation) << rule.law.before;
        trial.run(
            [&](const Letters& letters) {
                const auto atom = Formula::Atom::operation(form.kind, with(form.a, letters), with(form.b, letters));
                const bool known = rule.apply(*atom, [](const Formula& f) { return is_nonnegative(f); });
                return known ? std::vector<Formula>{0} : std::vector<Formula>();
            },
            std::greater_equal<>());
    }
}

TEST(Rules, OfLowerFormsNeverGiveMore) {
    const unsigned seed = test::seed_of_run();
    for (const LowerForm& rule : lower_forms()) {
        Trial trial(rule.law, seed);
        const auto& product = *trial.before.as<Binary>();
        const Operation form(*product.right);
        EXPECT_EQ(form.kind, rule.operation) << rule.law.before;
        trial.run(
            [&](const Letters& letters) {
                const auto atom = Formula::Atom::operation(form.kind, with(form.a, letters), with(form.b, letters));
                const auto known = [](const Formula::Atom& o) { return is_nonnegative(operation(o.kind, o.a, o.b)); };
                std::vector<Formula> forms;
                const bool applied = rule.apply(with(*product.left, letters), *atom, known, forms);
                EXPECT_EQ(applied, !forms.empty());
                return forms;
            },
            std::greater_equal<>());
    }
}

}  // namespace
}  // namespace halogen
