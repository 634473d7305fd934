// Conditions on data: the companion pipeline that looks for the first point that breaks one.

#include "frontend/lower/lower.h"

#include "frontend/lower/clamped_places.h"
#include "frontend/lower/lowering.h"
#include "frontend/lower/running_counts.h"
#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace halogen {

using lowering::Lowering;

namespace {

/// One comparison after the other takes 4 times as long; more at once only where rows are long.
constexpr int points_at_once = 16;

/// A place that is looked at before the kernel runs.
struct DataPlace {
    int equation;
    Access access;
    int dim;
    bool is_left;
    std::size_t predicates;  // of the equation: so many, the first ones, decide whether the place is used
};

std::vector<DataPlace> checked_places(const Kernel& kernel, const Solution& solution) {
    std::vector<DataPlace> found;
    const auto is_checked = [&](const CheckedPlace& place) {
        return std::find(solution.checked.begin(), solution.checked.end(), place) != solution.checked.end();
    };
    for (size_t e = 0; e < kernel.equations.size(); e++) {
        const Equation& equation = kernel.equations[e];
        const auto look = [&](const Access& access, bool is_left, std::size_t predicates) {
            for (size_t d = 0; d < access.at.size(); d++)
                if (is_checked({static_cast<int>(e), print(Expr(ExprNode{access})), static_cast<int>(d)}))
                    found.push_back({static_cast<int>(e), access, static_cast<int>(d), is_left, predicates});
        };
        const auto look_in = [&](const Expr& part, std::size_t predicates) {
            walk(part, [&](const Expr& node) {
                if (auto* read = node.as<Access>()) look(*read, false, predicates);
            });
        };
        const auto predicates = predicates_of(equation);
        // Reads first: what selects an element of the left side is checked before that.
        for (const Expr& place : equation.left.at) look_in(place, predicates.size());
        look_in(equation.right, predicates.size());
        for (std::size_t i = 0; i < predicates.size(); i++)
            look_in(*predicates[i], i);  // read where those before it hold
        look(equation.left, true, predicates.size());
    }
    return found;
}

/// An element at indices: of what is computed Halide cannot always reduce vectors.
bool is_element(const Expr& place) {
    const auto* data = place.as<Access>();
    return data && !data->at.empty() &&
           std::all_of(data->at.begin(), data->at.end(), [](const Expr& at) { return bare_index(at).has_value(); });
}

/// True for a plain element of an unsigned type none of whose values lies outside a dim of constant extent: 256 bins of bytes.
bool always_inside(const Kernel& kernel, const Solution& solution, const DataPlace& place) {
    auto* data = place.access.at[place.dim].as<Access>();
    if (!data) return false;
    const auto extent = solution.extents.at(place.access.tensor)[place.dim].constant();
    switch (kernel.tensor(data->tensor).type) {
    case Type::u8: return extent && *extent > 0xff;
    case Type::u16: return extent && *extent > 0xffff;
    default: return false;
    }
}

/// True where the equation's own predicates keep the place inside: `H[I[n]] += 1 where I[n] >= 0, I[n] < N`. Of wide signed integers
/// alone: in the others `N - 1` may wrap.
bool kept_inside(const Kernel& kernel, const Solution& solution, const DataPlace& place) {
    const auto predicates = predicates_of(kernel.equations[static_cast<std::size_t>(place.equation)]);
    const Expr& at = place.access.at[static_cast<std::size_t>(place.dim)];
    const Formula& extent = solution.extents.at(place.access.tensor)[static_cast<std::size_t>(place.dim)];
    const auto* data = at.as<Access>();
    const Type type = data ? kernel.tensor(data->tensor).type : Type::f32;
    if (type != Type::i32 && type != Type::i64) return false;
    bool from_0 = false, to_the_end = false;
    const auto at_least_zero = [](const Formula& f) { return f.constant().value_or(-1) >= 0; };
    const auto look = [&](BinaryOp op, const Expr& low, const Expr& high) {
        const int strict = op == BinaryOp::lt ? 1 : 0;
        if (high == at && !depends_on_data(low))
            if (const auto least = solved_formula(low, solution)) from_0 = from_0 || at_least_zero(*least + strict);
        if (low == at && !depends_on_data(high))
            if (const auto most = solved_formula(high, solution))
                to_the_end = to_the_end || at_least_zero(extent - 1 + strict - *most);
    };
    for (std::size_t i = 0; i < place.predicates; i++) each_comparison(*predicates[i], look);
    return from_0 && to_the_end;
}

/// Under `=` points may not meet; where places have formulas the solver has seen to that.
bool may_collide(const Kernel& kernel, const DataPlace& place) {
    return place.is_left && kernel.equations[place.equation].op == Op::assign &&
           !has_formula(place.access.at[place.dim]);
}

/// Builds the search Funcs of a companion.
class Companion {
public:
    Companion(const Kernel& kernel, const Solution& solution)
        : kernel_(kernel), solution_(solution), lowering_(kernel, solution, none_, true) {
        lowering_.make_values();
    }

    LoweredCheck run(const std::vector<DataPlace>& places, const std::set<int>& colliding) {
        for (const DataPlace& place : places) add_range(place);
        for (const int equation : colliding) add_collision(equation);
        for (const std::string& tensor : looked_at_) out_.clamped.erase(tensor);
        out_.first_bad = Halide::Func("first_bad");
        const Halide::Var c("check");
        Halide::Expr value = -1;
        for (size_t i = 0; i < out_.firsts.size(); i++) {
            const Halide::Expr first = out_.firsts[i]();
            value = Halide::select(c == static_cast<int>(i), Halide::select(first == nothing_, -1, first), value);
        }
        out_.first_bad(c) = value;
        out_.first_bad.bound(c, 0, static_cast<int>(out_.firsts.size()));
        out_.kernel = lowering_.lowered();
        return std::move(out_);
    }

private:
    /// The indices of an equation that occur in `roots` or in its first predicates.
    std::vector<std::string> points(const Equation& equation, const std::vector<Expr>& roots,
                                    std::size_t predicates) const {
        std::set<std::string> used;
        const auto collect = [&](const Expr& root) {
            walk(root, [&](const Expr& x) {
                if (auto* index = x.as<IndexRef>()) used.insert(index->name);
            });
        };
        for (const Expr& root : roots) collect(root);
        const auto all = predicates_of(equation);
        for (std::size_t i = 0; i < predicates; i++) collect(*all[i]);
        std::vector<std::string> names;
        for (const std::string& name : indices_of(equation))
            if (used.count(name)) names.push_back(name);
        return names;
    }

    /// Loops from 0, also where the range begins elsewhere: Halide moves what is added to a point over to `nothing_`, which overflows.
    struct Walked {
        Halide::RDom rdom;
        std::map<std::string, Halide::Expr> loops;
        Halide::Expr point;  // row-major over the ranges; 0 where their numbers do not fit
    };

    /// `row`: so many steps along the last index, if not all of its range.
    Walked walk_points(int equation, const std::vector<std::string>& names, const std::string& label,
                       const Halide::Expr& row = {}) const {
        Halide::Region region;
        for (auto name = names.rbegin(); name != names.rend(); ++name) {
            const IndexRange& range = solution_.indices[equation].at(*name);
            region.emplace_back(0, row.defined() && region.empty() ? row : lowering_.number(range.extent));
        }
        // A place that is fixed in a dim without elements leaves the equation no points.
        const Halide::Expr once = lowering_.fixed_extent(kernel_.equations[static_cast<std::size_t>(equation)]);
        if (region.empty())
            region.emplace_back(0, once.defined() ? once : Halide::Expr(1));
        else if (once.defined())
            region[0].extent = region[0].extent * once;
        Walked walked{Halide::RDom(region, label), {}, 0};
        if (names.empty()) walked.point = walked.rdom[0];  // Halide runs no loop that nothing names
        Halide::Expr points = Halide::cast<double>(1);
        for (size_t i = 0; i < names.size(); i++) {
            const IndexRange& range = solution_.indices[equation].at(names[i]);
            const Halide::RVar rvar = walked.rdom[static_cast<int>(names.size() - 1 - i)];
            walked.loops[names[i]] = rvar + lowering_.number(range.min);
            walked.point = walked.point * lowering_.number(range.extent) + rvar;
            points = points * Halide::cast<double>(lowering_.number(range.extent));
        }
        walked.point = Halide::select(points < Halide::cast<double>(nothing_), walked.point, 0);
        return walked;
    }

    /// What an element of data lies behind the first admitted place, as an unsigned number: one that lies before it, beyond all extents.
    static Halide::Expr distance(const Halide::Expr& value, const Halide::Expr& low) {
        const Halide::Type type = Halide::UInt(value.type().bits());
        return Halide::cast(type, value) - Halide::cast(type, low);
    }

    /// What one equation makes need not be there for places whose sizes suffice.
    void look_at(const Expr& root, bool clamped) {
        walk(root, [&](const Expr& node) {
            const auto* read = node.as<Access>();
            if (!read || kernel_.tensor(read->tensor).role == Role::input) return;
            const auto made = lowering::only_equation_of(kernel_, read->tensor);
            const bool is_one = made && kernel_.equations[*made].op == Op::assign &&
                                reduced_indices_of(kernel_.equations[*made]).empty();
            (clamped && is_one ? out_.clamped : looked_at_).insert(read->tensor);
        });
    }

    /// Whether the bounds that a place keeps by its own `min` and `max` do not suffice, by sizes alone: else nothing is looked for.
    std::optional<Halide::Expr> clamps_fail(const DataPlace& place) const {
        const auto dim = static_cast<std::size_t>(place.dim);
        if (is_padded(kernel_.tensor(place.access.tensor), place.dim)) return std::nullopt;
        const auto enough = enough_to_lie_inside(kernel_, solution_, place.equation, place.access.at[dim],
                                                 solution_.extents.at(place.access.tensor)[dim]);
        if (!enough) return std::nullopt;
        Halide::Expr fail = Halide::Internal::const_false();
        for (const Formula& number : *enough) fail = fail || lowering_.number(number) < 0;
        return Halide::Internal::simplify(fail);
    }

    /// Whether some place that data tell lies outside: by the largest distance, of many neighbours at once. That needs no numbers of
    /// points, and no more is looked at where all lie inside. (1.6 M places of rows of 16 on Zen 4: 400 us, and 190 so.)
    Halide::Expr some_outside(const DataPlace& place, const std::vector<std::string>& names, const Halide::Expr& low,
                              const Halide::Expr& end) {
        const Expr& at = place.access.at[static_cast<std::size_t>(place.dim)];
        const std::string label = std::to_string(out_.firsts.size()), &last = names.back();
        const IndexRange& range = solution_.indices[static_cast<std::size_t>(place.equation)].at(last);
        const Halide::Expr row = lowering_.number(range.extent), vectors = row / points_at_once;
        Walked whole = walk_points(place.equation, names, "vectors" + label, vectors),
               rest = walk_points(place.equation, names, "rest" + label, row % points_at_once);
        const auto distances = [&](Walked& walked, const Halide::Expr& of_row) {
            walked.loops[last] = of_row + lowering_.number(range.min);
            return distance(lowering_.emitter(place.equation, walked.loops).place(at), low);
        };
        const Halide::Var lane("lane" + label);
        const Halide::Expr of_whole = distances(whole, whole.rdom[0] * points_at_once + lane);
        Halide::Func by_lanes("by_lanes" + label), farthest("farthest" + label);
        by_lanes(lane) = Halide::cast(of_whole.type(), 0);
        by_lanes(lane) = Halide::max(by_lanes(lane), of_whole);
        by_lanes.bound(lane, 0, points_at_once).vectorize(lane, points_at_once);
        Halide::Stage update = by_lanes.update();
        if (const auto* data = at.as<Access>())
            for (std::size_t d = 0; d < data->at.size(); d++)
                if (bare_index(data->at[d]) == last && lowering_.lowered().images.contains(data->tensor))
                    update.specialize(lowering_.lowered().stride(data->tensor, static_cast<int>(d)) == 1)
                        .vectorize(lane, points_at_once);
        update.vectorize(lane, points_at_once);
        const Halide::RDom lanes(0, points_at_once, "lanes" + label);
        farthest() = Halide::cast(of_whole.type(), 0);
        farthest() = Halide::max(farthest(), by_lanes(lanes));
        farthest() = Halide::max(farthest(), distances(rest, vectors * points_at_once + rest.rdom[0]));
        out_.searched.insert(out_.searched.end(), {by_lanes, farthest});
        return farthest() >= distance(Halide::max(low, end), low);
    }

    /// `at_once`: some neighbouring points are looked at together.
    void add(DataCheck check, Halide::Expr bad, const Walked& walked, const Halide::Expr& where, bool at_once = false) {
        bad = bad && has_points(check.equation, check.indices);
        if (where.defined()) bad = bad && where;
        Halide::Func first("first" + std::to_string(out_.firsts.size()));
        first() = nothing_;
        first() = Halide::min(first(), Halide::select(bad, walked.point, nothing_));
        if (at_once)
            first.update().atomic().vectorize(walked.rdom[0], points_at_once, Halide::TailStrategy::GuardWithIf);
        out_.firsts.push_back(first);
        out_.checks.push_back(std::move(check));
    }

    /// The indices of the equation that are not walked have points: without one no place is met.
    Halide::Expr has_points(int equation, const std::vector<std::string>& walked) const {
        Halide::Expr all = Halide::Internal::const_true();
        for (const auto& [index, range] : solution_.indices[static_cast<std::size_t>(equation)])
            if (std::find(walked.begin(), walked.end(), index) == walked.end())
                all = all && lowering_.number(range.extent) > 0;
        return Halide::Internal::simplify(all);
    }

    void add_range(const DataPlace& place) {
        const Equation& equation = kernel_.equations[place.equation];
        const Expr& at = place.access.at[place.dim];
        const std::vector<std::string> own = points(equation, {at}, 0),
                                       names = points(equation, {at}, place.predicates);
        Walked walked = walk_points(place.equation, names, "check" + std::to_string(out_.firsts.size()));
        lowering::Emitter emitter = lowering_.emitter(place.equation, walked.loops);
        const Halide::Expr value = emitter.place(at);
        const auto [low, end] = lowering_.admitted(place.access.tensor, place.dim, place.is_left);
        const Halide::Expr where = emitter.predicates(place.predicates);
        const std::optional<Halide::Expr> outside = clamps_fail(place);
        // Conditions are looked at where a place lies outside: of ragged rows, `X[C[k]] where P[i] <= k, k < P[i + 1]`, each walks all points.
        const bool first_without = !own.empty() && (!where.defined() || own.size() < names.size()) && !outside;
        if (first_without) walked.rdom.where(some_outside(place, own, low, end));
        if (outside) walked.rdom.where(*outside);
        look_at(at, outside.has_value());
        const auto predicates = predicates_of(equation);
        for (std::size_t i = 0; i < place.predicates; i++) look_at(*predicates[i], false);
        add({DataCheck::Kind::in_range, place.equation, place.access.tensor, place.dim, print(at), names},
            value < low || value >= end, walked, where, first_without && !where.defined() && is_element(at));
    }

    /// Counts how often each element is met. A dim counts where its place is more than an index, or that index decides more
    /// than this place; an index that stands nowhere else tells points apart by itself.
    void add_collision(int e) {
        const Equation& equation = kernel_.equations[e];
        const Access& left = equation.left;
        for (const Expr& at : left.at) look_at(at, false);
        for (const Expr* predicate : predicates_of(equation)) look_at(*predicate, false);
        std::vector<Expr> roots;
        int by_data = -1;  // the first dim whose place data decide
        for (int d = 0; d < static_cast<int>(left.at.size()); d++) {
            if (left.at[d].as<IndexRef>()) continue;
            roots.push_back(left.at[d]);
            if (by_data < 0 && !has_formula(left.at[d])) by_data = d;
        }
        const std::vector<std::string> moving = points(equation, roots, predicates_of(equation).size());
        std::vector<int> dims;
        for (int d = 0; d < static_cast<int>(left.at.size()); d++) {
            auto* index = left.at[d].as<IndexRef>();
            if (!index || std::find(moving.begin(), moving.end(), index->name) != moving.end()) dims.push_back(d);
        }
        const std::string label = std::to_string(out_.firsts.size());
        Halide::Func count("count" + label);
        std::vector<Halide::Var> vars;
        for (int d : dims) vars.emplace_back("count" + label + "_d" + std::to_string(d));
        count(vars) = 0;
        Walked met = walk_points(e, moving, "met" + label);
        lowering::Emitter counting = lowering_.emitter(e, met.loops);
        if (const Halide::Expr where = counting.predicates(); where.defined()) met.rdom.where(where);
        count(element(left, dims, counting)) +=
            Halide::select(met.point >= 0, 1, 1);  // Halide runs no loop that nothing names
        count.compute_root();
        const Walked walked = walk_points(e, moving, "check" + label);
        lowering::Emitter emitter = lowering_.emitter(e, walked.loops);
        const Halide::Expr collides = count(element(left, dims, emitter)) > 1;
        const Expr text = by_data >= 0 ? left.at[by_data] : Expr(ExprNode{left});
        add({DataCheck::Kind::no_collision, e, left.tensor, by_data, print(text), moving}, collides, walked,
            emitter.predicates());
    }

    std::vector<Halide::Expr> element(const Access& left, const std::vector<int>& dims,
                                      lowering::Emitter& emitter) const {
        std::vector<Halide::Expr> at;
        for (int d : dims) {
            const auto [low, end] = lowering_.admitted(left.tensor, d, true);
            const Halide::Expr last = Halide::max(low, end - 1);
            at.push_back(Halide::cast<int>(Halide::clamp(emitter.place(left.at[d]), low, last)));
        }
        return at;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Emission none_;
    Lowering lowering_;
    LoweredCheck out_;
    std::set<std::string> looked_at_;       // tensors that are read whatever the sizes
    const Halide::Expr nothing_ = 1 << 30;  // far from the end of the type: Halide's simplifier computes with it
};

}  // namespace

std::optional<LoweredCheck> lower_checks(const Kernel& kernel, const Solution& solution) {
    std::vector<DataPlace> places = checked_places(kernel, solution);
    std::set<int> colliding = solution.may_meet;
    std::set<std::pair<int, int>> counts;  // dims of equations that count points and lie inside
    for (const DataPlace& place : places) {
        if (!may_collide(kernel, place)) continue;
        const auto count = running_count(kernel, solution, place.equation, place.dim);
        if (!count)
            colliding.insert(place.equation);
        else if (count->lies_inside)
            counts.emplace(place.equation, place.dim);
    }
    std::erase_if(places, [&](const DataPlace& place) {
        if (place.is_left && counts.contains({place.equation, place.dim})) return true;
        return !may_collide(kernel, place) &&
               (always_inside(kernel, solution, place) || kept_inside(kernel, solution, place));
    });
    if (places.empty() && colliding.empty()) return std::nullopt;
    return Companion(kernel, solution).run(places, colliding);
}

}  // namespace halogen
