#pragma once
// Runs the `halogen` program as a user does.

#include "frontend/interpret/host_tensor.h"
#include "generators/files/npy.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace halogen {

struct Outcome {
    int exit_code = 0;
    std::string out, err;
};

/// A folder of its own for each test, the current one while it runs; removed afterwards.
class ProgramTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("halogen-test-" + std::to_string(getpid()) + "-" + std::to_string(counter_++));
        std::filesystem::create_directories(folder_);
        before_ = std::filesystem::current_path();
        std::filesystem::current_path(folder_);
    }
    void TearDown() override {
        std::filesystem::current_path(before_);
        std::filesystem::remove_all(folder_);
    }

    /// `arguments` is shell text.
    static Outcome halogen(const std::string& arguments) {
        const int status =
            std::system((std::string(HALOGEN_PROGRAM) + " " + arguments + " >stdout.txt 2>stderr.txt").c_str());
        Outcome o{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents("stdout.txt"), contents("stderr.txt")};
        std::filesystem::remove("stdout.txt");
        std::filesystem::remove("stderr.txt");
        return o;
    }

    static std::string contents(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
    static void write(const std::string& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    /// A .npy file of 0, 1, 2, ... in row-major order.
    static void write_npy(const std::string& path, Type type, const std::vector<std::int64_t>& extents) {
        HostTensor t(type, extents);
        for (std::int64_t i = 0; i < t.elements(); i++) {
            if (is_float(type))
                t.set_real(i, static_cast<double>(i));
            else
                t.set_integer(i, i);
        }
        write(path, print_npy(t));
    }

    /// The names of the files in the test's folder, sorted.
    static std::vector<std::string> files() {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(".")) names.push_back(entry.path().filename());
        std::sort(names.begin(), names.end());
        return names;
    }

private:
    static inline int counter_ = 0;
    std::filesystem::path folder_, before_;
};

}  // namespace halogen
