#pragma once
// A kernel compiled into this process for one leg, and calls of it. The same Funcs as a shipped archive's, from the
// same symbolic solution: what runs here runs there.

#include "frontend/base/error.h"
#include "frontend/interpret/interpret.h"
#include "frontend/notation/program.h"
#include "frontend/project/tensor_part.h"
#include "frontend/solve/proof.h"
#include "frontend/solve/solution.h"
#include "generators/run/call_data.h"
#include "schedules/history/history.h"
#include "schedules/machine/machine.h"
#include "schedules/variants/variants.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace halogen {

/// The kernel solved with every size and parameter open, as kernels are compiled.
/// `settings` are used only when some size is underdetermined without them, or told by no call, as that of a `tmp` tensor alone.
/// Errors: as `solve`.
Solution solve_open(const Kernel& kernel, const Settings& settings = {});

/// The leg that --leg names, of this machine or another; the best one here for "". Errors: Failure(target): unknown.
const Leg& named_leg(const std::string& name);

/// The leg that --leg names, to run it; the best one here for "". Errors: Failure(target): unknown, or more than this CPU has.
const Leg& choose_leg(const std::string& name);

/// Likewise; a strict one adds and multiplies floats in the order of the equations in every loop, vectors, their ends and edges alike,
/// so that an element has the same bits whichever loop computes it.
Leg leg_to_run(const std::string& name, bool strict);

class Executor {
    class Pipeline;  // one compiled Halide pipeline: a function of pointers
    struct Checks;

public:
    /// Schedules by `history`, or without one as calls are served that ask for nothing. Errors: Failure, as `solve_open` and `bind`.
    Executor(const Kernel& kernel, const Leg& leg, const Settings& settings, const History* history = nullptr);
    /// Schedules as `variant` says, for calls that its facts hold for.
    Executor(const Kernel& kernel, const Leg& leg, const Settings& settings, const Variant& variant);
    /// Likewise, for calls of the sizes and strides of `only` alone: the branches that such calls do not take are not built,
    /// which makes it several times as quick. `threads` will run them.
    Executor(const Kernel& kernel, const Leg& leg, const Settings& settings, const Variant& variant,
             const CallData& only, int threads);
    Executor(const Executor&) = delete;
    ~Executor();

    const Solution& open() const { return open_; }
    /// Says that the plain schedule is used, where the recipe's did not fit; "" else.
    const std::string& note() const { return note_; }

    /// Zeroed outputs of the right types and extents.
    Tensors make_outputs(const CallData& data) const;

    /// Guards, in 64 bits. Errors: Failure(contradictory, ...), told with the guard's tensor, dim and equation.
    void check_guards(const CallData& data) const;
    /// What only the data can decide. Errors: Failure(index).
    void check_data(const CallData& data) const;

    /// A call that is ready to be repeated: `data` and `outputs` must outlive it and stay where they are.
    class Call {
    public:
        /// Errors: Failure with Halide's message.
        void operator()() const;

    private:
        friend class Executor;
        struct Buffers;
        const Pipeline* pipeline_ = nullptr;  // null: nothing to compute
        std::shared_ptr<Buffers> buffers_;
        std::vector<const void*> arguments_;
    };
    Call prepare(const CallData& data, Tensors& outputs) const;
    /// Likewise on parts of tensors in memory, inputs and outputs, by name.
    Call prepare(const Solution& numbers, const Scalars& scalars, const std::map<std::string, TensorPart>& parts) const;

private:
    void build(const Leg& leg, const std::function<History()>& wanted);
    void compile(const Leg& leg, const History& history, bool is_ours);
    void compile_checks(const Leg& leg);
    static Call prepare_arguments(const Form&, const CallData& data);
    static Call prepare_arguments(const Form&, const Solution& numbers, const Scalars& scalars,
                                  const std::function<const void*(Call::Buffers&, const std::string&)>& buffer_of);

    const Kernel& kernel_;
    Solution open_;
    const bool is_safe_ = is_safe(prove_in_bounds(kernel_, open_));  // the guards keep every access inside
    Form form_;
    std::string note_;
    std::unique_ptr<Pipeline> main_;
    std::unique_ptr<Checks> checks_;  // null where no data decide anything
};

/// Sets the number of threads that compiled kernels use; 0 is one per processor.
void set_threads(int threads);

}  // namespace halogen
