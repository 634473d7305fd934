#include "schedules/nest/places.h"

#include "frontend/formula/hull.h"
#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

namespace halogen {

namespace {

Expr product_of(const Formula::Monomial& monomial, std::int64_t coefficient);

Expr atom_of(const Formula::Atom& atom) {
    using Kind = Formula::Atom::Kind;
    switch (atom.kind) {
    case Kind::symbol: {
        return atom.name[0] == '#' ? Expr(ExprNode(IndexRef{atom.name})) : Expr(ExprNode(SizeRef{atom.name}));
    }
    case Kind::floor_div: return make_binary(BinaryOp::div, expr_of(atom.a), expr_of(atom.b));
    case Kind::remainder: return make_binary(BinaryOp::mod, expr_of(atom.a), expr_of(atom.b));
    case Kind::min: return make_call(Function::min, {expr_of(atom.a), expr_of(atom.b)});
    default: return make_call(Function::max, {expr_of(atom.a), expr_of(atom.b)});
    }
}

Expr product_of(const Formula::Monomial& monomial, std::int64_t coefficient) {
    Expr product;
    if (coefficient != 1 || monomial.empty()) product = Expr(coefficient);
    for (const Formula::AtomRef& atom : monomial)
        product = product.defined() ? make_binary(BinaryOp::mul, product, atom_of(*atom)) : atom_of(*atom);
    return product;
}

void collect(const Nest& nest, const NestStatement& s, const Expr& e, std::vector<NestAccess>& all) {
    walk(e, [&](const Expr& x) {
        auto* access = x.as<Access>();
        if (!access) return;
        NestAccess read{access->tensor, false, {}};
        for (const Expr& place : access->at) read.at.push_back(formula_of(nest, s, place));
        all.push_back(read);
    });
}

bool names_loop(const Expr& e) {
    bool found = false;
    walk(e, [&](const Expr& x) {
        auto* index = x.as<IndexRef>();
        found = found || (index && index->name[0] == '#');
    });
    return found;
}

}  // namespace

std::optional<Formula> formula_of(const Nest& nest, const NestStatement& s, const Expr& e) {
    return place_formula(e, [&](const std::string& symbol) -> const Formula* {
        const auto index = s.at.find(symbol);
        if (index != s.at.end()) return &index->second;
        const auto size = nest.solution.sizes.find(symbol);
        return size == nest.solution.sizes.end() ? nullptr : &size->second;
    });
}

Expr expr_of(const Formula& f) {
    Expr sum;
    for (const auto& [monomial, coefficient] : f.terms()) {
        if (!sum.defined())
            sum = product_of(monomial, coefficient);
        else if (coefficient < 0)
            sum = make_binary(BinaryOp::sub, sum, product_of(monomial, -coefficient));
        else
            sum = make_binary(BinaryOp::add, sum, product_of(monomial, coefficient));
    }
    return sum.defined() ? sum : Expr(0);
}

bool mentions_loops(const Equation& equation) {
    bool found = false;
    each_expression(equation, [&](const Expr& e) { found = found || names_loop(e); });
    return found;
}

std::vector<NestAccess> accesses_of(const Nest& nest, const NestStatement& s) {
    NestAccess write{s.equation.left.tensor, true, {}};
    for (const Expr& place : s.equation.left.at) write.at.push_back(formula_of(nest, s, place));
    std::vector<NestAccess> all{write};
    each_expression(s.equation, [&](const Expr& e) { collect(nest, s, e, all); });
    return all;
}

void rewrite_reads(NestStatement& s, const std::string& tensor, const std::function<Expr(const Access&)>& change) {
    const auto replace = [&](const Expr& e) {
        auto* access = e.as<Access>();
        return access && access->tensor == tensor ? change(*access) : e;
    };
    rewrite(s.equation, replace);
}

Hull range_over(const Formula& f, const std::vector<const NestLoop*>& loops) {
    Hull range{f, f};
    // Innermost first: the bounds of a loop may name loops around it.
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        const Box box{{loop_symbol((*loop)->id), {(*loop)->min, (*loop)->min + (*loop)->extent - Formula(1)}}};
        const Hull low = hull_of(range.low, box), high = hull_of(range.high, box);
        range = {low.low, high.high, range.exact && low.exact && high.exact};
    }
    return range;
}

}  // namespace halogen
