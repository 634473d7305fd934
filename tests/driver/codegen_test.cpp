// Machine code from lowered modules, on all processors.

#include "generators/compile/codegen.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

TEST(Codegen, WhatCannotBeWrittenIsAnErrorHoweverManyModulesAreUnderWay) {
    Halide::Func f("f");
    Halide::Var x("x");
    f(x) = x;
    const Halide::Module module = f.compile_to_module({}, "f", Halide::Target("x86-64-linux-sse41-no_runtime"));
    for (const int modules : {1, 9}) {
        const auto compile_all = [&] {
            Codegen codegen;
            for (int i = 0; i < modules; i++) codegen.add(module, "no/such/folder/f.o");
            codegen.wait();
        };
        EXPECT_THROW(compile_all(), Halide::Error) << modules;
    }
}

}  // namespace
}  // namespace halogen
