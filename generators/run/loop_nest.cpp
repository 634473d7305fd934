#include "generators/run/loop_nest.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <vector>

namespace halogen {

namespace {

struct Line {
    std::size_t indent;
    std::string text;
    bool one_child = false;
};

std::vector<Line> lines_of(const std::string& nest) {
    std::vector<Line> lines;
    std::istringstream in(nest);
    for (std::string text; std::getline(in, text);) {
        const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
        lines.push_back({indent, text.substr(indent)});
    }
    for (std::size_t i = 0; i + 1 < lines.size(); i++) {
        std::size_t children = 0;
        for (std::size_t j = i + 1; j < lines.size() && lines[j].indent > lines[i].indent; j++)
            children += lines[j].indent == lines[i + 1].indent;
        lines[i].one_child = children == 1;
    }
    return lines;
}

/// Loops that hold one thing alone stand on a line with it, while that is not too long.
std::string on_fewer_lines(const std::string& nest) {
    constexpr std::size_t most = 120;
    const std::vector<Line> lines = lines_of(nest);
    std::string text;
    std::vector<std::size_t> around;  // the indents of the lines that those at hand are printed below
    for (std::size_t i = 0; i < lines.size(); i++) {
        while (!around.empty() && around.back() >= lines[i].indent) around.pop_back();
        std::string line = std::string(2 * around.size(), ' ') + lines[i].text;
        around.push_back(lines[i].indent);
        for (; lines[i].one_child && line.size() + lines[i + 1].text.size() < most; i++)
            line += " " + lines[i + 1].text;
        text += line + "\n";
    }
    return text;
}

}  // namespace

std::string loop_nest(Halide::Pipeline pipeline) {
    std::ostringstream captured;
    std::streambuf* const before = std::cerr.rdbuf(captured.rdbuf());
    try {
        pipeline.print_loop_nest();
    } catch (const Halide::Error&) {  // names that stand in two branches confuse the printer, not the compiler
        captured.str("Halide's printer fails for this nest\n");
    } catch (...) {
        std::cerr.rdbuf(before);
        throw;
    }
    std::cerr.rdbuf(before);
    return on_fewer_lines(captured.str());
}

}  // namespace halogen
