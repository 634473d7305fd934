#include "generators/emit/cpp.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

namespace halogen {
namespace {

const std::set<std::string>& keywords() {
    static const std::set<std::string> words{
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
        "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
        "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do",
        "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend",
        "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
        "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires",
        "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template",
        "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
        "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
        // names that generated headers use themselves
        "Int", "Required", "detail", "halogen", "std"};
    return words;
}

std::string cpp_atom(const Formula::Atom& atom, const SymbolText& symbol) {
    const auto call = [&](const char* function) {
        return fmt::format("{}({}, {})", function, cpp(atom.a, symbol), cpp(atom.b, symbol));
    };
    switch (atom.kind) {
    case Formula::Atom::Kind::symbol: return symbol(atom.name);
    case Formula::Atom::Kind::floor_div: return call("floor_div");
    case Formula::Atom::Kind::remainder: return call("remainder");
    case Formula::Atom::Kind::min: return call("min");
    case Formula::Atom::Kind::max: return call("max");
    }
    return {};
}

std::string cpp_monomial(const Formula::Monomial& monomial, std::int64_t magnitude, const SymbolText& symbol) {
    std::string text = magnitude == 1 ? "" : std::to_string(magnitude);
    for (const auto& atom : monomial) text += (text.empty() ? "" : " * ") + cpp_atom(*atom, symbol);
    return text;
}

}  // namespace

std::string cpp_identifier(const std::string& name) {
    std::string out;
    for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(out.begin(), '_');
    if (keywords().count(out)) out += '_';
    return out;
}

std::string cpp_literal(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n')
            out += "\\n";
        else if (c == '"' || c == '\\')
            out += std::string("\\") + c;
        else if (static_cast<unsigned char>(c) < 32)
            out += fmt::format("\\{:03o}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + "\"";
}

std::string cpp(const Formula& formula, const SymbolText& symbol) {
    if (const auto constant = formula.constant()) return fmt::format("Int({})", *constant);
    std::string text;
    // The constant comes last: `H + 2 * P - 1`.
    const auto add = [&](const Formula::Monomial& monomial, std::int64_t factor) {
        const std::string term =
            monomial.empty() ? std::to_string(std::abs(factor)) : cpp_monomial(monomial, std::abs(factor), symbol);
        if (text.empty())
            text = (factor < 0 ? "-" : "") + term;
        else
            text += (factor < 0 ? " - " : " + ") + term;
    };
    for (const auto& [monomial, factor] : formula.terms())
        if (!monomial.empty() && factor > 0) add(monomial, factor);
    for (const auto& [monomial, factor] : formula.terms())
        if (!monomial.empty() && factor < 0) add(monomial, factor);
    for (const auto& [monomial, factor] : formula.terms())
        if (monomial.empty()) add(monomial, factor);
    return text;
}

std::string cpp_broken(const Guard& guard, const std::string& left, const std::string& right,
                       const SymbolText& symbol) {
    const char* relation = guard.relation == Relation::equal     ? "equal"
                           : guard.relation == Relation::at_most ? "less_equal"
                                                                 : "divides";
    std::string text = fmt::format("!{}({}, {})", relation, left, right);
    for (const Formula& extent : guard.over) text += fmt::format(" && !equal({}, 0)", cpp(extent, symbol));
    return text;
}

}  // namespace halogen
