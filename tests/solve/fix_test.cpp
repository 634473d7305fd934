// Every proposal of an error about sizes is followed to the letter and solved again.

#include "frontend/solve/solve.h"
#include "tests/solve/solved.h"

#include <gtest/gtest.h>

#include <optional>
#include <regex>

namespace halogen {
namespace {

struct Case {
    std::string text;
    Settings known;
    std::vector<SizeEquality> equal = {};
};

const std::vector<Case> cases = {
    {"C[i,j] += A[i,k]*B[k,j]", {{"A.1", 5}, {"B.0", 6}}},
    {test::conv2d, {{"X.3", 5}, {"F.2", 6}}},
    {test::conv2d, {{"H", 9}, {"R", 12}, {"P", 0}}},
    {test::conv2d, {{"H", 9}, {"W", 9}, {"R", 3}, {"S", 3}, {"OH", 8}, {"OW", 8}}},
    {"Y[y] += X[y+k]*W[k]", {{"X.0", 10}, {"W.0", 3}, {"Y.0", 9}}},
    {"Y[y] += X[y+k]*W[k]", {{"X.0", 3}, {"W.0", 5}}},
    {"Y[y] += X[y+k]*W[k]", {{"Y.0", 0}}},
    {"Y[2*x + k] += X[x]*W[k]", {{"Y.0", 12}, {"W.0", 3}}},
    {"kernel h(X: f32[2*N]) -> Y: f32[N] { Y[i] = X[2*i] }", {{"X.0", 7}}},
    {"V[y, r] = X[2*y + r]", {}},
    {"Y[i] = X[i % 3]", {}},
    {"kernel s(X: f32[H]) -> Y: f32[N] { Y[y] += X[2*y + r] }", {{"H", 9}, {"N", 2}}},
    {"Y[i] = X[i-1]*W[i]", {{"X.0", 5}}},
    {"Y[i] = X[i+2]*W[i]", {{"X.0", 5}, {"W.0", 5}}},
    {"Y[i] = X[7]*W[i]", {{"X.0", 5}}},
    {"kernel p(X: f32[N], W: f32[N]) -> Y: f32 { Y[i] = X[i - 1]*W[i] }", {{"N", 5}}},
    {"kernel p(X: f32[N pad 1], W: f32[N]) -> Y: f32 { Y[i] = X[i - 3]*W[i] }", {{"N", 5}}},
    {"kernel p(X: f32[N], W: f32[M]) -> Y: f32 { Y[i] = X[-2]*W[i] }", {{"N", 5}}},
    {"kernel p(X: f32[N], W: f32[M]) -> Y: f32 { Y[i] = X[i + 2]*W[i] }", {{"N", 5}, {"M", 5}}},
    {"kernel p(X: f32[3], W: f32[M]) -> Y: f32 { Y[i] = X[4]*W[i] }", {}},
    {"kernel t(X: f32[N], W: f32[M]) -> Y: f32 { T[i] = 2*X[i]; Y[j] = T[j + 2]*W[j] }", {{"N", 5}, {"M", 5}}},
    {"kernel t(X: f32[N], W: f32[N]) -> Y: f32 { T[i] = 2*X[i]; Y[j] = T[j - 1]*W[j] }", {{"N", 5}}},
    {"kernel t(X: f32[3]) -> Y: f32 { T[i] = 2*X[i]; Y[j] = T[4]*X[j] }", {}},
    {"kernel t(X: f32[3]) -> Y: f32 { T[i] = 2*X[i]; Y[j] = T[-1]*X[j] }", {}},
    {"kernel t(X: f32[N]) -> Y: f32[M] { T[i] = X[0]; Y[j] = T[2*j] }", {}},
    {"kernel t(X: f32[N]) -> Y: f32 { T[i, j] = X[2*i + j]; Y[i, j] = 2*T[i, j] }", {}},
    {"kernel l(X: f32[N]) -> Y: f32[N] { Y[i - 1] = X[i] }", {{"N", 5}}},
    {"Y[i] = X[i] where i in 3:N", {{"N", 2}, {"X.0", 9}}},
    {"kernel r(X: f32[N pad 3] else reflect) -> Y: f32[M] { Y[i] = X[i - 3] }", {{"N", 3}}},
    {test::conv2d, {{"T", 0}}},
    {"C[i,j] += A[i,k]*B[k,j]", {{"A.0", 3}, {"B.1", 4}}, {{"A.0", "B.1"}}},
    {test::conv2d, {{"H", 9}, {"R", 12}, {"P", 0}}, {{"W", "H"}, {"S", "R"}}},
    {test::conv2d, {{"H", 9}, {"R", 3}, {"OH", 8}, {"P", 0}}, {{"W", "H"}, {"S", "R"}, {"OW", "OH"}}},
    {"kernel h(X: f32[2*N], Z: f32[M]) -> Y: f32[N] { Y[i] = X[2*i]*Z[0] }", {{"M", 7}}, {{"X.0", "M"}}},
};

/// The lines of `fix` that begin with `word`, without it; the first line has none.
std::vector<std::string> lines_of(const Error& error, const std::string& word) {
    std::vector<std::string> lines;
    std::istringstream all("\n  fix  " + error.fix);
    for (std::string line; std::getline(all, line);)
        if (line.starts_with("  " + word + " "))
            lines.push_back(line.substr(line.find_first_not_of(' ', 2 + word.size())));
    return lines;
}

/// "X.0 = 15 gives Y = 7, X.0 = 17 gives Y = 8": each is set alone and gives what it says.
void expect_near(const Case& c, const Kernel& kernel, const std::string& line) {
    static const std::regex proposal(R"(([\w.]+) = (\d+)(?: gives ([\w.]+) = (\d+))?)");
    for (std::sregex_iterator hit(line.begin(), line.end(), proposal), end; hit != end; ++hit) {
        Settings changed = c.known;
        changed[(*hit)[1]] = std::stoll((*hit)[2]);
        const auto s = refine(kernel, changed, c.equal);
        EXPECT_TRUE(s) << c.text << "\n" << hit->str() << "\n" << (s ? "" : format(s.error(), "-e"));
        if (s && (*hit)[3].matched) {
            EXPECT_EQ(test::size(s.value(), (*hit)[3]), (*hit)[4]) << c.text << "\n" << hit->str();
        }
    }
}

Dim& dim_of(Kernel& kernel, const std::string& tensor, int d) {
    for (Tensor& t : kernel.tensors)
        if (t.name == tensor && t.dims) return t.dims->at(static_cast<std::size_t>(d));
    throw std::runtime_error("`" + tensor + "` has no declared dims");
}

std::optional<Kernel> padded(Kernel kernel, const std::string& tensor, int d, std::int64_t by) {
    Dim& dim = dim_of(kernel, tensor, d);
    dim.pad_low = dim.pad_low.defined() ? make_binary(BinaryOp::add, dim.pad_low, Expr(by)) : Expr(by);
    return check(std::move(kernel)).value();
}

/// Larger where it is declared, or else where it is given.
bool solves_larger(Case c, Kernel kernel, const std::string& tensor, int d, std::int64_t by) {
    if (kernel.tensor(tensor).dims) {
        Dim& dim = dim_of(kernel, tensor, d);
        dim.extent = make_binary(BinaryOp::add, dim.extent, Expr(by));
        return bool(refine(check(std::move(kernel)).value(), c.known, c.equal));
    }
    std::optional<std::int64_t>& given = c.known[tensor + "." + std::to_string(d)];
    given = given.value_or(0) + by;
    return bool(refine(kernel, c.known, c.equal));
}

/// The first line of the fix, where it says what to write. False when it leaves that to the reader.
bool follow_fix(const Case& c, const Kernel& kernel, const std::string& fix) {
    std::smatch found;
    if (std::regex_search(fix, found, std::regex(R"(pad dim (\d+) of `(\w+)` by (\d+) at the low end)"))) {
        const auto mended = padded(kernel, found[2], std::stoi(found[1]), std::stoll(found[3]));
        const auto s = refine(*mended, c.known, c.equal);
        EXPECT_TRUE(s) << c.text << "\n" << fix << "\n" << (s ? "" : format(s.error(), "-e"));
        return true;
    }
    if (std::regex_search(fix, found, std::regex(R"(make dim (\d+) of `(\w+)` larger by (\d+))"))) {
        EXPECT_TRUE(solves_larger(c, kernel, found[2], std::stoi(found[1]), std::stoll(found[3]))) << c.text << "\n"
                                                                                                   << fix;
        return true;
    }
    if (std::regex_search(fix, found, std::regex(R"(--set ([\w.]+)=INT)"))) {
        bool solved = false;
        std::string last;
        Settings changed = c.known;
        for (std::int64_t value = 1; value < 10 && !solved; value++) {
            changed[found[1]] = value;
            const auto s = refine(kernel, changed, c.equal);
            solved = bool(s) || s.error().kind == ErrorKind::underdetermined;  // another size is open still
            if (!s) last = format(s.error(), "-e");
        }
        EXPECT_TRUE(solved) << c.text << "\n" << fix << "\n" << last;
        return true;
    }
    return false;
}

TEST(Fix, EveryProposalAboutSizesSolves) {
    int near = 0, fixes = 0;
    for (const Case& c : cases) {
        const Kernel kernel = test::kernel_of(c.text);
        const auto wrong = refine(kernel, c.known, c.equal);
        ASSERT_FALSE(wrong) << c.text;
        for (const std::string& line : lines_of(wrong.error(), "near")) near++, expect_near(c, kernel, line);
        for (const std::string& line : lines_of(wrong.error(), "fix")) fixes += follow_fix(c, kernel, line) ? 1 : 0;
    }
    EXPECT_GE(near, 30);
    EXPECT_GE(fixes, 8);
}

TEST(Fix, AnIntermediateIsNeitherPaddedNorDeclared) {
    const auto fix_of = [](const std::string& text, const Settings& known) {
        return lines_of(solve(test::kernel_of(text), known).error(), "fix").front();
    };
    EXPECT_EQ(fix_of("kernel t(X: f32[N], W: f32[N]) -> Y: f32 { T[i] = 2*X[i]; Y[j] = T[j - 1]*W[j] }", {{"N", 5}}),
              "start the index later");
    EXPECT_EQ(fix_of("kernel t(X: f32[3]) -> Y: f32 { T[i] = 2*X[i]; Y[j] = T[-1]*X[j] }", {}),
              "name a later position");
    EXPECT_EQ(fix_of("kernel t(X: f32[3]) -> Y: f32 { T[i] = 2*X[i]; Y[j] = T[4]*X[j] }", {}),
              "name an earlier position, or make the ranges of the indices that write `T` larger by 2");
    EXPECT_EQ(fix_of("kernel t(X: f32[N]) -> Y: f32[4] { T[i] = X[i % 3]; Y[j] = T[j % 4] }", {}),
              "give the index that writes it a range, or set it: --set T.0=INT");
}

}  // namespace
}  // namespace halogen
