#pragma once
// Numbers and facts in words, as the terminal and the page show them.

#include "solved.h"

#include <cstdint>
#include <string>
#include <vector>

namespace halogen::demo {

std::string time_text(double ns);                         // "8.72 ms", "91.3 us"
std::string speed_text(const Call&, double ns);           // "70.7 GFLOP/s"
std::string ratio_text(double ratio);                     // "1.35"
std::string bytes_text(std::int64_t bytes);               // "3.1 MB"
std::string list_text(const std::vector<std::int64_t>&);  // "1, 512, 512, 8"
std::string list_text(const std::vector<std::string>&);
std::string range_text(const IndexFact&);          // "y in 0:OH"
std::string numeric_range_text(const IndexFact&);  // "0:512"
std::string offset_text(const AccessFact&);        // "-4617", "-513 … 513"
std::string settings_text(const Call&);            // "sigma = 2, R = 6"
std::string input_text(const Call&);               // of the first input: "512 x 512 x 3"
/// One sentence on how the result compares: equal, within the bound, or not.
std::string agreement_text(const Call&);
/// The processor's name as the system gives it.
std::string processor_name();

}  // namespace halogen::demo
