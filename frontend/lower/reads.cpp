// How lowering reads tensors: inputs, padded inputs, private copies, what other equations computed.

#include "frontend/lower/boundary.h"

#include "frontend/lower/lowering.h"
#include "frontend/notation/parts.h"
#include "frontend/plan/value_funcs.h"
#include "frontend/solve/place.h"

#include <set>
#include <string>

namespace halogen::lowering {

/// A sum of multiples in which no index stands twice: Halide's intervals tell exactly how far it reaches. (Of |l - (l + 3)|, l < 5, they
/// say 0 to 7, where it is 3.)
static bool reaches_as_far_as_intervals_say(const Expr& place) {
    std::set<std::string> seen;
    bool plain = true;
    walk(place, [&](const Expr& e) {
        const auto* binary = e.as<Binary>();
        plain = plain && !e.as<Access>() && !e.as<Call>() && !e.as<Cast>() && (!binary || binary->op != BinaryOp::mod);
        if (const auto* index = e.as<IndexRef>()) plain = plain && seen.insert(index->name).second;
    });
    return plain;
}

Halide::Expr Lowering::load(const Access& access, Emitter& emitter) {
    const Tensor& tensor = kernel_.tensor(access.tensor);
    if (tensor.role != Role::input) return load_value(access, emitter);
    for (const CopyIn& copy : emission_.copies) {
        if (!reads_through(copy, access.tensor)) continue;
        std::vector<Halide::Expr> places = emitter.open_places(access);
        for (int d = 0; d < tensor.rank; d++) {  // a copy holds what is asked for, and that has to be there
            if (reaches_as_far_as_intervals_say(access.at[d])) continue;
            const auto [low, end] = admitted(tensor.name, d);
            places[d] = Halide::clamp(places[d], low, end - 1);
        }
        const auto groups = groups_of(access);
        Halide::Func func = copy_func(copy, groups);
        if (groups && copy.panel) {
            places.push_back(places[groups->dim] % groups->points);
            places[groups->dim] = places[groups->dim] / groups->points;
        }
        if (copy.panel) {
            places.insert(places.begin(), places[copy.panel_dim] / copy.panel);
            places[copy.panel_dim + 1] = places[copy.panel_dim + 1] % copy.panel;
        }
        return func(reversed(places));
    }
    return load_input(access, emitter);
}

int Lowering::group_points(const std::string& func, const std::string& index) const {
    for (const Group& group : emission_.groups)
        if (group.func == func && group.index == index) return group.points;
    return 1;
}

std::optional<Lowering::Groups> Lowering::groups_of(const Access& access) const {
    for (std::size_t d = 0; d < access.at.size(); d++) {
        const auto* index = access.at[d].as<IndexRef>();
        const int points = index ? group_points(reader_, index->name) : 1;
        if (points > 1) return Groups{static_cast<int>(d), points};
    }
    return std::nullopt;
}

std::pair<Halide::Expr, Halide::Expr> Lowering::admitted(const std::string& name, int d, bool is_left) const {
    const Tensor& tensor = kernel_.tensor(name);
    Halide::Expr low = 0, end = extent_of(tensor, d);
    if (is_padded(tensor, d) && !is_left) {
        const Dim& dim = (*tensor.dims)[d];
        low = low - number(solved_formula(dim.pad_low, solution_).value_or(0));
        end = end + number(solved_formula(dim.pad_high, solution_).value_or(0));
    }
    return {low, end};
}

/// A size. Where it asks how far a tensor is written, Halide takes a remainder for anything below the divisor, also one of sizes alone; of calls
/// it keeps what they are made of.
static Halide::Expr with_fixed_remainders(const Halide::Expr& size) {
    class Fixed : public Halide::Internal::IRMutator {
        using Call = Halide::Internal::Call;
        using IRMutator::visit;

        Halide::Expr visit(const Halide::Internal::Mod* e) override {
            const Halide::Expr a = mutate(e->a), b = mutate(e->b);
            const auto rest = [&](const Halide::Expr& of) {
                return Call::make(b.type(), Call::mod_round_to_zero, {of, b}, Call::PureIntrinsic);
            };
            return rest(rest(a) + b);
        }
    };
    return Fixed().mutate(size);
}

Halide::Expr Lowering::extent_of(const Tensor& tensor, int d) const {
    const auto image = out_.images.find(tensor.name);
    if (image != out_.images.end()) return image->second.dim(tensor.rank - 1 - d).extent();
    return with_fixed_remainders(number(solution_.extents.at(tensor.name)[d]));
}

Halide::Expr Lowering::inside(const Access& access, int d, const Halide::Expr& place, const Tensor& tensor) {
    const Expr& at = access.at[d];
    // A promise would hide from Halide that X[n, 0] and X[n, 1] lie side by side, and are read by the same vectors.
    const auto extent = solution_.extents.at(tensor.name)[d].constant();
    if (const auto* number = at.as<IntegerLiteral>(); number && extent && number->value >= 0 && number->value < *extent)
        return place;
    // A place that is held back from the end is promised to lie inside too: of an empty dim it asks for nothing.
    const Halide::Expr last = extent_of(tensor, d) - 1;
    if (auto* index = at.as<IndexRef>(); index && !overcomputed(index->name) && spans(equation_, at, tensor, d)) {
        // Of a fused loop of so many points Halide knows no more than that it lies within as many to both sides.
        return extent && d + 1 < tensor.rank ? Halide::unsafe_promise_clamped(place, 0, last) : place;
    }
    if (guards_data() && is_checked(equation_, access, d)) return Halide::cast<int>(Halide::clamp(place, 0, last));
    return Halide::unsafe_promise_clamped(Halide::cast<int>(place), 0, last);
}

bool Lowering::guards_data() const {
    const auto over = [&](const Overcompute& o) { return o.func == reader_; };  // data past the ends were not looked at
    return safe_data_ || has_predicate(kernel_.equations[equation_]) ||
           std::any_of(emission_.overcomputes.begin(), emission_.overcomputes.end(), over);
}

bool Lowering::is_checked(int e, const Access& access, int d) const {
    const auto& all = solution_.checked;
    return std::find(all.begin(), all.end(), CheckedPlace{e, print(Expr(ExprNode{access})), d}) != all.end();
}

Halide::Expr Lowering::inside_padding(const Access& access, int d, const Halide::Expr& place) const {
    if (!is_checked(equation_, access, d)) return Halide::cast<int>(place);
    const auto [low, end] = admitted(access.tensor, d);
    if (guards_data()) return Halide::cast<int>(Halide::clamp(place, low, end - 1));
    return Halide::unsafe_promise_clamped(place, low, end - 1);
}

bool Lowering::spans(int equation, const Expr& at, const Tensor& tensor, int d) const {
    auto* index = at.as<IndexRef>();
    return index && solution_.indices[equation].at(index->name).covers(solution_.extents.at(tensor.name)[d]);
}

bool Lowering::always_spanned(const Tensor& tensor, int d) const {
    bool all = !padded(tensor);
    for (int e = 0; e < static_cast<int>(kernel_.equations.size()); e++) {
        each_read(kernel_.equations[e], [&](const Access& read) {
            if (read.tensor == tensor.name) all = all && spans(e, read.at[d], tensor, d);
        });
    }
    return all;
}

bool Lowering::overcomputed(const std::string& index) const {
    return std::find(emission_.overcomputes.begin(), emission_.overcomputes.end(), Overcompute{reader_, index}) !=
           emission_.overcomputes.end();
}

bool Lowering::has_predicate(const Equation& equation) { return !predicates_of(equation).empty(); }

Halide::Expr Lowering::pixel(const Tensor& tensor, int d) const {
    const bool merged = tensor.dims && (*tensor.dims)[d].pixel.defined();
    return merged ? number(solved_formula((*tensor.dims)[d].pixel, solution_).value()) : Halide::Expr();
}

std::optional<std::int64_t> Lowering::reach(const Tensor& tensor, int d) const {
    if (!is_padded(tensor, d)) return std::nullopt;
    const Dim& dim = (*tensor.dims)[d];
    const auto low = solved_formula(dim.pad_low, solution_), high = solved_formula(dim.pad_high, solution_);
    const auto before = low ? low->constant() : std::nullopt, behind = high ? high->constant() : std::nullopt;
    return before && behind ? std::optional(std::max(*before, *behind)) : std::nullopt;
}

bool Lowering::padded(const Tensor& tensor) {
    for (int d = 0; d < tensor.rank; d++)
        if (is_padded(tensor, d)) return true;
    return false;
}

bool Lowering::skipped(const Tensor& tensor, int d) const {
    return std::find(emission_.skips.begin(), emission_.skips.end(), Skip{reader_, tensor.name, d}) !=
           emission_.skips.end();
}

Halide::Expr Lowering::unskipped(const Equation& equation, Emitter& emitter) const {
    Halide::Expr all;
    walk(equation.right, [&](const Expr& e) {
        auto* access = e.as<Access>();
        if (!access) return;
        const Tensor& tensor = kernel_.tensor(access->tensor);
        for (int d = 0; d < tensor.rank; d++) {
            if (!skipped(tensor, d)) continue;
            const Halide::Expr place = emitter.place(access->at[d]);
            const Halide::Expr within = place >= 0 && place < extent_of(tensor, d);
            all = all.defined() ? all && within : within;
        }
    });
    return all;
}

/// True when tensors stand in the place.
static bool reads_data(const Expr& place) {
    bool reads = false;
    walk(place, [&](const Expr& e) { reads = reads || e.as<Access>(); });
    return reads;
}

Halide::Expr Lowering::load_input(const Access& access, Emitter& emitter) {
    const Tensor& tensor = kernel_.tensor(access.tensor);
    std::vector<Halide::Expr> places = emitter.places(access);
    bool beyond = false;
    for (int d = 0; d < tensor.rank; d++) beyond = beyond || (is_padded(tensor, d) && !skipped(tensor, d));
    if (beyond) {  // there is room for what is overcomputed, and the edge's value
        for (int d = 0; d < tensor.rank; d++)
            if (is_padded(tensor, d) && !reads_data(access.at[d]) && !spans(equation_, access.at[d], tensor, d))
                places[d] = emitter.open_place(access.at[d]);
        if (emission_.placed.count(padded_name(kernel_, tensor.name))) {
            for (int d = 0; d < tensor.rank; d++)
                places[d] =
                    is_padded(tensor, d) ? inside_padding(access, d, places[d]) : inside(access, d, places[d], tensor);
            return padded_func(tensor)(reversed(places));
        }
    }
    const Halide::ImageParam image = out_.images.at(tensor.name);
    std::vector<PaddedPlace> padded_places;
    for (int d = 0; d < tensor.rank; d++) {
        const bool may_leave = beyond && is_padded(tensor, d) && !spans(equation_, access.at[d], tensor, d);
        padded_places.push_back(
            {may_leave ? inside_padding(access, d, places[d]) : inside(access, d, places[d], tensor),
             extent_of(tensor, d), may_leave, pixel(tensor, d), reach(tensor, d)});
    }
    return read_padded(tensor.boundary, tensor.type, padded_places,
                       [&](const std::vector<Halide::Expr>& at) { return Halide::Expr(image(reversed(at))); });
}

Halide::Func Lowering::found_in(const std::string& tensor, const std::string& stored) {
    for (const CopyIn& copy : emission_.copies)
        if (reads_through(copy, tensor)) return copy.stored ? stored_copy(copy, stored) : out_.find(copy.name)->func;
    return out_.find(stored)->func;
}

Halide::Expr Lowering::load_value(const Access& access, Emitter& emitter) {
    const Tensor& tensor = kernel_.tensor(access.tensor);
    const bool self = access.tensor == kernel_.equations[equation_].left.tensor;
    const int version = self ? order_.written[equation_] : order_.read[equation_].at(access.tensor);
    std::vector<Halide::Expr> places = self ? emitter.open_places(access) : emitter.places(access);
    const std::string& holder = order_.versions[version].stored;
    const Halide::Func func = self ? out_.find(reader_)->func : found_in(access.tensor, holder);
    // What is being defined has room for all of its loops, and nobody asks where what is pasted into its reader is read. (Of x + 1 in x/2
    // and in x % 2 Halide interleaves two vectors; of a promise about it every element is gathered: of 32x112x112 184 us, and 37 so.)
    const bool pasted = !self && tensor.role == Role::intermediate && !func.has_update_definition() &&
                        !emission_.placed.count(holder) && func.name() == out_.find(holder)->func.name();
    const auto plain_place = [&](int d) -> Halide::Expr {
        if (is_checked(equation_, access, d)) return inside(access, d, places[d], tensor);
        if (pasted) return Halide::cast<int>(places[d]);
        return self ? places[d] : inside(access, d, places[d], tensor);
    };
    if (padded(tensor)) {
        std::vector<PaddedPlace> padded_places;
        for (int d = 0; d < tensor.rank; d++) {
            const bool written = self && access.at[d] == kernel_.equations[equation_].left.at[d];  // so it lies inside
            const bool may_leave = is_padded(tensor, d) && !written;
            padded_places.push_back(
                {may_leave ? inside_padding(access, d, places[d]) : plain_place(d), extent_of(tensor, d), may_leave});
        }
        const Type stored = self ? compute_type(tensor.type) : tensor.type;
        return read_padded(tensor.boundary, stored, padded_places,
                           [&](const std::vector<Halide::Expr>& at) { return Halide::Expr(func(reversed(at))); });
    }
    for (int d = 0; d < tensor.rank; d++) places[d] = in_turns(tensor, d, plain_place(d));
    const Halide::Expr value = func(reversed(places));
    return self ? value
                : Halide::cast(halide_type(tensor.type), value);  // a copy holds what was computed, not yet rounded
}

Halide::Expr Lowering::in_turns(const Tensor& tensor, int d, const Halide::Expr& place) {
    const std::int64_t turns = tensor.dims ? (*tensor.dims)[static_cast<std::size_t>(d)].turns : 0;
    return turns > 0 ? place % static_cast<int>(turns) : place;
}

Halide::Func Lowering::padded_func(const Tensor& tensor) {
    const std::string name = padded_name(kernel_, tensor.name);
    if (LoweredFunc* made = out_.find(name)) return made->func;
    LoweredFunc lowered = blank(name, tensor, LoweredFunc::Kind::padded);
    std::vector<PaddedPlace> places;
    for (int d = 0; d < tensor.rank; d++) {
        const Halide::Expr at = lowered.stages[0].at(lowered.dims[d]).var;
        places.push_back({at, extent_of(tensor, d), is_padded(tensor, d), pixel(tensor, d), reach(tensor, d)});
    }
    const Halide::ImageParam image = out_.images.at(tensor.name);
    lowered.func(reversed(vars_of(lowered))) = read_padded(
        tensor.boundary, tensor.type, places, [&](const std::vector<Halide::Expr>& at) { return image(reversed(at)); });
    out_.funcs.push_back(lowered);
    return lowered.func;
}

Halide::Func Lowering::copy_func(const CopyIn& copy, const std::optional<Groups>& groups) {
    if (LoweredFunc* made = out_.find(copy.name)) return made->func;
    const Tensor& tensor = kernel_.tensor(copy.tensor);
    LoweredFunc lowered = blank(copy.name, tensor, LoweredFunc::Kind::copy);
    const bool exact = !copy.panel && !groups &&
                       std::none_of(emission_.overcomputes.begin(), emission_.overcomputes.end(),
                                    [&](const Overcompute& o) { return o.func == reader_; });
    std::vector<Halide::Expr> places;
    Halide::Expr there;  // what fills the last group lies past the end
    for (int d = 0; d < tensor.rank; d++) {
        Halide::Expr at = lowered.stages[0].at(lowered.dims[d]).var;
        if (d == copy.panel_dim) {
            const Halide::Var panel(copy.name + "_panel");
            lowered.stages[0].emplace(panel.name(), panel);
            at = panel * copy.panel + at;
        }
        const auto [low, end] = admitted(tensor.name, d);
        if (groups && d == groups->dim) {
            if (copy.panel) {
                const Halide::Var member(copy.name + "_g");
                lowered.stages[0].emplace(member.name(), member);
                at = at * groups->points + member;
            }
            there = Halide::likely(at < end);  // so that whole groups get a loop without clamps
            at = Halide::likely(at);
        }
        if (exact) {
            // Halide joins strided stores of a tile into one only where no promise stands between them.
            const bool plain = always_spanned(tensor, d);
            places.push_back(plain ? at : Halide::unsafe_promise_clamped(at, low, end - 1));
            continue;
        }
        // The promise: an empty dim asks for nothing (the clamp alone would ask for its first element). Through a promise Halide
        // joins no strided stores, so groups do without.
        const Halide::Expr clamped = Halide::clamp(at, low, end - 1);
        places.push_back(groups ? clamped : Halide::unsafe_promise_clamped(clamped, low, end - 1));
    }
    if (copy.panel) lowered.dims.insert(lowered.dims.begin(), copy.name + "_panel");
    if (groups && copy.panel) lowered.dims.push_back(copy.name + "_g");
    Halide::Expr value = padded(tensor) ? Halide::Expr(padded_func(tensor)(reversed(places)))
                                        : Halide::Expr(out_.images.at(tensor.name)(reversed(places)));
    if (groups) value = Halide::select(there, value, Halide::Internal::make_zero(value.type()));
    lowered.func(reversed(vars_of(lowered))) = value;
    out_.funcs.push_back(lowered);
    return lowered.func;
}

LoweredFunc Lowering::blank(const std::string& name, const Tensor& tensor, LoweredFunc::Kind kind) {
    LoweredFunc lowered{name, tensor.name, kind, Halide::Func(name), {}, {}, {{}}, {-1}};
    for (int d = 0; d < tensor.rank; d++) {
        lowered.dims.push_back(name + "_d" + std::to_string(d));
        lowered.extents.push_back(extent_of(tensor, d));
        lowered.stages[0].emplace(lowered.dims[d], Halide::Var(lowered.dims[d]));
    }
    return lowered;
}

std::vector<Halide::Var> Lowering::vars_of(const LoweredFunc& lowered) {
    std::vector<Halide::Var> vars;
    for (const std::string& dim : lowered.dims) vars.push_back(lowered.stages[0].at(dim).var);
    return vars;
}

}  // namespace halogen::lowering
