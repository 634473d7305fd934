#include "generators/verbs/generator_main.h"

#include "frontend/lower/number.h"
#include "frontend/plan/value_funcs.h"
#include "generators/run/builtin.h"
#include "generators/run/executor.h"
#include "generators/run/options.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/plain.h"

#include "Halide.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace halogen {

namespace {

using Halide::Internal::AbstractGenerator;

/// The leg of the widest instruction set that `target` promises.
const Leg& leg_of_target(const Halide::Target& target) {
    const Leg* best = &all_legs().front();
    for (const Leg& leg : all_legs()) {
        const Halide::Target wanted(leg.halide_target);
        bool promised = true;
        for (int f = 0; f < Halide::Target::FeatureEnd; f++) {
            const auto feature = static_cast<Halide::Target::Feature>(f);
            promised = promised && (!wanted.has_feature(feature) || target.has_feature(feature));
        }
        if (promised) best = &leg;
    }
    return *best;
}

/// A kernel as a Halide generator. `program` (a .hgn file or a built-in kernel) and `kernel` choose it; without `program`
/// the generator's own name is a built-in kernel.
class KernelGenerator : public AbstractGenerator {
public:
    KernelGenerator(std::string name, const Halide::GeneratorContext& context)
        : name_(std::move(name)), context_(context) {}

    std::string name() override { return name_; }
    Halide::GeneratorContext context() const override { return context_; }
    bool allow_out_of_order_inputs_and_outputs() const override { return false; }

    void set_generatorparam_value(const std::string& name, const std::string& value) override {
        if (name == "program")
            options_.file = value;
        else if (name == "kernel")
            options_.kernel = value;
        else
            throw Halide::CompileError(
                fmt::format("Generator {} has no parameter {}; it has program and kernel", name_, name).c_str());
    }
    void set_generatorparam_value(const std::string& name, const Halide::LoopLevel&) override {
        throw Halide::CompileError(fmt::format("Generator {} has no loop level {}", name_, name).c_str());
    }

    std::vector<ArgInfo> arginfos() override {
        using namespace Halide::Internal;
        const Kernel& k = kernel();
        std::vector<ArgInfo> infos;
        for (const Parameter& p : k.parameters) {
            if (p.sort == Parameter::Sort::tensor)
                infos.push_back(buffer_info(k.tensor(p.name), ArgInfoDirection::Input));
            else
                infos.push_back({p.name, ArgInfoDirection::Input, ArgInfoKind::Scalar, {scalar_type(p)}, 0});
        }
        for (const ExtentArgument& extent : explained([&] { return extent_arguments(k, solve_open(k)); }))
            infos.push_back({extent.name, ArgInfoDirection::Input, ArgInfoKind::Scalar, {Halide::Int(32)}, 0});
        for (const Tensor* t : k.outputs()) infos.push_back(buffer_info(*t, ArgInfoDirection::Output));
        return infos;
    }

    Halide::Pipeline build_pipeline() override {
        return explained([&] {
            const Kernel& k = kernel();
            const Solution open = solve_open(k);
            const Leg& leg = leg_of_target(context_.target());
            bool plain = false;
            const auto wanted = [&] { return schedule_of(k, {k, open}, {}, leg); };
            bound_ = with_fitting_schedule(k, open, wanted, plain,
                                           [&](const History& history) { return bind(k, open, history).value(); });
            return bound_->pipeline;
        });
    }

    std::vector<Halide::Parameter> input_parameter(const std::string& name) override {
        const std::vector<std::string> names = argument_names(kernel(), solve_open(kernel()));
        for (std::size_t i = 0; i < names.size(); i++) {
            const Halide::Argument& a = bound_->arguments.at(i);
            if (names[i] == name) return {Halide::Parameter(a.type, a.is_buffer(), a.dimensions, a.name)};
        }
        throw Halide::CompileError(fmt::format("{} has no input {}", name_, name).c_str());
    }
    std::vector<Halide::Func> output_func(const std::string& name) override {
        const auto outputs = kernel().outputs();
        for (std::size_t i = 0; i < outputs.size(); i++)
            if (outputs[i]->name == name) return {bound_->pipeline.outputs().at(i)};
        throw Halide::CompileError(fmt::format("{} has no output {}", name_, name).c_str());
    }

    void bind_input(const std::string& name, const std::vector<Halide::Parameter>&) override { refuse_binding(name); }
    void bind_input(const std::string& name, const std::vector<Halide::Func>&) override { refuse_binding(name); }
    void bind_input(const std::string& name, const std::vector<Halide::Expr>&) override { refuse_binding(name); }
    bool emit_cpp_stub(const std::string&) override { return false; }
    bool emit_hlpipe(const std::string& path) override {
        const Halide::Pipeline pipeline = build_pipeline();
        std::map<std::string, Halide::Parameter> parameters;
        Halide::serialize_pipeline(pipeline, path, parameters);
        return true;
    }

private:
    /// Our errors as Halide's, which the caller prints.
    template<typename Body>
    auto explained(Body&& body) -> decltype(body()) {
        try {
            return body();
        } catch (const Failure& failure) {
            throw Halide::CompileError((format(failure.error(), source_name(options_)) + "\n").c_str());
        }
    }

    [[noreturn]] void refuse_binding(const std::string& name) const {
        throw Halide::CompileError(
            fmt::format("{}: the input {} cannot be bound; compose kernels in the notation instead", name_, name)
                .c_str());
    }

    const Kernel& kernel() {
        if (!kernel_) {
            if (options_.file.empty()) options_.file = name_;
            kernel_ = explained([&] { return load_kernel(options_); });
        }
        return *kernel_;
    }

    Halide::Type scalar_type(const Parameter& p) {
        return p.sort == Parameter::Sort::size ? Halide::Int(32) : halide_type(kernel_->find_scalar(p.name)->type);
    }

    static ArgInfo buffer_info(const Tensor& t, Halide::Internal::ArgInfoDirection direction) {
        return {t.name, direction, Halide::Internal::ArgInfoKind::Buffer, {halide_type(t.type)}, t.rank};
    }

    std::string name_;
    Halide::GeneratorContext context_;
    Options options_;
    std::optional<Kernel> kernel_;
    std::optional<BoundKernel> bound_;
};

class KernelProvider : public Halide::Internal::GeneratorFactoryProvider {
public:
    std::vector<std::string> enumerate() const override {
        std::vector<std::string> names;
        for (const BuiltinKernel& kernel : builtin_kernels()) names.emplace_back(kernel.name);
        return names;
    }
    Halide::Internal::AbstractGeneratorPtr create(const std::string& name,
                                                  const Halide::GeneratorContext& context) const override {
        return std::make_unique<KernelGenerator>(name, context);
    }
};

}  // namespace

int generator_main(int argc, char** argv) {
    return Halide::Internal::generate_filter_main(argc, argv, KernelProvider()) == 0 ? 0 : 1;
}

}  // namespace halogen
