#include "frontend/project/run_shards.h"

#include "frontend/interpret/arithmetic.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace halogen {

namespace {

/// Calls `run(0)` to `run(count - 1)` on so many threads; what the first of them throws is thrown here.
void in_parallel(std::int64_t count, int threads, const std::function<void(std::int64_t)>& run) {
    std::atomic<std::int64_t> next{0};
    std::mutex guard;
    std::exception_ptr failure;
    std::int64_t failed = count;
    const auto work = [&] {
        for (std::int64_t n = next++; n < count; n = next++) {
            try {
                run(n);
            } catch (...) {
                const std::lock_guard lock(guard);
                if (n < failed) {
                    failed = n;
                    failure = std::current_exception();
                }
            }
        }
    };
    std::vector<std::jthread> helpers;
    for (std::int64_t t = 1; t < std::min<std::int64_t>(threads, count); ++t) helpers.emplace_back(work);
    work();
    helpers.clear();
    if (failure) std::rethrow_exception(failure);
}

/// The shards of one step.
class StepRun {
public:
    StepRun(const Kernel& kernel, const Solution& numbers, const ShardStep& step, const ShardKernel& shard, int number,
            Tensors& tensors, const RunTask& run)
        : kernel_(kernel),
          numbers_(numbers),
          step_(step),
          shard_(shard),
          number_(number),
          tensors_(tensors),
          run_(run),
          parts_(step.shards()) {}

    void all(int threads) {
        for (const std::string& name : step_.results)
            if (!tensors_.contains(name)) tensors_[name] = HostTensor(kernel_.tensor(name).type, extents_of(name));
        in_parallel(step_.shards(), threads, [&](std::int64_t n) { one(n); });
        if (step_.is_partial()) combine_all();
    }

private:
    std::vector<std::int64_t> extents_of(const std::string& tensor) const {
        std::vector<std::int64_t> extents;
        for (const Formula& e : numbers_.extents.at(tensor)) extents.push_back(e.constant().value());
        return extents;
    }

    void one(std::int64_t n) {
        ShardTask task{number_, &shard_, shard_call_of(numbers_, shard_, shares_of(step_, n)), {}};
        for (const auto& [name, tensor] : shard_.inputs)
            task.parts[name] = {&tensors_.at(tensor), task.call.parts.at(tensor)};
        for (const std::string& name : step_.results) {
            const Part& part = task.call.parts.at(name);
            task.parts[name] = {&tensors_.at(name), part};
            if (!step_.is_partial()) continue;
            parts_[n] = {HostTensor(kernel_.tensor(name).type, part.extents), part};
            task.parts[name] = {&parts_[n].values, {std::vector<std::int64_t>(part.low.size()), part.extents}};
        }
        run_(task);
    }

    /// Parts with the same shares of all cuts but those that leave partial results lie on one window.
    void combine_all() {
        std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> windows;
        for (std::int64_t n = 0; n < step_.shards(); ++n) {
            std::vector<std::int64_t> place;
            std::int64_t rest = n;
            for (auto cut = step_.cuts.rbegin(); cut != step_.cuts.rend(); ++cut) {
                if (!cut->partial) place.push_back(rest % cut->split.shards);
                rest /= cut->split.shards;
            }
            windows[place].push_back(n);
        }
        const std::string& name = step_.results.front();
        const bool begun = is_begun_before(kernel_, step_.section, name);
        for (auto& [place, shards] : windows) {
            for (std::size_t apart = 1; apart < shards.size(); apart *= 2)
                for (std::size_t i = 0; i + apart < shards.size(); i += 2 * apart)
                    combine(step_.combine, parts_[shards[i]].values, parts_[shards[i + apart]].values);
            auto& [values, part] = parts_[shards.front()];
            const TensorPart whole{&tensors_.at(name), part};
            if (begun) {
                HostTensor before = copy_of(whole);
                combine(step_.combine, before, values);
                copy_back(before, whole);
            } else {
                copy_back(values, whole);
            }
        }
    }

    struct PartialResult {
        HostTensor values;
        Part part;
    };

    const Kernel& kernel_;
    const Solution& numbers_;
    const ShardStep& step_;
    const ShardKernel& shard_;
    const int number_;
    Tensors& tensors_;
    const RunTask& run_;
    std::vector<PartialResult> parts_;
};

}  // namespace

void run_shards(const Kernel& kernel, const Solution& numbers, const std::vector<ShardStep>& steps,
                const std::vector<ShardKernel>& shards, Tensors& tensors, int threads, const RunTask& run) {
    for (std::size_t i = 0; i < steps.size(); ++i)
        StepRun(kernel, numbers, steps[i], shards[i], static_cast<int>(i), tensors, run).all(threads);
}

void combine(Op op, HostTensor& a, const HostTensor& b) {
    for_each_index(a.extents(), [&](std::span<const std::int64_t> index) {
        const std::int64_t i = a.offset_of(index), j = b.offset_of(index);
        if (is_float(a.type()))
            a.set_real(i, round_to_storage(a.type(), reduce_real(op, a.real(i), b.real(j))));
        else
            a.set_integer(i, reduce_integer(op, a.type(), a.integer(i), b.integer(j)));
    });
}

}  // namespace halogen
