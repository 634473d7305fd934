// Formulas read from text: what binds to what. The smallest kind of text has letters, digits and `min(`.

#include "frontend/formula/read.h"

#include <gtest/gtest.h>

#include <cctype>
#include <stdexcept>
#include <string>

namespace halogen {
namespace {

class Letters : public FormulaReader {
public:
    explicit Letters(std::string_view text) : left_(text) {}
    bool at_end() const { return left_.empty(); }

protected:
    bool take(std::string_view sign) override {
        const bool comes = left_.starts_with(sign);
        if (comes) left_.remove_prefix(sign.size());
        return comes;
    }
    void expect(std::string_view sign) override {
        if (!take(sign)) throw std::runtime_error("expected " + std::string(sign));
    }
    std::optional<Function> take_function() override {
        if (!take("min(")) return std::nullopt;
        return [](const Formula& a, const Formula& b) { return min(a, b); };
    }
    Formula leaf() override {
        const char c = left_.empty() ? '?' : left_.front();
        if (!std::isalnum(static_cast<unsigned char>(c))) throw std::runtime_error("expected an operand");
        left_.remove_prefix(1);
        return std::isdigit(static_cast<unsigned char>(c)) ? Formula(c - '0') : Formula::symbol({c});
    }
    [[noreturn]] void fail_nested() override { throw std::runtime_error("too deep"); }

private:
    std::string_view left_;
};

std::string read(const std::string& text) {
    try {
        Letters reader(text);
        const std::string printed = print(reader.sum());
        return reader.at_end() ? printed : printed + " and more";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

TEST(Read, SignsBindAsInTheNotation) {
    const std::pair<const char*, const char*> rows[] = {
        {"2*H+(W-1)/T", "2*H + (W - 1)/T"},
        {"a-b-c", "a - b - c"},
        {"a/b*c", "c*(a/b)"},
        {"a-b%c", "a - b % c"},
        {"-a/b", "(-a)/b"},
        {"a*-b", "-a*b"},
        {"-(a-b)", "b - a"},
        {"min(a,b+1,c)", "min(min(b + 1, a), c)"},
        {"--a", "a"},
    };
    for (const auto& [text, printed] : rows) EXPECT_EQ(read(text), printed) << text;
}

TEST(Read, WhatIsNoSumIsRefused) {
    EXPECT_EQ(read("a+"), "expected an operand");
    EXPECT_EQ(read("(a"), "expected )");
    EXPECT_EQ(read("min(a)"), "expected ,");
    EXPECT_EQ(read("a b"), "a and more");
}

TEST(Read, OperandsWithinEachOtherAreNoMoreThan200) {
    EXPECT_EQ(read(std::string(199, '(') + "a" + std::string(199, ')')), "a");
    EXPECT_EQ(read(std::string(200, '(') + "a" + std::string(200, ')')), "too deep");
    EXPECT_EQ(read(std::string(100000, '-') + "a"), "too deep");
}

}  // namespace
}  // namespace halogen
