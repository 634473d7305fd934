#include "frontend/notation/versions.h"

#include "frontend/notation/parts.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace halogen {

namespace {

std::set<std::string> tensors_read(const Equation& equation) {
    std::set<std::string> names;
    each_read(equation, [&](const Access& read) { names.insert(read.tensor); });
    return names;
}

/// Orders versions by their last equations: whatever an equation reads was written whole before it.
void sort_by_last_equation(Versions& versions) {
    std::vector<int> order(versions.all.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return versions.all[a].equations.back() < versions.all[b].equations.back(); });
    std::vector<int> place(order.size());
    std::vector<Version> sorted;
    for (int v : order) {
        place[v] = static_cast<int>(sorted.size());
        sorted.push_back(std::move(versions.all[v]));
    }
    for (Version& version : sorted)
        if (version.previous >= 0) version.previous = place[version.previous];
    versions.all = std::move(sorted);
    for (int& v : versions.written) v = place[v];
    for (auto& read : versions.read)
        for (auto& [tensor, v] : read) v = place[v];
    for (auto& [tensor, v] : versions.last) v = place[v];
}

}  // namespace

Versions versions_of(const Kernel& kernel) {
    Versions versions;
    std::set<int> read_by_others;
    for (std::size_t e = 0; e < kernel.equations.size(); e++) {
        const Equation& equation = kernel.equations[e];
        const std::string& tensor = equation.left.tensor;
        std::map<std::string, int> read;
        for (const std::string& name : tensors_read(equation)) {
            const auto last = versions.last.find(name);
            if (name == tensor || last == versions.last.end()) continue;
            read[name] = last->second;
            read_by_others.insert(last->second);
        }
        const auto last = versions.last.find(tensor);
        if (last == versions.last.end() || read_by_others.count(last->second)) {
            const int previous = last == versions.last.end() ? -1 : last->second;
            versions.all.push_back({tensor, previous, {}});
            versions.last[tensor] = static_cast<int>(versions.all.size()) - 1;
        }
        versions.all[versions.last[tensor]].equations.push_back(static_cast<int>(e));
        versions.written.push_back(versions.last[tensor]);
        versions.read.push_back(std::move(read));
    }
    sort_by_last_equation(versions);
    return versions;
}

}  // namespace halogen
