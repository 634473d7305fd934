#include "frontend/base/error.h"

#include <fmt/format.h>

namespace halogen {

std::string to_string(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::syntax: return "syntax";
    case ErrorKind::name: return "name";
    case ErrorKind::type: return "type";
    case ErrorKind::rank: return "rank";
    case ErrorKind::contradictory: return "contradictory";
    case ErrorKind::non_integer: return "non_integer";
    case ErrorKind::negative: return "negative";
    case ErrorKind::underdetermined: return "underdetermined";
    case ErrorKind::too_complex: return "too_complex";
    case ErrorKind::overflow: return "overflow";
    case ErrorKind::index: return "index";
    case ErrorKind::alias: return "alias";
    case ErrorKind::schedule: return "schedule";
    case ErrorKind::io: return "io";
    case ErrorKind::target: return "target";
    case ErrorKind::usage: return "usage";
    }
    return "unknown";
}

std::string format(const Error& error, const std::string& file) {
    std::string text = file;
    if (error.at.line > 0) text += fmt::format(":{}:{}", error.at.line, error.at.column);
    if (!text.empty()) text += ": ";
    text += error.what;
    if (!error.equation.empty()) text += "\n  at   " + error.equation;
    if (!error.fix.empty()) text += "\n  fix  " + error.fix;
    return text;
}

}  // namespace halogen
