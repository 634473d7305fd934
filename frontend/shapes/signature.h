#pragma once
// What an operator takes and gives: `input: tensor, weight: tensor, bias: tensor? = null, groups: int = 1 -> same`.

#include "frontend/shapes/operand.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halogen::shapes {

/// One argument of an operator.
struct Slot {
    /// tensor: any type; floats, wholes (integers and bool), index (i32, i64), mask (bool): tensors of such types; tensors: a
    /// list of any; integer and integers may hold sizes; number and numbers may be fractions.
    enum class Sort {
        tensor,
        floats,
        wholes,
        index,
        mask,
        tensors,
        indices,
        integer,
        integers,
        number,
        numbers,
        flag,
        text
    };
    std::string name;
    Sort sort = Sort::tensor;
    bool nullable = false;
    std::optional<Argument> standard;  // its value when the caller leaves it out
};
bool is_tensor(Slot::Sort);
std::string to_string(Slot::Sort);

/// The element type of a result: of the first tensor, of all tensors together, or fixed.
enum class TypeRule { first, promoted, boolean, i64 };

struct Signature {
    std::vector<Slot> slots;
    std::vector<TypeRule> results{TypeRule::first};  // the last one for all further results

    const Slot* find(std::string_view name) const;
};

/// `text` is the project's own and well formed.
Signature parse_signature(std::string_view text);

/// The type two element types give together. Example: i64 and f16 give f16, f32 and f16 give f32.
Type promote(Type, Type);

}  // namespace halogen::shapes
