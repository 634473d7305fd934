#pragma once
// Halide expressions as C++ that builds them again.

#include "schedules/export/names.h"

#include "Halide.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace halogen::exporting {

/// `Float(32)`.
std::string type_text(const Halide::Type&);
/// `float`, `uint8_t`, `float16_t`: the element of a Buffer.
std::string element_text(const Halide::Type&);

/// Writes expressions over the Funcs, buffers and loops it was told of.
class ExprWriter {
public:
    explicit ExprWriter(Names& names) : names_(names) {}

    std::map<std::string, std::string> funcs;       // identifiers by the name of a Func
    std::map<std::string, std::string> parameters;  // identifiers of buffers and scalars by the name of a Parameter
    std::map<std::string, std::string> buffers;     // what has the Parameter and its name, by the same
    std::map<std::string, std::string> reduced;     // identifiers of reduced loops by Halide's name

    /// The text of `e`; shared parts become lines `Expr t = ...;` in `lines`.
    /// Errors: Failure(schedule): a construct that no equation lowers to.
    std::string write(const Halide::Expr& e, std::vector<std::string>& lines);

private:
    struct Text {
        std::string text;
        int level;  // how tightly it binds: 0 a sum of nothing, ... 9 an atom
    };
    Text text(const Halide::Expr& e);
    Text binary(const Halide::Expr& a, const Halide::Expr& b, const char* op, int level);
    Text call(const std::string& name, const std::vector<Halide::Expr>& arguments, bool as_exprs = false);
    Text variable(const Halide::Internal::Variable&);
    Text named_call(const Halide::Internal::Call&);
    Text other_call(const Halide::Internal::Call&);
    std::string wrapped(const Halide::Expr& e, int level);
    std::string list(const std::vector<Halide::Expr>& arguments, bool as_exprs);

    Names& names_;
    std::map<std::string, std::string> lets_;
    std::vector<std::string>* lines_ = nullptr;
};

}  // namespace halogen::exporting
