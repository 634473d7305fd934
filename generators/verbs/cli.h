#pragma once
// The verbs of `halogen` and the program around them.

#include "generators/run/options.h"

namespace halogen {

/// The verbs; each returns the exit code 0 or throws Failure.
int verb_solve(const Options&);
int verb_explain(const Options&);
int verb_compile(const Options&);
int verb_run(const Options&);
int verb_bench(const Options&);
int verb_kernels(const Options&);
int verb_ops(const Options&);
int verb_shape(const Options&);
int verb_schedule(const Options&);
int verb_tune(const Options&);
int verb_shard(const Options&);

/// The whole program: verbs, and Halide's generator command line when the first argument begins with `-`.
/// Exit codes: 0 done, 1 the input is wrong, 2 wrong usage, 70 a defect of ours.
int run_program(int argc, char** argv);

}  // namespace halogen
