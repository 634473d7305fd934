#pragma once
// Random kernels for the solver: places of all forms, declared dims and undeclared ones, ranges that may be empty, pads,
// constants, several equations. Most of them can be solved.

#include "frontend/notation/program.h"
#include "tests/solve/seed.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace halogen::test {

class RandomKernel {
public:
    explicit RandomKernel(Dice& dice) : dice_(dice) {}

    std::string text() {
        const int equations = dice_.between(1, 3);
        std::string body;
        for (int e = 0; e < equations; ++e) {
            const bool last = e == equations - 1;
            body += equation(last ? "Y" : fmt::format("T{}", e)) + "; ";
            if (!last) made_.push_back(fmt::format("T{}", e));
        }
        std::string parameters;
        for (const char* name : {"X", "Z", "W"})
            parameters += fmt::format("{}{}: f32[{}]{}", parameters.empty() ? "" : ", ", name, dims(name),
                                      padded_ ? " else 0" : "");
        const char* const outputs[] = {"f32",     "f32",        "f32",      "f32[N]",
                                       "f32[OH]", "f32[M + 2]", "f32[2*N]", "f32[N - 1]"};
        return fmt::format("kernel k({}, K: size, P: size) -> Y: {} {{ {}}}", parameters, outputs[dice_.between(0, 7)],
                           body);
    }

private:
    template<std::size_t Count>
    std::string any(const char* const (&list)[Count]) {
        return list[dice_.between(0, Count - 1)];
    }

    std::string dims(const std::string& name) {
        static const char* const plain[] = {"_", "_", "_", "N", "M", "A", "4"};
        static const char* const formulas[] = {"N + 3", "2*N", "N/2", "A + 3", "B - 1", "N*M", "2*A + B"};
        padded_ = dice_.chance(20);
        std::string text = dice_.chance(75) || name == "W" ? any(plain) : any(formulas);
        if (padded_) text += dice_.chance(50) ? " pad P" : " pad (1, 2)";
        return text;
    }

    std::string place(const std::string& index) {
        static const char* const forms[] = {"{0}",          "{0}",
                                            "{0}",          "{0} + 1",
                                            "2*{0}",        "2*{0} + 1",
                                            "{0} - P",      "{0} + P",
                                            "{0}/2",        "{0} % 4",
                                            "3 - {0}",      "abs({0} - 2)",
                                            "K*{0}",        "min({0}, 3)",
                                            "max({0}, 2)",  "{0} % (K + 1)",
                                            "{0}/K",        "N - 1 - {0}",
                                            "M - {0}",      "{0}*{0}",
                                            "{0} + {0}/2",  "max({0} - 3, 4 - {0})",
                                            "i32({0} + 1)", "({0} + 1) % 3"};
        return fmt::format(fmt::runtime(any(forms)), index);
    }

    std::string read() {
        if (dice_.chance(12)) return fmt::format("{}[{}]", tensor(), dice_.between(0, 2));
        if (dice_.chance(25)) {
            static const char* const pairs[] = {"i + k", "2*i + k",    "i - k",    "K*i + k",
                                                "i*k",   "abs(i - k)", "max(i, k)"};
            uses_k_ = true;
            return fmt::format("{}[{}]", tensor(), any(pairs));
        }
        const bool k = dice_.chance(25);
        uses_k_ = uses_k_ || k;
        return fmt::format("{}[{}]", tensor(), place(k ? "k" : "i"));
    }

    std::string tensor() {
        if (!made_.empty() && dice_.chance(50)) return made_[dice_.between(0, static_cast<int>(made_.size()) - 1)];
        return any({"X", "Z", "W"});
    }

    std::string equation(const std::string& left) {
        uses_k_ = false;
        const bool fixed = dice_.chance(8);
        std::string right = read();
        for (int more = dice_.between(0, 2); more > 0; --more) right += " * " + read();
        static const char* const places[] = {"i", "i", "i", "i", "i + 1", "2*i", "i + P", "abs(i - 2)", "min(i, 4)"};
        std::string at = any(places), where;
        if (fixed) at = "0";
        const bool has_k = uses_k_;
        if (has_k && dice_.chance(60)) where = " where k in " + range();
        if (dice_.chance(15)) where += (where.empty() ? " where i in " : ", i in ") + range();
        const bool has_i = at != "0" || right.find('i') != std::string::npos;
        if (!has_i && where.find("i in ") != std::string::npos && where.find("k in") == std::string::npos)
            where.clear();
        return fmt::format("{}[{}] += {}{}", left, at, right, where);
    }

    std::string range() { return any({"0:3", "1:4", "0:0", "0:K", "1:K", "P:K", "K:4", "0:M"}); }

    Dice& dice_;
    std::vector<std::string> made_;
    bool uses_k_ = false, padded_ = false;
};

}  // namespace halogen::test
