#pragma once
// The shards of a plan, run on threads by calls of a compiled kernel on parts of its tensors:
//
//   const auto parts = halogen::ShardParts::parse(text);  // printed by `halogen shard matmul --set … --split i=4 --parts`
//   const halogen::Status done = halogen::run_shards(*parts, 2, [&](const halogen::Shard& s) {
//       return halogen::kernels::matmul(s.of<2>("A", a), s.of<2>("B", b), s.of<2>("C", c), {.threads = 1});
//   });
//
// Needs no kernel itself, and allocates no tensors: parts are views of the same memory.

#include "status.h"
#include "view.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace halogen {

/// Which part of each tensor a shard works on. Units: elements.
class ShardParts {
public:
    struct Part {
        std::vector<std::int64_t> low, extents;
    };

    /// Reads what `halogen shard --parts` printed. Errors: kernel (a text that is none, with its line).
    static StatusOr<ShardParts> parse(std::string_view text) {
        ShardParts parts;
        std::istringstream lines{std::string(text)};
        int number = 0;
        for (std::string line; std::getline(lines, line);) {
            number++;
            std::istringstream words(line.substr(0, line.find('#')));
            std::string word;
            if (!(words >> word)) continue;
            if (!parts.take(word, words))
                return detail::failed(StatusCode::kernel, "line {} is no line that `halogen shard --parts` prints",
                                      {number});
        }
        if (parts.shards_.empty())
            return detail::failed(StatusCode::kernel, "there are no shards: print them by `halogen shard --parts`");
        return parts;
    }

    int count() const { return static_cast<int>(shards_.size()); }
    /// Null for a tensor that the kernel does not have.
    const Part* part(int shard, std::string_view tensor) const {
        return find(shards_[static_cast<std::size_t>(shard)], tensor);
    }
    const std::vector<std::int64_t>* extents(std::string_view tensor) const { return find(extents_, tensor); }

private:
    template<typename T>
    static const T* find(const std::map<std::string, T, std::less<>>& all, std::string_view name) {
        const auto found = all.find(name);
        return found == all.end() ? nullptr : &found->second;
    }

    bool take(const std::string& word, std::istringstream& words) {
        std::string name;
        if (word == "halogen" || word == "kernel" || word == "key") return true;
        if (word == "shard") {
            shards_.emplace_back();
            return true;
        }
        if (!(words >> name) || (word != "tensor" && word != "part") || (word == "part" && shards_.empty()))
            return false;
        std::vector<std::int64_t> numbers;
        for (std::int64_t n = 0; words >> n;) numbers.push_back(n);
        if (!words.eof()) return false;
        if (word == "tensor") return extents_.emplace(name, numbers).second;
        Part part;
        for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
            part.low.push_back(numbers[i]);
            part.extents.push_back(numbers[i + 1]);
        }
        const auto* whole = extents(name);
        if (!whole || whole->size() != part.low.size() || numbers.size() % 2 != 0) return false;
        for (std::size_t d = 0; d < part.low.size(); d++)
            if (part.low[d] < 0 || part.extents[d] < 0 || part.low[d] > (*whole)[d] - part.extents[d]) return false;
        return shards_.back().emplace(name, part).second;
    }

    std::map<std::string, std::vector<std::int64_t>, std::less<>> extents_;
    std::vector<std::map<std::string, Part, std::less<>>> shards_;
};

/// One shard, while it runs.
class Shard {
public:
    Shard(const ShardParts& parts, int number) : parts_(parts), number_(number) {}
    int number() const { return number_; }

    /// The shard's part of a tensor of anything that kernels take. An empty view where the tensor is none of the kernel's or has other
    /// extents than the plan was made for; `run_shards` then answers with that mistake.
    template<int Rank, typename M>
    auto of(std::string_view name, M& tensor) const {
        auto view = detail::to_view<Rank>(tensor);
        const auto* part = parts_.part(number_, name);
        const auto* extents = parts_.extents(name);
        if (!part || !extents ||
            !std::equal(view.extents.begin(), view.extents.end(), extents->begin(), extents->end())) {
            if (status_.ok()) status_ = mistake(name, part && extents ? extents : nullptr);
            view.extents = {};
            return view;
        }
        for (std::size_t d = 0; d < Rank; d++) {
            view.data += part->low[d] * view.strides[d];
            view.extents[d] = part->extents[d];
        }
        return view;
    }

    const Status& status() const { return status_; }

private:
    static Status mistake(std::string_view name, const std::vector<std::int64_t>* extents) {
        std::string text = "`" + std::string(name) + "` ";
        if (!extents) return {StatusCode::size, text + "is no tensor of the plan's kernel"};
        text += "has other extents than the plan was made for: [";
        for (std::size_t d = 0; d < extents->size(); d++) text += (d ? ", " : "") + std::to_string((*extents)[d]);
        return {StatusCode::size, text + "]"};
    }

    const ShardParts& parts_;
    int number_;
    mutable Status status_;
};

/// Calls `call(const Shard&)`, which answers with a Status, for each shard, on `threads` threads at once. Shards write different elements,
/// so the outputs are those of one call, on any number of threads.
/// Errors: that of the first shard, in their order, that has one; all shards are run.
template<typename Call>
Status run_shards(const ShardParts& parts, int threads, Call&& call) {
    std::vector<Status> answers(static_cast<std::size_t>(parts.count()));
    std::atomic<int> next{0};
    const auto work = [&] {
        for (int n = next++; n < parts.count(); n = next++) {
            const Shard shard(parts, n);
            Status answer = call(shard);
            answers[static_cast<std::size_t>(n)] = shard.status().ok() ? std::move(answer) : shard.status();
        }
    };
    std::vector<std::jthread> helpers;
    for (int t = 1; t < std::min(threads, parts.count()); t++) helpers.emplace_back(work);
    work();
    helpers.clear();
    const auto wrong = std::find_if(answers.begin(), answers.end(), [](const Status& s) { return !s.ok(); });
    return wrong == answers.end() ? Status() : *wrong;
}

}  // namespace halogen
