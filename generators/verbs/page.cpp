#include "generators/verbs/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace halogen {

namespace {

const char* const style = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; background: #fff }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em; border-top: 1px solid #ccc; padding-top: 1em }
pre, code, td, th { font-family: ui-monospace, monospace; font-size: 13px }
pre { background: #f5f5f5; padding: .6em .9em; overflow-x: auto }
table { border-collapse: collapse; margin: .6em 0 } td, th { padding: .15em .9em .15em 0; text-align: right; font-weight: normal }
th { color: #666; border-bottom: 1px solid #ccc } td:first-child, th:first-child { text-align: left }
.tensors { display: flex; flex-wrap: wrap; gap: 1.6em; align-items: flex-end; margin: 1em 0 }
figure { margin: 0 } figcaption { font-size: 13px; color: #444; max-width: 20em }
.swatch { display: inline-block; width: .8em; height: .8em }
.bars td { white-space: nowrap }
.bars td:nth-child(2) { text-align: right }
.bar { text-align: left }
.bar span { display: inline-block; height: .8em; background: hsl(210 60% 55%) }
.strides td { padding: .15em .7em; border: 1px solid #ddd }
.still { color: #999 }
.next { background: hsl(120 45% 86%) }
.far { background: hsl(40 85% 88%) }
.data { background: hsl(0 70% 92%) }
.nest { font-size: 13px }
.nest div { border-left: 4px solid #bbb; margin: .15em 0 .15em .2em; padding-left: .7em }
.nest p { margin: .1em 0; font-family: ui-monospace, monospace }
.nest b { font-weight: normal; font-family: ui-monospace, monospace }
.nest .for { border-color: hsl(210 60% 55%) }
.nest .parallel { border-color: hsl(0 65% 55%); background: hsl(0 65% 97%) }
.nest .vectorized { border-color: hsl(120 45% 45%); background: hsl(120 45% 95%) }
.nest .unrolled { border-color: hsl(280 45% 60%); background: hsl(280 45% 96%) }
.nest .part { border-color: #ddd }
)";

}  // namespace

std::string html_text(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '&': escaped += "&amp;"; break;
        case '"': escaped += "&quot;"; break;
        default: escaped += c;
        }
    }
    return escaped;
}

std::string page(const std::string& title, const std::string& body) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta "
        "charset=\"utf-8\"><title>{0}</title><style>{1}</style>\n<h1>{0}</h1>\n{2}</html>\n",
        html_text(title), style, body);
}

std::string grouped(std::string digits) {
    for (int at = static_cast<int>(digits.size()) - 3; at > (digits[0] == '-' ? 1 : 0); at -= 3) digits.insert(at, " ");
    return digits;
}

std::string sections_as_html(const std::string& text) {
    std::istringstream lines(text);
    std::string html, block;
    const auto close = [&] {
        while (!block.empty() && block.back() == '\n') block.pop_back();
        if (!block.empty()) html += "<pre>" + html_text(block) + "</pre>\n";
        block.clear();
    };
    for (std::string line; std::getline(lines, line);) {
        const bool heading = !line.empty() && line[0] != ' ';
        if (!heading) {
            block += line.substr(std::min<std::size_t>(line.size(), 2)) + "\n";
            continue;
        }
        close();
        html += "<h2>" + html_text(line) + "</h2>\n";
    }
    close();
    return html;
}

}  // namespace halogen
