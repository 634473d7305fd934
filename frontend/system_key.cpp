// Canonical keys of constraint systems: colours of names are refined by where they stand until they settle; ties are
// broken in every way and the least text wins, so neither order nor names matter.

#include "frontend/system_case.h"
#include "frontend/system_expr.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

constexpr int most_leaves = 2000;

using Colours = std::map<std::string, int>;

class Canonizer {
public:
    explicit Canonizer(const SystemCase& c) : case_(c), names_(c.axes()) {
        names_.insert(names_.end(), c.params.begin(), c.params.end());
    }

    std::string key() {
        Colours colours;
        for (const auto& n : names_) colours[n] = 0;
        std::map<std::string, std::string> signs;
        for (const auto& n : names_) signs[n] = own_sign(n);
        search(refined(recoloured(colours, signs)));
        return best_;
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

    static std::string text(const Formula& f, const Colours& colours) {
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

    static std::string text(const Formula::Atom& atom, const Colours& colours) {
        if (atom.kind == Formula::Atom::Kind::symbol) {
            const bool is_index = atom.name[0] == '#';
            const auto at = colours.find(is_index ? atom.name.substr(1) : atom.name);
            return fmt::format("{}{}", is_index ? "i" : "s", at == colours.end() ? -1 : at->second);
        }
        std::string a = text(atom.a, colours), b = text(atom.b, colours);
        const bool commutes = atom.kind == Formula::Atom::Kind::min || atom.kind == Formula::Atom::Kind::max;
        if (commutes && b < a) std::swap(a, b);
        return fmt::format("{}{}{}", static_cast<int>(atom.kind), a, b);
    }

    /// All statements as texts under a colouring, sorted.
    std::vector<std::string> statements(const Colours& colours) const {
        std::vector<std::string> all;
        for (const auto& [tensor, axes] : case_.tensors) {
            std::string t = "T";
            for (const auto& a : axes) t += fmt::format(",{}", colours.at(a));
            all.push_back(std::move(t));
        }
        for (const auto& r : case_.relations) {
            std::vector<std::string> parts;
            for (std::size_t i = 0; i < r.axes.size(); ++i)
                parts.push_back(fmt::format("{}={}", colours.at(r.axes[i]), text(r.expressions[i], colours)));
            std::sort(parts.begin(), parts.end());
            all.push_back(fmt::format("R{}:{}:{}:{}", static_cast<int>(r.fit), text(r.pad_low, colours),
                                      text(r.pad_high, colours), fmt::join(parts, ";")));
        }
        const auto add_sizes = [&](char sort, const std::vector<SystemCase::SizeRelation>& list) {
            for (const auto& s : list) {
                std::string relation = s.relation;
                Formula difference = s.left - s.right;
                if (relation == ">=" || relation == ">") {
                    relation = relation == ">=" ? "<=" : "<";
                    difference = -difference;
                }
                const bool symmetric = relation == "=" || relation == "!=";
                std::string d = text(difference, colours);
                if (symmetric) d = std::min(d, text(-difference, colours));
                all.push_back(fmt::format("{}{}{}", sort, relation, d));
            }
        };
        add_sizes('S', case_.sizes);
        add_sizes('W', case_.where);
        std::sort(all.begin(), all.end());
        return all;
    }

    /// New colours by (old colour, sign), numbered in sorted order.
    Colours recoloured(const Colours& old, const std::map<std::string, std::string>& signs) const {
        std::map<std::pair<int, std::string>, int> classes;
        for (const auto& n : names_) classes.emplace(std::pair(old.at(n), signs.at(n)), 0);
        int next = 0;
        for (auto& [sign, number] : classes) number = next++;
        Colours fresh;
        for (const auto& n : names_) fresh[n] = classes.at({old.at(n), signs.at(n)});
        return fresh;
    }

    static std::size_t classes_of(const Colours& colours) {
        std::set<int> seen;
        for (const auto& [n, c] : colours) seen.insert(c);
        return seen.size();
    }

    Colours refined(Colours colours) const {
        for (;;) {
            std::map<std::string, std::string> signs;
            for (const auto& n : names_) {
                Colours marked = colours;
                marked[n] = -2;  // how the whole looks from this name
                signs[n] = fmt::format("{}", fmt::join(statements(marked), "\n"));
            }
            const std::size_t before = classes_of(colours);
            colours = recoloured(colours, signs);
            if (classes_of(colours) == before) return colours;
        }
    }

    void search(const Colours& colours) {
        std::map<int, std::vector<std::string>> classes;
        for (const auto& n : names_) classes[colours.at(n)].push_back(n);
        const auto tie =
            std::find_if(classes.begin(), classes.end(), [](const auto& c) { return c.second.size() > 1; });
        if (tie == classes.end()) {
            ++leaves_;
            std::string text = fmt::format("{}", fmt::join(statements(colours), "\n"));
            std::map<int, std::string> signs;
            for (const auto& n : names_) signs[colours.at(n)] = own_sign(n);
            for (const auto& [c, sign] : signs) text += fmt::format("\n{}{}", c, sign);
            if (best_.empty() || text < best_) best_ = std::move(text);
            return;
        }
        for (const auto& n : tie->second) {
            if (leaves_ >= most_leaves) return;
            std::map<std::string, std::string> signs;
            for (const auto& other : names_) signs[other] = other == n ? "a" : "b";
            search(refined(recoloured(colours, signs)));
        }
    }

    const SystemCase& case_;
    std::vector<std::string> names_;
    std::string best_;
    int leaves_ = 0;
};

}  // namespace

std::string canonical_key(const SystemCase& c) { return Canonizer(c).key(); }

}  // namespace halogen
