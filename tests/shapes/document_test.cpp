// docs/operators.md is what the library says of itself.

#include "frontend/shapes/document.h"

#include <gtest/gtest.h>

#include <fstream>
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

}  // namespace
}  // namespace halogen::shapes
