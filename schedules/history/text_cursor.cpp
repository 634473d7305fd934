#include "schedules/history/text_cursor.h"

#include "frontend/formula/read.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace halogen {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Formulas as `print` writes them.
class PrintedFormula : public FormulaReader {
public:
    explicit PrintedFormula(TextCursor& text) : text_(text) {}

protected:
    bool take(std::string_view sign) override {
        return !text_.next_is("->") && text_.take(sign);
    }  // an arrow is no minus
    void expect(std::string_view sign) override { text_.expect(sign); }

    std::optional<Function> take_function() override {
        if (!text_.name_then("(")) return std::nullopt;
        const bool least = text_.take("min");
        if (!least && !text_.take("max")) return std::nullopt;
        text_.expect("(");
        if (least) return [](const Formula& a, const Formula& b) { return min(a, b); };
        return [](const Formula& a, const Formula& b) { return max(a, b); };
    }

    Formula leaf() override {
        if (!text_.name_then("")) return text_.integer("a formula");
        std::string name = text_.name("a size");
        if (text_.take(".")) name += "." + std::to_string(text_.integer("a dim"));
        return Formula::symbol(name);
    }

    [[noreturn]] void fail_nested() override {
        text_.fail("the formula is nested too deeply", "write it with fewer brackets");
    }

private:
    TextCursor& text_;
};

}  // namespace

Condition::Term parse_term(TextCursor& text) {
    using Kind = Condition::Term::Kind;
    const auto stride = [&](std::string& tensor) {
        text.expect("stride");
        text.expect("(");
        tensor = text.name("a tensor");
        text.expect(",");
        const auto dim = static_cast<int>(text.integer("a dim"));
        text.expect(")");
        return dim;
    };
    Condition::Term term{Kind::at_least};
    if (text.next_is("apart") && text.name_then("(")) {
        term.kind = Kind::apart;
        for (const char* word : {"apart", "("}) text.expect(word);
        term.tensor = text.name("a tensor");
        text.expect(",");
        term.with = text.name("a tensor");
        text.expect(")");
        return term;
    }
    if (text.next_is("threads") && text.name_then("(")) {
        term.kind = Kind::threads_at_most;
        for (const char* word : {"threads", "(", ")", "<="}) text.expect(word);
        term.other = static_cast<int>(text.integer("a number of threads"));
        return term;
    }
    if (!(text.next_is("stride") && text.name_then("("))) {
        term.left = parse_formula(text);
        text.expect(">=");
        term.right = parse_formula(text);
        return term;
    }
    term.dim = stride(term.tensor);
    if (text.take("==")) {
        term.kind = Kind::stride_is;
        term.other = static_cast<int>(text.integer("a stride"));
        return term;
    }
    text.expect("<");
    term.kind = Kind::stride_below;
    std::string again;
    term.other = stride(again);
    if (again != term.tensor)
        text.fail(fmt::format("two strides of one tensor are compared, here of `{}` and `{}`", term.tensor, again));
    return term;
}

namespace {

Condition parse_terms(TextCursor& text) {
    Condition condition;
    if (text.take("always")) return condition;
    do condition.all.push_back(parse_term(text));
    while (text.take("and"));
    return condition;
}

}  // namespace

void TextCursor::skip() {
    while (next_ < text_.size() && is_space(text_[next_])) next_++;
}

bool TextCursor::at_end() {
    skip();
    return next_ == text_.size();
}

bool TextCursor::next_is(std::string_view sign) {
    skip();
    if (text_.substr(next_, sign.size()) != sign) return false;
    const std::size_t end = next_ + sign.size();
    return !(begins_name(sign.front()) && end < text_.size() && in_name(text_[end]));
}

bool TextCursor::take(std::string_view sign) {
    if (!next_is(sign)) return false;
    next_ += sign.size();
    return true;
}

bool TextCursor::name_then(std::string_view sign) {
    skip();
    std::size_t end = next_;
    if (end == text_.size() || !begins_name(text_[end])) return false;
    while (end < text_.size() && in_name(text_[end])) end++;
    while (!sign.empty() && end < text_.size() && is_space(text_[end])) end++;
    return text_.substr(end, sign.size()) == sign;
}

void TextCursor::expect(std::string_view sign) {
    if (!take(sign)) fail(fmt::format("expected `{}`, found {}", sign, found()));
}

std::string TextCursor::name(std::string_view role) {
    skip();
    if (!name_then("")) fail(fmt::format("expected {}, found {}", role, found()));
    const std::size_t begin = next_;
    while (next_ < text_.size() && in_name(text_[next_])) next_++;
    return std::string(text_.substr(begin, next_ - begin));
}

std::int64_t TextCursor::integer(std::string_view role) {
    skip();
    std::int64_t value = 0;
    const char* const begin = text_.data() + next_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range || value > std::int64_t{1} << 62 || value < -(std::int64_t{1} << 62))
        fail("a number past 2^62", "give a smaller number");
    if (error != std::errc()) fail(fmt::format("expected {}, found {}", role, found()));
    next_ += end - begin;
    return value;
}

std::string TextCursor::rest() {
    skip();
    std::string_view left = text_.substr(next_);
    while (!left.empty() && is_space(left.back())) left.remove_suffix(1);
    next_ = text_.size();
    return std::string(left);
}

std::string TextCursor::found() {
    if (at_end()) return "the end of the line";
    std::size_t end = next_ + 1;
    if (in_name(text_[next_]))
        while (end < text_.size() && in_name(text_[end])) end++;
    return fmt::format("`{}`", text_.substr(next_, end - next_));
}

void TextCursor::fail(const std::string& what, const std::string& fix) {
    skip();
    throw Failure({ErrorKind::syntax, what, position(), {}, fix});
}

Formula parse_formula(TextCursor& text) { return PrintedFormula(text).sum(); }

Condition parse_condition(TextCursor& text) {
    if (!(text.next_is("not") && text.take("not"))) return parse_terms(text);
    text.expect("(");
    Condition condition = parse_terms(text);
    text.expect(")");
    condition.negated = true;
    return condition;
}

}  // namespace halogen
