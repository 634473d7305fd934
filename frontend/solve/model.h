#pragma once
// A kernel as the solver sees it: its accesses with places as formulas, its dims, its `in` ranges.

#include "frontend/formula/formula.h"
#include "frontend/notation/program.h"
#include "frontend/notation/symbol.h"
#include "frontend/solve/place.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace halogen {

/// One bracket of an access.
struct Place {
    std::optional<Formula> formula;   // nothing for what is looked at when the kernel runs
    std::optional<std::string> bare;  // the index that stands alone in it
};

struct DimModel;

/// One access of one equation.
struct Use {
    int equation = 0;
    bool is_left = false;
    const Access* access = nullptr;
    std::vector<Place> places;
    const std::vector<DimModel>* dims = nullptr;  // of the tensor; the model's
    std::string text;                             // as printed
};

/// One dim of a tensor. `extent` is over size names; an undeclared one is the symbol "X.0".
struct DimModel {
    Formula extent;
    std::optional<std::string> name;  // when the extent is one size name
    bool declared = false;
    bool padded = false;
    Formula pad_low, pad_high;
};

/// A dim of an output whose extent is one size name.
struct OutputDim {
    std::string tensor;
    int dim = 0;
    std::size_t number = 0;  // in the kernel's order
};

struct RangeModel {
    Formula begin, end;
    std::string text;  // "i in 0:R"
    Position at;
};

struct KernelModel {
    explicit KernelModel(const Kernel&);
    KernelModel(const KernelModel&) = delete;  // its uses point into it
    KernelModel& operator=(const KernelModel&) = delete;

    const Kernel& kernel;
    std::vector<Use> uses;                                   // by equation, left first, then in reading order
    std::vector<std::size_t> first_use;                      // per equation and one past the last
    std::map<std::string, std::vector<DimModel>> dims;       // per tensor
    std::unordered_map<std::string, OutputDim> output_dims;  // the first of each name
    std::vector<std::map<std::string, RangeModel>> ranges;   // per equation: indices fixed by `in`
    std::vector<std::vector<std::string>> indices;           // per equation, in order of first appearance
    std::vector<std::vector<std::string>> reduced;
    struct Condition : PlaceCondition {
        int equation;
    };
    std::vector<Condition> conditions;  // of expressions in brackets, dims and ranges
    struct ConditionModel {
        BinaryOp relation;
        Formula left, right;
    };
    std::vector<ConditionModel> kernel_conditions;   // one for each of the kernel
    std::vector<std::pair<int, Formula>> size_lets;  // number of the let, and its value

    std::span<const Use> uses_of(int equation) const {
        return std::span(uses).subspan(first_use[equation], first_use[equation + 1] - first_use[equation]);
    }
    /// A read whose index stands alone, while the equation also reads that dim of the tensor at a compound place with the same
    /// index: then it counts as compound too (`X[i] + X[i + 1]`).
    bool is_stencil_read(const Use&, int d, const std::string& index) const;
    static const DimModel& dim(const Use& use, int d) { return (*use.dims)[d]; }
    /// "X.1" for messages and symbols.
    static std::string dim_name(const std::string& tensor, int d) { return Symbol::dim(tensor, d).text(); }

private:
    void add_dims(const Tensor&);
    void add_uses(int equation, const Expr&);
    Use make_use(int equation, bool is_left, const Expr& access);
    std::optional<Formula> formula(const Expr&, int equation);
    Formula without_aliases(const Formula&) const;

    Symbols symbols_;
};

}  // namespace halogen
