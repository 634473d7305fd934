#pragma once
// Kernels written in C++: the same values that `parse` makes from text.
//
//   using namespace halogen::build;
//   Index n("n"), k("k"), c("c");
//   Size N("N"), C("C"), K("K");
//   Tensor X("X", Type::f32, {N, C}), W("W", Type::f32, {C, K}), Y("Y", Type::f32);
//   Result<Kernel> matmul = kernel("matmul", {X, W}, {Y}, {Y(n, k) += X(n, c) * W(c, k)});
//
// Everything here is a value; nothing is registered anywhere. Mistakes come out of `kernel`, `equations` and `program`
// as an Error, with the same words as for text.

#include "frontend/notation/program.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace halogen::build {

using halogen::Type;
using Mode = halogen::Boundary::Mode;

class Equation;
class Value;

/// An index of an equation; its name begins in lower case.
class Index {
public:
    explicit Index(std::string name) : name_(std::move(name)) {}
    const std::string& name() const { return name_; }

private:
    std::string name_;
};

/// A size symbol; listed among a kernel's parameters it is a `size` parameter, with or without a default.
class Size {
public:
    explicit Size(std::string name) : name_(std::move(name)) {}
    Size(std::string name, std::int64_t default_value) : name_(std::move(name)), default_(default_value) {}
    const std::string& name() const { return name_; }
    std::optional<std::int64_t> default_value() const { return default_; }

private:
    std::string name_;
    std::optional<std::int64_t> default_;
};

/// A number known at run time.
class Scalar {
public:
    Scalar(std::string name, Type type) : name_(std::move(name)), type_(type) {}
    const std::string& name() const { return name_; }
    Type type() const { return type_; }

private:
    std::string name_;
    Type type_;
};

/// An element of a tensor: a value where it is read, the left side of an equation where it is assigned.
class Element {
public:
    Element(std::string tensor, std::vector<Value> at);
    Element(const Element&) = default;
    halogen::Access access() const;

    // `Y(i) = v` makes an equation; it stores nothing.
    Equation operator=(const Value&) const;
    Equation operator=(const Element&) const;
    Equation operator+=(const Value&) const;
    Equation operator*=(const Value&) const;
    Equation max_of(const Value&) const;  // max=
    Equation min_of(const Value&) const;  // min=
    Equation and_of(const Value&) const;  // and=
    Equation or_of(const Value&) const;   // or=

private:
    Equation equation(halogen::Op, const Value&) const;

    std::string tensor_;
    std::vector<Value> at_;
};

/// Any expression.
class Value {
public:
    Value(int n) : expr_(n) {}
    Value(std::int64_t n) : expr_(n) {}
    Value(double x) : expr_(ExprNode{RealLiteral{x}}) {}
    Value(const Index& i) : expr_(ExprNode{IndexRef{i.name()}}) {}
    Value(const Size& s) : expr_(ExprNode{SizeRef{s.name()}}) {}
    Value(const Scalar& s) : expr_(ExprNode{ScalarRef{s.name()}}) {}
    Value(const Element& e) : expr_(ExprNode{e.access()}) {}
    explicit Value(halogen::Expr e) : expr_(std::move(e)) {}
    const halogen::Expr& expr() const { return expr_; }

private:
    halogen::Expr expr_;
};

/// One declared dim: an extent, padded or not.
class Dim {
public:
    Dim(int extent) : Dim(Value(extent)) {}
    Dim(const Size& extent) : Dim(Value(extent)) {}
    Dim(const Value& extent) { dim_.extent = extent.expr(); }
    const halogen::Dim& dim() const { return dim_; }

    /// `H pad P`, and `H pad (LOW, HIGH)`.
    Dim pad(const Value& both) const { return pad(both, both); }
    Dim pad(const Value& low, const Value& high) const;
    /// A dim whose extent the equations give: `_`.
    static Dim open();

private:
    Dim() = default;
    halogen::Dim dim_;
};
/// `pad(H, P)` is `H pad P`.
inline Dim pad(const Value& extent, const Value& both) { return Dim(extent).pad(both); }
inline Dim pad(const Value& extent, const Value& low, const Value& high) { return Dim(extent).pad(low, high); }

/// A tensor. Only inputs and outputs need a type; a tensor in neither list of a kernel is an intermediate.
class Tensor {
public:
    explicit Tensor(std::string name, Type type = Type::f32);
    Tensor(std::string name, Type type, const std::vector<Dim>& dims);

    /// `else`: what stands outside padded dims.
    Tensor otherwise(const Value& literal) const;
    Tensor otherwise(Mode) const;

    template<typename... At>
    Element operator()(const At&... at) const {
        return Element(tensor_.name, {Value(at)...});
    }
    /// The extent of dim `d` as a size, `X.0`.
    Size dim(int d) const { return Size(tensor_.name + "." + std::to_string(d)); }
    const halogen::Tensor& tensor() const { return tensor_; }

private:
    halogen::Tensor tensor_;
};

/// `i in a:b`.
halogen::InRange in(const Index& i, const Value& begin, const Value& end);

/// An equation, with its `where` items.
class Equation {
public:
    explicit Equation(halogen::Equation equation) : equation_(std::move(equation)) {}
    /// Adds one item, a range (`in(i, 0, N)`) or a predicate (`i < j`), or several.
    Equation where(const halogen::InRange&) const;
    Equation where(const Value& predicate) const;
    template<typename First, typename... Rest>
    Equation where(const First& first, const Rest&... rest) const
        requires(sizeof...(Rest) > 0)
    {
        return where(first).where(rest...);
    }
    const halogen::Equation& equation() const { return equation_; }

private:
    halogen::Equation equation_;
};

/// `let s = 1/sqrt(f32(D))`: `Let s("s", cast(Type::f32, 1)/sqrt(cast(Type::f32, D)))`, listed among a kernel's items and used as a value.
class Let {
public:
    Let(std::string name, const Value& value) : name_(std::move(name)), value_(value.expr()) {}
    halogen::Let let() const { return {name_, value_, {}, ""}; }
    operator Value() const;
    /// Of a name with a capital: the size that it is.
    Size size() const { return Size(name_); }

private:
    std::string name_;
    halogen::Expr value_;
};

/// `tmp V: f32[H + 2]`: an intermediate that is declared, `tmp(Tensor("V", Type::f32, {H + 2}))`.
class Declared {
public:
    explicit Declared(const Tensor& t) : tensor_(t.tensor()) {}
    const halogen::Tensor& tensor() const { return tensor_; }

private:
    halogen::Tensor tensor_;
};
inline Declared tmp(const Tensor& t) { return Declared(t); }

/// What stands between the braces of a kernel.
class Item {
public:
    Item(const Equation& e) : value_(e.equation()) {}
    Item(const Let& let) : value_(let.let()) {}
    Item(const Declared& t) : value_(t.tensor()) {}
    using Held = std::variant<halogen::Equation, halogen::Let, halogen::Tensor>;
    const Held& value() const { return value_; }

private:
    Held value_;
};

/// An input, a `size` parameter or a scalar, in the order of the call.
class Parameter {
public:
    Parameter(const Tensor& t) : value_(t.tensor()) {}
    Parameter(const Size& s) : value_(halogen::SizeParam{s.name(), s.default_value(), {}}) {}
    Parameter(const Scalar& s) : value_(halogen::ScalarParam{s.name(), s.type(), {}}) {}
    using Held = std::variant<halogen::Tensor, halogen::SizeParam, halogen::ScalarParam>;
    const Held& value() const { return value_; }

private:
    Held value_;
};

/// A checked kernel; `conditions` are relations of sizes, `N % 4 == 0`. Errors: as `parse`, with no place in a text; an input and a
/// `tmp` need dims.
Result<Kernel> kernel(const std::string& name, const std::vector<Parameter>& parameters,
                      const std::vector<Tensor>& outputs, const std::vector<Item>& items,
                      const std::vector<Value>& conditions = {});
/// A bare equation, or several: inputs and outputs found from them, all f32.
Result<Kernel> equations(const std::vector<Item>& items);
/// Kernels of different names. Errors: the first kernel's error, if any; name.
Result<Program> program(const std::vector<Result<Kernel>>& kernels);

Value operator+(const Value&, const Value&);
Value operator-(const Value&, const Value&);
Value operator*(const Value&, const Value&);
Value operator/(const Value&, const Value&);
Value operator%(const Value&, const Value&);
Value operator-(const Value&);
Value operator==(const Value&, const Value&);
Value operator!=(const Value&, const Value&);
Value operator<(const Value&, const Value&);
Value operator<=(const Value&, const Value&);
Value operator>(const Value&, const Value&);
Value operator>=(const Value&, const Value&);
Value operator&&(const Value&, const Value&);
Value operator||(const Value&, const Value&);
Value operator!(const Value&);

Value select(const Value& condition, const Value& if_true, const Value& if_false);
Value min(const Value&, const Value&);
Value max(const Value&, const Value&);
Value pow(const Value&, const Value&);
Value abs(const Value&);
Value floor(const Value&);
Value ceil(const Value&);
Value round(const Value&);
Value sqrt(const Value&);
Value rsqrt(const Value&);
Value exp(const Value&);
Value log(const Value&);
Value sin(const Value&);
Value cos(const Value&);
Value tanh(const Value&);
Value erf(const Value&);
Value sigmoid(const Value&);
/// `i32(A[i])` is `cast(Type::i32, A(i))`.
Value cast(Type, const Value&);

}  // namespace halogen::build
