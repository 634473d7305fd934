// Affine systems without bounds against isl, a library for sets of integers under affine constraints (Verdoolaege, "isl:
// an integer set library", 2010): the range of each unknown, and the kind of an error.

#include "tests/solve/small_systems.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>

#include <memory>

namespace halogen {
namespace {

using test::Dice;

/// Some facts as the engine and as isl read them.
struct AffineSystem {
    std::vector<std::string> names;
    std::vector<Fact> facts;
    std::vector<std::string> conditions;

    System system() const {
        System s;
        for (const auto& n : names) s.add_unknown(n, 1);
        for (const auto& f : facts) s.add(f);
        return s;
    }
    /// As a set of isl; `positive` adds that each unknown is at least 1, `rational` lets them be fractions.
    std::string set_text(bool positive, bool rational) const {
        std::string all = fmt::format("{{ {}[{}] : ", rational ? "rat: " : "", fmt::join(names, ", "));
        all += fmt::format("{}", fmt::join(conditions, " and "));
        for (const auto& n : names) {
            if (positive) all += fmt::format(" and {} >= 1", n);
        }
        return all + " }";
    }
};

/// A sum with its text. Coefficients up to 9, so that lattices are not trivial.
std::pair<Formula, std::string> random_sum(Dice& dice, const std::vector<std::string>& names) {
    const int constant = dice.between(-30, 40);
    Formula f = constant;
    std::string text = fmt::format("{}", constant);
    for (int k = dice.between(1, 3); k > 0; --k) {
        const int factor = dice.between(-9, 9);
        const auto& name = names[dice.between(0, static_cast<int>(names.size()) - 1)];
        f = f + Formula(factor) * Formula::symbol(name);
        text += fmt::format(" + {}*{}", factor, name);
    }
    return {f, text};
}

AffineSystem random_affine(Dice& dice, bool quotients) {
    AffineSystem s;
    for (int i = dice.between(2, 4); i > 0; --i) s.names.emplace_back(1, static_cast<char>('a' + i));
    for (int k = dice.between(1, 4); k > 0; --k) {
        auto [left, left_text] = random_sum(dice, s.names);
        const auto [right, right_text] = random_sum(dice, s.names);
        const int divisor = dice.between(2, 7);
        if (quotients && dice.chance(40)) {
            const bool whole = dice.chance(50);
            left = whole ? floor_div(left, divisor) : remainder(left, divisor);
            left_text = whole ? fmt::format("floor(({})/{})", left_text, divisor)
                              : fmt::format("(({}) mod {})", left_text, divisor);
        }
        const bool equal = dice.chance(50);
        s.facts.push_back({left, equal ? Relation::equal : Relation::at_most, right, 0});
        s.conditions.push_back(fmt::format("{} {} {}", left_text, equal ? "=" : "<=", right_text));
    }
    return s;
}

struct FreeSet {
    void operator()(isl_set* s) const { isl_set_free(s); }
};
using Set = std::unique_ptr<isl_set, FreeSet>;

class Isl : public testing::Test {
protected:
    Isl() : context_(isl_ctx_alloc()) { isl_options_set_on_error(context_, ISL_ON_ERROR_CONTINUE); }
    ~Isl() override { isl_ctx_free(context_); }

    Set set_of(const std::string& text) { return Set(isl_set_read_from_str(context_, text.c_str())); }

    static std::optional<Rational> bound(const Set& s, int d, bool low) {
        isl_aff* unknown = isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(s.get())), isl_dim_set,
                                                 static_cast<unsigned>(d));
        isl_val* v = low ? isl_set_min_val(s.get(), unknown) : isl_set_max_val(s.get(), unknown);
        isl_aff_free(unknown);
        std::optional<Rational> r;
        if (isl_val_is_int(v)) r = Rational(isl_val_get_num_si(v));
        isl_val_free(v);
        return r;
    }

    void compare(const AffineSystem& s, const SystemAnswer& answer, bool kinds) {
        const Set set = set_of(s.set_text(true, false));
        ASSERT_TRUE(set) << s.set_text(true, false);
        if (isl_set_is_empty(set.get())) {
            ASSERT_TRUE(answer.error) << s.set_text(true, false);
            ErrorKind kind = ErrorKind::negative;
            if (isl_set_is_empty(set_of(s.set_text(false, false)).get()))
                kind = isl_set_is_empty(set_of(s.set_text(false, true)).get()) ? ErrorKind::contradictory
                                                                               : ErrorKind::non_integer;
            if (kinds) {
                ASSERT_EQ(*answer.error, kind) << s.set_text(true, false);
            }
            ++empty_;
            return;
        }
        ASSERT_TRUE(!answer.error || *answer.error == ErrorKind::underdetermined) << s.set_text(true, false);
        for (std::size_t d = 0; d < s.names.size(); ++d) {
            const Range expected{bound(set, static_cast<int>(d), true), bound(set, static_cast<int>(d), false)};
            ASSERT_EQ(answer.ranges.at(s.names[d]), expected) << s.names[d] << " in " << s.set_text(true, false);
        }
        ++solvable_;
    }

    void run(unsigned usual_seed, int rounds, bool quotients) {
        Dice dice(test::seed_of_run(usual_seed));
        for (int i = 0; i < rounds; ++i) {
            const AffineSystem s = random_affine(dice, quotients);
            SystemAnswer answer;
            try {
                answer = s.system().solve({});
            } catch (const Failure& failure) {
                ASSERT_EQ(failure.error().kind, ErrorKind::too_complex) << s.set_text(true, false);
                ++too_complex_;
                continue;
            }
            ASSERT_NO_FATAL_FAILURE(compare(s, answer, !quotients));
        }
        std::cout << solvable_ + empty_ << " systems agree with isl: " << solvable_ << " solvable, " << empty_
                  << " not; " << too_complex_ << " too complex\n";
        EXPECT_LT(too_complex_, rounds / 500);
    }

    isl_ctx* context_;
    int solvable_ = 0, empty_ = 0, too_complex_ = 0;
};

TEST_F(Isl, AgreesOnRangesAndKindsOfLinearSystems) { run(1, 5'000, false); }

TEST_F(Isl, AgreesOnRangesOfSystemsWithQuotientsAndRemainders) { run(2, 5'000, true); }

}  // namespace
}  // namespace halogen
