#pragma once
// Halide without a voice of its own.

#include "Halide.h"

namespace halogen {

/// While it lives, Halide's warnings are not printed (16-bit floats emulated, and the like); its errors, internal ones too, are
/// CompileErrors.
class QuietHalide : public Halide::CompileTimeErrorReporter {
public:
    QuietHalide() { Halide::set_custom_compile_time_error_reporter(this); }
    ~QuietHalide() { Halide::set_custom_compile_time_error_reporter(nullptr); }
    QuietHalide(const QuietHalide&) = delete;
    QuietHalide& operator=(const QuietHalide&) = delete;
    void warning(const char*) override {}
    void error(const char* text) override { throw Halide::CompileError(text); }
};

}  // namespace halogen
