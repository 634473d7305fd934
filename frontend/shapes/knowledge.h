#pragma once
// What is known of the sizes of a program: least values, and conditions that hold. Answers whether others follow.

#include "frontend/shapes/predicate.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen::shapes {

class Knowledge {
public:
    /// A symbol with its least value, and its largest where there is one.
    void add_symbol(const std::string& name, std::int64_t least, std::optional<std::int64_t> most = std::nullopt);
    /// A bound on one size raises its least value; other conditions are kept as they are.
    void add(Predicate);

    /// The truth where it follows: from the least values alone, then from all conditions about the same sizes by the exact
    /// System. Certain when it answers; nothing when neither follows or the question is too hard.
    /// `also` hold too.
    std::optional<bool> decide(const Predicate&, const std::vector<Predicate>& also = {}) const;
    /// The same from the least values alone: quick.
    std::optional<bool> decide_quickly(const Predicate& p) const { return shapes::decide(p, least_); }
    /// False only when no sizes meet all conditions.
    bool is_possible() const;

    const LowerBounds& least() const { return least_; }
    const std::vector<Predicate>& facts() const { return facts_; }
    /// The symbols and the conditions as a system; conditions are numbered from 0.
    System system() const;

private:
    System system_about(const Predicate&, const std::vector<Predicate>& also) const;

    LowerBounds least_;
    Bindings most_;
    std::vector<Predicate> facts_;
};

/// The symbols of a predicate.
std::set<std::string> symbols_of(const Predicate&);

}  // namespace halogen::shapes
