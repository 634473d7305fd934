// Trees of loops and statements as the cases write them.

#include "tests/schedule/loopnest_case.h"
#include "tests/schedule/loopnest_text.h"

#include <fmt/format.h>

#include <regex>

namespace halogen::loopnest {

namespace {

struct Header {
    std::size_t indent;
    std::string name;
    std::int64_t begin, end;
    int serial;  // in order of the text
};

/// A statement and the loops around it.
struct Line {
    std::vector<Header> loops;
    std::string text;
};

std::vector<Line> statements_of(const std::vector<std::string>& lines) {
    static const std::regex header(R"(^for (\w+)\s*(?:<\s*(\d+)|in \[(\d+),(\d+)\)))");
    int serial = 0;
    std::vector<Header> open;
    std::vector<Line> statements;
    for (const std::string& line : lines) {
        const std::size_t indent = line.find_first_not_of(' ');
        while (!open.empty() && open.back().indent >= indent) open.pop_back();
        const std::size_t outer = open.size();
        const std::string rest = line.substr(indent);
        for (std::string text : split_text(rest, ";")) {
            std::smatch m;
            while (std::regex_search(text, m, header)) {
                open.push_back({indent, m[1], m[2].matched ? 0 : std::stoll(m[3]),
                                std::stoll(m[2].matched ? m[2] : m[4]), serial++});
                text = trimmed(m.suffix());
                if (text.starts_with(":")) text = trimmed(text.substr(1));
            }
            if (!text.empty()) statements.push_back({open, text});
        }
        if (rest.find(';') != std::string::npos) open.resize(outer);
    }
    return statements;
}

/// Each statement as an equation over the loops that it mentions.
Parts parts_of(const std::vector<Line>& statements, const std::map<std::string, std::string>& dims) {
    Parts parts;
    parts.dims = dims;
    for (const Line& s : statements) {
        std::string items;
        for (const Header& loop : s.loops)
            if (std::regex_search(s.text, std::regex("\\b" + loop.name + "\\b")))
                items += fmt::format("{}{} in {}:{}", items.empty() ? "" : ", ", loop.name, loop.begin, loop.end);
        parts.equations.push_back(s.text + (items.empty() ? "" : " where " + items));
    }
    for (const auto& name : written(parts.equations)) parts.outputs.push_back(name);
    return parts;
}

/// The statements `plain` in loops that they share with their neighbours in the text.
std::vector<NestNode> in_shared_loops(Nest& nest, const std::vector<Line>& lines, std::vector<NestStatement> plain) {
    std::vector<Header> before;
    std::vector<NestNode> shared;
    for (std::size_t i = 0; i < lines.size(); i++) {
        const std::vector<Header>& loops = lines[i].loops;
        std::size_t common = 0;
        while (common < loops.size() && common < before.size() && loops[common].serial == before[common].serial)
            common++;
        std::vector<NestNode>* list = &shared;
        std::map<std::string, int> ids;
        for (std::size_t d = 0; d < loops.size(); d++) {
            if (d >= common || list->empty() || !list->back().loop()) {
                common = 0;
                NestLoop loop{++nest.last_id, loops[d].name,    plain[i].func,
                              plain[i].stage, loops[d].begin,   loops[d].end - loops[d].begin,
                              false,          LoopMark::serial, {}};
                list->push_back(NestNode{loop});
            }
            NestLoop& loop = *list->back().loop();
            ids[loop.name] = loop.id;
            list = &loop.body;
        }
        for (auto& [index, value] : plain[i].at) value = Formula::symbol(loop_symbol(ids.at(index)));
        list->push_back(NestNode{plain[i]});
        before = loops;
    }
    return shared;
}

}  // namespace

Tree tree_of(const std::vector<std::string>& lines, const std::map<std::string, std::string>& dims) {
    const std::vector<Line> statements = statements_of(lines);
    Tree tree{make(parts_of(statements, dims)), {}};
    tree.nest = tree.setting.nest();
    std::vector<NestNode> body;  // the starts, then the statements again
    std::vector<NestStatement> plain;
    for (NestNode& node : tree.nest.body) {
        std::vector<NestNode> one{node};
        NestStatement statement;
        each_statement(one, [&](NestStatement& s) { statement = s; });
        if (statement.start)
            body.push_back(node);
        else
            plain.push_back(statement);
    }
    const std::vector<NestNode> shared = in_shared_loops(tree.nest, statements, std::move(plain));
    body.insert(body.end(), shared.begin(), shared.end());
    tree.nest.body = std::move(body);
    return tree;
}

}  // namespace halogen::loopnest
