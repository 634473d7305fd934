#pragma once
// What a peer written in C++ shares with the others: an operation as the driver describes it, memory, and the loop that
// answers the driver. ../processes.py has the other end; docs/benchmarks.md tells what they say to each other.

#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// Memory that begins as zeros. A megabyte or more asks for huge pages, as NumPy's does, and starts at another offset in its
/// page than the one before, so that large tensors do not all fall on the same sets of a cache.
class Block {
public:
    explicit Block(std::size_t bytes) {
        static std::size_t number = 0;
        const bool large = bytes >= (1u << 20);
        const std::size_t alignment = large ? 2u << 20 : 64, offset = large ? 320 * (number++ % 12) : 0;
        const std::size_t whole = (bytes + offset + 64 + alignment - 1) / alignment * alignment;
        base_.reset(std::aligned_alloc(alignment, whole));
        if (!base_) throw std::bad_alloc();
        if (large) madvise(base_.get(), whole, MADV_HUGEPAGE);
        std::memset(base_.get(), 0, whole);
        data_ = static_cast<char*>(base_.get()) + offset;
    }
    char* data() const { return data_; }

private:
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    std::unique_ptr<void, Free> base_;
    char* data_;
};

struct Tensor {
    std::int64_t item_bytes = 0;
    std::vector<std::int64_t> extents;
    std::int64_t size() const {
        return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
    }
};

/// One way of a peer to compute the operation. `prepare` and `finish` run around the checked call alone: they bring operands
/// and results from and to the caller's layout.
struct Form {
    std::string name;
    std::function<void()> call, prepare = {}, finish = {};
};

/// An operation as `operation.txt` in its folder tells it, and the memory of one peer for it.
class Operation {
public:
    Operation(std::string folder, int threads) : threads(threads), folder_(std::move(folder)) {
        std::ifstream file(folder_ + "/operation.txt");
        if (!file) throw std::runtime_error("cannot read " + folder_ + "/operation.txt");
        for (std::string line, word, name; std::getline(file, line);) {
            std::istringstream words(line);
            words >> word >> name;
            if (word == "kind") kind = name;
            if (word == "number") words >> numbers_[name];
            if (word == "word") words >> words_[name];
            if (word == "form") form_lines.push_back(line.substr(5));
            if (word != "input" && word != "result") continue;
            Tensor& tensor = word == "input" ? tensors_[name] : result_;
            words >> tensor.item_bytes;
            for (std::int64_t extent; words >> extent;) tensor.extents.push_back(extent);
        }
    }

    std::int64_t operator[](const std::string& name) const { return found(numbers_, name); }
    /// A word, empty when the operation has none of that name.
    std::string word(const std::string& name) const { return words_.contains(name) ? words_.at(name) : ""; }
    bool has_input(const std::string& name) const { return tensors_.contains(name); }
    const Tensor& tensor(const std::string& name) const { return found(tensors_, name); }
    std::int64_t result_size() const { return result_.size(); }
    std::int64_t result_bytes() const { return result_.size() * result_.item_bytes; }

    template<typename T>
    T* input(const std::string& name) {
        const Tensor& tensor = found(tensors_, name);
        auto& block = blocks_[name];
        if (!block) {
            block = std::make_unique<Block>(bytes_of(tensor));
            std::ifstream file(folder_ + "/" + name + ".raw", std::ios::binary);
            file.read(block->data(), bytes_of(tensor));
            if (!file) throw std::runtime_error("cannot read " + folder_ + "/" + name + ".raw");
        }
        return reinterpret_cast<T*>(block->data());
    }
    template<typename T>
    T* result() {
        return scratch<T>("RESULT", result_.size() * result_.item_bytes / static_cast<std::int64_t>(sizeof(T)));
    }
    /// Memory of the peer's own, the same for the same name.
    template<typename T>
    T* scratch(const std::string& name, std::int64_t elements) {
        auto& block = blocks_[name];
        if (!block) block = std::make_unique<Block>(static_cast<std::size_t>(elements) * sizeof(T));
        return reinterpret_cast<T*>(block->data());
    }

    void add(std::string name, std::function<void()> call) { forms.push_back({std::move(name), std::move(call)}); }

    /// Calls a form once and writes its result for the driver to compare.
    void check(const Form& form) {
        char* data = result<char>();
        std::memset(data, 0, static_cast<std::size_t>(result_bytes()));
        if (form.prepare) form.prepare();
        form.call();
        if (form.finish) form.finish();
        std::ofstream(folder_ + "/result.raw", std::ios::binary).write(data, result_bytes());
    }

    std::string kind;
    std::vector<std::string> form_lines;
    std::vector<Form> forms;
    int threads;

private:
    static std::int64_t bytes_of(const Tensor& tensor) { return tensor.size() * tensor.item_bytes; }
    template<typename Map>
    static const typename Map::mapped_type& found(const Map& map, const std::string& name) {
        const auto at = map.find(name);
        if (at == map.end()) throw std::runtime_error("the operation has no " + name);
        return at->second;
    }

    std::string folder_;
    std::map<std::string, std::int64_t> numbers_;
    std::map<std::string, std::string> words_;
    std::map<std::string, Tensor> tensors_;
    std::map<std::string, std::unique_ptr<Block>> blocks_;
    Tensor result_;
};

/// Seconds that `calls` calls take.
inline double seconds(const Form& form, long calls) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    for (long i = 0; i < calls; i++) form.call();
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Answers the driver until it closes the pipe. `open` adds the peer's forms to an operation, none where it has no words for
/// it. `argv[1]` is the number of threads.
inline int serve(int argc, char** argv, const std::string& version, const std::function<void(Operation&)>& open) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    std::unique_ptr<Operation> operation;
    std::cout << "ready " << version << std::endl;
    for (std::string line, verb; std::getline(std::cin, line);) {
        std::istringstream words(line);
        words >> verb;
        try {
            std::size_t form = 0;
            long calls = 0, batches = 0;
            if (verb == "open") {
                std::string folder;
                words >> folder;
                operation = std::make_unique<Operation>(folder, threads);
                open(*operation);
                std::cout << "forms " << operation->forms.size();
                for (const Form& f : operation->forms) std::cout << '\t' << f.name;
            } else if (verb == "check") {
                words >> form;
                operation->check(operation->forms.at(form));
                std::cout << "checked";
            } else if (verb == "time") {
                words >> form >> calls >> batches;
                std::cout << "took";
                operation->forms.at(form).call();
                while (batches-- > 0) std::cout << ' ' << seconds(operation->forms.at(form), calls);
            } else if (verb == "close") {
                operation.reset();
                std::cout << "closed";
            }
        } catch (const std::exception& e) {
            std::string text = e.what();
            for (char& c : text) c = c == '\n' ? ' ' : c;
            std::cout << "failed " << text;
        }
        std::cout << std::endl;
    }
    return 0;
}

}  // namespace bench
