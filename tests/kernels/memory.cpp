#include "tests/kernels/memory.h"

#include <sys/mman.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace halogen::testing {

std::uint64_t seed() {
    static const std::uint64_t value = [] {
        const char* text = std::getenv("HALOGEN_SEED");
        return text ? std::strtoull(text, nullptr, 10) : 20240229;
    }();
    return value;
}

GuardedPages::GuardedPages(std::size_t bytes) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (bytes + page - 1) / page * page;
    void* all = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::byte*>(all) + page;
    end_ = begin_ + inner;
    if (mprotect(begin_, inner, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

GuardedPages::~GuardedPages() {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    munmap(begin_ - page, static_cast<std::size_t>(end_ - begin_) + 2 * page);
}

std::string to_string(Placement placement) {
    constexpr const char* names[] = {"right behind a guard page", "right before a guard page",
                                     "one element past alignment"};
    return names[static_cast<int>(placement)];
}

std::string to_string(Layout layout) {
    constexpr const char* names[] = {"row-major",  "column-major", "padded", "reversed",
                                     "transposed", "spread",       "mixed"};
    return names[static_cast<int>(layout)];
}

std::vector<std::int64_t> strides_of(Layout layout, const std::vector<std::int64_t>& extents) {
    const int rank = static_cast<int>(extents.size());
    std::vector<int> inner_first(rank);
    for (int d = 0; d < rank; d++) inner_first[d] = layout == Layout::column_major ? d : rank - 1 - d;
    if (layout == Layout::transposed && rank > 1) std::swap(inner_first[0], inner_first[1]);
    const std::int64_t gap = layout == Layout::padded ? 3 : layout == Layout::transposed ? 1 : 0;
    std::int64_t stride = layout == Layout::spread ? 2 : 1;
    std::vector<std::int64_t> strides(rank);
    for (int d : inner_first) {
        strides[d] = layout == Layout::reversed ? -stride : stride;
        stride = stride * std::max<std::int64_t>(extents[d], 1) + gap;
    }
    return strides;
}

namespace {

char last_words[512] = "";

void die_loudly(int signal_number) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, last_words, std::strlen(last_words));
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

}  // namespace

void announce(const std::string& what) {
    static const bool installed = [] {
        for (int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(s, die_loudly);
        return true;
    }();
    (void)installed;
    std::snprintf(last_words, sizeof last_words, "\nthe program died in: %s\n", what.c_str());
}

}  // namespace halogen::testing
