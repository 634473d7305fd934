#include "tests/solve/small_systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace halogen::test {

using Op = SmallExpression::Op;

SmallExpression SmallExpression::leaf(Op op, int value) {
    SmallExpression e;
    e.nodes_.push_back({op, value, -1, -1});
    return e;
}

SmallExpression SmallExpression::of(Op op, const SmallExpression& left, const SmallExpression& right) {
    SmallExpression e = left;
    const int shift = static_cast<int>(left.nodes_.size());
    for (Node n : right.nodes_) {
        if (n.left >= 0) n.left += shift, n.right += shift;
        e.nodes_.push_back(n);
    }
    e.nodes_.push_back({op, 0, shift - 1, static_cast<int>(e.nodes_.size()) - 1});
    return e;
}

int SmallExpression::at(const Point& point, bool& fails) const {
    std::array<int, 64> values;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& n = nodes_[i];
        const int a = n.left < 0 ? 0 : values[n.left], b = n.left < 0 ? 1 : values[n.right];
        switch (n.op) {
        case Op::number: values[i] = n.value; break;
        case Op::unknown: values[i] = point[n.value]; break;
        case Op::add: values[i] = a + b; break;
        case Op::multiply: values[i] = a * b; break;
        case Op::max: values[i] = std::max(a, b); break;
        case Op::min: values[i] = std::min(a, b); break;
        default: {
            if (b < 1) {
                fails = true;
                return 0;
            }
            const int r = ((a % b) + b) % b;
            values[i] = n.op == Op::remainder ? r : (a - r) / b;
        }
        }
    }
    return values[nodes_.size() - 1];
}

Formula SmallExpression::formula(const std::vector<std::string>& names) const {
    std::vector<Formula> values;
    for (const Node& n : nodes_) {
        switch (n.op) {
        case Op::number: values.emplace_back(n.value); break;
        case Op::unknown: values.push_back(Formula::symbol(names[n.value])); break;
        case Op::add: values.push_back(values[n.left] + values[n.right]); break;
        case Op::multiply: values.push_back(values[n.left] * values[n.right]); break;
        case Op::max: values.push_back(max(values[n.left], values[n.right])); break;
        case Op::min: values.push_back(min(values[n.left], values[n.right])); break;
        case Op::remainder: values.push_back(remainder(values[n.left], values[n.right])); break;
        case Op::floor_div: values.push_back(floor_div(values[n.left], values[n.right])); break;
        }
    }
    return values.back();
}

bool SmallFact::holds(const Point& point) const {
    bool fails = false;
    const int a = left.at(point, fails), b = right.at(point, fails);
    return !fails && (relation == Relation::equal ? a == b : a <= b);
}

Fact SmallFact::fact(const std::vector<std::string>& names, int source) const {
    return {left.formula(names), relation, right.formula(names), source};
}

SmallSystem::Spelling SmallSystem::plain() const {
    Spelling s;
    for (int i = 0; i < unknowns; ++i) s.names.emplace_back(1, static_cast<char>('a' + i));
    s.name_order.resize(unknowns);
    s.fact_order.resize(facts.size());
    std::iota(s.name_order.begin(), s.name_order.end(), 0);
    std::iota(s.fact_order.begin(), s.fact_order.end(), 0);
    s.factors.assign(facts.size(), 1);
    return s;
}

System SmallSystem::system(const Spelling& s) const {
    System system;
    for (int i : s.name_order) system.add_unknown(s.names[i], 1);
    for (int i : s.name_order) system.add_at_most(Formula::symbol(s.names[i]), largest, 0);
    for (int i : s.fact_order) {
        Fact f = facts[i].fact(s.names, 0);
        f.left = f.left * Formula(s.factors[i]);
        f.right = f.right * Formula(s.factors[i]);
        system.add(std::move(f));
    }
    std::vector<std::vector<Fact>> alternatives;
    for (const auto& f : either) alternatives.push_back({f.fact(s.names, 0)});
    if (!alternatives.empty()) system.add_either(std::move(alternatives));
    return system;
}

Bindings SmallSystem::bindings(const Spelling& s) const {
    Bindings all;
    for (int i = 0; i < unknowns; ++i) {
        if (known[i]) all.emplace(s.names[i], *known[i]);
    }
    return all;
}

std::string SmallSystem::text() const {
    const auto names = plain().names;
    std::string all;
    const auto one = [&](const SmallFact& f) {
        return fmt::format("{} {} {}", print(f.left.formula(names)),
                           f.relation == Relation::equal ? "==" : "<=", print(f.right.formula(names)));
    };
    for (const auto& f : facts) all += one(f) + "; ";
    for (const auto& f : either) all += "or " + one(f) + "; ";
    for (const auto& [n, v] : bindings()) all += fmt::format("{} = {}; ", n, v);
    return all;
}

std::vector<Point> SmallSystem::enumerate(int low) const {
    Point at{}, first{}, last{};
    for (int i = 0; i < unknowns; ++i) {
        first[i] = known[i].value_or(low);
        last[i] = known[i].value_or(largest);
    }
    at = first;
    std::vector<Point> solutions;
    for (;;) {
        const auto holds = [&](const SmallFact& f) { return f.holds(at); };
        if (std::all_of(facts.begin(), facts.end(), holds) &&
            (either.empty() || std::any_of(either.begin(), either.end(), holds)))
            solutions.push_back(at);
        int i = 0;
        while (i < unknowns && ++at[i] > last[i]) at[i] = first[i], ++i;
        if (i == unknowns) return solutions;
    }
}

namespace {

SmallExpression random_atom(Dice& dice, int unknowns) {
    return SmallExpression::unknown(dice.between(0, unknowns - 1));
}

SmallExpression random_linear(Dice& dice, int unknowns) {
    auto e = SmallExpression::number(dice.between(-4, 6));
    for (int k = dice.between(1, unknowns > 4 ? unknowns : 3); k > 0; --k)
        e = SmallExpression::of(Op::add, e,
                                SmallExpression::of(Op::multiply, SmallExpression::number(dice.between(-2, 3)),
                                                    random_atom(dice, unknowns)));
    return e;
}

SmallExpression random_expression(Dice& dice, int unknowns, Shape shape) {
    const auto linear = [&] { return random_linear(dice, unknowns); };
    const auto atom = [&] { return random_atom(dice, unknowns); };
    const auto of = SmallExpression::of;
    const int kind = dice.between(0, 9);
    if (shape == Shape::linear) return linear();
    if (kind == 0)
        return of(Op::add, of(Op::floor_div, linear(), SmallExpression::number(dice.between(2, 4))), linear());
    if (kind == 1) return of(Op::add, of(Op::remainder, linear(), SmallExpression::number(dice.between(2, 4))), atom());
    if (shape == Shape::affine) return linear();
    switch (kind) {
    case 2: return of(Op::max, linear(), linear());
    case 3: return of(Op::add, of(Op::min, linear(), linear()), atom());
    case 4: return of(Op::add, of(Op::multiply, atom(), atom()), SmallExpression::number(dice.between(-3, 3)));
    case 5: return of(Op::floor_div, linear(), atom());
    default: return linear();
    }
}

SmallFact random_fact(Dice& dice, int unknowns, Shape shape) {
    return {random_expression(dice, unknowns, shape), dice.chance(55) ? Relation::equal : Relation::at_most,
            random_linear(dice, unknowns)};
}

}  // namespace

SmallSystem random_system(Dice& dice, Shape shape) {
    SmallSystem s;
    s.unknowns = dice.between(2, 4);
    for (int i = 0; i < s.unknowns; ++i) {
        if (dice.chance(30)) s.known[i] = dice.between(1, largest_value);
    }
    for (int k = dice.between(1, 3); k > 0; --k) s.facts.push_back(random_fact(dice, s.unknowns, shape));
    if (shape == Shape::any && dice.chance(20)) {
        s.either.push_back(random_fact(dice, s.unknowns, shape));
        s.either.push_back(random_fact(dice, s.unknowns, shape));
    }
    return s;
}

SmallSystem coupled_system(Dice& dice, Shape shape) {
    SmallSystem s;
    s.unknowns = dice.between(5, most_unknowns);
    s.largest = s.unknowns == 5 ? 5 : s.unknowns == 6 ? 4 : 3;  // some thousand points
    for (int i = 0; i < s.unknowns; ++i) {
        if (dice.chance(10)) s.known[i] = dice.between(1, s.largest);
    }
    for (int k = dice.between(2, 5); k > 0; --k) s.facts.push_back(random_fact(dice, s.unknowns, shape));
    return s;
}

}  // namespace halogen::test
