#include "generators/verbs/scale_html.h"

#include "generators/verbs/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace halogen {

namespace {

/// The axes of a plot: ranks across, seconds up, by powers of two.
class Plot {
public:
    Plot(const std::vector<ScalePoint>& points, bool grows) {
        const double one = points.front().best.prediction.seconds();
        for (const ScalePoint& p : points) {
            const double ranks = static_cast<double>(p.ranks);
            across_.push_back(std::log2(ranks));
            total_.push_back(std::log2(p.best.prediction.seconds()));
            compute_.push_back(std::log2(std::max(p.best.prediction.compute, 1e-12)));
            ideal_.push_back(std::log2(grows ? one : one / ranks));
        }
        low_ = std::floor(std::min(*std::min_element(compute_.begin(), compute_.end()),
                                   *std::min_element(ideal_.begin(), ideal_.end())));
        high_ = std::ceil(*std::max_element(total_.begin(), total_.end()) + 0.01);
    }

    std::string svg() const {
        std::string text =
            "<svg width=\"640\" height=\"380\" role=\"img\" font-size=\"12\" font-family=\"system-ui, sans-serif\">";
        for (double level = low_; level <= high_; level += std::max(1.0, std::floor((high_ - low_) / 8)))
            text += fmt::format(
                "<line x1=\"70\" x2=\"630\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/><text x=\"62\" "
                "y=\"{1:.1f}\" "
                "text-anchor=\"end\">{2:.2g} s</text>",
                up(level), up(level) + 4, std::exp2(level));
        for (const double ranks : across_)
            text += fmt::format("<text x=\"{:.1f}\" y=\"358\" text-anchor=\"middle\">{:.0f}</text>", right(ranks),
                                std::exp2(ranks));
        text += "<text x=\"350\" y=\"376\" text-anchor=\"middle\">ranks</text>";
        text += line(ideal_, "stroke=\"#999\" stroke-dasharray=\"5 4\"") + line(compute_, "stroke=\"#2a7\"") +
                line(total_, "stroke=\"#26c\" stroke-width=\"2\"");
        return text + "</svg>\n";
    }

private:
    double right(double ranks) const { return 80 + 540 * ranks / std::max(1.0, across_.back()); }
    double up(double level) const { return 335 - 320 * (level - low_) / std::max(1.0, high_ - low_); }

    std::string line(const std::vector<double>& levels, const std::string& looks) const {
        std::string points;
        for (std::size_t i = 0; i < levels.size(); ++i)
            points += fmt::format("{:.1f},{:.1f} ", right(across_[i]), up(levels[i]));
        return fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>", points, looks);
    }

    std::vector<double> across_, total_, compute_, ideal_;
    double low_ = 0, high_ = 0;
};

}  // namespace

std::string scale_page(const Kernel& kernel, const std::vector<ScalePoint>& points, const std::string& grown) {
    const std::string how = grown.empty() ? "strong scaling" : "weak scaling, " + grown + " growing with the ranks";
    return page(fmt::format("{}: {}", kernel.name.empty() ? "kernel" : kernel.name, how),
                Plot(points, !grown.empty()).svg() +
                    "<p>Blue: the time of the best plan; green: its computing alone; dashed: what it would be if "
                    "nothing were lost.</p>\n<pre>" +
                    html_text(report_scaling(points)) + "</pre>\n");
}

}  // namespace halogen
