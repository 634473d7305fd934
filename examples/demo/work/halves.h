#pragma once
// Eigen's side on one or two threads: a job over rows, split in halves.

#include <cstdint>
#include <functional>

namespace halogen::demo {

/// A job that computes rows [begin, end) of a result; `part` is 0 or 1 and tells the halves apart.
using RowJob = std::function<void(std::int64_t begin, std::int64_t end, int part)>;

/// Runs `job` over rows [0, rows): at once on the calling thread, or one half there and one on a thread that stands ready.
void run_rows(const RowJob& job, std::int64_t rows, int threads);

}  // namespace halogen::demo
