#include "schedules/bind/target.h"

#include "frontend/notation/parts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace halogen {

namespace {

/// True for a literal that the cast to f16 makes infinite, its sign aside.
bool is_beyond_halves(const Expr& e) {
    constexpr double least_infinite = 65520;
    auto* integer = e.as<IntegerLiteral>();
    auto* real = e.as<RealLiteral>();
    return (integer && std::abs(static_cast<double>(integer->value)) >= least_infinite) ||
           (real && std::abs(real->value) >= least_infinite);
}

bool pads_with_extreme(const Tensor& t) {
    return t.boundary.mode == Boundary::Mode::lowest || t.boundary.mode == Boundary::Mode::highest;
}

/// Looks through the values of equations for infinities of paddings, and for those that casts to f16 make of constants.
class Infinities {
public:
    explicit Infinities(const Kernel& kernel) {
        for (const Tensor& t : kernel.tensors)
            if (is_float(t.type) && pads_with_extreme(t))
                sources_.insert(t.name);
            else if (pads_with_large(t))
                large_.insert(t.name);
    }

    bool computed_by(const Equation& equation) {
        bool computed = false;
        each_node(equation, [&](const Expr& e) { computed = computed || computes(e); });
        const bool passed = is_one(equation.right);
        if (passed && equation.op == Op::assign) sources_.insert(equation.left.tensor);
        if (may_be_large(equation.right)) large_.insert(equation.left.tensor);
        return computed || (passed && (equation.op == Op::add || equation.op == Op::mul));
    }

private:
    /// True where the value of `e` may be such an infinity, handed on as it is.
    bool is_one(const Expr& e) const {
        if (auto* access = e.as<Access>()) return sources_.count(access->tensor) > 0;
        if (auto* cast = e.as<Cast>()) return is_one(*cast->value);
        auto* call = e.as<Call>();
        if (!call || !passes_on(call->function)) return false;
        return std::any_of(call->arguments.begin(), call->arguments.end(), [&](const Expr& x) { return is_one(x); });
    }
    static bool passes_on(Function f) { return f == Function::select || f == Function::min || f == Function::max; }

    /// True for a padding of one number beyond the halves; the least or greatest one of a type of several bytes is taken for one.
    bool pads_with_large(const Tensor& t) const {
        if (t.boundary.mode == Boundary::Mode::constant) return may_be_large(t.boundary.constant);
        return pads_with_extreme(t) && bytes_of(t.type) > 1;
    }
    /// True where a constant beyond the halves may be the value of `e`, or a part of it.
    bool may_be_large(const Expr& e) const {
        bool found = false;
        walk(e, [&](const Expr& x) {
            auto* access = x.as<Access>();
            found = found || is_beyond_halves(x) || (access && large_.count(access->tensor) > 0);
        });
        return found;
    }

    /// True where the node takes one and makes another value of it, or makes one.
    bool computes(const Expr& e) const {
        if (auto* cast = e.as<Cast>()) return cast->to == Type::f16 && may_be_large(*cast->value);
        if (auto* unary = e.as<Unary>()) return is_one(*unary->value);
        if (auto* binary = e.as<Binary>()) return is_one(*binary->left) || is_one(*binary->right);
        auto* call = e.as<Call>();
        if (!call || passes_on(call->function)) return false;
        return std::any_of(call->arguments.begin(), call->arguments.end(), [&](const Expr& x) { return is_one(x); });
    }

    std::set<std::string> sources_;
    std::set<std::string> large_;  // tensors that may hold a constant beyond the halves
};

}  // namespace

bool computes_with_infinities(const Kernel& kernel) {
    Infinities infinities(kernel);
    bool computed = false;
    for (const Equation& equation : kernel.equations) computed = infinities.computed_by(equation) || computed;
    return computed;
}

std::string target_of(const Leg& leg, const Kernel& kernel) {
    return leg.halide_target + (computes_with_infinities(kernel) ? "-strict_float" : "");
}

}  // namespace halogen
