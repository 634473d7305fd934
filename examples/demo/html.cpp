#include "html.h"

#include <cstdint>
#include <stdexcept>

namespace halogen::demo {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

std::string base64(std::string_view bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; j++)
            group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        for (std::size_t j = 0; j < 4; j++) out += i + j <= bytes.size() ? digits[group >> (18 - 6 * j) & 63] : '=';
    }
    return out;
}

std::string filled(std::string_view form, std::initializer_list<std::pair<std::string_view, std::string>> values) {
    std::string out;
    while (!form.empty()) {
        const auto open = form.find("{{"), close = form.find("}}", open);
        if (open == form.npos || close == form.npos) return out + std::string(form);
        out += form.substr(0, open);
        const auto name = form.substr(open + 2, close - open - 2);
        bool given = false;
        for (const auto& [key, value] : values) {
            if (key != name) continue;
            out += value;
            given = true;
        }
        if (!given) throw std::logic_error("the page's template asks for " + std::string(name));
        form.remove_prefix(close + 2);
    }
    return out;
}

}  // namespace halogen::demo
