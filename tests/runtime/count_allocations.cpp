// Counts what the program allocates with new. Apart from its users, so that no compiler looks through it.

#include <atomic>
#include <cstdlib>
#include <new>

std::atomic<long> halogen_test_allocations{0};

void* operator new(std::size_t size) {
    halogen_test_allocations++;
    if (void* p = std::malloc(size ? size : 1)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
