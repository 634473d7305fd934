#pragma once
// Seeds of random tests: HALOGEN_SEED takes one back.

#include <cstdlib>
#include <iostream>
#include <random>

namespace halogen::test {

/// The seed of this run, printed.
inline unsigned seed_of_run(unsigned usual = 1) {
    const char* given = std::getenv("HALOGEN_SEED");
    const unsigned seed = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : usual;
    std::cout << "HALOGEN_SEED=" << seed << "\n";
    return seed;
}

class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
    bool chance(int percent) { return between(1, 100) <= percent; }
    std::mt19937& engine() { return engine_; }

private:
    std::mt19937 engine_;
};

}  // namespace halogen::test
