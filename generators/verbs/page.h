#pragma once
// Pages of HTML that stand on their own: no scripts, no network.

#include <string>

namespace halogen {

/// Text within a page: `a < b` as `a &lt; b`.
std::string html_text(const std::string&);

/// A page with this title, above `body`, which is HTML.
std::string page(const std::string& title, const std::string& body);

/// "12 345": the digits of a number, thousands apart.
std::string grouped(std::string digits);

/// `text`, whose sections each begin with a line of their own at the margin and go on indented, as headings and preformatted blocks:
/// "sizes\n  N  from the inputs\n".
std::string sections_as_html(const std::string& text);

}  // namespace halogen
