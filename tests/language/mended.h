#pragma once
// What becomes of a text when the proposal of an error's `fix` line is followed to the letter.

#include "frontend/base/error.h"

#include <cctype>
#include <optional>
#include <regex>
#include <string>

namespace halogen::testing {

inline std::size_t offset_of(const std::string& text, Position at) {
    std::size_t begin = 0;
    for (int line = 1; line < at.line; line++) begin = text.find('\n', begin) + 1;
    return begin + static_cast<std::size_t>(at.column) - 1;
}

/// `part`, whatever its spaces, in `text` where it stands nearest to `at`: its first byte and its length.
inline std::optional<std::pair<std::size_t, std::size_t>> find_near(const std::string& text, const std::string& part,
                                                                    std::size_t at) {
    std::string pattern;
    for (const char c : part) {
        if (c == ' ') continue;
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') pattern += "\\";
        pattern += std::string(1, c) + " *";
    }
    pattern.resize(pattern.size() - 2);
    const std::regex wanted(pattern);
    std::optional<std::pair<std::size_t, std::size_t>> best;
    const auto far = [&](std::size_t from) { return from > at ? from - at : at - from; };
    for (std::sregex_iterator hit(text.begin(), text.end(), wanted), end; hit != end; ++hit) {
        const auto from = static_cast<std::size_t>(hit->position());
        if (!best || far(from) < far(best->first)) best = {from, static_cast<std::size_t>(hit->length())};
    }
    return best;
}

/// The text with the proposal followed, where it names what to write: another word, a cast, a comparison, a declaration.
inline std::optional<std::string> mended(std::string text, const Error& error) {
    const std::size_t at = offset_of(text, error.at);
    std::smatch found;
    if (std::regex_search(error.fix, found, std::regex("^did you mean `([^`]+)`"))) {
        std::size_t end = at;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) end++;
        return text.replace(at, end - at, found[1]);
    }
    if (std::regex_search(error.fix, found, std::regex("\\bcast[^`]*: `(\\w+\\((.*)\\))`")) ||
        std::regex_search(error.fix, found, std::regex("^compare it: `((.*) != 0)`"))) {
        const auto inner = find_near(text, found[2], at);
        if (!inner) return std::nullopt;
        return text.replace(inner->first, inner->second, found[1]);
    }
    if (std::regex_match(error.fix, found, std::regex("write `(and|or|max=|min=|and=|or=)`( as one word)?"))) {
        std::string word = found[1];
        std::size_t end = at;
        if (found[2].matched) {
            while (end < text.size() && text[end] != '=') end++;
            end++;
        } else {
            end += 2;
        }
        return text.replace(at, end - at, word);
    }
    if (std::regex_search(error.fix, found,
                          std::regex("^(?:write a size with a capital, or )?declare `(\\w+: size)`"))) {
        const std::string name = found[1].str().substr(0, found[1].str().find(':'));
        const std::regex declared("\\b" + name + ": \\w+");
        if (std::regex_search(text, declared)) return std::regex_replace(text, declared, found[1].str());
        const std::size_t close = text.find(") ->");
        if (close == std::string::npos) return std::nullopt;
        return text.insert(close, (text[close - 1] == '(' ? "" : ", ") + found[1].str());
    }
    return std::nullopt;
}

}  // namespace halogen::testing
