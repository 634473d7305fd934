#pragma once
// The border to Halide's exceptions.

#include "frontend/base/error.h"
#include "schedules/bind/quiet_halide.h"

#include <string>

namespace halogen {

/// Runs `body` without Halide's warnings and turns its complaints about what it was given into Failures.
template<typename Body>
auto with_halide(Body&& body) {
    const QuietHalide quiet;
    try {
        return body();
    } catch (const Halide::Error& error) {
        throw Failure(Error{ErrorKind::too_complex,
                            std::string("Halide refuses the kernel: ") + error.what(),
                            {},
                            "",
                            "simplify the kernel or its history"});
    }
}

}  // namespace halogen
