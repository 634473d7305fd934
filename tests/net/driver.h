#pragma once
// What the driver of an archive needs: the memory of each call from a file, what became of it into another.

#include <halogen/kernel.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The tensors of one call, in blocks of malloc of exactly their size.
class Io {
public:
    Io(std::FILE* data, std::FILE* results) : data_(data), results_(results) {}
    ~Io() {
        for (auto& [memory, bytes] : blocks_) std::free(memory);
    }

    template<typename T, int Rank>
    halogen::View<T, Rank> tensor(std::size_t bytes, std::int64_t start, const std::array<std::int64_t, Rank>& extents,
                                  const std::array<std::int64_t, Rank>& strides) {
        void* memory = std::malloc(bytes);
        if (bytes > 0 && std::fread(memory, 1, bytes, data_) != bytes) std::abort();
        blocks_.emplace_back(memory, bytes);
        return {static_cast<T*>(memory) + start, extents, strides};
    }

    void done(const halogen::Status& status) {
        const std::string message(status ? std::string_view() : status.message());
        number(status ? 1 : 0);
        number(static_cast<std::int64_t>(message.size()));
        std::fwrite(message.data(), 1, message.size(), results_);
        number(static_cast<std::int64_t>(blocks_.size()));
        for (const auto& [memory, bytes] : blocks_) {
            number(static_cast<std::int64_t>(bytes));
            if (bytes > 0) std::fwrite(memory, 1, bytes, results_);
        }
        number(0x0d0e);
        std::fflush(results_);
    }

private:
    void number(std::int64_t n) { std::fwrite(&n, sizeof n, 1, results_); }

    std::FILE *data_, *results_;
    std::vector<std::pair<void*, std::size_t>> blocks_;
};

/// Calls from number `arguments[3]` on; `arguments` names the files of data and results, and the bytes to skip.
template<std::size_t Count>
int drive(void (*const (&calls)[Count])(Io&), char** arguments) {
    std::FILE *data = std::fopen(arguments[1], "rb"), *results = std::fopen(arguments[2], "wb");
    if (!data || !results || std::fseek(data, std::atol(arguments[4]), SEEK_SET) != 0) return 3;
    for (std::size_t i = std::strtoul(arguments[3], nullptr, 10); i < Count; i++) {
        Io io(data, results);
        calls[i](io);
    }
    std::fclose(results);
    return 0;
}
