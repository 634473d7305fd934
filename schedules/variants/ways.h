#pragma once
// Ways through the branches of a recipe's history as variants of their own.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"
#include "schedules/machine/machine.h"
#include "schedules/variants/forms.h"

#include <vector>

namespace halogen {

/// `variants` with the ways of each before it, no more than `most` in all: one whose ways have no room keeps its branches.
std::vector<Variant> with_ways(const Kernel&, const Solution& open, const Leg&, const std::vector<Variant>& variants,
                               int most);

/// Takes out of a recipe's history the branches that other variants of the kernel are for, if there are any.
void keep_way(History&, const Form&);

}  // namespace halogen
