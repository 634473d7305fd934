// halogen solve: sizes, index ranges, strides and guards.

#include "frontend/solve/solve.h"
#include "frontend/solve/report.h"
#include "generators/emit/solution.h"
#include "generators/emit/solve_json.h"
#include "generators/emit/system_json.h"
#include "generators/files/output.h"
#include "generators/verbs/cli.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cctype>

namespace halogen {

namespace {

std::string dump(const nlohmann::json& document) {
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

int solve_system_file(const std::string& path) {
    const nlohmann::ordered_json systems =
        nlohmann::ordered_json::parse(read_file(path), nullptr, false);  // `choose` is ordered
    if (systems.is_discarded())
        throw Failure(Error{ErrorKind::syntax,
                            fmt::format("`{}` is not JSON", path),
                            {},
                            "",
                            "docs/solving.md, \"Systems as data\", tells the form"});
    fmt::print("{}\n", dump(solve_system(systems)));
    return 0;
}

/// `--set W=H` makes two sizes one; all other items stay in `numbers`.
std::vector<SizeEquality> equalities_of(const Kernel& kernel, const std::vector<std::string>& set,
                                        std::vector<std::string>& numbers) {
    std::vector<SizeEquality> equal;
    for (const std::string& item : set) {
        const auto sign = item.find('=');
        const std::string other = sign == std::string::npos || sign == 0 ? "" : item.substr(sign + 1);
        const bool size =
            !other.empty() && (std::isupper(static_cast<unsigned char>(other[0])) || kernel.find_size(other));
        if (size)
            equal.push_back({item.substr(0, sign), other});
        else
            numbers.push_back(item);
    }
    return equal;
}

}  // namespace

int verb_solve(const Options& options) {
    if (!options.system.empty()) return solve_system_file(options.system);
    const Kernel kernel = load_kernel(options);
    std::vector<std::string> numbers;
    const auto equal = equalities_of(kernel, options.set, numbers);
    const Solution solution = refine(kernel, parse_settings(numbers), equal).value();
    if (options.cpp)
        fmt::print("{}", emit_solution(kernel, solution));
    else if (options.json)
        fmt::print("{}\n", dump(solution_json(kernel, solution)));
    else
        fmt::print("{}", report(kernel, solution));
    return 0;
}

}  // namespace halogen
