#include "terminal.h"

#include "words.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::demo {
namespace {

/// The number of characters of UTF-8 text.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Rows of cells with columns as wide as need be, the first column to the left, the others to the right.
std::string table_text(const std::vector<std::vector<std::string>>& rows, const std::string& before) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); i++) widths[i] = std::max(widths[i], width_of(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = before;
        for (std::size_t i = 0; i < row.size(); i++) {
            const std::string gap(widths[i] - width_of(row[i]), ' ');
            line += (i == 0 ? row[i] + gap : "   " + gap + row[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

/// Words that fit a line of 100 columns.
std::string wrapped(const std::string& text, const std::string& before) {
    std::string out, line = before;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (line.size() > before.size() && line.size() + 1 + word.size() > 100) {
            out += line + "\n";
            line = before;
        }
        line += (line.size() > before.size() ? " " : "") + word;
        begin = end + 1;
    }
    return out + line + "\n";
}

const std::string margin = "    ", label_space = margin + "          ";

std::string labelled(const std::string& label, const std::string& text) {
    return fmt::format("{}{:<10}{}\n", margin, label, text);
}

std::string sizes_text(const Solved& solved) {
    std::string read, out;
    for (const SizeFact& s : solved.sizes) {
        if (!s.solved) read += fmt::format("{}{} = {}", read.empty() ? "" : ", ", s.name, s.value);
    }
    if (!read.empty()) out += labelled("given", read);
    const char* label = "solved";
    for (const SizeFact& s : solved.sizes) {
        if (!s.solved) continue;
        out += labelled(label, s.formula == std::to_string(s.value)
                                   ? fmt::format("{} = {}", s.name, s.value)
                                   : fmt::format("{} = {} = {}", s.name, s.formula, s.value));
        label = "";
    }
    return out;
}

std::string tensors_text(const Solved& solved) {
    std::size_t name = 0, dims = 0;
    for (const TensorFact& t : solved.tensors) {
        name = std::max(name, t.name.size());
        dims = std::max(dims, list_text(t.formulas).size());
    }
    std::string out;
    const char* label = "tensors";
    for (const TensorFact& t : solved.tensors) {
        const std::string numbers = "[" + list_text(t.extents) + "]";
        out += labelled(label, fmt::format("{:<{}}  {:<4}{:<{}} = {:<19} {:>8}  {}", t.name, name, t.type,
                                           "[" + list_text(t.formulas) + "]", dims + 2, numbers, bytes_text(t.bytes),
                                           t.strides.empty() ? t.role : "strides " + list_text(t.strides)));
        label = "";
    }
    return out;
}

std::string equation_text(const EquationFact& equation) {
    std::string out = labelled("equation", equation.text);
    std::vector<std::vector<std::string>> rows{{"in elements"}, {""}};
    for (const IndexFact& index : equation.indices) {
        rows[0].push_back(range_text(index));
        rows[1].push_back((index.reduced ? "reduced " : "") + numeric_range_text(index));
    }
    rows[0].push_back("offset");
    for (const AccessFact& access : equation.accesses) {
        std::vector<std::string> row{access.text +
                                     (access.count > 1 ? fmt::format(" and {} more", access.count - 1) : "")};
        if (!access.affine) row.push_back("by data");
        for (std::size_t i = 0; i < access.strides.size(); i++)
            row.push_back(access.strides[i] == 0 ? "." : fmt::format("{}", access.strides[i]));
        if (access.affine) row.push_back(offset_text(access));
        rows.push_back(std::move(row));
    }
    return out + table_text(rows, label_space);
}

std::string guards_text(const Solved& solved) {
    if (solved.guards.empty()) return labelled("guards", "none: every size will do");
    std::string out;
    const char* label = "guards";
    for (const GuardFact& g : solved.guards) {
        out += labelled(label, g.text == g.numbers ? g.text
                                                   : fmt::format("{}   here {}{}", g.text, g.numbers,
                                                                 g.holds ? "" : "  DOES NOT HOLD"));
        label = "";
    }
    return out;
}

std::string times_text(const Call& call) {
    const auto side = [&](const char* name, double one, double two) {
        return std::vector<std::string>{name, time_text(one), speed_text(call, one), time_text(two),
                                        speed_text(call, two)};
    };
    std::vector<std::vector<std::string>> rows{
        {"", "1 thread", "", "2 threads", ""},
        side("Halogen", call.one.halogen_ns, call.two.halogen_ns),
        side("Eigen", call.one.eigen_ns, call.two.eigen_ns),
        {"ratio", ratio_text(call.one.ratio()) + " x", "", ratio_text(call.two.ratio()) + " x", ""}};
    return table_text(rows, label_space);
}

}  // namespace

std::string stage_text(const Stage& stage, int number) {
    std::string line = fmt::format("── {}  {} ", number, stage.title);
    while (width_of(line) < 100) line += "─";
    return fmt::format("\n{}\n\n{}", line, wrapped(stage.text, margin));
}

std::string call_text(const Call& call, const Solved& solved) {
    std::string out = fmt::format("\n  {}{}\n", call.kernel, call.settings.empty() ? "" : "   " + settings_text(call));
    out += sizes_text(solved) + tensors_text(solved);
    for (const EquationFact& equation : solved.equations) out += equation_text(equation);
    out += guards_text(solved);
    out += labelled("result", agreement_text(call));
    return out + times_text(call);
}

std::string summary_text(const Results& results) {
    std::vector<std::vector<std::string>> rows{
        {"", "", "Halogen, 1 thread", "", "Eigen", "ratio", "Halogen, 2 threads", "Eigen", "ratio"}};
    for (const Call& c : results.calls) {
        rows.push_back({c.kernel, input_text(c), time_text(c.one.halogen_ns), speed_text(c, c.one.halogen_ns),
                        time_text(c.one.eigen_ns), ratio_text(c.one.ratio()), time_text(c.two.halogen_ns),
                        time_text(c.two.eigen_ns), ratio_text(c.two.ratio())});
    }
    return "\n" + table_text(rows, "  ") + "\n  ratio: Eigen's time over Halogen's; above 1 Halogen is faster.\n";
}

}  // namespace halogen::demo
