#pragma once
// What makes an element from the one before it.

#include "schedules/bind/let_names.h"

#include "Halide.h"

#include <optional>
#include <vector>

namespace halogen {

/// The elements that an expression reads.
struct Loads {
    std::vector<const Halide::Internal::Load*> all;
    bool is_plain = true;  // all are there, and none stands under a name
};
Loads loads_of(const Halide::Expr&);

/// `before + rest`, `before * rest`, `before * factor + rest`, or the least or greatest of `rest` and `before + counted`; where `begins` holds,
/// `rest` alone. Undefined members are not there.
struct Chain {
    enum class Operation { none, sum, product, linear, least, greatest };
    Operation operation = Operation::none;
    Halide::Expr rest = {}, counted = {}, factor = {}, begins = {};
    bool counts_each = false;  // `counted` is another number for each element, or one of floats
};

/// What counts may be so that no sum of them leaves 32 bits.
constexpr int most_counted = 1 << 20;

/// Takes a value apart into the element before it, which each of `before` reads, and the rest; nothing where that cannot be done.
std::optional<Chain> chain_of(const Halide::Expr& value, const std::vector<const Halide::Internal::Load*>& before);

/// Elements of a chain; in lanes of their width all bits where they go on with what stands before, undefined if all do; and what each of
/// them counts.
struct ChainVector {
    Halide::Expr elements, goes_on = {}, counted = {};
};

/// Vectors of a chain's elements, by names that `constants` gives.
class ChainLanes {
public:
    ChainLanes(Chain, const Halide::Type& element, int count);

    /// What elements are while they are joined: floats of which the least or greatest is sought, their keys.
    Halide::Type type() const;
    Halide::Expr begun(const Halide::Expr& elements) const;
    Halide::Expr ended(const Halide::Expr& vector) const;
    /// An element that is no part of the rest, as one that is.
    Halide::Expr lone(const Halide::Expr& element) const;

    /// Each lane joined with the lane `by`, a power of two, before it.
    ChainVector doubled(const ChainVector& vector, int by) const;
    /// All lanes joined with what stands before the vector, in all lanes of `before`.
    Halide::Expr behind(const Halide::Expr& before, const ChainVector& vector) const;
    /// What stands before the next vector, in all lanes.
    Halide::Expr next(const Halide::Expr& before, const ChainVector& vector) const;

    /// Joined in another order, of elements and numbers as these nothing is lost: counts are small or finite, and no element is NaN.
    Halide::Expr may_be_joined(const Halide::Expr& before, const ChainVector& vector) const;

    /// What is computed once, before the first vector.
    const Lets& constants() const { return constants_; }

private:
    bool by_keys() const;
    Halide::Expr nothing() const;
    Halide::Expr shifted(const Halide::Expr& vector, const Halide::Expr& neutral, int by) const;
    Halide::Expr joined(const Halide::Expr& before, const ChainVector& vector, const Halide::Expr& places,
                        const Halide::Expr& power) const;
    Halide::Expr last_lane(const Halide::Expr& vector) const;
    Halide::Expr counted_up(const Halide::Expr& vector, const Halide::Expr& by) const;
    Halide::Expr all(int number) const;
    Halide::Expr constant(const Halide::Expr& value);

    Chain chain_;
    Halide::Type element_;
    int count_;
    Lets constants_;
    std::vector<Halide::Expr> powers_;  // of the factor, in all lanes: the 1st, 2nd, 4th, ...
    Halide::Expr lane_powers_;          // the 1st in the first lane, the 2nd in the second one, ...
};

}  // namespace halogen
