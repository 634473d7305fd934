#pragma once
// A bound on the work of one question, so that a hard one ends as an error.

#include "frontend/base/error.h"

namespace halogen {

/// Counts the work done, in steps of some microseconds; Failure(too_complex) when it runs out.
class Budget {
public:
    explicit Budget(long steps) : left_(steps) {}
    void spend(long steps = 1) {
        left_ -= steps;
        if (left_ < 0)
            throw Failure(Error{ErrorKind::too_complex,
                                "the sizes leave too many cases to try",
                                {},
                                "",
                                "give more of them as numbers"});
    }

private:
    long left_;
};

/// A question that is too hard however long one tries.
[[noreturn]] inline void fail_coupled() {
    throw Failure(Error{ErrorKind::too_complex,
                        "the sizes are coupled in too many ways to be solved",
                        {},
                        "",
                        "give more of them as numbers"});
}

}  // namespace halogen
