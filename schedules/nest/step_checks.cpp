#include "schedules/nest/step_checks.h"

#include "schedules/history/print_step.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::nesting {

namespace {

std::string handle(const std::string& func, int stage, const std::string& name) {
    return fmt::format("{}.{} {}", func, stage, name);
}

}  // namespace

std::vector<int> loops_of(const Nest& nest, const Step& step, const std::string& name) {
    auto found = find_loops(nest, step.func, step.stage, name);
    if (!found.empty()) return found;
    const auto removed = nest.removed.find(handle(step.func, step.stage, name));
    if (removed != nest.removed.end())
        refuse_step(step, fmt::format("loop `{}` was removed by step `{}`", name, removed->second),
                    "name a loop that is still there");
    if (!has_stage(nest, step.func, step.stage))
        refuse_step(step, fmt::format("there is no stage `{}.{}`", step.func, step.stage),
                    "name a stage of the kernel");
    refuse_step(step, fmt::format("there is no loop `{}` in `{}.{}`", name, step.func, step.stage),
                "remove the step or name an existing loop");
}

void check_new_names(const Nest& nest, const Step& step) {
    for (std::size_t i = 0; i < step.made.size(); i++) {
        const bool replaced = std::find(step.loops.begin(), step.loops.end(), step.made[i]) != step.loops.end();
        if (std::find(step.made.begin(), step.made.begin() + static_cast<std::ptrdiff_t>(i), step.made[i]) !=
            step.made.begin() + static_cast<std::ptrdiff_t>(i))
            refuse_step(step, fmt::format("it makes two loops `{}`", step.made[i]), "give each loop a name of its own");
        if (!replaced && !find_loops(nest, step.func, step.stage, step.made[i]).empty())
            refuse_step(step, fmt::format("there is a loop `{}` already", step.made[i]), "choose another name");
    }
}

void check_free_of_storage(const Nest& nest, const Step& step, const NestLoop& loop) {
    std::set<std::string> inside{loop_symbol(loop.id)};
    std::vector<NestNode> body = loop.body;
    each_loop(body, [&](NestLoop& inner) { inside.insert(loop_symbol(inner.id)); });
    for (const auto& [name, storage] : nest.storage) {
        bool held = storage.level && inside.count(loop_symbol(storage.level));
        for (const auto* formulas : {&storage.extents, &storage.base})
            for (const Formula& f : *formulas)
                for (const std::string& symbol : f.symbols()) held = held || inside.count(symbol);
        if (held)
            refuse_step(step, fmt::format("loop `{}` holds storage of `{}`", loop.name, name),
                        "take this step before the one that places the storage");
    }
}

void check_writes_itself(const Nest& nest, const Step& step) {
    each_statement(nest, [&](const NestPath&, const NestStatement& s) {
        if ((s.func == step.func) != (s.equation.left.tensor == step.func))
            refuse_step(step, fmt::format("`{}` is written through a copy", s.func == step.func ? s.func : step.func),
                        "take this step before the one that makes the copy");
    });
}

void remove_handle(Nest& nest, const Step& step, const std::string& name) {
    nest.removed[handle(step.func, step.stage, name)] = written(step);
}

}  // namespace halogen::nesting
