// A reduction in vectors of partial results (see Partial in lower.h): algebra of the equation, so that no loop needs a guard.

#include "frontend/lower/lowering.h"

#include "frontend/notation/parts.h"

#include <set>
#include <string>

namespace halogen::lowering {

namespace {

/// Places of a Func of partial results: the left side's loops, then the vector and the lane.
std::vector<Halide::Expr> partial_place(const LoweredFunc& func, const Halide::Expr& vector, const Halide::Expr& lane) {
    std::vector<Halide::Expr> place;
    for (size_t d = 0; d + 2 < func.dims.size(); d++) place.emplace_back(func.stages[0].at(func.dims[d]).var);
    place.push_back(vector);
    place.push_back(lane);
    return reversed(place);
}

/// The first vector of partial results, joined to one.
Halide::Expr joined_lanes(Op op, const LoweredFunc& func, int lanes) {
    std::vector<Halide::Expr> held;
    for (int lane = 0; lane < lanes; lane++) held.push_back(func.func(partial_place(func, 0, lane)));
    return of_sort_key(join_keys(op, held));
}

}  // namespace

Lowering::Blocks Lowering::blocks_of(int e, const Partial& partial) const {
    const IndexRange& range = solution_.indices[e].at(partial.loop);
    const int lanes = partial.lanes, width = partial.lanes * partial.vectors;
    const Halide::Expr n = number(range.extent);
    // That a block is there tells Halide that there are so many points: it would take away clamps that hold for fewer, and then
    // ask a call with fewer for what only blocks read.
    const bool hides = holds_back_by(e, range.extent);
    const auto count = [&](const Halide::Expr& blocks) { return hides ? opaque(blocks) : blocks; };
    if (partial.masked) {
        const Halide::Expr last = Halide::max(n - 1, 0);
        return {number(range.min), n, count(last / width), count(last % width / lanes), Halide::min(n, 1)};
    }
    return {number(range.min), n, count(n / width),
            count(Halide::select(n < lanes, 0, (n % width + (lanes - 1)) / lanes)), Halide::select(n < lanes, n, 0)};
}

bool Lowering::holds_back_by(int e, const Formula& extent) const {
    const std::set<std::string> sizes = extent.symbols();
    bool found = false;
    each_read(kernel_.equations[e], [&](const Access& read) {
        const Tensor& tensor = kernel_.tensor(read.tensor);
        for (int d = 0; d < tensor.rank; d++)
            if (is_padded(tensor, d) || is_checked(e, read, d))
                solution_.extents.at(tensor.name)[d].for_each_symbol(
                    [&](const std::string& size) { found = found || sizes.count(size) > 0; });
    });
    return found;
}

Halide::Expr Lowering::value_or_identity(Emitter& emitter, int e, const Halide::Expr& only_where) {
    const Equation& equation = kernel_.equations[e];
    const Halide::Expr value = emitter.right();
    Halide::Expr where = emitter.predicates();
    if (only_where.defined()) where = where.defined() ? where && only_where : only_where;
    return where.defined() ? Halide::select(where, value, not_folded(identity(equation.op, equation_type(e)))) : value;
}

Type Lowering::equation_type(int e) const { return kernel_.tensor(kernel_.equations[e].left.tensor).type; }

void Lowering::check_partial(int e, const Partial& partial) const {
    const Equation& equation = kernel_.equations[e];
    bool fits = equation.op != Op::assign && !reads_itself(equation) && partial.lanes > 0 && partial.vectors > 0;
    for (const bool pure : pure_positions(kernel_, solution_, e)) fits = fits && pure;
    const auto range = solution_.indices[e].find(partial.loop);
    if (fits && range != solution_.indices[e].end() && range->second.reduced) return;
    throw Failure({ErrorKind::schedule,
                   "update " + std::to_string(partial.stage) + " of `" + partial.func +
                       "` has no partial results over `" + partial.loop + "`",
                   equation.at,
                   {},
                   "name an update that reduces over that loop and reads no element of its own tensor"});
}

void Lowering::make_partial(const Version& version, int e, const Partial& partial) {
    check_partial(e, partial);
    LoweredFunc func = partial_func(version, e, partial);
    add_whole_blocks(version, e, partial, func);
    add_rest(version, e, partial, func);
    if (partial.vectors > 1) add_fold(e, partial, func);
    const auto before = std::find_if(out_.funcs.begin(), out_.funcs.end(),
                                     [&](const LoweredFunc& f) { return f.name == version.name; });
    out_.funcs.insert(before, func);
    join_lanes(version, e, partial);
    if (partial.masked) return;
    const Blocks blocks = blocks_of(e, partial);
    const StageLoops few =
        stage_loops(*out_.find(version.name), e, partial.name + "_few", {{partial.loop, {blocks.first, blocks.few}}});
    define_update(version, e, few);
    add_stage(version.name, e, few);
}

LoweredFunc Lowering::partial_func(const Version& version, int e, const Partial& partial) {
    const LoweredFunc& whole = *out_.find(version.name);
    LoweredFunc func{partial.name, version.tensor, LoweredFunc::Kind::value, Halide::Func(partial.name),
                     whole.dims,   whole.extents,  {whole.stages[0]},        {-1}};
    for (const char* part : {"_u", "_l"}) {
        func.dims.push_back(partial.name + part);
        func.stages[0].emplace(func.dims.back(), Halide::Var(func.dims.back()));
    }
    func.extents.emplace_back(partial.vectors);
    func.extents.emplace_back(partial.lanes);
    func.func(reversed(vars_of(func))) = identity(kernel_.equations[e].op, equation_type(e));
    return func;
}

void Lowering::add_whole_blocks(const Version& version, int e, const Partial& partial, LoweredFunc& func) {
    const Blocks blocks = blocks_of(e, partial);
    StageLoops loops =
        stage_loops(*out_.find(version.name), e, partial.name + "_whole", {{partial.loop, {0, blocks.whole}}});
    const std::string vector = partial.name + "_u", lane = partial.name + "_l";
    for (const std::string& name : {vector, lane}) loops.handles.insert_or_assign(name, func.stages[0].at(name));
    const Halide::Var u = func.stages[0].at(vector).var, l = func.stages[0].at(lane).var;
    const Halide::Expr block = loops.places.at(partial.loop);
    loops.places[partial.loop] =
        Halide::unsafe_promise_clamped(blocks.first + block * (partial.vectors * partial.lanes) + u * partial.lanes + l,
                                       blocks.first, blocks.first + blocks.points - 1);
    Emitter emit = emitter_for(version, e, loops.places);
    const auto place = partial_place(func, u, l);
    func.func(place) = combined(kernel_.equations[e].op, func.func(place), counted(loops, value_or_identity(emit, e)));
    func.stages.push_back(loops.handles);
    func.equations.push_back(e);
}

void Lowering::add_rest(const Version& version, int e, const Partial& partial, LoweredFunc& func) {
    const Blocks blocks = blocks_of(e, partial);
    const Op op = kernel_.equations[e].op;
    const auto left = [&](const Halide::Expr& vector, const Halide::Expr& lane) -> LanePoint {
        const Halide::Expr start = blocks.whole * (partial.vectors * partial.lanes) + vector * partial.lanes;
        if (partial.masked) return {start + lane, {}};
        const Halide::Expr point = Halide::min(start, blocks.points - partial.lanes) + lane;
        return {point, op == Op::add || op == Op::mul ? point >= start : Halide::Expr()};
    };
    // The mask is the same for all rows of a length, so that it is made before their loop.
    const auto last = [&](const Halide::Expr&, const Halide::Expr& lane) -> LanePoint {
        const Halide::Expr vector = opaque(Halide::max(blocks.points - 1, 0) / partial.lanes);
        const Halide::Expr point = vector * partial.lanes + lane;
        return {Halide::min(point, blocks.points - 1), point < blocks.points};
    };
    add_vectors(version, e, partial, func, {"_rest", blocks.rest, left});
    if (partial.masked) add_vectors(version, e, partial, func, {"_few", blocks.few, last});
}

void Lowering::add_vectors(const Version& version, int e, const Partial& partial, LoweredFunc& func,
                           const Vectors& vectors) {
    const Blocks blocks = blocks_of(e, partial);
    StageLoops loops =
        stage_loops(*out_.find(version.name), e, partial.name + vectors.suffix, {{partial.loop, {0, vectors.count}}});
    const std::string lane = partial.name + "_l";
    loops.handles.insert_or_assign(lane, func.stages[0].at(lane));
    const Halide::Var l = func.stages[0].at(lane).var;
    const LanePoint at = vectors.point(loops.places.at(partial.loop), l);
    loops.counted =
        loops.places.at(partial.loop);  // the last vector is where it is, and its point does not name the loop
    loops.places[partial.loop] =
        Halide::unsafe_promise_clamped(blocks.first + at.point, blocks.first, blocks.first + blocks.points - 1);
    Emitter emit = emitter_for(version, e, loops.places);
    const auto place = partial_place(func, 0, l);
    func.func(place) =
        combined(kernel_.equations[e].op, func.func(place), counted(loops, value_or_identity(emit, e, at.is_met)));
    func.stages.push_back(loops.handles);
    func.equations.push_back(e);
}

void Lowering::add_fold(int e, const Partial& partial, LoweredFunc& func) {
    const std::string fold = partial.name + "_fold", lane = partial.name + "_l";
    const Halide::RDom vectors(1, partial.vectors - 1, fold);
    const Halide::Var l = func.stages[0].at(lane).var;
    const auto place = partial_place(func, 0, l);
    func.func(place) =
        combined(kernel_.equations[e].op, func.func(place), func.func(partial_place(func, vectors.x, l)));
    std::map<std::string, Halide::VarOrRVar> handles = func.stages[0];
    handles.erase(partial.name + "_u");
    handles.emplace(fold, Halide::RVar(vectors.x));
    func.stages.push_back(handles);
    func.equations.push_back(e);
}

void Lowering::join_lanes(const Version& version, int e, const Partial& partial) {
    const Op op = kernel_.equations[e].op;
    LoweredFunc& whole = *out_.find(version.name);
    const LoweredFunc& func = *out_.find(partial.name);
    const std::vector<Halide::Var> vars = vars_of(whole);
    const auto place = reversed(std::vector<Halide::Expr>(vars.begin(), vars.end()));
    std::map<std::string, Halide::VarOrRVar> handles = whole.stages[0];
    if (joins_as_keys(op, equation_type(e))) {
        whole.func(place) = combined(op, whole.func(place), joined_lanes(op, func, partial.lanes));
    } else {
        const Halide::RDom lanes(0, partial.lanes, partial.name + "_lanes");
        whole.func(place) = combined(op, whole.func(place), func.func(partial_place(func, 0, lanes.x)));
        handles.emplace(partial.name + "_l", Halide::RVar(lanes.x));
    }
    whole.stages.push_back(handles);
    whole.equations.push_back(e);
}

}  // namespace halogen::lowering
