#pragma once
// How equations read: per dim of an access, how fast the place moves with each index. Inlined producers are looked through.

#include "frontend/notation/program.h"
#include "frontend/plan/value_funcs.h"
#include "frontend/solve/solution.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace halogen {

/// A place as a linear form of indices; `affine` is false with data, division or remainder of an index. In `2*x + k%2` k is bent: it moves
/// the place by what the coefficients do not say.
struct LinearPlace {
    std::map<std::string, Formula> coefficients;  // non-zero ones
    std::set<std::string> bent;
    bool affine = true;
    bool by_data = false;  // an element of a tensor takes part
    Formula offset = 0;    // where all indices are 0

    bool moves_with(const std::string& index) const { return coefficients.count(index) || bent.count(index); }
    /// How far a step of the index moves the place, wherever it is; nothing where that differs, or where it does not move it.
    std::optional<Formula> step_of(const std::string& index) const {
        const auto found = coefficients.find(index);
        return found == coefficients.end() || bent.count(index) ? std::nullopt : std::optional(found->second);
    }
    bool is_fixed() const { return affine && coefficients.empty(); }
    /// One index, step by step, from any offset.
    bool is_plain() const { return affine && coefficients.size() == 1 && coefficients.begin()->second == Formula(1); }
    /// The index itself.
    bool is_index(const std::string& index) const {
        return is_plain() && coefficients.count(index) && offset == Formula(0);
    }
    friend bool operator==(const LinearPlace&, const LinearPlace&) = default;
};
LinearPlace linear_place(const Solution&, const Expr& place);

/// One read of a tensor by an equation.
struct Read {
    std::string tensor;
    std::vector<LinearPlace> at;

    bool moves_with(const std::string& index) const;
    /// The dim along which the read moves by single elements with `index`, when that is its only motion with it.
    std::optional<int> unit_dim(const std::string& index) const { return step_dim(index, 1); }
    /// Likewise by 1 to `most` elements: a vector of them lies in no more than `most` vectors of memory.
    std::optional<int> step_dim(const std::string& index, int most) const;
};
/// The reads of one equation's right side and predicates, in reading order; reads inside brackets (data) included.
std::vector<Read> reads_of(const Kernel&, const Solution&, int equation);

/// `read` as a reader sees it that takes the tensor with dims `loops` at `places`.
Read through(const Read& read, const std::vector<std::string>& loops, const std::vector<LinearPlace>& places);

}  // namespace halogen
