#include "words.h"

#include <fmt/format.h>

#include <fstream>

namespace halogen::demo {

namespace {

/// Three significant digits, never in powers of ten.
std::string three_digits(double value) {
    return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3);
}

}  // namespace

std::string time_text(double ns) {
    if (ns < 999.5) return three_digits(ns) + " ns";
    if (ns < 999.5e3) return three_digits(ns * 1e-3) + " us";
    if (ns < 999.5e6) return three_digits(ns * 1e-6) + " ms";
    return three_digits(ns * 1e-9) + " s";
}

std::string speed_text(const Call& call, double ns) {
    return fmt::format("{} {}", three_digits(call.speed(ns)), call.unit());
}

std::string ratio_text(double ratio) { return fmt::format("{:.2f}", ratio); }

std::string bytes_text(std::int64_t bytes) {
    const double b = static_cast<double>(bytes);
    if (bytes < 10000) return fmt::format("{} B", bytes);
    if (b < 1e6) return fmt::format("{:.0f} kB", b * 1e-3);
    return fmt::format("{:.1f} MB", b * 1e-6);
}

std::string list_text(const std::vector<std::int64_t>& list) { return fmt::format("{}", fmt::join(list, ", ")); }
std::string list_text(const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, ", ")); }

std::string range_text(const IndexFact& index) {
    return fmt::format("{} in {}:{}", index.name, index.begin, index.end);
}
std::string numeric_range_text(const IndexFact& index) {
    return fmt::format("{}:{}", index.first, index.first + index.extent);
}

std::string offset_text(const AccessFact& access) {
    if (access.least_offset == access.largest_offset) return fmt::format("{}", access.least_offset);
    return fmt::format("{} … {}", access.least_offset, access.largest_offset);
}

std::string input_text(const Call& call) { return fmt::format("{}", fmt::join(call.operands.front().extents, " x ")); }

std::string settings_text(const Call& call) {
    std::string text;
    for (const Setting& s : call.settings)
        text += fmt::format("{}{} = {:g}", text.empty() ? "" : ", ", s.name, s.value);
    return text;
}

std::string agreement_text(const Call& call) {
    if (!call.agrees())
        return fmt::format("DIFFERS from Eigen: {} of {} elements lie beyond what rounding allows, by up to {:.2g}",
                           call.outside, call.elements, call.difference);
    if (call.share == 0) return fmt::format("equal to Eigen in all {} elements", call.elements);
    return fmt::format("agrees with Eigen in all {} elements: largest difference {:.2g} where rounding allows {:.2g}",
                       call.elements, call.difference, call.bound);
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const auto colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown processor";
}

}  // namespace halogen::demo
