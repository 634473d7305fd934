#include "frontend/notation/builder.h"

#include <fmt/format.h>

namespace halogen::build {
namespace {

Value binary(BinaryOp op, const Value& a, const Value& b) { return Value(make_binary(op, a.expr(), b.expr())); }

Value call(Function function, std::initializer_list<Value> arguments) {
    std::vector<Expr> exprs;
    for (const Value& a : arguments) exprs.push_back(a.expr());
    return Value(make_call(function, std::move(exprs)));
}

/// Puts one parameter where a Kernel keeps it.
struct AddParameter {
    Kernel& kernel;
    void operator()(const halogen::Tensor& t) const {
        if (!t.dims)
            throw Failure({ErrorKind::rank,
                           fmt::format("input `{}` has no dims", t.name),
                           {},
                           "",
                           "give it dims; a number known at run time is a `Scalar`"});
        kernel.parameters.push_back({halogen::Parameter::Sort::tensor, t.name});
        kernel.tensors.push_back(t);
    }
    void operator()(const SizeParam& s) const {
        kernel.parameters.push_back({halogen::Parameter::Sort::size, s.name});
        kernel.sizes.push_back(s);
    }
    void operator()(const ScalarParam& s) const {
        kernel.parameters.push_back({halogen::Parameter::Sort::scalar, s.name});
        kernel.scalars.push_back(s);
    }
};

/// Puts one item where a Kernel keeps it.
struct AddItem {
    Kernel& kernel;
    void operator()(const halogen::Equation& e) const { kernel.equations.push_back(e); }
    void operator()(const halogen::Let& let) const { kernel.lets.push_back(let); }
    void operator()(const halogen::Tensor& t) const {
        if (!t.dims)
            throw Failure({ErrorKind::rank,
                           fmt::format("`tmp {}` has no dims", t.name),
                           {},
                           "",
                           "give it dims; a tensor that is not declared needs no `tmp`"});
        kernel.tensors.push_back(t);
        kernel.tensors.back().role = Role::intermediate;
    }
};

}  // namespace

Element::Element(std::string tensor, std::vector<Value> at) : tensor_(std::move(tensor)), at_(std::move(at)) {}

Access Element::access() const {
    Access access{tensor_, {}, {}};
    for (const Value& v : at_) access.at.push_back(v.expr());
    return access;
}

Equation Element::equation(Op op, const Value& right) const {
    halogen::Equation equation;
    equation.left = access();
    equation.op = op;
    equation.right = right.expr();
    return Equation(std::move(equation));
}

Equation Element::operator=(const Value& right) const { return equation(Op::assign, right); }
Equation Element::operator=(const Element& right) const { return equation(Op::assign, right); }
Equation Element::operator+=(const Value& right) const { return equation(Op::add, right); }
Equation Element::operator*=(const Value& right) const { return equation(Op::mul, right); }
Equation Element::max_of(const Value& right) const { return equation(Op::max, right); }
Equation Element::min_of(const Value& right) const { return equation(Op::min, right); }
Equation Element::and_of(const Value& right) const { return equation(Op::logical_and, right); }
Equation Element::or_of(const Value& right) const { return equation(Op::logical_or, right); }

Let::operator Value() const {
    const bool size = let().is_size();
    return Value(Expr(size ? ExprNode{SizeRef{name_}} : ExprNode{IndexRef{name_}}));
}

Dim Dim::pad(const Value& low, const Value& high) const {
    Dim padded = *this;
    padded.dim_.pad_low = low.expr();
    padded.dim_.pad_high = high.expr();
    return padded;
}

Dim Dim::open() { return Dim(); }

Tensor::Tensor(std::string name, Type type) {
    tensor_.name = std::move(name);
    tensor_.type = type;
}

Tensor::Tensor(std::string name, Type type, const std::vector<Dim>& dims) : Tensor(std::move(name), type) {
    tensor_.rank = static_cast<int>(dims.size());
    tensor_.dims.emplace();
    for (const Dim& d : dims) tensor_.dims->push_back(d.dim());
}

Tensor Tensor::otherwise(const Value& literal) const {
    Tensor changed = *this;
    changed.tensor_.boundary = {Mode::constant, literal.expr()};
    return changed;
}

Tensor Tensor::otherwise(Mode mode) const {
    Tensor changed = *this;
    changed.tensor_.boundary = {mode, {}};
    return changed;
}

InRange in(const Index& i, const Value& begin, const Value& end) { return {i.name(), begin.expr(), end.expr(), {}}; }

Equation Equation::where(const InRange& range) const {
    Equation changed = *this;
    changed.equation_.where.push_back(range);
    return changed;
}

Equation Equation::where(const Value& predicate) const {
    Equation changed = *this;
    changed.equation_.where.push_back(predicate.expr());
    return changed;
}

Result<Kernel> kernel(const std::string& name, const std::vector<Parameter>& parameters,
                      const std::vector<Tensor>& outputs, const std::vector<Item>& items,
                      const std::vector<Value>& conditions) {
    return guarded([&] {
        if (name.empty())
            throw Failure({ErrorKind::name, "the kernel has no name", {}, "", "name it, or use `equations(...)`"});
        Kernel made;
        made.name = name;
        for (const Parameter& p : parameters) std::visit(AddParameter{made}, p.value());
        for (const Tensor& t : outputs) {
            made.tensors.push_back(t.tensor());
            made.tensors.back().role = Role::output;
        }
        for (const Item& item : items) std::visit(AddItem{made}, item.value());
        for (const Value& c : conditions) made.conditions.push_back({c.expr(), {}, ""});
        return check(std::move(made)).value();
    });
}

Result<Kernel> equations(const std::vector<Item>& items) {
    return guarded([&] {
        Kernel made;
        for (const Item& item : items) std::visit(AddItem{made}, item.value());
        return check(std::move(made)).value();
    });
}

Result<Program> program(const std::vector<Result<Kernel>>& kernels) {
    return guarded([&] {
        Program made;
        for (const Result<Kernel>& k : kernels) {
            for (const Kernel& other : made.kernels)
                if (other.name == k.value().name)
                    throw Failure({ErrorKind::name,
                                   fmt::format("there are two kernels `{}`", other.name),
                                   {},
                                   "",
                                   "rename one of them"});
            if (kernels.size() > 1 && k.value().name.empty())
                throw Failure({ErrorKind::name, "bare equations stand alone in a program", {}, "", "name the kernel"});
            made.kernels.push_back(k.value());
        }
        if (made.kernels.empty())
            throw Failure({ErrorKind::syntax, "the program holds no kernel", {}, "", "give it one"});
        return made;
    });
}

Value operator+(const Value& a, const Value& b) { return binary(BinaryOp::add, a, b); }
Value operator-(const Value& a, const Value& b) { return binary(BinaryOp::sub, a, b); }
Value operator*(const Value& a, const Value& b) { return binary(BinaryOp::mul, a, b); }
Value operator/(const Value& a, const Value& b) { return binary(BinaryOp::div, a, b); }
Value operator%(const Value& a, const Value& b) { return binary(BinaryOp::mod, a, b); }
Value operator-(const Value& a) { return Value(make_unary(UnaryOp::negate, a.expr())); }
Value operator==(const Value& a, const Value& b) { return binary(BinaryOp::eq, a, b); }
Value operator!=(const Value& a, const Value& b) { return binary(BinaryOp::ne, a, b); }
Value operator<(const Value& a, const Value& b) { return binary(BinaryOp::lt, a, b); }
Value operator<=(const Value& a, const Value& b) { return binary(BinaryOp::le, a, b); }
Value operator>(const Value& a, const Value& b) { return binary(BinaryOp::gt, a, b); }
Value operator>=(const Value& a, const Value& b) { return binary(BinaryOp::ge, a, b); }
Value operator&&(const Value& a, const Value& b) { return binary(BinaryOp::logical_and, a, b); }
Value operator||(const Value& a, const Value& b) { return binary(BinaryOp::logical_or, a, b); }
Value operator!(const Value& a) { return Value(make_unary(UnaryOp::logical_not, a.expr())); }

Value select(const Value& condition, const Value& a, const Value& b) {
    return call(Function::select, {condition, a, b});
}
Value min(const Value& a, const Value& b) { return call(Function::min, {a, b}); }
Value max(const Value& a, const Value& b) { return call(Function::max, {a, b}); }
Value pow(const Value& a, const Value& b) { return call(Function::pow, {a, b}); }
Value abs(const Value& a) { return call(Function::abs, {a}); }
Value floor(const Value& a) { return call(Function::floor, {a}); }
Value ceil(const Value& a) { return call(Function::ceil, {a}); }
Value round(const Value& a) { return call(Function::round, {a}); }
Value sqrt(const Value& a) { return call(Function::sqrt, {a}); }
Value rsqrt(const Value& a) { return call(Function::rsqrt, {a}); }
Value exp(const Value& a) { return call(Function::exp, {a}); }
Value log(const Value& a) { return call(Function::log, {a}); }
Value sin(const Value& a) { return call(Function::sin, {a}); }
Value cos(const Value& a) { return call(Function::cos, {a}); }
Value tanh(const Value& a) { return call(Function::tanh, {a}); }
Value erf(const Value& a) { return call(Function::erf, {a}); }
Value sigmoid(const Value& a) { return call(Function::sigmoid, {a}); }
Value cast(Type to, const Value& a) { return Value(make_cast(to, a.expr())); }

}  // namespace halogen::build
