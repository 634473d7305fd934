#include "frontend/shapes/passes.h"

#include "frontend/shapes/examples.h"
#include "frontend/shapes/refine_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace halogen::shapes {

namespace {

constexpr std::size_t most_proofs = 40;  // guards of a path that the exact System is asked about

Refusal refusal_for(const StepProgram& program, const StepGuard& guard, const std::string& because) {
    return Refusal(guard.what.kind, fmt::format("{} needs {}: {}, {}", name_of(program, guard.step),
                                                guard.what.sentence, print(guard.what.condition), because));
}

/// Of `slack + c >= 0` for one slack and several c, only the least c counts: the rest follow.
class Strongest {
public:
    /// False when a condition at least as strong is there already.
    bool add(const Predicate& p, std::size_t guard) {
        const bool is_single = p.alternatives().size() == 1 && p.alternatives()[0].size() == 1;
        if (!is_single || p.alternatives()[0][0].relation != Relation::at_most) return seen_.emplace(p, guard).second;
        const Fact& f = p.alternatives()[0][0];
        const Formula slack = f.right - f.left;
        std::int64_t constant = 0;
        for (const auto& [atoms, c] : slack.terms()) {
            if (atoms.empty()) constant = c;
        }
        const auto [at, fresh] = least_.emplace(slack - Formula(constant), std::pair(constant, guard));
        if (fresh) return true;
        if (at->second.first <= constant) return false;
        weaker_.push_back(at->second.second);
        at->second = {constant, guard};
        return true;
    }
    const std::vector<std::size_t>& weaker() const { return weaker_; }

private:
    std::map<Predicate, std::size_t> seen_;
    std::map<Formula, std::pair<std::int64_t, std::size_t>> least_;
    std::vector<std::size_t> weaker_;
};

/// True when something became smaller.
bool simplify_guards(const StepProgram& program, Path& path, const LowerBounds& least) {
    Strongest strongest;
    bool changed = false;
    for (std::size_t i = 0; i < path.guards.size(); ++i) {
        StepGuard& guard = path.guards[i];
        if (guard.proved) continue;
        Predicate smaller = simplify(guard.what.condition, least);
        if (smaller.known() == std::optional(false)) {
            path.refusal = StepRefusal{refusal_for(program, guard, "which never holds"), guard.step};
            return false;
        }
        guard.proved = smaller.known().has_value() || !strongest.add(smaller, i);
        changed = changed || guard.proved || !(smaller == guard.what.condition);
        if (!smaller.known()) guard.what.condition = std::move(smaller);
    }
    for (const std::size_t i : strongest.weaker()) path.guards[i].proved = true;
    return changed;
}

void refine_results(Path& path, const LowerBounds& least, const std::map<std::string, Formula>& equal) {
    const auto better = [&](Formula& f) {
        if (!f.is_constant()) f = refined(equal.empty() ? f : f.substitute(equal), least);
    };
    for (auto& results : path.results) {
        for (Operand& o : results) {
            for (Formula& extent : o.shape) better(extent);
            if (o.strides) {
                for (Formula& stride : *o.strides) better(stride);
            }
        }
    }
}

/// What the conditions of a path so far say of single sizes.
class Facts {
public:
    explicit Facts(const StepProgram& program) : known_(knowledge_of(program)) {}

    void add(const Predicate& p) {
        known_.add(p);
        if (const auto definition = definition_of(p.substitute(values()))) {
            const std::map<std::string, Formula> one{*definition};
            for (auto& [name, value] : equal_) value = value.substitute(one);
            equal_.insert(one.begin(), one.end());
        }
    }
    Predicate under(const Predicate& p) const { return simplify(p.substitute(values()), known_.least()); }
    const Knowledge& known() const { return known_; }
    const std::map<std::string, Formula>& equal() const { return equal_; }

private:
    std::function<const Formula*(const std::string&)> values() const {
        return [this](const std::string& name) {
            const auto at = equal_.find(name);
            return at == equal_.end() ? nullptr : &at->second;
        };
    }
    Knowledge known_;
    std::map<std::string, Formula> equal_;
};

void refute(const StepProgram& program, Path& path, const StepGuard& guard) {
    if (!path.refusal || path.refusal->step > guard.step)
        path.refusal = StepRefusal{refusal_for(program, guard, "which cannot hold with what comes before"), guard.step};
}

void propagate_path(const StepProgram& program, Path& path) {
    Facts facts(program);
    for (const Predicate& p : path.assumed) facts.add(p);
    const Tried tried = try_sizes(program, path);
    std::size_t proofs = 0;
    for (std::size_t i = 0; i < path.guards.size(); ++i) {
        StepGuard& guard = path.guards[i];
        if (guard.proved) continue;
        std::optional<bool> truth = facts.under(guard.what.condition).known();
        const bool is_hard = !truth && proofs < most_proofs && !(tried.possible && tried.independent[i]);
        if (is_hard) {
            ++proofs;
            truth = facts.known().decide(guard.what.condition);
        }
        if (truth == std::optional(false)) {
            refute(program, path, guard);
            return;
        }
        guard.proved = truth.has_value();
        if (!guard.proved) facts.add(guard.what.condition);
    }
    refine_results(path, facts.known().least(), facts.equal());
}

/// Facts that hold together one by one, each of the others under the bounds that they set.
void simplify_assumptions(Path& path, LowerBounds least) {
    std::vector<Predicate> single;
    for (Predicate& p : path.assumed) {
        if (p.alternatives().size() != 1) {
            single.push_back(std::move(p));
            continue;
        }
        for (const Fact& f : p.alternatives()[0]) single.emplace_back(f);
    }
    path.assumed = std::move(single);
    for (const Predicate& p : path.assumed) {
        if (const auto bound = bound_of(p)) least[bound->first] = std::max(least[bound->first], bound->second);
    }
    for (Predicate& p : path.assumed) {
        if (!bound_of(p)) p = shapes::simplify(p, least);
    }
    std::erase_if(path.assumed, [](const Predicate& p) { return p.known().value_or(false); });
}

}  // namespace

ShapeProgram simplify(ShapeProgram program) {
    const Knowledge known = knowledge_of(program.source);
    for (Path& path : program.paths) {
        while (simplify_guards(program.source, path, known.least())) continue;
        refine_results(path, known.least(), {});
    }
    return program;
}

ShapeProgram propagate(ShapeProgram program) {
    for (Path& path : program.paths) propagate_path(program.source, path);
    return program;
}

ShapeProgram drop(ShapeProgram program) {
    for (Path& path : program.paths) {
        std::erase_if(path.guards, [](const StepGuard& g) { return g.proved; });
    }
    const LowerBounds least = knowledge_of(program.source).least();
    for (Path& path : program.paths) simplify_assumptions(path, least);
    if (program.paths.size() > 1) {
        std::erase_if(program.paths, [&](const Path& path) {
            Knowledge known = knowledge_of(program.source);
            for (const Predicate& p : path.assumed) known.add(p);
            return !path.assumed.empty() && !known.is_possible();
        });
    }
    return program;
}

ShapeProgram shape_program(Library& library, StepProgram steps, const Watch& watch) {
    const auto seen = [&](const char* pass, ShapeProgram program) {
        if (watch) watch(pass, program);
        return program;
    };
    ShapeProgram program = seen("reify", reify(library, std::move(steps)));
    program = seen("simplify", simplify(std::move(program)));
    program = seen("propagate", propagate(std::move(program)));
    return seen("drop", drop(std::move(program)));
}

std::optional<StepRefusal> refusal_of(const ShapeProgram& program) {
    const StepRefusal* latest = nullptr;
    for (const Path& path : program.paths) {
        if (!path.refusal) return std::nullopt;
        if (!latest || latest->step < path.refusal->step) latest = &*path.refusal;
    }
    return latest ? std::optional(*latest) : std::nullopt;
}

}  // namespace halogen::shapes
