#include "frontend/project/shard_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "frontend/notation/symbol.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace halogen {

namespace {

constexpr std::int64_t most_shown = 8;

std::string interval(const Hull& h) { return fmt::format("[{}, {}]", print(h.low), print(h.high)); }

std::string box(const Window& window) {
    std::vector<std::string> dims;
    for (const Hull& h : window) dims.push_back(interval(h));
    return dims.empty() ? "one element" : fmt::format("{}", fmt::join(dims, " x "));
}

bool is_any(const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string cut_line(const ShardStep& step, const Cut& cut) {
    return fmt::format("  {} in {} shards of {} points: {}\n", cut.split.index, cut.split.shards, print(cut.extent),
                       cut.partial ? "partial results, combined by " + combining(step.combine) : "independent");
}

std::string window_lines(const Kernel& kernel, const Solution& s, const ShardStep& step) {
    const Needs needs = needs_of(kernel, s, step, any_shares(step));
    const auto operands = operands_of(kernel, step.section);
    const auto halos = halos_of(kernel, s, step);
    std::string text;
    for (const Tensor& t : kernel.tensors) {
        const auto window = needs.windows.find(t.name);
        if (window == needs.windows.end()) continue;
        const bool result = is_any(t.name, step.results);
        text += fmt::format("  {:<7} {}  {}\n",
                            result                     ? "leaves"
                            : is_any(t.name, operands) ? "reads"
                                                       : "within",
                            t.name, box(window->second));
        const auto reached = needs.reached.find(t.name);
        if (!result && reached != needs.reached.end() && !(reached->second == window->second))
            text += fmt::format("          on padding too: {}\n", box(reached->second));
        for (const Halo& halo : halos)
            if (halo.tensor == t.name && !(halo.places == Formula(0)))
                text += fmt::format("          neighbours along {} share {} places of dim {}\n", halo.index,
                                    print(halo.places), halo.dim);
    }
    return text;
}

std::string volume_text(const Volume& v) {
    return fmt::format("operations {}; moves {} bytes, holds {}, receives {}", print(v.operations), print(v.moved),
                       print(v.memory), print(v.received));
}

}  // namespace

std::string sizes_text(const Solution& s) {
    std::string text;
    for (const auto& [name, value] : s.sizes)
        if (!Symbol::of(name).is_dim()) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, print(value));
    return text;
}

bool is_number(const Solution& s) {
    return std::all_of(s.sizes.begin(), s.sizes.end(), [](const auto& entry) { return entry.second.is_constant(); });
}

std::string report_roles(const Kernel& kernel, const Solution& s) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::pair<std::string, std::vector<int>>>> roles;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        for (const std::string& index : indices_of(kernel.equations[e])) {
            const std::string role = print(role_of(kernel, s, e, index), kernel.equations[e]);
            auto& of_index = roles[index];
            if (of_index.empty()) order.push_back(index);
            const auto same =
                std::find_if(of_index.begin(), of_index.end(), [&](const auto& r) { return r.first == role; });
            if (same == of_index.end())
                of_index.push_back({role, {e + 1}});
            else
                same->second.push_back(e + 1);
        }
    }
    std::string text;
    for (const std::string& index : order) {
        for (const auto& [role, equations] : roles[index])
            text += fmt::format("  {:<4} in equation{} {}: {}\n", index, equations.size() > 1 ? "s" : "",
                                fmt::join(equations, ", "), role);
    }
    return text;
}

std::string report_projections(const Kernel& kernel, const Solution& s) {
    std::string text;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        Box block;
        for (const auto& [index, range] : s.indices[e])
            if (!range.reduced) block[index] = block_of(range, index);
        text += fmt::format("  {}\n", print(kernel.equations[e]));
        for (const Projection& p : project(kernel, s, e, block)) {
            Window places;
            Formula elements = 1;
            for (const Reached& r : p.dims) {
                places.push_back(r.places);
                elements = elements * r.places.extent();
            }
            text += fmt::format("    {:<7} {}  {}\n", p.is_left ? "writes" : "reads", p.access, box(places));
            if (p.cells && !(*p.cells == elements))
                text += fmt::format("            {} elements of it\n", print(*p.cells));
        }
    }
    return text;
}

std::string report_steps(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps) {
    std::string text;
    for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
        const ShardStep& step = steps[i];
        text += fmt::format("step {}: {} shard{}\n", i + 1, step.shards(), step.shards() > 1 ? "s" : "");
        for (int e = step.section.first; e < step.section.end; ++e)
            text += fmt::format(
                "  {}\n", kernel.equations[e].text.empty() ? print(kernel.equations[e]) : kernel.equations[e].text);
        for (const Cut& cut : step.cuts) text += cut_line(step, cut);
        text += window_lines(kernel, s, step);
        if (!step.cuts.empty()) text += fmt::format("  each shard: {}\n", volume_text(volume_of(kernel, s, steps, i)));
        if (!is_number(s)) continue;
        for (std::int64_t n = 0; n < std::min(step.shards(), most_shown); ++n)
            text +=
                fmt::format("  shard {}: {}\n", n, volume_text(volume_of(kernel, s, steps, i, rank_of(steps, i, n))));
        if (step.shards() > most_shown) text += fmt::format("  and {} more\n", step.shards() - most_shown);
    }
    return text;
}

std::string report_prediction(const Prediction& p) {
    return fmt::format(
        "{} shard{}: {:.3g} s, computing {:.3g} s, exchanging {:.3g} s; at most {:.0f} bytes each, {:.0f} received",
        p.shards, p.shards > 1 ? "s" : "", p.seconds(), p.compute, p.exchange, p.memory, p.received);
}

std::string report_candidates(const std::vector<PricedPlan>& all) {
    std::string text = fmt::format("{}: {}\n", print(all.front().phases), report_prediction(all.front().prediction));
    for (std::size_t i = 1; i < std::min<std::size_t>(all.size(), 5); ++i)
        text += fmt::format("  then {}: {:.3g} s; {}\n", print(all[i].phases), all[i].prediction.seconds(),
                            reason(all.front(), all[i]));
    if (all.size() > 5) text += fmt::format("  and {} more\n", all.size() - 5);
    return text;
}

std::string commented(const std::string& text) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) result += line.empty() ? "#\n" : "# " + line + "\n";
    return result;
}

}  // namespace halogen
