#include "frontend/shapes/examples.h"

#include <algorithm>

namespace halogen::shapes {

namespace {

/// Every size the same for the first rows, then a fixed mixture.
std::vector<Bindings> trials(const StepProgram& program, const Path& path) {
    std::map<std::string, SizeRange> symbols = program.symbols;
    const auto add = [&](const Predicate& p) {
        for (const std::string& name : symbols_of(p)) symbols.try_emplace(name);
    };
    for (const StepGuard& guard : path.guards) {
        if (!guard.proved) add(guard.what.condition);
    }
    for (const Predicate& p : path.assumed) add(p);
    constexpr std::int64_t values[] = {0,  1,  2,  3,  4,   5,   6,   7,    8,    12,
                                       16, 24, 32, 64, 128, 224, 256, 1024, 4096, 1 << 20};
    constexpr std::size_t count = std::size(values);
    std::vector<Bindings> all;
    for (std::size_t row = 0; row < 3 * count; ++row) {
        Bindings sizes;
        std::uint64_t state = row + 1;
        for (const auto& [name, range] : symbols) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const std::int64_t value =
                row < count ? values[row] : values[(state >> 33) % (row < 2 * count ? 8 : count)];
            sizes[name] = std::min(std::max(value, range.least), range.most.value_or(INT64_MAX));
        }
        all.push_back(std::move(sizes));
    }
    return all;
}

bool meets(const Predicate& p, const Bindings& sizes) {
    try {
        return holds(p, sizes);
    } catch (const Failure&) {
        return false;  // past 62 bits, or a divisor below 1
    }
}

}  // namespace

Tried try_sizes(const StepProgram& program, const Path& path) {
    Tried tried{false, std::vector<bool>(path.guards.size(), false)};
    for (const Bindings& sizes : trials(program, path)) {
        if (!std::all_of(path.assumed.begin(), path.assumed.end(), [&](const Predicate& p) { return meets(p, sizes); }))
            continue;
        std::size_t failing = 0, last = 0;
        for (std::size_t i = 0; i < path.guards.size() && failing < 2; ++i) {
            if (path.guards[i].proved || meets(path.guards[i].what.condition, sizes)) continue;
            ++failing;
            last = i;
        }
        if (failing == 0) tried.possible = true;
        if (failing == 1) tried.independent[last] = true;
    }
    return tried;
}

}  // namespace halogen::shapes
