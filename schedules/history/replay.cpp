#include "schedules/history/replay.h"

#include "frontend/notation/key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace halogen {

namespace {

void take(std::vector<Step>& steps, int& left) {
    std::size_t kept = 0;
    for (; kept < steps.size() && left > 0; kept++) {
        left--;
        take(steps[kept].nested, left);
    }
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(kept), steps.end());
}

[[noreturn]] void refuse(const std::string& what, const std::string& fix) {
    throw Failure({ErrorKind::schedule, what, {}, {}, fix});
}

/// The names of two kernels of one key, place by place.
using Renaming = std::map<std::string, std::string>;

void pair_names(const Expr& a, const Expr& b, Renaming& names) {
    std::vector<std::string> left, right;
    const auto collect = [](const Expr& e, std::vector<std::string>& list) {
        walk(e, [&](const Expr& x) {
            if (auto* i = x.as<IndexRef>()) list.push_back(i->name);
            if (auto* s = x.as<SizeRef>()) list.push_back(s->name);
            if (auto* t = x.as<Access>()) list.push_back(t->tensor);
        });
    };
    collect(a, left);
    collect(b, right);
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); i++) names.emplace(left[i], right[i]);
}

void pair_names(const Where& a, const Where& b, Renaming& names) {
    const auto *range = std::get_if<InRange>(&a), *other = std::get_if<InRange>(&b);
    if (range && other) {
        names.emplace(range->index, other->index);
        pair_names(range->begin, other->begin, names);
        pair_names(range->end, other->end, names);
    } else if (!range && !other) {
        pair_names(std::get<Expr>(a), std::get<Expr>(b), names);
    }
}

Renaming pair_kernels(const Kernel& from, const Kernel& to) {
    Renaming names;
    for (std::size_t i = 0; i < std::min(from.parameters.size(), to.parameters.size()); i++)
        names.emplace(from.parameters[i].name, to.parameters[i].name);
    for (std::size_t i = 0; i < std::min(from.tensors.size(), to.tensors.size()); i++) {
        const Tensor &a = from.tensors[i], &b = to.tensors[i];
        names.emplace(a.name, b.name);
        if (!a.dims || !b.dims) continue;
        for (std::size_t d = 0; d < std::min(a.dims->size(), b.dims->size()); d++)
            pair_names((*a.dims)[d].extent, (*b.dims)[d].extent, names);
    }
    for (std::size_t i = 0; i < std::min(from.equations.size(), to.equations.size()); i++) {
        const Equation &a = from.equations[i], &b = to.equations[i];
        pair_names(Expr(ExprNode(a.left)), Expr(ExprNode(b.left)), names);
        pair_names(a.right, b.right, names);
        for (std::size_t w = 0; w < std::min(a.where.size(), b.where.size()); w++)
            pair_names(a.where[w], b.where[w], names);
    }
    return names;
}

/// A name of a step follows the name it was made from: `k_o` becomes `q_o` where `k` becomes `q`.
std::string renamed(const std::string& name, const Renaming& names) {
    std::size_t best = 0;
    std::string result = name;
    for (const auto& [from, to] : names) {
        const bool stem = name.starts_with(from) &&
                          (name.size() == from.size() || name[from.size()] == '_' || name[from.size()] == '.');
        if (!stem || from.size() <= best) continue;
        best = from.size();
        result = to + name.substr(from.size());
    }
    return result;
}

Formula renamed(const Formula& f, const Renaming& names) {
    std::map<std::string, Formula> values;
    for (const std::string& symbol : f.symbols()) values[symbol] = Formula::symbol(renamed(symbol, names));
    return f.substitute(values);
}

void rename_term(Condition::Term& term, const Renaming& names) {
    term.tensor = renamed(term.tensor, names);
    term.with = renamed(term.with, names);
    term.left = renamed(term.left, names);
    term.right = renamed(term.right, names);
}

void rename_step(Step& step, const Renaming& names) {
    for (std::string* name : {&step.func, &step.tensor, &step.at_func, &step.at_loop}) *name = renamed(*name, names);
    for (std::string& loop : step.loops) loop = renamed(loop, names);
    for (std::string& made : step.made) made = renamed(made, names);
    step.factor = renamed(step.factor, names);
    step.second = renamed(step.second, names);
    for (Formula& extent : step.extents) extent = renamed(extent, names);
    for (Condition::Term& term : step.when.all) rename_term(term, names);
}

}  // namespace

std::uint64_t text_hash(const std::string& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

std::string history_key(const Kernel& kernel) { return fmt::format("{:016x}", text_hash(canonical_key(kernel))); }

History titled(History history, const Kernel& kernel, const Leg& leg) {
    HistoryHeader& h = history.header;
    h.version = history_version;
    h.kernel = kernel.name;
    h.key = history_key(kernel);
    h.halide = "21.0.0";
    h.leg = leg.name;
    h.target = leg.halide_target;
    int last = 0;
    each_step(history.steps, [&](const Step& step) { last = std::max(last, step.id); });
    each_step(history.steps, [&](Step& step) {
        if (!step.id) step.id = ++last;
    });
    return history;
}

int count_steps(const History& history) {
    int count = 0;
    each_step(history.steps, [&](const Step&) { count++; });
    return count;
}

History prefix(const History& history, int count) {
    History cut = history;
    int left = count;
    take(cut.steps, left);
    if (count < count_steps(history)) {
        cut.comments.clear();
        cut.header.state.clear();
    }
    return cut;
}

Knob& find_knob(History& history, const std::string& name, std::int64_t value) {
    std::vector<Knob>& knobs = history.header.knobs;
    const auto knob = std::find_if(knobs.begin(), knobs.end(), [&](const Knob& k) { return k.name == name; });
    if (knob == knobs.end()) refuse(fmt::format("the history has no knob `{}`", name), "its header lists the knobs");
    if (std::find(knob->domain.begin(), knob->domain.end(), value) == knob->domain.end())
        refuse(fmt::format("knob `{}` cannot be {}", name, value),
               fmt::format("choose among {}", fmt::join(knob->domain, ", ")));
    return *knob;
}

Result<History> with_knobs(History history, const KnobValues& values) {
    return guarded([&] {
        for (const auto& [name, value] : values) {
            Knob& knob = find_knob(history, name, value);
            if (knob.value == value) continue;
            int followed = 0;
            each_step(history.steps, [&](Step& step) {
                if (step.knob != name) return;
                step.factor = value;
                followed++;
            });
            if (!followed)
                refuse(fmt::format("no step follows knob `{}`: it decided which steps there are", name),
                       "choose it when the recipe writes the history: --knob without --history");
            knob.value = value;
            history.header.state.clear();
        }
        return history;
    });
}

Result<Rebound> prepare(const History& history, const Kernel& kernel, ReplayMode mode, const Kernel* from) {
    return guarded([&] {
        Rebound result{history, {}};
        const std::string key = history_key(kernel);
        if (mode == ReplayMode::strict) {
            if (!history.header.key.empty() && history.header.key != key)
                refuse(fmt::format("the history was written for equations with key {}; kernel `{}` has {}",
                                   history.header.key, kernel.name, key),
                       "replay it on the kernel it was written for, or rebind it with --rebind");
            return result;
        }
        if (from) {
            const Renaming names = pair_kernels(*from, kernel);
            each_step(result.history.steps, [&](Step& step) { rename_step(step, names); });
            for (CallFact& fact : result.history.variant.when) {
                fact.left = renamed(fact.left, names);
                fact.right = renamed(fact.right, names);
                fact.tensor = renamed(fact.tensor, names);
                rename_term(fact.place, names);
            }
            for (const auto& [old, name] : names)
                if (old != name) result.renamed.push_back(fmt::format("{} -> {}", old, name));
        }
        HistoryHeader& h = result.history.header;
        if (h.key != key) h.state.clear();
        h.key = key;
        h.kernel = kernel.name;
        return result;
    });
}

}  // namespace halogen
