// Stages over parts of a range.

#include "frontend/lower/lowering.h"

namespace halogen::lowering {

std::vector<Piece> Lowering::pieces_of_start(const std::string& func, const std::string& tensor,
                                             const std::vector<std::string>& dims) const {
    return pieces_of(emission_.slices, func, 0, dim_ranges(dims, solution_.extents.at(tensor)));
}

void Lowering::define_start(LoweredFunc& lowered, StartValue value) {
    const std::vector<Halide::Var> vars = vars_of(lowered);
    const std::vector<Halide::Expr> at(vars.begin(), vars.end());
    if (const CopyOut* out = copy_out(lowered.name, 0)) {
        const Halide::Func copy = through_copy(*out, lowered, value({}, at));
        value = [copy](const Piece&, const std::vector<Halide::Expr>& places) {
            return Halide::Expr(copy(reversed(places)));
        };
    }
    const std::vector<Piece> pieces = pieces_of_start(lowered.name, lowered.tensor, lowered.dims);
    if (pieces.size() == 1) {
        lowered.func(reversed(vars)) = value(pieces.front(), at);
        return;
    }
    lowered.func(reversed(vars)) = Halide::undef(value(pieces.front(), at).type());
    lowered.step_stages = {-1};
    for (const Piece& piece : pieces) add_part_of_start(lowered, piece, value);
    lowered.equations[0] = -1;
}

void Lowering::add_part_of_start(LoweredFunc& lowered, const Piece& piece, const StartValue& value) {
    const std::vector<Halide::Var> vars = vars_of(lowered);
    std::vector<Halide::Expr> at(vars.begin(), vars.end());
    std::vector<Halide::VarOrRVar> order(vars.begin(), vars.end());
    std::map<std::string, Halide::VarOrRVar> handles = lowered.stages[0];
    Halide::Region region;
    for (auto dim = lowered.dims.rbegin(); dim != lowered.dims.rend(); ++dim)
        if (const auto part = piece.loops.find(*dim); part != piece.loops.end())
            region.emplace_back(number(part->second.min), number(part->second.extent));
    const Halide::RDom rdom(region, lowered.name + "_p" + std::to_string(lowered.stages.size()));
    int next = rdom.dimensions();
    for (std::size_t d = 0; d < lowered.dims.size(); d++) {
        const auto part = piece.loops.find(lowered.dims[d]);
        if (part == piece.loops.end()) continue;
        const Halide::RVar rvar = rdom[--next];
        at[d] = rvar;
        order[d] = rvar;
        handles.erase(lowered.dims[d]);
        handles.emplace(part->second.name, rvar);
    }
    lowered.func(reversed(at)) = value(piece, at);
    if (order.size() > 1) lowered.func.update(static_cast<int>(lowered.stages.size()) - 1).reorder(reversed(order));
    lowered.stages.push_back(handles);
    lowered.equations.push_back(lowered.equations[0]);
    lowered.step_stages.push_back(0);
}

void Lowering::number_stages(LoweredFunc& lowered) {
    while (!lowered.step_stages.empty() && lowered.step_stages.size() < lowered.stages.size())
        lowered.step_stages.push_back(lowered.step_stages.back() + 1);
}

void Lowering::make_sliced_update(const Version& version, int e, int stage, const std::vector<Piece>& pieces) {
    LoweredFunc& lowered = *out_.find(version.name);
    if (lowered.step_stages.empty())
        for (std::size_t s = 0; s < lowered.stages.size(); s++) lowered.step_stages.push_back(static_cast<int>(s));
    int part = 0;
    for (const Piece& piece : pieces) {
        const std::string rdom = version.name + "_r" + std::to_string(stage) + "_" + std::to_string(part++);
        const StageLoops loops = stage_loops(*out_.find(version.name), e, rdom, {}, piece);
        define_update(version, e, loops);
        add_stage(version.name, e, loops);
        out_.find(version.name)->step_stages.push_back(stage);
    }
}

}  // namespace halogen::lowering
