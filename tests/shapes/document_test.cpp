// docs/operators.md is what the library says of itself.

#include "frontend/shapes/document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

namespace halogen::shapes {
namespace {

TEST(ShapeDocument, TheListOfOperatorsIsUpToDate) {
    std::ifstream file(HALOGEN_DOCS "/operators.md");
    std::stringstream text;
    text << file.rdbuf();
    Library library;
    const std::string wanted = document(library);
    if (text.str() == wanted) return;
    std::ofstream("operators.md") << wanted;
    FAIL() << "docs/operators.md is out of date: halogen ops --markdown > docs/operators.md (or copy operators.md from "
              "here)";
}

TEST(ShapeDocument, EveryOperatorHasALegalCallOnSymbols) {
    Library library;
    for (const Entry& entry : library.entries()) EXPECT_TRUE(example_call(library, entry)) << entry.op->name;
}

TEST(ShapeDocument, EveryOperatorFollowsFromAnEquationOrSaysWhyNot) {
    const Library library;
    int derived = 0;
    for (const Entry& entry : library.entries()) {
        EXPECT_NE(entry.op->equation.empty(), entry.op->written_because.empty()) << entry.op->name;
        derived += !entry.op->equation.empty();
    }
    EXPECT_GE(derived, 120);
}

/// Lines of the function `name` of a source file, its first row and its last.
int lines_of(const std::vector<std::string>& source, const std::string& name) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!source[i].starts_with("Results " + name + "(Call&")) continue;
        std::size_t end = i;
        while (source[i].back() != '}' && source[end] != "}") ++end;
        return static_cast<int>(end - i) + 1;
    }
    return 0;
}

/// A row of a family's table: name, signature, function.
const std::regex row(R"re(^ *\{"(\w+)", *(?:"[^"]*"|\w+), *(?:twice<)?(\w+))re");

TEST(ShapeDocument, TheMedianOperatorHasTwelveLinesAtMost) {
    std::vector<int> lines;
    for (const auto& file : std::filesystem::directory_iterator(HALOGEN_SHAPES)) {
        std::ifstream in(file.path());
        std::vector<std::string> source;
        for (std::string line; std::getline(in, line);) source.push_back(line);
        for (const std::string& line : source) {
            std::smatch part;
            if (!std::regex_search(line, part, row)) continue;
            const bool is_shared = part[2] == "broadcast_only" || part[2] == "by_equation";
            const int function = is_shared ? 0 : lines_of(source, part[2]);
            EXPECT_TRUE(is_shared || function > 0) << part[1];
            lines.push_back(function + 1);  // and the row
        }
    }
    EXPECT_EQ(lines.size(), Library().entries().size());
    std::sort(lines.begin(), lines.end());
    const int median = lines.at(lines.size() / 2);
    std::cout << "median " << median << " lines, at most " << lines.back() << "\n";
    EXPECT_LE(median, 12);
}

}  // namespace
}  // namespace halogen::shapes
