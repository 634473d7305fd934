#pragma once
// What each kind of step becomes: directives, or a reason why Halide cannot have it. The registry names one for every kind.

#include "schedules/directives.h"
#include "schedules/state_model.h"

namespace halogen::directing {

using To = Directives&;
using At = const StateModel&;  // what the steps before left

/// It is in the equations already when directives are given: see `Emission`.
void in_equations(To, const Step&, At);

void compute_root(To, const Step&, At);
void compute_at(To, const Step&, At);
void compute_inline(To, const Step&, At);
void store_root(To, const Step&, At);
void store_at(To, const Step&, At);
void hoist_storage(To, const Step&, At);
void hoist_storage_root(To, const Step&, At);
void store_in_stack(To, const Step&, At);
void bound_extent(To, const Step&, At);
void bound(To, const Step&, At);
void reorder_storage(To, const Step&, At);
void align_storage(To, const Step&, At);
void fold_storage(To, const Step&, At);
void async(To, const Step&, At);

void split(To, const Step&, At);
void tile(To, const Step&, At);
void flatten(To, const Step&, At);
void reorder(To, const Step&, At);
void rename(To, const Step&, At);
void vectorize(To, const Step&, At);
void unroll(To, const Step&, At);
void parallel(To, const Step&, At);
void serial(To, const Step&, At);
void never_partition(To, const Step&, At);
void always_partition(To, const Step&, At);
void rfactor(To, const Step&, At);
void atomic(To, const Step&, At);
void prefetch(To, const Step&, At);
void compute_with(To, const Step&, At);
void specialize(To, const Step&, At);
void fuse_siblings(To, const Step&, At);

// Claims: true of what Halide has already, or refused.
void normalize(To, const Step&, At);
void distribute(To, const Step&, At);
void compress(To, const Step&, At);

/// The equations have the copy already; it is placed where the step says.
void place_copy(To, const Step&, At);

}  // namespace halogen::directing
