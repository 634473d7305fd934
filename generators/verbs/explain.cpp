// halogen explain: what Halogen knows of a kernel.

#include "frontend/notation/symbol.h"
#include "frontend/project/shard_report.h"
#include "frontend/solve/access_form.h"
#include "frontend/solve/proof.h"
#include "frontend/solve/report.h"
#include "frontend/solve/solve.h"
#include "frontend/solve/view.h"
#include "generators/files/output.h"
#include "generators/run/executor.h"
#include "generators/run/loop_nest.h"
#include "generators/run/with_halide.h"
#include "generators/run/work.h"
#include "generators/verbs/cli.h"
#include "generators/verbs/explain_html.h"
#include "generators/verbs/history_file.h"
#include "generators/verbs/page.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/plain.h"
#include "schedules/bind/shadow.h"
#include "schedules/history/replay.h"
#include "schedules/nest/print.h"
#include "schedules/recipes/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace halogen {

namespace {

std::string indented(const std::string& text, const std::string& by) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) result += by + line + "\n";
    return result;
}

/// Where a solved size has a name, its name instead of its formula: `OH` reads better than what it stands for.
Solution with_names(Solution solution) {
    std::map<Formula, std::string> names;
    for (const auto& [name, formula] : solution.sizes)
        if (!formula.is_constant() && !formula.as_symbol()) names.emplace(formula, name);
    const auto rename = [&](Formula& f) {
        if (const auto found = names.find(f); found != names.end()) f = Formula::symbol(found->second);
    };
    for (auto& [tensor, extents] : solution.extents)
        for (Formula& e : extents) rename(e);
    for (auto& ranges : solution.indices)
        for (auto& [index, range] : ranges) rename(range.extent);
    return solution;
}

/// The history, a line for each step, with the shadow nest and what it does wherever a step changes them. Sizes must be known.
std::string stepwise(const Kernel& kernel, const Solution& open, const History& history, const Settings& sizes) {
    constexpr std::int64_t most_points = 200'000;  // counted once a step
    std::vector<std::string> steps;
    each_step(history.steps, [&](const Step& step) { steps.push_back(print(step)); });
    std::string text, nest;
    for (int count = 0; count <= static_cast<int>(steps.size()); count++) {
        const auto run = run_shadow(kernel, open, prefix(history, count), sizes, most_points);
        if (!run) return print(history) + "# " + run.error().what + "; " + run.error().fix + "\n";
        if (count) text += steps[count - 1] + "\n";
        const std::string now = print(run.value().nest);
        if (now == nest) continue;
        nest = now;
        text += "  # " + print(effect_of(run.value().nest, run.value().sizes)) + "\n" + indented(nest, "  #   ");
    }
    return text;
}

/// How a compiled library serves buffers that are not row-major.
std::string order_lines(const BufferOrders& orders, bool given) {
    const bool follows = !orders.reversed && !orders.rows_only && orders.densely.empty();
    if (given || follows) return "  any order     its history\n";
    const std::string columns = orders.reversed    ? "the history of the kernel with its dims reversed"
                                : orders.rows_only ? "copied first"
                                                   : "its history";
    const std::string mixed = orders.densely.empty() ? "its history"
                                                     : fmt::format("{} copied where they lie otherwise than most",
                                                                   fmt::join(orders.densely, ", "));
    return fmt::format("  row-major     its history\n  column-major  {}\n  mixed         {}\n", columns, mixed);
}

/// What a variant asks for, and what known sizes say to it.
struct ExplainedVariant {
    std::string name, when, verdict;
    bool way = false;  // through the branches of another
};

/// Whether a fact of strides holds for dense buffers, apart; nothing where sizes are open, and of threads.
std::optional<bool> holds(const Condition::Term& place, const Solution& numbers) {
    if (place.kind == Condition::Term::Kind::apart) return true;
    if (place.kind == Condition::Term::Kind::threads_at_most) return std::nullopt;
    const auto stride = [&](int dim) { return dense_stride(numbers.extents.at(place.tensor), dim); };
    const bool equal = place.kind == Condition::Term::Kind::stride_is;
    const auto beyond = (stride(place.dim) - (equal ? Formula(place.other) : stride(place.other))).constant();
    if (beyond) return equal ? *beyond == 0 : *beyond < 0;
    return !equal && place.dim < place.other ? std::optional(false) : std::nullopt;  // not below what lies inside of it
}

/// `numbers`: the kernel solved with the sizes that are known. A call of these sizes with dense buffers takes the first that holds.
std::vector<ExplainedVariant> explained(const std::vector<Variant>& variants, const Solution& numbers) {
    std::vector<ExplainedVariant> lines;
    bool served = false, open = false;
    for (const Variant& variant : variants) {
        std::string broken;
        bool undecided = false;
        for (const CallFact& fact : variant.when) {
            if (fact.kind == CallFact::Kind::dense) continue;
            if (fact.kind == CallFact::Kind::place) {
                const auto known = holds(fact.place, numbers);
                undecided = undecided || !known;
                if (known == false && broken.empty()) broken = print(fact);
                continue;
            }
            const auto slack = (fact.right - fact.left).substitute(numbers.sizes).constant();
            undecided = undecided || !slack;
            const bool holds = slack && (fact.kind == CallFact::Kind::equal ? *slack == 0 : *slack >= 0);
            if (slack && !holds && broken.empty()) broken = print(fact);
        }
        std::string verdict = !broken.empty() ? fmt::format("not here: {}", broken) : "";
        if (broken.empty() && !undecided && !served && !open) verdict = "serves dense buffers here";
        open = open || (broken.empty() && undecided);
        served = served || (broken.empty() && !undecided);
        lines.push_back({called(variant), variant.when.empty() ? "every call" : print(variant.when), verdict,
                         !variant.way.empty()});
    }
    return lines;
}

struct Explanation {
    const Kernel& kernel;
    const Solution solution;  // with_names
    const std::vector<AccessForm> accesses;
    const std::vector<InBounds> bounds;
    const std::vector<TensorView> views;
    const std::string orders;
    const std::vector<ExplainedVariant> variants;  // none where a history is given
    std::string history, nest;

    /// Nothing where one schedule serves every call. Of ways only that which serves is told unless `all` are asked for.
    std::string variant_lines(bool all) const {
        if (variants.size() < 2) return "";
        std::string text = "\nvariants\n";
        int others = 0;
        for (const ExplainedVariant& v : variants) {
            const bool told = all || !v.way || v.verdict.starts_with("serves");
            others += !told;
            if (told)
                text += fmt::format("  {:<12}  {}{}\n", v.name, v.when, v.verdict.empty() ? "" : "; " + v.verdict);
        }
        if (others) text += fmt::format("  and {} for ways through their branches: shown by --all\n", others);
        return text;
    }

    std::string size_lines(bool all) const {
        std::string text;
        for (const auto& [name, formula] : solution.sizes) {
            if (!all && Symbol::of(name).is_dim()) continue;  // the tensor's own line tells it
            const bool open = formula == Formula::symbol(name);
            const bool parameter = open && kernel.find_size(name);
            text += fmt::format("  {:<12} {}\n", name,
                                open ? (parameter ? "a parameter" : "from the inputs") : print(formula));
        }
        for (const Tensor& t : kernel.tensors) {
            std::string extents;
            for (const Formula& e : solution.extents.at(t.name)) extents += (extents.empty() ? "" : ", ") + print(e);
            text += fmt::format("  {:<12} {}[{}]{}\n", t.name, to_string(t.type), extents,
                                t.role == Role::intermediate ? "  intermediate" : "");
        }
        return text;
    }

    std::string equation_lines(int number, bool all) const {
        const Equation& equation = kernel.equations[number];
        std::string text = fmt::format("  {}\n", equation.text.empty() ? print(equation) : equation.text);
        text +=
            fmt::format("    {}; {} operations per point, {} in all\n", to_string(classify(kernel, solution, number)),
                        operations_per_point(equation), print(operations(kernel, solution, number)));
        std::string ranges;
        for (const std::string& name : indices_of(equation))
            ranges += (ranges.empty() ? "" : ", ") + print_range(name, solution.indices[number].at(name));
        if (!ranges.empty()) text += fmt::format("    {}\n", ranges);
        if (!all) return text;
        for (const AccessForm& a : accesses)
            if (a.equation == number)
                text += fmt::format("    {:<7} {}: {}\n", a.is_left ? "writes" : "reads", a.text, print_address(a));
        return text;
    }

    /// In a screenful, what does not hold for all sizes by itself: conditions, checks at run time, proofs that are missing.
    std::string bounds_lines(bool all) const {
        using Verdict = InBounds::Verdict;
        std::string text;
        std::size_t exact = 0, proved = 0;
        for (const InBounds& p : bounds) {
            exact += p.verdict == Verdict::exact ? 1 : 0;
            proved += p.verdict == Verdict::proved ? 1 : 0;
            if (all || (p.verdict != Verdict::exact && p.verdict != Verdict::proved)) text += "  " + print(p) + "\n";
        }
        for (const int e : solution.may_meet)
            text += fmt::format("  {}: that no two points meet is checked when the kernel runs\n",
                                print(Expr(ExprNode{kernel.equations.at(static_cast<std::size_t>(e)).left})));
        if (all) return text;
        if (exact > 0)
            text +=
                fmt::format("  in {} of {} dims of accesses an index runs over just that dim\n", exact, bounds.size());
        if (proved > 0)
            text += fmt::format("  in {} of {} every place lies inside for all sizes\n", proved, bounds.size());
        return text;
    }

    /// What is known in a screenful, or `all` of it.
    std::string text(bool all) const {
        std::string text = "kernel\n" + indented(print(kernel), "  ") + "\nsizes\n" + size_lines(all) + "\nequations\n";
        for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) text += equation_lines(e, all);
        for (const TensorView& v : views) text += (&v == &views.front() ? "\nviews\n  " : "  ") + print(v) + "\n";
        text += "\nguards\n";
        for (const Guard& g : solution.guards) text += fmt::format("  {}    {}\n", print(g), g.reason);
        if (solution.guards.empty()) text += "  none\n";
        text += "\nbounds\n" + bounds_lines(all);
        Formula total;
        for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++)
            total = total + operations(kernel, solution, e);
        text += fmt::format("\nwork\n  operations  {}\n  bytes       {}\n", print(total),
                            print(bytes_moved(kernel, solution)));
        text += variant_lines(all);
        text += "\nbuffers\n" + orders;
        if (all) return text + "\nhistory\n" + indented(history, "  ") + "\nloop nest\n" + indented(nest, "  ");
        return text + fmt::format("\nhistory       {} lines; loop nest {} lines: shown by --all\n",
                                  std::count(history.begin(), history.end(), '\n'),
                                  std::count(nest.begin(), nest.end(), '\n'));
    }

    nlohmann::ordered_json json() const {
        nlohmann::ordered_json document = {
            {"status", "ok"}, {"kernel", kernel.name}, {"equations", nlohmann::json::array()}};
        for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) {
            nlohmann::ordered_json entry = {{"text", print(kernel.equations[e])},
                                            {"class", to_string(classify(kernel, solution, e))},
                                            {"operations", print(operations(kernel, solution, e))}};
            for (const std::string& name : indices_of(kernel.equations[e])) {
                const IndexRange& r = solution.indices[e].at(name);
                entry["indices"][name] = {{"min", print(r.min)}, {"extent", print(r.extent)}, {"reduced", r.reduced}};
            }
            for (const AccessForm& a : accesses) {
                if (a.equation != e) continue;
                nlohmann::ordered_json access = {{"access", a.text}, {"left", a.is_left}, {"affine", a.affine}};
                if (a.affine) access["offset"] = print(a.offset);
                for (const auto& [index, stride] : a.strides) access["strides"][index] = print(stride);
                entry["accesses"].push_back(access);
            }
            document["equations"].push_back(entry);
        }
        document["sizes"] = nlohmann::json::object();
        for (const auto& [name, formula] : solution.sizes) document["sizes"][name] = print(formula);
        document["guards"] = nlohmann::json::array();
        for (const Guard& g : solution.guards) document["guards"].push_back(print(g));
        document["bounds"] = nlohmann::json::array();
        for (const InBounds& p : bounds) {
            nlohmann::ordered_json proof = {{"access", p.access},
                                            {"dim", p.dim},
                                            {"proved", p.verdict != InBounds::Verdict::missing},
                                            {"by", to_string(p.verdict)},
                                            {"text", print(p)}};
            for (const Guard& g : p.guards)
                proof[p.verdict == InBounds::Verdict::missing ? "missing" : "guards"].push_back(print(g));
            document["bounds"].push_back(proof);
        }
        document["bytes"] = print(bytes_moved(kernel, solution));
        for (const ExplainedVariant& v : variants) {
            nlohmann::ordered_json entry = {{"name", v.name}, {"when", v.when}};
            if (!v.verdict.empty()) entry["verdict"] = v.verdict;
            document["variants"].push_back(entry);
        }
        document["history"] = history;
        document["loop_nest"] = nest;
        return document;
    }
};

std::string shown_sizes(const Kernel& kernel, const Solution& numbers) {
    std::string text = sizes_text(numbers);
    for (const Tensor* t : kernel.outputs()) {
        std::vector<std::string> extents;
        for (const Formula& e : numbers.extents.at(t->name)) extents.push_back(print(e));
        text += fmt::format("{}{}[{}]", text.empty() ? "" : "; ", t->name, fmt::join(extents, ", "));
    }
    return text;
}

/// All that is known in text, and what can be drawn of it.
std::string explained_page(const Kernel& kernel, const Explanation& explanation, const Solution& shown,
                           const Settings& known) {
    const std::string all = explanation.text(true), mark = "\nhistory\n";
    const auto history = all.find(mark);
    std::string body = sections_as_html(all.substr(0, history));
    body += "<h2>strides per loop</h2>\n" + stride_tables(kernel, explanation.accesses);
    if (const auto numbers = with_example_sizes(kernel, known)) {
        const std::string sizes = "<p>" + html_text(shown_sizes(kernel, *numbers)) + "</p>\n";
        body += "<h2>index space and projections, drawn</h2>\n" + sizes + projection_drawings(kernel, *numbers) +
                "<h2>cost, drawn</h2>\n" + sizes + cost_drawing(kernel, *numbers);
    }
    body += sections_as_html("projections\n" + report_projections(kernel, shown) + "\nwhat a split does\n" +
                             report_roles(kernel, shown) + all.substr(history, all.find("\nloop nest\n") - history));
    return page(kernel.name.empty() ? "kernel" : kernel.name,
                body + "<h2>loop nest</h2>\n" + nest_drawing(explanation.nest));
}

}  // namespace

int verb_explain(const Options& options) {
    const Kernel kernel = load_kernel(options);
    const Leg& leg = named_leg(options.leg);
    const Settings known = parse_settings(options.set);
    // The schedule is that of the kernel as it is compiled, with all sizes open that may be; the formulas obey --set.
    const Solution open = solve_open(kernel, known);
    const Solution shown = known.empty() ? open : solve(kernel, known).value();
    const auto given = load_history(options, kernel, &leg);
    const Variant variant = given ? given->variant : chosen_variant(kernel, open, leg, options);
    const Form form = form_of(kernel, open, variant);
    History history;
    std::string nest;
    const auto bind_with = [&](const History& tried) {
        history = tried;
        BoundKernel bound = with_halide([&] { return bind(form.kernel, form.solution, tried); }).value();
        nest = with_halide([&] { return loop_nest(bound.pipeline); });
        return bound;
    };
    bool plain = false;
    const auto wanted = [&] { return schedule_of(kernel, form, variant, leg); };
    const BoundKernel bound =
        given ? bind_with(*given) : with_fitting_schedule(form.kernel, form.solution, wanted, plain, bind_with);
    const bool steps_are_shown = !options.set.empty() && (options.all || options.json || !options.html.empty());
    const Explanation explanation{
        kernel,
        with_names(shown),
        access_forms(kernel, shown),
        prove_in_bounds(kernel, shown),
        views(kernel, shown),
        order_lines(buffer_orders(kernel, open), given.has_value()),
        given ? std::vector<ExplainedVariant>() : explained(variants_of(kernel, open, leg, wishes_of(options)), shown),
        steps_are_shown ? stepwise(form.kernel, form.solution, history, known) : print(history),
        nest};
    if (!options.html.empty()) {
        OutputFile file(options.html);
        file.write(explained_page(kernel, explanation, shown, known));
        file.commit();
        return 0;
    }
    if (options.json)
        fmt::print("{}\n", explanation.json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    else
        fmt::print("{}", explanation.text(options.all));
    return 0;
}

}  // namespace halogen
