#pragma once
// Small pieces of HTML.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace halogen::demo {

/// Text for the inside of an element or of a quoted attribute.
std::string escaped(std::string_view text);
std::string base64(std::string_view bytes);
/// Replaces each `{{name}}` of a template; every name must be given.
std::string filled(std::string_view form, std::initializer_list<std::pair<std::string_view, std::string>> values);

}  // namespace halogen::demo
