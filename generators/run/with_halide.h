#pragma once
// The border to Halide's exceptions.

#include "frontend/base/error.h"

#include "Halide.h"

#include <stdexcept>
#include <string>

namespace halogen {

/// Runs `body` and turns Halide's complaints about what it was given into Failures; a defect of Halide or ours into a
/// std::logic_error.
template<typename Body>
auto with_halide(Body&& body) {
    try {
        return body();
    } catch (const Halide::CompileError& error) {
        throw Failure(Error{ErrorKind::too_complex,
                            std::string("Halide refuses the kernel: ") + error.what(),
                            {},
                            "",
                            "simplify the kernel or its history"});
    } catch (const Halide::RuntimeError& error) {
        throw Failure(
            Error{ErrorKind::too_complex, std::string("Halide stopped: ") + error.what(), {}, "", "use smaller sizes"});
    } catch (const Halide::InternalError& error) {
        throw std::logic_error(error.what());
    }
}

}  // namespace halogen
