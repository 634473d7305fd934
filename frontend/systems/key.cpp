// Canonical keys of constraint systems: colours of names are refined by where they stand until they settle; ties are
// broken in every way that symmetry does not make equal, and the least text wins, so neither order nor names matter.
// Hashes steer the refinement alone; the key itself is the whole system as text, so different systems never share one.
// Source: McKay, "Practical graph isomorphism", 1981, for individualisation, refinement and pruning by symmetry.

#include "frontend/systems/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace halogen {

namespace {

constexpr int most_leaves = 2000;

using Colours = std::vector<int>;  // per name
using Hash = std::uint64_t;

Hash mixed(Hash a, Hash b) {
    a += 0x9e3779b97f4a7c15 + b;  // splitmix64
    a = (a ^ a >> 30) * 0xbf58476d1ce4e5b9;
    a = (a ^ a >> 27) * 0x94d049bb133111eb;
    return a ^ a >> 31;
}

class Canonizer {
public:
    explicit Canonizer(const SystemCase& c) : case_(c), names_(c.axes()) {
        names_.insert(names_.end(), c.params.begin(), c.params.end());
        for (std::size_t i = 0; i < names_.size(); ++i) numbers_.emplace(names_[i], static_cast<int>(i));
        statements_of_.resize(names_.size());
        add_statements();
    }

    std::string key() {
        std::vector<Hash> signs;
        for (const auto& n : names_) signs.push_back(std::hash<std::string>{}(own_sign(n)));
        return search(refined(recoloured(Colours(names_.size()), signs)));
    }

private:
    /// What is said of a name alone.
    std::string own_sign(const std::string& n) const {
        const auto in = [&](const std::vector<std::string>& list) {
            return std::find(list.begin(), list.end(), n) != list.end();
        };
        const auto known = case_.known.find(n);
        const auto block = case_.block.find(n);
        std::string sign = fmt::format("p{}m{}x{}", in(case_.params), case_.min_of(n), in(case_.maximal));
        if (known != case_.known.end()) sign += fmt::format("k{}", known->second);
        if (block != case_.block.end()) sign += fmt::format("b{}:{}", block->second.first, block->second.second);
        return sign;
    }

    /// One statement of the system: what refinement hashes. Names in order, or formulas, or both.
    struct Statement {
        Hash sort = 0;
        std::vector<int> names;
        std::vector<Formula> formulas;               // in order
        std::vector<std::pair<int, Formula>> parts;  // in any order
        bool either_sign = false;                    // the one formula may be negated: an equation
    };

    void add_statements() {
        const auto sort = [](const std::string& text) { return std::hash<std::string>{}(text); };
        for (const auto& [tensor, axes] : case_.tensors) {
            Statement s{sort("T"), {}, {}, {}, false};
            for (const auto& a : axes) s.names.push_back(numbers_.at(a));
            add_statement(std::move(s));
        }
        for (const auto& r : case_.relations) {
            Statement s{mixed(sort("R"), static_cast<Hash>(r.fit)), {}, {r.pad_low, r.pad_high}, {}, false};
            for (std::size_t i = 0; i < r.axes.size(); ++i)
                s.parts.emplace_back(numbers_.at(r.axes[i]), r.expressions[i]);
            add_statement(std::move(s));
        }
        for (const auto* list : {&case_.sizes, &case_.where}) {
            for (const auto& relation : *list) {
                const auto [name, difference] = oriented(relation);
                const bool symmetric = name == "=" || name == "!=";
                add_statement({sort((list == &case_.sizes ? "S" : "W") + name), {}, {difference}, {}, symmetric});
            }
        }
    }

    void add_statement(Statement s) {
        const int id = static_cast<int>(statements_.size());
        std::set<int> names(s.names.begin(), s.names.end());
        const auto look = [&](const Formula& f) {
            f.for_each_symbol([&](const std::string& symbol) {
                const auto at = numbers_.find(symbol[0] == '#' ? symbol.substr(1) : symbol);
                if (at == numbers_.end()) return;
                names.insert(at->second);
                symbols_.emplace(symbol, at->second);
            });
        };
        for (const auto& f : s.formulas) look(f);
        for (const auto& [axis, f] : s.parts) {
            names.insert(axis);
            look(f);
        }
        for (int n : names) statements_of_[n].push_back(id);
        statements_.push_back(std::move(s));
    }

    /// `a >= b` as `-(a - b) <= 0`.
    static std::pair<std::string, Formula> oriented(const SystemCase::SizeRelation& s) {
        const Formula difference = s.left - s.right;
        if (s.relation == ">=") return {"<=", -difference};
        if (s.relation == ">") return {"<", -difference};
        return {s.relation, difference};
    }

    Hash hash(const Formula& f, const Colours& colours, int marked) const {
        Hash sum = 7;
        for (const auto& [m, c] : f.terms()) {
            Hash term = 11;
            for (const auto& atom : m) term += hash(*atom, colours, marked);
            sum += mixed(term, static_cast<Hash>(c));
        }
        return sum;
    }

    Hash hash(const Formula::Atom& atom, const Colours& colours, int marked) const {
        if (atom.kind == Formula::Atom::Kind::symbol) {
            const auto at = symbols_.find(atom.name);
            const Hash colour = at == symbols_.end()   ? 1
                                : at->second == marked ? 2
                                                       : static_cast<Hash>(colours[at->second]) + 3;
            return mixed(atom.name[0] == '#' ? 13 : 17, colour);
        }
        const Hash a = hash(atom.a, colours, marked), b = hash(atom.b, colours, marked);
        const bool commutes = atom.kind == Formula::Atom::Kind::min || atom.kind == Formula::Atom::Kind::max;
        return mixed(static_cast<Hash>(atom.kind), commutes ? mixed(5, a) + mixed(5, b) : mixed(a, b));
    }

    /// How a statement looks from the name `marked`.
    Hash hash(const Statement& s, const Colours& colours, int marked) const {
        const auto colour = [&](int n) { return n == marked ? Hash{2} : static_cast<Hash>(colours[n]) + 3; };
        Hash h = s.sort;
        for (int n : s.names) h = mixed(h, colour(n));
        for (const auto& f : s.formulas) {
            Hash one = hash(f, colours, marked);
            if (s.either_sign) one += hash(-f, colours, marked);
            h = mixed(h, one);
        }
        Hash parts = 0;
        for (const auto& [axis, f] : s.parts) parts += mixed(colour(axis), hash(f, colours, marked));
        return mixed(h, parts);
    }

    std::string text(const Formula& f, const Colours& colours) const {
        std::vector<std::string> terms;
        for (const auto& [m, c] : f.terms()) {
            std::vector<std::string> atoms;
            for (const auto& atom : m) atoms.push_back(text(*atom, colours));
            std::sort(atoms.begin(), atoms.end());
            std::string term = fmt::format("{}", c);
            for (const auto& a : atoms) term += "*" + a;
            terms.push_back(std::move(term));
        }
        std::sort(terms.begin(), terms.end());
        return fmt::format("({})", fmt::join(terms, "+"));
    }

    std::string text(const Formula::Atom& atom, const Colours& colours) const {
        if (atom.kind == Formula::Atom::Kind::symbol) {
            const auto at = symbols_.find(atom.name);
            return fmt::format("{}{}", atom.name[0] == '#' ? "i" : "s",
                               at == symbols_.end() ? -1 : colours[at->second]);
        }
        std::string a = text(atom.a, colours), b = text(atom.b, colours);
        const bool commutes = atom.kind == Formula::Atom::Kind::min || atom.kind == Formula::Atom::Kind::max;
        if (commutes && b < a) std::swap(a, b);
        return fmt::format("{}{}{}", static_cast<int>(atom.kind), a, b);
    }

    /// The whole system under a colouring that tells all names apart.
    std::string text(const Colours& colours) const {
        std::vector<std::string> all;
        const auto number = [&](const std::string& n) { return colours[numbers_.at(n)]; };
        for (const auto& [tensor, axes] : case_.tensors) {
            std::string t = "T";
            for (const auto& a : axes) t += fmt::format(",{}", number(a));
            all.push_back(std::move(t));
        }
        for (const auto& r : case_.relations) {
            std::vector<std::string> parts;
            for (std::size_t i = 0; i < r.axes.size(); ++i)
                parts.push_back(fmt::format("{}={}", number(r.axes[i]), text(r.expressions[i], colours)));
            std::sort(parts.begin(), parts.end());
            all.push_back(fmt::format("R{}:{}:{}:{}", static_cast<int>(r.fit), text(r.pad_low, colours),
                                      text(r.pad_high, colours), fmt::join(parts, ";")));
        }
        for (const auto* list : {&case_.sizes, &case_.where}) {
            for (const auto& s : *list) {
                const auto [relation, difference] = oriented(s);
                std::string d = text(difference, colours);
                if (relation == "=" || relation == "!=") d = std::min(d, text(-difference, colours));
                std::string& line = all.emplace_back(list == &case_.sizes ? "S" : "W");
                line += relation;
                line += d;
            }
        }
        std::sort(all.begin(), all.end());
        std::map<int, std::string> signs;
        for (std::size_t i = 0; i < names_.size(); ++i) signs[colours[i]] = own_sign(names_[i]);
        for (const auto& [c, sign] : signs) all.push_back(fmt::format("{}{}", c, sign));
        return fmt::format("{}", fmt::join(all, "\n"));
    }

    /// New colours by (old colour, sign), numbered in sorted order.
    static Colours recoloured(const Colours& old, const std::vector<Hash>& signs) {
        std::map<std::pair<int, Hash>, int> classes;
        for (std::size_t i = 0; i < old.size(); ++i) classes.emplace(std::pair(old[i], signs[i]), 0);
        int next = 0;
        for (auto& [sign, number] : classes) number = next++;
        Colours fresh(old.size());
        for (std::size_t i = 0; i < old.size(); ++i) fresh[i] = classes.at({old[i], signs[i]});
        return fresh;
    }

    static std::vector<int> class_sizes(const Colours& colours) {
        std::vector<int> sizes;
        for (int c : colours) {
            if (c >= static_cast<int>(sizes.size())) sizes.resize(c + 1);
            ++sizes[c];
        }
        return sizes;
    }

    Colours refined(Colours colours) const {
        for (;;) {
            const auto sizes = class_sizes(colours);
            std::vector<Hash> signs(names_.size());
            for (std::size_t i = 0; i < names_.size(); ++i) {
                if (sizes[colours[i]] < 2) continue;
                for (int s : statements_of_[i]) signs[i] += hash(statements_[s], colours, static_cast<int>(i));
            }
            Colours fresh = recoloured(colours, signs);
            if (class_sizes(fresh).size() == sizes.size()) return colours;
            colours = std::move(fresh);
        }
    }

    /// The members of the first colour that several names share; none where all differ.
    static std::vector<int> first_tie(const Colours& colours) {
        const auto sizes = class_sizes(colours);
        const auto tie = std::find_if(sizes.begin(), sizes.end(), [](int n) { return n > 1; }) - sizes.begin();
        std::vector<int> members;
        for (std::size_t i = 0; i < colours.size(); ++i) {
            if (colours[i] == tie) members.push_back(static_cast<int>(i));
        }
        return members;
    }

    Colours told_apart(const Colours& colours, int name) const {
        std::vector<Hash> signs(colours.size(), 1);
        signs[name] = 0;
        return refined(recoloured(colours, signs));
    }

    /// The text that comes of breaking every tie by its first member.
    std::string first_leaf(Colours colours) const {
        for (auto tie = first_tie(colours); !tie.empty(); tie = first_tie(colours))
            colours = told_apart(colours, tie.front());
        return text(colours);
    }

    /// The least text over all ways to break ties.
    std::string search(const Colours& colours) {
        const auto tie = first_tie(colours);
        if (tie.empty()) {
            ++leaves_;
            return text(colours);
        }
        std::string best;
        std::set<std::string> seen;
        for (int n : tie) {
            if (leaves_ >= most_leaves) break;
            const Colours next = told_apart(colours, n);
            // An equal leaf is a symmetry that takes this member to an earlier one: it leads to nothing new.
            if (!seen.insert(first_leaf(next)).second) continue;
            std::string found = search(next);
            if (best.empty() || found < best) best = std::move(found);
        }
        return best;
    }

    const SystemCase& case_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, int> numbers_;
    std::unordered_map<std::string, int> symbols_;  // as in formulas: "n" and "#n"
    std::vector<Statement> statements_;
    std::vector<std::vector<int>> statements_of_;  // per name
    int leaves_ = 0;
};

}  // namespace

std::string canonical_key(const SystemCase& c) { return Canonizer(c).key(); }

}  // namespace halogen
