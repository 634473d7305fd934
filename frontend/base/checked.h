#pragma once
// Integer arithmetic that never wraps: 64 bits to keep, 128 bits inside, and an error instead of a wrong number.

#include "frontend/base/error.h"

#include <cstdint>
#include <string>

namespace halogen {

__extension__ typedef __int128 Wide;

/// Extents, offsets and formulas stay within [-2^62, 2^62].
inline constexpr std::int64_t largest_extent = std::int64_t{1} << 62;

[[noreturn]] void fail_overflow(const std::string& what);

Wide add(Wide a, Wide b);  // Errors: Failure(overflow) past 128 bits, as for the two below
Wide subtract(Wide a, Wide b);
Wide multiply(Wide a, Wide b);
/// Errors: Failure(overflow) past 64 bits.
std::int64_t narrow(Wide);
/// Errors: Failure(overflow) past 2^62.
std::int64_t narrow_extent(Wide);

Wide floor_div(Wide a, Wide b);  // b != 0; rounds towards minus infinity
Wide ceil_div(Wide a, Wide b);
Wide gcd(Wide a, Wide b);  // never negative; gcd(0, 0) = 0
std::string to_string(Wide);

}  // namespace halogen
