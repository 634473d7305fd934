// The shared loop-nest cases: values by interpreting the transformed shadow nest, structure on the nest itself.

#include "tests/schedule/loopnest_case.h"
#include "tests/schedule/nest_fuzz.h"
#include "tests/schedule/nest_queries.h"

#include "frontend/solve/solve.h"
#include "schedules/history/diff.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/nest/build.h"
#include "schedules/nest/conflicts.h"
#include "schedules/nest/effect.h"
#include "schedules/nest/print.h"
#include "schedules/nest/regions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <regex>
#include <set>
#include <thread>

namespace halogen::loopnest {
namespace {

/// Text equality is nest equality.
void expect_unchanged(const Nest& before, const Nest& after) { EXPECT_EQ(print(before), print(after)); }

/// The outputs are the interpreter's, and what the case says.
void expect_outputs(const Setting& s, const Nest& nest, const Json& expected) {
    const auto outcome = run_nest(nest, {}, s.inputs);
    ASSERT_TRUE(outcome) << outcome.error().what << "\n" << print(nest);
    const Tensors reference = s.expected();
    for (const auto& [name, tensor] : outcome.value().outputs) {
        EXPECT_TRUE(std::ranges::equal(tensor.storage(), reference.at(name).storage())) << name << "\n" << print(nest);
        if (expected.contains(name)) expect_values(tensor, expected.at(name), name);
        if (expected.contains("values")) expect_values(tensor, expected.at("values"), name);
    }
}

/// The histories of a case, each an array of steps.
std::vector<Json> variants_of(const Json& inputs) {
    std::vector<Json> variants;
    const auto as_list = [](const Json& steps) { return steps.is_array() ? steps : Json::array({steps}); };
    if (inputs.contains("history_variants")) {
        for (const Json& variant : inputs["history_variants"])
            variants.push_back(variant.is_object() && variant.contains("variants") ? variant["variants"]
                                                                                   : as_list(variant));
        return variants;
    }
    if (!inputs.contains("history")) return {Json::array()};
    const Json history = as_list(inputs["history"]);
    if (history.size() == 1 && history[0].is_object() && history[0].contains("variants")) {
        for (const Json& step : history[0]["variants"]) variants.push_back(Json::array({step}));
        return variants;
    }
    // "separate | guard" stands for one history of each.
    std::vector<Json> open{Json::array()};
    for (const Json& step : history) {
        std::vector<Json> next;
        for (const Json& before : open) {
            const std::string tail = step.is_object() && step.contains("tail") ? step["tail"].get<std::string>() : "";
            const bool either = tail.find('|') != std::string::npos;
            for (const std::string& word :
                 either ? std::vector<std::string>{"separate", "guard"} : std::vector<std::string>{tail}) {
                Json changed = step;
                if (either) changed["tail"] = word;
                Json steps = before;
                steps.push_back(changed);
                next.push_back(steps);
            }
        }
        open = next;
    }
    return open;
}

int count_guards(const Nest& nest) {
    std::size_t most = 0;
    each_statement(nest, [&](const NestPath&, const NestStatement& s) { most = std::max(most, s.guards.size()); });
    return static_cast<int>(most);
}

std::vector<std::pair<std::int64_t, std::int64_t>> pairs_of(const std::vector<Range>& ranges,
                                                            const std::string& name = "") {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const Range& r : ranges)
        if (name.empty() || r.name == name) pairs.emplace_back(r.begin, r.end);
    return pairs;
}

std::vector<std::pair<std::int64_t, std::int64_t>> pairs_in(const Json& json) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const Json& pair : json) pairs.emplace_back(pair[0], pair[1]);
    return pairs;
}

std::optional<std::int64_t> extent_of(const Nest& nest, const std::string& loop) {
    for (const Range& r : ranges_of(nest.body))
        if (r.name == loop) return r.end - r.begin;
    return std::nullopt;
}

void expect_extent(const Nest& nest, const std::string& loop, const Json& expected) {
    if (expected.is_null())
        EXPECT_EQ(extent_of(nest, loop), std::nullopt) << loop;
    else
        EXPECT_EQ(extent_of(nest, loop), expected.get<std::int64_t>()) << loop << "\n" << print(nest);
}

void expect_structure(const Nest& nest, const Json& structure, const std::string& loop) {
    if (structure.contains("outer")) expect_extent(nest, loop + "o", structure["outer"]);
    if (structure.contains("inner")) expect_extent(nest, loop + "i", structure["inner"]);
    if (structure.contains("tail")) expect_extent(nest, loop + "t", structure["tail"]);
    if (structure.contains("guards")) {
        EXPECT_EQ(count_guards(nest), structure["guards"].get<int>());
    }
    if (structure.contains("order")) {
        std::vector<std::string> names;
        std::vector<std::int64_t> extents;
        for (const Range& r : ranges_of(nest.body)) {
            names.push_back(r.name);
            extents.push_back(r.end - r.begin);
        }
        EXPECT_EQ(Json(names), structure["order"]);
        EXPECT_EQ(Json(extents), structure["extents"]);
    }
    for (const char* name : {"x", "y"})
        if (structure.contains(name)) expect_structure(nest, structure[name], name);
}

std::vector<std::int64_t> storage_extents(const Nest& nest, const std::string& tensor) {
    std::vector<std::int64_t> extents;
    for (const Formula& e : nest.storage.at(tensor).extents) extents.push_back(e.constant().value_or(-1));
    return extents;
}

/// Cases written with equations: every history, the values, the facts about structure.
void check_equations(const Json& c) {
    const Json &inputs = c["inputs"], &expected = c["expected"];
    const Setting s = make(parts_of(inputs));
    for (const Json& history : variants_of(inputs)) {
        SCOPED_TRACE(history.dump());
        const auto nest = play_all(s.nest(), history);
        ASSERT_TRUE(nest) << nest.error().what;
        expect_outputs(s, nest.value(), expected);
        std::string loop;
        for (const Json& step : history)
            if (step.is_object() && step.contains("loop")) loop = step["loop"];
        if (expected.contains("structure")) expect_structure(nest.value(), expected["structure"], loop);
        if (expected.contains("top_level_extents_after_simplify")) {
            std::vector<std::int64_t> extents;
            for (const Range& r : ranges_of(nest.value().body)) {
                if (r.end - r.begin == 1) continue;  // one trip: it vanishes
                const bool outer = extents.empty() || r.name.back() != 'i';
                if (outer) extents.push_back(r.end - r.begin);
            }
            EXPECT_EQ(Json(extents), expected["top_level_extents_after_simplify"]);
        }
        if (expected.contains("cache_shape")) {
            EXPECT_EQ(Json(storage_extents(nest.value(), "A_cache")), expected["cache_shape"]);
        }
        if (expected.contains("partial_shape")) {
            EXPECT_EQ(Json(storage_extents(nest.value(), "Partial")), expected["partial_shape"]);
        }
        if (expected.contains("tail") && expected["tail"].is_object()) {
            EXPECT_EQ(extent_of(nest.value(), loop + "t"), expected["tail"]["extent"].get<std::int64_t>());
        }
    }
}

/// A producer that reads past its reader's range: its size is what the reader needs.
void check_compute_at(const Json& c) {
    const Json &inputs = c["inputs"], &expected = c["expected"];
    Parts parts = parts_of(inputs);
    parts.ranges.clear();
    parts.equations[0] += " where y in 0:17, x in 0:17";
    parts.equations[1] += " where y in 0:16, x in 0:16";
    const Setting s = make(parts);
    const auto nest = play_all(s.nest(), inputs["history"]);
    ASSERT_TRUE(nest) << nest.error().what;
    expect_outputs(s, nest.value(), expected);
    EXPECT_EQ(Json(storage_extents(nest.value(), "P")), expected["region_of_P_per_iteration"]);
}

/// A single loop: `A[x] = 3*x + 1` unless the case says more.
Setting one_loop(const Json& inputs, std::int64_t end_or = -1) {
    std::smatch m;
    const std::string loop = inputs.at("loop");
    EXPECT_TRUE(std::regex_match(loop, m, std::regex(R"(x in \[([^,]+),([^)]+)\))")));
    const std::string body =
        inputs.contains("body") && inputs["body"].is_string() ? inputs["body"].get<std::string>() : "A[x] = 3*x + 1";
    Parts parts;
    const std::string end = end_or < 0 ? m[2].str() : std::to_string(end_or);
    parts.equations = {body + " where x in " + m[1].str() + ":" + end};
    if (inputs.contains("body") && inputs["body"].is_array()) {
        parts.equations.clear();
        for (const Json& line : inputs["body"]) {
            parts.equations.push_back(line.get<std::string>() + " where x in " + m[1].str() + ":" + end);
            parts.outputs.push_back(line.get<std::string>().substr(0, 1));
        }
    }
    parts.dims["A"] = "[" + end + "]";
    return make(parts);
}

/// The nest of a plain loop, without the start that fills places before a first index above 0.
Nest without_starts(Nest nest) {
    std::erase_if(nest.body, [](const NestNode& node) {
        std::vector<NestNode> one{node};
        bool start = false;
        each_statement(one, [&](NestStatement& s) { start = start || s.start; });
        return start;
    });
    return nest;
}

void check_slices(const Json& c) {
    const Json &inputs = c["inputs"], &expected = c["expected"];
    if (inputs.contains("D")) {
        // Symbolic: one nest, whose bounds clamp for every size.
        Kernel kernel = parse("kernel k(X: f32[D]) -> A: f32 { A[x] = X[x] }").value().kernels[0];
        const auto nest = play_all(build_nest(kernel, solve(kernel).value()), inputs["history"]);
        ASSERT_TRUE(nest) << nest.error().what;
        for (const auto& [d, ranges] : expected["ranges_by_D"].items()) {
            HostTensor x(Type::f32, {std::stoll(d)});
            for (std::int64_t i = 0; i < x.elements(); i++) x.set_real(i, static_cast<double>(i + 1));
            const auto outcome = run_nest(nest.value(), {{"D", std::stoll(d)}}, {{"X", x}});
            ASSERT_TRUE(outcome) << outcome.error().what;
            EXPECT_TRUE(std::ranges::equal(outcome.value().outputs.at("A").storage(), x.storage()));
            EXPECT_EQ(outcome.value().executions, x.elements());
            EXPECT_EQ(pairs_of(ranges_of(nest.value().body, {{"D", std::stoll(d)}})), pairs_in(ranges)) << d;
        }
        return;
    }
    const Setting s = one_loop(inputs);
    for (const Json& history : variants_of(inputs)) {
        SCOPED_TRACE(history.dump());
        const auto nest = play_all(s.nest(), history);
        ASSERT_TRUE(nest) << nest.error().what;
        expect_outputs(s, nest.value(), {});
        if (expected.contains("top_level_ranges_in_order")) {
            EXPECT_EQ(pairs_of(ranges_of(nest.value().body)), pairs_in(expected["top_level_ranges_in_order"]));
        }
        if (expected.contains("ranges")) {
            const Json& ranges = expected["ranges"];
            std::vector<std::pair<std::int64_t, std::int64_t>> outer, inner;
            for (const NestNode& node : nest.value().body)
                if (node.loop()->body.size() > 1) {
                    outer.push_back(pairs_of(ranges_of({node}))[0]);
                    inner = pairs_of(ranges_of(node.loop()->body));
                    EXPECT_EQ(inner, pairs_in(ranges["inner_under_each_outer"]));
                }
            // The outer head keeps its two iterations; what is left of it follows.
            EXPECT_EQ(outer, pairs_in(ranges["outer"]));
            EXPECT_EQ(pairs_of(ranges_of(nest.value().body), "xt"), pairs_in(ranges["tail"]));
        }
    }
}

void check_marks(const Json& c) {
    const Setting s = one_loop(c["inputs"]);
    const auto nest = play_all(s.nest(), c["inputs"]["history"]);
    ASSERT_TRUE(nest) << nest.error().what;
    expect_outputs(s, nest.value(), {});
    each_statement(nest.value(), [&](const NestPath& path, const NestStatement&) {
        for (const NestLoop* loop : path)
            if (c["expected"].contains(loop->name)) {
                EXPECT_EQ(to_string(loop->mark), c["expected"][loop->name].get<std::string>());
            }
    });
}

void check_unroll(const Json& c) {
    const Json &inputs = c["inputs"], &expected = c["expected"];
    if (inputs.contains("factors")) {
        const Setting s = one_loop(inputs);
        for (const Json& factor : inputs["factors"]) {
            if (factor.get<int>() == 1) continue;  // a split by 1 is one loop more, and the same iterations
            const Nest before = s.nest();
            const auto nest = play(before, Json{{"op", "split"}, {"loop", "x"}, {"factor", factor}});
            ASSERT_FALSE(nest);
            EXPECT_THAT(nest.error().what, testing::HasSubstr("must be at least 1"));
            expect_unchanged(before, s.nest());
        }
        return;
    }
    if (expected.contains("statements")) {
        Kernel kernel = parse("kernel k() -> A: f32[5] { A[x] = 2*x where x in 5:5 }").value().kernels[0];
        const auto nest = play(build_nest(kernel, solve(kernel).value()), Json{{"op", "unroll"}, {"loop", "x"}});
        ASSERT_TRUE(nest) << nest.error().what;
        EXPECT_TRUE(without_starts(nest.value()).body.empty());
        return;
    }
    Setting s = one_loop(inputs);
    Nest nest = s.nest();
    if (inputs["body"].is_array()) {
        Step step{StepKind::fuse_siblings, "A", 0, {"x"}, {"x"}};
        step.at_func = "B";
        step.at_loop = "x";
        nest = apply_to_nest(nest, step).value();
    }
    const auto after = play(nest, Json{{"op", "unroll"}, {"loop", "x"}});
    ASSERT_TRUE(after) << after.error().what;
    expect_outputs(s, after.value(), expected);
    EXPECT_TRUE(ranges_of(without_starts(after.value()).body).empty());
    if (expected.contains("statement_order")) {
        std::string order;
        each_statement(after.value(), [&](const NestPath&, const NestStatement& st) {
            order += (order.empty() ? "" : " ") + st.func + print(st.at.at("x"));
        });
        EXPECT_EQ(order, expected["statement_order"].get<std::string>());
    }
}

void check_vectorize(const Json& c) {
    const Json &inputs = c["inputs"], &expected = c["expected"];
    const Setting s = make(parts_of(inputs));
    if (inputs.contains("attempts")) {
        const auto refused = play(s.nest(), Json(inputs["attempts"][0])),
                   taken = play(s.nest(), Json(inputs["attempts"][1]));
        ASSERT_FALSE(refused);
        EXPECT_THAT(refused.error().what, testing::HasSubstr("depend on each other"));
        ASSERT_TRUE(taken) << taken.error().what;
        expect_outputs(s, taken.value(), expected);
        return;
    }
    const auto nest = play_all(s.nest(), inputs["history"]);
    ASSERT_TRUE(nest) << nest.error().what;
    expect_outputs(s, nest.value(), expected);
    if (!expected.contains("lanes")) return;
    int serial = 0, lanes = 0;
    each_statement(nest.value(), [&](const NestPath& path, const NestStatement&) {
        for (const NestLoop* loop : path)
            (loop->mark == LoopMark::vectorized ? lanes : serial) +=
                loop->mark == LoopMark::vectorized ? static_cast<int>(*loop->extent.constant()) : 1;
    });
    EXPECT_EQ(serial, expected["loops_left"].get<int>());
    EXPECT_EQ(lanes, expected["lanes"].get<int>());
}

struct Case {
    const Json* json;
};
void PrintTo(const Case& c, std::ostream* out) { *out << (*c.json)["name"]; }

using Handler = void (*)(const Json&);
#include "tests/schedule/loopnest_orders.inc"
#include "tests/schedule/loopnest_pipeline.inc"
#include "tests/schedule/loopnest_queries.inc"
#include "tests/schedule/loopnest_reductions.inc"

class LoopNest : public testing::TestWithParam<Case> {};

TEST_P(LoopNest, CaseHolds) {
    const Json& c = *GetParam().json;
    const Handler handler = handler_of(c);
    ASSERT_NE(handler, nullptr) << "no reading for " << c["name"];
    try {
        handler(c);
    } catch (const Failure& failure) {
        FAIL() << failure.error().what << "\n" << failure.error().equation;
    }
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const Json& c : all_cases()) all.push_back({&c});
    return all;
}

INSTANTIATE_TEST_SUITE_P(Shared, LoopNest, testing::ValuesIn(cases()), [](const auto& test) {
    std::string name = (*test.param.json)["name"];
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
});

}  // namespace
}  // namespace halogen::loopnest
