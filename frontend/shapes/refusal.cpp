#include "frontend/shapes/refusal.h"

namespace halogen::shapes {

std::string to_string(Refused kind) {
    switch (kind) {
    case Refused::bad_mode: return "bad_mode";
    case Refused::call: return "call";
    case Refused::dim_out_of_range: return "dim_out_of_range";
    case Refused::dtype: return "dtype";
    case Refused::duplicate_dim: return "duplicate_dim";
    case Refused::empty_list: return "empty_list";
    case Refused::equation: return "equation";
    case Refused::exclusive_args: return "exclusive_args";
    case Refused::index_out_of_range: return "index_out_of_range";
    case Refused::inferred_dim: return "inferred_dim";
    case Refused::kernel_too_large: return "kernel_too_large";
    case Refused::not_divisible: return "not_divisible";
    case Refused::not_positive: return "not_positive";
    case Refused::numel_mismatch: return "numel_mismatch";
    case Refused::padding_rule: return "padding_rule";
    case Refused::rank: return "rank";
    case Refused::size_mismatch: return "size_mismatch";
    case Refused::storage_bounds: return "storage_bounds";
    case Refused::stride_incompatible: return "stride_incompatible";
    case Refused::undetermined: return "undetermined";
    }
    return "call";
}

ErrorKind error_kind(Refused kind) {
    switch (kind) {
    case Refused::call: return ErrorKind::name;
    case Refused::dtype: return ErrorKind::type;
    case Refused::not_divisible: return ErrorKind::non_integer;
    case Refused::not_positive:
    case Refused::kernel_too_large: return ErrorKind::negative;
    case Refused::undetermined: return ErrorKind::underdetermined;
    case Refused::dim_out_of_range:
    case Refused::duplicate_dim:
    case Refused::empty_list:
    case Refused::rank: return ErrorKind::rank;
    default: return ErrorKind::contradictory;
    }
}

}  // namespace halogen::shapes
