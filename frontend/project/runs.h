#pragma once
// The places of a bracket as runs within runs: `4*y + r` with 2 values of r is 0, 1, 4, 5, 8, 9, ….

#include "frontend/formula/hull.h"
#include "frontend/notation/program.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// One index of a place: its coefficient, made positive, and the number of its values.
struct Stride {
    Formula stride, count;
};

/// The indices of a block that a place names.
std::vector<std::string> indices_in(const Formula& place, const Box& block);

/// Both ends are numbers.
bool is_number(const Hull&);

/// The strides of an affine place over a block, those of one value left out; nothing for another place, or for a coefficient whose
/// sign is open.
std::optional<std::vector<Stride>> strides_of(const Formula& place, const Box& block, const LowerBounds&);

/// Runs, the innermost first: each stride is longer than all that is within it reaches. None where there is one place.
class Runs {
public:
    /// Strides that fill each other's holes are one run (`y + r`, `2*y + 4*r`). Nothing where they overlap otherwise (`2*y + 3*r`), or
    /// where sizes that are open decide it.
    static std::optional<Runs> of(std::vector<Stride>, const LowerBounds&);

    /// Every place between the ends is one.
    bool is_solid() const;
    /// Of places that are one run; nothing for others.
    std::optional<Formula> stride() const;
    /// How many places there are.
    Formula count() const;
    // Places as distances from the least one:
    /// The least that is `q` or more; more than all of them where there is none.
    Formula first_from(const Formula& q) const;
    /// How many there are below `q`.
    Formula count_below(const Formula& q) const;

private:
    explicit Runs(const LowerBounds& bounds) : bounds_(bounds) {}
    Formula first_from(const Formula& q, std::size_t levels) const;
    Formula count_below(const Formula& q, std::size_t levels) const;
    Formula count(std::size_t levels) const;
    Formula reach(std::size_t levels) const;  // from the first to the last place
    void add(const Stride&);                  // as one run with the last, where that fills

    std::vector<Stride> runs_;
    LowerBounds bounds_;
};

/// The least and the greatest element of 0 to `last` that `place` reads over `block`, by looking at every point: places beyond the ends
/// read what `mode` says. Nothing where something is no number, or there are too many points.
std::optional<Hull> looked_up(const Formula& place, const Formula& last, const Box& block, Boundary::Mode mode);

/// The least and the greatest of the places `places` that lie on 0 to `last`, exact where runs tell them or all is numbers; none where
/// `low` is above `high`. `place` over `block` is what `places` is the hull of.
Hull clipped(const Formula& place, const Hull& places, const Formula& last, const Box& block, const LowerBounds&);

}  // namespace halogen
