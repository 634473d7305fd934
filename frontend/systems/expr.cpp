#include "frontend/systems/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace halogen {

namespace {

constexpr int deepest = 200;

class Reader {
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
    bool take(const std::string& token) {
        skip_space();
        if (text_.compare(at_, token.size(), token) != 0) return false;
        at_ += token.size();
        return true;
    }
    void expect(const std::string& token) {
        if (!take(token)) fail("`" + token + "`");
    }

    Formula sum() {
        Formula f = product();
        for (;;) {
            if (take("+"))
                f = f + product();
            else if (take("-"))
                f = f - product();
            else
                return f;
        }
    }

    Formula product() {
        Formula f = unary();
        for (;;) {
            if (take("*"))
                f = f * unary();
            else if (take("//") || take("/"))
                f = floor_div(f, unary());
            else if (take("%"))
                f = remainder(f, unary());
            else
                return f;
        }
    }

    Formula unary() {
        if (++depth_ > deepest)
            throw Failure(Error{ErrorKind::too_complex, "the expression is nested too deeply", {}, "", "simplify it"});
        const Formula f = take("-") ? -unary() : primary();
        --depth_;
        return f;
    }

    std::string name() {
        skip_space();
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
        if (begin == at_) fail("a name");
        return text_.substr(begin, at_ - begin);
    }

    Formula primary() {
        skip_space();
        if (take("(")) {
            const Formula f = sum();
            expect(")");
            return f;
        }
        if (take("|")) {
            const std::string n = name();
            expect("|");
            return Formula::symbol(n);
        }
        if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
            std::int64_t value = 0;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
            if (error != std::errc{}) fail("a number below 2^63");
            at_ = static_cast<std::size_t>(end - text_.data());
            return value;
        }
        const std::string n = name();
        if (take("(")) return call(n);
        const bool is_index = names_are_indices_ && !parameters_.contains(n);
        if (is_index) indices_.insert(n);
        return Formula::symbol(is_index ? index_symbol(n) : n);
    }

    Formula call(const std::string& function) {
        const Formula a = sum();
        expect(",");
        Formula result = two(function, a, sum());
        while (take(",")) result = two(function, result, sum());
        expect(")");
        return result;
    }

    Formula two(const std::string& function, const Formula& a, const Formula& b) const {
        if (function == "ceildiv") return ceil_div(a, b);
        if (function == "floordiv") return floor_div(a, b);
        if (function == "mod") return remainder(a, b);
        if (function == "max") return max(a, b);
        if (function == "min") return min(a, b);
        fail("ceildiv, floordiv, mod, max or min");
    }

    const std::string& text_;
    const std::set<std::string>& parameters_;
    bool names_are_indices_;
    std::size_t at_ = 0;
    int depth_ = 0;
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
