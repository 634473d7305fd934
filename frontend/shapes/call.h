#pragma once
// One call of an operator: its arguments by name, the conditions it states, the branches it takes.

#include "frontend/shapes/equation.h"
#include "frontend/shapes/knowledge.h"
#include "frontend/shapes/refusal.h"
#include "frontend/shapes/signature.h"

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halogen::shapes {

class Call;

/// Shapes and strides of the results, from the arguments. It runs on numbers and on symbols alike.
using ShapeFunction = std::vector<Operand> (*)(Call&);

/// One row of the library.
struct Operator {
    std::string_view name;
    std::string_view signature;
    ShapeFunction shape;
    /// The index equation the shape follows from, where there is one: a kernel text, or a value of the arguments.
    std::string_view equation = "";
    /// Why there is none.
    std::string_view written_because = "";
};

/// A condition that a call states, with what it is for: "equal inner dims of `input` and `mat2`".
struct Requirement {
    Predicate condition;
    Refused kind;
    std::string sentence;
};

/// Arguments by name.
using Arguments = std::map<std::string, Argument, std::less<>>;

/// The way through the questions of a call that the sizes leave open: what was answered, and with it assumed.
struct Branch {
    std::vector<bool> answers;       // to the first questions; true for later ones
    std::vector<Predicate> assumed;  // one for each question met
};

class Call {
public:
    /// Errors: Refusal(call, dtype) for arguments that do not fit the signature.
    Call(const Operator&, const Signature&, const Arguments&, const Knowledge&, Equations&, Branch&);

    // Arguments. Errors: Refusal(call) for a size where a number is needed.
    /// Whether the operator takes `name` and it is given (or has a value of its own).
    bool has(std::string_view name) const { return signature_.find(name) && !argument(name).is_null(); }
    const Operand& tensor(std::string_view name) const { return *argument(name).as<Operand>(); }
    const Shape& shape(std::string_view name) const { return tensor(name).shape; }
    int rank(std::string_view name) const { return tensor(name).rank(); }
    std::vector<Operand> tensors(std::string_view name) const;
    /// A list with nulls in it.
    std::vector<std::optional<Operand>> indices(std::string_view name) const;
    const Formula& size(std::string_view name) const { return *argument(name).as<Formula>(); }
    Shape sizes(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    std::vector<std::int64_t> integers(std::string_view name) const;
    bool flag(std::string_view name) const { return *argument(name).as<bool>(); }
    const std::string& text(std::string_view name) const { return *argument(name).as<std::string>(); }
    const Argument& argument(std::string_view name) const;

    // Conditions. `sentence` is a text, or a function that makes it: only asked for when it is needed. A condition that
    // follows from those before it is not recorded again.
    template<typename Sentence>
    void require(const Predicate& condition, Refused kind, Sentence&& sentence) {
        if (follows(condition)) return;
        if constexpr (std::invocable<Sentence>)
            record(condition, kind, sentence());
        else
            record(condition, kind, std::string(sentence));
    }
    [[noreturn]] void refuse(Refused kind, const std::string& because) const;
    /// Whether `condition` holds; where the sizes leave it open, the call is made once for each answer.
    bool decide(const Predicate& condition);
    /// The same, but nothing where it is left open.
    std::optional<bool> prove(const Predicate& condition) const;

    /// The shapes of a kernel's outputs for these inputs and sizes; its conditions become those of this call. `guards` says
    /// what its inequalities are for.
    std::vector<Shape> derive(const std::string& kernel, std::map<std::string, Shape> inputs,
                              std::map<std::string, Formula> sizes = {}, std::string_view guards = "");

    const Operator& op() const { return operator_; }
    const Signature& signature() const { return signature_; }
    /// Least values of sizes, as far as they are known and required so far.
    const LowerBounds& least() const { return raised_ ? *raised_ : known_.least(); }
    const std::vector<Requirement>& requirements() const { return requirements_; }
    /// The kernels that `derive` was asked for, with what was put in.
    struct Derivation {
        std::string kernel;
        std::map<std::string, Shape> inputs;
        std::map<std::string, Formula> sizes;
        std::vector<Shape> outputs;
    };
    const std::vector<Derivation>& derivations() const { return derivations_; }

private:
    void bind(const Slot&, const Arguments&);
    bool follows(const Predicate&) const;
    void record(const Predicate&, Refused, std::string sentence);

    const Operator& operator_;
    const Signature& signature_;
    std::vector<Argument> arguments_;  // one for each slot
    const Knowledge& known_;
    Equations& equations_;
    Branch& branch_;
    std::vector<Requirement> requirements_;
    std::optional<LowerBounds> raised_;  // by requirements; those of known_ until then
    std::vector<Derivation> derivations_;
};

}  // namespace halogen::shapes
