// halogen bench: times a kernel on this machine.

#include "generators/run/call_data.h"
#include "generators/run/executor.h"
#include "generators/run/peak.h"
#include "generators/run/work.h"
#include "generators/verbs/cli.h"
#include "generators/verbs/history_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace halogen {

namespace {

/// Four digits are more than such a measurement holds.
double rounded(double value) {
    if (value == 0 || !std::isfinite(value)) return 0;
    const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

}  // namespace

int verb_bench(const Options& options) {
    const Kernel kernel = load_kernel(options);
    const CallData data = prepare_call(kernel, options, false);
    const int threads = options.threads ? options.threads : 1;
    pin_to_first(threads);
    set_threads(threads);
    const Leg leg = leg_to_run(options.leg, options.strict);
    const auto compiled =
        serving_executor(kernel, leg, parse_settings(options.set), data, options, threads, Compiles::variant);
    const Executor& executor = *compiled;
    if (!executor.note().empty()) fmt::print(stderr, "halogen: {}\n", executor.note());
    executor.check_guards(data);
    executor.check_data(data);
    Tensors outputs = executor.make_outputs(data);
    const Executor::Call call = executor.prepare(data, outputs);
    const PeakKind kind = peak_kind(kernel);
    // The peak before and after: the clock of a shared machine moves, and the share is of the best it can do.
    double peak = measure_peak(kind, threads);
    const Timing timing = measure([&] { call(); });
    peak = std::max(peak, measure_peak(kind, threads));
    const Work work = count_work(kernel, data.numbers);
    const double rate = work.operations / timing.min_ns;
    // Ordered, so that the document reads as docs/design.md lists it.
    const nlohmann::ordered_json document = {{"kernel", kernel.name},
                                             {"threads", threads},
                                             {"min_ns", rounded(timing.min_ns)},
                                             {"median_ns", rounded(timing.median_ns)},
                                             {"gflops", rounded(rate)},
                                             {"gbytes_per_s", rounded(work.bytes / timing.min_ns)},
                                             {"peak_share", rounded(rate / peak)}};
    fmt::print("{}\n", document.dump());
    return 0;
}

}  // namespace halogen
