#include "frontend/size_classes.h"

#include <algorithm>

namespace halogen {

void SizeClasses::add(const std::string& name, int rank) {
    const int id = static_cast<int>(nodes_.size());
    if (!numbers_.emplace(name, id).second) return;
    nodes_.push_back({name, rank, id, id, {id}, {}, {}});
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

Formula SizeClasses::resolve(const Formula& f, const std::string& except) const {
    Formula name_of_class;  // one at a time: used before the next look-up
    return f.substitute([&](const std::string& name) -> const Formula* {
        const auto at = numbers_.find(name);
        if (at == numbers_.end()) return nullptr;
        const Node& n = nodes_[find(at->second)];
        const std::string& root = nodes_[n.best].name;
        if (n.value && (except.empty() || root != except)) return &*n.value;
        if (root == name) return nullptr;
        name_of_class = Formula::symbol(root);
        return &name_of_class;
    });
}

std::vector<std::string> SizeClasses::unknowns(const Formula& f) const {
    std::vector<std::string> names;
    for (const auto& name : f.symbols()) {
        if (!has(name) || value(name)) continue;
        const auto& r = root(name);
        if (std::find(names.begin(), names.end(), r) == names.end()) names.push_back(r);
    }
    return names;
}

std::vector<std::string> SizeClasses::members(const std::string& name) const {
    std::vector<int> ids = nodes_[find(number(name))].members;
    std::sort(ids.begin(), ids.end());
    std::vector<std::string> names;
    for (int id : ids) names.push_back(nodes_[id].name);
    return names;
}

std::vector<std::string> SizeClasses::roots() const {
    std::vector<std::string> names;
    std::vector<bool> seen(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const int r = find(static_cast<int>(i));
        if (!seen[r]) names.push_back(nodes_[nodes_[r].best].name);
        seen[r] = true;
    }
    return names;
}

}  // namespace halogen
