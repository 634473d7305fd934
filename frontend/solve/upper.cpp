#include "frontend/solve/upper.h"

#include "frontend/formula/bound.h"

#include <algorithm>
#include <set>

namespace halogen {

namespace {

/// True when the class stands in `slack` by itself alone, and never with a minus sign: then it is not bounded by it.
bool only_grows_with(const Sizes& s, const Formula& slack, const std::string& root) {
    return std::all_of(slack.terms().begin(), slack.terms().end(), [&](const auto& term) {
        const auto& [atoms, factor] = term;
        if (atoms.empty()) return true;
        if (atoms.size() > 1 || atoms[0]->kind != Formula::Atom::Kind::symbol) return false;
        return factor > 0 || !s.classes.is_in(atoms[0]->name, root);
    });
}

/// The lesser of two bounds, each of which there is only where its `no_…` is negative; anything where there is neither.
Formula lesser_of(const Formula& a, const Formula& no_a, const Formula& b, const Formula& no_b,
                  const LowerBounds& least) {
    const auto unless = [&](const Formula& bound, const Formula& missing, const Formula& other) {
        if (is_nonnegative(-missing - Formula(1), least)) return bound;
        const Formula is_missing = smaller(1, larger(0, missing + Formula(1), least), least);  // 1 or 0
        return larger(bound, is_missing * other, least);
    };
    return smaller(unless(a, no_a, b), unless(b, no_b, a), least);
}

/// -f, with -min(a, b) as max(-a, -b).
Formula turned(const Formula& f) {
    using Kind = Formula::Atom::Kind;
    const auto* atom = f.as_atom();
    return atom && atom->kind == Kind::min ? max(turned(atom->a), turned(atom->b)) : -f;
}

/// The access is one of those that give the dim its extent: it follows.
bool defines_dim(const Sizes& s, const Constraint& c) {
    return c.is_left && s.definitions.contains(KernelModel::dim_name(c.why.tensor, c.why.dim));
}

/// Another index of the place has no values whatever the sizes are, of `T[M - k]` where k in 0:0.
bool is_written_empty(const Sizes& s, const Constraint& c) {
    if (!c.use) return false;
    const auto& ranges = s.model->ranges[c.use->equation];
    return std::any_of(ranges.begin(), ranges.end(), [&](const auto& entry) {
        const auto count = (entry.second.end - entry.second.begin).constant();
        return count && *count <= 0 && mentions(*c.use->places[c.why.dim].formula, entry.first);
    });
}

/// Another index of the place has no values, so there is no such access.
bool is_never_made(const Sizes& s, const Constraint& c, const std::string& root) {
    const auto& indices = s.indices[c.use->equation];
    return std::any_of(indices.begin(), indices.end(), [&](const auto& entry) {
        return mentions(*c.use->places[c.why.dim].formula, entry.first) &&
               s.classes.resolve(entry.second.extent, root) == Formula(0);
    });
}

/// Collects the bounds of one class.
class UpperFinder {
public:
    UpperFinder(const Sizes& s, const std::string& root) : s_(s), root_(root) {}

    Upper find(const std::vector<int>& constraints) {
        for (int id : constraints) look_at(id);
        const auto first =
            std::find_if(uncertain_.begin(), uncertain_.end(), [](const Uncertain& u) { return u.bound; });
        if (!upper_.value && first == uncertain_.end()) return upper_;
        const bool one_case =
            !upper_.value && std::all_of(uncertain_.begin(), uncertain_.end(), [&](const Uncertain& u) {
                return u.bound ? u.positive == first->positive : !largest_where_bounded(-u.slack, root_);
            });
        if (one_case) {  // all rest on the same factors, which have to be positive
            for (const Uncertain& u : uncertain_)
                if (u.bound) add(u.id, *u.bound);
            upper_.positive = first->positive;
        } else {
            add_cases();
        }
        return upper_;
    }

private:
    struct Uncertain {
        int id;
        Formula slack;
        std::optional<Formula> bound;  // where these are positive
        std::vector<Formula> positive;
    };

    void look_at(int id) {
        const Constraint& c = s_.constraints[id];
        if (!c.moves() || only_grows_with(s_, c.slack, root_)) return;
        const Formula slack = s_.classes.resolve(c.slack, root_, s_.maximized);
        if (!mentions(slack, root_) || defines_dim(s_, c) || is_written_empty(s_, c)) return;
        std::vector<Formula> positive;
        const auto bound = largest_with_nonpositive(-slack, root_, positive);
        const bool always = bound && std::all_of(positive.begin(), positive.end(), [&](const Formula& f) {
                                return is_nonnegative(f - Formula(1), s_.maximized);
                            });
        if (always)
            add(id, *bound);
        else
            uncertain_.push_back({id, slack, bound, std::move(positive)});
    }

    bool waits_for(const Formula& f) const { return !f.is_constant() && !s_.classes.unknowns(f).empty(); }

    void add(int id, const Formula& named) {
        const Formula bound = s_.resolve(named);
        upper_.constraints.push_back(id);
        upper_.satisfied.push_back(id);
        upper_.waits = upper_.waits || waits_for(bound);
        if (!upper_.value || is_nonnegative(least_named_ - named, s_.maximized)) {
            upper_.value = bound;
            least_named_ = named;
        } else if (!is_nonnegative(named - least_named_, s_.maximized)) {
            upper_.value = smaller(*upper_.value, bound, s_.bounds);
            least_named_ = min(least_named_, named);
        }
    }

    /// Bounds that there are for some values of the rest; one has to be there.
    void add_cases() {
        Formula without = -1;  // not negative where nothing bounds it
        for (const Uncertain& u : uncertain_) {
            const auto bound = largest_where_bounded(-u.slack, root_);
            if (!bound) continue;
            upper_.constraints.push_back(u.id);
            if (bound->decides) upper_.satisfied.push_back(u.id);
            Formula missing = s_.resolve(bound->unless.front());
            for (const Formula& f : bound->unless) missing = larger(missing, s_.resolve(f), s_.bounds);
            const Formula value = s_.resolve(bound->value);
            if (is_nonnegative(missing, s_.bounds)) continue;
            upper_.waits = upper_.waits || waits_for(value) || waits_for(missing);
            const auto before = upper_.value;
            upper_.value = before ? lesser_of(*before, without, value, missing, s_.bounds) : value;
            without = before ? smaller(without, missing, s_.bounds) : missing;
        }
        const Formula present = turned(without);
        if (!is_nonnegative(present - Formula(1), s_.bounds)) upper_.positive.push_back(present);
    }

    const Sizes& s_;
    const std::string& root_;
    Upper upper_;
    Formula least_named_;  // over the names of extents that rule 2 found: those are at least 1, and so short
    std::vector<Uncertain> uncertain_;
};

/// The accesses that bound the class by a formula over the names of sizes, if only where some stride is at least 1.
std::vector<int> bounded_in_cases(const Sizes& s, const std::string& root) {
    std::vector<int> ids = s.constraints_of.at(*s.classes.class_of(root));
    std::erase_if(ids, [&](int id) {
        const Constraint& c = s.constraints[id];
        if (!c.moves() || defines_dim(s, c) || is_written_empty(s, c)) return true;
        std::map<std::string, Formula> roots;
        c.slack.for_each_symbol([&](const std::string& name) {
            if (s.classes.has(name)) roots.emplace(name, Formula::symbol(s.classes.root(name)));
        });
        const Formula slack = c.slack.substitute(roots);
        return !mentions(slack, root) || !largest_where_bounded(-slack, root);
    });
    return ids;
}

/// What an open size is where it is large: products of two and of an extent that is searched for still fit 64 bits.
constexpr std::int64_t large_size = std::int64_t{1} << 10;

/// By how much the slack falls as the class grows, with all other sizes `size` but the one that is `large`; nothing where it has no value.
std::optional<std::int64_t> fall_of(const Formula& slack, const std::string& root, std::int64_t size,
                                    const std::string& large = {}) {
    Bindings sizes;
    slack.for_each_symbol([&](const std::string& name) { sizes[name] = name == large ? large_size : size; });
    try {
        sizes[root] = 1;
        const std::int64_t first = evaluate(slack, sizes);
        sizes[root] = largest_searched;
        return first - evaluate(slack, sizes);
    } catch (const Failure&) {
        return std::nullopt;  // past 64 bits, or a divisor of 0
    }
}

/// Whether the extent keeps all slacks; nothing past what is searched.
std::optional<bool> keeps_all(const std::vector<Formula>& slacks, const std::string& root, std::int64_t extent) {
    if (extent > largest_searched) return std::nullopt;
    return std::ranges::all_of(slacks, [&](const Formula& slack) {
        try {
            return evaluate(slack, {{root, extent}}) >= 0;
        } catch (const Failure&) {
            return false;  // past 2^62, or a divisor that another guard refuses
        }
    });
}

/// The accesses that a search bounds. Where there is a formula too, those that it leaves out, if an output's buffer can give the
/// extent instead of it; else, as of an intermediate, the formula stands under the guard that all fit.
std::vector<int> searched(const Sizes& s, const std::string& root, const Upper& upper, std::vector<int> ids) {
    if (ids.empty()) return ids;
    const auto is_in = [](const std::vector<int>& list, int id) {
        return std::find(list.begin(), list.end(), id) != list.end();
    };
    const auto& bounds = upper.value ? upper.constraints : bounded_in_cases(s, root);
    const bool is_formula_enough =
        !std::all_of(bounds.begin(), bounds.end(), [&](int id) { return is_in(ids, id); }) || !output_with(s, root);
    if (is_formula_enough && !bounds.empty()) return {};
    if (!upper.value) return ids;
    const auto slack = [&](int id) { return s.classes.resolve(s.constraints[id].slack, root); };
    const auto is_known = [&](int id) { return slack(id).symbols() == std::set{root}; };
    const auto most = upper.value->constant();
    const bool is_too_large =  // for a remainder, say, which ends no large extent
        most && std::ranges::any_of(
                    ids, [&](int id) { return is_known(id) && !keeps_all({slack(id)}, root, *most).value_or(true); });
    std::erase_if(ids, [&](int id) {
        return is_in(bounds, id) || is_never_made(s, s.constraints[id], root) ||
               (!(is_too_large && is_known(id)) && !may_end(slack(id), root));
    });
    return ids;
}

}  // namespace

std::optional<std::int64_t> largest_that_fits(const std::function<std::optional<bool>(std::int64_t)>& fits) {
    std::int64_t low = 0, high = 1;
    for (auto fit = fits(high); !fit || *fit; fit = fits(high)) {
        if (!fit) return std::nullopt;
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle).value() ? low : high) = middle;
    }
    return low;
}

bool may_end(const Formula& slack, const std::string& root) {
    if (!mentions(slack, root)) return false;
    for (const std::int64_t size : {1, 4, 16}) {  // some may be too small for a divisor
        const auto fall = fall_of(slack, root, size);
        if (!fall) continue;
        if (*fall > largest_searched / 1024) return true;
        return std::ranges::any_of(slack.symbols(), [&](const std::string& name) {  // l*min(i, l) of a long range of l
            return fall_of(slack, root, size, name).value_or(*fall) > *fall + large_size / 2;
        });
    }
    return true;  // nothing speaks against it
}

Upper largest_bound(const Sizes& s, const std::string& root) {
    Upper upper = upper_bound(s, root);
    const auto falling = falling_constraints(s, root);
    const auto ids = searched(s, root, upper, falling);
    upper.is_outside_cases = !upper.value && ids.empty() && !falling.empty();
    if (ids.empty() || upper.waits) return upper;
    std::vector<Formula> slacks;
    for (int id : ids) slacks.push_back(s.classes.resolve(s.constraints[id].slack, root));
    const bool is_open =
        std::any_of(slacks.begin(), slacks.end(), [](const Formula& f) { return f.symbols().size() > 1; });
    if (is_open || (upper.value && !upper.value->is_constant())) {
        upper.value.reset();
        return upper;
    }
    const auto largest = largest_that_fits([&](std::int64_t extent) { return keeps_all(slacks, root, extent); });
    if (!largest) return upper;
    if (!upper.value) upper = Upper{};
    const bool is_less = upper.value && *largest < *upper.value->constant();
    upper.value = upper.value ? smaller(*upper.value, *largest) : Formula(*largest);
    upper.constraints.insert(is_less ? upper.constraints.begin() : upper.constraints.end(), ids.begin(), ids.end());
    upper.satisfied.insert(upper.satisfied.end(), ids.begin(), ids.end());
    return upper;
}

Upper upper_bound(const Sizes& s, const std::string& root) {
    const auto list = s.constraints_of.find(*s.classes.class_of(root));
    return list == s.constraints_of.end() ? Upper{} : UpperFinder(s, root).find(list->second);
}

std::vector<int> falling_constraints(const Sizes& s, const std::string& root) {
    std::vector<int> ids;
    const auto list = s.constraints_of.find(*s.classes.class_of(root));
    if (list == s.constraints_of.end()) return ids;
    for (int id : list->second) {
        const Constraint& c = s.constraints[id];
        if (!defines_dim(s, c) && !is_written_empty(s, c) && c.use && c.moves() &&
            only_reaches_further_with(s, *c.use, c.why.dim, root))
            ids.push_back(id);
    }
    return ids;
}

bool only_reaches_further_with(const Sizes& s, const Use& use, int d, const std::string& root) {
    const auto holds_root = [&](const Formula& f) {
        bool found = false;
        f.for_each_symbol([&](const std::string& name) {
            const bool is_index = s.indices[use.equation].contains(name);
            found = found || (!is_index && s.classes.is_in(name, root));
        });
        return found;
    };
    const DimModel& dim = KernelModel::dim(use, d);
    if (holds_root(dim.extent) || holds_root(dim.pad_low) || holds_root(dim.pad_high)) return false;
    if (holds_root(*use.places[d].formula)) return false;
    return std::ranges::none_of(s.model->ranges[use.equation], [&](const auto& range) {
        return holds_root(range.second.begin) || holds_root(range.second.end);
    });
}

bool is_left_extent_of(const Sizes& s, const Use& use, int d, const std::string& root) {
    bool found = false;
    use.places[d].formula->for_each_symbol([&](const std::string& name) {
        const auto index = s.indices[use.equation].find(name);
        if (index == s.indices[use.equation].end() || index->second.reduced) return;
        const auto extent = index->second.extent.as_symbol();
        found = found || (extent && s.classes.is_in(*extent, root));
    });
    return found;
}

bool is_left_extent(const Sizes& s, const std::string& root) {
    const auto list = s.constraints_of.find(*s.classes.class_of(root));
    if (list == s.constraints_of.end()) return false;
    return std::any_of(list->second.begin(), list->second.end(), [&](int id) {
        const Constraint& c = s.constraints[id];
        if (!c.moves()) return false;
        const auto& indices = s.indices[c.why.equation];
        return std::any_of(indices.begin(), indices.end(), [&](const auto& entry) {
            const auto name = entry.second.extent.as_symbol();
            return name && !entry.second.reduced && s.classes.is_in(*name, root);
        });
    });
}

bool shares_bound(const Sizes& s, const std::string& root, const std::vector<int>& constraints) {
    return std::any_of(constraints.begin(), constraints.end(), [&](int id) {
        bool shares = false;
        const Formula& slack = s.constraints[id].slack;
        slack.for_each_symbol([&](const std::string& name) {
            if (shares || !s.classes.has(name)) return;
            const auto& other = s.classes.root(name);
            if (other == root || !is_eligible(s, other) ||
                (s.classes.value(other) && !s.given.contains(other) && !s.maximized.contains(other)))
                return;
            std::vector<Formula> ignored;
            shares = largest_with_nonpositive(-s.classes.resolve(slack, other), other, ignored).has_value();
        });
        return shares;
    });
}

}  // namespace halogen
