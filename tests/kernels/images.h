#pragma once
// Image planes for the references of filters.

#include "tests/kernels/array.h"

#include <algorithm>

namespace halogen::testing {

/// x continued by `by` elements of its border on each side.
inline Matrix continued(const Matrix& x, std::int64_t by) {
    Matrix p(x.rows() + 2 * by, x.cols() + 2 * by);
    for (std::int64_t i = 0; i < p.rows(); i++) {
        for (std::int64_t j = 0; j < p.cols(); j++) {
            p(i, j) =
                x(std::clamp<std::int64_t>(i - by, 0, x.rows() - 1), std::clamp<std::int64_t>(j - by, 0, x.cols() - 1));
        }
    }
    return p;
}

}  // namespace halogen::testing
