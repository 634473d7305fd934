// The programs that docs/ shows are programs: each parses, survives the round trip, and has sizes.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "frontend/solve/solve.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace halogen {
namespace {

struct Block {
    int line;  // of its first line, from 1
    std::string text;
};

std::vector<Block> blocks_of(const std::string& page) {
    std::ifstream file(HALOGEN_DOCS "/" + page);
    std::vector<Block> blocks;
    bool inside = false;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        number++;
        if (line == "```halogen") blocks.push_back({number + 1, ""});
        if (line.rfind("```", 0) == 0)
            inside = line == "```halogen";
        else if (inside)
            blocks.back().text += line + "\n";
    }
    return blocks;
}

TEST(Docs, EveryProgramShownParsesPrintsAndHasSizes) {
    const std::vector<Block> blocks = blocks_of("notation.md");
    EXPECT_GE(blocks.size(), 5u);
    for (const Block& block : blocks) {
        SCOPED_TRACE("docs/notation.md:" + std::to_string(block.line));
        const Result<Program> program = parse(block.text);
        ASSERT_TRUE(program) << format(program.error(), "parse");
        EXPECT_TRUE(parse(print(program.value())).value() == program.value());
        for (const Kernel& kernel : program.value().kernels) {
            const auto solved = solve(kernel, {});
            EXPECT_TRUE(solved) << format(solved.error(), kernel.name);
        }
    }
}

}  // namespace
}  // namespace halogen
