#pragma once
// A kernel from its text, for tests whose texts are right.

#include "frontend/notation/program.h"

#include <gtest/gtest.h>

#include <string>

namespace halogen::testing {

inline Kernel read(const std::string& text) {
    auto result = parse(text);
    EXPECT_TRUE(result) << text << "\n" << (result ? "" : format(result.error(), "text"));
    return result ? result.value().kernels[0] : Kernel{};
}

}  // namespace halogen::testing
