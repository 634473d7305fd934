#pragma once
// A sequence that holds its first few elements itself, so that short ones need no memory of their own.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

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
    SmallVector(const SmallVector& other) {
        reserve(other.size_);
        std::uninitialized_copy(other.begin(), other.end(), data_);
        size_ = other.size_;
    }
    SmallVector(SmallVector&& other) noexcept { take(other); }
    SmallVector& operator=(const SmallVector& other) {
        if (this != &other) *this = SmallVector(other);
        return *this;
    }
    SmallVector& operator=(SmallVector&& other) noexcept {
        if (this == &other) return *this;
        release();
        take(other);
        return *this;
    }
    ~SmallVector() { destroy(); }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    auto rbegin() const { return std::reverse_iterator(end()); }
    auto rend() const { return std::reverse_iterator(begin()); }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    const T& front() const { return data_[0]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }

    void reserve(std::size_t capacity) {
        if (capacity > capacity_) move_to(capacity);
    }
    void push_back(T item) { emplace_back(std::move(item)); }
    /// The arguments must not stand in the sequence itself.
    template<typename... Arguments>
    T& emplace_back(Arguments&&... arguments) {
        if (size_ == capacity_) move_to(2 * capacity_);
        return *std::construct_at(data_ + size_++, std::forward<Arguments>(arguments)...);
    }
    void pop_back() { std::destroy_at(data_ + --size_); }

    friend bool operator==(const SmallVector& a, const SmallVector& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    T* few() { return reinterpret_cast<T*>(few_); }
    bool is_short() const { return reinterpret_cast<const std::byte*>(data_) == few_; }

    void move_to(std::size_t capacity) {
        T* many = std::allocator<T>().allocate(capacity);
        std::uninitialized_move(begin(), end(), many);
        const std::size_t size = size_;
        release();
        data_ = many;
        size_ = size;
        capacity_ = capacity;
    }

    /// What `other` holds, into an empty sequence.
    void take(SmallVector& other) {
        if (!other.is_short()) {
            data_ = std::exchange(other.data_, other.few());
            capacity_ = std::exchange(other.capacity_, N);
            size_ = std::exchange(other.size_, 0);
            return;
        }
        std::uninitialized_move(other.begin(), other.end(), data_);
        size_ = other.size_;
        other.release();
    }

    void destroy() {
        std::destroy(begin(), end());
        if (!is_short()) std::allocator<T>().deallocate(data_, capacity_);
    }

    void release() {
        destroy();
        data_ = few();
        size_ = 0;
        capacity_ = N;
    }

    T* data_ = few();
    std::size_t size_ = 0;
    std::size_t capacity_ = N;
    alignas(T) std::byte few_[N * sizeof(T)];
};

}  // namespace halogen
