#pragma once
// Arrays of values for the kernel tests: dense, row-major, small; what a test gives and what it expects.

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace halogen::testing {

template<std::size_t rank>
using Extents = std::array<std::int64_t, rank>;

template<std::size_t rank>
std::int64_t elements(const std::array<std::int64_t, rank>& extents) {
    std::int64_t n = 1;
    for (auto extent : extents) n *= extent;
    return n;
}

/// Steps `at` to the next place in row-major order; false behind the last. `at` starts at zeros.
template<std::size_t rank>
bool advance(std::array<std::int64_t, rank>& at, const std::array<std::int64_t, rank>& extents) {
    for (int d = static_cast<int>(rank) - 1; d >= 0; d--) {
        if (++at[d] < extents[d]) return true;
        at[d] = 0;
    }
    return false;
}

/// Values in row-major order.
template<typename T, std::size_t rank_>
struct Array {
    using Value = T;
    static constexpr std::size_t rank = rank_;

    Extents<rank> extents{};
    std::vector<T> values;

    explicit Array(const Extents<rank>& e, T value = T()) : extents(e), values(elements(e), value) {}

    template<typename... Places>
    std::int64_t place(Places... places) const {
        static_assert(sizeof...(places) == rank);
        std::int64_t offset = 0;
        int d = 0;
        ((offset = offset * extents[d++] + places), ...);
        return offset;
    }
    template<typename... Places>
    T& operator()(Places... places) {
        return values[place(places...)];
    }
    template<typename... Places>
    const T& operator()(Places... places) const {
        return values[place(places...)];
    }
};

/// The same values in another type.
template<typename To, typename From, std::size_t rank>
Array<To, rank> cast(const Array<From, rank>& from) {
    Array<To, rank> to(from.extents);
    for (std::size_t i = 0; i < from.values.size(); i++) to.values[i] = static_cast<To>(from.values[i]);
    return to;
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
/// A window of rows x columns on consecutive rows of an array, rows `stride` elements apart.
using Window = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ConstWindow = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

/// The array as an Eigen matrix: the last `column_dims` dims are its columns, the dims before them its rows.
template<std::size_t rank>
Eigen::Map<const Matrix> matrix(const Array<double, rank>& a, std::size_t column_dims = 1) {
    std::int64_t rows = 1, columns = 1;
    for (std::size_t d = 0; d < rank; d++) (d + column_dims < rank ? rows : columns) *= a.extents[d];
    return {a.values.data(), rows, columns};
}
template<std::size_t rank>
Eigen::Map<Matrix> matrix(Array<double, rank>& a, std::size_t column_dims = 1) {
    const auto shape = matrix(std::as_const(a), column_dims);
    return {a.values.data(), shape.rows(), shape.cols()};
}

/// The values in double, as a matrix of Eigen's own. `column_dims` as above.
template<typename T, std::size_t rank>
Matrix to_matrix(const Array<T, rank>& a, std::size_t column_dims = 1) {
    const auto values = cast<double>(a);
    return matrix(values, column_dims);
}

/// The seed of all random values: HALOGEN_SEED, or one fixed number. Every failure prints it.
std::uint64_t seed();

/// Random values, the same for the same seed.
class Random {
public:
    Random() : engine_(seed()) {}

    std::int64_t integer(std::int64_t least, std::int64_t inclusive_most) {
        return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(inclusive_most - least + 1));
    }
    double real(double from, double to) {
        return from + (to - from) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
    }

    /// Whole numbers from `least` to `most`: sums of products of them are exact in f32, so they compare with ==.
    template<typename T = float, std::size_t rank>
    Array<T, rank> whole(const std::int64_t (&extents)[rank], std::int64_t least = -4, std::int64_t most = 4) {
        Array<T, rank> a(std::to_array(extents));
        for (auto& v : a.values) v = static_cast<T>(integer(least, most));
        return a;
    }
    /// Any numbers between `from` and `to`.
    template<std::size_t rank>
    Array<float, rank> reals(const std::int64_t (&extents)[rank], double from = -1, double to = 1) {
        Array<float, rank> a(std::to_array(extents));
        for (auto& v : a.values) v = static_cast<float>(real(from, to));
        return a;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace halogen::testing
