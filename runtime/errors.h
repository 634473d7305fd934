#pragma once
// Errors inside compiled code become a Status. Halide has one error handler for a process, which by default prints and
// aborts; ours stands in front of the one that was there and takes only the calls that carry our context.

#include "HalideRuntime.h"

#include <atomic>
#include <cstdint>
#include <cstring>

namespace halogen::detail {

/// The `user_context` of one call: where the first error inside it is written. Other libraries pass other pointers, or
/// none; ours is known by its tag and by pointing to itself.
struct alignas(16) CallContext {
    static constexpr std::uint64_t tag_value = 0x6861'6c6f'6765'6e21;  // "halogen!"

    std::uint64_t tag = tag_value;
    const CallContext* self = this;
    std::atomic_flag taken = ATOMIC_FLAG_INIT;
    char text[496];

    CallContext() { text[0] = '\0'; }
    CallContext(const CallContext&) = delete;
    CallContext& operator=(const CallContext&) = delete;
};

/// `pointer` as our context, or null. Reads 16 aligned bytes, which no page boundary cuts.
inline CallContext* our_context(void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address < 4096 || address % alignof(CallContext) != 0) return nullptr;
    std::uint64_t tag = 0;
    std::memcpy(&tag, pointer, sizeof tag);
    if (tag != CallContext::tag_value) return nullptr;
    auto* context = static_cast<CallContext*>(pointer);
    return context->self == context ? context : nullptr;
}

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
