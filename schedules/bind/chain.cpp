#include "schedules/bind/chain.h"

#include "frontend/lower/number.h"

#include <algorithm>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;
using IrCall = Halide::Internal::Call;
using Operation = Chain::Operation;

class LoadsIn : public IRVisitor {
public:
    Loads loads;

private:
    using IRVisitor::visit;
    void visit(const Load* load) override {
        loads.all.push_back(load);
        IRVisitor::visit(load);
    }
    void visit(const IrCall* call) override {
        loads.is_plain = loads.is_plain && !call->is_intrinsic(IrCall::if_then_else);
        IRVisitor::visit(call);
    }
    void visit(const Halide::Internal::Let* let) override {
        loads.is_plain = false;
        IRVisitor::visit(let);
    }
};

/// An expression with other elements in place of some.
class Replaced : public IRMutator {
public:
    Replaced(const std::vector<const Load*>& loads, Expr value) : loads_(loads), value_(std::move(value)) {}

private:
    using IRMutator::visit;
    Expr visit(const Load* load) override { return std::ranges::count(loads_, load) ? value_ : IRMutator::visit(load); }
    const std::vector<const Load*>& loads_;
    Expr value_;
};

Expr plus(const Expr& a, const Expr& b) { return a.defined() && b.defined() ? a + b : a.defined() ? a : b; }

bool is_extreme_of_floats(const Chain& chain, const Halide::Type& element) {
    return element.is_float() && (chain.operation == Operation::least || chain.operation == Operation::greatest);
}
/// The element, or if that is NaN the one whose key is the last of all, or the first.
Expr with_our_nan(const Chain& chain, const Expr& element) {
    const bool least = chain.operation == Operation::least;
    return extreme(least ? Op::min : Op::max, least ? element.type().max() : element.type().min(), element);
}

class ChainReader {
public:
    explicit ChainReader(const std::vector<const Load*>& before) : before_(before) {}

    std::optional<Chain> read(const Expr& e) const {
        if (is_before(e)) return Chain{};
        if (const auto* sum = e.as<Add>()) {
            const bool first = has_before(sum->a);
            return counted(first ? sum->a : sum->b, first ? sum->b : sum->a);
        }
        if (const auto* difference = e.as<Sub>()) return counted(difference->a, -difference->b);
        if (const auto* product = e.as<Mul>()) {
            const bool first = has_before(product->a);
            return with_rest(Operation::product, first ? product->a : product->b, first ? product->b : product->a);
        }
        if (const auto* least = e.as<Min>()) return extreme_of(Operation::least, least->a, least->b);
        if (const auto* greatest = e.as<Max>()) return extreme_of(Operation::greatest, greatest->a, greatest->b);
        return chosen(e);
    }

    /// `before * factor + rest`, written in any way: `before + a*(x - before)`.
    std::optional<Chain> linear(const Expr& e) const {
        if (is_before(e)) return Chain{Operation::linear, {}, {}, make_one(e.type())};
        if (!has_before(e)) return Chain{Operation::linear, e, {}, {}};
        const auto scaled = [&](const Expr& part, auto by) {
            auto chain = linear(part);
            if (chain && chain->factor.defined()) chain->factor = by(chain->factor);
            if (chain && chain->rest.defined()) chain->rest = by(chain->rest);
            return chain;
        };
        const auto with = [&](const Expr& part, const std::optional<Chain>& other) {
            auto chain = linear(part);
            if (!chain || !other) return std::optional<Chain>();
            chain->factor = plus(chain->factor, other->factor);
            chain->rest = plus(chain->rest, other->rest);
            return chain;
        };
        const auto negative = [](const Expr& x) { return -x; };
        if (const auto* sum = e.as<Add>()) return with(sum->a, linear(sum->b));
        if (const auto* difference = e.as<Sub>()) return with(difference->a, scaled(difference->b, negative));
        if (const auto* product = e.as<Mul>()) {
            const Expr &part = has_before(product->a) ? product->a : product->b,
                       &by = has_before(product->a) ? product->b : product->a;
            return has_before(by) ? std::nullopt : scaled(part, [&](const Expr& x) { return x * by; });
        }
        const auto* quotient = e.as<Div>();
        if (!quotient || !e.type().is_float() || has_before(quotient->b)) return std::nullopt;
        return scaled(quotient->a, [&](const Expr& x) { return x / quotient->b; });
    }

    bool has_before(const Expr& e) const {
        return std::ranges::any_of(loads_of(e).all,
                                   [&](const Load* load) { return std::ranges::count(before_, load); });
    }

private:
    bool is_before(const Expr& e) const {
        const auto* load = e.as<Load>();
        return load && std::ranges::count(before_, load);
    }
    std::optional<Chain> counted(const Expr& part, const Expr& other) const {
        auto chain = has_before(other) ? std::nullopt : read(part);
        if (!chain || chain->operation == Operation::product) return std::nullopt;
        chain->counted = plus(chain->counted, other);
        if (chain->rest.defined()) chain->rest = chain->rest + other;
        return chain;
    }
    std::optional<Chain> with_rest(Operation operation, const Expr& part, const Expr& other) const {
        auto chain = has_before(other) ? std::nullopt : read(part);
        if (!chain || (chain->operation != Operation::none && chain->operation != operation)) return std::nullopt;
        if (operation == Operation::product && chain->counted.defined()) return std::nullopt;
        chain->operation = operation;
        const Expr rest = chain->rest;
        if (!rest.defined())
            chain->rest = other;
        else if (operation == Operation::product)
            chain->rest = rest * other;
        else
            chain->rest = operation == Operation::least ? min(rest, other) : max(rest, other);
        return chain;
    }
    std::optional<Chain> extreme_of(Operation operation, const Expr& a, const Expr& b) const {
        if (a.type().is_float()) return std::nullopt;  // theirs are other calls
        return has_before(a) ? with_rest(operation, a, b) : with_rest(operation, b, a);
    }
    /// The least or greatest of floats, NaN if one of them is (`extreme` of number.h).
    std::optional<Chain> chosen(const Expr& e) const {
        Expr number;
        const auto op = extreme_in(e, &number);
        if (!op || !is_part(number, *op)) return std::nullopt;
        const Expr nothing = *op == Op::min ? e.type().max() : e.type().min();
        const Expr rest = Replaced(before_, nothing).mutate(e);
        return Chain{*op == Op::min ? Operation::least : Operation::greatest,
                     rest.as<Reinterpret>() ? rest : extreme(*op, nothing, rest)};
    }
    /// The element before is one of those whose extreme is taken.
    bool is_part(const Expr& number, Op op) const {
        if (is_before(number)) return true;
        const auto* call = number.as<IrCall>();
        if (!call || extreme_in(number) != op) return false;
        const bool first = has_before(call->args[0]);
        return first != has_before(call->args[1]) && is_part(call->args[first ? 0 : 1], op);
    }

    const std::vector<const Load*>& before_;
};

}  // namespace

Loads loads_of(const Halide::Expr& e) {
    LoadsIn in;
    e.accept(&in);
    return in.loads;
}

std::optional<Chain> chain_of(const Halide::Expr& value, const std::vector<const Load*>& before) {
    const ChainReader reader(before);
    if (const auto* select = value.as<Select>()) {
        const bool first = reader.has_before(select->true_value);
        if (first == reader.has_before(select->false_value) || reader.has_before(select->condition))
            return std::nullopt;
        auto chain = chain_of(first ? select->true_value : select->false_value, before);
        if (!chain) return std::nullopt;
        const Halide::Expr begins = first ? !select->condition : select->condition;
        chain->begins = chain->begins.defined() ? begins || chain->begins : begins;
        chain->rest = Halide::select(begins, first ? select->false_value : select->true_value, chain->rest);
        if (is_extreme_of_floats(*chain, value.type())) chain->rest = with_our_nan(*chain, chain->rest);
        return chain;
    }
    auto chain = reader.read(value);
    if (!chain) {
        chain = reader.linear(value);
        if (!chain || !chain->factor.defined()) return std::nullopt;
        if (!chain->rest.defined()) chain->rest = make_zero(value.type());
    }
    if (chain->operation == Operation::none) chain = Chain{Operation::sum, chain->counted};
    return chain->rest.defined() ? chain : std::nullopt;
}

ChainLanes::ChainLanes(Chain chain, const Halide::Type& element, int count)
    : chain_(std::move(chain)), element_(element), count_(count) {
    if (!chain_.factor.defined()) return;
    powers_.push_back(constant(Broadcast::make(chain_.factor, count)));
    for (int by = 1; by < count; by *= 2) powers_.push_back(constant(powers_.back() * powers_.back()));
    lane_powers_ = powers_.front();
    for (int by = 1; by < count; by *= 2)
        lane_powers_ = constant(lane_powers_ * shifted(lane_powers_, make_one(type()), by));
}

Halide::Type ChainLanes::type() const {
    return by_keys() ? Halide::Int(element_.bits(), count_) : element_.with_lanes(count_);
}
Halide::Expr ChainLanes::begun(const Halide::Expr& elements) const { return by_keys() ? sort_key(elements) : elements; }
Halide::Expr ChainLanes::ended(const Halide::Expr& vector) const { return by_keys() ? of_sort_key(vector) : vector; }
Halide::Expr ChainLanes::lone(const Halide::Expr& element) const {
    return by_keys() ? with_our_nan(chain_, element) : element;
}

ChainVector ChainLanes::doubled(const ChainVector& vector, int by) const {
    std::size_t power = 0;
    while ((1 << power) < by) power++;
    const Halide::Expr &elements = vector.elements, &goes_on = vector.goes_on;
    const Halide::Expr factor = powers_.empty() ? Halide::Expr() : powers_[power];
    const Halide::Expr joins = joined(shifted(elements, nothing(), by), vector, all(by), factor);
    ChainVector result{joins};
    if (goes_on.defined()) result.goes_on = goes_on & shifted(goes_on, make_const(goes_on.type(), -1), by);
    if (vector.counted.defined())
        result.counted = vector.counted + shifted(vector.counted, make_zero(vector.counted.type()), by);
    return result;
}
Halide::Expr ChainLanes::behind(const Halide::Expr& before, const ChainVector& vector) const {
    return joined(before, vector, Ramp::make(1, 1, count_), lane_powers_);
}
Halide::Expr ChainLanes::next(const Halide::Expr& before, const ChainVector& vector) const {
    const ChainVector last{last_lane(vector.elements), last_lane(vector.goes_on), last_lane(vector.counted)};
    return joined(before, last, all(count_), powers_.empty() ? Halide::Expr() : powers_.back());
}

bool ChainLanes::by_keys() const { return is_extreme_of_floats(chain_, element_) && !chain_.counted.defined(); }

/// What changes nothing that is joined with it.
Halide::Expr ChainLanes::nothing() const {
    switch (chain_.operation) {
    case Operation::product: return make_one(type());
    case Operation::least: return type().max();
    case Operation::greatest: return type().min();
    default: return element_.is_float() ? make_const(type(), -0.0) : make_zero(type());
    }
}

Halide::Expr ChainLanes::shifted(const Halide::Expr& vector, const Halide::Expr& neutral, int by) const {
    std::vector<int> lanes;
    for (int lane = 0; lane < count_; lane++) lanes.push_back(lane < by ? count_ + lane : lane - by);
    return Shuffle::make({vector, neutral}, lanes);
}

Halide::Expr ChainLanes::last_lane(const Halide::Expr& vector) const {
    const std::vector<int> lanes(static_cast<std::size_t>(count_), count_ - 1);
    return vector.defined() ? Shuffle::make({vector}, lanes) : vector;
}

/// `vector` joined with what stands so many places before it.
Halide::Expr ChainLanes::joined(const Halide::Expr& before, const ChainVector& vector, const Halide::Expr& places,
                                const Halide::Expr& power) const {
    const Halide::Expr& elements = vector.elements;
    const auto counted = [&] {
        if (!chain_.counted.defined()) return before;
        const Halide::Expr by = Broadcast::make(chain_.counted, count_) * cast(type(), places);
        return counted_up(before, chain_.counts_each ? vector.counted : by);
    };
    const auto all_joined = [&] {
        switch (chain_.operation) {
        case Operation::product: return before * elements;
        case Operation::linear: return before * power + elements;
        case Operation::least: return Min::make(counted(), elements);
        case Operation::greatest: return Max::make(counted(), elements);
        default: return before + elements;
        }
    };
    const Halide::Expr& goes_on = vector.goes_on;
    return goes_on.defined() ? Select::make(goes_on != make_zero(goes_on.type()), all_joined(), elements)
                             : all_joined();
}

/// Elements near the ends of their type, which may stand for none at all, stay there.
Halide::Expr ChainLanes::counted_up(const Halide::Expr& vector, const Halide::Expr& by) const {
    if (element_.is_float()) return vector + by;
    const Halide::Expr zero = make_zero(type());
    const Halide::Expr first = type().min() - Min::make(by, zero), last = type().max() - Max::make(by, zero);
    return Min::make(Max::make(vector, first), last) + by;
}

Halide::Expr ChainLanes::may_be_joined(const Halide::Expr& before, const ChainVector& vector) const {
    const auto all_lanes = [](const Halide::Expr& lanes) { return VectorReduce::make(VectorReduce::And, lanes, 1); };
    if (!element_.is_float()) {
        const Halide::Expr most = make_const(type(), most_counted);
        return all_lanes(vector.counted <= most && vector.counted >= -most);
    }
    const Halide::Type bits = Halide::Int(element_.bits(), count_);
    const auto size = [&](const Halide::Expr& x) {
        return reinterpret(bits, x) & bits.max();
    };  // NaN's above infinity's
    const Halide::Expr infinity = make_const(bits, element_.bits() == 64 ? 0x7ff0000000000000 : 0x7f800000);
    return all_lanes(size(vector.counted) < infinity && max(size(before), size(vector.elements)) <= infinity);
}

Halide::Expr ChainLanes::all(int number) const { return Broadcast::make(number, count_); }

Halide::Expr ChainLanes::constant(const Halide::Expr& value) {
    constants_.emplace_back(unique_name('p'), value);
    return Variable::make(value.type(), constants_.back().first);
}

}  // namespace halogen
