#include "frontend/shapes/knowledge.h"

#include "frontend/shapes/refine_formula.h"

#include <algorithm>

namespace halogen::shapes {

namespace {

constexpr std::size_t most_facts = 24;  // that one question takes into account: each may double the work

bool meet(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& name) { return b.contains(name); });
}

}  // namespace

std::set<std::string> symbols_of(const Predicate& p) {
    std::set<std::string> names;
    const auto insert = [&](const std::string& name) { names.insert(name); };
    for (const auto& facts : p.alternatives()) {
        for (const Fact& f : facts) {
            f.left.for_each_symbol(insert);
            f.right.for_each_symbol(insert);
        }
    }
    return names;
}

void Knowledge::add_symbol(const std::string& name, std::int64_t least, std::optional<std::int64_t> most) {
    least_[name] = least;
    if (most) most_[name] = *most;
}

void Knowledge::add(Predicate p) {
    if (p.known().value_or(false)) return;
    if (const auto bound = bound_of(p)) {
        std::int64_t& least = least_[bound->first];
        least = std::max(least, bound->second);
    } else {
        facts_.push_back(std::move(p));
    }
}

System Knowledge::system() const {
    System system;
    for (const auto& [name, least] : least_) system.add_unknown(name, least);
    for (const auto& [name, most] : most_) system.add_at_most(Formula::symbol(name), most, -1);
    for (std::size_t i = 0; i < facts_.size(); ++i) add_to(system, facts_[i], static_cast<int>(i));
    return system;
}

/// Only the conditions that a chain of shared symbols links to `about`, the latest first.
System Knowledge::system_about(const Predicate& about, const std::vector<Predicate>& also) const {
    std::set<std::string> names = symbols_of(about);
    std::vector<const Predicate*> facts, chosen;
    for (const Predicate& p : facts_) facts.push_back(&p);
    for (const Predicate& p : also) facts.push_back(&p);
    std::vector<std::set<std::string>> symbols;
    for (const Predicate* p : facts) symbols.push_back(symbols_of(*p));
    for (bool grew = true; grew && chosen.size() < most_facts;) {
        grew = false;
        for (std::size_t i = facts.size(); i-- > 0 && chosen.size() < most_facts;) {
            if (symbols[i].empty() || !meet(symbols[i], names)) continue;
            chosen.push_back(facts[i]);
            names.merge(symbols[i]);
            symbols[i].clear();
            grew = true;
        }
    }
    System system;
    for (const std::string& name : names) {
        const auto least = least_.find(name);
        system.add_unknown(name, least == least_.end() ? 0 : least->second);
        if (const auto most = most_.find(name); most != most_.end())
            system.add_at_most(Formula::symbol(name), most->second, -1);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) add_to(system, *chosen[i], static_cast<int>(i));
    return system;
}

std::optional<bool> Knowledge::decide(const Predicate& p, const std::vector<Predicate>& also) const {
    if (const auto quick = decide_quickly(p)) return quick;
    System with = system_about(p, also);
    add_to(with, p, -1);
    if (!with.has_solution()) return false;
    System without = system_about(p, also);
    add_to(without, !p, -1);
    if (!without.has_solution()) return true;
    return std::nullopt;
}

bool Knowledge::is_possible() const { return system().has_solution(); }

}  // namespace halogen::shapes
