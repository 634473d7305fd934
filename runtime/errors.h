#pragma once
// Errors inside compiled code become a Status. Halide has one error handler for a process, which by default prints and
// aborts; ours stands in front of the one that was there and takes only the calls that carry our context.

#include "context.h"

#include "HalideRuntime.h"

#include <atomic>
#include <cstring>

namespace halogen::detail {

inline std::atomic<halide_error_handler_t>& previous_handler() {
    static std::atomic<halide_error_handler_t> handler{nullptr};
    return handler;
}

inline void handle_error(void* user_context, const char* text) {
    if (CallContext* context = our_context(user_context)) {
        if (!context->taken.test_and_set()) {
            std::strncpy(context->text, text ? text : "", sizeof context->text - 1);
            context->text[sizeof context->text - 1] = '\0';
        }
        return;
    }
    if (halide_error_handler_t previous = previous_handler().load()) previous(user_context, text);
}

/// Puts our handler in front of the present one. A program that sets a handler of its own after its first call of a
/// kernel calls this again.
inline void install_error_handler() {
    const halide_error_handler_t previous = halide_set_error_handler(&handle_error);
    if (previous != &handle_error) previous_handler().store(previous);
}
inline void install_error_handler_once() {
    static const bool installed = (install_error_handler(), true);
    (void)installed;
}

}  // namespace halogen::detail
