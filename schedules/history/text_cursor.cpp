#include "schedules/history/text_cursor.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace halogen {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

Formula parse_sum(TextCursor&);

Formula parse_operand(TextCursor& text) {
    if (text.take("(")) {
        const Formula inside = parse_sum(text);
        text.expect(")");
        return inside;
    }
    for (const bool least : {true, false}) {
        if (!text.name_then("(") || !text.take(least ? "min" : "max")) continue;
        text.expect("(");
        const Formula a = parse_sum(text);
        text.expect(",");
        const Formula b = parse_sum(text);
        text.expect(")");
        return least ? min(a, b) : max(a, b);
    }
    if (text.take("-")) return -parse_operand(text);
    if (!text.name_then("")) return text.integer("a formula");
    std::string name = text.name("a size");
    if (text.take(".")) name += "." + std::to_string(text.integer("a dim"));
    return Formula::symbol(name);
}

Formula parse_product(TextCursor& text) {
    Formula value = parse_operand(text);
    for (;;) {
        if (text.take("*"))
            value = value * parse_operand(text);
        else if (text.take("/"))
            value = floor_div(value, parse_operand(text));
        else if (text.take("%"))
            value = remainder(value, parse_operand(text));
        else
            return value;
    }
}

Formula parse_sum(TextCursor& text) {
    Formula value = text.take("-") ? -parse_product(text) : parse_product(text);
    for (;;) {
        if (text.next_is("->")) return value;
        if (text.take("+"))
            value = value + parse_product(text);
        else if (text.take("-"))
            value = value - parse_product(text);
        else
            return value;
    }
}

/// `stride(X, 1) == 4`, `stride(X, 0) < stride(X, 1)`, `apart(X, Y)`, `threads() <= 1`, `N*K >= 64`.
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
        term.left = parse_sum(text);
        text.expect(">=");
        term.right = parse_sum(text);
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

Formula parse_formula(TextCursor& text) { return parse_sum(text); }

Condition parse_condition(TextCursor& text) {
    if (!(text.next_is("not") && text.take("not"))) return parse_terms(text);
    text.expect("(");
    Condition condition = parse_terms(text);
    text.expect(")");
    condition.negated = true;
    return condition;
}

}  // namespace halogen
