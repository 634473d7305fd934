#include "schedules/recipes/decided.h"

#include "frontend/formula/sign.h"
#include "frontend/plan/value_funcs.h"
#include "schedules/history/composite.h"
#include "schedules/history/kinds.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace halogen {

namespace {

using Term = Condition::Term;

/// Calls `visit(bool least, const Formula& first, const Formula& second)` with the sum for either side of each `min` (the least) and `max` that
/// stands alone in it, until it gives true.
template<typename Visit>
bool any_choice(const Formula& sum, Visit&& visit) {
    return std::ranges::any_of(sum.terms(), [&](const auto& term) {
        const auto& [monomial, factor] = term;
        if (monomial.size() != 1 || factor != 1) return false;
        const Formula::Atom& atom = *monomial.front();
        const bool least = atom.kind == Formula::Atom::Kind::min;
        if (!least && atom.kind != Formula::Atom::Kind::max) return false;
        const Formula rest = sum - Formula(monomial.front());
        return visit(least, rest + atom.a, rest + atom.b);
    });
}

/// Whether `f` is 0 or more, where that is so for all sizes or for none: `min(-48, N)` and `-max(1, N)` never are.
std::optional<bool> is_at_least_zero(const Formula& f) {
    if (const auto c = f.constant()) return *c >= 0;
    if (is_nonnegative(-f - Formula(1))) return false;
    std::optional<bool> known;
    any_choice(f, [&](bool least, const Formula& first, const Formula& second) {
        const auto a = is_at_least_zero(first), b = is_at_least_zero(second);
        if (a == !least || b == !least)
            known = !least;
        else if (a && b)
            known = least;
        return known.has_value();
    });
    return known;
}

/// Whether `a` and `b` are never both 0 or more: with `max(1, N + 3) - 32` one of `-31` and `N - 29` were, and neither is where `4 - N` is.
/// (Halide, too, leaves out a branch that nothing comes to, and then falls over what would be computed in it alone.)
bool exclude(const Formula& a, const Formula& b) {
    for (const Formula& f : {a, b, a + b})
        if (is_at_least_zero(f) == false) return true;
    const auto either_way = [](const Formula& f, const Formula& other) {
        return any_choice(f, [&](bool least, const Formula& first, const Formula& second) {
            const bool one = exclude(first, other), two = exclude(second, other);
            return least ? one || two : one && two;
        });
    };
    return either_way(a, b) || either_way(b, a);
}

/// What conditions are before a call.
class Truth {
public:
    Truth(const Kernel& kernel, const Solution& solution, const Facts& facts, const KnownCall* call,
          std::vector<Term> taken = {}, std::vector<Way> ways = {})
        : kernel_(kernel),
          solution_(solution),
          facts_(facts),
          call_(call),
          taken_(std::move(taken)),
          ways_(std::move(ways)) {}

    /// Nothing where that depends on the call. Terms that hold stay beside others.
    std::optional<bool> of(const Condition& condition) const {
        bool open = false;
        for (const Term& term : condition.all) {
            const auto value = is_taken(term) ? std::optional(true) : of(term);
            if (value == false || is_too_far(term, condition) || is_excluded(term, condition)) return condition.negated;
            open = open || !value;
        }
        if (open && leads_another_way(condition)) return condition.negated;
        return open ? std::nullopt : std::optional(!condition.negated);
    }

    /// A condition that stays open, without what holds on the way that is taken, and without what Halide knows from the strides of
    /// dense buffers.
    Condition open_part(Condition condition) const {
        const auto known = [&](const Term& term) {
            return is_taken(term) || (are_dense(facts_, term.tensor) && of(term) == true);
        };
        if (!condition.negated) std::erase_if(condition.all, known);
        return condition;
    }

private:
    bool is_taken(const Term& term) const { return std::ranges::count(taken_, term) > 0; }

    /// What holds on the way that is taken and the condition are all that another way asks for.
    bool leads_another_way(const Condition& condition) const {
        const auto taken = [&](const Term& t) { return is_taken(t); };
        const auto held = [&](const Term& t) { return is_taken(t) || std::ranges::count(condition.all, t) > 0; };
        return std::ranges::any_of(ways_, [&](const Way& way) {
            return std::ranges::all_of(way.terms, held) && !std::ranges::all_of(way.terms, taken);
        });
    }

    Formula stride_if_dense(const Term& term) const {
        return dense_stride(solution_.extents.at(term.tensor), term.dim);
    }

    /// A stride of a dense buffer is larger than asked where what the condition also asks holds: `stride(X, 0) == 1 and W >= 8`,
    /// rows of W elements.
    bool is_too_far(const Term& term, const Condition& condition) const {
        if (term.kind != Term::Kind::stride_is || is_own(term.tensor) || !are_dense(facts_, term.tensor)) return false;
        const Formula beyond = stride_if_dense(term) - Formula(term.other + 1);
        return std::any_of(condition.all.begin(), condition.all.end(), [&](const Term& other) {
            return other.kind == Term::Kind::at_least && is_at_least_zero(beyond - (other.left - other.right)) == true;
        });
    }

    /// Two terms that never hold together: `8 >= N and N >= 256`.
    static bool is_excluded(const Term& term, const Condition& condition) {
        return term.kind == Term::Kind::at_least &&
               std::any_of(condition.all.begin(), condition.all.end(), [&](const Term& other) {
                   return other.kind == Term::Kind::at_least &&
                          exclude(term.left - term.right, other.left - other.right);
               });
    }

    std::optional<bool> of(const Term& term) const {
        const auto says = [&](const CallFact& f) { return f.kind == CallFact::Kind::place && f.place == term; };
        if (std::ranges::any_of(facts_, says)) return true;
        switch (term.kind) {
        case Term::Kind::at_least: return at_least(term.left - term.right);
        case Term::Kind::apart:
            if (is_own(term.tensor) || is_own(term.with) || (strides(term.tensor) && strides(term.with))) return true;
            return std::nullopt;
        case Term::Kind::threads_at_most:  // a pool of several that nobody has used yet has none
            return call_ && call_->threads == 1 ? std::optional(term.other >= 1) : std::nullopt;
        default: return of_strides(term);
        }
    }

    std::optional<bool> at_least(const Formula& slack) const {
        if (const auto known = is_at_least_zero(slack)) return known;
        for (const CallFact& fact : facts_) {
            if (fact.kind != CallFact::Kind::at_most) continue;
            const Formula room = (fact.right - fact.left).substitute(solution_.sizes);  // 0 or more
            if (is_at_least_zero(slack - room) == true) return true;
            if (is_at_least_zero(-slack - 1 - room) == true) return false;
        }
        if (!call_) return std::nullopt;
        try {
            return evaluate(slack, call_->sizes) >= 0;
        } catch (const Failure&) {  // a divisor of 0, or a size that only the output knows
            return std::nullopt;
        }
    }

    std::optional<bool> of_strides(const Term& term) const {
        const bool own = is_own(term.tensor);
        if (!own && are_dense(facts_, term.tensor)) return of_dense(term);
        const auto* all = strides(term.tensor);
        if (!own && !all) return std::nullopt;
        const auto stride = [&](int dim) { return (*all)[static_cast<std::size_t>(dim)]; };
        if (term.kind == Term::Kind::stride_below)
            return own ? term.dim > term.other : stride(term.dim) < stride(term.other);
        if (own) return term.other == 1 && term.dim == kernel_.tensor(term.tensor).rank - 1;
        return stride(term.dim) == term.other;
    }

    /// A caller's buffer that lies row-major: a stride is the product of the extents behind it, each 1 or more where it counts.
    std::optional<bool> of_dense(const Term& term) const {
        if (term.kind == Term::Kind::stride_below) return term.dim < term.other ? std::optional(false) : std::nullopt;
        const auto known = stride_if_dense(term).constant();
        return known ? std::optional(*known == term.other) : std::nullopt;
    }

    bool is_own(const std::string& name) const {
        const Tensor* tensor = kernel_.find_tensor(name);
        return tensor && tensor->role == Role::intermediate;
    }

    const std::vector<std::int64_t>* strides(const std::string& name) const {
        if (!call_) return nullptr;
        const auto found = call_->strides.find(name);
        return found == call_->strides.end() ? nullptr : &found->second;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Facts& facts_;
    const KnownCall* call_;
    const std::vector<Term> taken_;  // of the way that is taken
    const std::vector<Way> ways_;    // all of them
};

/// The Func that a step makes; "" for kinds that make none.
std::string made_func(const Step& step) {
    const bool makes = step.kind == StepKind::copy_in || step.kind == StepKind::twin ||
                       step.kind == StepKind::partial || step.kind == StepKind::rfactor || makes_placed_copy(step.kind);
    return makes ? step.made.at(0) : "";
}

/// Takes out all steps on the Funcs `gone`, and on what they alone would have made.
void drop(std::vector<Step>& steps, std::set<std::string> gone) {
    for (bool grown = true; grown;) {
        std::set<std::string> also;
        each_step(steps, [&](const Step& step) {
            if (gone.count(step.func) && !made_func(step).empty()) also.insert(made_func(step));
        });
        each_step(steps, [&](const Step& step) {
            if (!gone.count(step.func)) also.erase(made_func(step));
        });
        const std::size_t before = gone.size();
        gone.insert(also.begin(), also.end());
        grown = gone.size() > before;
    }
    std::erase_if(steps, [&](const Step& step) { return gone.count(step.func) || gone.count(step.at_func); });
}

/// Where `all` holds, so does `some`: none of its terms is another.
bool implies(const Condition& all, const Condition& some) {
    return !all.negated && !some.negated &&
           std::ranges::all_of(some.all, [&](const Term& term) { return std::ranges::count(all.all, term) > 0; });
}

class Decider {
public:
    explicit Decider(Truth truth) : truth_(std::move(truth)) {}

    std::vector<Step> run(const std::vector<Step>& steps) {
        std::vector<Step> kept;
        std::set<std::pair<std::string, int>> settled;  // stages whose branch is taken: what follows is for other sizes
        std::map<std::pair<std::string, int>, std::vector<Condition>> open;  // of branches that may be
        for (const Step& step : steps) {
            const std::pair<std::string, int> stage(step.func, step.stage);
            if (settled.count(stage) && kind_row(step.kind).scope == StepScope::stage) continue;
            const bool branches = step.kind == StepKind::specialize || step.kind == StepKind::twin;
            const auto holds = branches ? truth_.of(step.when) : std::nullopt;
            if (step.kind == StepKind::twin && holds == false) {
                never_.insert(step.made.at(0));
            } else if (!holds || step.kind == StepKind::twin) {
                Step still = step;
                still.when = holds ? Condition{} : truth_.open_part(step.when);
                if (step.kind == StepKind::specialize) {
                    const auto before = [&](const Condition& when) { return implies(still.when, when); };
                    if (std::ranges::any_of(open[stage], before)) continue;  // another branch is taken first
                    open[stage].push_back(still.when);
                }
                still.nested = run(step.nested);
                kept.push_back(std::move(still));
            } else if (*holds) {
                const std::vector<Step> nested = run(step.nested);
                kept.insert(kept.end(), nested.begin(), nested.end());
                settled.insert(stage);
            }
        }
        drop_untaken_twins(kept);
        return kept;
    }

    /// Second computations that no call takes.
    const std::set<std::string>& never() const { return never_; }

private:
    /// The last twin that may be decides first.
    void drop_untaken_twins(std::vector<Step>& steps) {
        std::map<std::string, std::vector<Condition>> later;
        for (std::size_t i = steps.size(); i-- > 0;) {
            if (steps[i].kind != StepKind::twin) continue;
            std::vector<Condition>& first = later[steps[i].func];
            const bool untaken =
                std::ranges::any_of(first, [&](const Condition& when) { return implies(steps[i].when, when); });
            first.push_back(steps[i].when);
            if (!untaken) continue;
            never_.insert(steps[i].made.at(0));
            steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    const Truth truth_;
    std::set<std::string> never_;
};

/// A second computation of `stored` that every call takes stands in the place of `values`; those it goes before are out.
void put_in_place(std::vector<Step>& steps, const std::string& stored, const std::string& values) {
    std::set<std::string> gone{values};
    std::string taken;
    std::set<std::string> before = gone;
    for (const Step& step : steps) {
        if (step.kind != StepKind::twin || step.func != stored) continue;
        if (step.when == Condition{}) {
            gone = before;
            taken = step.made.at(0);
        }
        before.insert(step.made.at(0));
    }
    if (taken.empty()) return;
    std::erase_if(steps, [&](const Step& step) {
        return step.kind == StepKind::twin && (step.made[0] == taken || gone.count(step.made[0]));
    });
    drop(steps, gone);
    each_step(steps, [&](Step& step) {
        if (step.func == taken) step.func = values;
        if (step.at_func == taken) step.at_func = values;
    });
}

/// Takes out the Funcs that were computed inside loops which only branches that are gone had made: nothing else reads them.
void drop_placed_in_lost_loops(std::vector<Step>& kept, const std::vector<Step>& all) {
    const auto before = made_loops(all), after = made_loops(kept);
    std::set<std::string> gone;
    each_step(kept, [&](const Step& step) {
        const std::pair<std::string, std::string> loop(step.at_func, step.at_loop);
        const std::string* const func = placed(step);
        if (func && before.count(loop) && !after.count(loop)) gone.insert(*func);
    });
    drop(kept, gone);
}

}  // namespace

std::set<std::pair<std::string, std::string>> made_loops(const std::vector<Step>& steps) {
    std::set<std::pair<std::string, std::string>> loops;
    each_step(steps, [&](const Step& step) {
        for (const std::string& name : step.made) loops.emplace(step.func, name);
    });
    return loops;
}

namespace {

std::vector<Step> decide(const Kernel& kernel, const Solution& solution, const std::vector<Step>& steps, Truth truth) {
    Decider decider(std::move(truth));
    std::vector<Step> kept = decider.run(steps);
    drop(kept, decider.never());
    drop_placed_in_lost_loops(kept, steps);
    for (const ValueFunc& f : value_funcs(kernel, solution)) put_in_place(kept, f.stored, f.name);
    return kept;
}

void add_ways(const std::vector<Step>& steps, const std::string& func, const std::function<bool(const Term&)>& sayable,
              const Way& before, std::vector<Way>& ways) {
    for (const Step& step : steps) {
        const bool branch = step.kind == StepKind::specialize && step.func == func && step.stage == 0;
        if (!branch || step.nested.empty() || step.when.negated || !std::ranges::all_of(step.when.all, sayable))
            continue;
        Way way = before;
        way.name += (way.name.empty() ? "" : "_") + (step.note.empty() ? "way" : step.note);
        way.terms.insert(way.terms.end(), step.when.all.begin(), step.when.all.end());
        add_ways(step.nested, func, sayable, way, ways);
        ways.push_back(std::move(way));
    }
}

}  // namespace

std::vector<Step> without_decided_branches(const Kernel& kernel, const Solution& solution,
                                           const std::vector<Step>& steps, const Facts& facts, const KnownCall* call) {
    return decide(kernel, solution, steps, Truth(kernel, solution, facts, call));
}

bool always_holds(const Kernel& kernel, const Solution& solution, const Facts& facts, const Condition& condition) {
    return Truth(kernel, solution, facts, nullptr).of(condition) == true;
}

std::vector<Way> ways_of(const std::vector<Step>& steps, const std::string& func,
                         const std::function<bool(const Term&)>& sayable) {
    std::vector<Way> ways;
    add_ways(steps, func, sayable, {}, ways);
    return ways;
}

std::vector<Step> along_way(const Kernel& kernel, const Solution& solution, const std::vector<Step>& steps,
                            const Facts& facts, const Way& taken, const std::vector<Way>& all) {
    return decide(kernel, solution, steps, Truth(kernel, solution, facts, nullptr, taken.terms, all));
}

}  // namespace halogen
