// Histories as text and as JSON: what is written is read back, byte by byte; what cannot be read is refused with its place.

#include "schedules/history/diff.h"
#include "schedules/history/json.h"
#include "schedules/history/kinds.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/history/text_cursor.h"
#include "tests/solve/seed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace halogen {
namespace {

const char* const example =
    "halogen history 1\n"
    "kernel matmul\n"
    "key 00112233aabbccdd\n"
    "halide 21.0.0\n"
    "leg avx2\n"
    "target x86-64-linux-avx2\n"
    "knob rows = 6 in 4, 6, 8\n"
    "\n"
    "# The tile.\n"
    "1: C.0 split i -> it, ii by 6 tail guard knob rows\n"
    "2: C.0 tile x, y -> xo, yo, xi, yi by 4, 8 tail predicate from user  # eight rows\n"
    "3: C.0 specialize when stride(C, 1) == 1 and threads() <= 2 and M*N >= 131072\n"
    "  # Inside.\n"
    "  4: C.0 vectorize ji\n"
    "  5: C.0 specialize when not (stride(A, 0) < stride(A, 1))\n"
    "    6: C.0 parallel it\n"
    "7: C_value.0 copy_in B -> B_pack dim 1 in panels of 16\n"
    "8: C_value.0 copy_in A -> A_copy at root\n"
    "9: C_value.1 split k -> ko, ki by max(1, min(8, 131072/(max(1, K)))) tail exact\n"
    "10: C_value.0 skip_outside A dim 0, 1\n"
    "11: C_value.1 compute_with with C.0.it\n"
    "12: C_value.1 split ki -> a, b, rest by 4 tail separate\n"
    "13: C_value.1 cache_reads A -> A_near C.it\n"
    "14: C_value.0 vectorize j by 8, 2 -> jo, jv, ji tail exact knob rows\n"
    "15: C_value.0 parallel i, jo by M/4 -> tasks, i tail guard\n"
    "16: C_value.0 registers j, i by 8, 2, 6 at C.it\n"
    "# The end.\n";

Error error_of(const std::string& text) {
    const auto history = parse_history(text);
    return history ? Error{ErrorKind::io, "no error"} : history.error();
}

TEST(HistoryText, IsReadBackByteByByte) {
    EXPECT_EQ(print(parse_history(std::string(example)).value()), std::string(example));
}

TEST(HistoryText, HoldsEveryPartOfAStep) {
    const History history = parse_history(std::string(example)).value();
    EXPECT_EQ(parse_history(print(history)).value(), history);
    EXPECT_EQ(history.header.knobs, (std::vector<Knob>{{"rows", 6, {4, 6, 8}}}));
    ASSERT_EQ(history.steps.size(), 13U);
    EXPECT_EQ(history.steps[0].knob, "rows");
    EXPECT_EQ(history.steps[1].second, Formula(8));
    EXPECT_EQ(history.steps[1].origin, "user");
    EXPECT_EQ(history.steps[1].note, "eight rows");
    EXPECT_EQ(history.steps[2].nested[1].nested[0].kind, StepKind::parallel);
    EXPECT_TRUE(history.steps[2].nested[1].when.negated);
    EXPECT_EQ(history.comments, (std::vector<std::string>{" The end."}));
}

TEST(HistoryText, IsTheSameAsJson) {
    const History history = parse_history(std::string(example)).value();
    EXPECT_EQ(history_from_json(to_json(history)).value(), history);
    EXPECT_EQ(to_json(history_from_json(to_json(history)).value()), to_json(history));
}

TEST(HistoryText, JsonWithWrongNumbersOfLoopsOrNamesIsRefusedAsTextIs) {
    const std::pair<const char*, const char*> rows[] = {
        {R"("kind": "serial", "loops": ["i"], "made": ["x"])", "`serial` makes 0 names, found 1"},
        {R"("kind": "unroll", "loops": ["i"], "made": ["x"], "factor": 4)", "`unroll … by` makes 2 names, found 1"},
        {R"("kind": "split", "loops": ["i"], "factor": 4)", "`split` makes 2 names, found 0"},
        {R"("kind": "fuse", "loops": ["i"], "made": ["f"])", "`fuse` takes 2 loops, found 1"},
    };
    for (const auto& [step, what] : rows) {
        const std::string text = std::string(R"({"steps": [{"func": "Y", "stage": 0, )") + step + "}]}";
        const auto history = history_from_json(nlohmann::ordered_json::parse(text));
        ASSERT_FALSE(history) << text;
        EXPECT_EQ(history.error().what, what);
        EXPECT_NE(history.error().fix, "");
    }
}

TEST(HistoryText, HoldsAllKnobsInOneLineAndReadsThemFromSeveral) {
    const std::string steps = "\nY.0 split i -> o, v by 8 tail guard knob b\n",
                      text = "halogen history 1\nknob a = 1 in 1, 2; b = 8 in 4, 8\n" + steps;
    const History history = parse_history(text).value();
    EXPECT_EQ(history.header.knobs, (std::vector<Knob>{{"a", 1, {1, 2}}, {"b", 8, {4, 8}}}));
    EXPECT_EQ(print(history), text);
    EXPECT_EQ(parse_history("halogen history 1\nknob a = 1 in 1, 2\nknob b = 8 in 4, 8\n" + steps).value(), history);
}

TEST(HistoryText, NeedsNoHeaderAndNoNumbers) {
    const std::string text = "Y.0 split i -> o, v by 8 tail guard\nY.0 vectorize v\n";
    EXPECT_EQ(print(parse_history(text).value()), text);
}

TEST(HistoryText, MayHaveWhiteSpaceAndEmptyLinesThatAreNotKept) {
    EXPECT_EQ(print(parse_history("\nY.0   split i->o,v  by 8   tail guard\r\n\n\nY.0 vectorize v").value()),
              "Y.0 split i -> o, v by 8 tail guard\nY.0 vectorize v\n");
}

struct Bad {
    const char* text;
    int line, column;
    const char* what;
};

TEST(HistoryText, ThatCannotBeReadIsRefusedWithLineAndColumn) {
    const Bad table[] = {
        {"Y.0 splat i", 1, 5, "there is no kind of step `splat`"},
        {"Y.0 split i -> o by 8 tail guard", 1, 33, "`split` makes 2 names, found 1"},
        {"Y.0 split i, j -> o, v by 8 tail guard", 1, 39, "`split` takes 1 loop, found 2"},
        {"Y.0 vectorize i, j by 8 -> o, v tail guard", 1, 43, "`vectorize … by` cuts 1 loop, found 2"},
        {"Y.0 unroll i by 8 -> o tail guard", 1, 34, "`unroll … by` makes 2 names, found 1"},
        {"Y.0 unroll i by 8, 2 -> o, u, v tail guard", 1, 43, "`unroll … by` takes one number"},
        {"Y.0 vectorize i by 8, 2 -> o, v tail guard", 1, 43, "`vectorize … by` makes 3 names, found 2"},
        {"Y_value.0 registers j, i by 8, 2, 6, 4 at Y.i", 1, 46,
         "`registers` of 2 loops has lanes, vectors and 1 extent, found 2"},
        {"Y_value.0 registers j by 8, 2", 1, 30, "`registers` needs a place"},
        {"Y.0 parallel i by 8 -> o, v tail separate", 1, 42, "`parallel … by` has no loop for a separate tail"},
        {"Y.0 split i -> o, v by 8", 1, 25, "expected `tail`, found the end of the line"},
        {"Y.0 split i -> o, v by 8 tail maybe", 1, 31, "unknown tail `maybe`"},
        {"Y.0 split i -> o, v by 8 tail separate", 1, 39, "a separate tail is a third loop, found 2 names"},
        {"S.1 partial i -> P by 8, 4 tail guard", 1, 38, "what `partial` leaves has no tail guard"},
        {"Y.0 vectorize i j", 1, 17, "the step ends here, and more follows"},
        {"Y.0 vectorize i\nY vectorize i", 2, 3, "expected `.`, found `vectorize`"},
        {"Y.0 reorder i", 1, 14, "`reorder` takes 2 loops, found 1"},
        {"Y.0 vectorize i\n  Y.0 unroll j", 2, 3, "this step is indented by 2 spaces, expected are 0"},
        {"0: Y.0 vectorize i", 1, 4, "step numbers count from 1"},
        {"1: Y.0 vectorize i\n1: Y.0 unroll j", 0, 0, "two steps have the number 1"},
        {"Y.0 split i -> o, v by 8 tail guard knob rows", 0, 0,
         "step `Y.0 split i -> o, v by 8 tail guard knob rows`: there is no knob `rows`"},
        {"halogen history 7\n", 1, 18, "this history has format 7, known are 1 and 2"},
        {"halogen history 1\ncolour red\n", 2, 1, "this is no field of a header"},
        {"halogen history 1\nknob a = 1 in 1, 2 b = 1 in 1\n", 2, 20, "the knob ends here, and more follows"},
        {"halogen history 1\nknob a = 3 in 1, 2\n", 2, 19, "knob `a` has the value 3, which is not in its domain"},
        {"Y.0 specialize when N >", 1, 23, "expected `>=`, found `>`"},
        {"Y.0 specialize when stride(X, 0) < stride(Z, 1)", 1, 48,
         "two strides of one tensor are compared, here of `X` and `Z`"},
        {"Y.0 split i -> o, v by 99999999999999999999 tail guard", 1, 24, "a number past 2^62"},
    };
    for (const Bad& row : table) {
        const Error error = error_of(row.text);
        EXPECT_EQ(error.what, row.what) << row.text;
        EXPECT_EQ(error.kind, ErrorKind::syntax) << row.text;
        EXPECT_EQ(error.at, (Position{row.line, row.column})) << row.text;
        EXPECT_NE(error.fix, "") << row.text;
    }
}

TEST(HistoryText, WithAFormulaOfThousandsOfBracketsIsRefused) {
    const Error error = error_of("Y.0 split i -> o, v by " + std::string(100000, '('));
    EXPECT_EQ(error.what, "the formula is nested too deeply");
    EXPECT_EQ(error.at, (Position{1, 224}));  // the 201st bracket, the first of which stands in column 24
}

/// A formula of sums, products, quotients, min and max.
Formula random_formula(test::Dice& dice, int depth) {
    if (depth == 0 || dice.chance(30))
        return dice.chance(50) ? Formula(dice.between(-9, 9)) : Formula::symbol(dice.chance(50) ? "N" : "X.0");
    const Formula a = random_formula(dice, depth - 1), b = random_formula(dice, depth - 1);
    switch (dice.between(0, 6)) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return floor_div(a, Formula(dice.between(1, 9)));
    case 4: return remainder(a, Formula::symbol("N"));
    case 5: return min(a, b);
    default: return max(a, b);
    }
}

TEST(HistoryText, OfRandomFormulasIsReadBack) {
    test::Dice dice(test::seed_of_run());
    for (int i = 0; i < 2000; i++) {
        const std::string text = print(random_formula(dice, 4));
        TextCursor cursor(text, 1);
        EXPECT_EQ(print(parse_formula(cursor)), text);
        EXPECT_TRUE(cursor.at_end()) << text;
    }
}

TEST(HistoryText, OfRandomBytesNeverDoesMoreThanComplain) {
    test::Dice dice(test::seed_of_run());
    for (int i = 0; i < 3000; i++) {
        std::string text = std::string(example);
        for (int k = dice.between(1, 4); k > 0; k--) {
            const std::size_t at = dice.between(0, static_cast<int>(text.size()) - 1);
            if (dice.chance(50))
                text[at] = static_cast<char>(dice.between(1, 126));
            else
                text.erase(at, dice.between(1, 20));
        }
        const auto history = parse_history(text);
        if (!history) continue;
        EXPECT_EQ(parse_history(print(history.value())).value(), history.value()) << text;
    }
}

TEST(Kinds, HaveARowEachAndNamesThatDiffer) {
    std::set<std::string_view> names;
    for (const KindRow& row : kind_rows()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
    for (int kind = 0; kind <= static_cast<int>(StepKind::cache_writes); kind++)
        EXPECT_EQ(kind_row(static_cast<StepKind>(kind)).kind, static_cast<StepKind>(kind)) << kind;
    EXPECT_EQ(kind_rows().size(), static_cast<std::size_t>(StepKind::cache_writes) + 1);
}

TEST(Kinds, AreListedInTheGuideWithTheirHalideCalls) {
    std::ifstream file(HALOGEN_TEST_DATA "/../../docs/schedule-steps.md");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_THAT(text.str(), testing::HasSubstr(print_kind_table()));
}

TEST(Replay, OfAPrefixKeepsTheFirstStepsOfTheText) {
    const History history = parse_history(std::string(example)).value();
    EXPECT_EQ(count_steps(history), 16);
    EXPECT_EQ(count_steps(prefix(history, 5)), 5);
    EXPECT_THAT(print(prefix(history, 5)), testing::HasSubstr("5: C.0 specialize"));
    EXPECT_THAT(print(prefix(history, 5)), testing::Not(testing::HasSubstr("parallel")));
    EXPECT_EQ(prefix(history, 16), history);
    EXPECT_EQ(prefix(history, 0).steps, std::vector<Step>{});
}

TEST(Replay, WithOtherKnobValuesChangesTheStepsThatFollowThem) {
    const History history = parse_history(std::string(example)).value();
    EXPECT_EQ(with_knobs(history, {{"rows", 8}}).value().steps[0].factor, Formula(8));
    EXPECT_EQ(with_knobs(history, {{"rows", 5}}).error().what, "knob `rows` cannot be 5");
    EXPECT_EQ(with_knobs(history, {{"rows", 5}}).error().fix, "choose among 4, 6, 8");
    EXPECT_EQ(with_knobs(history, {{"lanes", 8}}).error().what, "the history has no knob `lanes`");
}

History steps(const std::string& text) { return parse_history(text).value(); }

TEST(Diff, OfEqualHistoriesIsEmpty) {
    EXPECT_TRUE(diff(steps(std::string(example)), steps(std::string(example))).empty());
}

TEST(Diff, TellsAStepOrderThatMatters) {
    const History a = steps("Y.0 split x -> o, i by 4 tail guard\nY.0 specialize when N >= 8\n");
    const History b = steps("Y.0 specialize when N >= 8\nY.0 split x -> o, i by 4 tail guard\n");
    ASSERT_EQ(diff(a, b).size(), 1U);
    EXPECT_EQ(diff(a, b)[0].kind, StepChange::Kind::moved);
    EXPECT_NE(normal_form(a), normal_form(b));
}

TEST(Diff, DoesNotTellStepsThatMovedPastOthersTheyCommuteWith) {
    const History a = steps("Y.0 vectorize x\nZ.0 unroll x\n"), b = steps("Z.0 unroll x\nY.0 vectorize x\n");
    EXPECT_TRUE(diff(a, b).empty());
    EXPECT_EQ(normal_form(a), normal_form(b));
}

TEST(Diff, MatchesChangedStepsByTheirNumber) {
    EXPECT_EQ(print(diff(steps("1: Y.0 split x -> o, i by 4 tail guard\n2: Y.0 vectorize i\n"),
                         steps("1: Y.0 split x -> o, i by 8 tail guard\n3: Y.0 unroll i\n"))),
              "~ 1: Y.0 split x -> o, i by 4 tail guard => 1: Y.0 split x -> o, i by 8 tail guard\n"
              "- 2: Y.0 vectorize i\n"
              "+ 3: Y.0 unroll i\n");
}

TEST(NormalForm, DropsSwapsThatUndoEachOtherAndSettersThatAreOverwritten) {
    EXPECT_TRUE(normal_form(steps("Y.0 reorder i, j\nY.0 reorder j, i\n")).steps.empty());
    EXPECT_EQ(normal_form(steps("P.0 compute_root\nY.0 vectorize x\nP.0 compute_at Y.y\n")),
              normal_form(steps("P.0 compute_at Y.y\nY.0 vectorize x\n")));
}

}  // namespace
}  // namespace halogen
