#pragma once
// The texts of a compiled kernel's errors, with `{}` where the call fills in numbers.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// A number that an error names: a symbol of the solution, the extent of a buffer's dim, or what a formula says it must be.
struct TextValue {
    enum class Kind { symbol, extent, must } kind = Kind::must;
    std::string symbol = {};
    std::string tensor = {};
    int dim = 0;
};
/// A text and the numbers for its `{}`, in order.
struct ErrorText {
    std::string text;
    std::vector<TextValue> values;
};

/// The symbols a call needs: the solution's, then those that guards alone name.
std::vector<std::string> called_symbols(const Solution&);
/// What gives a symbol its value in a call; "B.0" is an extent even where nothing else says so.
/// Errors: Failure(underdetermined) when nothing does.
SymbolSource source_of(const Kernel&, const Solution&, const std::string& symbol);

/// Dim `dim` of `tensor` differs from its formula. Names the index that both places share, where there is one.
ErrorText extent_text(const std::string& name, const Kernel&, const Solution&, const std::string& tensor, int dim);

/// A guard does not hold.
ErrorText guard_text(const std::string& name, const Kernel&, const Solution&, const Guard&);

}  // namespace halogen
