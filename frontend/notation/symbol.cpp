#include "frontend/notation/symbol.h"

#include <charconv>

namespace halogen {

namespace {

constexpr char of_tensor = '.', of_equation = '@';

int number_in(const char* first, const char* last) {
    int number = -1;
    const auto [end, error] = std::from_chars(first, last, number);
    return error == std::errc() && end == last && first != last && *first != '-' ? number : -1;
}

}  // namespace

Symbol Symbol::of(const std::string& text) {
    const std::size_t mark = text.find_first_of(".@");
    if (mark == std::string::npos) return {Kind::size, text, -1};
    const int number = number_in(text.data() + mark + 1, text.data() + text.size());
    return {text[mark] == of_tensor ? Kind::dim : Kind::extent, text.substr(0, mark), number};
}

std::string Symbol::text() const {
    if (is_size()) return name;
    return name + (is_dim() ? of_tensor : of_equation) + std::to_string(number);
}

std::string Symbol::shown() const { return is_extent() ? name : text(); }

}  // namespace halogen
