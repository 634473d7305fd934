#include "page.h"

#include "html.h"
#include "page_template.h"
#include "photo.h"
#include "stages.h"
#include "words.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace halogen::demo {
namespace {

std::string data_uri(const Picture& picture) { return "data:image/png;base64," + base64(png_bytes(picture)); }

const NamedPicture* find_picture(const Results& results, const std::string& name) {
    for (const NamedPicture& p : results.pictures) {
        if (p.name == name) return &p;
    }
    return nullptr;
}

std::string pictures_part(const Results& results, const Stage& stage) {
    std::string out = "<div class=\"pictures\">\n";
    for (const Caption& caption : stage.captions) {
        const NamedPicture* p = find_picture(results, caption.picture);
        if (!p) continue;
        out += fmt::format("<figure><img src=\"{}\" alt=\"{}\"><figcaption>{}</figcaption></figure>\n",
                           data_uri(p->picture), escaped(caption.text), escaped(caption.text));
    }
    return out + "</div>\n";
}

std::string kernel_part(const Solved& solved) {
    std::string out;
    std::istringstream lines(solved.text);
    for (std::string line; std::getline(lines, line);) {
        out +=
            (line.rfind('#', 0) == 0 ? "<span class=\"comment\">" + escaped(line) + "</span>" : escaped(line)) + "\n";
    }
    return "<pre>" + out + "</pre>\n";
}

std::string sizes_part(const Call& call, const Solved& solved) {
    std::string given, found;
    for (const SizeFact& s : solved.sizes) {
        if (s.solved) {
            found += fmt::format("<span>{}</span><span>= {}</span><span class=\"value\">{}</span>\n", escaped(s.name),
                                 escaped(s.formula),
                                 s.formula == std::to_string(s.value) ? "" : fmt::format("= {}", s.value));
        } else {
            given += fmt::format("<span title=\"{}\">{} = {}</span>", escaped(s.formula), escaped(s.name), s.value);
        }
    }
    for (const Setting& setting : call.settings) {
        const bool size = std::any_of(solved.sizes.begin(), solved.sizes.end(),
                                      [&](const SizeFact& s) { return s.name == setting.name; });
        if (!size) given += fmt::format("<span>{} = {:g}</span>", escaped(setting.name), setting.value);
    }
    std::string out = "<h4>Sizes given</h4>\n<div class=\"given mono\">" + given + "</div>\n";
    if (!found.empty()) out += "<h4>Sizes solved</h4>\n<div class=\"formulas\">\n" + found + "</div>\n";
    return out;
}

std::string tensors_part(const Solved& solved) {
    std::string out =
        "<h4>Tensors</h4>\n<div class=\"scroll\"><table><thead><tr><th></th><th class=\"left\">extents</th><th "
        "class=\"left\">here</th>"
        "<th class=\"left\">buffer strides</th><th>memory</th></tr></thead><tbody>\n";
    for (const TensorFact& t : solved.tensors) {
        out += fmt::format(
            "<tr><td class=\"mono\">{}</td><td class=\"mono left\">{}[{}]</td><td class=\"mono left\">{}</td><td "
            "class=\"mono left\">{}</td><td>{}</td></tr>\n",
            escaped(t.name), t.type, escaped(list_text(t.formulas)),
            t.extents.empty() ? "one number" : list_text(t.extents),
            t.strides.empty() ? "<span class=\"soft\">" + t.role + "</span>" : list_text(t.strides),
            bytes_text(t.bytes));
    }
    return out + "</tbody></table></div>\n";
}

std::string access_row(const AccessFact& access, std::size_t indices) {
    std::string row = fmt::format(
        "<tr><td class=\"mono left\">{}{}</td>", escaped(access.text),
        access.count > 1 ? fmt::format("<span class=\"formula\">and {} more beside it</span>", access.count - 1) : "");
    if (!access.affine)
        return row + fmt::format("<td class=\"left soft\" colspan=\"{}\">where the data says</td></tr>\n", indices + 1);
    for (std::size_t i = 0; i < access.strides.size(); i++) {
        const std::string number = std::to_string(access.strides[i]), formula = access.formulas[i];
        if (access.strides[i] == 0)
            row += "<td class=\"soft\">·</td>";
        else
            row += fmt::format(
                "<td>{}{}</td>", number,
                formula == number ? "" : fmt::format("<span class=\"formula mono\">{}</span>", escaped(formula)));
    }
    return row + fmt::format("<td>{}</td></tr>\n", offset_text(access));
}

std::string equation_part(const EquationFact& equation, bool with_text) {
    std::string out = with_text ? "<p class=\"mono equation\">" + escaped(equation.text) + "</p>\n" : "";
    out += "<div class=\"scroll\"><table><thead><tr><th></th>";
    for (const IndexFact& index : equation.indices) {
        out += fmt::format(
            "<th class=\"mono\">{}<span class=\"formula\">{}:{}{}</span><span class=\"formula\">{}</span></th>",
            escaped(index.name), escaped(index.begin), escaped(index.end), index.reduced ? ", reduced" : "",
            numeric_range_text(index));
    }
    out += "<th>offset</th></tr></thead><tbody>\n";
    for (const AccessFact& access : equation.accesses) out += access_row(access, equation.indices.size());
    return out + "</tbody></table></div>\n";
}

std::string strides_part(const Solved& solved) {
    const bool several = solved.equations.size() > 1;
    std::string out = "<h4>Strides per loop, in elements</h4>\n";
    if (several) out += "<div class=\"facts\">\n";
    for (const EquationFact& equation : solved.equations)
        out += "<div>" + equation_part(equation, several) + "</div>\n";
    return several ? out + "</div>\n" : out;
}

std::string guards_part(const Solved& solved) {
    if (solved.guards.empty())
        return "<h4>Guards</h4>\n<p class=\"small soft\">None: the kernel takes every size.</p>\n";
    std::string out = "<h4>Guards, checked on entry</h4>\n<ul class=\"guards\">\n";
    for (const GuardFact& g : solved.guards) {
        out += fmt::format("<li>{}<span class=\"mono\">{}</span> <span class=\"soft small\">{}{}</span></li>\n",
                           g.holds ? "<span class=\"yes\">✓</span>" : "<span class=\"no\">✗</span>", escaped(g.text),
                           g.text == g.numbers ? "" : "&nbsp; here " + escaped(g.numbers),
                           g.reason.empty() ? "" : "; " + escaped(g.reason));
    }
    return out + "</ul>\n";
}

std::string ratio_part(double ratio) {
    return fmt::format("<span class=\"ratio{}\">{}</span>", ratio >= 1 ? " ahead" : "", ratio_text(ratio));
}

std::string bar_row(const Call& call, const char* threads, bool ours, double ns, double slowest) {
    return fmt::format(
        "<span class=\"soft\">{}</span><span>{}</span><div class=\"bar{}\" "
        "style=\"width:{:.1f}%\"></div><span>{}</span><span class=\"soft\">{}</span>\n",
        threads, ours ? "Halogen" : "Eigen", ours ? " ours" : "", 100 * ns / slowest, time_text(ns),
        speed_text(call, ns));
}

std::string times_part(const Call& call) {
    const double slowest = std::max({call.one.halogen_ns, call.one.eigen_ns, call.two.halogen_ns, call.two.eigen_ns});
    std::string out = "<h4>Result and time</h4>\n";
    out += fmt::format("<p class=\"small\"><span class=\"{}\">{}</span>{}</p>\n<div class=\"bars\">\n",
                       call.agrees() ? "yes" : "no", call.agrees() ? "✓" : "✗", escaped(agreement_text(call)));
    out += bar_row(call, "1 thread", true, call.one.halogen_ns, slowest) +
           bar_row(call, "", false, call.one.eigen_ns, slowest) + "<div class=\"gap\"></div>";
    out += bar_row(call, "2 threads", true, call.two.halogen_ns, slowest) +
           bar_row(call, "", false, call.two.eigen_ns, slowest);
    return out + fmt::format(
                     "</div>\n<p class=\"small soft\" style=\"margin-top:8px\">Halogen is {} times as fast on one "
                     "thread, {} on two. Eigen: {}.</p>\n",
                     ratio_part(call.one.ratio()), ratio_part(call.two.ratio()), escaped(call.eigen));
}

/// All that the solver found.
std::string facts_part(const Call& call, const Solved& solved) {
    return "<div class=\"facts uneven\">\n<div>\n" + sizes_part(call, solved) + guards_part(solved) +
           "</div>\n<div>\n" + tensors_part(solved) + "</div>\n</div>\n" + strides_part(solved);
}

/// The kernel and how it did; what the solver found is below it.
std::string head_part(const Call& call, const Solved& solved) {
    return fmt::format("<h3><code>{}</code></h3>\n", escaped(call.kernel)) + kernel_part(solved) + times_part(call);
}

std::string stage_part(const Results& results, const std::vector<Solved>& solved, const Stage& stage,
                       std::size_t number) {
    const std::string title = fmt::format("<h2><span class=\"number\">{}</span>{}</h2>\n<p>{}</p>\n", number,
                                          escaped(stage.title), escaped(stage.text));
    const std::string pictures = pictures_part(results, stage);
    std::vector<std::size_t> calls;
    for (std::size_t i = 0; i < results.calls.size(); i++) {
        if (results.calls[i].stage == stage.id) calls.push_back(i);
    }
    if (calls.size() == 1) {
        const Call& call = results.calls[calls[0]];
        const Solved& facts = solved[calls[0]];
        return "<section>\n<div class=\"top\"><div>\n" + title + head_part(call, facts) + "</div>\n" + pictures +
               "</div>\n" + facts_part(call, facts) + "</section>\n";
    }
    std::string out =
        fmt::format("<section class=\"{}\">\n", stage.captions.size() > 1 ? "pair" : "wide") + title + pictures;
    for (const std::size_t i : calls)
        out += head_part(results.calls[i], solved[i]) + facts_part(results.calls[i], solved[i]);
    return out + "</section>\n";
}

std::string time_cell(const Call& call, double ns) {
    return fmt::format("<td>{}<span class=\"formula\">{}</span></td>", time_text(ns), speed_text(call, ns));
}

std::string number_text(double value) { return value == 0 ? "0" : fmt::format("{:.2g}", value); }

std::string summary_part(const Results& results) {
    std::string out =
        "<table class=\"summary\"><thead><tr class=\"groups\"><th></th><th colspan=\"3\">1 thread</th><th "
        "colspan=\"3\">2 threads</th><th></th></tr>"
        "<tr><th></th><th>Halogen</th><th>Eigen</th><th>ratio</th><th>Halogen</th><th>Eigen</th><th>ratio</"
        "th><th>largest difference</th></tr></thead><tbody>\n";
    for (const Call& c : results.calls) {
        out += fmt::format(
            "<tr><td class=\"mono\">{}<span class=\"formula\">{}</span></td>{}{}<td>{}</td>{}{}<td>{}</td><td>{}<span "
            "class=\"formula\">allowed {}</span></td></tr>\n",
            escaped(c.kernel), input_text(c), time_cell(c, c.one.halogen_ns), time_cell(c, c.one.eigen_ns),
            ratio_part(c.one.ratio()), time_cell(c, c.two.halogen_ns), time_cell(c, c.two.eigen_ns),
            ratio_part(c.two.ratio()), number_text(c.difference), number_text(c.bound));
    }
    return out + "</tbody></table>\n";
}

}  // namespace

std::string page(const Results& results, const std::vector<Solved>& solved) {
    std::string parts;
    for (std::size_t i = 0; i < stages().size(); i++) parts += stage_part(results, solved, stages()[i], i + 1);
    const Picture& photo = find_picture(results, "photo")->picture;
    return filled(page_template, {{"width", std::to_string(photo.width)},
                                  {"height", std::to_string(photo.height)},
                                  {"processor", escaped(processor_name())},
                                  {"leg", escaped(results.setup.leg)},
                                  {"eigen", escaped(results.setup.eigen)},
                                  {"compiler", escaped(results.setup.compiler)},
                                  {"flags", escaped(results.setup.flags)},
                                  {"photo", data_uri(photo)},
                                  {"summary", summary_part(results)},
                                  {"stages", parts}});
}

}  // namespace halogen::demo
