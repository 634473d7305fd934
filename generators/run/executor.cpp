#include "generators/run/executor.h"

#include "frontend/plan/value_funcs.h"
#include "frontend/solve/solve.h"
#include "generators/run/served.h"
#include "generators/run/with_halide.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/plain.h"
#include "schedules/bind/strip_checks.h"
#include "schedules/recipes/decided.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace halogen {

namespace {

/// Halide's pool of threads is made with the first kernel that is compiled, and forgets what was set before.
std::atomic<int> wanted_threads{0};

halide_type_t runtime_type(Type type) {
    switch (type) {
    case Type::f64: return {halide_type_float, 64};
    case Type::f32: return {halide_type_float, 32};
    case Type::f16: return {halide_type_float, 16};
    case Type::bf16: return {halide_type_bfloat, 16};
    case Type::i8: return {halide_type_int, 8};
    case Type::i16: return {halide_type_int, 16};
    case Type::i32: return {halide_type_int, 32};
    case Type::i64: return {halide_type_int, 64};
    case Type::u8: return {halide_type_uint, 8};
    case Type::u16: return {halide_type_uint, 16};
    case Type::u32: return {halide_type_uint, 32};
    default: return {halide_type_uint, 1};
    }
}

/// A scalar argument of any type, as the kernel reads it.
union ScalarCell {
    double f64;
    float f32;
    std::uint16_t u16;
    std::int64_t i64;
};

ScalarCell scalar_cell(Type type, const ScalarValue& value) {
    ScalarCell cell{};
    if (!is_float(type)) {
        cell.i64 = std::get<std::int64_t>(value);  // little endian: the low bytes are the narrower value
        return cell;
    }
    HostTensor one(type, {});
    one.set_real(0, std::get<double>(value));
    std::copy_n(one.data(), bytes_of(type), reinterpret_cast<std::byte*>(&cell));
    return cell;
}

std::string trimmed(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    return text;
}

}  // namespace

namespace {

/// A call tells every open size: by a buffer or as a parameter.
bool is_told_by_calls(const Kernel& kernel, const Solution& open) {
    return std::ranges::all_of(open.symbols, [&](const std::string& symbol) {
        return kernel.find_size(symbol) || open.sources.contains(symbol);
    });
}

}  // namespace

Solution solve_open(const Kernel& kernel, const Settings& settings) {
    Settings open;
    for (const SizeParam& size : kernel.sizes) open[size.name] = std::nullopt;
    auto solution = solve(kernel, open);
    const bool is_enough =
        solution ? is_told_by_calls(kernel, solution.value()) : solution.error().kind != ErrorKind::underdetermined;
    if (is_enough || settings.empty()) return std::move(solution).value();
    // What numbers leave open is chosen backwards, and a call brings its own inputs.
    for (const Tensor* input : kernel.inputs())
        for (int d = 0; d < input->rank; d++) open[fmt::format("{}.{}", input->name, d)] = std::nullopt;
    for (const auto& [name, value] : settings) open[name] = value;
    return solve(kernel, open).value();
}

const Leg& named_leg(const std::string& name) {
    if (name.empty()) return best_leg_here();
    if (const Leg* leg = find_leg(name)) return *leg;
    std::string names;
    for (const Leg& l : all_legs()) names += (names.empty() ? "" : ", ") + l.name;
    throw Failure(Error{
        ErrorKind::target, fmt::format("there is no leg `{}`", name), {}, "", fmt::format("choose among {}", names)});
}

const Leg& choose_leg(const std::string& name) {
    const Leg &leg = named_leg(name), &best = best_leg_here();
    // The legs are ordered, each a subset of the next.
    if (&leg > &best)
        throw Failure(Error{ErrorKind::target,
                            fmt::format("this CPU cannot run the leg `{}`", name),
                            {},
                            "",
                            fmt::format("the best it can run is {}", best.name)});
    return leg;
}

Leg leg_to_run(const std::string& name, bool strict) {
    Leg leg = choose_leg(name);
    if (strict) leg.halide_target += "-strict_float";
    return leg;
}

class Executor::Pipeline {
public:
    /// Errors: Failure(too_complex, schedule).
    Pipeline(Halide::Pipeline pipeline, const std::vector<Halide::Argument>& arguments, const std::string& leg_target)
        : pipeline_(std::move(pipeline)) {
        with_halide([&] {
            const Halide::Target target =
                Halide::Target(leg_target).with_feature(Halide::Target::JIT).with_feature(Halide::Target::UserContext);
            const Halide::Module lowered = pipeline_.compile_to_module(arguments, "halogen_kernel", target);
            module_ = Halide::Internal::JITModule(lowered, lowered.functions().back(),
                                                  Halide::Internal::JITSharedRuntime::get(nullptr, target));
            Halide::Internal::JITSharedRuntime::set_num_threads(wanted_threads);
            function_ = module_.argv_function();
        });
    }

    /// `arguments`: a pointer to a JITUserContext*, then pointers to halide_buffer_t or to scalars in the order of the
    /// pipeline, outputs last. Returns Halide's status.
    int call(const void* const* arguments) const { return function_(arguments); }

private:
    Halide::Pipeline pipeline_;
    Halide::Internal::JITModule module_;
    Halide::Internal::JITModule::argv_wrapper function_ = nullptr;
};

struct Executor::Checks {
    std::vector<DataCheck> checks;
    Pipeline pipeline;
};

Executor::Executor(const Kernel& kernel, const Leg& leg, const Settings& settings, const History* history)
    : kernel_(kernel),
      open_(solve_open(kernel, settings)),
      form_(form_of(kernel, open_, history ? history->variant : Variant{})) {
    if (history)
        compile(leg, *history, !emission_of(*history).groups.empty());
    else
        build(leg, [&] { return schedule_of(kernel_, form_, Variant{}, leg); });
    compile_checks(leg);
}

Executor::Executor(const Kernel& kernel, const Leg& leg, const Settings& settings, const Variant& variant)
    : kernel_(kernel), open_(solve_open(kernel, settings)), form_(form_of(kernel, open_, variant)) {
    build(leg, [&] { return schedule_of(kernel_, form_, variant, leg); });
    compile_checks(leg);
}

Executor::Executor(const Kernel& kernel, const Leg& leg, const Settings& settings, const Variant& variant,
                   const CallData& only, int threads)
    : kernel_(kernel), open_(solve_open(kernel, settings)), form_(form_of(kernel, open_, variant)) {
    const KnownCall call = known_call(form_, only, threads);
    build(leg, [&] {
        History history = schedule_of(kernel_, form_, variant, leg);
        history.steps = without_decided_branches(form_.kernel, form_.solution, history.steps, variant.when, &call);
        history.header.state.clear();
        return history;
    });
    compile_checks(leg);
}

void Executor::build(const Leg& leg, const std::function<History()>& wanted) {
    bool plain = false;
    with_fitting_schedule(form_.kernel, form_.solution, wanted, plain,
                          [&](const History& history) { compile(leg, history, true); });
    note_ = plain_note(kernel_, plain ? leg.name : "");
}

/// `is_ours`: the history is a recipe's, or names places that nothing reads, as groups of an empty sum do.
void Executor::compile(const Leg& leg, const History& history, bool is_ours) {
    BoundKernel bound = with_halide([&] {
                            return bind(form_.kernel, form_.solution, history, Halide::Target(leg.halide_target));
                        }).value();
    strip_checks(bound.pipeline, is_ours && is_safe_);
    main_ = std::make_unique<Pipeline>(bound.pipeline, bound.arguments, leg.halide_target);
}

void Executor::compile_checks(const Leg& leg) {
    auto bound = with_halide([&] { return bind_checks(kernel_, open_, Halide::Target(leg.halide_target)); }).value();
    if (!bound) return;
    strip_checks(bound->pipeline, is_safe_);
    checks_.reset(new Checks{bound->checks, Pipeline(bound->pipeline, bound->arguments, leg.halide_target)});
}
Executor::~Executor() = default;

Tensors Executor::make_outputs(const CallData& data) const {
    Tensors outputs;
    for (const Tensor* t : kernel_.outputs())
        outputs[t->name] = HostTensor(t->type, extents_of(data.numbers, t->name), strides_of(data, t->name));
    return outputs;
}

void Executor::check_guards(const CallData& data) const {
    const Bindings known = sizes_of(open_, data);
    for (const Guard& guard : open_.guards) {
        if (holds(guard, known)) continue;
        std::string equation = guard.equation >= 0 ? kernel_.equations[guard.equation].text : "";
        throw Failure(Error{ErrorKind::contradictory,
                            guard.is_condition ? fmt::format("the condition `{}` does not hold", guard.reason)
                                               : fmt::format("{}: {} does not hold", guard.reason, print(guard)),
                            {},
                            equation,
                            "change the sizes"});
    }
}

/// What the argument pointers point to. Made once per call site, so that timing a small kernel times the kernel.
struct Executor::Call::Buffers {
    Halide::JITUserContext context;
    Halide::JITUserContext* context_pointer = &context;
    Halide::Internal::JITErrorBuffer errors;

    Buffers() {
        context.error_buffer = &errors;
        Halide::JITHandlers handlers;
        handlers.custom_error = Halide::Internal::JITErrorBuffer::handler;
        Halide::Internal::JITSharedRuntime::populate_jit_handlers(&context, handlers);
    }

    struct Buffer {
        halide_buffer_t raw{};
        std::vector<halide_dimension_t> dims;
    };
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<std::unique_ptr<ScalarCell>> scalars;

    const void* add(const HostTensor& tensor, const DimsOfForm& dims) { return add(tensor, dims, tensor.data()); }
    const void* add(const TensorPart& p) {
        const std::byte* first = p.tensor->data() + offset_of(p) * bytes_of(p.tensor->type());
        return add(*p.tensor, {p.part.extents, p.tensor->strides()}, first);
    }
    const void* add(const HostTensor& tensor, const DimsOfForm& form, const std::byte* first) {
        auto b = std::make_unique<Buffer>();
        const bool empty = std::find(form.extents.begin(), form.extents.end(), 0) != form.extents.end();
        std::int64_t dense = 1;  // an empty tensor has no gaps, whatever its strides
        for (std::size_t d = form.extents.size(); d-- > 0; dense *= form.extents[d])  // Halide's first dim is our last
            b->dims.push_back({0, static_cast<std::int32_t>(form.extents[d]),
                               static_cast<std::int32_t>(empty ? dense : form.strides[d]), 0});
        b->raw.host = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(first));
        b->raw.type = runtime_type(tensor.type());
        b->raw.dimensions = static_cast<int>(form.extents.size());
        b->raw.dim = b->dims.data();
        buffers.push_back(std::move(b));
        return &buffers.back()->raw;
    }
    const void* add(const ScalarCell& cell) {
        scalars.push_back(std::make_unique<ScalarCell>(cell));
        return scalars.back().get();
    }
};

void Executor::Call::operator()() const {
    if (!pipeline_) return;
    const int status = pipeline_->call(arguments_.data());
    if (status == 0) return;
    const std::string message = trimmed(buffers_->errors.str());
    buffers_->errors.end = 0;
    throw Failure(Error{ErrorKind::too_complex,
                        fmt::format("the kernel stopped with status {}: {}", status, message),
                        {},
                        "",
                        "use smaller sizes, or report it"});
}

Executor::Call Executor::prepare_arguments(
    const Form& form, const Solution& numbers, const Scalars& scalars,
    const std::function<const void*(Call::Buffers&, const std::string&)>& buffer_of) {
    Call call;
    call.buffers_ = std::make_shared<Call::Buffers>();
    call.arguments_.push_back(static_cast<const void*>(&call.buffers_->context_pointer));
    for (const Parameter& p : form.kernel.parameters) {
        if (p.sort == Parameter::Sort::tensor) {
            call.arguments_.push_back(buffer_of(*call.buffers_, p.name));
        } else if (p.sort == Parameter::Sort::size) {
            ScalarCell cell{};
            cell.i64 = numbers.sizes.at(p.name).constant().value();
            call.arguments_.push_back(call.buffers_->add(cell));
        } else {
            call.arguments_.push_back(
                call.buffers_->add(scalar_cell(form.kernel.find_scalar(p.name)->type, scalars.at(p.name))));
        }
    }
    for (const ExtentArgument& extent : extent_arguments(form.kernel, form.solution)) {
        const std::vector<std::int64_t> all = extents_of(numbers, extent.source.tensor);
        ScalarCell cell{};
        cell.i64 = dims_of_form(form.runs, extent.source.tensor, all, all)
                       .extents[static_cast<std::size_t>(extent.source.dim)];
        call.arguments_.push_back(call.buffers_->add(cell));
    }
    return call;
}

Executor::Call Executor::prepare_arguments(const Form& form, const CallData& data) {
    return prepare_arguments(form, data.numbers, data.scalars, [&](Call::Buffers& buffers, const std::string& name) {
        const HostTensor& tensor = data.inputs.at(name);
        return buffers.add(tensor, dims_of_form(form.runs, name, tensor.extents(), tensor.strides()));
    });
}

Executor::Call Executor::prepare(const Solution& numbers, const Scalars& scalars,
                                 const std::map<std::string, TensorPart>& parts) const {
    Call call = prepare_arguments(form_, numbers, scalars, [&](Call::Buffers& buffers, const std::string& name) {
        return buffers.add(parts.at(name));
    });
    bool empty = true;
    for (const Tensor* t : kernel_.outputs()) {
        const TensorPart& output = parts.at(t->name);
        call.arguments_.push_back(call.buffers_->add(output));
        empty = empty && count_elements(output.part.extents) == 0;
    }
    call.pipeline_ = empty ? nullptr : main_.get();
    return call;
}

Executor::Call Executor::prepare(const CallData& data, Tensors& outputs) const {
    Call call = prepare_arguments(form_, data);
    bool empty = true;
    for (const Tensor* t : kernel_.outputs()) {
        const HostTensor& output = outputs.at(t->name);
        call.arguments_.push_back(
            call.buffers_->add(output, dims_of_form(form_.runs, t->name, output.extents(), output.strides())));
        empty = empty && output.elements() == 0;
    }
    call.pipeline_ = empty ? nullptr : main_.get();
    return call;
}

void Executor::check_data(const CallData& data) const {
    if (!checks_) return;
    const std::vector<DataCheck>& checks = checks_->checks;
    HostTensor firsts(Type::i32, {static_cast<std::int64_t>(checks.size())});
    Call call = prepare_arguments(Form{kernel_, open_}, data);
    call.arguments_.push_back(call.buffers_->add(firsts, {firsts.extents(), firsts.strides()}));
    call.pipeline_ = &checks_->pipeline;
    call();
    for (std::size_t i = 0; i < checks.size(); i++) {
        const std::int64_t point = firsts.integer(static_cast<std::int64_t>(i));
        if (point < 0) continue;
        const BadPoint bad{checks[i].equation, checks[i].indices, point,
                           checks[i].kind == DataCheck::Kind::no_collision};
        throw Failure(explain_bad_point(kernel_, data.numbers, data.inputs, data.scalars, bad));
    }
}

void set_threads(int threads) {
    wanted_threads = threads;
    Halide::Internal::JITSharedRuntime::set_num_threads(threads);
}

}  // namespace halogen
