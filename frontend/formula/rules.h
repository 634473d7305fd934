#pragma once
// The rules by which operations are simplified and bounded: tables of rows, all in rules.cpp. A new rule is a row there and
// nothing else: tests/formula/rules_test.cpp reads the laws and tries each row on random operands.

#include "frontend/formula/formula.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace halogen {

/// The law of a rule in the notation: `(c*x + w)/c` is `x + w/c` where `c >= 2`. Its letters stand for formulas (w and x for
/// any, y and z for such as are never negative) and for numbers (c, d, g, k); a formula that divides is positive.
struct Law {
    std::string_view before, after, where = {};
};

/// An operation with a simpler form.
struct Simplification {
    Formula::Atom::Kind operation;
    Law law;  // before == after
    /// The simpler form of the operation on `a` and `b`; nothing where the rule does not apply.
    std::optional<Formula> (*apply)(const Formula& a, const Formula& b);
};
/// In the order in which they are tried; the first that applies is taken.
std::span<const Simplification> simplification_rules();

/// An operation that is never negative, given what `is_nonnegative` knows of its operands.
struct SignRule {
    Formula::Atom::Kind operation;
    Law law;  // before >= after, which is 0
    bool (*apply)(const Formula::Atom&, bool (*is_nonnegative)(const Formula&));
};
std::span<const SignRule> sign_rules();

/// factor * operation with simpler formulas that are no larger: of -z*(x % y) it is -z*(y - 1).
struct LowerForm {
    Formula::Atom::Kind operation;
    bool falls;  // the factor is at most 0; else at least 0
    Law law;     // before >= each formula of the list after
    /// Adds the formulas to `forms`; false where the rule does not apply.
    bool (*apply)(const Formula& factor, const Formula::Atom&, bool (*is_nonnegative)(const Formula::Atom&),
                  std::vector<Formula>& forms);
};
/// In the order in which they are tried; the first that applies is taken.
std::span<const LowerForm> lower_forms();

}  // namespace halogen
