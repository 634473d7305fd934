#pragma once
// Loops that write one element after the other, for the tests of lowering passes.

#include "tests/schedule/statement_text.h"

#include "Halide.h"

#include <string>

namespace halogen {

inline Halide::Expr variable(const std::string& name, const Halide::Type& type = Halide::Int(32)) {
    return Halide::Internal::Variable::make(type, name);
}

/// tensor[at]
inline Halide::Expr element_of(const std::string& tensor, const Halide::Expr& at,
                               const Halide::Type& type = Halide::Float(32)) {
    return Halide::Internal::Load::make(type, tensor, at, {}, {}, Halide::Internal::const_true(), {});
}

/// Y[at] = value
inline Halide::Internal::Stmt write(const Halide::Expr& at, const Halide::Expr& value) {
    return Halide::Internal::Store::make("Y", value, at, {}, Halide::Internal::const_true(), {});
}

/// The body for i from 1 on, n times.
inline Halide::Internal::Stmt loop(const Halide::Internal::Stmt& body,
                                   Halide::Internal::ForType type = Halide::Internal::ForType::Serial,
                                   const Halide::Expr& extent = variable("n")) {
    return Halide::Internal::For::make("i", 1, extent, type, Halide::Partition::Auto, Halide::DeviceAPI::None, body);
}

}  // namespace halogen
