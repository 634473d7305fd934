#pragma once
// Machine code from lowered modules, on all processors.

#include "Halide.h"

#include <deque>
#include <future>
#include <string>

namespace halogen {

/// Turns modules into object files while the next ones are lowered: LLVM takes most of the time that a kernel takes to compile.
class Codegen {
public:
    /// With `at_once` a module is an object file when `add` returns, and what goes wrong is thrown there.
    explicit Codegen(bool at_once = false) : at_once_(at_once) {}
    ~Codegen();
    Codegen(const Codegen&) = delete;
    Codegen& operator=(const Codegen&) = delete;

    /// Errors: Halide::Error, here or from `wait`.
    void add(const Halide::Module& module, const std::string& object);
    /// Until all object files are there.
    void wait();

private:
    void wait_for_first();

    const bool at_once_;
    std::deque<std::future<void>> running_;
};

}  // namespace halogen
