#pragma once
// What a mistake of the caller looks like: a value that says what, where and how to mend it.

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace halogen {

/// A place in a text, counted from 1; line 0 means "no place".
struct Position {
    int line = 0;
    int column = 0;
    friend bool operator==(Position, Position) = default;
};

/// The kinds of mistake, as `--json` prints them (`to_string`).
enum class ErrorKind {
    syntax,           // the text is not in the notation
    name,             // unknown, doubled or misused name
    type,             // element types do not fit
    rank,             // number of dims or arguments does not fit
    contradictory,    // sizes: no solution even over the reals
    non_integer,      // sizes: solutions exist, none in integers
    negative,         // sizes: integer solutions exist, none in the allowed range
    underdetermined,  // sizes: several solutions, or a number is missing
    too_complex,      // a resource cap was reached
    overflow,         // past 2^62, or a tensor past 2^31 - 1 elements
    index,            // a data-dependent index out of range, or two points met in one element under `=`
    alias,            // an output overlaps another buffer
    schedule,         // a history step that cannot be applied
    io,               // file missing, truncated, unreadable, unwritable
    target,           // unknown target, or one this CPU lacks
    usage,            // wrong command line (exit code 2)
};
std::string to_string(ErrorKind);

/// One mistake, told in the user's names.
struct Error {
    ErrorKind kind = ErrorKind::syntax;
    std::string what;      // one sentence, no full stop: "index `k` has extent 5 in A[i, k] but 3 in B[k]"
    Position at;           // where in the text
    std::string equation;  // the equation concerned, as written; may be empty
    std::string fix;       // how to mend it: "make both extents equal, or give `B` its own index"

    friend bool operator==(const Error&, const Error&) = default;
};

/// The text shown to people: `FILE:LINE:COL: what`, then lines `  at   equation` and `  fix  fix` where there are any.
std::string format(const Error&, const std::string& file);

/// Carries an Error up through the inside of a room; public entry points catch it and return a Result.
class Failure : public std::exception {
public:
    explicit Failure(Error error) : error_(std::move(error)) {}
    const Error& error() const { return error_; }
    const char* what() const noexcept override { return error_.what.c_str(); }

private:
    Error error_;
};

/// A value, or the Error that stands in its place.
template<typename T>
class Result {
public:
    Result(T value) : state_(std::move(value)) {}
    Result(Error error) : state_(std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    const Error& error() const { return std::get<1>(state_); }
    /// Throws Failure when there is no value.
    const T& value() const& {
        if (!*this) throw Failure(error());
        return std::get<0>(state_);
    }
    T value() && {
        if (!*this) throw Failure(error());
        return std::get<0>(std::move(state_));
    }

private:
    std::variant<T, Error> state_;
};

/// Runs `body` and turns a Failure that leaves it into a Result.
template<typename Body>
auto guarded(Body&& body) -> Result<decltype(body())> {
    try {
        return body();
    } catch (const Failure& failure) {
        return failure.error();
    }
}

}  // namespace halogen
