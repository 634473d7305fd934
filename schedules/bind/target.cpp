#include "schedules/bind/target.h"

#include "frontend/notation/parts.h"

#include <algorithm>
#include <set>

namespace halogen {

namespace {

bool pads_with_infinity(const Tensor& t) {
    return is_float(t.type) &&
           (t.boundary.mode == Boundary::Mode::lowest || t.boundary.mode == Boundary::Mode::highest);
}

/// Looks through the values of equations for infinities of paddings.
class Infinities {
public:
    explicit Infinities(const Kernel& kernel) {
        for (const Tensor& t : kernel.tensors)
            if (pads_with_infinity(t)) sources_.insert(t.name);
    }

    bool computed_by(const Equation& equation) {
        if (sources_.empty()) return false;
        bool computed = false;
        each_node(equation, [&](const Expr& e) { computed = computed || computes(e); });
        const bool passed = is_one(equation.right);
        if (passed && equation.op == Op::assign) sources_.insert(equation.left.tensor);
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

    /// True where the node takes one and makes another value of it.
    bool computes(const Expr& e) const {
        if (auto* unary = e.as<Unary>()) return is_one(*unary->value);
        if (auto* binary = e.as<Binary>()) return is_one(*binary->left) || is_one(*binary->right);
        auto* call = e.as<Call>();
        if (!call || passes_on(call->function)) return false;
        return std::any_of(call->arguments.begin(), call->arguments.end(), [&](const Expr& x) { return is_one(x); });
    }

    std::set<std::string> sources_;
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
