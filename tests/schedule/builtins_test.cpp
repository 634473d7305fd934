// The recipe's history of every built-in kernel: printed, parsed and replayed it is the same text, the same steps, the same
// machine code.

#include "generators/run/builtin.h"
#include "generators/run/executor.h"
#include "schedules/bind/bind.h"
#include "schedules/history/json.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/recipes/recipe.h"

#include <gtest/gtest.h>

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace halogen {
namespace {

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The code of an object file, section by section (`.text`, `.text.NAME`) in their order. The names of sections hold those of
/// Funcs, which Halide numbers through within one process.
std::vector<std::string> code_of(const std::string& object) {
    Elf64_Ehdr file;
    std::memcpy(&file, object.data(), sizeof(file));
    const auto section = [&](int number) {
        Elf64_Shdr header;
        std::memcpy(&header, object.data() + file.e_shoff + number * sizeof(header), sizeof(header));
        return header;
    };
    const Elf64_Shdr names = section(file.e_shstrndx);
    std::vector<std::string> code;
    for (int number = 0; number < file.e_shnum; number++) {
        const Elf64_Shdr header = section(number);
        const std::string name = object.data() + names.sh_offset + header.sh_name;
        if (name.starts_with(".text")) code.push_back(object.substr(header.sh_offset, header.sh_size));
    }
    return code;
}

/// Compiled in a process of its own, where the names that Halide numbers through start anew.
std::vector<std::string> compiled(const Kernel& kernel, const Solution& solution, const History& history,
                                  const Leg& leg) {
    const std::string path =
        std::filesystem::temp_directory_path() / ("halogen-builtins-" + std::to_string(getpid()) + ".o");
    const pid_t child = fork();
    if (child == 0) {
        try {
            BoundKernel bound = bind(kernel, solution, history).value();
            const Halide::Target target(leg.halide_target + "-no_runtime-user_context");
            bound.pipeline.compile_to({{Halide::OutputFileType::object, path}}, bound.arguments, "kernel", target);
            _exit(0);
        } catch (...) {
            _exit(1);
        }
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    const std::string object = contents(path);
    std::filesystem::remove(path);
    return object.empty() ? std::vector<std::string>() : code_of(object);
}

struct Named : BuiltinKernel {};
void PrintTo(const Named& kernel, std::ostream* out) { *out << kernel.name; }

std::vector<Named> kernels() {
    std::vector<Named> all;
    for (const BuiltinKernel& kernel : builtin_kernels()) all.push_back({kernel});
    return all;
}

std::vector<Named> kernels_of_several_classes() {
    std::vector<Named> some;
    for (const char* name : {"cumsum", "gather_rows", "gemv", "histogram", "sobel", "softmax"})
        some.push_back({*find_builtin(name)});
    return some;
}

class Builtin : public testing::TestWithParam<Named> {
protected:
    const Kernel kernel = parse(std::string(GetParam().text)).value().kernels.front();
    const Solution solution = solve_open(kernel);
};

class CompiledBuiltin : public Builtin {};

TEST_P(Builtin, HistoryIsTheSameTextAndStepsWhenReadBackOnEveryLeg) {
    for (const Leg& leg : all_legs()) {
        const History history = titled(recipe(kernel, solution, machine_of(leg)), kernel, leg);
        const std::string text = print(history);
        const History read = parse_history(text).value();
        EXPECT_EQ(print(read), text);
        EXPECT_EQ(read, history);
        EXPECT_EQ(history_from_json(to_json(history)).value(), history);
        EXPECT_EQ(prepare(read, kernel, ReplayMode::strict).value().history, history);
    }
}

TEST_P(Builtin, HistoryReadBackLeavesTheSameStateOnEveryLeg) {
    for (const Leg& leg : all_legs()) {
        History history = titled(recipe(kernel, solution, machine_of(leg)), kernel, leg);
        const ScheduleState state = bind(kernel, solution, history).value().state;
        history.header.state = state_hash(state);  // `bind` compares it
        const History read = parse_history(print(history)).value();
        EXPECT_EQ(print(bind(kernel, solution, read).value().state), print(state));
    }
}

// Equal steps leave equal states (above), so a few kernels of different classes will do here.
TEST_P(CompiledBuiltin, HistoryReadBackGivesTheSameMachineCode) {
    const Leg& leg = *find_leg("avx2");
    const History history = recipe(kernel, solution, machine_of(leg));
    const History read = parse_history(print(titled(history, kernel, leg))).value();
    const auto code = compiled(kernel, solution, history, leg);
    EXPECT_FALSE(code.empty());
    EXPECT_TRUE(compiled(kernel, solution, read, leg) == code) << "the machine code differs";
}

INSTANTIATE_TEST_SUITE_P(Kernels, Builtin, testing::ValuesIn(kernels()),
                         [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(Kernels, CompiledBuiltin, testing::ValuesIn(kernels_of_several_classes()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halogen
