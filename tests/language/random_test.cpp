// Random programs survive the round trip; random texts give an Error or a program, and nothing else.
// Each test prints its seed; HALOGEN_SEED=n repeats a run.

#include "examples.h"
#include "frontend/notation/builder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace halogen {
namespace {

std::uint64_t seed() {
    const char* given = std::getenv("HALOGEN_SEED");
    const std::uint64_t chosen = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("HALOGEN_SEED=%llu\n", static_cast<unsigned long long>(chosen));
    return chosen;
}

/// Right programs by construction: every expression is made of the type its place wants.
class ProgramMaker {
public:
    explicit ProgramMaker(std::uint64_t seed) : random_(seed) {}

    Result<Kernel> kernel(int number) {
        type_ = pick<Type>(
            {Type::f64, Type::f32, Type::f16, Type::bf16, Type::i8, Type::i32, Type::i64, Type::u8, Type::u32});
        std::vector<build::Parameter> parameters{declared(X, 2, type_), declared(V, 1, type_),
                                                 declared(I, 1, Type::i32), scalar_};
        if (coin()) parameters.push_back(coin() ? stride_ : build::Size("T"));
        const build::Tensor Z("Z"), Y = coin() ? build::Tensor("Y", type_) : build::Tensor("Y", type_, {size(), dim()});
        std::vector<build::Item> equations;
        equations.push_back(where(Z(i_) = number_(3)));
        if (coin()) equations.push_back(where(Z(i_) += number_(4)));
        equations.push_back(where(Y(left(), j_) = number_(4)));
        const build::Element element = Y(left(), j_);
        switch (below(4)) {
        case 0: equations.push_back(where(element += number_(5))); break;
        case 1: equations.push_back(where(element *= number_(2))); break;
        case 2: equations.push_back(where(element.max_of(number_(3)))); break;
        default: equations.push_back(where(element.min_of(number_(3))));
        }
        return build::kernel("k" + std::to_string(number), parameters, {Y}, equations);
    }

private:
    using V_ = build::Value;
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    bool coin() { return below(2) == 0; }
    template<typename T>
    T pick(std::initializer_list<T> items) {
        return *(items.begin() + below(static_cast<int>(items.size())));
    }

    V_ size() { return coin() ? V_(N_) : coin() ? V_(M_) : V_(below(9)); }
    V_ formula(int depth) {
        if (depth == 0) return size();
        const V_ a = formula(depth - 1), b = formula(below(depth));
        switch (below(6)) {
        case 0: return a + b;
        case 1: return a - b;
        case 2: return a * b;
        case 3: return a / (1 + below(5));
        case 4: return a % (1 + below(5));
        default: return coin() ? min(a, b) : max(a, b);
        }
    }
    /// Extents and pads that are surely no negative literal.
    build::Dim dim() { return coin() ? build::Dim(N_) : build::Dim(formula(2)); }
    build::Tensor declared(const build::Tensor& like, int rank, Type type) {
        std::vector<build::Dim> dims;
        bool padded = false;
        for (int d = 0; d < rank; ++d) {
            build::Dim one = below(8) == 0 ? build::Dim::open() : dim();
            if (below(3) == 0) {
                padded = true;
                one = coin() ? one.pad(formula(1)) : one.pad(formula(2), formula(1));
            }
            dims.push_back(one);
        }
        const build::Tensor t(like.tensor().name, type, dims);
        if (!padded || coin()) return t;
        if (coin())
            return t.otherwise(is_float(type) && coin() ? build::Value(below(1000) / 8.0) : build::Value(below(100)));
        using build::Mode;
        return t.otherwise(
            pick<Mode>({Mode::lowest, Mode::highest, Mode::edge, Mode::reflect, Mode::symmetric, Mode::wrap}));
    }

    double real() {
        switch (below(4)) {
        case 0: return below(1000) / 8.0;
        case 1: return std::ldexp(static_cast<double>(random_() >> 11), below(100) - 100);
        case 2: return below(10) * 1e20;
        default: return 0.1 * below(100);
        }
    }
    V_ place(int depth) {
        if (depth == 0) return pick<V_>({i_, j_, N_, below(5), i_, j_});
        const V_ a = place(depth - 1), b = place(below(depth));
        switch (below(9)) {
        case 0: return a + b;
        case 1: return a - b;
        case 2: return a * b;
        case 3: return a / (1 + below(4));
        case 4: return a % (1 + below(4));
        case 5: return -a;
        case 6: return coin() ? min(a, b) : max(a, b);
        case 7: return I(a);
        default: return abs(a);
        }
    }
    /// A left place: the index, at times moved or stretched.
    V_ left() { return coin() ? V_(i_) : coin() ? 2 * i_ + below(3) : V_(i_) + N_; }
    V_ read(int depth) {
        switch (below(4)) {
        case 0: return X(place(depth), place(0));
        case 1: return V(place(depth));
        case 2: return scalar_in_type();
        default: return cast(type_, I(place(0)));
        }
    }
    V_ scalar_in_type() { return cast(type_, scalar_); }
    V_ literal() {
        if (is_float(type_) && coin()) return coin() ? real() : -real();
        return pick<V_>({below(100), N_, i_, j_, 1});
    }
    V_ number_(int depth) {
        if (depth == 0) return coin() ? read(1) : literal();
        const V_ a = number_(depth - 1), b = number_(below(depth));
        switch (below(10)) {
        case 0: return a + b;
        case 1: return a - b;
        case 2: return a * b;
        case 3: return a / b;
        case 4: return a % b;
        case 5: return is_signed(type_) ? -a : b - a;  // `-5` fits no unsigned type
        case 6: return coin() ? min(a, b) : max(a, b);
        case 7: return select(truth(2), a, b);
        case 8: return is_float(type_) ? function(a) : abs(a);
        default: return cast(type_, cast(pick<Type>({Type::f32, Type::u8, Type::boolean}), a));
        }
    }
    V_ function(const V_& a) {
        switch (below(7)) {
        case 0: return exp(a);
        case 1: return sqrt(a);
        case 2: return floor(a);
        case 3: return tanh(a);
        case 4: return pow(a, 2);
        case 5: return sigmoid(a);
        default: return erf(a);
        }
    }
    V_ truth(int depth) {
        if (depth == 0) return coin() ? i_ < j_ : read(0) != scalar_in_type();
        const V_ a = truth(depth - 1), b = truth(below(depth));
        switch (below(6)) {
        case 0: return a && b;
        case 1: return a || b;
        case 2: return !a;
        case 3: return a == b;
        case 4: return place(1) >= place(1);
        default: return a;
        }
    }
    build::Equation where(const build::Equation& equation) {
        build::Equation e = equation;
        if (!coin() || e.equation().left.tensor == "Z") e = e.where(build::in(j_, formula(1), formula(2)));
        if (coin()) e = e.where(truth(2));
        const auto reduced = reduced_indices_of(e.equation());
        if (e.equation().op != Op::assign || reduced.empty()) return e;
        // `=` reduces nothing: the same equation with `+=`.
        halogen::Equation changed = e.equation();
        changed.op = Op::add;
        return build::Equation(changed);
    }

    std::mt19937_64 random_;
    Type type_ = Type::f32;
    const build::Index i_{"i"}, j_{"j"};
    const build::Size N_{"N"}, M_{"M"}, stride_{"T", 3};
    const build::Scalar scalar_{"a", Type::f32};
    const build::Tensor X{"X"}, V{"V"}, I{"I"};
};

TEST(Random, ProgramsSurviveTheRoundTrip) {
    const std::uint64_t first = seed();
    for (int round = 0; round < 400; ++round) {
        ProgramMaker make(first + static_cast<std::uint64_t>(round));
        const auto program = build::program({make.kernel(0), make.kernel(1)});
        ASSERT_TRUE(program) << "round " << round << ": " << format(program.error(), "built");
        const std::string text = print(program.value());
        const auto again = parse(text);
        ASSERT_TRUE(again) << text << format(again.error(), "printed");
        EXPECT_TRUE(again.value() == program.value()) << text << "\nbecame\n" << print(again.value());
        EXPECT_EQ(print(again.value()), text);
    }
}

/// Must not crash; what it takes for a program must round-trip, and an error must be complete and printable.
void swallow(const std::string& text) {
    const auto result = parse(text);
    if (result) {
        const auto again = parse(print(result.value()));
        ASSERT_TRUE(again) << text << "\n" << format(again.error(), "printed");
        EXPECT_TRUE(again.value() == result.value()) << text;
        return;
    }
    const Error& error = result.error();
    EXPECT_FALSE(error.what.empty()) << text;
    EXPECT_FALSE(error.fix.empty()) << text << "\n" << error.what;
    EXPECT_GE(error.at.line, 1) << text << "\n" << error.what;
    EXPECT_GE(error.at.column, 1) << text << "\n" << error.what;
    for (const char c : format(error, "-e"))
        EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << "byte " << int(c) << " in a message";
}

TEST(Random, AnyBytesGiveAnErrorOrAProgram) {
    std::mt19937_64 random(seed());
    for (int round = 0; round < 3000; ++round) {
        std::string text(random() % 60, '\0');
        for (char& c : text) c = static_cast<char>(random());
        swallow(text);
    }
}

TEST(Random, ShuffledTokensGiveAnErrorOrAProgram) {
    const char* const words[] = {"kernel", "f",      "(",
                                 ")",      "[",      "]",
                                 "{",      "}",      ":",
                                 "f32",    "size",   "X",
                                 "Y",      "N",      "i",
                                 "j",      "+",      "-",
                                 "*",      "/",      "%",
                                 "=",      "+=",     "max=",
                                 "==",     "<",      "where",
                                 "in",     "pad",    "else",
                                 "and",    "or",     "not",
                                 "0",      "1",      "0.5",
                                 "X.0",    "->",     ",",
                                 ";",      "\n",     "exp",
                                 "select", "lowest", "_",
                                 "#",      ".",      "e",
                                 "Y[i]",   "X[i]",   "9223372036854775808"};
    std::mt19937_64 random(seed());
    for (int round = 0; round < 5000; ++round) {
        std::string text;
        for (std::size_t n = random() % 30; n > 0; --n)
            text += std::string(words[random() % std::size(words)]) + (random() % 4 ? " " : "");
        swallow(text);
    }
}

TEST(Random, DamagedProgramsGiveAnErrorOrAProgram) {
    std::mt19937_64 random(seed());
    for (int round = 0; round < 5000; ++round) {
        std::string text = testing::examples[random() % std::size(testing::examples)].text;
        for (std::size_t n = 1 + random() % 3; n > 0; --n) {
            const std::size_t at = random() % text.size(), length = 1 + random() % 4;
            switch (random() % 4) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(at, text.substr(random() % text.size(), length)); break;
            case 2: text[at] = text[random() % text.size()]; break;
            default: text[at] = static_cast<char>(random());
            }
            if (text.empty()) text = "Y";
        }
        swallow(text);
    }
}

std::string repeated(const std::string& part, int times) {
    std::string text;
    for (int n = 0; n < times; ++n) text += part;
    return text;
}

TEST(Random, DepthIsRefusedBeforeTheStackRunsOut) {
    const int deep = 100000;
    const std::string texts[] = {
        "Y[i] = " + repeated("(", deep) + "1" + repeated(")", deep),
        "Y[i] = " + repeated("-", deep) + "1",
        "Y[i] = X[i] where " + repeated("not ", deep) + "i == 1",
        "Y[i] = " + repeated("X[", deep) + "i" + repeated("]", deep),
        "Y[i] = " + repeated("exp(", deep) + "1" + repeated(")", deep),
        "Y[i] = " + repeated("i32(", deep) + "1" + repeated(")", deep),
        "Y[i] = 1" + repeated(" + 1", deep),
        "Y[i] = 1" + repeated("*2", deep),
        "Y[i] = X[i] where i == 1" + repeated(" and i == 1", deep),
        "Y[i] = X[i] where i == 1" + repeated(" or i == 1", deep),
        "kernel f(X: f32[" + repeated("(", deep) + "N" + repeated(")", deep) + "]) -> Y: f32 { Y[i] = X[i] }",
        "kernel f(X: f32[N pad 1" + repeated(" + 1", deep) + "]) -> Y: f32 { Y[i] = X[i] }",
    };
    for (const std::string& text : texts) {
        const auto result = parse(text);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, ErrorKind::too_complex) << text.substr(0, 40);
        EXPECT_LT(result.error().equation.size(), 300u);
    }
    for (const std::string& text : {repeated("(", deep), repeated("{", deep), repeated("Y[", deep), repeated(")", deep),
                                    repeated("kernel ", deep)})
        EXPECT_FALSE(parse(text));
}

TEST(Random, LongProgramsAreFine) {
    std::string text = "Y0[i] = X[i]";
    for (int n = 1; n < 500; ++n) text += "\nY" + std::to_string(n) + "[i] = Y" + std::to_string(n - 1) + "[i] + 1";
    EXPECT_TRUE(parse(text));
    EXPECT_TRUE(parse("Y[i] = 1" + repeated(" + X[i]", 900)));
    EXPECT_TRUE(parse("Y[i] = " + repeated("(", 150) + "1" + repeated(")", 150)));
    std::string places = "i0";
    for (int d = 1; d < 16; ++d) places += ", i" + std::to_string(d);
    EXPECT_TRUE(parse("Y[" + places + "] = X[" + places + "]"));
    for (int d = 16; d < 300; ++d) places += ", i" + std::to_string(d);
    EXPECT_EQ(parse("Y[" + places + "] = X[" + places + "]").error().what, "`Y` has 300 dims; a tensor has at most 16");
}

}  // namespace
}  // namespace halogen
