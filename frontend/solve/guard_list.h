#pragma once
// Guards while they are collected: none twice, each as a reader would write it.

#include "frontend/formula/sign.h"
#include "frontend/solve/sizes.h"

#include <map>
#include <utility>
#include <vector>

namespace halogen {

class GuardList {
public:
    explicit GuardList(std::vector<Guard> guards);
    /// slack >= 0 as `left <= right`, both without minus signs where that reads well; nothing where `bounds` tell it. `over`: see
    /// Guard. For example N - 3 becomes 3 <= N.
    void add_nonnegative(const Formula& slack, const Reason&, const std::vector<Formula>& over,
                         const LowerBounds& bounds);
    void add_equal(const Formula& a, const Formula& b, const Reason&);
    std::vector<Guard> take() { return std::move(guards_); }

private:
    void add(Guard);

    std::vector<Guard> guards_;
    std::map<std::pair<Formula, Formula>, std::vector<std::size_t>> with_;  // these sides: places in guards_
};

/// Wherever `a` holds because nothing is accessed, so does `b`.
bool is_over_fewer(const Guard& a, const Guard& b);

}  // namespace halogen
