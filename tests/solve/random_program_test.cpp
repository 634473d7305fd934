// Random programs in the notation: windows with strides, dilations, pads and reversals, quotients and remainders, over
// sizes given as numbers. What `solve` says of their outputs is compared with enumeration of rule 2, point by point.

#include "frontend/notation/program.h"
#include "frontend/solve/place.h"
#include "frontend/solve/solution.h"
#include "frontend/solve/solve.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

using test::Dice;

constexpr std::int64_t endless = 60;  // what still fits here fits for ever: extents of inputs are below 12

/// A place over one left index and perhaps a reduced one; `dim` is the extent it is read along.
std::string random_place(Dice& dice, const std::string& left, const std::string& reduced, const std::string& dim) {
    const auto scaled = [&](const std::string& index) {
        switch (dice.between(0, 5)) {
        case 0: return "2*" + index;
        case 1: return "3*" + index;
        case 2: return "T*" + index;
        case 3: return "D*" + index;
        default: return index;
        }
    };
    switch (dice.between(0, 11)) {
    case 0: return fmt::format("{} - 1 - {}", dim, scaled(left));
    case 1: return fmt::format("{}/2 + {}", left, scaled(reduced));
    case 2: return fmt::format("({} + {})/{}", scaled(left), scaled(reduced), dice.chance(50) ? "T" : "2");
    case 3: return fmt::format("{} % 3 + {}", reduced, scaled(left));
    case 4: return fmt::format("min({}, 4) + {}", left, scaled(reduced));
    case 5: return fmt::format("max({}, 2) + {}", scaled(left), scaled(reduced));
    case 6: return fmt::format("{} - {} + R", scaled(left), scaled(reduced));
    default:
        return fmt::format("{} + {} - {}", scaled(left), scaled(reduced),
                           dice.chance(60) ? "P" : std::to_string(dice.between(0, 2)));
    }
}

/// One window over one or two dims, and what is read beside it.
std::string random_program(Dice& dice) {
    const bool two = dice.chance(40), ranged = dice.chance(40), stencil = dice.chance(25);
    std::string text = "kernel k(X: f32[A pad P";
    if (two) text += ", B pad P";
    text += "] else 0, W: f32[R], T: size = 2, D: size = 1, P: size = 0) -> Y: f32 { ";
    const std::string first = random_place(dice, "y", "k", "A"), second = random_place(dice, "x", "k", "B");
    text += two ? "Y[y, x] += X[" + first + ", " + second + "]" : "Y[y] += X[" + first + "]";
    text += ranged ? " where k in 0:R" : "*W[k]";
    if (stencil) text += two ? "; Y[y, x] += X[y + 1, x]" : "; Y[y] += X[y + 1]";
    if (dice.chance(30)) text += two ? "; Z[z, x] += Y[2*z + k, x]*W[k]" : "; Z[z] += Y[2*z + k]*W[k]";
    return text + " }";
}

/// The extents of a kernel's indices and outputs by enumeration, equation by equation.
class Enumeration {
public:
    Enumeration(const Kernel& kernel, const Bindings& given) : kernel_(kernel), values_(given) {
        extents_["X"] = {values_.at("A")};
        if (values_.contains("B")) extents_["X"].push_back(values_.at("B"));
        extents_["W"] = {values_.at("R")};
    }

    /// The extents of `Y`, and of `Z` where there is one; nothing where an access cannot stay inside or nothing ends it.
    std::optional<std::map<std::string, std::vector<std::int64_t>>> outputs() {
        for (const Equation& e : kernel_.equations) by_tensor_[e.left.tensor].push_back(&e);
        for (const auto& [tensor, equations] : by_tensor_) {  // "Y" before "Z", which reads it
            const std::size_t rank = equations.front()->left.at.size();
            std::vector<std::int64_t> found;
            for (std::size_t d = 0; d < rank; ++d) {
                // Rule 1 in any equation fixes the dim, else rule 2 finds it; all equations have to stay inside.
                std::int64_t most = endless;
                std::optional<std::int64_t> pinned;
                for (const Equation* e : equations) {
                    const std::string index = index_at(*e, d);
                    const auto own = extent_alone(*e, index);
                    if (own && pinned && *own != *pinned) return std::nullopt;
                    if (own) pinned = own;
                    if (!own) most = std::min(most, largest(*e, index));
                }
                const std::int64_t extent = pinned.value_or(most);
                if (extent < 1 || extent > most || extent == endless) return std::nullopt;
                found.push_back(extent);
            }
            extents_[tensor] = found;
        }
        return extents_;
    }

private:
    static std::string index_at(const Equation& e, std::size_t d) { return e.left.at[d].as<IndexRef>()->name; }

    using Places = std::vector<std::pair<const Access*, std::size_t>>;

    static Places places_with(const Equation& e, const std::string& index) {
        Places places;
        walk(e.right, [&](const Expr& part) {
            const auto* a = part.as<Access>();
            for (std::size_t d = 0; a && d < a->at.size(); ++d) {
                if (holds(a->at[d], index)) places.emplace_back(a, d);
            }
        });
        return places;
    }

    /// The extent of the dim where the index stands alone.
    std::optional<std::int64_t> extent_alone(const Equation& e, const std::string& index) const {
        for (const auto& [a, d] : places_with(e, index)) {
            if (bare_index(a->at[d])) return extents_.at(a->tensor)[d];
        }
        return std::nullopt;
    }

    /// The largest extent of a left index with which every place that holds it stays inside; all places hold one.
    std::int64_t largest(const Equation& e, const std::string& index) {
        const Places places = places_with(e, index);
        std::int64_t extent = 0;
        while (extent < endless && all_inside(places, index, extent)) ++extent;
        return extent;
    }

    static bool holds(const Expr& e, const std::string& index) {
        bool found = false;
        walk(e, [&](const Expr& part) {
            const auto* i = part.as<IndexRef>();
            found = found || (i && i->name == index);
        });
        return found;
    }

    /// Whether the places stay inside where `index` has the value `at`, for all values of `k`.
    bool all_inside(const Places& places, const std::string& index, std::int64_t at) {
        for (std::int64_t k = 0; k < values_.at("R"); ++k) {
            Bindings point = values_;
            point[index] = at;
            point["k"] = k;
            for (const auto& [a, d] : places) {
                std::vector<PlaceCondition> divisors;
                Symbols symbols;
                const std::int64_t position = evaluate(*place_formula(a->at[d], divisors, symbols), point);
                const std::int64_t pad = a->tensor == "X" ? values_.at("P") : 0;
                if (position < -pad || position >= extents_.at(a->tensor)[d] + pad) return false;
            }
        }
        return true;
    }

    const Kernel& kernel_;
    Bindings values_;
    std::map<std::string, std::vector<std::int64_t>> extents_;
    std::map<std::string, std::vector<const Equation*>> by_tensor_;
};

TEST(RandomProgram, OutputsAreTheLargestThatEnumerationFinds) {
    Dice dice(test::seed_of_run());
    int solved = 0, refused = 0, open_programs = 0;
    for (int i = 0; i < 1'500; ++i) {
        const std::string text = random_program(dice);
        const auto program = parse(text);
        ASSERT_TRUE(program) << text << "\n" << format(program.error(), "-e");
        const Kernel& kernel = program.value().kernels[0];
        const auto formulas = solve(kernel, {{"T", {}}, {"D", {}}, {"P", {}}});
        open_programs += formulas ? 1 : 0;
        for (int round = 0; round < 8; ++round) {
            Bindings given{{"A", dice.between(1, 11)},
                           {"R", dice.between(1, 4)},
                           {"T", dice.between(1, 3)},
                           {"D", dice.between(1, 2)},
                           {"P", dice.between(0, 2)}};
            if (text.find("B pad") != std::string::npos) given["B"] = dice.between(1, 11);
            Settings settings;
            std::string about = text;
            for (const auto& [name, value] : given) {
                settings[name] = value;
                about += fmt::format(" {}={}", name, value);
            }
            const auto numbers = solve(kernel, settings);
            const auto expected = Enumeration(kernel, given).outputs();
            ASSERT_EQ(static_cast<bool>(numbers), expected.has_value())
                << about << "\n"
                << (numbers ? "" : format(numbers.error(), "-e"));
            ++(expected ? solved : refused);
            bool admitted_by_guards = false;
            if (formulas) {
                const bool admitted = test::guards_hold(formulas.value(), given);
                // A min bounds its index only where its other operand is too large, which no closed formula says.
                const bool is_closed = text.find("min(") == std::string::npos;
                ASSERT_TRUE(expected ? admitted || !is_closed : !admitted) << about;
                admitted_by_guards = admitted;
            }
            if (!expected) continue;
            for (const auto& [tensor, extents] : *expected) {
                for (std::size_t d = 0; d < extents.size(); ++d) {
                    ASSERT_EQ(evaluate(numbers.value().extents.at(tensor)[d], {}), extents[d])
                        << about << " " << tensor;
                    if (admitted_by_guards) {
                        ASSERT_EQ(evaluate(formulas.value().extents.at(tensor)[d], given), extents[d])
                            << about << " " << tensor;
                    }
                }
            }
        }
    }
    std::cout << solved << " solved as enumeration says, " << refused << " refused; " << open_programs
              << " programs with formulas\n";
    EXPECT_GT(solved, 2'000);
    EXPECT_GT(open_programs, 500);
}

}  // namespace
}  // namespace halogen
