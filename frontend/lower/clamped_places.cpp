#include "frontend/lower/clamped_places.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstddef>

namespace halogen {

namespace {

using Enough = std::optional<std::vector<Formula>>;

bool is_wide(Type type) { return type == Type::i32 || type == Type::i64; }

Enough both(Enough a, const Enough& b) {
    if (!a || !b) return std::nullopt;
    a->insert(a->end(), b->begin(), b->end());
    return a;
}

class Clamped {
public:
    Clamped(const Kernel& kernel, const Solution& solution) : kernel_(kernel), solution_(solution) {}

    /// For `e` to be at most `bound`, or else at least.
    Enough within(const Expr& e, const Formula& bound, bool at_most) const {
        if (const auto number = number_of_sizes(e)) return Enough({at_most ? bound - *number : *number - bound});
        if (const auto* call = e.as<Call>()) return of_call(*call, bound, at_most);
        if (const auto* two = e.as<Binary>()) return of_sum(*two, bound, at_most);
        const auto* read = e.as<Access>();
        const auto made = read ? lowering::only_equation_of(kernel_, read->tensor) : std::nullopt;
        if (!made || !is_wide(kernel_.tensor(read->tensor).type) ||
            kernel_.tensor(read->tensor).boundary.mode != Boundary::Mode::none)
            return std::nullopt;
        const Equation& equation = kernel_.equations[*made];
        if (!lowering::writes_all(kernel_, solution_, *made) || reads_itself(equation)) return std::nullopt;
        return within(equation.right, bound, at_most);
    }

    /// All numbers that it is made of fit wide types, and it is computed in one.
    bool is_wide_throughout(const Expr& e) const {
        if (const auto* read = e.as<Access>()) return is_wide(kernel_.tensor(read->tensor).type);
        if (const auto* cast = e.as<Cast>()) return is_wide(cast->to);
        if (number_of_sizes(e)) return true;
        const auto wide = [&](const Expr& part) { return is_wide_throughout(part); };
        if (const auto* two = e.as<Binary>()) return wide(*two->left) && wide(*two->right);
        const auto* call = e.as<Call>();
        if (!call) return false;
        const bool chooses = call->function == Function::select;
        return std::all_of(call->arguments.begin() + (chooses ? 1 : 0), call->arguments.end(), wide);
    }

private:
    /// A number that sizes alone decide.
    std::optional<Formula> number_of_sizes(const Expr& e) const {
        if (depends_on_data(e) || !lowering::indices_in(e).empty()) return std::nullopt;
        return has_formula(e) ? solved_formula(e, solution_) : std::nullopt;
    }

    Enough of_call(const Call& call, const Formula& bound, bool at_most) const {
        const auto of = [&](std::size_t argument) { return within(call.arguments[argument], bound, at_most); };
        if (call.function == Function::select) return both(of(1), of(2));
        if (call.function != Function::min && call.function != Function::max) return std::nullopt;
        if ((call.function == Function::min) != at_most) return both(of(0), of(1));
        Enough one = of(0);  // of two either is enough
        return one ? one : of(1);
    }

    Enough of_sum(const Binary& two, const Formula& bound, bool at_most) const {
        if (two.op != BinaryOp::add && two.op != BinaryOp::sub) return std::nullopt;
        if (const auto number = number_of_sizes(*two.right))
            return within(*two.left, two.op == BinaryOp::add ? bound - *number : bound + *number, at_most);
        const auto number = two.op == BinaryOp::add ? number_of_sizes(*two.left) : std::nullopt;
        return number ? within(*two.right, bound - *number, at_most) : std::nullopt;
    }

    const Kernel& kernel_;
    const Solution& solution_;
};

}  // namespace

std::optional<std::vector<Formula>> enough_to_lie_inside(const Kernel& kernel, const Solution& solution,
                                                         const Expr& place, const Formula& extent) {
    const Clamped clamped(kernel, solution);
    if (!clamped.is_wide_throughout(place)) return std::nullopt;
    return both(clamped.within(place, 0, false), clamped.within(place, extent - 1, true));
}

}  // namespace halogen
