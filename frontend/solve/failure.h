#pragma once
// A failure to solve sizes, with the relations that led to it in the user's names and with their places in the text.

#include "frontend/base/error.h"
#include "frontend/solve/sizes.h"

#include <string>
#include <utility>
#include <vector>

namespace halogen {

class SizeFailure : public Failure {
public:
    SizeFailure(Error error, std::vector<std::string> reasons)
        : Failure(std::move(error)), reasons_(std::move(reasons)) {}
    /// Causes first, a line each: "1:34: `W` = 3 is given". Of a long chain the middle is left out.
    const std::vector<std::string>& reasons() const { return reasons_; }

private:
    std::vector<std::string> reasons_;
};

/// What a failure is about: the formulas whose sizes are to be explained, and the relation that fails ("" where there is none).
struct About {
    std::vector<Formula> formulas;
    std::string relation = {};
};
/// Slacks of accesses, of which the first fails: "X[y + r] stays inside: OH + R <= H + 1".
About about_access(const Sizes&, std::vector<Formula> slacks, int equation, const std::string& access);

/// An error at the place of an equation, or at none where `equation` is -1.
Error error_at(const Kernel&, ErrorKind, std::string what, int equation, std::string fix);
/// An error that no equation is to blame for.
Error error_of(ErrorKind, std::string what, std::string fix);

/// Throws SizeFailure.
[[noreturn]] void fail(const Sizes&, Error, const About&);

}  // namespace halogen
