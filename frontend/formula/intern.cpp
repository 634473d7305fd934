// Operations, made once.

#include "frontend/formula/formula.h"
#include "frontend/formula/weight.h"

#include <algorithm>
#include <unordered_map>

namespace halogen {

namespace {

using Atom = Formula::Atom;
using AtomRef = Formula::AtomRef;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
    hash = (hash ^ more) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29);
}

std::uint64_t hash_of(const Formula& f) {
    std::uint64_t hash = 1;
    for (const auto& [m, c] : f.terms()) {
        for (const auto& atom : m) hash = mixed(hash, atom->hash);
        hash = mixed(hash, static_cast<std::uint64_t>(c));
    }
    return hash;
}

void add_symbols(const Formula& f, std::vector<AtomRef>& symbols) {
    for (const auto& [m, c] : f.terms()) {
        for (const auto& atom : m) {
            if (atom->kind == Atom::Kind::symbol)
                symbols.push_back(atom);
            else
                symbols.insert(symbols.end(), atom->symbols.begin(), atom->symbols.end());
        }
    }
}

/// Operations in use, by hash. What nobody uses any more is swept out when the table has doubled.
struct Table {
    std::unordered_multimap<std::uint64_t, std::weak_ptr<const Atom>> atoms;
    std::size_t sweep_at = 1024;

    void sweep() {
        std::erase_if(atoms, [](const auto& entry) { return entry.second.expired(); });
        sweep_at = 2 * atoms.size() + 1024;
    }
};

}  // namespace

AtomRef Atom::operation(Atom::Kind kind, const Formula& a, const Formula& b) {
    thread_local Table table;
    const std::uint64_t hash = mixed(mixed(hash_of(a), hash_of(b)), static_cast<std::uint64_t>(kind));
    const auto [begin, end] = table.atoms.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
        const AtomRef known = at->second.lock();
        if (known && known->kind == kind && known->a == a && known->b == b) return known;
    }
    const auto made = std::make_shared<Atom>();
    made->kind = kind;
    made->a = a;
    made->b = b;
    made->hash = hash;
    add_symbols(a, made->symbols);
    add_symbols(b, made->symbols);
    const Formula::AtomLess less;
    std::sort(made->symbols.begin(), made->symbols.end(), less);
    made->symbols.erase(std::unique(made->symbols.begin(), made->symbols.end(),
                                    [&](const AtomRef& x, const AtomRef& y) { return !less(x, y) && !less(y, x); }),
                        made->symbols.end());
    made->weight = std::min(1 + weight_of(a) + weight_of(b), Atom::heaviest);
    if (table.atoms.size() >= table.sweep_at) table.sweep();
    table.atoms.emplace(hash, made);
    return made;
}

}  // namespace halogen
