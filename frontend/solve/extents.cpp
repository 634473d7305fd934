#include "frontend/solve/extents.h"

#include "frontend/notation/symbol.h"
#include "frontend/solve/definitions.h"
#include "frontend/solve/equalities.h"
#include "frontend/solve/largest.h"
#include "frontend/solve/place.h"
#include "frontend/solve/upper.h"

#include <algorithm>

namespace halogen {

namespace {

/// True when a left index with this extent stands in a compound read: then rule 2, and nothing else, finds it.
bool is_held_by_reads(const Sizes& s, const std::string& root) {
    const auto stands_on_the_left = [&](int equation, const std::string& index) {
        const auto& at = s.kernel().equations[equation].left.at;
        return std::any_of(at.begin(), at.end(), [&](const Expr& place) { return bare_index(place) == index; });
    };
    return std::any_of(s.model->uses.begin(), s.model->uses.end(), [&](const Use& use) {
        if (use.is_left) return false;
        return std::any_of(use.access->at.begin(), use.access->at.end(), [&](const Expr& place) {
            bool held = false;
            walk(place, [&](const Expr& part) {
                const auto index = bare_index(part);
                const auto at = index ? s.indices[use.equation].find(*index) : s.indices[use.equation].end();
                if (at == s.indices[use.equation].end() || bare_index(place)) return;
                if (!stands_on_the_left(use.equation, *index)) return;
                const auto name = at->second.extent.as_symbol();
                held = held || (name && s.classes.is_in(*name, root));
            });
            return held;
        });
    });
}

/// Rule 2 for every class that it can be applied to.
bool maximize_any(Sizes& s, bool even_if_equated) {
    bool progress = false;
    for (const std::string& root : s.classes.unsolved())
        if (maximize(s, root, even_if_equated)) progress = true;
    return progress;
}

/// Nothing but a caller can give it: it is no left index's extent, and stands in no equality.
bool is_for_callers(const Sizes& s, const std::string& root) {
    return !is_left_extent(s, root) && !is_equated(s, root);
}

/// A size that only an output's dim or an expression names: the output's buffer gives it.
bool open_any(Sizes& s, bool for_callers_alone) {
    for (const std::string& root : s.classes.unsolved()) {
        if (!Symbol::of(root).is_size() || is_held_by_reads(s, root)) continue;
        if (for_callers_alone && !is_for_callers(s, root)) continue;
        if (const auto source = output_with(s, root))
            open_size(s, root, *source);
        else
            open_size(s, root);
        return true;
    }
    return false;
}

}  // namespace

Sizes&& determine(Sizes&& s) {
    // What an equality could still fix is maximized, and what rule 2 could still fix is opened, only where there is no other.
    while (use_equalities(s) || use_definitions(s) || maximize_any(s, false) || open_any(s, true) ||
           maximize_any(s, true) || open_any(s, false)) {
    }
    return std::move(s);
}

}  // namespace halogen
