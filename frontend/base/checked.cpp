#include "frontend/base/checked.h"

#include <algorithm>

namespace halogen {

void fail_overflow(const std::string& what) {
    throw Failure(Error{ErrorKind::overflow, what, {}, "", "use smaller sizes"});
}

Wide add(Wide a, Wide b) {
    Wide r;
    if (__builtin_add_overflow(a, b, &r)) fail_overflow("a sum of sizes leaves 128 bits");
    return r;
}

Wide subtract(Wide a, Wide b) {
    Wide r;
    if (__builtin_sub_overflow(a, b, &r)) fail_overflow("a difference of sizes leaves 128 bits");
    return r;
}

Wide multiply(Wide a, Wide b) {
    Wide r;
    if (__builtin_mul_overflow(a, b, &r)) fail_overflow("a product of sizes leaves 128 bits");
    return r;
}

std::int64_t narrow(Wide value) {
    if (value < INT64_MIN || value > INT64_MAX) fail_overflow("the number " + to_string(value) + " leaves 64 bits");
    return static_cast<std::int64_t>(value);
}

std::int64_t narrow_extent(Wide value) {
    if (value < -Wide{largest_extent} || value > Wide{largest_extent})
        fail_overflow("the size " + to_string(value) + " is past 2^62");
    return static_cast<std::int64_t>(value);
}

Wide floor_div(Wide a, Wide b) {
    const Wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

Wide ceil_div(Wide a, Wide b) {
    const Wide q = a / b;
    return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}

Wide gcd(Wide a, Wide b) {
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b != 0) {
        const Wide r = a % b;
        a = b;
        b = r;
    }
    return a;
}

std::string to_string(Wide value) {
    if (value == 0) return "0";
    const bool negative = value < 0;
    std::string digits;
    for (; value != 0; value /= 10) {
        const int digit = static_cast<int>(value % 10);
        digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    }
    if (negative) digits += '-';
    std::reverse(digits.begin(), digits.end());
    return digits;
}

}  // namespace halogen
