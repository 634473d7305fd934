#include "tests/fuzz/inputs.h"

#include "frontend/solve/proof.h"
#include "frontend/solve/report.h"
#include "frontend/solve/solve.h"
#include "frontend/solve/view.h"
#include "generators/emit/cpp.h"
#include "generators/emit/solution.h"
#include "generators/emit/solve_json.h"
#include "generators/emit/system_json.h"

#include <stdexcept>

namespace halogen::test {

namespace {

constexpr std::size_t longest = 4096;  // bytes; longer texts say nothing that shorter ones do not

void require(bool good, const char* promise) {
    if (!good) throw std::logic_error(promise);
}

/// With numbers for what is left open, guards decide as the solver does, or a number is too large.
void try_numbers(const Kernel& kernel, const Solution& open, std::int64_t number) {
    Settings known;
    for (const auto& name : open.symbols) known[name] = number;
    const auto solved = solve(kernel, known);
    if (solved)
        (void)report(kernel, solved.value());
    else
        require(!format(solved.error(), "-e").empty(), "an error has a text");
}

void try_kernel(const Kernel& kernel) {
    Settings open;
    for (const SizeParam& p : kernel.sizes) open[p.name] = std::nullopt;
    const auto solved = solve(kernel, open);
    if (!solved) return;
    const Solution& s = solved.value();
    (void)report(kernel, s);
    (void)solution_json(kernel, s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    try {
        (void)emit_solution(kernel, s);
    } catch (const Failure& failure) {
        require(failure.error().kind == ErrorKind::underdetermined,
                "emitting fails only where a call could not be made");
    }
    for (const InBounds& p : prove_in_bounds(kernel, s)) (void)print(p);
    for (const TensorView& v : views(kernel, s)) (void)print(v);
    for (const std::int64_t number : {1, 3, 8}) try_numbers(kernel, s, number);
}

}  // namespace

void try_notation(const std::string& text) {
    if (text.size() > longest) return;
    const auto program = parse(text);
    if (!program) {
        require(!format(program.error(), "-e").empty(), "an error has a text");
        return;
    }
    const std::string printed = print(program.value());
    const auto again = parse(printed);
    require(static_cast<bool>(again), "what is printed parses");
    require(again.value() == program.value(), "what is printed parses to the same program");
    for (const Kernel& kernel : program.value().kernels) try_kernel(kernel);
}

void try_system(const std::string& text) {
    if (text.size() > longest) return;
    const auto given = nlohmann::ordered_json::parse(text, nullptr, false);
    if (given.is_discarded()) return;
    for (const auto& answer : solve_system(given))
        require(answer.contains("status") && (answer["status"] == "ok" || answer.contains("message")),
                "an answer is ok or has a message");
}

}  // namespace halogen::test
