// The shared constraint systems (tests/data/symbolic.json): answers, kinds of errors, conflicts, keys; the same under any
// order of relations and tensors and under other names.

#include "generators/emit/system_json.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <set>

namespace halogen {
namespace {

using json = nlohmann::json;

const json& cases() {
    static const json all = json::parse(std::ifstream(HALOGEN_TEST_DATA "/symbolic.json"))["cases"];
    return all;
}

std::set<std::string> names_in(const json& list) {
    return list.is_array() ? list.get<std::set<std::string>>() : std::set<std::string>{};
}

json without_zeros(const json& access) {
    json strides = json::object();
    for (const auto& [index, stride] : access["strides"].items()) {
        if (stride != 0) strides[index] = stride;
    }
    return {{"offset", access["offset"]}, {"strides", strides}};
}

/// A conflict is right when it has no solution and dropping any one of its names leaves one.
void expect_least_conflict(json c, const std::vector<std::string>& conflict) {
    c.erase("expect");
    c.erase("choose");
    const auto fails = [&](const std::set<std::string>& kept) {
        json some = c;
        some["known"] = json::object();
        for (const auto& n : kept) some["known"][n] = c["known"][n];
        const json answer = solve_system(some)[0];
        return answer["status"] == "error" && answer["error"] != "underdetermined";
    };
    const std::set<std::string> all(conflict.begin(), conflict.end());
    EXPECT_TRUE(fails(all)) << c["name"];
    for (const auto& n : conflict) {
        auto fewer = all;
        fewer.erase(n);
        EXPECT_FALSE(fails(fewer)) << c["name"] << " without " << n;
    }
}

void compare(const json& c, const json& answer) {
    const json& expect = c["expect"];
    const std::string about = c["name"].get<std::string>() + ": " + answer.dump();
    for (const char* key : {"status", "error", "sizes", "range", "resolved", "ranges", "cells", "points"}) {
        if (expect.contains(key)) {
            ASSERT_TRUE(answer.contains(key) && answer[key] == expect[key]) << key << " of " << about;
        }
    }
    if (expect.contains("unresolved")) {
        ASSERT_EQ(names_in(answer["unresolved"]), names_in(expect["unresolved"])) << about;
    }
    if (expect.contains("access")) {
        for (const auto& [tensor, access] : expect["access"].items())
            ASSERT_EQ(without_zeros(answer["access"][tensor]), without_zeros(access)) << tensor << " of " << about;
    }
}

TEST(System, All156SharedCasesAreRight) {
    const json answers = solve_system(json{{"cases", cases()}});
    ASSERT_EQ(answers.size(), 156U);
    std::map<std::string, std::string> keys;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        compare(cases()[i], answers[i]);
        keys[cases()[i]["name"]] = answers[i]["key"];
        if (cases()[i]["expect"].contains("conflict")) expect_least_conflict(cases()[i], answers[i]["conflict"]);
    }
    for (const json& c : cases()) {
        if (c["expect"].contains("not_same_key_as")) {
            EXPECT_NE(keys[c["name"]], keys[c["expect"]["not_same_key_as"]]);
        }
    }
}

/// Renames words of letters, digits and `_` in a text.
std::string renamed(const std::string& text, const std::map<std::string, std::string>& names) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t j = i;
        while (j < text.size() && (std::isalnum(static_cast<unsigned char>(text[j])) || text[j] == '_')) ++j;
        const std::string word = text.substr(i, j - i);
        const auto at = names.find(word);
        result += j == i ? text.substr(i, 1) : at == names.end() ? word : at->second;
        i = std::max(j, i + 1);
    }
    return result;
}

/// Renames keys and texts everywhere but where they are words of the form itself.
json renamed(const json& value, const std::map<std::string, std::string>& names) {
    if (value.is_string()) return renamed(value.get<std::string>(), names);
    if (value.is_array()) {
        json list = json::array();
        for (const auto& v : value) list.push_back(renamed(v, names));
        return list;
    }
    if (!value.is_object()) return value;
    json object = json::object();
    for (const auto& [key, v] : value.items()) object[names.contains(key) ? names.at(key) : key] = renamed(v, names);
    return object;
}

TEST(System, OrderAndNamesDoNotMatter) {
    test::Dice dice(test::seed_of_run());
    for (const json& c : cases()) {
        const std::string key = solve_system(c)[0]["key"];
        std::set<std::string> used;
        for (const char* part : {"tensors", "known", "mins", "block"}) {
            if (!c.contains(part)) continue;
            for (const auto& [name, value] : c[part].items()) {
                if (std::string(part) != "tensors")
                    used.insert(name);
                else
                    used.merge(value.get<std::set<std::string>>());
            }
        }
        for (int round = 0; round < 20; ++round) {
            std::vector<std::string> numbers;
            for (std::size_t i = 0; i < used.size(); ++i) numbers.push_back("v" + std::to_string(i));
            std::shuffle(numbers.begin(), numbers.end(), dice.engine());
            std::map<std::string, std::string> names;
            for (const auto& n : used) {
                names[n] = numbers.back();
                numbers.pop_back();
            }
            json changed = c;
            for (const char* part :
                 {"tensors", "relations", "sizes", "maximal", "params", "choose", "mins", "where", "known", "block"}) {
                if (!c.contains(part)) continue;
                changed[part] = renamed(c[part], names);
                const bool ordered = !changed[part].is_array();
                if (!ordered) std::shuffle(changed[part].begin(), changed[part].end(), dice.engine());
            }
            if (c.contains("tensors")) {  // tensors keep their own names; axes within them their order
                changed["tensors"] = json::object();
                for (const auto& [tensor, axes] : c["tensors"].items())
                    changed["tensors"][tensor] = renamed(axes, names);
            }
            if (c.contains("relations")) {
                for (auto& r : changed["relations"]) {
                    if (r.contains("eqs")) std::shuffle(r["eqs"].begin(), r["eqs"].end(), dice.engine());
                }
            }
            for (const char* part : {"sizes", "range", "resolved", "unresolved", "conflict"}) {
                if (c["expect"].contains(part)) changed["expect"][part] = renamed(c["expect"][part], names);
            }
            if (c["expect"].contains("access")) {
                for (auto& [tensor, access] : changed["expect"]["access"].items())
                    access["strides"] = renamed(access["strides"], names);
            }
            const json answer = solve_system(changed)[0];
            ASSERT_NO_FATAL_FAILURE(compare(changed, answer));
            ASSERT_EQ(answer["key"], key) << c["name"];
        }
    }
}

/// Twelve equal and independent convolutions: any of 12! orders of names must give one key, and soon.
TEST(System, AKeyOfManyEqualPartsIsTheSameInAnyOrder) {
    test::Dice dice(test::seed_of_run());
    std::vector<int> order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    std::set<std::string> keys;
    for (int round = 0; round < 5; ++round) {
        json c{{"tensors", json::object()}, {"relations", json::array()}, {"maximal", json::array()}};
        for (int i : order) {
            const std::string n = std::to_string(i);
            c["relations"].push_back({{"eq", "x" + n + " = y" + n + " + k" + n}});
            c["maximal"].push_back("y" + n);
            c["tensors"]["X" + n] = {"x" + n};
        }
        keys.insert(solve_system(c)[0]["key"]);
        std::shuffle(order.begin(), order.end(), dice.engine());
    }
    EXPECT_EQ(keys.size(), 1U);
}

TEST(System, MistakesInTheFormAreErrorsNotExceptions) {
    const auto error = [](const char* text) {
        const json answer = solve_system(json::parse(text))[0];
        return answer["error"].get<std::string>() + ": " + answer["message"].get<std::string>();
    };
    EXPECT_EQ(error(R"({"relations": [{"eq": "x + 2"}]})"), "syntax: `x + 2` has no `=`");
    EXPECT_EQ(error(R"({"relations": [{"eq": "x = y + "}]})"), "syntax: column 6: expected a name in ` y + `");
    EXPECT_EQ(error(R"({"relations": [{"eq": "x = y", "fit": "snug"}]})"), "syntax: unknown fit `snug`");
    EXPECT_EQ(error(R"({"known": {"q": 3}})"), "name: `q` is known but is no size or parameter of the system");
    EXPECT_EQ(error(R"({"tensors": {"X": ["x"]}, "choose": {"r": "min"}})"),
              "name: `r` is chosen but is no size or parameter of the system");
    EXPECT_EQ(error(R"({"tensors": {"X": ["x"]}, "maximal": ["r"]})"),
              "name: `r` is maximal but is no size or parameter of the system");
    EXPECT_EQ(error(R"({"tensors": {"X": ["x"]}, "known": {"x": 4611686018427387905}})"),
              "overflow: the size 4611686018427387905 is past 2^62");
    EXPECT_EQ(error(R"(7)"), "syntax: a case is no object");
}

/// Whatever is asked: an answer that is right, or too_complex, and soon.
TEST(System, HardInputsEndSoonAndNeverInAWrongAnswer) {
    const std::pair<const char*, const char*> rows[] = {
        // 2^61 - 1 is a prime: 1 times itself, either way round
        {R"({"sizes": ["|a|*|b| = 2305843009213693951"]})", "too_complex underdetermined"},
        {R"({"sizes": ["|a|*|b| + |c|*|d| = 123456789"]})", "too_complex underdetermined"},
        {R"({"sizes": ["|a|*|a|*|a| + |b|*|b|*|b| = |c|*|c|*|c|"]})", "too_complex"},
        {R"({"sizes": ["|a|*|a| - |b|*|b| = 15"]})", "too_complex underdetermined"},
        {R"({"sizes": ["|a|*|b|*|c|*|d| = 9699690", "|a| + |b| + |c| + |d| = 137"]})",
         "negative non_integer contradictory"},
        {R"({"sizes": ["(|a|*|b|) % |c| = 1", "(|b|*|c|) % |a| = 1", "(|c|*|a|) % |b| = 1"]})",
         "too_complex underdetermined"},
        {R"({"sizes": ["|a|*|b| = 1000036000099", "|a| < |b|", "|a| > 1"]})", "ok"},  // 1000003 * 1000033
        {R"({"sizes": ["|x| = |y|*|k|*|k| + max(|y|, |k|) % |m|"], "known": {"x": 1000000}})",
         "too_complex underdetermined"},
    };
    for (const auto& [text, right] : rows) {
        const auto begin = std::chrono::steady_clock::now();
        const json answer = solve_system(json::parse(text))[0];
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        const std::string kind = answer["status"] == "ok" ? "ok" : answer["error"].get<std::string>();
        EXPECT_NE(std::string(right).find(kind), std::string::npos) << text << "\n" << answer.dump();
        EXPECT_LT(seconds.count(), 30) << text;
    }
    const json primes = solve_system(json::parse(rows[0].first))[0];
    if (primes["error"] == "underdetermined") {
        EXPECT_EQ(primes["range"]["a"], json::parse("[1, 2305843009213693951]"));
    }
}

TEST(System, AnErrorProposesTheNearestSizesThatFit) {
    const auto message = [](const char* text) {
        return solve_system(json::parse(text))[0]["message"].get<std::string>();
    };
    EXPECT_EQ(message(R"({"tensors": {"X": ["x"], "Y": ["y"]}, "sizes": ["|x| = 2*|y| + 1"], "known": {"x": 16}})"),
              "no solution of `|x| = 2*|y| + 1` in whole numbers; over the rationals: |y| in 15/2\n"
              "  near |x| = 16 does not fit: 15 gives |y| = 7, 17 gives |y| = 8");
    EXPECT_EQ(message(R"({"tensors": {"X": ["x"], "W": ["k"], "Y": ["y"]}, "relations": [{"eq": "x = y + k"}],
        "maximal": ["y"], "known": {"x": 3, "k": 5}})"),
              "no solution of `x = y + k` with every size at least 1; without that: |y| in -1\n"
              "  near |k| = 5 does not fit: 3 gives |y| = 1\n"
              "  near |x| = 3 does not fit: 5 gives |y| = 1");
}

TEST(System, AContradictionNamesItsFactsAndRelations) {
    const json answer = solve_system(
        json::parse(R"({"tensors": {"X": ["x"], "W": ["k"], "Y": ["y"]}, "relations": [{"eq": "x = y + k"}],
        "maximal": ["y"], "known": {"x": 10, "k": 3, "y": 9}})"))[0];
    EXPECT_EQ(answer["message"],
              "|k| = 3, |x| = 10, |y| = 9 cannot hold with `x = y + k`\n"
              "  near |k| = 3 does not fit: 2 fits\n"
              "  near |x| = 10 does not fit: 11 fits\n"
              "  near |y| = 9 does not fit: 8 fits");
    EXPECT_EQ(answer["conflict"], json::parse(R"(["k", "x", "y"])"));
}

}  // namespace
}  // namespace halogen
