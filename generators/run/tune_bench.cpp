#include "generators/run/tune_bench.h"

#include "frontend/notation/symbol.h"
#include "generators/run/child.h"
#include "generators/run/executor.h"
#include "generators/run/peak.h"
#include "generators/run/served.h"
#include "generators/run/trial_sizes.h"
#include "generators/run/verify.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

namespace halogen {

namespace {

constexpr double compile_limit = 120;  // seconds; the slowest kernels take 10 on a busy machine
constexpr double far = 1.3;            // as many times the best: not worth an exact time

int threads_of(const Options& options) { return options.threads ? options.threads : 1; }

/// Executor::Call keeps pointers into `outputs`.
struct Ready {
    Executor executor;
    Tensors outputs;
    Executor::Call call;
    Ready(const Kernel& kernel, const Leg& leg, const Options& options, const CallData& data, const History& history)
        : executor(kernel, leg, parse_settings(options.set), &history), outputs(executor.make_outputs(data)) {
        executor.check_guards(data);
        executor.check_data(data);
        call = executor.prepare(data, outputs);
    }
};

}  // namespace

TuneBench::TuneBench(const Kernel& kernel, const Leg& leg, const Options& options)
    : kernel_(kernel), leg_(leg), options_(options), data_(prepare_call(kernel, options, false)) {
    for (const auto& [name, value] : parse_settings(options.set)) {
        if (value) sizes_[name] = *value;
        if (!kernel.find_size(name)) free_.push_back(name);
    }
    for (const std::string& item : options.in) {
        const std::string name = split_assignment(item, "--in").first;
        for (int d = 0; d < kernel.tensor(name).rank; d++) free_.push_back(Symbol::dim(name, d).text());
    }
    for (const auto& [name, formula] : data_.numbers.sizes)
        if (const auto value = formula.constant(); value && Symbol::of(name).is_size()) sizes_[name] = *value;
}

double TuneBench::time_here(const History& history, double best_ns) const {
    pin_to_first(threads_of(options_));
    set_threads(threads_of(options_));
    const Ready ready(kernel_, leg_, options_, data_, history);
    const Timing quick = halogen::measure([&] { ready.call(); }, 0.04);
    if (best_ns > 0 && quick.min_ns > far * best_ns) return quick.min_ns;
    return std::min(quick.min_ns, halogen::measure([&] { ready.call(); }, 0.3).min_ns);
}

TrialOutcome TuneBench::measure(const History& history, double best_ns) {
    const Answer answer = in_child([&] { return fmt::format("{}", time_here(history, best_ns)); }, compile_limit);
    if (!answer.done) return {0, answer.text};
    return {std::stod(answer.text), ""};
}

void TuneBench::verify_here(const History& history) const {
    set_threads(threads_of(options_));
    const Executor executor(kernel_, leg_, parse_settings(options_.set), &history);
    for (const Trial& trial : trials(kernel_, options_, free_, history)) {
        if (!why_not(history.variant, executor.open(), trial.data, threads_of(options_)).empty()) continue;
        Tensors outputs = executor.make_outputs(trial.data);
        try {
            executor.check_guards(trial.data);
            executor.check_data(trial.data);
        } catch (const Failure&) {
            continue;  // no call is made at such sizes
        }
        try {
            executor.prepare(trial.data, outputs)();
            halogen::verify(kernel_, trial.data, outputs);
        } catch (const Failure& failure) {
            Error error = failure.error();
            error.what += " at " + trial.about;
            throw Failure(error);
        }
    }
}

std::string TuneBench::verify(const History& history) {
    const Answer answer = in_child(
        [&] {
            verify_here(history);
            return std::string();
        },
        2 * compile_limit);
    return answer.done ? "" : answer.text;
}

std::vector<Halves> TuneBench::compare_here(const std::vector<History>& histories) const {
    pin_to_first(threads_of(options_));
    set_threads(threads_of(options_));
    std::vector<std::unique_ptr<Ready>> ready;
    for (const History& history : histories)
        ready.push_back(std::make_unique<Ready>(kernel_, leg_, options_, data_, history));
    std::vector<Halves> least(histories.size());
    for (int round = 0; round < 8; round++)
        for (std::size_t i = 0; i < ready.size(); i++) {
            const double ns = halogen::measure([&] { ready[i]->call(); }, 0.05).min_ns;
            double& half = least[i][round % 2];
            half = round > 1 ? std::min(half, ns) : ns;
        }
    return least;
}

std::vector<Halves> TuneBench::compare(const std::vector<History>& histories) {
    const Answer answer = in_child(
        [&] {
            std::string text;
            for (const Halves& ns : compare_here(histories)) text += fmt::format("{} {} ", ns[0], ns[1]);
            return text;
        },
        2 * compile_limit * static_cast<double>(histories.size()));
    if (!answer.done)
        throw Failure({ErrorKind::too_complex,
                       "the schedules found could not be compared: " + answer.text,
                       {},
                       {},
                       "start the search again; it goes on from its journal"});
    std::istringstream words(answer.text);
    std::vector<Halves> times;
    for (Halves ns; words >> ns[0] >> ns[1];) times.push_back(ns);
    return times;
}

std::string describe_machine() {
    std::ifstream file("/proc/cpuinfo");
    std::string name = "an unknown processor";
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("model name")) continue;
        name = line.substr(std::min(line.find(':') + 2, line.size()));
        break;
    }
    return fmt::format("{}, {} processors", name, std::thread::hardware_concurrency());
}

}  // namespace halogen
