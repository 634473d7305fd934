#include "frontend/lower/lowered.h"

#include "frontend/lower/number.h"

#include <set>

namespace halogen {

std::string halide_name(const std::string& loop) {
    static const std::set<std::string> taken{"s",        "min",         "max",     "extent",   "stride",
                                             "base",     "orig",        "rebased", "prologue", "epilogue",
                                             "loop_min", "loop_extent", "loop_max"};
    return taken.count(loop) ? loop + "$" : loop;
}

std::string loop_of(const std::string& halide) {
    return halide.ends_with('$') ? halide.substr(0, halide.size() - 1) : halide;
}

namespace {

/// Asked once a call; 0 while nobody has used the pool.
Halide::Expr threads_of_pool() {
    using Halide::Internal::Call;
    return Call::make(Halide::Int(32), "halide_get_num_threads", {}, Call::PureExtern);
}

}  // namespace

LoweredFunc* Lowered::find(const std::string& name) {
    for (LoweredFunc& f : funcs)
        if (f.name == name) return &f;
    return nullptr;
}

Halide::Expr Lowered::stride(const std::string& tensor, int dim) const {
    const auto image = images.find(tensor);
    if (image != images.end()) return image->second.dim(image->second.dimensions() - 1 - dim).stride();
    const auto output = output_funcs.find(tensor);
    if (output == output_funcs.end()) return {};
    const int rank = static_cast<int>(output->second.output_buffer().parameter().dimensions());
    return output->second.output_buffer().dim(rank - 1 - dim).stride();
}

Halide::Expr Lowered::address(const std::string& tensor) const {
    std::string name = tensor;
    Halide::Parameter parameter;
    if (const auto image = images.find(tensor); image != images.end()) parameter = image->second.parameter();
    if (const auto output = output_funcs.find(tensor); output != output_funcs.end()) {
        name = output->second.name();
        parameter = output->second.output_buffer().parameter();
    }
    // Halide's own name for where a buffer begins, as its loads use it.
    return Halide::Internal::Variable::make(Halide::type_of<void*>(), name, parameter);
}

Halide::Expr Lowered::evaluate(const Condition::Term& term) const {
    using Kind = Condition::Term::Kind;
    switch (term.kind) {
    case Kind::at_least: return halide_expr(term.left, symbols) >= halide_expr(term.right, symbols);
    case Kind::stride_is: return stride(term.tensor, term.dim) == term.other;
    case Kind::stride_below: return stride(term.tensor, term.dim) < stride(term.tensor, term.other);
    case Kind::threads_at_most: return threads_of_pool() <= term.other;
    default: return address(term.tensor) != address(term.with);
    }
}

Halide::Expr Lowered::evaluate(const Condition& condition) const {
    Halide::Expr all;
    for (const Condition::Term& term : condition.all) {
        const Halide::Expr e = evaluate(term);
        all = all.defined() ? all && e : e;
    }
    if (!all.defined()) all = Halide::Internal::const_true();
    return condition.negated ? !all : all;
}

}  // namespace halogen
