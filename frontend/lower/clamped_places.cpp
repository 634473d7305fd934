#include "frontend/lower/clamped_places.h"

#include "frontend/formula/hull.h"
#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace halogen {

namespace {

using Enough = std::optional<std::vector<Formula>>;

bool is_wide(Type type) { return type == Type::i32 || type == Type::i64; }
bool is_real(Type type) { return type == Type::f32 || type == Type::f64; }

Enough both(Enough a, const Enough& b) {
    if (!a || !b) return std::nullopt;
    a->insert(a->end(), b->begin(), b->end());
    return a;
}

/// All whole numbers up to so much are real ones too, of f32 as of f64.
constexpr std::int64_t most_exact = 1 << 24;

/// Values of one equation's expressions.
class Clamped {
public:
    Clamped(const Kernel& kernel, const Solution& solution, int equation)
        : kernel_(kernel), solution_(solution), equation_(equation) {}

    /// For `e` to be at most `bound`, or else at least.
    Enough within(const Expr& e, const Formula& bound, bool at_most) const {
        if (const auto end = end_without_data(e, at_most)) return Enough({at_most ? bound - *end : *end - bound});
        if (const auto* call = e.as<Call>())
            return of_call(*call, at_most, [&](const Expr& part) { return within(part, bound, at_most); });
        if (const auto* two = e.as<Binary>()) return of_sum(*two, bound, at_most);
        if (const auto* cast = e.as<Cast>())  // what is no number gives 0
            return is_wide(cast->to) && is_real_value(*cast->value)
                       ? both(of_real(*cast->value, bound, at_most), Enough({at_most ? bound : -bound}))
                       : std::nullopt;
        const auto* read = e.as<Access>();
        const auto made = read && is_wide(kernel_.tensor(read->tensor).type) ? made_by(*read) : std::nullopt;
        return made ? Clamped(kernel_, solution_, *made).within(right_of(*made), bound, at_most) : std::nullopt;
    }

    /// All numbers that it is made of fit wide types, and it is computed in one.
    bool is_wide_throughout(const Expr& e) const {
        if (const auto* read = e.as<Access>()) return is_wide(kernel_.tensor(read->tensor).type);
        if (const auto* cast = e.as<Cast>()) return is_wide(cast->to);
        if (end_without_data(e, true)) return true;
        const auto wide = [&](const Expr& part) { return is_wide_throughout(part); };
        if (const auto* two = e.as<Binary>()) return wide(*two->left) && wide(*two->right);
        const auto* call = e.as<Call>();
        if (!call) return false;
        const bool chooses = call->function == Function::select;
        return std::all_of(call->arguments.begin() + (chooses ? 1 : 0), call->arguments.end(), wide);
    }

private:
    const Expr& right_of(int equation) const { return kernel_.equations[static_cast<std::size_t>(equation)].right; }

    /// The only equation that makes the tensor, and all of it.
    std::optional<int> made_by(const Access& read) const {
        const auto made = lowering::only_equation_of(kernel_, read.tensor);
        if (!made || kernel_.tensor(read.tensor).boundary.mode != Boundary::Mode::none ||
            !lowering::writes_all(kernel_, solution_, *made) || reads_itself(kernel_.equations[*made]))
            return std::nullopt;
        return static_cast<int>(*made);
    }

    /// The largest value of what sizes and indices alone decide, or the least one.
    std::optional<Formula> end_without_data(const Expr& e, bool largest) const {
        if (depends_on_data(e) || !has_formula(e)) return std::nullopt;
        const auto value = solved_formula(e, solution_);
        if (!value) return std::nullopt;
        const Hull hull = hull_of(*value, box_of(solution_, equation_));
        return largest ? hull.high : hull.low;
    }

    template<class Of>
    static Enough of_call(const Call& call, bool at_most, const Of& of) {
        const std::vector<Expr>& parts = call.arguments;
        if (call.function == Function::select) return both(of(parts[1]), of(parts[2]));
        if (call.function != Function::min && call.function != Function::max) return std::nullopt;
        if ((call.function == Function::min) != at_most) return both(of(parts[0]), of(parts[1]));
        Enough one = of(parts[0]);  // of two either is enough
        return one ? one : of(parts[1]);
    }

    Enough of_sum(const Binary& two, const Formula& bound, bool at_most) const {
        if (two.op != BinaryOp::add && two.op != BinaryOp::sub) return std::nullopt;
        const bool adds = two.op == BinaryOp::add;
        if (const auto end = end_without_data(*two.right, adds == at_most))
            return within(*two.left, adds ? bound - *end : bound + *end, at_most);
        const auto end = adds ? end_without_data(*two.left, at_most) : std::nullopt;
        return end ? within(*two.right, bound - *end, at_most) : std::nullopt;
    }

    /// It is computed as a real number.
    bool is_real_value(const Expr& e) const {
        if (e.as<RealLiteral>()) return true;
        if (const auto* read = e.as<Access>()) return is_float(kernel_.tensor(read->tensor).type);
        if (const auto* scalar = e.as<ScalarRef>()) return is_float(kernel_.find_scalar(scalar->name)->type);
        if (const auto* cast = e.as<Cast>()) return is_float(cast->to);
        const auto real = [&](const Expr& part) { return is_real_value(part); };
        if (const auto* one = e.as<Unary>()) return real(*one->value);
        if (const auto* two = e.as<Binary>()) return real(*two->left) || real(*two->right);
        const auto* call = e.as<Call>();
        return call && std::any_of(call->arguments.begin() + (call->function == Function::select ? 1 : 0),
                                   call->arguments.end(), real);
    }

    /// A whole number among real ones, `0`, `f32(N - 1)`, `f32(N) - 1`, and what must be at least 0 for it to be exactly that one.
    struct Whole {
        Formula number;
        std::vector<Formula> exact;
    };
    static Whole whole_number(const Formula& number, std::vector<Formula> parts = {}) {
        parts.insert(parts.end(), {Formula(most_exact) - number, Formula(most_exact) + number});
        return {number, std::move(parts)};
    }
    std::optional<Whole> whole(const Expr& e) const {
        if (const auto* literal = e.as<IntegerLiteral>()) return whole_number(literal->value);
        if (const auto* literal = e.as<RealLiteral>())
            if (std::trunc(literal->value) == literal->value && std::abs(literal->value) <= most_exact)
                return whole_number(static_cast<std::int64_t>(literal->value));
        const auto* cast = e.as<Cast>();
        const Expr* of_sizes = cast && is_real(cast->to) ? cast->value.get() : e.as<SizeRef>() ? &e : nullptr;
        if (of_sizes && lowering::indices_in(*of_sizes).empty())
            if (const auto end = end_without_data(*of_sizes, true)) return whole_number(*end);
        const auto* two = e.as<Binary>();
        if (!two || (two->op != BinaryOp::add && two->op != BinaryOp::sub)) return std::nullopt;
        auto left = whole(*two->left), right = whole(*two->right);
        if (!left || !right) return std::nullopt;
        left->exact.insert(left->exact.end(), right->exact.begin(), right->exact.end());
        return whole_number(two->op == BinaryOp::add ? left->number + right->number : left->number - right->number,
                            left->exact);
    }

    /// Likewise of a real number that is rounded to a whole one, in whatever way.
    Enough of_real(const Expr& e, const Formula& bound, bool at_most) const {
        if (const auto known = whole(e))
            return both(Enough({at_most ? bound - known->number : known->number - bound}), known->exact);
        const auto of = [&](const Expr& part) { return of_real(part, bound, at_most); };
        if (const auto* call = e.as<Call>()) {
            const bool rounds = call->function == Function::floor || call->function == Function::ceil ||
                                call->function == Function::round;
            return rounds ? of(call->arguments[0]) : of_call(*call, at_most, of);
        }
        const auto* read = e.as<Access>();
        const auto made = read && is_real(kernel_.tensor(read->tensor).type) ? made_by(*read) : std::nullopt;
        return made ? Clamped(kernel_, solution_, *made).of_real(right_of(*made), bound, at_most) : std::nullopt;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    int equation_;
};

}  // namespace

std::optional<std::vector<Formula>> enough_to_lie_inside(const Kernel& kernel, const Solution& solution, int equation,
                                                         const Expr& place, const Formula& extent) {
    const Clamped clamped(kernel, solution, equation);
    if (!clamped.is_wide_throughout(place)) return std::nullopt;
    return both(clamped.within(place, 0, false), clamped.within(place, extent - 1, true));
}

}  // namespace halogen
