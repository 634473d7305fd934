// Private copies of computed values: what one reader reads, and what one stage writes.

#include "frontend/lower/lowering.h"

#include <fmt/format.h>

namespace halogen::lowering {

bool Lowering::reads_through(const CopyIn& copy, const std::string& tensor) const {
    return copy.tensor == tensor && (copy.reader == reader_ || (copy.stored && copy.reader == stores_));
}

Halide::Func Lowering::stored_copy(const CopyIn& copy, const std::string& stored) {
    const Halide::Func source = out_.find(stored)->func;
    if (LoweredFunc* made = out_.find(copy.name)) {
        if (Halide::Internal::find_direct_calls(made->func.function()).count(source.name())) return made->func;
        throw Failure({ErrorKind::schedule,
                       fmt::format("`{}` reads `{}` before and after it is written again", copy.reader, copy.tensor),
                       {},
                       {},
                       fmt::format("leave out the copy `{}`", copy.name)});
    }
    LoweredFunc lowered = blank(copy.name, kernel_.tensor(copy.tensor), LoweredFunc::Kind::copy);
    const std::vector<Halide::Var> vars = vars_of(lowered);
    lowered.func(reversed(vars)) = source(reversed(std::vector<Halide::Expr>(vars.begin(), vars.end())));
    out_.funcs.push_back(lowered);
    return lowered.func;
}

const CopyOut* Lowering::copy_out(const std::string& func, int stage) const {
    for (const CopyOut& copy : emission_.copies_out)
        if (copy.func == func && copy.stage == stage) return &copy;
    return nullptr;
}

Halide::Func Lowering::through_copy(const CopyOut& copy, const LoweredFunc& like, const Halide::Expr& value) {
    LoweredFunc lowered = like;
    lowered.name = copy.name;
    lowered.kind = LoweredFunc::Kind::value;
    lowered.func = Halide::Func(copy.name);
    const std::vector<Halide::Var> vars = vars_of(lowered);
    lowered.func(reversed(vars)) = value;
    out_.funcs.push_back(lowered);
    return lowered.func;
}

void Lowering::make_copied_update(const Version& version, int e, const CopyOut& copy) {
    const Op op = kernel_.equations[e].op;
    LoweredFunc& whole = *out_.find(version.name);
    const std::vector<Halide::Var> vars = vars_of(whole);
    const auto place = reversed(std::vector<Halide::Expr>(vars.begin(), vars.end()));
    LoweredFunc func{copy.name,  version.tensor, LoweredFunc::Kind::value, Halide::Func(copy.name),
                     whole.dims, whole.extents,  {whole.stages[0]},        {-1}};
    func.func(reversed(vars)) = identity(op, equation_type(e));
    const StageLoops loops = stage_loops(func, e, copy.name + "_r1");
    Emitter emit = emitter_for(version, e, loops.places);
    const Halide::Expr value = counted(loops, value_or_identity(emit, e));
    Halide::RDom rdom = loops.rdom;
    if (const Halide::Expr within = unskipped(kernel_.equations[e], emit); within.defined()) rdom.where(within);
    func.func(place) = combined(op, func.func(place), value);
    func.stages.push_back(loops.handles);
    func.equations.push_back(e);
    LoweredFunc& reader = *out_.find(version.name);  // reads may have added Funcs
    reader.func(place) = combined(op, reader.func(place), func.func(place));
    reader.stages.push_back(reader.stages[0]);
    reader.equations.push_back(e);
    const auto before = std::find_if(out_.funcs.begin(), out_.funcs.end(),
                                     [&](const LoweredFunc& f) { return f.name == version.name; });
    out_.funcs.insert(before, func);
}

}  // namespace halogen::lowering
