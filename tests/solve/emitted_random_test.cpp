// Emitted C++ against the solver, for random kernels: the header that `halogen solve --cpp` prints names the first guard that
// does not hold, and else gives every size, range, offset and stride that the formulas give. All headers are one program,
// which is compiled once. HALOGEN_ROUNDS kernels, 40 usually.

#include "frontend/notation/symbol.h"
#include "generators/emit/cpp.h"
#include "generators/emit/solution.h"
#include "generators/emit/text.h"
#include "tests/solve/random_calls.h"
#include "tests/solve/random_kernels.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace halogen {
namespace {

/// A kernel, and the numbers of its solution by the members that the header gives them.
struct Emitted {
    std::string text;
    Kernel kernel;
    Solution solution;
    std::vector<std::string> symbols;
    std::map<std::string, Formula> members;
};

std::map<std::string, Formula> members_of(const Kernel& kernel, const Solution& s) {
    std::map<std::string, Formula> all;
    for (const auto& [size, f] : s.sizes) {
        if (Symbol::of(size).is_size() && f.as_symbol() != size) all.emplace(cpp_identifier(size), f);
    }
    for (const auto& [tensor, extents] : s.extents) {
        for (std::size_t d = 0; d < extents.size(); ++d) all.emplace(fmt::format("{}_{}", tensor, d), extents[d]);
    }
    for (std::size_t e = 0; e < s.indices.size(); ++e) {
        for (const auto& [index, range] : s.indices[e]) {
            if (!(range.min == Formula(0))) all.emplace(fmt::format("equation{}_{}_min", e, index), range.min);
            all.emplace(fmt::format("equation{}_{}_extent", e, index), range.extent);
        }
    }
    const std::vector<AccessForm> accesses = access_forms(kernel, s);
    for (std::size_t a = 0; a < accesses.size(); ++a) {
        if (!accesses[a].affine) continue;
        all.emplace(fmt::format("access{}_offset", a), accesses[a].offset);
        for (const auto& [index, stride] : accesses[a].strides)
            all.emplace(fmt::format("access{}_stride_{}", a, index), stride);
    }
    return all;
}

std::vector<Emitted> random_kernels(int count, test::Dice& dice) {
    std::vector<Emitted> all;
    for (int tries = 0; static_cast<int>(all.size()) < count && tries < 20 * count; ++tries) {
        const std::string text = test::RandomKernel(dice).text();
        const auto program = parse(text);
        if (!program) continue;
        Kernel kernel = program.value().kernels.at(0);
        const auto solution = solve(kernel, {{"K", std::nullopt}, {"P", std::nullopt}});
        if (!solution) continue;
        kernel.name = fmt::format("k{}", all.size());
        all.push_back(
            {text, kernel, solution.value(), called_symbols(solution.value()), members_of(kernel, solution.value())});
    }
    return all;
}

/// The header, as a part of a file.
std::string header_of(const Emitted& emitted) {
    std::string text = emit_solution(emitted.kernel, emitted.solution);
    const std::string once = "#pragma once\n";
    return text.erase(text.find(once), once.size());
}

/// A program that reads calls, a kernel's number and the values of its symbols, and answers each with a line: the guard that
/// does not hold, or all members.
std::string program_of(const std::vector<Emitted>& kernels) {
    std::string text = "#include <iostream>\n\n", calls;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        text += header_of(kernels[k]);
        text += fmt::format("\nvoid call{0}() {{\n    k{0}_sizes::Sizes s{{}};\n", k);
        for (const std::string& symbol : kernels[k].symbols)
            text += fmt::format("    std::cin >> s.{};\n", cpp_identifier(symbol));
        text += fmt::format(
            "    const char* broken = k{0}_sizes::broken(s);\n    const auto all = k{0}_sizes::solve(s);\n"
            "    if (!all) {{ std::cout << (broken ? broken : \"no number\") << '\\n'; return; }}\n"
            "    if (broken) std::cout << \"solved, but \" << broken;\n",
            k);
        for (const auto& [member, formula] : kernels[k].members)
            text += fmt::format("    std::cout << \"{0}=\" << all->{0} << ' ';\n", member);
        text += "    std::cout << '\\n';\n}\n\n";
        calls += fmt::format("{}call{}", k ? ", " : "", k);
    }
    return text + fmt::format(
                      "int main() {{\n    void (*const calls[])() = {{{}}};\n    for (int k; std::cin >> k;) "
                      "calls[k]();\n}}\n",
                      calls);
}

std::string expected(const Emitted& emitted, const test::Call& call) {
    Solution one;
    for (const Guard& guard : emitted.solution.guards) {
        one.guards = {guard};
        if (!test::guards_hold(one, call.values))
            return print(guard) + (guard.reason.empty() ? "" : ": " + guard.reason);
    }
    std::string text;
    for (const auto& [member, formula] : emitted.members) {
        try {
            text += fmt::format("{}={} ", member, evaluate(formula, call.values));
        } catch (const Failure&) {
            return "no number";
        }
    }
    return text;
}

/// A new folder for this process, gone at the end.
class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("halogen-emitted-{}", getpid())) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

struct Asked {
    const Emitted* emitted;
    test::Call call;
};

std::vector<Asked> random_calls(const std::vector<Emitted>& kernels, test::Dice& dice) {
    std::vector<Asked> asked;
    for (const Emitted& emitted : kernels) {
        for (int round = 0; round < 10; ++round)
            asked.push_back({&emitted, test::random_call(emitted.kernel, emitted.solution, dice)});
    }
    return asked;
}

bool succeeds(const std::string& command) { return std::system(command.c_str()) == 0; }

/// A line for each call; none where the program cannot be compiled.
std::vector<std::string> answers_to(const std::vector<Asked>& asked, const std::vector<Emitted>& kernels) {
    const Folder folder;
    const std::string program = folder.file("sizes"), calls = folder.file("calls"), answers = folder.file("answers");
    std::ofstream(program + ".cpp") << program_of(kernels);
    EXPECT_TRUE(succeeds(fmt::format("{0} -std=c++20 -O0 -Wall -Werror -Wno-misleading-indentation {1}.cpp -o {1}",
                                     HALOGEN_CXX, program)));
    {
        std::ofstream file(calls);
        for (const auto& [emitted, call] : asked) {
            file << emitted - kernels.data();
            for (const std::string& symbol : emitted->symbols) file << ' ' << call.values.at(symbol);
            file << '\n';
        }
    }
    EXPECT_TRUE(succeeds(fmt::format("{0} < {1} > {2}", program, calls, answers)));
    std::vector<std::string> lines;
    std::ifstream file(answers);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

TEST(EmittedRandom, HeadersGiveWhatTheFormulasGive) {
    test::Dice dice(test::seed_of_run());
    const char* rounds = std::getenv("HALOGEN_ROUNDS");
    const int count = rounds ? std::atoi(rounds) : 40;
    const std::vector<Emitted> kernels = random_kernels(count, dice);
    ASSERT_EQ(kernels.size(), count);
    const std::vector<Asked> asked = random_calls(kernels, dice);
    const std::vector<std::string> answers = answers_to(asked, kernels);
    ASSERT_EQ(answers.size(), asked.size());
    int legal = 0, refused = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto& [emitted, call] = asked[i];
        EXPECT_EQ(answers[i], expected(*emitted, call)) << emitted->text << "\n " << call.text;
        ++(test::guards_hold(emitted->solution, call.values) ? legal : refused);
    }
    std::cout << fmt::format("{} kernels, {} calls admitted, {} refused\n", kernels.size(), legal, refused);
    EXPECT_GT(legal, count);
    EXPECT_GT(refused, count);
}

}  // namespace
}  // namespace halogen
