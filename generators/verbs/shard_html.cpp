#include "generators/verbs/shard_html.h"

#include "frontend/project/shard_report.h"
#include "generators/verbs/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace halogen {

namespace {

constexpr std::int64_t most_shards = 64;
constexpr double side = 220, least_side = 26;  // of a drawing, in pixels

/// Colours that stay apart however many there are: hues by the golden ratio.
std::string colour(std::int64_t shard) {
    return fmt::format("hsl({:.0f} 70% 45%)",
                       360 * std::fmod(0.58 + 0.618033988749895 * static_cast<double>(shard), 1));
}

std::int64_t number(const Formula& f) { return f.constant().value(); }

std::string count(const Formula& f) { return grouped(print(f)); }

/// One tensor of a step: its two dims that are worth looking at, and the windows of the shards on them.
class Drawing {
public:
    Drawing(const Kernel& kernel, const Solution& s, const ShardStep& step, const std::string& tensor)
        : tensor_(kernel.tensor(tensor)) {
        for (const Formula& e : s.extents.at(tensor)) extents_.push_back(number(e));
        const bool result = std::find(step.results.begin(), step.results.end(), tensor) != step.results.end();
        for (std::int64_t n = 0; n < std::min(step.shards(), most_shards); ++n) {
            const Needs needs = needs_of(kernel, s, step, shares_of(step, n));
            windows_.push_back(needs.windows.at(tensor));
            const auto reached = needs.reached.find(tensor);
            reached_.push_back(result || reached == needs.reached.end() ? windows_.back() : reached->second);
        }
        choose_dims();
    }

    std::string svg() const {
        std::int64_t low[2], high[2];
        for (int axis = 0; axis < 2; ++axis) {
            low[axis] = 0;
            high[axis] = extent(axis);
            for (const Window& w : reached_) {
                low[axis] = std::min(low[axis], begin(w, axis));
                high[axis] = std::max(high[axis], end(w, axis));
            }
        }
        const double longest = static_cast<double>(std::max({high[0] - low[0], high[1] - low[1], std::int64_t{1}}));
        const auto length = [&](int axis) {
            const auto places = static_cast<double>(high[axis] - low[axis]);
            return dims_[axis] < 0 ? least_side : std::max(least_side, side * places / longest);
        };
        const auto place = [&](int axis, std::int64_t p) {
            return 2 + length(axis) * static_cast<double>(p - low[axis]) /
                           static_cast<double>(std::max<std::int64_t>(1, high[axis] - low[axis]));
        };
        const auto box = [&](const Window& w, const std::string& looks) {
            return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>",
                               place(1, begin(w, 1)), place(0, begin(w, 0)),
                               std::max(0.0, place(1, end(w, 1)) - place(1, begin(w, 1))),
                               std::max(0.0, place(0, end(w, 0)) - place(0, begin(w, 0))), looks);
        };
        std::string text = fmt::format("<svg width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}\">",
                                       length(1) + 4, length(0) + 4, html_text(tensor_.name));
        for (std::size_t n = 0; n < windows_.size(); ++n)
            text += box(windows_[n], fmt::format("fill=\"{0}\" fill-opacity=\"{1}\" stroke=\"{0}\"",
                                                 colour(static_cast<std::int64_t>(n)),
                                                 is_alike() ? 0.5 / static_cast<double>(windows_.size()) : 0.4));
        for (std::size_t n = 0; n < reached_.size(); ++n)
            if (!(reached_[n] == windows_[n]))
                text += box(reached_[n], fmt::format("fill=\"none\" stroke=\"{}\" stroke-dasharray=\"3 3\"",
                                                     colour(static_cast<std::int64_t>(n))));
        return text + box(whole(), "fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\"") + "</svg>";
    }

    std::string caption(const char* role) const {
        std::vector<std::string> dims;
        for (const std::int64_t e : extents_) dims.push_back(std::to_string(e));
        std::string text = fmt::format("{} <b>{}</b>[{}]", role, html_text(tensor_.name), fmt::join(dims, ", "));
        if (tensor_.rank > 2) text += fmt::format(": dims {} (down) and {} (across)", dims_[0], dims_[1]);
        return is_alike() && windows_.size() > 1 ? text + ", the same for every shard" : text;
    }

private:
    /// The dims that differ between shards first, then the longest; in order.
    void choose_dims() {
        std::vector<int> order;
        for (int d = 0; d < tensor_.rank; ++d) order.push_back(d);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return std::pair(differs(a), extents_[a]) > std::pair(differs(b), extents_[b]);
        });
        order.resize(std::min<std::size_t>(order.size(), 2));
        std::sort(order.begin(), order.end());
        if (order.size() == 1 && differs(order[0])) order.push_back(-1);  // a column is cut by rows
        while (order.size() < 2) order.insert(order.begin(), -1);
        dims_[0] = order[0];
        dims_[1] = order[1];
    }

    bool differs(int d) const {
        return std::any_of(windows_.begin(), windows_.end(),
                           [&](const Window& w) { return !(w[d] == windows_[0][d]); });
    }
    bool is_alike() const {
        return std::all_of(windows_.begin(), windows_.end(), [&](const Window& w) { return w == windows_[0]; });
    }

    std::int64_t extent(int axis) const { return dims_[axis] < 0 ? 1 : extents_[dims_[axis]]; }
    std::int64_t begin(const Window& w, int axis) const { return dims_[axis] < 0 ? 0 : number(w[dims_[axis]].low); }
    std::int64_t end(const Window& w, int axis) const { return dims_[axis] < 0 ? 1 : number(w[dims_[axis]].high) + 1; }
    Window whole() const {
        Window all;
        for (const std::int64_t e : extents_) all.push_back({Formula(0), Formula(e - 1)});
        return all;
    }

    const Tensor& tensor_;
    std::vector<std::int64_t> extents_;
    std::vector<Window> windows_, reached_;
    int dims_[2] = {-1, -1};
};

std::string volumes(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, int i) {
    std::string text =
        "<table><tr><th>shard<th>points<th>operations<th>bytes moved<th>bytes held<th>bytes received</tr>\n";
    const ShardStep& step = steps[i];
    for (std::int64_t n = 0; n < std::min(step.shards(), most_shards); ++n) {
        const Shares shares = shares_of(step, n);
        const Volume v = volume_of(kernel, s, steps, i, rank_of(steps, i, n));
        std::string points;
        for (const auto& [index, share] : shares)
            points += fmt::format("{}{} {}–{}", points.empty() ? "" : ", ", index, print(share.first),
                                  print(share.first + share.count - Formula(1)));
        text += fmt::format(
            "<tr><td><span class=\"swatch\" style=\"background:{}\"></span> {}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>\n",
            colour(n), n, points, count(v.operations), count(v.moved), count(v.memory), count(v.received));
    }
    text += "</table>\n";
    return step.shards() > most_shards ? text + fmt::format("<p>and {} more</p>\n", step.shards() - most_shards) : text;
}

std::string section(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, int i) {
    const ShardStep& step = steps[i];
    std::string equations;
    for (int e = step.section.first; e < step.section.end; ++e) equations += print(kernel.equations[e]) + "\n";
    std::string text = fmt::format("<h2>Step {}: {} shard{}</h2>\n<pre>{}</pre>\n<p>", i + 1, step.shards(),
                                   step.shards() > 1 ? "s" : "", html_text(equations));
    for (const Cut& cut : step.cuts)
        text += fmt::format(
            "<code>{}</code> in {} shards of {} points: {}. ", cut.split.index, cut.split.shards, print(cut.extent),
            cut.partial ? "partial results, combined by <code>" + combining(step.combine) + "</code>" : "independent");
    for (const Halo& halo : halos_of(kernel, s, step))
        if (halo.places.constant().value_or(1) > 0)
            text += fmt::format("Neighbours along <code>{}</code> share {} places of dim {} of <code>{}</code>. ",
                                halo.index, html_text(print(halo.places)), halo.dim, halo.tensor);
    text += "</p>\n<div class=\"tensors\">\n";
    const auto operands = operands_of(kernel, step.section);
    const Needs needs = needs_of(kernel, s, step, any_shares(step));
    for (const Tensor& t : kernel.tensors) {
        if (!needs.windows.contains(t.name)) continue;
        const bool result = std::find(step.results.begin(), step.results.end(), t.name) != step.results.end();
        const bool operand = std::find(operands.begin(), operands.end(), t.name) != operands.end();
        const Drawing drawing(kernel, s, step, t.name);
        text += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", drawing.svg(),
                            drawing.caption(result    ? "leaves"
                                            : operand ? "reads"
                                                      : "makes for itself"));
    }
    return text + "</div>\n" + volumes(kernel, s, steps, i);
}

}  // namespace

std::string shard_page(const Kernel& kernel, const Solution& s, const ShardPlan& plan,
                       const std::vector<ShardStep>& steps, const Cluster& cluster) {
    std::string body =
        fmt::format("<p>{}</p><p>{}</p>\n<pre>{}</pre>\n", html_text(sizes_text(s)),
                    html_text(report_prediction(predict(kernel, s, steps, cluster))), html_text(print(plan)));
    for (int i = 0; i < static_cast<int>(steps.size()); ++i) body += section(kernel, s, steps, i);
    return page(fmt::format("{}: {}", kernel.name.empty() ? "kernel" : kernel.name, print(plan.phases)), body);
}

}  // namespace halogen
