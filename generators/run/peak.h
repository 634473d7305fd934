#pragma once
// The arithmetic peak of this machine, measured: independent multiply-adds that stay in registers.

#include "frontend/notation/program.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// What a kernel's inner loop is made of.
enum class PeakKind { fma_f32, fma_f64, dot_u8, multiply_add_i32 };
std::string to_string(PeakKind);

/// The kind whose peak a kernel is held against: of the type its products are computed in. u8 x i8 products summed in
/// i32 count as dot products.
PeakKind peak_kind(const Kernel&);

/// Operations per nanosecond (10^9 per second) of `threads` threads, each on a processor of its own, with the best
/// instructions of this CPU; multiply and add are two. The best of forty measurements of about half a millisecond.
double measure_peak(PeakKind, int threads);

/// The first `n` processors this process may use. Pins the calling thread to them, and so all threads started later.
void pin_to_first(int n);

struct Timing {
    double min_ns = 0, median_ns = 0;
};

/// One call, 30 ms of warm-up, then batches of about 5 ms (or one call) until `seconds` and at least 5 batches have passed:
/// the fastest batch and the middle one, per call. docs/design.md, "How work is counted and timed".
Timing measure(const std::function<void()>& call, double seconds = 0.3);

}  // namespace halogen
