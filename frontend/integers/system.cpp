#include "frontend/integers/system.h"

#include "frontend/integers/explore.h"
#include "frontend/integers/linearize.h"

#include <set>
#include <unordered_map>

namespace halogen {

namespace {

constexpr long most_steps = 60'000;
constexpr long most_steps_to_explain = 2'000;  // why there is no answer

constexpr std::size_t most_sources = 64;  // of which a least clashing set is looked for

/// How much is asked of a solution.
enum class Level { admissible, integer, real };

}  // namespace

void System::add_unknown(const std::string& name, std::int64_t least) {
    if (least_.emplace(name, least).second) names_.push_back(name);
}

/// One system with numbers put in, as rows and choices; asked for ranges at any level.
class SystemSolver {
public:
    SystemSolver(const System& system, const Bindings& known, const std::set<int>* dropped = nullptr)
        : system_(system), known_(known) {
        Numbers numbers;
        for (const auto& [name, value] : known) numbers.emplace(name, Formula(value));
        for (const auto& name : system.names_) linear_.unknown(name);
        for (const auto& [name, value] : known)
            facts_.push_back({Poly::unknown(linear_.unknown(name)), {Rational(value), Rational(value)}});
        for (const Fact& f : system.facts_) {
            if (!dropped || !dropped->contains(f.source)) add_fact(f, numbers);
        }
        for (const auto& alternatives : system.alternatives_) add_choice(alternatives, numbers, dropped);
        facts_.insert(facts_.end(), linear_.facts.begin(), linear_.facts.end());
        choices_.insert(choices_.end(), linear_.choices.begin(), linear_.choices.end());
    }

    /// Ranges of the system's names, or nothing when there is no solution at that level. `chosen` are known beside.
    std::optional<std::vector<Range>> ranges(Level level, const Bindings& chosen = {}, long steps = most_steps) try {
        if (impossible_) return std::nullopt;
        Budget budget(level == Level::admissible ? steps : most_steps_to_explain);
        Rows rows(linear_.unknowns(), level != Level::real);
        for (const auto& fact : facts_) rows.add(fact.p, fact.range);
        for (const auto& [name, value] : chosen)
            rows.add(Poly::unknown(linear_.unknown(name)), {Rational(value), Rational(value)});
        if (level == Level::admissible) {
            for (std::size_t i = 0; i < system_.names_.size(); ++i) {
                if (known_.contains(system_.names_[i])) continue;  // 0 is admissible when given
                rows.add(Poly::unknown(static_cast<int>(i)),
                         {Rational(system_.least_.at(system_.names_[i])), std::nullopt});
            }
        }
        std::optional<std::vector<Range>> all;
        split(std::move(rows), 0, budget, all);
        if (all) all->resize(system_.names_.size());
        return all;
    } catch (const Failure& failure) {
        if (failure.error().kind != ErrorKind::overflow) throw;
        throw Failure(Error{ErrorKind::too_complex,
                            "the sizes are coupled in ways that leave 128 bits",
                            {},
                            "",
                            "give more of them as numbers"});
    }

private:
    enum class Truth { yes, no, open };

    using Numbers = std::unordered_map<std::string, Formula>;

    /// The fact as 0 == difference or 0 <= difference with numbers put in, and what they make of it.
    static Truth reduce(const Fact& f, const Numbers& numbers, Fact& reduced) {
        const auto number_of = [&](const std::string& name) -> const Formula* {
            const auto at = numbers.find(name);
            return at == numbers.end() ? nullptr : &at->second;
        };
        reduced = {0, f.relation, (f.right - f.left).substitute(number_of), f.source};
        const auto difference = reduced.right.constant();
        if (!difference) return Truth::open;
        return (f.relation == Relation::equal ? *difference == 0 : *difference >= 0) ? Truth::yes : Truth::no;
    }

    void add_fact(const Fact& f, const Numbers& numbers) {
        Fact reduced;
        const Truth truth = reduce(f, numbers, reduced);
        if (truth == Truth::no) impossible_ = true;
        if (truth == Truth::open) facts_.push_back(linear_.row(reduced));
    }

    void add_choice(const std::vector<std::vector<Fact>>& alternatives, const Numbers& numbers,
                    const std::set<int>* dropped) {
        std::vector<std::vector<Fact>> open;
        for (const auto& facts : alternatives) {
            if (dropped && !facts.empty() && dropped->contains(facts.front().source)) return;
            std::vector<Fact> left;
            bool good = true;
            for (const Fact& f : facts) {
                Fact reduced;
                const Truth truth = reduce(f, numbers, reduced);
                good = good && truth != Truth::no;
                if (truth == Truth::open) left.push_back(std::move(reduced));
            }
            if (good && left.empty()) return;  // always holds
            if (good) open.push_back(std::move(left));
        }
        if (open.empty()) impossible_ = true;
        if (open.size() == 1) {
            for (const Fact& f : open[0]) facts_.push_back(linear_.row(f));
        } else if (!open.empty()) {
            RowChoice choice;
            for (const auto& facts : open) choice.push_back(linear_.alternative(facts));
            choices_.push_back(std::move(choice));
        }
    }

    void split(Rows rows, std::size_t next, Budget& budget, std::optional<std::vector<Range>>& all) {
        budget.spend();
        if (!rows.settle()) return;
        if (next == choices_.size()) {
            const auto some = ranges_of_solutions(std::move(rows), static_cast<int>(system_.names_.size()), budget);
            if (!some) return;
            if (!all) all = some;
            for (std::size_t i = 0; i < system_.names_.size(); ++i) (*all)[i].unite((*some)[i]);
            return;
        }
        for (const RowFacts& facts : choices_[next]) {
            Rows branch = rows;
            for (const auto& fact : facts) {
                Wide denominator = 1;
                const Poly p = branch.reduced(fact.p, denominator);
                branch.add(p, Rational(denominator) * fact.range);
            }
            split(std::move(branch), next + 1, budget, all);
        }
    }

    const System& system_;
    const Bindings known_;
    Linearizer linear_;
    RowFacts facts_;
    std::vector<RowChoice> choices_;
    bool impossible_ = false;
};

namespace {

/// Runs a question of an explanation; nothing when a cap leaves it undecided.
template<typename Question>
auto unless_too_complex(Question&& question) -> std::optional<decltype(question())> {
    try {
        return question();
    } catch (const Failure& failure) {
        if (failure.error().kind != ErrorKind::too_complex) throw;
        return std::nullopt;
    }
}

ErrorKind kind_of_failure(const System& system, const Bindings& known, const std::set<int>* dropped = nullptr) {
    SystemSolver solver(system, known, dropped);
    const auto integer = unless_too_complex([&] { return solver.ranges(Level::integer).has_value(); });
    if (integer && *integer) return ErrorKind::negative;
    const auto real = unless_too_complex([&] { return solver.ranges(Level::real).has_value(); });
    if (real && !*real) return ErrorKind::contradictory;
    // Undecided among products of integers of either sign: what fails for certain is being at least 1.
    return integer ? ErrorKind::non_integer : ErrorKind::negative;
}

bool is_solvable(const System& system, const Bindings& known, const std::set<int>* dropped = nullptr) {
    return SystemSolver(system, known, dropped).ranges(Level::admissible).has_value();
}

/// True when there is certainly no solution; a cap leaves it open.
bool is_unsolvable(const System& system, const Bindings& known, const std::set<int>* dropped = nullptr) {
    return unless_too_complex([&] { return !is_solvable(system, known, dropped); }).value_or(false);
}

/// Drops known names, last first, as long as `still_fails`.
template<typename Fails>
Bindings least_set(Bindings known, Fails&& still_fails) {
    const Bindings all = known;
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
        Bindings fewer = known;
        fewer.erase(at->first);
        if (still_fails(fewer)) known = std::move(fewer);
    }
    return known;
}

Bindings least_conflict(const System& system, const Bindings& known) {
    const Bindings clash = least_set(known, [&](const Bindings& k) {
        return is_unsolvable(system, k) && kind_of_failure(system, k) == ErrorKind::contradictory;
    });
    return least_set(clash, [&](const Bindings& k) { return is_unsolvable(system, k); });
}

}  // namespace

bool System::has_solution() const {
    try {
        return is_solvable(*this, {});
    } catch (const Failure&) {
        return true;
    }
}

std::map<std::string, Range> System::ranges(const Bindings& known) const {
    std::map<std::string, Range> all;
    const auto list = SystemSolver(*this, known).ranges(Level::admissible, {}, most_steps_to_explain);
    for (std::size_t i = 0; list && i < names_.size(); ++i) all.emplace(names_[i], (*list)[i]);
    return all;
}

std::vector<int> System::clashing_sources(const Bindings& known) const {
    std::set<int> sources, dropped;
    for (const Fact& f : facts_) sources.insert(f.source);
    for (const auto& either : alternatives_) {
        for (const auto& facts : either) {
            for (const Fact& f : facts) sources.insert(f.source);
        }
    }
    for (int s : sources) {
        if (sources.size() > most_sources) break;
        dropped.insert(s);
        if (!is_unsolvable(*this, known, &dropped)) dropped.erase(s);
    }
    std::vector<int> needed;
    for (int s : sources) {
        if (s >= 0 && !dropped.contains(s)) needed.push_back(s);
    }
    return needed;
}

SystemAnswer System::solve(const Bindings& known, const std::vector<std::string>& least) const {
    SystemAnswer answer;
    SystemSolver solver(*this, known);
    auto ranges = solver.ranges(Level::admissible);
    if (!ranges) {
        answer.error = kind_of_failure(*this, known);
        const Level level = *answer.error == ErrorKind::negative ? Level::integer : Level::real;
        if (*answer.error != ErrorKind::contradictory) {
            const auto loose = unless_too_complex([&] { return SystemSolver(*this, known).ranges(level); });
            for (std::size_t i = 0; i < names_.size(); ++i) {
                Range r;
                if (loose && *loose)
                    r = (**loose)[i];
                else if (known.contains(names_[i]))
                    r = {Rational(known.at(names_[i])), Rational(known.at(names_[i]))};
                const bool forced = r.is_point() && r.lo->is_integer() && Rational(least_.at(names_[i])) <= *r.lo;
                if (forced)
                    answer.values.emplace(names_[i], r.lo->num);
                else
                    answer.unresolved.push_back(names_[i]);
                answer.ranges.emplace(names_[i], r);
            }
            return answer;
        }
        const Bindings clash = least_conflict(*this, known);
        for (const auto& [name, value] : clash) answer.conflict.push_back(name);
        answer.sources = clashing_sources(clash);
        return answer;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) answer.ranges.emplace(names_[i], (*ranges)[i]);
    if (!least.empty()) {
        std::unordered_map<std::string, std::size_t> positions;
        for (std::size_t i = 0; i < names_.size(); ++i) positions.emplace(names_[i], i);
        const auto choose_least = [&](const std::string& name, Bindings& chosen) {
            const auto& low = (*ranges)[positions.at(name)].lo;
            if (low) chosen.insert_or_assign(name, narrow(low->num));
            return low.has_value();
        };
        Bindings chosen;
        for (const auto& name : least) choose_least(name, chosen);
        if (auto joint = solver.ranges(Level::admissible, chosen)) {
            ranges = std::move(joint);
        } else {
            chosen.clear();
            for (const auto& name : least) {
                if (choose_least(name, chosen)) ranges = solver.ranges(Level::admissible, chosen);
            }
        }
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if ((*ranges)[i].is_point())
            answer.values.emplace(names_[i], (*ranges)[i].lo->num);
        else
            answer.unresolved.push_back(names_[i]);
    }
    if (!answer.unresolved.empty()) answer.error = ErrorKind::underdetermined;
    return answer;
}

}  // namespace halogen
