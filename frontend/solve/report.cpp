#include "frontend/solve/report.h"

#include "frontend/solve/access_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace halogen {

namespace {

/// Two columns, the first as wide as its widest entry that is not very long.
class Table {
public:
    void row(std::string left, std::string right) { rows_.emplace_back(std::move(left), std::move(right)); }
    std::string text(const std::string& indent) const {
        std::size_t width = 0;
        for (const auto& [left, right] : rows_) width = std::max(width, std::min<std::size_t>(left.size(), 48));
        std::string all;
        for (const auto& [left, right] : rows_) {
            all += right.empty() ? indent + left : fmt::format("{}{:<{}}  {}", indent, left, width, right);
            all += "\n";
        }
        return all;
    }

private:
    std::vector<std::pair<std::string, std::string>> rows_;
};

std::string source_of(const Solution& s, const std::string& symbol) {
    const auto at = s.sources.find(symbol);
    if (at == s.sources.end()) return "open";
    return at->second.tensor.empty() ? "parameter"
                                     : fmt::format("extent of dim {} of {}", at->second.dim, at->second.tensor);
}

std::string sizes_text(const Solution& s) {
    Table table;
    for (const auto& symbol : s.symbols) table.row(symbol, "any: " + source_of(s, symbol));
    for (const auto& [name, value] : s.sizes) {
        if (value.as_symbol() != name) table.row(name, "= " + print(value));
    }
    return table.text("  ");
}

std::string tensors_text(const Kernel& kernel, const Solution& s) {
    Table table;
    const auto views = views_of(kernel);
    for (const Tensor& t : kernel.tensors) {
        std::string shape;
        for (const Formula& extent : s.extents.at(t.name)) shape += (shape.empty() ? "" : ", ") + print(extent);
        const char* role = t.role == Role::input ? "input" : t.role == Role::output ? "output" : "intermediate";
        table.row(t.name,
                  fmt::format("{}[{}]  {}", to_string(t.type), shape,
                              views.contains(t.name) && t.role == Role::intermediate ? "view, no storage" : role));
    }
    return table.text("  ");
}

std::string equation_text(const Kernel& kernel, const Solution& s, const std::vector<AccessForm>& accesses, int e) {
    std::string ranges;
    for (const auto& index : indices_of(kernel.equations[e])) {
        const auto at = s.indices[e].find(index);
        if (at != s.indices[e].end()) ranges += (ranges.empty() ? "" : ", ") + print_range(index, at->second);
    }
    Table table;
    std::vector<std::string> shown;
    for (const AccessForm& a : accesses) {
        if (a.equation != e || std::find(shown.begin(), shown.end(), a.text) != shown.end()) continue;
        shown.push_back(a.text);
        table.row(a.text, print_address(a));
    }
    const std::string& text = kernel.equations[e].text;
    return fmt::format("  {}\n{}{}", text.empty() ? print(kernel.equations[e]) : text,
                       ranges.empty() ? "" : "    " + ranges + "\n", table.text("    "));
}

}  // namespace

std::string print_range(const std::string& index, const IndexRange& r) {
    return fmt::format("{} in [{}, {}){}", index, print(r.min), print(r.min + r.extent), r.reduced ? " reduced" : "");
}

std::string print_address(const AccessForm& a) {
    if (!a.affine) return "address by data, / or %";
    std::string strides;
    for (const auto& [index, stride] : a.strides)
        strides += fmt::format("{}{}: {}", strides.empty() ? "" : ", ", index, print(stride));
    std::string text = strides.empty() ? "one element" : "strides " + strides;
    if (!(a.offset == Formula(0))) text += fmt::format("; offset {}", print(a.offset));
    return text;
}

std::string report(const Kernel& kernel, const Solution& s) {
    std::string text =
        fmt::format("{}\nsizes\n{}tensors\n{}equations\n", kernel.name.empty() ? "kernel" : "kernel " + kernel.name,
                    sizes_text(s), tensors_text(kernel, s));
    const std::vector<AccessForm> accesses = access_forms(kernel, s);
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) text += equation_text(kernel, s, accesses, e);
    if (s.guards.empty()) return text + "guards\n  none: it holds for all sizes\n";
    Table guards;
    for (const Guard& g : s.guards) guards.row(print(g), g.reason);
    return text + "guards\n" + guards.text("  ");
}

}  // namespace halogen
