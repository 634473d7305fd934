#pragma once
// Formulas as rows: quotients, remainders, min and max become unknowns with facts of their own.

#include "frontend/integers/fact.h"
#include "frontend/integers/rows.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace halogen {

/// lo <= p <= hi
struct RowFact {
    Poly p;
    Range range;
};
/// Facts of which all hold.
using RowFacts = std::vector<RowFact>;
/// Alternatives of which one holds.
using RowChoice = std::vector<RowFacts>;

class Linearizer {
public:
    /// The number of an unknown; new names get new numbers.
    int unknown(const std::string& name);
    RowFact row(const Fact&);
    int unknowns() const { return count_; }

    /// The rows of facts that hold only together: what is made for them is among the rows, and is not shared.
    /// Facts that numbers decide must have been dropped.
    RowFacts alternative(const std::vector<Fact>&);

    RowFacts facts;                  // about the unknowns made here
    std::vector<RowChoice> choices;  // one for each min and max

private:
    Poly poly(const Formula&);
    int atom(const Formula::AtomRef&);
    std::pair<int, int> quotient(const Formula& a, const Formula& b);
    int extreme(const Formula::Atom&);

    int count_ = 0;
    std::unordered_map<std::string, int> names_;
    std::map<std::pair<Formula, Formula>, std::pair<int, int>> quotients_;  // shared by `/` and `%`
    std::map<std::pair<Formula, Formula>, int> minima_, maxima_;
};

}  // namespace halogen
