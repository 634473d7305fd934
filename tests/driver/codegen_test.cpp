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
        Codegen codegen;
        for (int i = 0; i < modules; i++)
            EXPECT_NO_THROW(codegen.add(module, "no/such/folder/f.o")) << "another module's error, of " << modules;
        EXPECT_THROW(codegen.wait(), Halide::Error) << modules;
    }
    EXPECT_THROW(Codegen(true).add(module, "no/such/folder/f.o"), Halide::Error);
}

}  // namespace
}  // namespace halogen
