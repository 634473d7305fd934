// The lowering proper: tensors become Funcs, equations their stages.

#include "frontend/lower/lower.h"

#include "frontend/lower/lowering.h"
#include "frontend/plan/apart.h"
#include "frontend/plan/filled.h"
#include "frontend/plan/value_funcs.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

Lowered lower(const Kernel& kernel, const Solution& solution, const Emission& emission) {
    return lowering::Lowering(kernel, solution, emission, false).run();
}

}  // namespace halogen

namespace halogen::lowering {

Lowered Lowering::run() {
    make_values();
    for (const Tensor* tensor : kernel_.outputs()) {
        set_output(*tensor, *out_.find(tensor->name));
        out_.outputs.push_back(tensor->name);
    }
    return std::move(out_);
}

void Lowering::make_values() {
    make_arguments();
    for (const Version& version : order_.versions) {
        make_version(version);
        for (const CopyIn& copy : emission_.copies) {
            if (copy.stored || copy.tensor != version.tensor || out_.find(copy.name)) continue;
            Version second = version;
            second.name = copy.name;
            make_version(second);
        }
        for (const Twin& twin : emission_.twins) {
            if (twin.stored != version.stored) continue;
            Version second = version;
            second.name = twin.name;
            make_version(second);
        }
        if (version.stored == version.name) continue;
        make_values_of_parts(version);
        make_stored(version);
    }
}

void Lowering::make_values_of_parts(const Version& version) {
    if (copy_out(version.stored, 0)) return;  // the parts read the copy
    for (const Piece& piece : pieces_of_start(version.stored, version.tensor, loop_names(kernel_, version))) {
        if (piece.suffix.empty()) continue;
        Version second = version;
        second.name = version.name + piece.suffix;
        make_version(second);
    }
}

Emitter Lowering::emitter(int equation, std::map<std::string, Halide::Expr> loops) {
    equation_ = equation;
    Emitter e{kernel_, kernel_.equations[equation], out_.symbols, solution_.sizes, std::move(loops), scalars_, *this};
    e.wide = safe_data_;
    return e;
}

void Lowering::make_arguments() {
    for (const Parameter& parameter : kernel_.parameters) {
        if (parameter.sort == Parameter::Sort::tensor) {
            make_image(kernel_.tensor(parameter.name));
        } else if (parameter.sort == Parameter::Sort::size) {
            out_.symbols[parameter.name] = scalar_argument(own_name(parameter), Halide::Int(32));
        } else {
            const Halide::Type type = halide_type(kernel_.find_scalar(parameter.name)->type);
            scalars_[parameter.name] = scalar_argument(own_name(parameter), type);
        }
    }
    for (const std::string& symbol : solution_.symbols) {
        const auto source = solution_.sources.find(symbol);
        if (source == solution_.sources.end()) continue;
        const auto image = out_.images.find(source->second.tensor);
        if (image == out_.images.end()) continue;
        out_.symbols[symbol] = image->second.dim(image->second.dimensions() - 1 - source->second.dim).extent();
    }
    for (const Tensor* tensor : kernel_.outputs())
        out_.output_funcs.emplace(tensor->name, Halide::Func(halide_type(tensor->type), tensor->rank, tensor->name));
    for (const ExtentArgument& extent : extent_arguments(kernel_, solution_)) {
        out_.symbols[extent.symbol] = scalar_argument(extent.name, Halide::Int(32));
    }
    for (const std::string& symbol : solution_.symbols)
        if (!out_.symbols.count(symbol))
            throw Failure(Error{ErrorKind::underdetermined,
                                fmt::format("no buffer has `{}` as an extent", symbol),
                                {},
                                "",
                                fmt::format("make it a parameter of the kernel: `{}: size`", symbol)});
}

Halide::Expr Lowering::scalar_argument(const std::string& name, const Halide::Type& type) {
    out_.arguments.push_back(Halide::Argument(name, Halide::Argument::InputScalar, type, 0, {}));
    return Halide::Param<>(type, name);
}

std::string Lowering::own_name(const Parameter& scalar) const { return free_name(kernel_, "scalar_" + scalar.name); }

void Lowering::make_image(const Tensor& tensor) {
    Halide::ImageParam image(halide_type(tensor.type), tensor.rank, tensor.name);
    for (int d = 0; d < tensor.rank; d++) image.dim(d).set_min(0);
    if (tensor.rank) image.dim(0).set_stride(Halide::Expr());
    out_.arguments.push_back(image);
    out_.images.emplace(tensor.name, image);
}

LoweredFunc Lowering::value_func(const Version& version) {
    const Tensor& tensor = kernel_.tensor(version.tensor);
    LoweredFunc lowered{version.name, tensor.name, LoweredFunc::Kind::value, named_func(version.name), {}, {},
                        {{}},         {-1}};
    lowered.dims = loop_names(kernel_, version);
    for (const Overcompute& over : emission_.overcomputes)
        if (over.func == version.name) lowered.overcomputed.insert(over.index);
    for (int d = 0; d < tensor.rank; d++) {
        lowered.extents.push_back(number(solution_.extents.at(tensor.name)[d]));
        lowered.stages[0].emplace(lowered.dims[d], Halide::Var(halide_name(lowered.dims[d])));
    }
    return lowered;
}

Halide::Func Lowering::named_func(const std::string& name) const {
    const auto output = out_.output_funcs.find(name);
    return output != out_.output_funcs.end() ? output->second : Halide::Func(name);
}

Halide::Expr Lowering::start_value(const Version& version, const std::vector<Halide::Expr>& at) {
    const Tensor& tensor = kernel_.tensor(version.tensor);
    const int first = version.equations.front();
    const Equation& equation = kernel_.equations[first];
    Halide::Expr start = Halide::Internal::make_zero(halide_type(compute_type(tensor.type)));
    if (version.previous >= 0) {
        std::vector<Halide::Expr> held = at;  // what is overcomputed asks for no more than there is
        const std::vector<std::string> loops = loop_names(kernel_, version);
        for (int d = 0; d < tensor.rank; d++)
            if (overcomputed(loops[d])) held[d] = Halide::min(at[d], extent_of(tensor, d) - 1);
        start = Halide::cast(start.type(), out_.find(order_.versions[version.previous].stored)->func(reversed(held)));
    } else if (equation.op != Op::assign) {
        start = identity(equation.op, tensor.type);
    }
    if (!defines_whole(kernel_, solution_, first))
        return starts_unseen(kernel_, solution_, version) ? Halide::undef(start.type()) : start;
    std::map<std::string, Halide::Expr> loops;
    for (int d = 0; d < tensor.rank; d++) loops[equation.left.at[d].as<IndexRef>()->name] = at[d];
    Emitter e = emitter_for(version, first, loops);
    Halide::Expr value = e.right();
    if (const Halide::Expr where = e.predicates(); where.defined()) value = Halide::select(where, value, start);
    return version.stored == version.name ? Halide::cast(halide_type(tensor.type), value) : value;
}

void Lowering::make_version(const Version& version) {
    reader_ = version.name;
    stores_ = version.stored;
    LoweredFunc lowered = value_func(version);
    const int first = version.equations.front();
    const bool whole = defines_whole(kernel_, solution_, first);
    if (whole) lowered.equations[0] = first;
    define_start(lowered, [&](const Piece&, const std::vector<Halide::Expr>& at) { return start_value(version, at); });
    out_.funcs.push_back(lowered);
    for (std::size_t next = whole ? 1 : 0; next < version.equations.size(); next++)
        make_update(version, version.equations[next]);
    number_stages(*out_.find(version.name));
}

Emitter Lowering::emitter_for(const Version& version, int equation, std::map<std::string, Halide::Expr> loops) {
    Emitter e = emitter(equation, std::move(loops));
    for (const Overcompute& over : emission_.overcomputes) {
        if (over.func != version.name) continue;
        const auto range = solution_.indices[equation].find(over.index);
        if (range != solution_.indices[equation].end())
            e.ends[over.index] = number(range->second.min + range->second.extent);
    }
    return e;
}

/// True when a place on the left or the right side names one of the indices; a range or a predicate alone does not count.
static bool names_any(const Equation& equation, const std::vector<std::string>& indices) {
    bool found = false;
    const auto look = [&](const Expr& part) {
        walk(part, [&](const Expr& x) {
            auto* index = x.as<IndexRef>();
            found = found || (index && std::find(indices.begin(), indices.end(), index->name) != indices.end());
        });
    };
    for (const Expr& place : equation.left.at) look(place);
    look(equation.right);
    return found;
}

Halide::Expr Lowering::counted(const StageLoops& loops, const Halide::Expr& value) {
    if (!loops.counted.defined()) return value;
    return Halide::select(loops.counted >= 0, value, value);
}

/// `extent`, or the next multiple of `points`.
static Halide::Expr whole_groups(const Halide::Expr& extent, int points) {
    return points == 1 ? extent : (extent + points - 1) / points * points;
}

Lowering::StageLoops Lowering::stage_loops(const LoweredFunc& func, int e, const std::string& rdom_name,
                                           const std::map<std::string, std::pair<Halide::Expr, Halide::Expr>>& ranges,
                                           const Piece& piece) const {
    const Equation& equation = kernel_.equations[e];
    StageLoops loops;
    loops.pure = pure_positions(kernel_, solution_, e);
    std::vector<std::string> serial = serial_loops(kernel_, solution_, e);
    for (auto cut = piece.loops.rbegin(); cut != piece.loops.rend(); ++cut)
        if (std::find(serial.begin(), serial.end(), cut->first) == serial.end())
            serial.insert(serial.begin(), cut->first);
    for (const auto& given : ranges)  // inside the others: Halide does not reorder those of greatest and least floats
        std::ranges::stable_partition(serial, [&](const std::string& name) { return name != given.first; });
    Halide::Region region;
    for (auto name = serial.rbegin(); name != serial.rend(); ++name) {
        const IndexRange& range = solution_.indices[e].at(*name);
        const auto given = ranges.find(*name);
        const auto part = piece.loops.find(*name);
        if (part != piece.loops.end())
            region.emplace_back(number(part->second.min), number(part->second.extent));
        else if (given != ranges.end())
            region.emplace_back(given->second.first, given->second.second);
        else
            region.emplace_back(number(range.min), whole_groups(number(range.extent), group_points(func.name, *name)));
    }
    Halide::Expr once = fixed_extent(equation);
    // A predicate keeps places from data inside, as one of the loops: of `Y[i, I[0]] += X[i] where i >= 3` there is no other.
    const bool all_pure = std::find(loops.pure.begin(), loops.pure.end(), false) == loops.pure.end();
    if (!once.defined() && region.empty() && !all_pure && has_predicate(equation)) once = 1;
    if (once.defined()) region.emplace_back(0, once);
    for (size_t d = 0; d < loops.pure.size(); d++) {
        if (!loops.pure[d]) continue;
        const std::string& name = equation.left.at[d].as<IndexRef>()->name;
        if (piece.loops.count(name)) continue;
        const Halide::Var var = func.stages[0].at(func.dims[d]).var;
        loops.places[name] = var;
        loops.handles.emplace(name, var);
    }
    if (!region.empty()) loops.rdom = Halide::RDom(region, rdom_name);
    for (size_t i = 0; i < serial.size(); i++) {
        const Halide::RVar rvar = loops.rdom[static_cast<int>(serial.size() - 1 - i)];
        loops.places[serial[i]] = rvar;
        const auto part = piece.loops.find(serial[i]);
        loops.handles.emplace(part == piece.loops.end() ? serial[i] : part->second.name, rvar);
    }
    if (once.defined()) loops.once = loops.rdom[static_cast<int>(serial.size())];
    if (!serial.empty() && !names_any(equation, serial)) loops.counted = loops.places.at(serial.front());
    return loops;
}

void Lowering::make_update(const Version& version, int e) {
    LoweredFunc& lowered = *out_.find(version.name);
    number_stages(lowered);
    const int stage =
        lowered.step_stages.empty() ? static_cast<int>(lowered.stages.size()) : lowered.step_stages.back() + 1;
    const std::string rdom_name = version.name + "_r" + std::to_string(stage);
    for (const Partial& partial : emission_.partials)
        if (partial.func == version.name && partial.stage == stage) return make_partial(version, e, partial);
    if (const CopyOut* copy = copy_out(version.name, stage)) return make_copied_update(version, e, *copy);
    const std::vector<Piece> pieces = pieces_of(emission_.slices, version.name, stage, solution_.indices[e]);
    if (pieces.size() > 1) return make_sliced_update(version, e, stage, pieces);
    const StageLoops loops = stage_loops(lowered, e, rdom_name);
    define_update(version, e, loops);
    add_stage(version.name, e, loops);
}

void Lowering::add_stage(const std::string& func, int e, const StageLoops& loops) {
    LoweredFunc& lowered = *out_.find(func);
    lowered.stages.push_back(loops.handles);
    lowered.equations.push_back(e);
    for (const std::string& name : unordered_loops(kernel_, solution_, e))
        if (loops.handles.count(name) && loops.handles.at(name).is_rvar)
            lowered.unordered.insert(loops.handles.at(name).rvar.name());
}

Halide::Expr Lowering::fixed_extent(const Equation& equation) const {
    Halide::Expr once;
    const auto look = [&](const Access& access) {
        const Tensor& tensor = kernel_.tensor(access.tensor);
        for (int d = 0; d < tensor.rank; d++) {
            if (!is_fixed(access.at[d])) continue;
            const Halide::Expr one = Halide::min(extent_of(tensor, d), 1);
            once = once.defined() ? Halide::min(once, one) : one;
        }
    };
    look(equation.left);
    if (!once.defined()) return once;
    walk(equation.right, [&](const Expr& x) {
        if (auto* a = x.as<Access>()) look(*a);
    });
    return once;
}

int Lowering::first_fixed(const Equation& equation) {
    const auto& at = equation.left.at;
    auto place = std::find_if(at.begin(), at.end(), is_fixed);
    if (place == at.end())
        place = std::find_if(at.begin(), at.end(), [](const Expr& e) { return indices_in(e).empty(); });
    return place == at.end() ? -1 : static_cast<int>(place - at.begin());
}

Halide::Expr Lowering::combined(Op op, const Halide::Expr& held, const Halide::Expr& value) {
    switch (op) {
    case Op::add: return held + value;
    case Op::mul: return held * value;
    case Op::max:
    case Op::min: return extreme(op, held, value);
    case Op::logical_and: return held && value;
    case Op::logical_or: return held || value;
    default: return value;
    }
}

void Lowering::make_stored(const Version& version) {
    const Tensor& tensor = kernel_.tensor(version.tensor);
    const LoweredFunc value = *out_.find(version.name);
    LoweredFunc lowered{version.stored, tensor.name,   LoweredFunc::Kind::stored, named_func(version.stored),
                        value.dims,     value.extents, {value.stages[0]},         {-1}};
    define_start(lowered, [&](const Piece& piece, const std::vector<Halide::Expr>& at) {
        Halide::Expr taken = out_.find(version.name + piece.suffix)->func(reversed(at));
        for (const Twin& twin : emission_.twins)
            if (twin.stored == version.stored)
                taken = Halide::select(out_.evaluate(twin.when), out_.find(twin.name)->func(reversed(at)), taken);
        return Halide::cast(halide_type(tensor.type), taken);
    });
    out_.funcs.push_back(lowered);
}

void Lowering::set_output(const Tensor& tensor, LoweredFunc& lowered) {
    lowered.kind = LoweredFunc::Kind::output;
    Halide::OutputImageParam buffer = lowered.func.output_buffer();
    for (int d = 0; d < tensor.rank; d++) buffer.dim(d).set_min(0);
    if (tensor.rank) buffer.dim(0).set_stride(Halide::Expr());
    for (int d = 0; d < tensor.rank; d++)
        lowered.func.bound(
            lowered.stages[0].at(lowered.dims[d]).var, 0,
            is_outside_a_size(lowered, d) ? buffer.dim(tensor.rank - 1 - d).extent() : lowered.extents[d]);
}

/// True where dim `d` is so many times round a loop of symbolic length. Halide 21 solves `fused < length * number` for the
/// length, takes that for a range, and then knows no bounds of `fused / length`; a product of two sizes it leaves alone.
bool Lowering::is_outside_a_size(const LoweredFunc& lowered, int d) const {
    const auto is_number = [&](int dim) { return Halide::Internal::is_const(lowered.extents[dim]); };
    if (!is_number(d)) return false;
    return std::any_of(emission_.fused.begin(), emission_.fused.end(), [&](const FusedDims& fused) {
        if (fused.func != lowered.name || !fused.outer.count(lowered.dims[d])) return false;
        for (std::size_t inner = 0; inner < lowered.dims.size(); inner++)
            if (fused.inner.count(lowered.dims[inner]) && !is_number(static_cast<int>(inner))) return true;
        return false;
    });
}

void Lowering::define_update(const Version& version, int e, const StageLoops& loops) {
    const Equation& equation = kernel_.equations[e];
    const Tensor& tensor = kernel_.tensor(version.tensor);
    Halide::Func func = out_.find(version.name)->func;
    Emitter emit = emitter_for(version, e, loops.places);
    Halide::Expr value = emit.right();
    const Halide::Expr where = emit.predicates();
    bool scatter = false;
    std::vector<Halide::Expr> place = emit.places(equation.left);
    for (int d = 0; d < tensor.rank; d++) {
        if (loops.pure[d]) {
            place[d] = loops.places.at(equation.left.at[d].as<IndexRef>()->name);
            continue;
        }
        if (is_checked(e, equation.left, d)) scatter = true;
        place[d] = in_turns(tensor, d, inside(equation.left, d, place[d], tensor));
        if (loops.once.defined()) place[d] = place[d] + (d == first_fixed(equation) ? loops.once : Halide::Expr(0));
    }
    place = reversed(place);
    const bool guard = where.defined() && scatter;
    Halide::RDom rdom = loops.rdom;
    if (guard) rdom.where(where);
    if (const Halide::Expr within = unskipped(equation, emit); within.defined()) rdom.where(within);
    const Halide::Expr held = func(place);
    if (where.defined() && !guard)
        value = Halide::select(where, value,
                               equation.op == Op::assign ? held : not_folded(identity(equation.op, tensor.type)));
    func(place) = combined(equation.op, held, counted(loops, value));
}

}  // namespace halogen::lowering
