#pragma once
// A sequence that holds its first few elements itself, so that short ones need no memory of their own.

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace halogen {

template<typename T, std::size_t N>
class SmallVector {
public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    SmallVector() = default;
    SmallVector(std::initializer_list<T> list) {
        for (const T& item : list) push_back(item);
    }
    SmallVector(const SmallVector&) = default;
    SmallVector& operator=(const SmallVector&) = default;
    SmallVector(SmallVector&& other) noexcept
        : few_(std::move(other.few_)), many_(std::move(other.many_)), size_(std::exchange(other.size_, 0)) {}
    SmallVector& operator=(SmallVector&& other) noexcept {
        few_ = std::move(other.few_);
        many_ = std::move(other.many_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T* begin() const { return size_ <= N ? few_.data() : many_.data(); }
    const T* end() const { return begin() + size_; }
    const T& operator[](std::size_t i) const { return begin()[i]; }
    const T& front() const { return *begin(); }
    const T& back() const { return begin()[size_ - 1]; }

    void push_back(T item) {
        if (size_ == N) many_.assign(few_.begin(), few_.end());
        if (size_ < N)
            few_[size_] = std::move(item);
        else
            many_.push_back(std::move(item));
        ++size_;
    }

    friend bool operator==(const SmallVector& a, const SmallVector& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator<(const SmallVector& a, const SmallVector& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    std::array<T, N> few_{};
    std::vector<T> many_;  // all of them, once there are more than N
    std::size_t size_ = 0;
};

}  // namespace halogen
