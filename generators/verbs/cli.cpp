#include "generators/verbs/cli.h"

#include "frontend/notation/parse_expr.h"
#include "generators/run/builtin.h"
#include "generators/verbs/generator_main.h"
#include "schedules/variants/variants.h"

#include "HalideRuntime.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>
#include <regex>

namespace halogen {

namespace {

Failure usage(std::string what, std::string fix) {
    return Failure(Error{ErrorKind::usage, std::move(what), {}, "", std::move(fix)});
}

using Verb = int (*)(const Options&);
using Verbs = std::vector<std::pair<CLI::App*, Verb>>;

void offer_kernel(CLI::App* verb, Options& o) {
    verb->add_option("FILE", o.file, "a .hgn file, or the name of a built-in kernel")->type_name("");
    verb->add_option("-e", o.text, "the text itself; a bare equation is enough")->type_name("TEXT");
    verb->add_option("--kernel", o.kernel, "which kernel of the file")->type_name("K");
    verb->add_option("--set", o.set, "a size, a parameter or an index; NAME=? leaves it open")
        ->type_name("NAME=INT")
        ->allow_extra_args(false);
    verb->add_flag("--json", o.json, "one JSON document on standard output");
}

void offer_execution(CLI::App* verb, Options& o) {
    verb->add_option("--in", o.in, "an input: .npy or .png")->type_name("NAME=FILE")->allow_extra_args(false);
    verb->add_option("--param", o.param, "a run-time scalar or a size parameter")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false);
    verb->add_option("--threads", o.threads, "how many threads")->type_name("N")->check(CLI::Range(1, 256));
    verb->add_option("--random", o.random, "fills the inputs that are not given")->type_name("SEED");
    verb->add_option("--leg", o.leg, "the instruction set: sse41, avx2, avx512, zen4 (default: the best here)")
        ->type_name("LEG");
}

void offer_variants(CLI::App* verb, Options& o) {
    verb->add_option("--for", o.wanted,
                     "another variant, for calls of which this is known: 'R=3, S=3', 'N <= 16 and dense(X)'")
        ->type_name("FACTS")
        ->allow_extra_args(false);
    verb->add_option("--variants", o.most,
                     fmt::format("at most so many that follow from the kernel (default: {})", default_most_variants))
        ->type_name("N")
        ->check(CLI::Range(1, 64));
    verb->add_option("--only", o.only, "these variants and the one that serves every call")
        ->type_name("NAME,...")
        ->delimiter(',')
        ->allow_extra_args(false);
}

void offer_strict(CLI::App* verb, Options& o) {
    verb->add_flag("--strict", o.strict, "adds and multiplies floats in the order of the equations, in every loop");
}

void offer_variant(CLI::App* verb, Options& o) {
    offer_variants(verb, o);
    verb->add_option("--variant", o.variant, "this variant of the schedule")->type_name("NAME");
}

void offer_history(CLI::App* verb, Options& o) {
    verb->add_option("--history", o.history, "a schedule in place of the recipe's: text or JSON")->type_name("FILE");
    verb->add_option("--knob", o.knobs, "another decision of the history")
        ->type_name("NAME=INT")
        ->allow_extra_args(false);
}

void offer_schedule(CLI::App* schedule, Options& o) {
    offer_kernel(schedule, o);
    offer_history(schedule, o);
    offer_variant(schedule, o);
    schedule->add_option("--leg", o.leg, "the instruction set to schedule for")->type_name("LEG");
    schedule->add_option("--prefix", o.prefix, "the first K steps only")->type_name("K")->check(CLI::Range(0, 1 << 30));
    schedule->add_option("--rebind", o.rebind, "the .hgn file or built-in kernel the history was written for")
        ->type_name("FILE");
    schedule->add_option("--diff", o.diff, "compares with another history")->type_name("FILE");
    schedule->add_option("--level", o.level, "what --diff compares: steps (default), nest or effect")
        ->check(CLI::IsMember({"steps", "nest", "effect"}));
    schedule
        ->add_option("--import", o.import_from,
                     "an autoscheduler's result for the sizes given: adams2019, li2018, mullapudi2016")
        ->type_name("NAME");
    schedule->add_flag("--dry", o.dry, "checks without Halide; with all sizes given, on the shadow nest too");
    schedule->add_flag("--skip-illegal", o.skip_illegal, "leaves out what cannot be applied, and lists it");
    schedule->add_flag("--bisect", o.bisect, "finds the step after which the values are wrong");
    schedule->add_option("--slower-than", o.slower_than, "--bisect finds the step after which a call takes longer")
        ->type_name("NS")
        ->check(CLI::PositiveNumber);
    schedule->add_option("--threads", o.threads, "of calls that --bisect makes")
        ->type_name("N")
        ->check(CLI::Range(1, 256));
    schedule->add_flag("--state", o.state,
                       "also the state the history leaves in Halide; its hash goes into the header");
    schedule->add_option("--save", o.save, "writes the history; as JSON to a name that ends in .json")
        ->type_name("FILE");
    schedule->add_option("--export", o.export_file, "writes a Halide generator in C++ that needs no Halogen")
        ->type_name("FILE.cpp");
    schedule->add_flag("--quiet", o.quiet, "print nothing when all goes well");
}

void offer_shard(CLI::App* shard, Options& o) {
    offer_kernel(shard, o);
    CLI::Option* split = shard
                             ->add_option("--split", o.split,
                                          "indices and their numbers of shards; from an equation on: 'i=4 from 3 j=4'")
                             ->type_name("n=4,k=2");
    CLI::Option* plan = shard->add_option("--plan", o.plan, "a plan that was printed before")->type_name("FILE");
    CLI::Option* ranks = shard->add_option("--ranks", o.ranks, "chooses the split for so many ranks")
                             ->type_name("N")
                             ->check(CLI::Range(1, 1 << 16));
    CLI::Option* memory = shard->add_option("--memory", o.memory, "the bytes that each shard may hold")
                              ->type_name("BYTES")
                              ->check([](const std::string& text) {
                                  return std::strtod(text.c_str(), nullptr) > 0
                                             ? std::string()
                                             : fmt::format("`{}` is no number of bytes above 0", text);
                              });
    shard->add_option("--machine", o.machine, "what a rank and a link do: flops, memory, link, latency")
        ->type_name("FILE");
    CLI::Option* scale =
        shard
            ->add_option(
                "--scale", o.scale,
                "the best plans for 1, 2, 4, ... ranks: `strong`, or a size that grows with them; --ranks ends it")
            ->type_name("strong|NAME");
    scale->excludes(split)->excludes(plan)->excludes(memory);
    shard->add_flag("--parts", o.parts, "the parts of tensors in numbers, for runtime/shards.h");
    shard->add_option("--html", o.html, "writes a page that draws the shards")->type_name("FILE");
    split->excludes(plan)->excludes(ranks)->excludes(memory);
    plan->excludes(ranks)->excludes(memory);
}

void offer_shape(CLI::App* shape, Options& o) {
    shape->add_option("OP", o.arguments, "an operator and its arguments, a JSON object")->type_name("");
    shape->add_option("--cases", o.cases, "answers many calls, in the form of cases/shapes.json")
        ->type_name("FILE.json");
    shape->add_option("--program", o.steps, "a program of operators: inputs and steps")->type_name("FILE.json");
    shape->add_option("--want", o.want, "an extent of a result of --program, answered backwards")
        ->type_name("OUT.DIM=INT")
        ->allow_extra_args(false);
    shape->add_flag("--trace", o.trace, "every pass over the program, one by one");
    shape->add_flag("--cpp", o.cpp, "prints the shapes as C++ functions of the sizes");
    shape->add_flag("--json", o.json, "one JSON document on standard output");
}

/// The verbs, as docs/design.md lists them.
Verbs offer_verbs(CLI::App& app, Options& o) {
    Verbs verbs;
    const auto add = [&](const char* name, const char* about, Verb verb) {
        verbs.emplace_back(app.add_subcommand(name, about), verb);
        return verbs.back().first;
    };
    CLI::App* solve = add("solve", "sizes, index ranges, strides and guards of a kernel", verb_solve);
    offer_kernel(solve, o);
    solve->add_option("--system", o.system, "solves systems given as JSON")->type_name("FILE.json");
    solve->add_flag("--cpp", o.cpp, "prints the solution as C++ functions");
    CLI::App* explain = add("explain", "what Halogen knows of a kernel", verb_explain);
    offer_kernel(explain, o);
    offer_history(explain, o);
    offer_variant(explain, o);
    explain->add_flag("--all", o.all, "also strides, proofs, the history and the loop nest");
    explain->add_option("--html", o.html, "writes all of it as a page")->type_name("FILE");
    explain->add_option("--leg", o.leg, "the instruction set to schedule for")->type_name("LEG");
    CLI::App* compile = add("compile", "one static library of all kernels of a file, and their headers", verb_compile);
    offer_kernel(compile, o);
    compile->add_option("-o", o.directory, "where the files go")->type_name("DIR")->required();
    compile->add_option("--target", o.targets, "the legs: sse41, avx2, avx512, zen4 (default: all)")
        ->type_name("T,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    compile->add_option("--estimate", o.estimates, "a likely size")->type_name("NAME=INT")->allow_extra_args(false);
    compile->add_option("--name", o.as, "of the library and its function (default: the kernel's)")->type_name("NAME");
    offer_history(compile, o);
    offer_variants(compile, o);
    compile->add_option("--records", o.records, "more records of `tune` to look into")->type_name("DIR");
    compile->add_flag("--asan", o.sanitize, "for programs built with AddressSanitizer");
    compile->add_flag("--quiet", o.quiet, "print nothing when all goes well");
    compile->add_flag_callback(
        "--no-runtime", [&o] { o.runtime = false; }, "leave out Halide's runtime and the C++ headers");
    CLI::App* run = add("run", "runs a kernel on files", verb_run);
    offer_kernel(run, o);
    offer_execution(run, o);
    offer_history(run, o);
    offer_variant(run, o);
    run->add_option("--out", o.out, "an output: .npy or .png")->type_name("NAME=FILE")->allow_extra_args(false);
    run->add_flag("--verify", o.verify, "compares the outputs with the interpreter's");
    run->add_option("--plan", o.plan, "runs the shards of a plan of `halogen shard`, several at once")
        ->type_name("FILE")
        ->excludes("--history");
    offer_strict(run, o);
    CLI::App* bench = add("bench", "times a kernel", verb_bench);
    offer_kernel(bench, o);
    offer_execution(bench, o);
    offer_history(bench, o);
    offer_variant(bench, o);
    offer_strict(bench, o);
    CLI::App* schedule = add("schedule", "prints, checks, replays and compares histories", verb_schedule);
    offer_schedule(schedule, o);
    CLI::App* tune = add("tune", "searches for a faster schedule on this machine", verb_tune);
    offer_kernel(tune, o);
    offer_execution(tune, o);
    offer_history(tune, o);
    offer_variant(tune, o);
    tune->add_option("--seconds", o.seconds, "how long to search (default: 60)")
        ->type_name("S")
        ->check(CLI::Range(0.0, 1e6));
    tune->add_option("--seed", o.seed, "of the order in which candidates come (default: 1)")->type_name("N");
    tune->add_option("--save", o.save, "writes the history found; as JSON to a name that ends in .json")
        ->type_name("FILE");
    tune->add_option("--records", o.records, "where the journal and the record go (default: schedules/records)")
        ->type_name("DIR");
    offer_shard(add("shard", "what shards of a kernel touch and cost, and which split is best", verb_shard), o);
    CLI::App* kernels = add("kernels", "what is built in; with a name, its text", verb_kernels);
    kernels->add_option("NAME", o.arguments, "a built-in kernel")->type_name("");
    kernels->add_flag("--json", o.json, "one JSON document on standard output");
    offer_shape(add("shape", "shapes of an operator's results, forwards and backwards", verb_shape), o);
    CLI::App* ops = add("ops", "the operators of `shape`; with a name, what it takes and gives", verb_ops);
    ops->add_option("NAME", o.arguments, "an operator")->type_name("");
    ops->add_flag("--json", o.json, "one JSON document on standard output");
    ops->add_flag("--markdown", o.markdown, "all of them as docs/operators.md has them");
    return verbs;
}

/// `--set N=1 H=2` is `--set N=1 --set H=2`: what follows such an option and has its form belongs to it.
std::vector<std::string> spread_assignments(const std::vector<std::string>& arguments) {
    static const std::regex assignment("[A-Za-z_][A-Za-z0-9_.]*=.*");
    static const std::vector<std::string> lists = {"--set", "--in", "--out", "--param", "--estimate", "--knob"};
    std::vector<std::string> spread;
    for (std::size_t i = 0; i < arguments.size(); i++) {
        const std::string& option = arguments[i];
        spread.push_back(option);
        if (std::find(lists.begin(), lists.end(), option) == lists.end() || i + 1 == arguments.size()) continue;
        spread.push_back(arguments[++i]);
        while (i + 1 < arguments.size() && std::regex_match(arguments[i + 1], assignment)) {
            spread.push_back(option);
            spread.push_back(arguments[++i]);
        }
    }
    std::reverse(spread.begin(), spread.end());  // as CLI11 wants them
    return spread;
}

int dispatch(const Verbs& verbs, const Options& options) {
    for (const auto& [app, verb] : verbs)
        if (app->parsed()) return verb(options);
    return 2;
}

}  // namespace

namespace {

std::string message_of(const Error& error, const Options& options) {
    // Only what has a place or an equation is a matter of the text.
    const bool of_text = error.at.line > 0 || !error.equation.empty();
    return format(error, of_text ? source_name(options) : "halogen");
}

/// All messages on standard error; with --json also one document on standard output: the first mistake, and where there are
/// several a list of all.
void print_errors(const std::vector<Error>& errors, const Options& options) {
    nlohmann::ordered_json document = {{"status", "error"}};
    for (const Error& error : errors) {
        const std::string message = message_of(error, options);
        fmt::print(stderr, "{}\n", message);
        const nlohmann::ordered_json one = {{"error", to_string(error.kind)}, {"message", message}};
        if (document.size() == 1) document.update(one);
        if (errors.size() > 1) document["errors"].push_back(one);
    }
    if (options.json) fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string version() {
    return fmt::format("halogen {} (Halide {}.{}.{})", HALOGEN_VERSION, HALIDE_VERSION_MAJOR, HALIDE_VERSION_MINOR,
                       HALIDE_VERSION_PATCH);
}

int exit_code(const Error& error) { return error.kind == ErrorKind::usage ? 2 : 1; }

/// Halide's command line says which generator (-g) or runtime (-r) it makes, and begins with an option.
bool is_for_halide(int argc, char** argv) {
    if (argc < 2 || argv[1][0] != '-') return false;
    return std::any_of(argv + 1, argv + argc,
                       [](const char* a) { return !std::strcmp(a, "-g") || !std::strcmp(a, "-r"); });
}

std::string verbs_of(const Verbs& verbs, const std::string& word) {
    std::vector<std::string> names{"help"};
    for (const auto& [app, verb] : verbs) names.push_back(app->get_name());
    const std::string close = nearest(word, names);
    return (close.empty() ? "" : fmt::format("did you mean `{}`? ", close)) + "`halogen help` lists the verbs";
}

/// The first word must be a verb.
void require_verb(const Verbs& verbs, const std::vector<std::string>& arguments) {
    if (arguments.empty()) throw usage("no verb is given", "`halogen help` lists the verbs");
    const std::string& word = arguments.front();
    if (word == "--help" || word == "-h") return;
    for (const auto& [app, verb] : verbs)
        if (app->get_name() == word) return;
    if (word[0] == '-' || std::filesystem::path(word).extension() == ".hgn" || find_builtin(word))
        throw usage(fmt::format("no verb is given before `{}`", word),
                    "put one first, such as `halogen solve`; `halogen help` lists them");
    throw usage(fmt::format("there is no verb `{}`", word), verbs_of(verbs, word));
}

/// CLI11's complaint about the command line of a verb, with the option that may have been meant.
Failure complaint(const Verbs& verbs, const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<std::string> extras = app.remaining(true);
    for (const auto& [verb, ignored] : verbs) {
        if (!verb->parsed()) continue;
        const std::string name = verb->get_name();
        const std::string list = fmt::format("`halogen help {}` lists what it takes", name);
        if (extras.empty()) return usage(error.what(), list);
        std::vector<std::string> options;
        for (const CLI::Option* option : verb->get_options())
            if (!option->get_lnames().empty()) options.push_back("--" + option->get_lnames().front());
        const bool is_option = extras.front()[0] == '-';
        const std::string close = is_option ? nearest(extras.front(), options) : "";
        return usage(
            fmt::format("`{}` takes no {} `{}`", name, is_option ? "option" : "further argument", extras.front()),
            (close.empty() ? "" : fmt::format("did you mean `{}`? ", close)) + list);
    }
    return usage(error.what(), "`halogen help` and `halogen help VERB` show the usage");
}

int run_verb(int argc, char** argv, Options& options) {
    CLI::App app("Index equations in, fast static libraries out.", "halogen");
    app.footer("`halogen help VERB` says what a verb takes; `halogen --version` tells the versions.");
    app.require_subcommand(1);
    const Verbs verbs = offer_verbs(app, options);
    std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments == std::vector<std::string>{"--version"} || arguments == std::vector<std::string>{"-V"}) {
        fmt::print("{}\n", version());
        return 0;
    }
    if (!arguments.empty() && arguments.front() == "help") {  // `help run` is `run --help`
        arguments.erase(arguments.begin());
        arguments.push_back("--help");
    }
    require_verb(verbs, arguments);
    try {
        app.parse(spread_assignments(arguments));
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        throw complaint(verbs, app, error);
    }
    return dispatch(verbs, options);
}

}  // namespace

int run_program(int argc, char** argv) {
    Options options;
    // Before anything can go wrong, so that errors of the command line obey it too.
    for (int i = 1; i < argc; i++) options.json = options.json || std::strcmp(argv[i], "--json") == 0;
    try {
        if (is_for_halide(argc, argv)) return generator_main(argc, argv);
        return run_verb(argc, argv, options);
    } catch (const Failures& failures) {
        print_errors(failures.errors(), options);
        return exit_code(failures.errors().front());
    } catch (const Failure& failure) {
        print_errors({failure.error()}, options);
        return exit_code(failure.error());
    } catch (const std::bad_alloc&) {
        print_errors({{ErrorKind::overflow, "there is not enough memory for the tensors", {}, "", "use smaller sizes"}},
                     options);
        return 1;
    } catch (const std::exception& defect) {
        fmt::print(stderr, "halogen: a defect of Halogen: {}\n  fix  please report it with this command line\n",
                   defect.what());
        return 70;
    }
}

}  // namespace halogen
