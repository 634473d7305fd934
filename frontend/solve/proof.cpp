#include "frontend/solve/proof.h"

#include "frontend/formula/hull.h"
#include "frontend/formula/relation.h"
#include "frontend/solve/implied.h"
#include "frontend/solve/model.h"
#include "frontend/solve/place.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

class Prover {
public:
    Prover(const Kernel& kernel, const Solution& s) : model_(kernel), solution_(s) {
        for (const Guard& g : s.guards) {
            const auto name = g.right.as_symbol();
            if (g.relation == Relation::at_most && name && g.left == Formula(1)) bounds_[*name] = 1;
        }
    }

    std::vector<InBounds> all() const {
        std::vector<InBounds> proofs;
        for (int e = 0; e < static_cast<int>(solution_.indices.size()); ++e) {
            const Box box = box_of(solution_, e);
            const Facts facts = facts_of(e, solution_.guards);
            for (const Use& use : model_.uses_of(e)) {
                for (int d = 0; d < static_cast<int>(use.places.size()); ++d)
                    proofs.push_back(proof_of(use, d, box, facts));
            }
        }
        return proofs;
    }

private:
    Formula resolved(const Formula& f, int equation) const {
        const auto size_of = [&](const std::string& name) -> const Formula* {
            if (equation >= 0 && solution_.indices[equation].contains(name)) return nullptr;
            const auto at = solution_.sizes.find(name);
            return at == solution_.sizes.end() ? nullptr : &at->second;
        };
        return f.substitute(size_of);
    }

    /// The guards, and that every index has a value: else nothing is accessed.
    Facts facts_of(int equation, const std::vector<Guard>& guards) const {
        Facts facts;
        for (const auto& [index, range] : solution_.indices[equation]) facts.add_nonnegative(range.extent - Formula(1));
        for (const Guard& g : guards) facts.add(g);
        return facts;
    }

    InBounds proof_of(const Use& use, int d, const Box& box, const Facts& facts) const {
        InBounds p{use.equation, use.text, use.access->tensor, d, use.is_left};
        const DimModel& dim = model_.dim(use, d);
        const Formula& extent = solution_.extents.at(p.tensor)[d];
        const bool padded = dim.padded && !use.is_left;
        p.least = padded ? -resolved(dim.pad_low, -1) : Formula(0);
        p.most = extent + (padded ? resolved(dim.pad_high, -1) : Formula(0)) - Formula(1);
        const Place& place = use.places[d];
        const auto& checked = solution_.checked;
        if (std::find(checked.begin(), checked.end(), CheckedPlace{use.equation, use.text, d}) != checked.end()) {
            p.verdict = InBounds::Verdict::checked;
            return p;
        }
        const Hull hull = reach_of(resolved(*place.formula, use.equation), box, bounds_);
        p.low = hull.low;
        p.high = hull.high;
        if (place.bare && p.low == Formula(0) && p.high == extent - Formula(1)) return p;
        p.verdict = InBounds::Verdict::proved;
        for (const Formula& slack : {p.low - p.least, p.most - p.high}) {
            for (const Formula& part : conjuncts(slack)) prove(p, part, facts);
        }
        return p;
    }

    /// Whether `slack` >= 0, for the verdict.
    void prove(InBounds& p, const Formula& slack, const Facts& facts) const {
        if (facts.imply_nonnegative(slack)) {
            if (p.verdict != InBounds::Verdict::missing) add_guards(p, slack);
            return;
        }
        const auto [left, right] = sides_of(slack);
        if (p.verdict != InBounds::Verdict::missing) p.guards.clear();
        p.verdict = InBounds::Verdict::missing;
        p.guards.push_back({left, Relation::at_most, right, p.equation, p.tensor, p.dim, "",
                            fmt::format("{} stays inside dim {} of `{}`", p.access, p.dim, p.tensor)});
    }

    /// The guards by which `slack` is not negative: one where one is enough.
    void add_guards(InBounds& p, const Formula& slack) const {
        if (facts_of(p.equation, {}).imply_nonnegative(slack)) return;
        p.verdict = InBounds::Verdict::guarded;
        const auto add = [&](const Guard& g) {
            if (std::find(p.guards.begin(), p.guards.end(), g) == p.guards.end()) p.guards.push_back(g);
        };
        const auto alone = std::find_if(solution_.guards.begin(), solution_.guards.end(), [&](const Guard& g) {
            return facts_of(p.equation, {g}).imply_nonnegative(slack);
        });
        if (alone != solution_.guards.end()) return add(*alone);
        const auto names = slack.symbols();
        for (const Guard& g : solution_.guards) {
            const auto others = (g.left - g.right).symbols();
            if (std::any_of(others.begin(), others.end(), [&](const auto& n) { return names.contains(n); })) add(g);
        }
    }

    const KernelModel model_;
    const Solution& solution_;
    LowerBounds bounds_;
};

}  // namespace

std::vector<InBounds> prove_in_bounds(const Kernel& kernel, const Solution& solution) {
    return Prover(kernel, solution).all();
}

bool is_safe(const std::vector<InBounds>& proofs) {
    return std::none_of(proofs.begin(), proofs.end(),
                        [](const InBounds& p) { return p.verdict == InBounds::Verdict::missing; });
}

std::string to_string(InBounds::Verdict verdict) {
    switch (verdict) {
    case InBounds::Verdict::guarded: return "guard";
    case InBounds::Verdict::checked: return "run";
    case InBounds::Verdict::missing: return "missing";
    default: return "proved";
    }
}

std::string print(const InBounds& p) {
    std::string text = fmt::format("{} dim {}: ", p.access, p.dim);
    if (p.verdict == InBounds::Verdict::checked) return text + "checked when the kernel runs";
    if (p.verdict == InBounds::Verdict::exact) return text + "the index runs over just this dim";
    const bool missing = p.verdict == InBounds::Verdict::missing;
    text += fmt::format("{} to {} {} {} to {}", print(p.low), print(p.high), missing ? "must lie in" : "lies in",
                        print(p.least), print(p.most));
    std::string guards;
    for (const Guard& g : p.guards) guards += (guards.empty() ? "" : ", ") + print(g);
    if (missing) return text + "; not proved, the guard " + guards + " is missing";
    if (!guards.empty()) text += ", guarded by " + guards;
    return text;
}

}  // namespace halogen
