#pragma once
// Steps on the shadow nest. Each kind checks what it needs and gives the reason where it refuses.

#include "schedules/nest/nest.h"

#include <string>
#include <vector>

namespace halogen {

/// The nest after one step; `nest` itself never changes, so that a refused step leaves nothing behind.
/// Errors: schedule, naming the step, the loop or Func, and the dependence where it is one.
Result<Nest> apply_to_nest(const Nest& nest, const Step&);
/// All steps in order; the first that is refused ends it.
Result<Nest> apply_to_nest(const Nest& nest, const std::vector<Step>&);
/// True for kinds that the shadow nest carries out (others are taken without effect).
bool changes_nest(StepKind);

namespace nesting {

[[noreturn]] void refuse(const Step&, const std::string& why, const std::string& fix);
/// The loops a step means by `name`. Errors: Failure(schedule): none, or one that an earlier step removed.
std::vector<int> loops_of(const Nest&, const Step&, const std::string& name);
/// The new names of a step are free around its statements.
void check_new_names(const Nest&, const Step&);
/// Storage in a loop, or at places that follow it, would lose its loop: such a loop is neither cut, copied nor moved.
void check_free_of_storage(const Nest&, const Step&, const NestLoop&);
/// The Func of a step writes its own tensor, and nobody else does: no copy stands between.
void check_writes_itself(const Nest&, const Step&);
/// Marks a handle as gone.
void remove_handle(Nest&, const Step&, const std::string& name);

// loops.cpp
void split(Nest&, const Step&);
void tile(Nest&, const Step&);
void fuse(Nest&, const Step&);
void slice(Nest&, const Step&);
void reorder(Nest&, const Step&);
void rename(Nest&, const Step&);
void normalize(Nest&, const Step&);
// marks.cpp
void vectorize(Nest&, const Step&);
void parallel(Nest&, const Step&);
void serial(Nest&, const Step&);
void unroll(Nest&, const Step&);
void atomic(Nest&, const Step&);
// siblings.cpp
void distribute(Nest&, const Step&);
void fuse_siblings(Nest&, const Step&);
// producers.cpp
void compute_inline(Nest&, const Step&);
void compute_at(Nest&, const Step&);
void compute_root(Nest&, const Step&);
// copies.cpp
void cache_reads(Nest&, const Step&);
void cache_writes(Nest&, const Step&);
void compress(Nest&, const Step&);
void rfactor(Nest&, const Step&);

}  // namespace nesting

}  // namespace halogen
