#pragma once
// Does one inequality follow from others? Certain when it says so; linear facts over the integers are decided.

#include "frontend/formula/formula.h"
#include "frontend/solve/solution.h"

#include <vector>

namespace halogen {

/// Facts about non-negative sizes, from which others may follow.
class Facts {
public:
    /// slack >= 0
    void add_nonnegative(const Formula& slack) { nonnegative_.push_back(slack); }
    /// Its relation, where the facts so far tell that it is about something: that no extent in `over` is 0.
    void add(const Guard&);
    /// Quotients, remainders, extremes and products in any order; false when it does not follow or was not seen to.
    bool imply_nonnegative(const Formula& slack) const;

private:
    /// By one fact alone.
    bool imply_at_once(const Formula& slack) const;

    std::vector<Formula> nonnegative_;
};

}  // namespace halogen
