#include "frontend/shapes/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace halogen::shapes {

std::vector<int> all_dims(int rank) {
    std::vector<int> dims(static_cast<std::size_t>(rank));
    std::iota(dims.begin(), dims.end(), 0);
    return dims;
}

Shape reduced(Call& call, const std::vector<int>& dims, bool keep) {
    const Shape& input = call.shape("input");
    const int rank = call.rank("input");
    if (rank == 0) return {};
    std::string left;
    Shape result;
    for (int d = 0; d < rank; ++d) {
        const bool is_combined = std::find(dims.begin(), dims.end(), d) != dims.end();
        if (is_combined && !keep) continue;
        left += (left.empty() ? "" : ", ") + (is_combined ? "0" : fmt::format("i{}", d));
        result.push_back(is_combined ? Formula(1) : input[d]);
    }
    if (call.op().equation.empty()) return result;
    std::string right(call.op().equation);
    const std::string read = fmt::format("input[{}]", numbered("i", rank));
    for (std::size_t at = 0; (at = right.find("input", at)) != std::string::npos; at += read.size())
        right.replace(at, 5, read);
    const std::string type = right.starts_with("or=") || right.starts_with("and=") ? "bool" : "f32";
    return call.derive(
        fmt::format("kernel k(input: f32[{}]) -> Y: {} {{ Y[{}] {} }}", numbered("N", rank), type, left, right),
        {{"input", input}})[0];
}

void require_elements(Call& call, const std::vector<int>& dims) {
    for (const int d : dims) {
        if (d < call.rank("input"))
            call.require(at_least(call.shape("input")[d], 1), Refused::not_positive,
                         [&] { return fmt::format("elements along dim {}", d); });
    }
}

}  // namespace halogen::shapes
