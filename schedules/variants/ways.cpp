#include "schedules/variants/ways.h"

#include "schedules/history/replay.h"
#include "schedules/recipes/decided.h"
#include "schedules/recipes/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace halogen {

namespace {

using Kind = Condition::Term::Kind;

/// A history of no more steps is read at a glance, branches and all.
constexpr int short_history = 36;
/// Lines of all variants together that people read, without the six of the title.
constexpr int longest_text = 114;

/// Whether a call can be asked, before it, what the code of `form` would ask of its buffers: merged dims have no strides of their own.
bool can_be_asked(const Form& form, const Condition::Term& term) {
    const auto keeps_dims = [&](const std::string& tensor) { return tensor.empty() || !form.runs.count(tensor); };
    return term.kind == Kind::at_least || keeps_dims(term.tensor);
}

/// The ways of a history through the branches of an output.
std::vector<Way> ways_of_output(const Form& form, const History& history, const std::string& output) {
    return ways_of(history.steps, output, [&](const Condition::Term& term) { return can_be_asked(form, term); });
}

/// The last output that has any ways; "" where none has.
std::string last_with_ways(const Form& form, const History& history) {
    std::string found;
    for (const Tensor* output : form.kernel.outputs())
        if (!ways_of_output(form, history, output->name).empty()) found = output->name;
    return found;
}

std::vector<Step> steps_of(const Form& form, const History& history, const Way& way, const std::vector<Way>& all) {
    return along_way(form.kernel, form.solution, history.steps, history.variant.when, way, all);
}

/// The ways, if they are worth a function each: the history is long, and two fifths of it or more are for other calls, whichever comes. Or
/// they ask for the threads of a call, which it says itself: the pool that all code asks may have more.
std::vector<Way> ways_worth_it(const Form& form, const History& history, const std::string& output) {
    std::vector<Way> ways = ways_of_output(form, history, output);
    const bool asks_for_threads = std::ranges::any_of(ways, [](const Way& way) {
        return std::ranges::any_of(way.terms, [](const auto& term) { return term.kind == Kind::threads_at_most; });
    });
    if (asks_for_threads) return ways;
    if (count_steps(history) <= short_history) return {};
    const bool worth = 5 * count_steps({steps_of(form, history, {}, ways)}) <= 3 * count_steps(history);
    if (!worth) ways.clear();
    return ways;
}

/// Every output is computed in vectors.
bool has_vectors(const Form& form, const std::vector<Step>& steps) {
    const std::vector<const Tensor*> outputs = form.kernel.outputs();
    return std::ranges::all_of(outputs, [&](const Tensor* output) {
        return std::ranges::any_of(
            steps, [&](const Step& step) { return step.kind == StepKind::vectorize && step.func == output->name; });
    });
}

/// Facts in the sizes of the kernel as it is written.
class Sayer {
public:
    Sayer(const Kernel& kernel, const Solution& open, const Form& form) : kernel_(kernel) {
        for (const auto& [name, source] : form.solution.sources) {
            if (source.tensor.empty()) continue;
            const std::vector<Formula>& extents = open.extents.at(source.tensor);
            DimRun run{source.dim, source.dim};
            if (const auto runs = form.runs.find(source.tensor); runs != form.runs.end())
                run = runs->second.at(static_cast<std::size_t>(source.dim));
            Formula extent = 1;
            for (int d = run.first; d <= run.last; d++) extent = extent * extents[static_cast<std::size_t>(d)];
            written_[name] = extent;
        }
    }

    /// Adds what a term says; a branch of rows is for rows that lie so, where the kernel has other code for those that do not.
    void add(Facts& facts, const Condition::Term& term) const {
        CallFact fact{CallFact::Kind::place, {}, {}, {}, term};
        if (term.kind == Kind::at_least)
            fact = {CallFact::Kind::at_most, term.right.substitute(written_), term.left.substitute(written_)};
        const bool known = fact.kind == CallFact::Kind::at_most && (fact.right - fact.left).constant();
        if (!known && std::ranges::count(facts, fact) == 0) facts.push_back(fact);
    }
    void add_rows(Facts& facts, const BufferOrders& orders) const {
        if (!orders.reversed && !orders.rows_only) return;
        for (const std::string& name : orders.densely)
            if (!are_dense(facts, name)) add(facts, {Kind::stride_is, name, kernel_.tensor(name).rank - 1, 1});
    }

private:
    const Kernel& kernel_;
    std::map<std::string, Formula> written_;
};

}  // namespace

std::vector<Variant> with_ways(const Kernel& kernel, const Solution& open, const Leg& leg,
                               const std::vector<Variant>& variants, int most) {
    std::vector<Variant> all;
    std::optional<BufferOrders> orders;
    int room = most - static_cast<int>(variants.size());
    if (room <= 0) return variants;
    const bool merges = std::ranges::any_of(variants, &Variant::merged);
    int lines = 0;
    for (Variant variant : variants) {
        const Form form = form_of(kernel, open, variant);
        History history = recipe(form.kernel, form.solution, machine_of(leg), {}, variant.when);
        history.variant = variant;
        const Sayer sayer(kernel, open, form);
        const std::string output = last_with_ways(form, history);
        std::vector<Way> ways = ways_worth_it(form, history, output);
        if (static_cast<int>(ways.size()) > room) ways.clear();
        variant.ways_of = ways.empty() ? "" : output;
        const auto lines_of = [](std::vector<Step> steps) { return 3 + count_steps({std::move(steps)}); };
        const std::vector<Step> others = steps_of(form, history, {}, ways);
        lines += lines_of(others);
        const bool spares = merges && !variant.merged && has_vectors(form, others);
        std::vector<Way> kept;
        for (const Way& way : ways) {
            const int more = lines_of(steps_of(form, history, way, ways));
            // Dense buffers have these ways with their dims merged; others have as many as the whole can be read with, and then vectors.
            if (spares && lines + more > longest_text) break;
            kept.push_back(way);
            lines += more;
        }
        ways = std::move(kept);
        room -= static_cast<int>(ways.size());
        for (const Way& way : ways) {
            if (!orders) orders = buffer_orders(kernel, open);
            Variant one = variant;
            const std::string name = variant.name + (variant.name.empty() ? "" : "_") + way.name;
            one.name = name;
            one.way = way.terms;
            for (const Condition::Term& term : way.terms) sayer.add(one.when, term);
            sayer.add_rows(one.when, *orders);
            const auto same = [&](const Variant& other) { return other.name == one.name; };
            for (int number = 2; std::ranges::any_of(all, same); number++) one.name = fmt::format("{}{}", name, number);
            all.push_back(std::move(one));
        }
        all.push_back(std::move(variant));
    }
    return all;
}

void keep_way(History& history, const Form& form) {
    const std::string& output = history.variant.ways_of;
    if (output.empty()) return;
    history.steps = steps_of(form, history, {"", history.variant.way}, ways_of_output(form, history, output));
}

}  // namespace halogen
