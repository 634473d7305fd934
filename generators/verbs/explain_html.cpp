#include "generators/verbs/explain_html.h"

#include "frontend/base/checked.h"
#include "frontend/notation/parts.h"
#include "frontend/project/projection.h"
#include "frontend/project/shard_report.h"
#include "frontend/solve/place.h"
#include "frontend/solve/solve.h"
#include "generators/run/work.h"
#include "generators/verbs/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <sstream>

namespace halogen {

namespace {

constexpr double side = 170, least_side = 14, margin = 2;  // of a drawing, in pixels
constexpr const char* colours[] = {"hsl(210 75% 45%)", "hsl(30 85% 48%)"};

std::int64_t number(const Formula& f) { return f.constant().value(); }

/// The least extent of an index that is not reduced: a drawing shows little of short ones.
std::int64_t shortest_side(const Solution& s) {
    std::int64_t shortest = largest_extent;
    for (const auto& indices : s.indices)
        for (const auto& [index, range] : indices)
            if (!range.reduced) shortest = std::min(shortest, number(range.extent));
    return shortest;
}

std::string count(double value) { return grouped(fmt::format("{:.0f}", value)); }

/// From `low` to below `end` along one side of a drawing.
struct Span {
    std::int64_t low = 0, end = 1;
};
using Rectangle = std::pair<Span, Span>;  // down, across

/// A rectangle of elements with boxes on it.
class Grid {
public:
    Grid(Rectangle whole, bool is_cut_down, bool is_cut_across) : whole_(whole), seen_(whole) {
        flat_[0] = !is_cut_down;
        flat_[1] = !is_cut_across;
    }

    void add(const Rectangle& box, const std::string& looks) {
        boxes_.emplace_back(box, looks);
        seen_.first = {std::min(seen_.first.low, box.first.low), std::max(seen_.first.end, box.first.end)};
        seen_.second = {std::min(seen_.second.low, box.second.low), std::max(seen_.second.end, box.second.end)};
    }

    std::string svg(const std::string& label) const {
        std::string text = fmt::format("<svg width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}\">",
                                       length(1) + 2 * margin, length(0) + 2 * margin, html_text(label));
        for (const auto& [box, looks] : boxes_) text += rectangle(box, looks);
        return text + rectangle(whole_, "fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\"") + "</svg>";
    }

private:
    double length(int axis) const {
        const auto places = [](const Span& s) { return static_cast<double>(std::max<std::int64_t>(1, s.end - s.low)); };
        if (flat_[axis]) return least_side;
        const double longest = std::max(flat_[0] ? 1 : places(seen_.first), flat_[1] ? 1 : places(seen_.second));
        return std::max(least_side, side * places(axis == 0 ? seen_.first : seen_.second) / longest);
    }

    double at(int axis, std::int64_t place) const {
        const Span& s = axis == 0 ? seen_.first : seen_.second;
        return margin + length(axis) * static_cast<double>(place - s.low) /
                            static_cast<double>(std::max<std::int64_t>(1, s.end - s.low));
    }

    std::string rectangle(const Rectangle& r, const std::string& looks) const {
        return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>",
                           at(1, r.second.low), at(0, r.first.low),
                           std::max(0.0, at(1, r.second.end) - at(1, r.second.low)),
                           std::max(0.0, at(0, r.first.end) - at(0, r.first.low)), looks);
    }

    const Rectangle whole_;
    Rectangle seen_;
    bool flat_[2];
    std::vector<std::pair<Rectangle, std::string>> boxes_;
};

/// Two blocks of an equation's left side, neighbours along its first index that is long enough.
class EquationDrawing {
public:
    EquationDrawing(const Kernel& kernel, const Solution& s, int e) : kernel_(kernel), solution_(s), number_(e) {
        for (const std::string& index : indices_of(kernel.equations[e])) {
            const IndexRange& range = s.indices[e].at(index);
            const std::int64_t extent = number(range.extent);
            order_.push_back({index, range.reduced, extent});
            if (!range.reduced && extent > 0) drawn_.push_back(index);
        }
        std::stable_sort(drawn_.begin(), drawn_.end(),
                         [&](const std::string& a, const std::string& b) { return slides(a) > slides(b); });
        if (drawn_.size() > 2) drawn_.resize(2);
        for (const Index& i : order_) {
            const std::string& index = i.name;
            const IndexRange& range = s.indices[e].at(index);
            const std::int64_t min = number(range.min), extent = i.extent;
            if (range.reduced || extent < 1) continue;
            const bool cut = std::find(drawn_.begin(), drawn_.end(), index) != drawn_.end();  // others whole
            const std::int64_t count = cut ? std::max<std::int64_t>(1, extent / 3) : extent;
            const bool moves = cut && moved_.empty() && 2 * count <= extent;
            if (moves) moved_ = index;
            for (int b = 0; b < 2; ++b) {
                const std::int64_t low = min + (b == 1 && moves ? count : 0);  // at an end: padding is seen
                blocks_[b][index] = {Formula(low), Formula(low + count - 1)};
            }
        }
    }

    std::string html() const {
        std::string text = "<div class=\"tensors\">\n" + index_space();
        const auto here = project(kernel_, solution_, number_, blocks_[0]);
        const auto next = project(kernel_, solution_, number_, blocks_[1]);
        for (std::size_t i = 0; i < here.size(); ++i) text += access(here[i], next[i]);
        return text + "</div>\n";
    }

private:
    struct Index {
        std::string name;
        bool reduced = false;
        std::int64_t extent = 0;
    };

    /// It stands in brackets beside others, as in `X[y + r]`.
    bool slides(const std::string& index) const {
        bool found = false;
        each_read(kernel_.equations[number_], [&](const Access& read) {
            for (const Expr& place : read.at)
                if (!bare_index(place))
                    walk(place, [&](const Expr& node) {
                        const auto* ref = node.as<IndexRef>();
                        found = found || (ref && ref->name == index);
                    });
        });
        return found;
    }

    static Span span(const Hull& h) { return {number(h.low), number(h.high) + 1}; }
    static std::string filled(int block) {
        return fmt::format("fill=\"{0}\" fill-opacity=\"0.4\" stroke=\"{0}\"", colours[block]);
    }
    static std::string dashed(int block) {
        return fmt::format("fill=\"none\" stroke=\"{}\" stroke-dasharray=\"3 3\"", colours[block]);
    }
    bool is_one_block() const { return moved_.empty(); }

    std::string index_space() const {
        const std::vector<std::string>& drawn = drawn_;
        std::vector<std::string> names;
        for (const Index& i : order_)
            names.push_back(fmt::format("{}: {}{}", i.name, i.extent, i.reduced ? ", reduced" : ""));
        const auto whole = [&](std::size_t axis) {
            return axis < drawn.size() ? span(box_of(solution_, number_).at(drawn[axis])) : Span{};
        };
        Grid grid({whole(0), whole(1)}, !drawn.empty(), drawn.size() > 1);
        for (int b = 0; b < (is_one_block() ? 1 : 2); ++b) {
            const auto part = [&](std::size_t axis) {
                return axis < drawn.size() ? span(blocks_[b].at(drawn[axis])) : Span{};
            };
            grid.add({part(0), part(1)}, filled(b));
        }
        return fmt::format("<figure>{}<figcaption>index space {}{}</figcaption></figure>\n", grid.svg("index space"),
                           html_text(fmt::format("{}", fmt::join(names, "; "))), axes(drawn));
    }

    static std::string axes(const std::vector<std::string>& drawn) {
        if (drawn.size() == 2) return fmt::format(": {} down, {} across", drawn[0], drawn[1]);
        return drawn.empty() ? "" : fmt::format(": {} down", drawn[0]);
    }

    std::string access(const Projection& here, const Projection& next) const {
        std::vector<std::int64_t> extents;
        for (const Formula& e : solution_.extents.at(here.tensor)) extents.push_back(number(e));
        const auto dims = chosen_dims(here, next, extents);
        const auto along = [&](const Projection& p, int axis, bool padding) {
            return dims[axis] < 0 ? Span{} : span(padding ? p.dims[dims[axis]].places : p.dims[dims[axis]].inside);
        };
        const auto whole = [&](int axis) { return dims[axis] < 0 ? Span{} : Span{0, extents[dims[axis]]}; };
        Grid grid({whole(0), whole(1)}, dims[0] >= 0, dims[1] >= 0);
        const Projection* both[] = {&here, &next};
        for (int b = 0; b < (is_one_block() ? 1 : 2); ++b) {
            grid.add({along(*both[b], 0, false), along(*both[b], 1, false)}, filled(b));
            const bool pads = std::any_of(both[b]->dims.begin(), both[b]->dims.end(),
                                          [](const Reached& r) { return !(r.places == r.inside) && !r.by_data; });
            if (pads) grid.add({along(*both[b], 0, true), along(*both[b], 1, true)}, dashed(b));
        }
        std::string caption = fmt::format("{} <code>{}</code> of [{}]", here.is_left ? "writes" : "reads",
                                          html_text(here.access), fmt::join(extents, ", "));
        if (extents.size() > 2) caption += fmt::format(": dims {} down, {} across", dims[0], dims[1]);
        if (here.cells) caption += fmt::format("; {} elements of the first block", print(*here.cells));
        if (std::any_of(here.dims.begin(), here.dims.end(), [](const Reached& r) { return r.by_data; }))
            caption += "; data say where";
        return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", grid.svg(here.access), caption);
    }

    /// The dims in which the blocks reach least of the tensor first, then the longest; in order.
    static std::vector<int> chosen_dims(const Projection& here, const Projection& next,
                                        const std::vector<std::int64_t>& extents) {
        std::vector<int> order(extents.size());
        for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int>(d);
        const auto rank = [&](int d) {
            const bool moves = !(here.dims[d] == next.dims[d]);
            return std::tuple(moves, number(here.dims[d].inside.extent()) < extents[d], extents[d]);
        };
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) > rank(b); });
        order.resize(std::min<std::size_t>(order.size(), 2));
        std::sort(order.begin(), order.end());
        while (order.size() < 2) order.push_back(-1);
        return order;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const int number_;
    std::vector<Index> order_;
    std::vector<std::string> drawn_;  // the two indices that are cut into blocks: those that move windows first
    Box blocks_[2];
    std::string moved_;  // the index along which the blocks are neighbours; "" where there is one block
};

/// A bar as long as its share of the longest.
std::string bar(const std::string& name, double value, double most, const std::string& unit) {
    return fmt::format("<tr><td>{}<td>{} {}<td class=\"bar\"><span style=\"width:{:.0f}px\"></span></tr>\n",
                       html_text(name), count(value), unit, most > 0 ? std::max(1.0, 300 * value / most) : 1);
}

std::string bars(const std::vector<std::pair<std::string, double>>& values, const std::string& unit) {
    double most = 0;
    for (const auto& [name, value] : values) most = std::max(most, value);
    std::string text = "<table class=\"bars\">\n";
    for (const auto& [name, value] : values) text += bar(name, value, most, unit);
    return text + "</table>\n";
}

}  // namespace

std::optional<Solution> with_example_sizes(const Kernel& kernel, const Settings& known) {
    const auto open = solve(kernel, known);
    if (!open) return std::nullopt;
    if (is_number(open.value())) return open.value();
    constexpr int tries = 4000, enough = 40;
    std::mt19937 dice(1);
    std::optional<Solution> best;
    std::int64_t longest = -1;
    int found = 0;
    for (int i = 0; i < tries; ++i) {
        Settings sizes = known;
        Bindings values;
        for (const std::string& symbol : open.value().symbols) {
            const int value = 2 + static_cast<int>(dice() % 23);
            sizes[symbol] = value;
            values[symbol] = value;
        }
        const auto meets = [&](const Guard& g) { return holds(g, values); };
        try {
            if (!std::all_of(open.value().guards.begin(), open.value().guards.end(), meets)) continue;
            const auto numbers = solve(kernel, sizes);
            if (!numbers || !is_number(numbers.value())) continue;
            const std::int64_t shortest = shortest_side(numbers.value());
            if (shortest > longest) best = numbers.value();
            longest = std::max(longest, shortest);
            if (++found == enough) break;
        } catch (const Failure&) {
            continue;  // a guard that divides by what is 0 here
        }
    }
    return best;
}

std::string projection_drawings(const Kernel& kernel, const Solution& numbers) {
    std::string text;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        text += fmt::format("<pre>{}</pre>\n", html_text(print(kernel.equations[e])));
        text += EquationDrawing(kernel, numbers, e).html();
    }
    return text;
}

std::string stride_tables(const Kernel& kernel, const std::vector<AccessForm>& accesses) {
    std::string text;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        const auto indices = indices_of(kernel.equations[e]);
        text += fmt::format("<pre>{}</pre>\n<table class=\"strides\"><tr><th>access",
                            html_text(print(kernel.equations[e])));
        for (const std::string& index : indices) text += "<th>" + html_text(index);
        text += "</tr>\n";
        for (const AccessForm& a : accesses) {
            if (a.equation != e) continue;
            text += fmt::format("<tr><td>{} {}", a.is_left ? "writes" : "reads", html_text(a.text));
            for (const std::string& index : indices) {
                const auto at = a.strides.find(index);
                const Formula stride = at == a.strides.end() ? Formula(0) : at->second;
                const char* kind = !a.affine              ? "data"
                                   : stride == Formula(0) ? "still"
                                   : stride == Formula(1) ? "next"
                                                          : "far";
                text += fmt::format("<td class=\"{}\">{}", kind, a.affine ? html_text(print(stride)) : "by data");
            }
            text += "</tr>\n";
        }
        text += "</table>\n";
    }
    return text;
}

std::string nest_drawing(const std::string& nest) {
    std::string text = "<div class=\"nest\">\n";
    std::vector<std::size_t> open;  // the columns of the boxes around
    std::istringstream lines(nest);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t column = line.find_first_not_of(' ');
        if (column == std::string::npos) continue;
        while (!open.empty() && open.back() >= column) {
            text += "</div>\n";
            open.pop_back();
        }
        const std::string content = line.substr(column), word = content.substr(0, content.find_first_of(" :("));
        const bool loop = word == "for" || word == "parallel" || word == "vectorized" || word == "unrolled";
        if (content.back() != ':') {
            text += "<p>" + html_text(content) + "</p>\n";
            continue;
        }
        text += fmt::format("<div class=\"{}\"><b>{}</b>\n", loop ? word : "part",
                            html_text(content.substr(0, content.size() - 1)));
        open.push_back(column);
    }
    for (std::size_t i = 0; i < open.size(); ++i) text += "</div>\n";
    return text + "</div>\n";
}

std::string cost_drawing(const Kernel& kernel, const Solution& numbers) {
    std::vector<std::pair<std::string, double>> work, bytes;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e)
        work.emplace_back(print(kernel.equations[e]), static_cast<double>(number(operations(kernel, numbers, e))));
    for (const Tensor& t : kernel.tensors) {
        double all = bytes_of(t.type);
        for (const Formula& e : numbers.extents.at(t.name)) all *= static_cast<double>(number(e));
        const char* role = t.role == Role::intermediate ? ", between equations"
                           : t.role == Role::input      ? ", read"
                                                        : ", written";
        bytes.emplace_back(t.name + role, all);
    }
    const Work all = count_work(kernel, numbers);
    return bars(work, "operations") + bars(bytes, "bytes") +
           fmt::format("<p>{} operations and {} bytes of inputs and outputs: {:.3g} operations a byte.</p>\n",
                       count(all.operations), count(all.bytes), all.bytes > 0 ? all.operations / all.bytes : 0);
}

}  // namespace halogen
