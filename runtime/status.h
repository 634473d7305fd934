#pragma once
// What a call of a compiled kernel answers: done, or why not, in the user's own names.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace halogen {

enum class StatusCode {
    ok,
    size,           // an extent, or a condition on sizes, does not hold
    overflow,       // a size that 64-bit arithmetic or 32-bit addressing cannot hold
    null_pointer,   // a tensor that is not empty has no data
    alias,          // an output shares an element with another tensor, or with itself
    index,          // an index taken from data is out of range, or two points met in one element
    variant,        // the variant asked for is unknown, or does not serve the call
    leg,            // the leg asked for is unknown, not in the library, or not for this processor
    out_of_memory,  // no memory for an intermediate result
    kernel,         // the compiled code refused the call for another reason
};

/// A word for each code, as messages use it when there is no room for more.
inline const char* to_string(StatusCode code) {
    constexpr const char* names[] = {"ok",    "size",    "overflow", "null_pointer",  "alias",
                                     "index", "variant", "leg",      "out_of_memory", "kernel"};
    return names[static_cast<int>(code)];
}

/// Done, or a code and a message. Making, copying and testing the good answer allocates nothing.
class [[nodiscard]] Status {
public:
    Status() = default;
    Status(StatusCode code, std::string message) noexcept : code_(code) {
        try {
            message_ = std::make_shared<const std::string>(std::move(message));
        } catch (const std::bad_alloc&) {
            // The code alone has to tell.
        }
    }

    bool ok() const { return code_ == StatusCode::ok; }
    explicit operator bool() const { return ok(); }
    StatusCode code() const { return code_; }
    /// What, where, and how to mend it; for the good answer "ok".
    std::string_view message() const { return message_ ? std::string_view(*message_) : to_string(code_); }

private:
    StatusCode code_ = StatusCode::ok;
    std::shared_ptr<const std::string> message_;
};

/// A value, or the Status that stands in its place.
template<typename T>
class [[nodiscard]] StatusOr {
public:
    StatusOr(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    StatusOr(Status status) : state_(std::in_place_index<1>, std::move(status)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    Status status() const { return ok() ? Status() : std::get<1>(state_); }
    /// Throws std::bad_variant_access when there is no value.
    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() { return *std::get_if<0>(&state_); }
    const T& operator*() const { return *std::get_if<0>(&state_); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }

private:
    std::variant<T, Status> state_;
};

namespace detail {

/// `text` with each `{}` replaced by the next number.
inline std::string fill(std::string_view text, std::initializer_list<std::int64_t> values) {
    std::string out;
    auto value = values.begin();
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text.substr(i, 2) == "{}" && value != values.end()) {
            out += std::to_string(*value++);
            i++;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// A Status from a text with `{}`; out of memory is no reason to throw.
inline Status failed(StatusCode code, std::string_view text, std::initializer_list<std::int64_t> values = {}) noexcept {
    try {
        return Status(code, fill(text, values));
    } catch (const std::bad_alloc&) {
        return Status(code, std::string());
    }
}

}  // namespace detail
}  // namespace halogen
