#pragma once
// Sizes that rule 1 makes equal: classes of names, each with a value once it is known. Rank-d dims left undeclared are
// names too ("X.0").

#include "frontend/formula/formula.h"
#include "frontend/formula/sign.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace halogen {

/// Why two sizes are one: an index that stands alone in both places.
struct Join {
    int equation = -1;
    std::string index;
    std::string first, second;   // the two accesses as written
    std::string condition = {};  // of the kernel, as written
};

class SizeClasses {
public:
    /// Adds a name; a name of lower rank number is preferred as the name of its class.
    void add(const std::string& name, int rank);
    bool has(const std::string& name) const { return numbers_.contains(name); }
    /// Whether `name` is of the class `root`.
    bool is_in(const std::string& name, const std::string& root) const {
        const auto at = numbers_.find(name);
        return at != numbers_.end() && nodes_[nodes_[find(at->second)].best].name == root;
    }
    /// The number of the class, for as long as no two classes are joined; nothing for what is no name.
    std::optional<int> class_of(const std::string& name) const {
        const auto at = numbers_.find(name);
        return at == numbers_.end() ? std::nullopt : std::optional(find(at->second));
    }

    /// The name that stands for the class.
    const std::string& root(const std::string& name) const;
    /// Makes two names one class; the values, if both are known, are left to the caller to compare beforehand.
    void join(const std::string& a, const std::string& b, const Join& why);

    const std::optional<Formula>& value(const std::string& name) const;
    void set_value(const std::string& name, Formula value);
    /// Replaces symbols within all values.
    void substitute(const std::map<std::string, Formula>&);

    /// `f` with every name replaced by its value, or by the name of its class.
    /// The class `except` keeps its name though it has a value.
    Formula resolve(const Formula& f, const std::string& except = "") const;
    /// Likewise, and so do the classes `named` unless their value is a number.
    Formula resolve(const Formula& f, const std::string& except, const LowerBounds& named) const;
    /// The class names in `f` that have no value.
    std::vector<std::string> unknowns(const Formula& f) const;

    /// All names of a class in the order they were added.
    std::vector<std::string> members(const std::string& name) const;
    /// Whether `matches(name)` for one of them.
    template<typename Matches>
    bool any_member(const std::string& name, Matches&& matches) const {
        for (int id : nodes_[find(number(name))].members) {
            if (matches(nodes_[id].name)) return true;
        }
        return false;
    }
    /// How `name` came to the class, if it was joined.
    const std::optional<Join>& joined_by(const std::string& name) const { return nodes_[number(name)].joined_by; }
    /// Names of all classes in the order of their first member; they stand until names are added or joined.
    using Roots = std::vector<std::reference_wrapper<const std::string>>;
    Roots roots() const;
    /// Of those without a value.
    Roots unsolved() const;

private:
    struct Node {
        std::string name;
        Formula symbol;
        int rank = 0;
        int parent = 0;
        int best = 0;  // of a root: the member whose name is preferred
        std::vector<int> members;
        std::optional<Formula> value;
        std::optional<Join> joined_by;
    };
    int number(const std::string& name) const { return numbers_.at(name); }
    int find(int) const;
    template<typename Keep>
    Roots roots_where(Keep&&) const;

    std::vector<Node> nodes_;
    std::unordered_map<std::string, int> numbers_;
};

}  // namespace halogen
