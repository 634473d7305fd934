#include "frontend/shapes/signature.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>

namespace halogen::shapes {

namespace {

using Sort = Slot::Sort;

// clang-format off
constexpr std::pair<std::string_view, Sort> sorts[] = {
    {"tensor",  Sort::tensor},
    {"floats",  Sort::floats},
    {"wholes",  Sort::wholes},
    {"index",   Sort::index},
    {"mask",    Sort::mask},
    {"tensors", Sort::tensors},
    {"indices", Sort::indices},
    {"int",     Sort::integer},
    {"ints",    Sort::integers},
    {"number",  Sort::number},
    {"numbers", Sort::numbers},
    {"bool",    Sort::flag},
    {"text",    Sort::text},
};
constexpr std::pair<std::string_view, TypeRule> type_rules[] = {
    {"same",    TypeRule::first},
    {"promote", TypeRule::promoted},
    {"bool",    TypeRule::boolean},
    {"i64",     TypeRule::i64},
};
// clang-format on

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// The part before `mark`, and what follows it; `text` keeps the latter.
std::string_view take_until(std::string_view& text, std::string_view mark) {
    const std::size_t end = std::min(text.find(mark), text.size());
    const std::string_view part = trim(text.substr(0, end));
    text = trim(text.substr(std::min(end + mark.size(), text.size())));
    return part;
}

template<typename Table>
auto look_up(const Table& table, std::string_view word) {
    const auto at =
        std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.first == word; });
    assert(at != std::end(table));
    return at->second;
}

/// "null", "true", "1", "[1]", "0.5", "same".
Argument parse_standard(std::string_view text) {
    if (text == "null") return {};
    if (text == "true" || text == "false") return {text == "true"};
    if (text.front() == '[') {
        std::vector<Argument> list;
        for (std::string_view items = text.substr(1, text.size() - 2); !items.empty();)
            list.push_back(parse_standard(take_until(items, " ")));
        return {list};
    }
    std::int64_t whole = 0;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, whole).ptr == end) return {Formula(whole)};
    double real = 0;
    if (std::from_chars(text.data(), end, real).ptr == end) return {real};
    return {std::string(text)};
}

Slot parse_slot(std::string_view text) {
    Slot slot;
    std::string_view rest = text;
    slot.name = take_until(rest, ":");
    std::string_view sort = take_until(rest, "=");
    slot.nullable = sort.back() == '?';
    if (slot.nullable) sort.remove_suffix(1);
    slot.sort = look_up(sorts, sort);
    if (!rest.empty()) slot.standard = parse_standard(rest);
    if (slot.nullable && !slot.standard) slot.standard = Argument{};
    return slot;
}

int weight(Type t) { return t == Type::boolean ? 0 : is_integer(t) ? 1 : 2; }

}  // namespace

bool is_tensor(Sort sort) {
    switch (sort) {
    case Sort::tensor:
    case Sort::floats:
    case Sort::wholes:
    case Sort::index:
    case Sort::mask: return true;
    default: return false;
    }
}

std::string to_string(Sort sort) {
    for (const auto& [word, value] : sorts) {
        if (value == sort) return std::string(word);
    }
    return "";
}

const Slot* Signature::find(std::string_view name) const {
    const auto at = std::find_if(slots.begin(), slots.end(), [&](const Slot& s) { return s.name == name; });
    return at == slots.end() ? nullptr : &*at;
}

Signature parse_signature(std::string_view text) {
    Signature signature;
    std::string_view results = text, slots = take_until(results, "->");
    while (!slots.empty()) signature.slots.push_back(parse_slot(take_until(slots, ",")));
    if (!results.empty()) signature.results.clear();
    while (!results.empty()) signature.results.push_back(look_up(type_rules, take_until(results, ",")));
    return signature;
}

Type promote(Type a, Type b) {
    if (a == b) return a;
    if (weight(a) != weight(b)) return weight(a) < weight(b) ? b : a;
    if (bytes_of(a) != bytes_of(b)) return bytes_of(a) < bytes_of(b) ? b : a;
    return is_float(a) ? Type::f32 : is_signed(a) ? a : b;  // f16 with bf16; signed with unsigned
}

}  // namespace halogen::shapes
