#include "frontend/solve/classes.h"

#include <algorithm>

namespace halogen {

void SizeClasses::add(const std::string& name, int rank) {
    const int id = static_cast<int>(nodes_.size());
    if (!numbers_.try_emplace(name, id).second) return;
    nodes_.push_back({name, Formula::symbol(name), rank, id, id, {id}, {}, {}});
}

int SizeClasses::find(int id) const {
    while (nodes_[id].parent != id) id = nodes_[id].parent;
    return id;
}

const std::string& SizeClasses::root(const std::string& name) const {
    return nodes_[nodes_[find(number(name))].best].name;
}

void SizeClasses::join(const std::string& a, const std::string& b, const Join& why) {
    int i = find(number(a)), j = find(number(b));
    if (i == j) return;
    for (const auto& name : {a, b}) {
        if (!nodes_[number(name)].joined_by) nodes_[number(name)].joined_by = why;
    }
    if (nodes_[i].members.size() < nodes_[j].members.size()) std::swap(i, j);  // the smaller class moves
    Node& kept = nodes_[i];
    Node& moved = nodes_[j];
    moved.parent = i;
    kept.members.insert(kept.members.end(), moved.members.begin(), moved.members.end());
    moved.members.clear();
    const Node &x = nodes_[kept.best], &y = nodes_[moved.best];
    if (std::pair(y.rank, moved.best) < std::pair(x.rank, kept.best)) kept.best = moved.best;
    if (!kept.value) kept.value = moved.value;
}

const std::optional<Formula>& SizeClasses::value(const std::string& name) const {
    return nodes_[find(number(name))].value;
}

void SizeClasses::set_value(const std::string& name, Formula value) {
    nodes_[find(number(name))].value = std::move(value);
}

void SizeClasses::substitute(const std::map<std::string, Formula>& values) {
    for (Node& n : nodes_) {
        if (n.value && !n.value->is_constant()) n.value = n.value->substitute(values);
    }
}

Formula SizeClasses::resolve(const Formula& f, const std::string& except) const { return resolve(f, except, {}); }

Formula SizeClasses::resolve(const Formula& f, const std::string& except, const LowerBounds& named) const {
    const auto look_up = [&](const std::string& name) -> const Formula* {
        const auto at = numbers_.find(name);
        if (at == numbers_.end()) return nullptr;
        const Node& n = nodes_[find(at->second)];
        const Node& best = nodes_[n.best];
        const bool keeps_name = (!except.empty() && best.name == except) ||
                                (!named.empty() && n.value && !n.value->is_constant() && named.contains(best.name));
        if (n.value && !keeps_name) return n.value->is_symbol(name) ? nullptr : &*n.value;
        return n.best == at->second ? nullptr : &best.symbol;
    };
    return f.substitute(look_up);
}

std::vector<std::string> SizeClasses::unknowns(const Formula& f) const {
    std::vector<std::string> names;
    f.for_each_symbol([&](const std::string& name) {
        if (!has(name) || value(name)) return;
        const auto& r = root(name);
        if (std::find(names.begin(), names.end(), r) == names.end()) names.push_back(r);
    });
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> SizeClasses::members(const std::string& name) const {
    std::vector<int> ids = nodes_[find(number(name))].members;
    std::sort(ids.begin(), ids.end());
    std::vector<std::string> names;
    for (int id : ids) names.push_back(nodes_[id].name);
    return names;
}

template<typename Keep>
SizeClasses::Roots SizeClasses::roots_where(Keep&& keep) const {
    Roots names;
    std::vector<bool> seen(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const int r = find(static_cast<int>(i));
        if (!seen[r] && keep(nodes_[r])) names.push_back(nodes_[nodes_[r].best].name);
        seen[r] = true;
    }
    return names;
}

SizeClasses::Roots SizeClasses::roots() const {
    return roots_where([](const Node&) { return true; });
}

SizeClasses::Roots SizeClasses::unsolved() const {
    return roots_where([](const Node& n) { return !n.value.has_value(); });
}

}  // namespace halogen
