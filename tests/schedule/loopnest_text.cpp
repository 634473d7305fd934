#include "tests/schedule/loopnest_text.h"

#include <regex>

namespace halogen::loopnest {

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> split_text(const std::string& text, const std::string& at) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + at.size())
        parts.push_back(trimmed(text.substr(begin, end - begin)));
    parts.push_back(trimmed(text.substr(begin)));
    return parts;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    std::vector<std::string> found;
    for (auto m = std::sregex_iterator(text.begin(), text.end(), regex); m != std::sregex_iterator(); ++m)
        found.push_back((*m)[1].str());
    return found;
}

std::string left_tensor(const std::string& equation) { return matches(equation, R"(^\s*([A-Z]\w*)\s*\[)").at(0); }
std::vector<std::string> tensors_in(const std::string& text) { return matches(text, R"(([A-Z]\w*)\s*\[)"); }

std::set<std::string> written(const std::vector<std::string>& equations) {
    std::set<std::string> names;
    for (const std::string& e : equations) names.insert(left_tensor(e));
    return names;
}

std::vector<std::string> access_names(const std::vector<std::string>& equations, const std::string& tensor) {
    for (const std::string& e : equations) {
        const auto found = matches(e, "\\b" + tensor + R"(\s*\[([^\]]*)\])");
        if (!found.empty() && !found[0].empty()) return split_text(found[0], ",");
    }
    return {};
}

}  // namespace halogen::loopnest
