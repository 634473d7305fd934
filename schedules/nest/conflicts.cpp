#include "schedules/nest/conflicts.h"

#include "frontend/integers/system.h"
#include "schedules/nest/places.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

using Kind = LoopOrder::Kind;

/// The facts about two runs.
class Question {
public:
    Question(const NestRun& a, const NestRun& b, const std::vector<LoopOrder>& order) {
        enter(a, 'a', a_, {});
        std::map<int, int> same;
        for (const LoopOrder& o : order)
            if (o.kind == Kind::equal && o.a == o.b) same[o.b] = o.a;
        enter(b, 'b', b_, same);
        for (const LoopOrder& o : order) {
            const Formula x = a_.at(loop_symbol(o.a)), y = b_.at(loop_symbol(o.b));
            if (o.kind == Kind::equal)
                equal(x, y);
            else if (o.kind == Kind::before)
                at_most(x + Formula(1), y);
            else
                at_most(y + Formula(1), x);
        }
    }

    void meet(const NestAccess& x, const NestAccess& y) {
        for (std::size_t d = 0; d < std::min(x.at.size(), y.at.size()); d++)
            if (x.at[d] && y.at[d]) equal(x.at[d]->substitute(a_), y.at[d]->substitute(b_));
    }

    bool possible() const {
        if (never_) return false;
        System system;
        for (const std::string& name : unknowns_) system.add_unknown(name, 0);
        for (const Fact& fact : facts_) system.add(fact);
        return system.has_solution();
    }

private:
    using Values = std::map<std::string, Formula>;

    void enter(const NestRun& run, char side, Values& values, const std::map<int, int>& same) {
        for (const NestLoop* loop : run.path) {
            const std::string symbol = loop_symbol(loop->id);
            if (same.count(loop->id) && a_.count(symbol)) {
                values[symbol] = a_.at(symbol);
                continue;
            }
            const Formula steps = Formula::symbol(side + symbol);
            at_most(steps + Formula(1), loop->extent.substitute(values));
            values[symbol] = loop->min.substitute(values) + steps;
        }
        for (const Formula& guard : run.statement->guards) at_most(0, guard.substitute(values));
    }

    void equal(const Formula& x, const Formula& y) { add({x, Relation::equal, y}); }
    void at_most(const Formula& x, const Formula& y) { add({x, Relation::at_most, y}); }
    void add(const Fact& fact) {
        const Formula difference = fact.right - fact.left;
        if (const auto c = difference.constant()) {
            never_ = never_ || (fact.relation == Relation::equal ? *c != 0 : *c < 0);
            return;
        }
        for (const std::string& symbol : difference.symbols()) unknowns_.insert(symbol);
        facts_.push_back(fact);
    }

    Values a_, b_;
    std::set<std::string> unknowns_;
    std::vector<Fact> facts_;
    bool never_ = false;
};

bool reduces(const NestStatement& s) { return !s.start && s.equation.op != Op::assign; }

bool counts(const NestRun& a, const NestAccess& x, const NestRun& b, const NestAccess& y, Meetings meetings) {
    if (x.tensor != y.tensor) return false;
    if (meetings == Meetings::flow) return x.write && (!y.write || reduces(*b.statement));
    if (!x.write && !y.write) return false;
    const bool one_reduction = x.write && y.write && reduces(*a.statement) && reduces(*b.statement) &&
                               a.statement->equation.op == b.statement->equation.op;
    return meetings == Meetings::any || !one_reduction;
}

/// A point computed twice, as under a tail that shifts inwards: points of one `=` that meet in an element are one point, and
/// its value is the same each time, unless it is made from the element.
bool repeats(const NestRun& a, const NestAccess& x, const NestRun& b, const NestAccess& y,
             const std::vector<NestAccess>& accesses) {
    return a.statement == b.statement && x.write && y.write && !reduces(*a.statement) &&
           std::none_of(accesses.begin(), accesses.end(),
                        [&](const NestAccess& other) { return !other.write && other.tensor == x.tensor; });
}

/// Storage that each iteration of a loop on both paths has for itself.
bool is_private(const Nest& nest, const std::string& tensor, const NestRun& a, const std::vector<LoopOrder>& order) {
    const auto storage = nest.storage.find(tensor);
    if (storage == nest.storage.end() || storage->second.level == 0) return false;
    std::size_t depth = a.path.size();
    for (std::size_t i = 0; i < a.path.size(); i++)
        if (a.path[i]->id == storage->second.level) depth = i;
    for (const LoopOrder& o : order)
        if (o.kind != Kind::equal)
            for (std::size_t i = 0; i <= depth && i < a.path.size(); i++)
                if (a.path[i]->id == o.a) return true;
    return false;
}

std::string verb(const NestRun& run, const NestAccess& access) {
    return fmt::format("`{}.{}` {} {}", run.statement->func, run.statement->stage, access.write ? "writes" : "reads",
                       access.tensor);
}

bool holds_loop(const NestRun& run, int id) {
    return std::any_of(run.path.begin(), run.path.end(), [&](const NestLoop* loop) { return loop->id == id; });
}

}  // namespace

std::vector<NestRun> all_runs(const Nest& nest) {
    std::vector<NestRun> runs;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) { runs.push_back({path, &s}); });
    return runs;
}

std::vector<NestRun> runs_below(const Nest& nest, int loop_id) {
    std::vector<NestRun> runs;
    for (NestRun& run : all_runs(nest))
        if (holds_loop(run, loop_id)) runs.push_back(run);
    return runs;
}

std::optional<Meeting> meeting(const Nest& nest, const NestRun& a, const NestRun& b,
                               const std::vector<LoopOrder>& order, Meetings meetings) {
    const auto left = accesses_of(nest, *a.statement), right = accesses_of(nest, *b.statement);
    for (const NestAccess& x : left)
        for (const NestAccess& y : right) {
            if (!counts(a, x, b, y, meetings) || is_private(nest, x.tensor, a, order)) continue;
            if (meetings != Meetings::flow && repeats(a, x, b, y, left)) continue;
            Question question(a, b, order);
            question.meet(x, y);
            if (question.possible()) return Meeting{x.tensor, verb(a, x) + " where " + verb(b, y)};
        }
    return std::nullopt;
}

std::optional<Meeting> carried(const Nest& nest, int loop_id, Meetings meetings) {
    const auto runs = runs_below(nest, loop_id);
    for (const NestRun& a : runs)
        for (const NestRun& b : runs) {
            std::vector<LoopOrder> order;
            for (const NestLoop* loop : a.path) {
                order.push_back({loop->id, loop->id, loop->id == loop_id ? Kind::before : Kind::equal});
                if (loop->id == loop_id) break;
            }
            if (auto found = meeting(nest, a, b, order, meetings)) return found;
        }
    return std::nullopt;
}

}  // namespace halogen
