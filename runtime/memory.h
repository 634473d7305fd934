#pragma once
// Memory of intermediates, kept from call to call: an operating system clears each page that it hands out, which takes longer than
// many a kernel that works on it (a local contrast of 512x512 f32: 1.2 ms with fresh pages, 0.4 with kept ones).

#include "HalideRuntime.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>

#if defined(__SANITIZE_ADDRESS__)
#define HALOGEN_KEEPS_MEMORY 0
#elif defined(__has_feature)
#define HALOGEN_KEEPS_MEMORY !__has_feature(address_sanitizer)
#else
#define HALOGEN_KEEPS_MEMORY 1
#endif

namespace halogen {
namespace detail {

/// Large blocks of Halide's allocator, each in use or kept. Safe for threads.
class BlockCache {
public:
    /// Smaller ones are the allocator's own matter, which keeps them too.
    static constexpr std::size_t least = std::size_t(1) << 15;
    static constexpr std::size_t most_kept = std::size_t(1) << 26;  // bytes in all that no call uses
    static constexpr std::size_t most_blocks = 64;

    /// `size` bytes or more. Null: no memory.
    void* take(void* user_context, std::size_t size) {
        if (size < least) return halide_default_malloc(user_context, size);
        const std::lock_guard lock(mutex_);
        Block* best = nullptr;
        for (Block& block : blocks_)
            if (block.memory && !block.used && block.size >= size && block.size / 2 <= size &&
                (!best || block.size < best->size))
                best = &block;
        if (best) {
            best->used = true;
            kept_ -= best->size;
            return best->memory;
        }
        void* memory = halide_default_malloc(user_context, size);
        if (!memory && release(user_context)) memory = halide_default_malloc(user_context, size);
        if (Block* place = memory ? free_place(user_context) : nullptr) *place = {memory, size, true};
        return memory;
    }

    void give_back(void* user_context, void* memory) {
        if (!memory) return;
        const std::lock_guard lock(mutex_);
        const auto block =
            std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.memory == memory && b.used; });
        if (block == blocks_.end()) return halide_default_free(user_context, memory);
        if (block->size > most_kept) {
            *block = {};
            return halide_default_free(user_context, memory);
        }
        block->used = false;
        kept_ += block->size;
        while (kept_ > most_kept) drop_largest(user_context);
    }

    /// Gives all that no call uses to the operating system.
    void clear() {
        const std::lock_guard lock(mutex_);
        release(nullptr);
    }

    /// Bytes that no call uses.
    std::size_t kept() const {
        const std::lock_guard lock(mutex_);
        return kept_;
    }

private:
    struct Block {
        void* memory = nullptr;
        std::size_t size = 0;
        bool used = false;
    };

    bool release(void* user_context) {
        const bool any = kept_ > 0;
        while (kept_ > 0) drop_largest(user_context);
        return any;
    }

    /// There is a block that no call uses.
    void drop_largest(void* user_context) {
        Block* largest = nullptr;
        for (Block& block : blocks_)
            if (block.memory && !block.used && (!largest || block.size > largest->size)) largest = &block;
        kept_ -= largest->size;
        halide_default_free(user_context, largest->memory);
        *largest = {};
    }

    /// Null where calls use as many blocks as there are places.
    Block* free_place(void* user_context) {
        for (int tries = 0; tries < 2; tries++) {
            const auto place = std::find_if(blocks_.begin(), blocks_.end(), [](const Block& b) { return !b.memory; });
            if (place != blocks_.end()) return &*place;
            if (kept_ == 0) return nullptr;
            drop_largest(user_context);
        }
        return nullptr;
    }

    mutable std::mutex mutex_;
    std::array<Block, most_blocks> blocks_{};
    std::size_t kept_ = 0;
};

/// One for the process. It outlives the threads of Halide's pool, which nobody joins.
inline BlockCache& block_cache() {
    static BlockCache& cache = *new BlockCache;
    return cache;
}

/// Kernels take their memory from the cache, unless the program has an allocator of its own, or AddressSanitizer looks on.
inline void install_memory_once() {
#if HALOGEN_KEEPS_MEMORY
    static const bool installed = [] {
        const halide_free_t free_before =
            halide_set_custom_free([](void* context, void* memory) { block_cache().give_back(context, memory); });
        const halide_malloc_t malloc_before =
            halide_set_custom_malloc([](void* context, std::size_t size) { return block_cache().take(context, size); });
        if (malloc_before != &halide_default_malloc || free_before != &halide_default_free) {
            halide_set_custom_malloc(malloc_before);
            halide_set_custom_free(free_before);
        }
        return true;
    }();
    (void)installed;
#endif
}

}  // namespace detail

/// Kernels keep up to 64 MiB of what they last used for intermediates; this gives it back.
inline void release_memory() { detail::block_cache().clear(); }

}  // namespace halogen
