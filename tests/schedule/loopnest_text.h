#pragma once
// Pieces of the texts that the shared loop-nest cases are written in.

#include <set>
#include <string>
#include <vector>

namespace halogen::loopnest {

std::string trimmed(const std::string& text);
/// The parts between occurrences of `at`, trimmed.
std::vector<std::string> split_text(const std::string& text, const std::string& at);
/// The first group of every match.
std::vector<std::string> matches(const std::string& text, const std::string& pattern);

std::string left_tensor(const std::string& equation);
std::vector<std::string> tensors_in(const std::string& text);
std::set<std::string> written(const std::vector<std::string>& equations);
/// The index names of the first access to `tensor`, dim by dim ("" where a place is no plain index).
std::vector<std::string> access_names(const std::vector<std::string>& equations, const std::string& tensor);

}  // namespace halogen::loopnest
