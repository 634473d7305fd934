#pragma once
// The library of operators: find one, list them, infer the shapes of its results.

#include "frontend/shapes/call.h"
#include "frontend/shapes/families.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace halogen::shapes {

/// What one call gives: on the assumptions it made, results and requirements, or a refusal.
struct Inference {
    std::vector<Predicate> assumed;  // together; the inferences of one call exclude each other and leave nothing out
    std::vector<Operand> results;
    std::vector<Requirement> requirements;
    std::vector<Call::Derivation> derivations;
    std::optional<Refusal> refusal;
};

/// An operator with its signature read.
struct Entry {
    const Operator* op = nullptr;
    const Family* family = nullptr;
    Signature signature;
};

/// All operators, and the kernels their equations were solved as.
///
///     Library library;
///     library.infer("mm", {{"input", {Operand{{2, 3}}}}, {"mat2", {Operand{{3, 4}}}}})  // one inference: [2, 4]
class Library {
public:
    Library();

    /// Errors: Refusal(call) with the nearest name.
    const Entry& entry(std::string_view name) const;
    const std::vector<Entry>& entries() const { return entries_; }

    /// Runs the shape function: one inference where the sizes decide all it asks, else one for each answer.
    /// Errors: Refusal(call) for an unknown operator; all other mistakes stand in the inferences.
    std::vector<Inference> infer(std::string_view op, const Arguments&, const Knowledge& = {});

private:
    Inference branch(const Entry&, const Arguments&, const Knowledge&, Branch&);

    std::vector<Entry> entries_;
    std::unordered_map<std::string_view, std::size_t> by_name_;
    Equations equations_;
};

}  // namespace halogen::shapes
