#pragma once
// What compiled code hands back to Halide's handlers, which are one for a process: the call they work for.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace halogen::detail {

/// The `user_context` of one call: where the first error inside it is written, and whether its loops may use the pool.
/// Other libraries pass pointers or numbers of their own, or none: ours is known by standing in the list of live contexts, and
/// what is not in it is never looked into. A context for which the list has no room waits for another to end.
struct CallContext {
    bool serial = false;
    std::atomic_flag taken = ATOMIC_FLAG_INIT;
    char text[496];

    CallContext();
    ~CallContext();
    CallContext(const CallContext&) = delete;
    CallContext& operator=(const CallContext&) = delete;

private:
    std::atomic<const void*>* place_;
};

constexpr std::size_t most_live_contexts = 256;  // calls at one time, not threads
inline constinit std::atomic<const void*> live_contexts[most_live_contexts]{};

/// Where to begin to look for `pointer` (multiplicative hashing: Knuth, The Art of Computer Programming, vol. 3, 6.4).
inline std::size_t first_place(const void* pointer) {
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(pointer) * 0x9E37'79B9'7F4A'7C15u >> 56);
}

inline CallContext::CallContext() {
    text[0] = '\0';
    for (std::size_t i = first_place(this), tried = 1;; i++, tried++) {
        place_ = &live_contexts[i % most_live_contexts];
        const void* none = nullptr;
        if (place_->compare_exchange_strong(none, this, std::memory_order_acq_rel)) return;
        if (tried % most_live_contexts == 0) std::this_thread::yield();
    }
}
inline CallContext::~CallContext() { place_->store(nullptr, std::memory_order_release); }

/// `pointer` as our context, or null.
inline CallContext* our_context(void* pointer) {
    if (!pointer) return nullptr;
    for (std::size_t i = first_place(pointer), tried = 0; tried < most_live_contexts; i++, tried++)
        if (live_contexts[i % most_live_contexts].load(std::memory_order_acquire) == pointer)
            return static_cast<CallContext*>(pointer);
    return nullptr;
}

}  // namespace halogen::detail
