#pragma once
// The names of sizes in formulas, as values. Their texts are made and taken apart here alone.

#include <string>

namespace halogen {

/// A name in a formula: a size `N`, dim 1 of a tensor (`X.1`), the extent of index `r` of equation 2 (`r@2`).
struct Symbol {
    enum class Kind { size, dim, extent };
    Kind kind = Kind::size;
    std::string name;  // of the size, of the tensor, of the index
    int number = -1;   // of the dim; of the equation; -1 where a dim's text holds no number ("X.a")

    static Symbol of(const std::string& text);
    static Symbol dim(std::string tensor, int number) { return {Kind::dim, std::move(tensor), number}; }
    static Symbol extent(std::string index, int equation) { return {Kind::extent, std::move(index), equation}; }
    bool is_size() const { return kind == Kind::size; }
    bool is_dim() const { return kind == Kind::dim; }
    bool is_extent() const { return kind == Kind::extent; }
    std::string text() const;
    /// As messages show it: an extent by its index.
    std::string shown() const;
};

}  // namespace halogen
