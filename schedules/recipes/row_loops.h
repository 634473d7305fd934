#pragma once
// The loops of reductions by rows and by strips, as a plan says.

#include "schedules/recipes/row_plan.h"

#include <string>

namespace halogen::recipes {

/// The host's loops around partial results: a few rows at a time.
void host_rows(const Task& task, Steps& host, const RowPlan& plan);
/// The host's loops around strips of `width` elements. The last one of a row is shorter; of elements of one and two bytes, whose shorter
/// vectors are an element at a time, each with a question, it is moved inwards, if rows run one by one: they are as long as a strip then.
/// (The least and the largest of 1000 rows of 100 u8 on Zen 4: 3.6 us, with a shorter vector 16.5; the archive 125 kB and 810.)
void strips(const Task& task, Steps& host, const RowPlan& plan, const Formula& width);
/// When strips are as long as a row that the caller lets one thread go through.
Condition strips_are_rows(const Task& task, const RowPlan& plan);
/// One core with partial results in each reduction.
void core_of_rows(const Task& task, const Core& core, const std::string& func, const RowPlan& plan);
/// One core with its accumulators along a loop of the result, in the nearest cache: `plan.deep` points of a reduced loop are added up
/// each time they come from there.
void core_of_strips(const Task& task, const Core& core, const std::string& func, const RowPlan& plan);
/// All cores, or in place of the only one its second computation `twin`.
void cores(const Task& task, const RowPlan& plan, const std::string& twin = "");
/// The host's loops, by rows or by strips.
void host_loops(const Task& task, Steps& host, const RowPlan& plan);

}  // namespace halogen::recipes
