#include "generators/compile/compile.h"

#include "frontend/notation/reversed.h"
#include "frontend/plan/value_funcs.h"
#include "frontend/solve/proof.h"
#include "frontend/solve/solve.h"
#include "generators/compile/codegen.h"
#include "generators/compile/header.h"
#include "generators/compile/leg_variants.h"
#include "generators/compile/manifest.h"
#include "generators/compile/object_scan.h"
#include "generators/compile/staging.h"
#include "generators/emit/cpp.h"
#include "generators/emit/runtime_headers.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/plain.h"
#include "schedules/bind/quiet_halide.h"
#include "schedules/bind/strip_checks.h"
#include "schedules/machine/machine.h"
#include "schedules/recipes/recipe.h"
#include "schedules/variants/variants.h"

#include "Halide.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>

namespace halogen {
namespace {

constexpr const char* runtime_library = "libhalogen_halide_runtime.a";
constexpr std::size_t max_checks = 64;  // of check_data in runtime/call.h

std::string join(const std::string& directory, const std::string& name) {
    return (std::filesystem::path(directory) / name).string();
}

std::vector<Leg> legs_of(const CompileOptions& options) {
    std::vector<Leg> chosen;
    for (const std::string& name : options.legs) {
        if (!find_leg(name)) {
            std::string known;
            for (const Leg& leg : all_legs()) known += (known.empty() ? "" : ", ") + leg.name;
            throw Failure(
                {ErrorKind::target, fmt::format("unknown target `{}`", name), {}, {}, "choose among " + known});
        }
    }
    for (const Leg& leg : all_legs()) {  // worst first, each once, in whatever order they were asked for
        if (options.legs.empty() || std::find(options.legs.begin(), options.legs.end(), leg.name) != options.legs.end())
            chosen.push_back(leg);
    }
    return chosen;
}

std::string features_suffix(const std::vector<std::string>& features) {
    std::string suffix;
    for (const std::string& feature : features) {
        if (feature != "asan")
            throw Failure(
                {ErrorKind::target, fmt::format("unknown feature `{}`", feature), {}, {}, "the feature is asan"});
        suffix += "-" + feature;
    }
    return suffix;
}

/// The name of a kernel's functions and of its header.
std::string name_of(const Kernel& kernel, const std::string& wanted) {
    const std::string name = !wanted.empty() ? wanted : !kernel.name.empty() ? kernel.name : "kernel";
    const bool plain = name == cpp_identifier(name) && name.find("__") == std::string::npos;
    if (!plain) {
        throw Failure({ErrorKind::name,
                       fmt::format("a library cannot be called `{}`: it is no C++ name", name),
                       {},
                       {},
                       "use letters, digits and single underscores, and no C++ keyword"});
    }
    return name;
}

/// Compiles the legs of one kernel into a staging folder.
class Compilation {
public:
    Compilation(const Kernel& kernel, const CompileOptions& options, const std::vector<Leg>& legs,
                const std::string& name)
        : kernel_(kernel),
          options_(options),
          legs_(legs),
          suffix_(features_suffix(options.features)),
          name_(name_of(kernel, name)),
          solution_(solve(kernel, open(kernel)).value()),
          safe_(is_safe(prove_in_bounds(kernel, solution_))),
          variants_(kernel, solution_, legs, options) {
        for (const auto& [size, value] : options.estimates)
            if (solution_.sizes.count(size)) estimates_[size] = value;
        if (!options.history.empty()) return;  // it is for the buffers it was written for
        orders_ = buffer_orders(kernel, solution_);
        if (!orders_.reversed) return;
        const Kernel turned = reversed(kernel);
        const Solution solved = solve(turned, open(turned)).value();
        reversed_ = form_of(turned, solved, {.rewritten = is_rewritten(turned, solved)});
    }

    const Kernel& kernel() const { return kernel_; }
    const std::string& name() const { return name_; }
    const Solution& solution() const { return solution_; }

    /// Compiles the legs and writes header and manifest; the objects are for the library `library`.
    CompileReport run(const std::string& library, Staging& staging, const std::function<void(const Leg&)>& tell) {
        CompileReport report{name_,
                             join(options_.directory, library),
                             join(options_.directory, name_ + ".h"),
                             join(options_.directory, name_ + ".json"),
                             {}};
        try {
            Codegen beside;
            compile_legs(staging, beside, tell, report);
        } catch (const Halide::Error&) {  // once more, to see whose code it is that cannot be made
            Codegen at_once(true);
            compile_legs(staging, at_once, [](const Leg&) {}, report);
        }
        report.note = plain_note(kernel_, plain_legs(report)) + left_out(report);
        const auto in_place = ours_ ? in_place_pairs(kernel_) : std::vector<std::pair<int, int>>();
        staging.write(name_ + ".h", header(report, in_place));
        staging.write(name_ + ".json", emit_manifest(kernel_, solution_, report, estimates_, options_, in_place));
        return report;
    }

    std::vector<std::string> objects() const {
        std::vector<std::string> files;
        for (const auto& [leg, object] : objects_) files.push_back(object);
        return files;
    }

private:
    /// Every `size` parameter is left open, so that a call may set it.
    static Settings open(const Kernel& kernel) {
        Settings settings;
        for (const SizeParam& size : kernel.sizes) settings[size.name] = std::nullopt;
        return settings;
    }

    /// Its companions' names go on behind the leg: so those of a kernel called `NAME_check` are others.
    std::string symbol(const Leg& leg) const { return fmt::format("halogen_{}_{}", name_, leg.name); }

    static std::string plain_legs(const CompileReport& report) {
        std::string names;
        for (const CompiledLegReport& leg : report.legs)
            if (leg.plain) names += (names.empty() ? "" : ", ") + leg.name;
        return names;
    }

    void compile_legs(Staging& staging, Codegen& codegen, const std::function<void(const Leg&)>& tell,
                      CompileReport& report) {
        codegen_ = &codegen;
        report.legs.clear();
        objects_.clear();
        made_.clear();
        for (const Leg& leg : legs_) {
            tell(leg);
            report.legs.push_back(compile_leg(leg, staging));
            for (const CompiledVariant& offered : variants_.offered())
                if (const Variant* own = variants_.find(leg, offered.variant))
                    report.legs.back().variants.push_back(
                        compile_variant(leg, *own, offered.form, staging, report.legs.back()));
            generate(leg, staging);
        }
        codegen.wait();
        for (CompiledLegReport& leg : report.legs)
            for (const auto& [made_for, object] : objects_)
                leg.needs_sse4a =
                    leg.needs_sse4a || (made_for == leg.name && made_for == "zen4" && object_may_hold_sse4a(object));
    }

    /// What Halide refuses is left out: another variant serves its calls.
    CompiledVariantReport compile_variant(const Leg& leg, const Variant& variant, const Form& form,
                                          const Staging& staging, const CompiledLegReport& report) {
        const std::size_t before = made_.size();
        CompiledVariantReport made{variant, fmt::format("{}_variant_{}", symbol(leg), variant.name), ""};
        try {
            const History history = options_.history.empty()
                                        ? schedule_of(kernel_, form, variant, leg, estimates_, options_.records)
                                        : *std::ranges::find(options_.history, variant, &History::variant);
            BoundKernel bound = bind(form.kernel, form.solution, history, Halide::Target(leg.halide_target)).value();
            made.history = print(history);
            strip_checks(bound.pipeline, safe_ && (options_.history.empty()));
            compile(bound.pipeline, bound.arguments, made.symbol, Halide::Target(report.halide_target), staging);
        } catch (const Failure&) {
            if (!options_.history.empty()) throw;
            forget_from(before);
            made.symbol.clear();
        } catch (const Halide::Error&) {
            if (!options_.history.empty()) throw;
            forget_from(before);
            made.symbol.clear();
        }
        return made;
    }

    /// A line for people about variants that could not be made; "" where all could.
    std::string left_out(const CompileReport& report) const {
        std::string text;
        for (const CompiledLegReport& leg : report.legs)
            for (const CompiledVariantReport& variant : leg.variants)
                if (variant.symbol.empty())
                    text += (text.empty() ? "" : ", ") + variant.variant.name + " on " + leg.name;
        return text.empty() ? ""
                            : fmt::format("variants of `{}` are left out, for Halide refuses them: {}", name_, text);
    }

    CompiledLegReport compile_leg(const Leg& leg, Staging& staging) {
        if (!options_.history.empty()) return compile_leg(leg, options_.history.back(), staging);
        const std::size_t before = made_.size();
        bool plain = false;
        const Form& form = variants_.last_form();
        const auto wanted = [&] {
            return schedule_of(kernel_, form, variants_.last(leg), leg, estimates_, options_.records);
        };
        CompiledLegReport report =
            with_fitting_schedule(form.kernel, form.solution, wanted, plain, [&](const History& history) {
                forget_from(before);
                return compile_leg(leg, history, staging);
            });
        report.plain = plain;
        return report;
    }

    CompiledLegReport compile_leg(const Leg& leg, const History& history, Staging& staging) {
        const Form& form = variants_.last_form();
        BoundKernel bound = bind(form.kernel, form.solution, history, Halide::Target(leg.halide_target)).value();
        auto checks = bind_checks(kernel_, solution_, Halide::Target(leg.halide_target)).value();
        if (checks && checks->checks.size() > max_checks) {
            throw Failure({ErrorKind::too_complex,
                           "the kernel takes more than 64 indices from data",
                           {},
                           {},
                           "split it into several kernels"});
        }
        CompiledLegReport report{leg.name, leg.halide_target + "-no_runtime-no_bounds_query-user_context" + suffix_,
                                 symbol(leg)};
        if (checks) report.check_symbol = symbol(leg) + "_check";
        report.history = print(history);
        const Halide::Target target(report.halide_target);
        const bool ours = is_ours(history, leg);
        ours_ = ours_ && ours;
        strip_checks(bound.pipeline, safe_ && ours);
        compile(bound.pipeline, bound.arguments, report.symbol, target, staging);
        if (checks) {
            strip_checks(checks->pipeline, safe_);
            compile(checks->pipeline, checks->arguments, report.check_symbol, target, staging);
        }
        if (arguments_.names.empty()) {
            arguments_ = {argument_names(kernel_, solution_), extent_arguments(kernel_, solution_)};
            if (checks) checks_ = checks->checks;
        }
        if (reversed_) compile_reversed(leg, target, staging, report);
        return report;
    }

    /// The kernel for buffers whose first dim is contiguous. The data is looked at in the kernel as it was written.
    void compile_reversed(const Leg& leg, const Halide::Target& target, Staging& staging, CompiledLegReport& report) {
        const std::size_t before = made_.size();
        bool plain = false;
        const auto wanted = [&] { return recipe(reversed_->kernel, reversed_->solution, machine_of(leg)); };
        with_fitting_schedule(reversed_->kernel, reversed_->solution, wanted, plain, [&](const History& history) {
            forget_from(before);
            compile_reversed(leg, history, target, staging, report);
        });
    }

    void compile_reversed(const Leg& leg, const History& history, const Halide::Target& target, Staging& staging,
                          CompiledLegReport& report) {
        BoundKernel bound =
            bind(reversed_->kernel, reversed_->solution, history, Halide::Target(leg.halide_target)).value();
        report.reversed_symbol = symbol(leg) + "_reversed";
        report.reversed_history = print(history);
        strip_checks(bound.pipeline, safe_);
        compile(bound.pipeline, bound.arguments, report.reversed_symbol, target, staging);
        if (!reversed_arguments_.names.empty()) return;
        reversed_arguments_ = {argument_names(reversed_->kernel, reversed_->solution),
                               extent_arguments(reversed_->kernel, reversed_->solution)};
        for (ExtentArgument& extent : reversed_arguments_.extents)
            extent.source.dim = kernel_.tensor(extent.source.tensor).rank - 1 - extent.source.dim;
    }

    /// A recipe's history, or one that the tuner found around it: its tiles stay inside, and in place it computes nothing
    /// twice. Of a history that the caller gives neither is known.
    bool is_ours(const History& history, const Leg& leg) const {
        return options_.history.empty() ||
               history.steps == recipe_of(variants_.last_form(), variants_.last(leg), leg, {}).steps;
    }

    void compile(Halide::Pipeline& pipeline, const std::vector<Halide::Argument>& arguments, const std::string& symbol,
                 const Halide::Target& target, const Staging& staging) {
        const Halide::Module module =
            pipeline.compile_to_module(arguments, symbol, target, Halide::LinkageType::ExternalPlusArgv);
        if (codegen_->at_once()) codegen_->add(module, staging.scratch(symbol + ".o"));
        made_.push_back({module, symbol});
    }

    void forget_from(std::size_t first) {
        made_.erase(made_.begin() + static_cast<std::ptrdiff_t>(first), made_.end());
    }

    /// All functions of a leg in one object file: what LLVM needs for each anew is a good part of what it does for a small one. Those
    /// whose floats keep their order are in one of their own: it holds for all of a module, and `link_modules` forgets it.
    void generate(const Leg& leg, const Staging& staging) {
        if (codegen_->at_once())
            for (const Made& one : made_) objects_.emplace_back(leg.name, staging.scratch(one.symbol + ".o"));
        for (const bool strict : {false, true}) {
            std::vector<Halide::Module> modules;
            for (const Made& one : made_)
                if (one.module.any_strict_float() == strict) modules.push_back(one.module);
            if (codegen_->at_once() || modules.empty()) continue;
            objects_.emplace_back(leg.name, staging.scratch(symbol(leg) + (strict ? "_strict.o" : ".o")));
            Halide::Module linked = Halide::link_modules(symbol(leg), modules);
            linked.set_any_strict_float(strict);
            codegen_->add(linked, objects_.back().second);
        }
        made_.clear();
    }

    std::string header(const CompileReport& report, const std::vector<std::pair<int, int>>& in_place) const {
        HeaderInput input{kernel_, solution_, name_,    arguments_, reversed_arguments_,
                          checks_, {},        in_place, orders_,    variants_.offered()};
        for (auto leg = report.legs.rbegin(); leg != report.legs.rend(); ++leg) {
            input.legs.push_back({leg->name, leg->symbol, leg->check_symbol, leg->needs_sse4a, leg->reversed_symbol});
            for (const CompiledVariant& offered : variants_.offered()) {
                const auto made = std::ranges::find(leg->variants, offered.variant, &CompiledVariantReport::variant);
                input.legs.back().variants.push_back(made == leg->variants.end() ? "" : made->symbol);
            }
        }
        return emit_header(input);
    }

    const Kernel& kernel_;
    const CompileOptions& options_;
    const std::vector<Leg>& legs_;
    const std::string suffix_;
    const std::string name_;
    const Solution solution_;
    const bool safe_;  // the guards keep every access inside
    const LegVariants variants_;
    bool ours_ = true;                               // so are the histories of all legs
    std::map<std::string, std::int64_t> estimates_;  // of this kernel's sizes
    BufferOrders orders_;
    std::optional<Form> reversed_;
    struct Made {
        Halide::Module module;
        std::string symbol;
    };
    std::vector<Made> made_;                                    // of one leg, to be turned into its object file
    std::vector<std::pair<std::string, std::string>> objects_;  // each with its leg
    Codegen* codegen_ = nullptr;
    ArgumentList arguments_, reversed_arguments_;
    std::vector<DataCheck> checks_;
};

/// libhalogen_halide_runtime.a, the one copy of Halide's runtime that all kernels of a program share, made beside them, and the folder
/// halogen/ of C++ headers.
std::future<void> write_runtime(Staging& staging, const std::vector<std::string>& features) {
    for (const auto& [name, text] : runtime_headers()) staging.write("halogen/" + std::string(name), std::string(text));
    return std::async(std::launch::async, [path = staging.path(runtime_library), suffix = features_suffix(features)] {
        Halide::compile_standalone_runtime({{Halide::OutputFileType::static_library, path}},
                                           Halide::Target("x86-64-linux" + suffix));
    });
}

/// Halide's own errors, from the compiler or from files it cannot write.
template<typename Body>
auto with_halide_errors(const std::string& what, Body&& body) -> Result<decltype(body())> {
    return guarded([&] {
        const QuietHalide quiet;
        try {
            return body();
        } catch (const Halide::Error& error) {
            throw Failure({ErrorKind::too_complex,
                           fmt::format("{}: Halide refuses it: {}", what, error.what()),
                           {},
                           {},
                           "report it as a defect of Halogen, with the kernel's text"});
        }
    });
}

/// The kernels of one call, and what becomes of them.
class Library {
public:
    Library(const std::vector<Kernel>& kernels, const CompileOptions& options, Staging& staging)
        : kernels_(kernels), options_(options), staging_(staging), legs_(legs_of(options)) {
        features_suffix(options.features);
        if (kernels.size() > 1 && !options.history.empty())
            throw Failure({ErrorKind::usage,
                           "a history is for one kernel, and there are several",
                           {},
                           {},
                           "choose the kernel with --kernel"});
    }

    /// The kernels solved; what is wrong with them goes to `errors`.
    void solve_all(std::vector<Error>& errors) {
        for (const Kernel& kernel : kernels_)
            collect(kernel, errors, [&] { compilations_.emplace_back(kernel, options_, legs_, own_name()); });
        if (errors.empty()) check_estimates(errors);
    }

    void compile_all(CompiledLibrary& result, const TellProgress& tell) {
        if (options_.runtime) runtime_ = write_runtime(staging_, options_.features);
        const int all = static_cast<int>(kernels_.size() * legs_.size());
        int done = 0;
        for (Compilation& one : compilations_) {
            collect(one.kernel(), result.errors, [&] {
                result.kernels.push_back(one.run(file(), staging_, [&](const Leg& leg) {
                    if (tell) tell(one.name(), leg.name, done++, all);
                }));
            });
        }
    }

    /// The archive, and Halide's runtime.
    void write() {
        std::vector<std::string> objects;
        for (const Compilation& one : compilations_)
            for (const std::string& object : one.objects()) objects.push_back(object);
        Halide::create_static_library(objects, Halide::Target(legs_.front().halide_target), staging_.path(file()));
        if (runtime_.valid()) runtime_.get();
    }

private:
    /// Where there are several kernels, `options.name` is the library's alone.
    std::string own_name() const { return kernels_.size() == 1 ? options_.name : ""; }
    std::string file() const {
        return "lib" + (kernels_.size() == 1 ? compilations_.front().name() : options_.name) + ".a";
    }

    template<typename Body>
    static void collect(const Kernel& kernel, std::vector<Error>& errors, Body&& body) {
        const auto done = with_halide_errors(fmt::format("kernel `{}`", kernel.name), [&] { return body(), true; });
        if (!done) errors.push_back(done.error());
    }

    void check_estimates(std::vector<Error>& errors) const {
        for (const auto& [name, value] : options_.estimates) {
            const bool known = std::any_of(compilations_.begin(), compilations_.end(), [&](const Compilation& one) {
                return one.solution().sizes.count(name) > 0;
            });
            if (!known)
                errors.push_back({ErrorKind::name,
                                  fmt::format("`{}` is no size of the kernel, so it cannot be estimated", name),
                                  {},
                                  {},
                                  "name a size"});
            else if (value < 0)
                errors.push_back({ErrorKind::negative,
                                  fmt::format("the estimate {} = {} is negative", name, value),
                                  {},
                                  {},
                                  "give 0 or more"});
        }
    }

    const std::vector<Kernel>& kernels_;
    const CompileOptions& options_;
    Staging& staging_;
    const std::vector<Leg> legs_;
    std::deque<Compilation> compilations_;
    std::future<void> runtime_;
};

}  // namespace

CompiledLibrary compile_kernels(const std::vector<Kernel>& kernels, const CompileOptions& options, Staging& staging,
                                const TellProgress& tell) {
    CompiledLibrary result;
    const auto done = with_halide_errors("the library", [&] {
        Library library(kernels, options, staging);
        library.solve_all(result.errors);
        if (result.errors.empty()) library.compile_all(result, tell);
        if (result.errors.empty()) library.write();
        return true;
    });
    if (!done) result.errors.push_back(done.error());
    return result;
}

Result<CompileReport> compile_kernel(const Kernel& kernel, const CompileOptions& options) {
    return guarded([&] {
        Staging staging(options.directory);
        CompiledLibrary made = compile_kernels({kernel}, options, staging);
        if (!made.errors.empty()) throw Failure(made.errors.front());
        staging.publish();
        return std::move(made.kernels.front());
    });
}

}  // namespace halogen
