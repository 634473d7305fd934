// The parts of the tuner: the model learns, the search is the same for the same seed and times, it goes on after a stop, and
// nothing wrong is accepted.

#include "schedules/tune/tune.h"
#include "generators/run/builtin.h"
#include "generators/run/child.h"
#include "generators/run/executor.h"
#include "generators/run/trial_sizes.h"
#include "generators/run/tune_bench.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/recipes/recipe.h"
#include "schedules/records/record.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace halogen {
namespace {

using testing::HasSubstr;

/// A history of two decisions; its step is another for each pair of them.
History two_knobs(const KnobValues& knobs) {
    const auto value = [&](const char* name) { return knobs.count(name) ? knobs.at(name) : 4; };
    const std::int64_t a = value("a"), b = value("b");
    History h = parse_history(
                    "halogen history 1\nknob a = 4 in 1, 2, 4, 8, 16\nknob b = 4 in 1, 2, 4, 8, 16\n\n"
                    "Y.0 tile i, j -> io, jo, ii, ji by 4, 4 tail guard\n")
                    .value();
    h.header.knobs[0].value = a;
    h.header.knobs[1].value = b;
    h.steps[0].factor = a;
    h.steps[0].second = b;
    return h;
}

/// A time with one valley, at a = 8, b = 2.
double valley(const History& h) {
    const double a = std::log2(static_cast<double>(h.header.knobs[0].value)) - 3,
                 b = std::log2(static_cast<double>(h.header.knobs[1].value)) - 1;
    return 1000 * std::exp(0.3 * (a * a + b * b));
}

class FakeBench : public Workbench {
public:
    TrialOutcome measure(const History& h, double) override {
        measured.push_back(print(h.steps[0]));
        if (measured.back().find(refused) != std::string::npos) return {0, "it does not compile"};
        return {valley(h), ""};
    }
    std::string verify(const History& h) override {
        verified.push_back(print(h.steps[0]));
        return verified.back().find(wrong) != std::string::npos ? "Y[0] is 1, but the interpreter gives 2" : "";
    }
    std::vector<std::string> measured, verified;
    std::string wrong = "none", refused = "none";
};

class Tune : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("halogen-tune-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    /// Until `most` candidates were measured by this call.
    Tuned run(FakeBench& bench, const std::string& journal, int most, std::uint64_t seed = 1) {
        Journal file(path(journal), {{"seed", std::to_string(seed)}});
        const std::size_t before = bench.measured.size();
        return tune(
            two_knobs, seed, bench, file, [&] { return static_cast<int>(bench.measured.size() - before) >= most; },
            [](const SearchProgress&) {});
    }

    static std::string contents(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    std::filesystem::path folder_;
};

TEST_F(Tune, FindsTheLowestPlaceOfAValley) {
    FakeBench bench;
    const Tuned tuned = run(bench, "j", 14);
    EXPECT_TRUE(tuned.found);
    EXPECT_EQ(tuned.tried, 14);
    EXPECT_EQ(tuned.best.knobs, (KnobValues{{"a", 8}, {"b", 2}}));
    EXPECT_EQ(tuned.best_ns, 1000);
    EXPECT_NEAR(tuned.first_ns, 1000 * std::exp(0.6), 0.1);
    EXPECT_EQ(bench.measured[0], "Y.0 tile i, j -> io, jo, ii, ji by 4, 4 tail guard");
}

TEST_F(Tune, TriesTheSameCandidatesInTheSameOrderForTheSameSeed) {
    FakeBench one, again, other;
    run(one, "one", 20);
    run(again, "again", 20);
    run(other, "other", 20, 2);
    EXPECT_EQ(one.measured, again.measured);
    EXPECT_EQ(contents(path("one")), contents(path("again")));
    EXPECT_NE(one.measured, other.measured);
}

TEST_F(Tune, GoesOnAfterAStopAsIfThereHadBeenNone) {
    FakeBench whole, parts;
    run(whole, "whole", 20);
    run(parts, "parts", 7);
    run(parts, "parts", 1);
    std::ofstream(path("parts"), std::ios::app) << "a=1 b=1";  // cut off while it was written
    const Tuned tuned = run(parts, "parts", 12);
    EXPECT_EQ(parts.measured, whole.measured);
    EXPECT_EQ(contents(path("parts")), contents(path("whole")));
    EXPECT_EQ(tuned.best.knobs, (KnobValues{{"a", 8}, {"b", 2}}));
}

TEST_F(Tune, EndsWhenEveryCandidateWasTriedOnce) {
    FakeBench bench;
    const Tuned tuned = run(bench, "j", 1000);
    EXPECT_TRUE(tuned.exhausted);
    EXPECT_EQ(tuned.tried,
              static_cast<int>(std::set<std::string>(bench.measured.begin(), bench.measured.end()).size()));
    EXPECT_GE(tuned.tried, 20);
}

TEST_F(Tune, RefusesTheFastestWhenItsValuesAreWrong) {
    FakeBench bench;
    bench.wrong = "by 8, 2 ";
    bench.refused = "by 8, 4 ";
    const Tuned tuned = run(bench, "j", 1000);
    EXPECT_NE(tuned.best.knobs, (KnobValues{{"a", 8}, {"b", 2}}));
    EXPECT_GT(tuned.best_ns, 1000);
    EXPECT_THAT(contents(path("j")),
                HasSubstr("\na=8 b=2 : refused wrong values: Y[0] is 1, but the interpreter gives 2\n"));
    EXPECT_THAT(contents(path("j")), HasSubstr("\na=8 b=4 : refused it does not compile\n"));
    EXPECT_EQ(std::count(bench.verified.begin(), bench.verified.end(), print(tuned.best.history.steps[0])), 1);
}

TEST_F(Tune, RefusesTheJournalOfAnotherSearch) {
    FakeBench bench;
    run(bench, "j", 3);
    try {
        run(bench, "j", 3, 2);
        FAIL();
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().what,
                  "`" + path("j") + "` is the journal of another search: it has `seed 1` where this one has `seed 2`");
        EXPECT_EQ(failure.error().fix, "remove it to begin anew, or keep records elsewhere with --records");
    }
}

TEST(Journal, EntriesAreTheSameWhenReadBack) {
    for (const JournalEntry& entry :
         {JournalEntry{{{"C_rows", 8}, {"b", -1}}, {1234.5, ""}}, JournalEntry{{}, {0.1, ""}},
          JournalEntry{{{"a", 2}}, {0, "it crashed: Segmentation fault"}}})
        EXPECT_EQ(parse_journal_entry(print(entry), 1), entry) << print(entry);
    EXPECT_THROW(parse_journal_entry("a=x : 3 ns", 7), Failure);
    EXPECT_THROW(parse_journal_entry("a=1 : soon", 7), Failure);
}

TEST(CostModel, LearnsFromMeasurementsWhatItHasNotSeen) {
    CostModel model;
    EXPECT_EQ(model.predict(features_of(two_knobs({}))), 1);
    std::vector<KnobValues> rest;
    int n = 0;
    for (const std::int64_t a : {1, 2, 4, 8, 16})
        for (const std::int64_t b : {1, 2, 4, 8, 16}) {
            const KnobValues knobs{{"a", a}, {"b", b}};
            if (n++ % 3)
                model.add(features_of(two_knobs(knobs)), valley(two_knobs(knobs)));
            else
                rest.push_back(knobs);
        }
    double error = 0, spread = 0;
    double middle = 0;
    for (const KnobValues& knobs : rest)
        middle += std::log(valley(two_knobs(knobs))) / static_cast<double>(rest.size());
    for (const KnobValues& knobs : rest) {
        const double truth = std::log(valley(two_knobs(knobs)));
        error += std::abs(std::log(model.predict(features_of(two_knobs(knobs)))) - truth);
        spread += std::abs(middle - truth);
    }
    EXPECT_LT(error, 0.4 * spread);
}

TEST(Child, AnswersFailsCrashesAndIsEnded) {
    EXPECT_EQ(in_child([] { return std::string("seven"); }, 60).text, "seven");
    const Answer failed =
        in_child([]() -> std::string { throw Failure({ErrorKind::schedule, "no such loop", {}, {}, ""}); }, 60);
    EXPECT_FALSE(failed.done);
    EXPECT_EQ(failed.text, "no such loop");
    EXPECT_EQ(in_child(
                  []() -> std::string {
                      std::raise(SIGKILL);
                      return "";
                  },
                  60)
                  .text,
              "it crashed: Killed");
    EXPECT_EQ(in_child(
                  []() -> std::string {
                      pause();
                      return "";
                  },
                  0.2)
                  .text,
              "it took more than 0.2 s");
}

/// A product of matrices with its sizes, on the leg every machine has.
struct Product {
    Kernel kernel = parse(std::string(find_builtin("matmul")->text)).value().kernels.front();
    Solution open = solve_open(kernel);
    const Leg& leg = *find_leg("sse41");
    Options options;
    Product() { options.set = {"M=40", "N=33", "K=20"}; }
};

TEST(TuneBench, TimesAndVerifiesTheRecipe) {
    const Product product;
    TuneBench bench(product.kernel, product.leg, product.options);
    const History history = recipe(product.kernel, product.open, machine_of(product.leg));
    const TrialOutcome outcome = bench.measure(history, 0);
    EXPECT_EQ(outcome.refused, "");
    EXPECT_GT(outcome.ns, 0);
    EXPECT_EQ(bench.verify(history), "");
    EXPECT_EQ(bench.compare({history, history}).size(), 2u);
    EXPECT_EQ(bench.sizes().at("M"), 40);
}

TEST(TuneBench, RefusesAHistoryThatComputesSomethingElse) {
    const Product product;
    TuneBench bench(product.kernel, product.leg, product.options);
    // Whole tiles of 8 rows are written, past the end of C.
    const History wrong = parse_history("C.0 split i -> io, ii by 8 tail round_up\nC.0 unroll ii\n").value();
    EXPECT_THAT(bench.verify(wrong), testing::AnyOf(HasSubstr(" but the interpreter gives "), HasSubstr("stopped")));
    EXPECT_THAT(bench.measure(parse_history("C.0 vectorize q\n").value(), 0).refused,
                HasSubstr("there is no loop `q`"));
}

TEST(Trials, MeetEmptySingleAndRaggedSizesAndOneForThreads) {
    Product product;
    product.options.set = {"M=400", "N=330", "K=200"};
    const History history = recipe(product.kernel, product.open, machine_of(product.leg));
    const std::vector<Trial> made = trials(product.kernel, product.options, {"M", "N", "K"}, history);
    ASSERT_GT(made.size(), 10u);
    const auto extent = [](const Trial& t, const char* tensor, int d) { return t.data.inputs.at(tensor).extents()[d]; };
    EXPECT_TRUE(std::any_of(made.begin(), made.end(), [&](const Trial& t) { return extent(t, "A", 0) == 0; }));
    EXPECT_TRUE(std::any_of(made.begin(), made.end(), [&](const Trial& t) { return extent(t, "A", 0) % 4 == 1; }));
    EXPECT_TRUE(std::any_of(made.begin(), made.end(), [&](const Trial& t) {
        return t.data.inputs.at("A").rank() == 2 && t.data.inputs.at("A").strides()[0] < 0;
    }));
    const Trial& large = made.back();
    EXPECT_GE(extent(large, "A", 0) * extent(large, "A", 1) * extent(large, "B", 1), 1 << 17);
}

Record example_record() {
    Record r;
    const Product product;
    r.program = history_key(product.kernel);
    r.leg = "sse41";
    r.machine = "A machine, 2 processors";
    r.sizes = {{"K", 20}, {"M", 40}};
    r.threads = 2;
    r.seed = 7;
    r.tried = 12;
    r.recipe_ns = 1234.5;
    r.best_ns = 1000;
    r.kernel = print(product.kernel);
    r.history = titled(recipe(product.kernel, product.open, machine_of(product.leg), {{"C_rows", 2}}), product.kernel,
                       product.leg);
    return r;
}

TEST(Record, IsTheSameWhenReadBack) {
    const Record record = example_record();
    const std::string text = print(record);
    EXPECT_THAT(text,
                testing::StartsWith("halogen record 1\nprogram " + record.program +
                                    "\nleg sse41\nmachine A machine, 2 processors\nsizes K=20 M=40\nthreads 2\n"
                                    "seed 7\ntried 12\nrecipe_ns 1234.5\nbest_ns 1000\nkernel\n  kernel matmul("));
    EXPECT_THAT(text, HasSubstr("\n\nhalogen history 1\nkernel matmul\n"));
    EXPECT_EQ(parse_record(text).value(), record);
    EXPECT_EQ(print(parse_record(text).value()), text);
    EXPECT_EQ(file_name(record), "matmul-sse41-K=20-M=40.txt");
}

TEST(Record, TellsWhatIsWrongWithItsText) {
    std::string text = print(example_record());
    EXPECT_EQ(parse_record("halogen histories").error().what, "this is no record");
    const Error missing = parse_record(text.substr(0, text.find("threads"))).error();
    EXPECT_EQ(missing.what, "the field `threads` is missing");
    EXPECT_EQ(missing.at.line, 6);
    text.replace(text.find("seed 7"), 6, "seed x");
    EXPECT_EQ(parse_record(text).error().what, "`x` is no number");
    EXPECT_EQ(parse_record(text).error().fix, "write it as `halogen tune` does");
}

TEST(Record, IsFoundForTheSameEquationsOnTheSameLegUnderOtherNames) {
    const std::vector<Record> records = {example_record()};
    const Kernel other = parse("kernel mm(P: f32[U, V], Q: f32[V, W]) -> R: f32[U, W] { R[a, b] += P[a, c] * Q[c, b] }")
                             .value()
                             .kernels.at(0);
    const auto history = recorded_history(records, other, {}, *find_leg("sse41"));
    ASSERT_TRUE(history);
    EXPECT_THAT(print(*history), HasSubstr(" R.0 "));
    EXPECT_EQ(history->steps.size(), records[0].history.steps.size());
    EXPECT_FALSE(recorded_history(records, other, {}, *find_leg("avx2")));
    const Kernel product = Product().kernel;
    EXPECT_TRUE(recorded_history(records, product, {}, *find_leg("sse41"), {{"M", 40}, {"N", 5}}));
    EXPECT_FALSE(recorded_history(records, product, {}, *find_leg("sse41"), {{"M", 41}}));
}

TEST(Record, EveryBuiltInOneBindsToItsKernel) {
    for (const Record& record : builtin_records()) {
        const Kernel kernel = parse(record.kernel).value().kernels.at(0);
        EXPECT_EQ(history_key(kernel), record.program);
        ASSERT_NE(find_leg(record.leg), nullptr);
        const Executor executor(kernel, *find_leg("sse41"), {}, &record.history);
    }
}

}  // namespace
}  // namespace halogen
