#pragma once
// Why an operator does not take its arguments: a kind, and a message in the user's names.

#include "frontend/base/error.h"

#include <string>

namespace halogen::shapes {

/// The kinds of refusal, as `halogen shape` prints them.
enum class Refused {
    bad_mode,            // a text or flag outside the values it may have
    call,                // not a call at all: unknown operator or argument, a missing one, a wrong sort
    dim_out_of_range,    // a dim that the tensor does not have
    dtype,               // element types that do not go together
    duplicate_dim,       // a dim named twice
    empty_list,          // no tensor, no size
    equation,            // a wrong subscript text
    exclusive_args,      // two arguments of which one may be given
    index_out_of_range,  // a position or count past the end of a dim
    inferred_dim,        // -1 where it cannot be found
    kernel_too_large,    // a window that does not fit
    not_divisible,
    not_positive,  // below the least value an extent or argument may have
    numel_mismatch,
    padding_rule,
    rank,
    size_mismatch,
    storage_bounds,       // past the end of the storage
    stride_incompatible,  // no view without a copy
    undetermined,         // the answer depends on a size in a way that is no shape
};
std::string to_string(Refused);
/// The nearest kind of the whole program's errors.
ErrorKind error_kind(Refused);

/// Carries a refusal out of a shape function. `what` names operator, argument and value.
class Refusal : public Failure {
public:
    Refusal(Refused refused_for, std::string what, std::string fix = "")
        : Failure(Error{error_kind(refused_for), std::move(what), {}, "", std::move(fix)}), kind(refused_for) {}
    Refusal(Refused refused_for, Error error) : Failure(std::move(error)), kind(refused_for) {}
    Refused kind;
};

}  // namespace halogen::shapes
