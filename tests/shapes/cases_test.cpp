// The cases of tests/data/shapes.json: what PyTorch itself answered.

#include "generators/emit/shape_json.h"

#include <gtest/gtest.h>

#include <fstream>

namespace halogen {
namespace {

using Json = nlohmann::json;

const Json& given() {
    static const Json document = Json::parse(std::ifstream(HALOGEN_TEST_DATA "/shapes.json"));
    return document;
}

bool is_right(const Json& wanted, const Json& answer) {
    if (wanted["expect"] == "error") return answer.contains("error") && !answer["message"].get<std::string>().empty();
    return answer.value("shapes", Json()) == wanted["expect"] &&
           (!wanted.contains("strides") || answer.value("strides", Json()) == wanted["strides"]);
}

TEST(ShapeCases, EveryCallHasTheShapesAndStridesThatPyTorchGivesOrIsRefusedAsThere) {
    const Json& cases = given()["cases"];
    const Json answers = answer_cases({{"cases", cases}});
    ASSERT_EQ(answers.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        ASSERT_EQ(answers[i]["id"], cases[i]["id"]);
        EXPECT_TRUE(is_right(cases[i], answers[i])) << cases[i].dump() << "\n" << answers[i].dump();
    }
    EXPECT_EQ(cases.size(), 1457u);
}

/// Right on every valid witness, and every invalid one refused.
bool is_complete(const Json& wanted, const Json& answer) {
    const bool is_never = wanted["expect"].is_null();
    if (is_never != answer.contains("error")) return false;
    for (std::size_t i = 0; i < wanted["witnesses"].size() && !is_never; ++i) {
        if (!is_right(wanted["witnesses"][i], answer["witnesses"][i])) return false;
    }
    return true;
}

TEST(ShapeCases, EveryProgramOfOperatorsIsAnsweredByFormulasAndConditionsForAllWitnesses) {
    const Json& cases = given()["symbolic_cases"];
    const Json answers = answer_cases({{"symbolic_cases", cases}});
    ASSERT_EQ(answers.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i)
        EXPECT_TRUE(is_complete(cases[i], answers[i])) << cases[i]["id"] << "\n" << answers[i].dump(1);
    EXPECT_EQ(cases.size(), 141u);
}

TEST(ShapeCases, SizesAreFoundFromARequiredResult) {
    const Json& cases = given()["solve_cases"];
    const Json answers = answer_cases({{"solve_cases", cases}});
    ASSERT_EQ(answers.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_EQ(answers[i].value("answer", ""), cases[i]["answer"]) << answers[i].dump();
        EXPECT_EQ(answers[i].value("solutions", Json()), cases[i]["solutions"]) << cases[i]["id"];
    }
    EXPECT_EQ(cases.size(), 31u);
}

TEST(ShapeCases, EveryOperatorOfTheCasesIsInTheLibrary) {
    const shapes::Library library;
    for (const Json& one : given()["cases"]) EXPECT_NO_THROW(library.entry(one["op"].get<std::string>()));
    EXPECT_EQ(library.entries().size(), 222u);
}

}  // namespace
}  // namespace halogen
