#include "frontend/project/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

namespace halogen {

namespace {

constexpr std::int64_t most_shards = 1 << 20;

/// A number from 1 to `most_shards`.
std::optional<std::int64_t> shards_in(const std::string& text) {
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > most_shards) return std::nullopt;
    return n;
}

/// The equation, counted from 0, that a phase behind these begins at.
std::optional<int> equation_after(const Phases& phases, const std::string& text) {
    const auto equation = shards_in(text);
    if (!equation || *equation - 1 <= phases.back().first) return std::nullopt;
    return static_cast<int>(*equation - 1);
}

bool is_split(const std::vector<Split>& splits, const std::string& index) {
    return std::any_of(splits.begin(), splits.end(), [&](const Split& s) { return s.index == index; });
}

/// Adds `n=4,k=2`.
void add_splits(const std::string& text, std::vector<Split>& splits) {
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
        const auto sign = item.find('=');
        const auto shards = sign == std::string::npos ? std::nullopt : shards_in(item.substr(sign + 1));
        if (!shards || sign == 0)
            throw Failure(Error{ErrorKind::usage,
                                fmt::format("--split cannot be `{}`", item),
                                {},
                                "",
                                "write INDEX=SHARDS, as in --split n=4,k=2"});
        const std::string index = item.substr(0, sign);
        if (is_split(splits, index))
            throw Failure(Error{
                ErrorKind::usage, fmt::format("--split splits `{}` twice", index), {}, "", "leave one of them out"});
        splits.push_back({index, *shards});
    }
}

/// Reads line by line; what is wrong is thrown.
class PlanReader {
public:
    ShardPlan plan(const std::string& text) {
        std::istringstream lines(text);
        bool begun = false;
        for (std::string line; std::getline(lines, line);) {
            ++line_;
            std::istringstream words(line.substr(0, line.find('#')));
            std::vector<std::string> all;
            for (std::string word; words >> word;) all.push_back(word);
            if (all.empty()) continue;
            if (!begun && all != std::vector<std::string>{"halogen", "plan", "1"})
                fail("a plan begins with `halogen plan 1`", "`halogen shard KERNEL --split i=4` writes one");
            if (begun) take(all);
            begun = true;
        }
        if (!begun) fail("a plan begins with `halogen plan 1`", "`halogen shard KERNEL --split i=4` writes one");
        if (plan_.key.empty() || !has_kernel_)
            fail("the plan does not say which kernel it is for", "keep its lines `kernel` and `key`");
        return plan_;
    }

private:
    void take(const std::vector<std::string>& words) {
        if (words[0] == "kernel" && words.size() <= 2 && !has_kernel_) {
            has_kernel_ = true;
            plan_.kernel = words.size() == 2 ? words[1] : "";
        } else if (words[0] == "key" && words.size() == 2 && plan_.key.empty()) {
            plan_.key = words[1];
        } else if (words[0] == "split" && words.size() == 3) {
            split(words[1], words[2]);
        } else if (words[0] == "from" && words.size() == 2) {
            from(words[1]);
        } else {
            fail(fmt::format("`{}` is no line of a plan", words[0]),
                 "a plan has one `kernel NAME`, one `key HASH`, and `split INDEX SHARDS` for each index");
        }
    }

    void from(const std::string& text) {
        const auto equation = equation_after(plan_.phases, text);
        if (!equation)
            fail(fmt::format("`from {}` begins at no later equation", text),
                 fmt::format("write a number above {}", plan_.phases.back().first + 1));
        plan_.phases.push_back({*equation, {}});
    }

    void split(const std::string& index, const std::string& count) {
        const auto shards = shards_in(count);
        if (!shards)
            fail(fmt::format("`{}` cannot be split into `{}`", index, count),
                 fmt::format("write a number from 1 to {}", most_shards));
        auto& splits = plan_.phases.back().splits;
        if (is_split(splits, index)) fail(fmt::format("`{}` is split twice", index), "keep one of the lines");
        splits.push_back({index, *shards});
    }

    [[noreturn]] void fail(std::string what, std::string fix) const {
        throw Failure(Error{ErrorKind::syntax, std::move(what), {std::max(line_, 1), 1}, "", std::move(fix)});
    }

    ShardPlan plan_{"", "", {{0, {}}}};
    bool has_kernel_ = false;
    int line_ = 0;
};

}  // namespace

std::string print(const ShardPlan& plan) {
    std::string text =
        fmt::format("halogen plan 1\nkernel{}{}\nkey {}\n", plan.kernel.empty() ? "" : " ", plan.kernel, plan.key);
    for (const Phase& phase : plan.phases) {
        if (phase.first > 0) text += fmt::format("from {}\n", phase.first + 1);
        for (const Split& s : phase.splits) text += fmt::format("split {} {}\n", s.index, s.shards);
    }
    return text;
}

Result<ShardPlan> parse_plan(const std::string& text) {
    return guarded([&] { return PlanReader().plan(text); });
}

Result<Phases> parse_splits(const std::string& text) {
    return guarded([&] {
        Phases phases = {{0, {}}};
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            if (word == "from") {
                if (!(words >> word)) word = "";
                const auto equation = equation_after(phases, word);
                if (!equation)
                    throw Failure(Error{ErrorKind::usage,
                                        word.empty()
                                            ? "--split ends with `from`"
                                            : fmt::format("--split begins at no later equation by `from {}`", word),
                                        {},
                                        "",
                                        fmt::format("write a number above {}", phases.back().first + 1)});
                phases.push_back({*equation, {}});
            } else if (word != "no" && word != "split") {
                add_splits(word, phases.back().splits);
            }
        }
        return phases;
    });
}

std::string print(const Phases& phases) {
    std::string text;
    for (const Phase& phase : phases) {
        if (phase.first > 0) text += fmt::format(" from {} ", phase.first + 1);
        std::vector<std::string> items;
        for (const Split& s : phase.splits) items.push_back(fmt::format("{}={}", s.index, s.shards));
        text += items.empty() ? "no split" : fmt::format("{}", fmt::join(items, ","));
    }
    return text;
}

Result<ShardPlan> plan_for(ShardPlan plan, const Kernel& kernel, const std::string& key) {
    if (plan.kernel != kernel.name)
        return Error{ErrorKind::name,
                     fmt::format("the plan is for the kernel `{}`, not for `{}`", plan.kernel, kernel.name),
                     {},
                     "",
                     fmt::format("make one with `halogen shard {}`", kernel.name)};
    if (plan.key != key)
        return Error{ErrorKind::name,
                     fmt::format("the plan is for other equations: its key is {}, that of `{}` is {}", plan.key,
                                 kernel.name, key),
                     {},
                     "",
                     fmt::format("make one anew with `halogen shard {}`", kernel.name)};
    return plan;
}

Result<std::vector<ShardStep>> fitting(std::vector<ShardStep> steps) {
    for (const ShardStep& step : steps) {
        for (const Cut& cut : step.cuts) {
            const std::int64_t points = cut.extent.constant().value_or(most_shards);
            if (cut.split.shards <= points) continue;
            return Error{ErrorKind::contradictory,
                         fmt::format("index `{}` has {} {} not make {} shards", cut.split.index, points,
                                     points == 1 ? "point, which does" : "points, which do", cut.split.shards),
                         {},
                         "",
                         points > 1 ? fmt::format("split it into at most {}", points)
                                    : fmt::format("do not split `{}`", cut.split.index)};
        }
    }
    return steps;
}

}  // namespace halogen
