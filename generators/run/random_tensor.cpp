#include "generators/run/random_tensor.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace halogen {

namespace {

/// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    double real() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }
    std::int64_t integer(std::int64_t low, std::int64_t high) {  // both inclusive
        return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

private:
    std::uint64_t state_;
};

std::uint64_t hash_name(const std::string& name, std::uint64_t seed) {
    for (unsigned char c : name) seed = (seed ^ c) * 0x100000001B3u;  // FNV-1a
    return seed;
}

/// How a tensor is used as a position: the least extent it selects from.
struct Selection {
    std::int64_t extent = std::numeric_limits<std::int64_t>::max();
    bool distinct = false;
};

std::optional<Selection> selection(const Kernel& kernel, const Solution& numbers, const std::string& name) {
    std::optional<Selection> found;
    const auto look = [&](const Access& access, bool scatters) {
        for (std::size_t d = 0; d < access.at.size(); d++) {
            walk(access.at[d], [&](const Expr& x) {
                auto* data = x.as<Access>();
                if (!data || data->tensor != name) return;
                if (!found) found = Selection{};
                found->extent = std::min(found->extent, numbers.extents.at(access.tensor)[d].constant().value_or(1));
                found->distinct = found->distinct || scatters;
            });
        }
    };
    for (const Equation& e : kernel.equations) {
        look(e.left, e.op == Op::assign);
        walk(e.right, [&](const Expr& x) {
            if (auto* access = x.as<Access>()) look(*access, false);
        });
    }
    return found;
}

void fill_positions(HostTensor& tensor, const Selection& s, Random& random) {
    const std::int64_t n = tensor.elements();
    if (s.extent <= 0) return;
    std::vector<std::int64_t> places(s.distinct ? std::max(n, s.extent) : 0);
    std::iota(places.begin(), places.end(), 0);
    for (std::int64_t i = 0; i < n; i++) {
        if (s.distinct) std::swap(places[i], places[random.integer(i, std::max(i, s.extent - 1))]);
        tensor.set_integer(i, s.distinct ? places[i] % s.extent : random.integer(0, s.extent - 1));
    }
}

}  // namespace

HostTensor random_tensor(const Kernel& kernel, const Solution& numbers, const Tensor& tensor, std::uint64_t seed) {
    std::vector<std::int64_t> extents;
    for (const Formula& e : numbers.extents.at(tensor.name)) extents.push_back(*e.constant());
    HostTensor result(tensor.type, extents);
    Random random(hash_name(tensor.name, seed));
    const std::int64_t n = result.elements();
    if (is_float(tensor.type)) {
        for (std::int64_t i = 0; i < n; i++) result.set_real(i, random.real());
        return result;
    }
    if (const auto chosen = selection(kernel, numbers, tensor.name)) {
        fill_positions(result, *chosen, random);
        return result;
    }
    std::int64_t low = is_signed(tensor.type) ? -8 : 0, high = 8;
    if (tensor.type == Type::boolean) high = 1;
    if (tensor.type == Type::i8) low = -128, high = 127;
    if (tensor.type == Type::u8) high = 255;
    for (std::int64_t i = 0; i < n; i++) result.set_integer(i, random.integer(low, high));
    return result;
}

}  // namespace halogen
