// Blocks of intermediates that are kept from call to call.

#include <halogen/memory.h>

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace halogen {
namespace {

using detail::BlockCache;

constexpr std::size_t kib = 1024, mib = 1024 * kib;

class Memory : public testing::Test {
protected:
    void* take(std::size_t size) {
        void* memory = cache_.take(nullptr, size);
        std::memset(memory, 1, size);
        return memory;
    }
    void give_back(void* memory) { cache_.give_back(nullptr, memory); }
    ~Memory() override { cache_.clear(); }

    BlockCache cache_;
};

TEST_F(Memory, ABlockThatWasGivenBackIsTheNextOneOfItsSize) {
    void* first = take(mib);
    void* second = take(mib);
    EXPECT_NE(first, second);
    give_back(first);
    EXPECT_EQ(take(mib), first);
    give_back(second);
    give_back(first);
}

TEST_F(Memory, ABlockServesWhatIsNoSmallerThanHalfOfIt) {
    void* block = take(mib);
    give_back(block);
    EXPECT_EQ(take(mib - 1), block);
    give_back(block);
    EXPECT_EQ(take(mib / 2), block);
    give_back(block);
    void* small = take(mib / 2 - 1);
    EXPECT_NE(small, block);
    void* large = take(mib + 1);
    EXPECT_NE(large, block);
    give_back(small);
    give_back(large);
}

TEST_F(Memory, SmallBlocksAreTheAllocators) {
    void* block = take(BlockCache::least - 1);
    give_back(block);
    give_back(nullptr);
}

TEST_F(Memory, NoMoreThanALimitIsKept) {
    std::vector<void*> blocks;
    for (int i = 0; i < 5; i++) blocks.push_back(take(16 * mib));
    for (void* block : blocks) give_back(block);
    EXPECT_EQ(cache_.kept(), BlockCache::most_kept);
    void* huge = take(BlockCache::most_kept + 1);
    give_back(huge);
    EXPECT_EQ(cache_.kept(), BlockCache::most_kept);
    cache_.clear();
    EXPECT_EQ(cache_.kept(), 0u);
}

TEST_F(Memory, MoreBlocksThanThereArePlacesForAreTheAllocators) {
    std::vector<void*> blocks;
    for (int i = 0; i < 100; i++) blocks.push_back(take(BlockCache::least));
    for (void* block : blocks) give_back(block);
    EXPECT_EQ(cache_.kept(), BlockCache::most_blocks * BlockCache::least);
    for (int i = 0; i < 100; i++) blocks[static_cast<std::size_t>(i)] = take(2 * BlockCache::least + 1);  // others go
    for (void* block : blocks) give_back(block);
    EXPECT_EQ(cache_.kept(), BlockCache::most_blocks * (2 * BlockCache::least + 1));
}

TEST_F(Memory, ThreadsHaveBlocksOfTheirOwn) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([this, t] {
            for (int i = 0; i < 1000; i++) {
                auto* bytes = static_cast<unsigned char*>(cache_.take(nullptr, BlockCache::least + 64 * (i % 3)));
                std::memset(bytes, t, BlockCache::least);
                EXPECT_EQ(bytes[i], t);
                cache_.give_back(nullptr, bytes);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

void* own_malloc(void* context, std::size_t size) { return halide_default_malloc(context, size); }

TEST(MemoryOfAProgram, WithAnAllocatorOfItsOwnIsLeftAlone) {
    halide_set_custom_malloc(&own_malloc);
    detail::install_memory_once();
    EXPECT_EQ(halide_set_custom_malloc(&halide_default_malloc), &own_malloc);
    EXPECT_EQ(halide_set_custom_free(&halide_default_free), &halide_default_free);
}

}  // namespace
}  // namespace halogen
