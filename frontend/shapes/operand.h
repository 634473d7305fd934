#pragma once
// Tensors as shape functions see them: extents as formulas, an element type, and strides where they are not dense.

#include "frontend/formula/formula.h"
#include "frontend/notation/type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace halogen::shapes {

/// One extent a dim; also a list of other integers, such as the strides of a convolution.
using Shape = std::vector<Formula>;

/// A tensor's extents, type and strides. Without strides it is dense and row-major.
struct Operand {
    Shape shape;
    Type type = Type::f32;
    std::optional<Shape> strides = std::nullopt;  // in elements

    int rank() const { return static_cast<int>(shape.size()); }
};

/// The number of elements.
Formula numel(const Shape&);
/// The strides of a dense row-major tensor; an extent of 0 counts as 1, as PyTorch has it.
Shape dense_strides(const Shape&);
/// `strides` where there are any, else the dense ones.
Shape strides_of(const Operand&);

/// A result of an earlier step of a program.
struct Reference {
    std::string name;
    int result = 0;
};

/// What a caller passes for one argument: nothing (null), a flag, an integer formula, a number, a text, a tensor, a list; in a
/// program also a reference.
struct Argument {
    std::variant<std::monostate, bool, Formula, double, std::string, Operand, std::vector<Argument>, Reference> value;

    template<typename T>
    const T* as() const {
        return std::get_if<T>(&value);
    }
    bool is_null() const { return value.index() == 0; }
};

/// "[n, 2*m]".
std::string print(const Shape&);
/// As in a call: "[2, 3]", "i64[4]", "[1, 1]", "true", "\"same\"", "null".
std::string print(const Argument&);

}  // namespace halogen::shapes
