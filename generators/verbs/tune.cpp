// halogen tune: searches for a faster schedule on this machine.

#include "schedules/tune/tune.h"
#include "generators/run/executor.h"
#include "generators/run/served.h"
#include "generators/run/tune_bench.h"
#include "generators/verbs/history_file.h"
#include "generators/verbs/record_file.h"
#include "schedules/history/replay.h"
#include "schedules/variants/variants.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

namespace halogen {

namespace {

using Clock = std::chrono::steady_clock;

std::string time_text(double ns) {
    if (ns < 1e4) return fmt::format("{:.0f} ns", ns);
    return ns < 1e7 ? fmt::format("{:.1f} us", ns / 1e3) : fmt::format("{:.2f} ms", ns / 1e6);
}

/// Lines on standard error: the first, each gain, and one every few seconds.
class Reporter {
public:
    Reporter(std::string kernel, double seconds) : kernel_(std::move(kernel)), seconds_(seconds) {}

    double spent() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    void operator()(const SearchProgress& p) {
        const double now = spent();
        if (now - last_ < 5 && p.best_ns == best_ && p.tried > 1) return;
        last_ = now;
        best_ = p.best_ns;
        std::string gain;
        if (p.first_ns > 0 && p.best_ns > 0) gain = fmt::format(", x{:.2f}", p.first_ns / p.best_ns);
        fmt::print(stderr, "tune {}: {} tried, best {}{}, {:.0f} s left{}\n", kernel_, p.tried, time_text(p.best_ns),
                   gain, std::max(seconds_ - now, 0.0), p.last.refused.empty() ? "" : "; refused: " + p.last.refused);
        std::fflush(stderr);
    }

private:
    const std::string kernel_;
    const double seconds_;
    const Clock::time_point start_ = Clock::now();
    double last_ = 0, best_ = 0;
};

/// The search of one command line.
class Tuning {
public:
    explicit Tuning(const Options& options)
        : options_(options),
          kernel_(load_kernel(options)),
          leg_(choose_leg(options.leg)),
          open_(solve_open(kernel_, parse_settings(options.set))),
          given_(given_history()),
          bench_(kernel_, leg_, options),
          variant_(given_ ? given_->variant
                          : serving(variants_of(kernel_, open_, leg_, wishes_of(options)), open_, bench_.data(),
                                    options.variant, options.threads ? options.threads : 1)),
          form_(form_of(kernel_, open_, variant_)),
          directory_(options.records.empty() ? "schedules/records" : options.records) {}

    int run() {
        make_directory(directory_);
        const std::string path = journal_path();
        Journal journal(path, header());
        Reporter report(name(), options_.seconds);
        if (!journal.entries().empty())
            fmt::print(stderr, "tune {}: goes on after the {} candidates in {}\n", name(), journal.entries().size(),
                       path);
        const Tuned tuned =
            tune([this](const KnobValues& knobs) { return make(knobs); }, options_.seed, bench_, journal,
                 [&] { return report.spent() >= options_.seconds; }, [&](const SearchProgress& p) { report(p); });
        if (!tuned.found)
            throw Failure(
                {ErrorKind::schedule,
                 tuned.tried ? "no candidate gives the right values; the first was refused: " +
                                   journal.entries().at(0).outcome.refused
                             : "there was no time for even one candidate",
                 {},
                 {},
                 tuned.tried ? "report it as a defect of Halogen, with the kernel's text" : "give more --seconds"});
        finish(tuned);
        return 0;
    }

private:
    std::string name() const { return kernel_.name.empty() ? "kernel" : kernel_.name; }

    /// --history, --knob belongs to it; only the knobs that steps follow can be turned.
    std::optional<History> given_history() const {
        if (options_.history.empty()) return std::nullopt;
        auto history = load_history(options_, kernel_, &leg_);
        std::erase_if(history->header.knobs, [&](const Knob& knob) {
            bool followed = false;
            each_step(history->steps, [&](const Step& step) { followed = followed || step.knob == knob.name; });
            return !followed;
        });
        return history;
    }

    History make(const KnobValues& knobs) const {
        const History history = given_ ? with_knobs(*given_, knobs).value() : recipe_of(form_, variant_, leg_, knobs);
        return titled(history, kernel_, leg_);
    }

    JournalHeader header() const {
        std::string sizes;
        for (const auto& [name, value] : bench_.sizes())
            sizes += fmt::format("{}{}={}", sizes.empty() ? "" : " ", name, value);
        return {{"program", history_key(kernel_)},
                {"leg", leg_.name},
                {"machine", describe_machine()},
                {"sizes", sizes},
                {"threads", std::to_string(threads())},
                {"seed", std::to_string(options_.seed)},
                {"start", fmt::format("{:016x}", text_hash(print(make({}))))}};
    }

    int threads() const { return options_.threads ? options_.threads : 1; }

    Record record_of(const Tuned& tuned) const {
        Record record;
        record.program = history_key(kernel_);
        record.leg = leg_.name;
        record.machine = describe_machine();
        record.sizes = bench_.sizes();
        record.threads = threads();
        record.seed = options_.seed;
        record.tried = tuned.tried;
        record.kernel = print(kernel_);
        record.history = tuned.best.history;
        return record;
    }

    std::string journal_path() const {
        Record record;
        record.program = history_key(kernel_);
        record.leg = leg_.name;
        record.sizes = bench_.sizes();
        record.history.header.kernel = kernel_.name;
        const std::string stem = std::filesystem::path(file_name(record)).stem().string();
        return (std::filesystem::path(directory_) / fmt::format("{}-{}.journal", stem, options_.seed)).string();
    }

    /// What was fastest while the search ran is measured once more, in turns with the start. A gain that the noise of either could
    /// have made is none.
    void finish(const Tuned& tuned) {
        Record record = record_of(tuned);
        const History start = make({});
        const std::vector<Halves> times = bench_.compare({start, tuned.best.history});
        const double before = std::ranges::min(times.at(0));
        const auto [after, after_slow] = std::ranges::minmax(times.at(1));
        record.recipe_ns = std::round(before * 10) / 10;
        record.best_ns = std::round(after * 10) / 10;
        const bool gained = after_slow < before && !(record.history == start);
        if (!gained) record.history = start;
        if (!gained) record.best_ns = record.recipe_ns;
        const std::string path = gained ? write_record(record, directory_) : "";
        if (!options_.save.empty()) write_schedule({record.history}, options_.save);
        report(record, tuned, path);
    }

    void report(const Record& record, const Tuned& tuned, const std::string& path) const {
        const double gain = record.recipe_ns / record.best_ns;
        if (options_.json) {
            nlohmann::ordered_json document = {{"status", "ok"},
                                               {"kernel", kernel_.name},
                                               {"leg", leg_.name},
                                               {"threads", record.threads},
                                               {"tried", tuned.tried},
                                               {"exhausted", tuned.exhausted},
                                               {"recipe_ns", record.recipe_ns},
                                               {"best_ns", record.best_ns},
                                               {"gain", gain},
                                               {"knobs", nlohmann::ordered_json::object()}};
            for (const Knob& knob : record.history.header.knobs) document["knobs"][knob.name] = knob.value;
            if (!path.empty()) document["record"] = path;
            fmt::print("{}\n", document.dump());
            return;
        }
        fmt::print("{}: {} candidates, {} with {}, {} found: x{:.2f}\n", name(), tuned.tried,
                   time_text(record.recipe_ns), given_ ? "the history given" : "the recipe", time_text(record.best_ns),
                   gain);
        for (const Knob& knob : record.history.header.knobs) fmt::print("  {} = {}\n", knob.name, knob.value);
        fmt::print("{}\n", path.empty() ? "nothing faster was found; no record is written" : path);
    }

    const Options& options_;
    const Kernel kernel_;
    const Leg& leg_;
    const Solution open_;
    const std::optional<History> given_;
    TuneBench bench_;
    const Variant variant_;
    const Form form_;
    const std::string directory_;
};

}  // namespace

int verb_tune(const Options& options) { return Tuning(options).run(); }

}  // namespace halogen
