// Steps as the cases write them, on a nest.

#include "tests/schedule/loopnest_case.h"
#include "tests/schedule/loopnest_text.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace halogen::loopnest {

namespace {

/// The last stage of a Func that has the loop; of all Funcs when none is named.
Step on_loop(const Nest& nest, const std::string& handle, StepKind kind) {
    const auto parts = split_text(handle, ".");
    const std::string name = parts.back(), func = parts.size() > 1 ? parts[0] : "";
    Step step{kind, func, 0, {name}};
    int best = -1;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        if (!func.empty() && s.func != func) return;
        for (const NestLoop* loop : path)
            if (loop->name == name && !s.start && (best < 0 || s.func == step.func || func.empty())) {
                step.func = s.func;
                step.stage = s.stage;
                best = s.stage;
            }
    });
    if (best < 0) {
        for (const auto& [removed, why] : nest.removed) {
            const auto words = split_text(removed, " ");
            if (words.back() != name) continue;
            const auto place = split_text(words[0], ".");
            step.func = place[0];
            step.stage = std::stoi(place[1]);
        }
        if (step.func.empty())
            each_statement(nest, [&](const NestPath&, const NestStatement& s) {
                step.func = s.func;
                step.stage = s.stage;
            });
    }
    return step;
}

std::vector<std::string> loops_around(const Nest& nest, const std::string& func, int stage) {
    std::vector<std::string> names;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        if (s.func != func || s.stage != stage || !names.empty()) return;
        for (const NestLoop* loop : path) names.push_back(loop->name);
    });
    return names;
}

Tail tail_named(const std::string& word) { return word == "separate" ? Tail::separate : Tail::guard; }

std::string text_at(const Json& json, const char* name, const std::string& otherwise) {
    return json.contains(name) ? json.at(name).get<std::string>() : otherwise;
}

class Player {
public:
    Player(Nest nest, History* record) : nest_(std::move(nest)), record_(record) {}

    void apply(const Step& step) {
        nest_ = apply_to_nest(nest_, step).value();
        if (record_) record_->steps.push_back(step);
    }

    void split(const std::string& loop, std::int64_t factor, const std::string& tail, const std::string& outer,
               const std::string& inner, const std::string& rest) {
        Step step = on_loop(nest_, loop, StepKind::split);
        step.factor = factor;
        step.tail = tail_named(tail);
        step.made = {outer, inner};
        if (step.tail == Tail::separate) step.made.push_back(rest);
        apply(step);
    }

    void swap(const std::string& a, const std::string& b) {
        Step step = on_loop(nest_, a, StepKind::reorder);
        const auto order = loops_around(nest_, step.func, step.stage);
        std::vector<std::string> between;
        for (const std::string& name : order) between.push_back(name == a ? b : name == b ? a : name);
        step.loops.assign(between.rbegin(), between.rend());
        if (step.loops.size() >= 2) apply(step);
    }

    void object(const Json& json);
    void phrase(const std::string& text);
    Nest take() { return std::move(nest_); }

private:
    void vectorize(const std::string& loop, std::int64_t width) {
        split(loop, width, "guard", loop + "_outer", loop + "_lane", "");
        apply(on_loop(nest_, loop + "_lane", StepKind::vectorize));
    }

    void rfactor(const std::string& loop) {
        Step step = on_loop(nest_, loop, StepKind::rfactor);
        partial_ = "Partial";
        while (nest_.kernel.find_tensor(partial_)) partial_ += "_";
        step.made = {partial_, loop + "_kept"};
        apply(step);
        kept_ = loop + "_kept";
    }

    std::vector<std::string> reduced() const {
        std::vector<std::string> names;
        each_statement(nest_, [&](const NestPath& path, const NestStatement& s) {
            if (!names.empty() || s.start) return;
            for (const NestLoop* loop : path)
                if (loop->reduced) names.push_back(loop->name);
        });
        return names;
    }

    void reverse_order() {
        std::string func;
        int stage = 0;
        each_statement(nest_, [&](const NestPath& path, const NestStatement& s) {
            if (path.size() > 1 && !s.start) {
                func = s.func;
                stage = s.stage;
            }
        });
        auto order = loops_around(nest_, func, stage);
        if (order.size() > 1) apply({StepKind::reorder, func, stage, order});
    }

    Nest nest_;
    History* record_;
    std::string partial_, kept_;
};

void Player::object(const Json& json) {
    const std::string op = json.at("op");
    const auto first_loop = [&] {
        std::string name;
        each_statement(nest_, [&](const NestPath& path, const NestStatement& s) {
            if (name.empty() && !s.start) name = path.front()->name;
        });
        return name;
    };
    const std::string loop =
        text_at(json, "loop", op == "slice_head" || op == "slice_tail" || op == "unroll" ? first_loop() : "");
    if (op == "split") {
        const std::string tail = text_at(json, "tail", "guard"), base = split_text(loop, ".").back();
        split(loop, json.at("factor"), tail, text_at(json, "outer", base + "o"), text_at(json, "inner", base + "i"),
              text_at(json, "rest", base + "t"));
    } else if (op == "slice_head" || op == "slice_tail") {
        Step step = on_loop(nest_, loop, op == "slice_head" ? StepKind::slice_head : StepKind::slice_tail);
        step.factor = json.at("n").get<std::int64_t>();
        step.made = op == "slice_head" ? std::vector<std::string>{loop + "_head", "rest"}
                                       : std::vector<std::string>{loop + "_main", loop + "_tail"};
        if (json.contains("out")) step.made = {json["out"][0], json["out"][1]};
        apply(step);
    } else if (op == "tile") {
        const std::string x = json["loops"][0], y = json["loops"][1];
        Step step = on_loop(nest_, x, StepKind::tile);
        step.loops = {x, y};
        step.made = {x + "o", y + "o", x + "i", y + "i", x + "t", y + "t"};
        step.factor = json["factors"][0].get<std::int64_t>();
        step.second = json["factors"][1].get<std::int64_t>();
        step.tail = Tail::separate;
        apply(step);
    } else if (op == "vectorize") {
        if (json.contains("width"))
            vectorize(loop, json.at("width"));
        else
            apply(on_loop(nest_, loop, StepKind::vectorize));
    } else if (op == "unroll" || op == "parallel" || op == "normalize" || op == "distribute") {
        apply(on_loop(nest_, loop,
                      op == "unroll"      ? StepKind::unroll
                      : op == "parallel"  ? StepKind::parallel
                      : op == "normalize" ? StepKind::normalize
                                          : StepKind::distribute));
    } else if (op == "swap") {
        swap(json.at("a"), json.at("b"));
    } else if (op == "inline") {
        apply({StepKind::compute_inline, json.at("func")});
    } else if (op == "compute_at") {
        const auto at = split_text(loop, ".");
        Step step{StepKind::compute_at, json.at("func")};
        step.at_func = at.at(0);
        step.at_loop = at.at(1);
        apply(step);
    } else if (op == "cache_reads" || op == "cache_writes") {
        const auto at = split_text(split_text(json.at("at").get<std::string>(), " ")[0], ".");
        Step step{op == "cache_reads" ? StepKind::cache_reads : StepKind::cache_writes,
                  op == "cache_reads" ? at[0] : json.at("func").get<std::string>()};
        step.tensor = op == "cache_reads" ? json.at("func").get<std::string>() : "";
        step.at_func = at[0];
        step.at_loop = at[1];
        step.made = {json.at("func").get<std::string>() + "_cache"};
        apply(step);
    } else if (op == "rfactor") {
        rfactor(json.at("preserve"));
    } else {
        FAIL() << "no reading for step " << json;
    }
}

void Player::phrase(const std::string& text) {
    for (const std::string& clause : split_text(text, ",")) {
        const auto words = split_text(clause, " ");
        std::smatch m;
        if (clause == "none" || clause.empty()) continue;
        if (words[0] == "inline") {
            apply({StepKind::compute_inline, words.at(1)});
        } else if (std::regex_match(clause, m,
                                    std::regex(R"(split (\w+) by (\d+)(?: (separate|guard))?(?: -> (\w+))?)"))) {
            split(m[1], std::stoll(m[2]), m[3].matched ? m[3].str() : "guard", m[1].str() + "o", m[1].str() + "i",
                  m[1].str() + "t");
            kept_ = m[1].str() + "i";
        } else if (clause == "rfactor") {
            rfactor(reduced().front());
        } else if (clause == "rfactor inner") {
            rfactor(kept_);
        } else if (std::regex_match(clause, m, std::regex(R"(rfactor (\d+) lanes)"))) {
            const std::string loop = reduced().front();
            split(loop, std::stoll(m[1]), "guard", loop + "o", loop + "i", "");
            swap(loop + "o", loop + "i");
            rfactor(loop + "i");
        } else if (words[0] == "rfactor") {
            const auto names = reduced();
            rfactor(words[1] == "outermost"   ? names.front()
                    : words[1] == "middle"    ? names.at(1)
                    : words[1] == "innermost" ? names.back()
                                              : words[1]);
        } else if (clause == "parallel") {
            apply(on_loop(nest_, kept_, StepKind::parallel));
        } else if (clause.starts_with("vectori") && (words.size() == 1 || words[1] == "the")) {
            apply(on_loop(nest_, partial_ + "." + kept_, StepKind::vectorize));
        } else if (std::regex_match(clause, m, std::regex(R"(vectorize (\w+) by (\d+))"))) {
            vectorize(m[1], std::stoll(m[2]));
        } else if (words[0] == "vectorize") {
            apply(on_loop(nest_, words.at(1), StepKind::vectorize));
        } else if (words[0] == "unroll") {
            apply(on_loop(nest_, words.at(1), StepKind::unroll));
        } else if (clause == "normalize") {
            const std::string loop =
                loops_around(nest_, on_loop(nest_, "x", StepKind::normalize).func, 0).empty() ? "x" : "x";
            apply(on_loop(nest_, loop, StepKind::normalize));
        } else if (std::regex_match(clause, m,
                                    std::regex(R"(reorder so that (\w+) is outermost of the reduced loops)"))) {
            Step step = on_loop(nest_, m[1], StepKind::reorder);
            const auto names = reduced();
            std::vector<std::string> inner;
            for (auto name = names.rbegin(); name != names.rend(); ++name)
                if (*name != m[1].str()) inner.push_back(*name);
            inner.push_back(m[1]);
            step.loops = inner;
            apply(step);
        } else if (clause.starts_with("reorder")) {
            reverse_order();
        } else if (clause == "distribute") {
            continue;  // partial results have loops of their own already
        } else {
            FAIL() << "no reading for step `" << clause << "`";
        }
    }
}

}  // namespace

Result<Nest> play(Nest nest, const Json& step, History* record) {
    return guarded([&] {
        Player player(std::move(nest), record);
        if (step.is_string())
            player.phrase(step.get<std::string>());
        else
            player.object(step);
        return player.take();
    });
}

Result<Nest> play_all(Nest nest, const Json& steps, History* record) {
    return guarded([&] {
        Player player(std::move(nest), record);
        for (const Json& step : steps.is_array() ? steps : Json::array({steps})) {
            if (step.is_string())
                player.phrase(step.get<std::string>());
            else
                player.object(step);
        }
        return player.take();
    });
}

}  // namespace halogen::loopnest
