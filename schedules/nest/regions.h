#pragma once
// What accesses cover.

#include "schedules/nest/nest.h"
#include "schedules/nest/places.h"

#include <string>
#include <vector>

namespace halogen {

/// First and last place per dim; `known` is false where data stand in a place.
struct NestRegion {
    std::vector<Hull> dims;
    std::vector<Hull> ever;  // while all loops run
    bool known = true;
    bool empty = true;  // nothing was accessed
};

/// What `accepted` accesses to `tensor` below a loop cover while it runs once through the loops inside it; with `whole` while
/// it runs through all its iterations. Loop 0 is the whole nest.
NestRegion region_of(const Nest&, const std::string& tensor, int loop_id, bool whole,
                     const std::function<bool(const NestStatement&, const NestAccess&)>& accepted);

/// The places a tensor has, its padding included: those of its storage, or of the input.
std::vector<Hull> places_that_exist(const Nest&, const std::string& tensor);
/// The region within these places, where it is not known to lie there: guards keep the loops from the rest.
void clip(NestRegion&, const std::vector<Hull>& existing);

/// A nest that runs once over a region: `statement` gets the loop values in order of the dims.
NestNode nest_over(Nest&, const std::string& func, int stage, const std::vector<std::string>& names,
                   const std::vector<Hull>& dims,
                   const std::function<NestStatement(const std::vector<Formula>&)>& statement);

/// Storage at a level for what a region covers: X[2*i] to X[2*i + 3] are 4 elements from 2*i on.
NestStorage storage_of(const NestRegion&, int level);
/// A tensor that a step makes. Errors: Failure(schedule) where the name is taken.
void add_tensor(Nest&, const Step&, const std::string& name, Type, NestStorage);

}  // namespace halogen
