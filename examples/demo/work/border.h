#pragma once
// An image plane continued beyond its edges, for Eigen's side: Halogen's kernels do this themselves.

#include <Eigen/Core>

#include <algorithm>

namespace halogen::demo {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const Rows>;

/// Rows [begin - around, end + around) of `x` with `around` more columns on both sides; what lies outside repeats the border.
inline void continue_border(const ConstRows& x, Eigen::Index begin, Eigen::Index end, Eigen::Index around, Rows& to) {
    to.resize(end - begin + 2 * around, x.cols() + 2 * around);
    for (Eigen::Index y = 0; y < to.rows(); y++) {
        const Eigen::Index from = std::clamp<Eigen::Index>(begin + y - around, 0, x.rows() - 1);
        to.row(y).head(around).setConstant(x(from, 0));
        to.row(y).segment(around, x.cols()) = x.row(from);
        to.row(y).tail(around).setConstant(x(from, x.cols() - 1));
    }
}

}  // namespace halogen::demo
