#include "frontend/systems/expr.h"

#include "frontend/formula/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace halogen {

namespace {

using Two = Formula (*)(const Formula&, const Formula&);
constexpr std::pair<const char*, Two> functions[] = {
    {"ceildiv", [](const Formula& a, const Formula& b) { return ceil_div(a, b); }},
    {"floordiv", [](const Formula& a, const Formula& b) { return floor_div(a, b); }},
    {"mod", [](const Formula& a, const Formula& b) { return remainder(a, b); }},
    {"max", [](const Formula& a, const Formula& b) { return max(a, b); }},
    {"min", [](const Formula& a, const Formula& b) { return min(a, b); }},
};

class Reader : public FormulaReader {
public:
    Reader(const std::string& text, const std::set<std::string>& parameters, bool names_are_indices)
        : text_(text), parameters_(parameters), names_are_indices_(names_are_indices) {}

    SystemRelation relation() {
        SystemRelation r;
        r.left = sum();
        for (const char* op : {"==", "!=", "<=", ">=", "=", "<", ">"}) {
            if (!take(op)) continue;
            r.relation = op[0] == '=' ? "=" : op;
            r.right = sum();
            break;
        }
        skip_space();
        if (at_ < text_.size()) fail("an operator or the end");
        r.indices = std::move(indices_);
        return r;
    }

private:
    [[noreturn]] void fail(const std::string& expected) const {
        throw Failure(Error{ErrorKind::syntax,
                            fmt::format("column {}: expected {} in `{}`", at_ + 1, expected, text_),
                            {},
                            "",
                            "write sizes as |n|, indices as n"});
    }
    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool in_name() const {
        return at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_');
    }
    bool at_digit() const { return at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); }
    bool take(std::string_view token) override {
        skip_space();
        if (text_.compare(at_, token.size(), token) != 0) return false;
        at_ += token.size();
        if (token == "/" && at_ < text_.size() && text_[at_] == '/') ++at_;  // `//` divides as `/` does
        return true;
    }
    void expect(std::string_view token) override {
        if (!take(token)) fail(fmt::format("`{}`", token));
    }

    std::string name() {
        skip_space();
        const std::size_t begin = at_;
        while (in_name()) ++at_;
        if (begin == at_) fail("a name");
        return text_.substr(begin, at_ - begin);
    }

    std::optional<Function> take_function() override {
        skip_space();
        const std::size_t begin = at_;
        if (!in_name() || at_digit()) return std::nullopt;
        const std::string n = name();
        if (!take("(")) {
            at_ = begin;
            return std::nullopt;
        }
        for (const auto& [known, function] : functions) {
            if (n == known) return function;
        }
        fail("ceildiv, floordiv, mod, max or min");
    }

    Formula leaf() override {
        if (take("|")) {
            const std::string n = name();
            expect("|");
            return Formula::symbol(n);
        }
        skip_space();
        if (at_digit()) {
            std::int64_t value = 0;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
            if (error != std::errc{}) fail("a number below 2^63");
            at_ = static_cast<std::size_t>(end - text_.data());
            return value;
        }
        const std::string n = name();
        const bool is_index = names_are_indices_ && !parameters_.contains(n);
        if (is_index) indices_.insert(n);
        return Formula::symbol(is_index ? index_symbol(n) : n);
    }

    [[noreturn]] void fail_nested() override {
        throw Failure(Error{ErrorKind::too_complex, "the expression is nested too deeply", {}, "", "simplify it"});
    }

    const std::string& text_;
    const std::set<std::string>& parameters_;
    bool names_are_indices_;
    std::size_t at_ = 0;
    std::set<std::string> indices_;
};

}  // namespace

std::vector<std::string> indices_in(const Formula& f) {
    std::vector<std::string> names;
    f.for_each_symbol([&](const std::string& s) {
        if (s[0] == '#') names.push_back(s.substr(1));
    });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

SystemRelation parse_system_relation(const std::string& text, const std::set<std::string>& parameters,
                                     bool names_are_indices) {
    return Reader(text, parameters, names_are_indices).relation();
}

Formula parse_system_expression(const std::string& text, const std::set<std::string>& parameters,
                                bool names_are_indices) {
    const auto r = parse_system_relation(text, parameters, names_are_indices);
    if (!r.relation.empty())
        throw Failure(Error{ErrorKind::syntax,
                            fmt::format("`{}` compares, but a number is wanted here", text),
                            {},
                            "",
                            "give one side"});
    return r.left;
}

}  // namespace halogen
