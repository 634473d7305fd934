#include "frontend/lower/lowered.h"

#include "frontend/lower/number.h"

#include <algorithm>

namespace halogen {

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

Halide::Expr Lowered::evaluate(const Condition::Term& term, int form) const {
    using Kind = Condition::Term::Kind;
    const auto moved = [form](const Halide::Expr& e) { return form ? e + form : e; };
    switch (term.kind) {
    case Kind::at_least: return moved(halide_expr(term.left, symbols)) >= moved(halide_expr(term.right, symbols));
    case Kind::stride_is: return moved(stride(term.tensor, term.dim)) == moved(term.other);
    case Kind::stride_below: return moved(stride(term.tensor, term.dim)) < moved(stride(term.tensor, term.other));
    case Kind::threads_at_most: return moved(threads_of_pool()) <= moved(term.other);
    default: break;
    }
    Halide::Expr a = address(term.tensor), b = address(term.with);
    if (form & 1) std::swap(a, b);
    return form & 2 ? !(a == b) : a != b;  // four forms, for as many twins that ask it
}

Halide::Expr Lowered::evaluate(const Condition& condition) const {
    const auto twin = std::find(twins.begin(), twins.end(), condition);
    const auto form = [&](const Condition::Term& term) {  // how many of the twins before ask the same
        return std::count_if(twins.begin(), twin == twins.end() ? twins.begin() : twin, [&](const Condition& other) {
            return std::find(other.all.begin(), other.all.end(), term) != other.all.end();
        });
    };
    Halide::Expr all;
    for (const Condition::Term& term : condition.all) {
        const Halide::Expr e = evaluate(term, static_cast<int>(form(term)));
        all = all.defined() ? all && e : e;
    }
    if (!all.defined()) all = Halide::Internal::const_true();
    return condition.negated ? !all : all;
}

}  // namespace halogen
