// Texts that the fuzzers found trouble with, and their seeds: each ends soon, with an answer or an error.

#include "tests/fuzz/inputs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace halogen {
namespace {

using Try = void (*)(const std::string&);

/// Runs all files of a folder; none may take longer than `seconds` (generous: the machine may be busy).
void run_all(const std::string& folder, Try one, double seconds) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_NO_THROW(one(text.str())) << entry.path();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        EXPECT_LT(taken.count(), seconds) << entry.path();
        ++count;
    }
    EXPECT_GT(count, 0) << folder;
}

TEST(FuzzFindings, TextsOfKernelsEndSoonAndKeepTheirPromises) {
    run_all(HALOGEN_FUZZ_DATA "/findings/notation", test::try_notation, 20);
    run_all(HALOGEN_KERNEL_TEXTS, test::try_notation, 20);
}

TEST(FuzzFindings, SystemsEndSoonWithAnAnswerOrAnError) {
    run_all(HALOGEN_FUZZ_DATA "/findings/system", test::try_system, 20);
    run_all(HALOGEN_FUZZ_DATA "/seeds/system", test::try_system, 20);
}

}  // namespace
}  // namespace halogen
