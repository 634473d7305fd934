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

    bool at_once() const { return at_once_; }
    /// Errors: Halide::Error, with `at_once`; else `wait` gives it, for here it would be taken for an error of this module.
    void add(const Halide::Module& module, const std::string& object);
    /// Until all object files are there. Errors: Halide::Error, of the first module that could not be compiled.
    void wait();

private:
    const bool at_once_;
    std::deque<std::future<void>> running_;
    std::size_t ended_ = 0;  // the first of `running_`, whose errors nobody has seen
};

}  // namespace halogen
