#pragma once
// Steps that stand for several others, each for what is nearly always wanted together.

#include "schedules/history/step.h"

#include <functional>
#include <string>
#include <vector>

namespace halogen {

/// The reduced loops of one stage, innermost first.
struct StageLoops {
    int stage = 0;
    std::vector<std::string> reduced = {};
};

using StagesOf = std::function<std::vector<StageLoops>(const std::string& func)>;

/// True of `registers`, of `partial` with a place, and of `copy_in` with a place or in panels of vectors.
bool is_composite(const Step&);
/// The Func whose loops such a step lays out: its own, or the one that it makes.
const std::string& laid_out(const Step&);
/// The Func that a step has computed inside a loop of another, or at the root; null of steps that place none.
const std::string* placed(const Step&);
/// What such a step comes to, one after the other, beside what it changes in the equations. `rank` is the number of dims of the Func
/// that is laid out.
std::vector<Step> expanded(const Step&, const StagesOf&, int rank);

}  // namespace halogen
