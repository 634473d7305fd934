#pragma once
// What compiled code hands back to Halide's handlers, which are one for a process: the call they work for.

#include <atomic>
#include <cstdint>
#include <cstring>

namespace halogen::detail {

/// The `user_context` of one call: where the first error inside it is written, and whether its loops may use the pool.
/// Other libraries pass other pointers, or none; ours is known by its tag and by pointing to itself.
struct alignas(16) CallContext {
    static constexpr std::uint64_t tag_value = 0x6861'6c6f'6765'6e21;  // "halogen!"

    std::uint64_t tag = tag_value;
    const CallContext* self = this;
    bool serial = false;
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

}  // namespace halogen::detail
