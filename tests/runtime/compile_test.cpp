// What `compile` refuses, and that it leaves nothing half done.

#include "generators/compile/compile.h"
#include "generators/compile/header.h"
#include "generators/emit/cpp.h"
#include "schedules/history/steps.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace halogen {
namespace {

namespace fs = std::filesystem;

class Compile : public ::testing::Test {
protected:
    Compile() : folder_(fs::temp_directory_path() / ("halogen_compile_" + std::to_string(getpid()))) {
        fs::remove_all(folder_);
    }
    ~Compile() override { fs::remove_all(folder_); }

    CompileOptions options() const {
        CompileOptions o;
        o.directory = folder_.string();
        o.legs = {"sse41"};
        o.runtime = false;
        return o;
    }
    /// The names in the folder, sorted.
    std::string files() const {
        std::vector<std::string> names;
        if (fs::exists(folder_)) {
            for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
        }
        std::sort(names.begin(), names.end());
        std::string all;
        for (const auto& name : names) all += (all.empty() ? "" : " ") + name;
        return all;
    }
    std::string text(const std::string& name) const {
        std::ifstream file(folder_ / name);
        std::stringstream all;
        all << file.rdbuf();
        return all.str();
    }

    fs::path folder_;
};

Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.at(0); }

const char* const axpy = "kernel axpy(X: f32[N], Y0: f32[N], a: f32) -> Y: f32[N] { Y[i] = a * X[i] + Y0[i] }";

TEST_F(Compile, WritesLibraryHeaderAndManifest) {
    const auto report = compile_kernel(kernel_of(axpy), options());
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(files(), "axpy.h axpy.json libaxpy.a");
    EXPECT_EQ(report.value().library, (folder_ / "libaxpy.a").string());
    const auto manifest = nlohmann::json::parse(text("axpy.json"));
    EXPECT_EQ(manifest["name"], "axpy");
    EXPECT_EQ(manifest["legs"][0]["symbol"], "halogen_axpy_sse41");
    EXPECT_EQ(manifest["legs"][0]["target"], "x86-64-linux-sse41-no_runtime-no_bounds_query-user_context");
    EXPECT_EQ(manifest["in_place"],
              nlohmann::json::parse(R"([{"input": "X", "output": "Y"}, {"input": "Y0", "output": "Y"}])"));
    EXPECT_EQ(manifest["parameters"][2], nlohmann::json::parse(R"({"name": "a", "sort": "scalar", "type": "f32"})"));
}

TEST_F(Compile, WritesTheSameBytesTwice) {
    ASSERT_TRUE(compile_kernel(kernel_of(axpy), options()));
    const std::string header = text("axpy.h"), manifest = text("axpy.json");
    ASSERT_TRUE(compile_kernel(kernel_of(axpy), options()));
    EXPECT_EQ(text("axpy.h"), header);
    EXPECT_EQ(text("axpy.json"), manifest);
}

/// Rounds its last tile up, past the end of every buffer.
History rounding_up() {
    History history;
    Steps(history.steps, "Y").split("i", "io", "ii", 4, Tail::round_up).vectorize("ii");
    return history;
}

TEST_F(Compile, ChecksBoundsUnderAScheduleThatTheCallerGives) {
    const std::string check = "halide_error_access_out_of_bounds";
    ASSERT_TRUE(compile_kernel(kernel_of(axpy), options()));
    EXPECT_EQ(text("libaxpy.a").find(check), std::string::npos);  // proved: the guards keep the recipe's tiles inside
    auto o = options();
    o.history = {rounding_up()};
    ASSERT_TRUE(compile_kernel(kernel_of(axpy), o));
    EXPECT_NE(text("libaxpy.a").find(check), std::string::npos);
}

TEST_F(Compile, AllowsNothingInPlaceUnderAScheduleThatTheCallerGives) {
    auto o = options();
    o.history = {rounding_up()};
    ASSERT_TRUE(compile_kernel(kernel_of(axpy), o));
    EXPECT_EQ(nlohmann::json::parse(text("axpy.json"))["in_place"], nlohmann::json::array());
}

const char* const centre = "kernel centre(X: f32[M, N]) -> Y: f32[M, N] { S[i] += X[i, j]; Y[i, j] = X[i, j] - S[i] }";

TEST_F(Compile, GivesColumnsAScheduleOfTheirOwnWhereRowsNeedTheirs) {
    ASSERT_TRUE(compile_kernel(kernel_of(centre), options()));
    const auto leg = nlohmann::json::parse(text("centre.json"))["legs"][0];
    EXPECT_EQ(leg["reversed_symbol"], "halogen_centre_sse41_reversed");
    EXPECT_NE(leg["reversed_history"], leg["history"]);
    EXPECT_NE(text("centre.h").find("{\"X\", Element::f32, 2, true}"), std::string::npos);
    ASSERT_TRUE(compile_kernel(kernel_of(axpy), options()));
    EXPECT_FALSE(nlohmann::json::parse(text("axpy.json"))["legs"][0].contains("reversed_symbol"));
}

TEST_F(Compile, AScheduleThatTheCallerGivesServesBuffersOfEveryOrder) {
    auto o = options();
    o.history = {History()};
    ASSERT_TRUE(compile_kernel(kernel_of(centre), o));
    EXPECT_FALSE(nlohmann::json::parse(text("centre.json"))["legs"][0].contains("reversed_symbol"));
    EXPECT_NE(text("centre.h").find("{\"X\", Element::f32, 2, false}"), std::string::npos);
}

TEST_F(Compile, RefusesAnUnknownTarget) {
    auto o = options();
    o.legs = {"sse41", "avx3"};
    const auto report = compile_kernel(kernel_of(axpy), o);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, ErrorKind::target);
    EXPECT_EQ(format(report.error(), "k.hgn"),
              "k.hgn: unknown target `avx3`\n  fix  choose among sse41, avx2, avx512, zen4");
    EXPECT_EQ(files(), "");
}

TEST_F(Compile, RefusesAnUnknownFeatureANameAndAnEstimate) {
    auto o = options();
    o.features = {"msan"};
    EXPECT_EQ(compile_kernel(kernel_of(axpy), o).error().what, "unknown feature `msan`");
    o = options();
    o.name = "while";
    EXPECT_EQ(compile_kernel(kernel_of(axpy), o).error().what, "a library cannot be called `while`: it is no C++ name");
    o = options();
    o.estimates["Q"] = 7;
    EXPECT_EQ(compile_kernel(kernel_of(axpy), o).error().what,
              "`Q` is no size of the kernel, so it cannot be estimated");
    EXPECT_EQ(files(), "");
}

TEST_F(Compile, RefusesAPlaceItCannotWriteTo) {
    auto o = options();
    o.directory = "/dev/null/here";
    const auto report = compile_kernel(kernel_of(axpy), o);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, ErrorKind::io);
    EXPECT_EQ(report.error().what, "cannot write /dev/null/here: Not a directory");
}

TEST_F(Compile, LeavesNothingBehindWhenAFileCannotTakeItsPlace) {
    fs::create_directories(folder_ / "axpy.json");  // a folder where the manifest belongs
    const auto report = compile_kernel(kernel_of(axpy), options());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().what, "cannot write " + (folder_ / "axpy.json").string() + ": it is a directory");
    EXPECT_EQ(files(), "axpy.json");
}

TEST(InPlace, HoldsForMapsThatReadOnlyWhereTheyWrite) {
    const auto pairs = [](const std::string& text) { return in_place_pairs(kernel_of(text)).size(); };
    EXPECT_EQ(pairs("kernel k(X: f32[N], W: f32[N]) -> Y: f32[N] { Y[i] = X[i] * W[i] + X[i] }"), 2u);
    EXPECT_EQ(pairs("kernel k(X: f32[N], W: f32[N]) -> Y: f32[M] { Y[i] = X[i] * W[i+1] }"), 1u);
    EXPECT_EQ(pairs("kernel k(X: f32[N, N]) -> Y: f32[N, N] { Y[i, j] = X[j, i] }"), 0u);
    EXPECT_EQ(pairs("kernel k(X: f32[N, N]) -> Y: f32[N] { Y[i] += X[i, j] }"), 0u);
    EXPECT_EQ(pairs("kernel k(X: i8[N]) -> Y: u8[N] { Y[i] = u8(X[i]) }"), 0u);
    EXPECT_EQ(pairs("kernel k(X: f32[N]) -> Y: f32[N] { M[] max= X[i]; Y[i] = X[i] - M[] }"), 0u);
}

TEST(Cpp, FormulasAreCheckedExpressions) {
    const auto plain = [](const std::string& name) { return name; };
    const Formula h = Formula::symbol("H"), t = Formula::symbol("T");
    EXPECT_EQ(cpp(h * 2 - 3, plain), "2 * H - 3");
    EXPECT_EQ(cpp(Formula(7), plain), "Int(7)");
    EXPECT_EQ(cpp(floor_div(h - 1, t) + 1, plain), "floor_div(H - 1, T) + 1");
    EXPECT_EQ(cpp(-h, plain), "-H");
    EXPECT_EQ(cpp_identifier("X.0"), "X_0");
    EXPECT_EQ(cpp_identifier("new"), "new_");
}

}  // namespace
}  // namespace halogen
