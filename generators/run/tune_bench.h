#pragma once
// Where a tuner's candidates run: each in a process of its own, so that one that crashes or never ends is only refused.

#include "generators/run/call_data.h"
#include "generators/run/options.h"
#include "schedules/machine/machine.h"
#include "schedules/tune/tune.h"

#include <string>
#include <vector>

namespace halogen {

/// Nanoseconds of one schedule in every other round, and in those between.
using Halves = std::array<double, 2>;

class TuneBench : public Workbench {
public:
    /// Times calls with the sizes, inputs and scalars of `options`, with its threads; the rest is filled in at random.
    /// Errors: Failure, as `prepare_call`.
    TuneBench(const Kernel& kernel, const Leg& leg, const Options& options);

    TrialOutcome measure(const History&, double best_ns) override;
    /// Runs the candidate at sizes beside its tiles' edges, at 0, 1 and primes, dense and with other strides, and at a size that
    /// threads are used for, all against the interpreter.
    std::string verify(const History&) override;

    /// The times of several, measured in turns in one process, so that all meet the same machine: of each the minima of two
    /// halves of the rounds, whose difference is the noise. Errors: Failure(too_complex): the process ended before it was done.
    std::vector<Halves> compare(const std::vector<History>&);

    /// The sizes that calls are timed at, by name.
    const KnobValues& sizes() const { return sizes_; }
    /// The call that is timed.
    const CallData& data() const { return data_; }

private:
    std::vector<Halves> compare_here(const std::vector<History>&) const;
    double time_here(const History&, double best_ns) const;
    void verify_here(const History&) const;

    const Kernel& kernel_;
    const Leg& leg_;
    const Options options_;
    const CallData data_;
    KnobValues sizes_;
    std::vector<std::string> free_;  // names whose sizes may differ from call to call
};

/// "AMD EPYC 9R14, 2 processors".
std::string describe_machine();

}  // namespace halogen
