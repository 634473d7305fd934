#include "schedules/bind/turned_vectors.h"

#include "schedules/bind/let_names.h"
#include "schedules/bind/loaded.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// A body is written once for each lane.
constexpr int most_stores = 4, most_lanes = 16;

Expr variable(const std::string& name) { return Variable::make(Halide::Int(32), name); }

/// By how much places grow from one value of a variable to the next, in every lane; undefined where that is not always the same.
Expr step_of(const Expr& e, const std::string& of) {
    if (!expr_uses_var(e, of)) return 0;
    if (e.as<Variable>()) return 1;
    if (const auto* ramp = e.as<Ramp>()) return expr_uses_var(ramp->stride, of) ? Expr() : step_of(ramp->base, of);
    if (const auto* all = e.as<Broadcast>()) return step_of(all->value, of);
    const auto both = [&](const Expr& a, const Expr& b, auto combine) {
        const Expr first = step_of(a, of), second = step_of(b, of);
        return first.defined() && second.defined() ? simplify(combine(first, second)) : Expr();
    };
    if (const auto* add = e.as<Add>()) return both(add->a, add->b, std::plus<Expr>());
    if (const auto* sub = e.as<Sub>()) return both(sub->a, sub->b, std::minus<Expr>());
    const auto* mul = e.as<Mul>();
    if (!mul || expr_uses_var(mul->a, of) == expr_uses_var(mul->b, of)) return Expr();
    const auto [moving, still] = expr_uses_var(mul->a, of) ? std::pair(mul->a, mul->b) : std::pair(mul->b, mul->a);
    const auto* all = still.as<Broadcast>();
    const Expr step = step_of(moving, of), times = all ? all->value : still;
    return step.defined() && times.type().is_scalar() ? simplify(step * times) : Expr();
}

/// A loop, and where it begins and how often it runs, as is known around the outermost of those looked at.
struct Loop {
    const For* loop;
    Expr min, extent;
};

/// Places without the ends that hold back what one loop alone moves, and what must hold so that none does.
class Free : public IRMutator {
public:
    explicit Free(const std::vector<Loop>& loops) : loops_(loops) {
        for (const Loop& l : loops) names_.push(l.loop->name);
    }
    Expr inside = const_true();

private:
    using IRMutator::visit;
    Expr visit(const Min* e) override {
        return freed(e, e->a, e->b, [](const Expr& value, const Expr& end) { return value <= end; });
    }
    Expr visit(const Max* e) override {
        return freed(e, e->a, e->b, [](const Expr& value, const Expr& end) { return value >= end; });
    }

    template<class Node, class Within>
    Expr freed(const Node* e, const Expr& a, const Expr& b, Within within) {
        const bool moves = expr_uses_vars(a, names_);
        if (!e->type.is_scalar() || moves == expr_uses_vars(b, names_)) return e;
        Expr value = mutate(moves ? a : b);
        const Expr end = moves ? b : a;
        for (const auto& [loop, min, extent] : loops_) {
            const Expr first = substitute(loop->name, min, value);
            if (expr_uses_vars(first, names_) || !step_of(value, loop->name).defined()) continue;
            inside = inside && within(first, end) && within(substitute(loop->name, min + extent - 1, value), end);
            return value;
        }
        return e;
    }

    const std::vector<Loop>& loops_;
    Scope<> names_;
};

/// Loops one in the other around statements that only store, and the vectors that lie across rows there, where `when` holds: then they move
/// by one element from one iteration to the next, of all loops, which may be one.
class Find : public IRVisitor {
public:
    /// `apart`: strides that are not 1.
    static std::optional<Find> in(const For* loop, const Scope<>& apart) {
        Find find;
        loop->accept(&find);
        const auto is_stored = [&](const std::string& tensor) { return find.stored_.count(tensor) > 0; };
        const bool moves = std::ranges::any_of(find.places_from_, is_stored);
        if (!find.told_ || moves || find.stores_ > most_stores || !find.are_one()) return std::nullopt;
        for (const auto& [load, places] : find.loads)
            if (!is_stored(load->name) && find.lies_across(load, places)) find.found.emplace(load, places);
        if (find.found.empty()) return std::nullopt;
        find.when = simplify(find.when);
        const bool never = std::ranges::any_of(find.units, [&](const auto& stride) { return apart.contains(stride); });
        return never || is_const_zero(find.when) ? std::nullopt : std::optional(find);
    }

    std::vector<Loop> loops;
    std::map<const Load*, Expr> loads, found;  // all, and those across: their places, nothing held back
    Expr when = const_true();
    int lanes = 0;
    std::set<std::string> units;  // strides that are 1 then

private:
    using IRVisitor::visit;
    void visit(const IfThenElse*) override { told_ = false; }
    void visit(const Allocate*) override { told_ = false; }
    void visit(const Atomic*) override { told_ = false; }
    void visit(const Fork*) override { told_ = false; }
    void visit(const Acquire*) override { told_ = false; }
    void visit(const Evaluate*) override { told_ = false; }
    void visit(const AssertStmt*) override { told_ = false; }
    void visit(const ProducerConsumer*) override { told_ = false; }
    void visit(const Let* let) override { named(let); }
    void visit(const LetStmt* let) override { named(let); }
    void visit(const Block* block) override {
        is_nest_ = false;
        IRVisitor::visit(block);
    }
    void visit(const For* loop) override {
        told_ = told_ && is_nest_ && loop->for_type == ForType::Serial;
        const Loop here{loop, names_.resolved(loop->min), names_.resolved(loop->extent)};
        for (const Loop& outer : loops)
            told_ =
                told_ && !expr_uses_var(here.min, outer.loop->name) && !expr_uses_var(here.extent, outer.loop->name);
        loops.push_back(here);
        if (told_) loop->body.accept(this);
    }
    void visit(const Store* store) override {
        is_nest_ = false;
        stores_++;
        stored_.insert(store->name);
        places_.push_back(names_.resolved(store->index));
        told_ = told_ && is_const_one(store->predicate);
        store->value.accept(this);
    }
    void visit(const Load* load) override {
        Free free(loops);
        const Expr places = simplify(free.mutate(names_.resolved(load->index)));
        when = when && free.inside;
        const auto [other, fresh] = loads.emplace(load, places);
        told_ = told_ && (fresh || equal(other->second, places));
        places_from_.merge(loaded_in(places));
        load->predicate.accept(this);
    }
    void visit(const Variable* variable) override {
        const Expr value = names_.resolved(variable);
        for (const Loop& l : loops) is_counted_ = is_counted_ || expr_uses_var(value, l.loop->name);
    }
    void visit(const Call* call) override {
        told_ = told_ && call->is_pure() && !call->is_intrinsic(Call::if_then_else);
        IRVisitor::visit(call);
    }
    template<class LetNode>
    void named(const LetNode* let) {
        names_.within(let, [&] { let->body.accept(this); });
    }

    /// Whether one loop over as many iterations would store the same to the same places; `when` asks what of loads is not known.
    bool are_one() {
        if (loops.size() > 1 && is_counted_) return false;
        for (std::size_t l = 0; l + 1 < loops.size(); l++) {
            const auto follow = [&](const Expr& places) {
                const Expr outer = step_of(places, loops[l].loop->name),
                           inner = step_of(places, loops[l + 1].loop->name);
                if (!outer.defined() || !inner.defined()) return const_false();
                return simplify(outer == inner * loops[l + 1].extent);
            };
            for (const Expr& places : places_)
                if (!is_const_one(follow(places))) return false;
            for (const auto& [load, places] : loads) when = when && follow(places);
        }
        return true;
    }

    bool lies_across(const Load* load, const Expr& places) {
        const int count = load->type.lanes();
        const bool is_turnable = count >= 4 && count <= most_lanes && (count & (count - 1)) == 0 &&
                                 load->type.element_of().bytes() * count <= 64 && is_const_one(load->predicate);
        const auto* ramp = places.as<Ramp>();
        if (!is_turnable || (lanes > 0 && count != lanes) || places.as<Broadcast>() || (ramp && is_const(ramp->stride)))
            return false;
        const Expr step = step_of(places, loops.back().loop->name);
        const auto* times = step.defined() ? step.as<Mul>() : nullptr;
        if (!step.defined() || (is_const(step) && !is_const_one(step)) ||
            (times && (is_const(times->a) || is_const(times->b))))
            return false;
        lanes = count;
        when = when && step == 1;
        if (const auto* stride = step.as<Variable>()) units.insert(stride->name);
        return true;
    }

    bool told_ = true, is_nest_ = true;
    bool is_counted_ = false;  // a value depends on loops, other than by places
    int stores_ = 0;
    std::set<std::string> stored_;
    std::vector<Expr> places_;           // of stores
    std::set<std::string> places_from_;  // the tensors whose elements say which places are read
    LetNames names_;
};

/// A body with other values in the place of loads.
class WithValues : public IRMutator {
public:
    explicit WithValues(const std::map<const Load*, Expr>& values) : values_(values) {}

private:
    using IRMutator::visit;
    Expr visit(const Load* load) override {
        const auto value = values_.find(load);
        return value == values_.end() ? IRMutator::visit(load) : value->second;
    }

    const std::map<const Load*, Expr>& values_;
};

/// Vectors that are computed once each, in this order.
class Named {
public:
    Expr of(const Expr& value) {
        all_.emplace_back(unique_name('t'), value);
        return Variable::make(value.type(), all_.back().first);
    }
    Stmt before(Stmt body) const {
        for (auto name = all_.rbegin(); name != all_.rend(); ++name)
            body = LetStmt::make(name->first, name->second, body);
        return body;
    }

private:
    std::vector<std::pair<std::string, Expr>> all_;
};

/// A matrix of vectors whose elements are `unit` lanes, turned within parts of as many elements as there are vectors: each round
/// interleaves the first half of the vectors with the second (Stone, Parallel processing with the perfect shuffle, 1971).
std::vector<Expr> turned(std::vector<Expr> rows, int unit, Named& named) {
    const std::size_t count = rows.size();
    const int lanes = rows.front().type().lanes(), part = static_cast<int>(count) * unit;
    for (std::size_t round = 1; round < count; round *= 2) {
        std::vector<Expr> next;
        for (std::size_t i = 0; i < count; i++) {
            std::vector<int> indices;
            for (int lane = 0; lane < lanes; lane++) {
                const int at = lane % part, element = at / (2 * unit) + (i % 2 ? static_cast<int>(count) / 2 : 0);
                indices.push_back(lane - at + element * unit + at % unit + (at / unit % 2 ? lanes : 0));
            }
            next.push_back(named.of(Shuffle::make({rows[i / 2], rows[i / 2 + count / 2]}, indices)));
        }
        rows = next;
    }
    return rows;
}

/// A matrix of as many vectors as lanes, turned: first within the 16 bytes in which x86 moves elements at will, then these as a whole.
std::vector<Expr> turned(const std::vector<Expr>& rows, Named& named) {
    const std::size_t lanes = rows.size(),
                      within = std::min<std::size_t>(lanes, 16 / rows.front().type().element_of().bytes());
    std::vector<std::vector<Expr>> parts;
    for (std::size_t first = 0; first < lanes; first += within)
        parts.push_back(turned({rows.begin() + first, rows.begin() + first + within}, 1, named));
    std::vector<Expr> columns(lanes);
    for (std::size_t j = 0; j < within; j++) {
        std::vector<Expr> same;
        for (const std::vector<Expr>& part : parts) same.push_back(part[j]);
        same = turned(same, static_cast<int>(within), named);
        for (std::size_t g = 0; g < same.size(); g++) columns[g * within + j] = same[g];
    }
    return columns;
}

class TurnVectors : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const For* loop) override {
        const auto find = loop->for_type == ForType::Serial ? Find::in(loop, apart_) : std::nullopt;
        if (!find) return IRMutator::visit(loop);
        const Stmt otherwise = find->loops.size() == 1 ? IRMutator::visit(loop) : loop;
        return IfThenElse::make(find->when && extent(*find) >= find->lanes, by_blocks(*find), otherwise);
    }

    Stmt visit(const IfThenElse* choice) override {
        const auto* is_one = choice->condition.as<EQ>();
        const auto* stride = is_one && is_const_one(is_one->b) ? is_one->a.as<Variable>() : nullptr;
        if (!stride || !choice->else_case.defined()) return IRMutator::visit(choice);
        const Stmt then = mutate(choice->then_case);
        ScopedBinding<> bind(apart_, stride->name);
        return IfThenElse::make(choice->condition, then, mutate(choice->else_case));
    }

    static Expr extent(const Find& find) {
        Expr product = 1;
        for (const Loop& l : find.loops) product = simplify(product * l.extent);
        return product;
    }

    static Stmt by_blocks(const Find& find) {
        const For* const inner = find.loops.back().loop;
        const Expr& min = find.loops.back().min;
        const std::string block = unique_name(inner->name + ".turned");
        const Expr first = min + variable(block) * find.lanes, blocks = extent(find) / find.lanes;
        Named named;
        std::map<const Load*, std::vector<Expr>> columns;
        for (const auto& [load, places] : find.found)
            columns[load] = turned(rows(load, places, find, first, named), named);
        std::map<const Load*, Expr> values;
        for (const auto& [load, places] : find.loads)
            values[load] = Load::make(load->type, load->name, places, load->image, load->param, load->predicate, {});
        const Stmt one = WithValues(values).mutate(inner->body);
        std::vector<Stmt> iterations;
        for (int i = 0; i < find.lanes; i++) {
            for (const auto& [load, all] : columns) values[load] = all[static_cast<std::size_t>(i)];
            iterations.push_back(LetStmt::make(inner->name, first + i, WithValues(values).mutate(inner->body)));
        }
        const auto again = [&](const std::string& name, const Expr& from, const Expr& count, const Stmt& inside) {
            return For::make(name, from, count, ForType::Serial, inner->partition_policy, inner->device_api, inside);
        };
        const Expr rest = min + blocks * find.lanes;
        Stmt all = Block::make(again(block, 0, blocks, named.before(Block::make(iterations))),
                               again(inner->name, rest, extent(find) % find.lanes, one));
        for (const std::string& stride : find.units) all = substitute(stride, 1, all);
        return in_first_iterations(find.loops.front().loop, inner, all);
    }

    /// `inside`, in what stands around the innermost loop but the other loops.
    static Stmt in_first_iterations(const Stmt& s, const For* inner, const Stmt& inside) {
        if (s.get() == inner) return inside;
        if (const auto* loop = s.as<For>())
            return LetStmt::make(loop->name, loop->min, in_first_iterations(loop->body, inner, inside));
        const auto* let = s.as<LetStmt>();
        return LetStmt::make(let->name, let->value, in_first_iterations(let->body, inner, inside));
    }

    /// The vectors of a block.
    static std::vector<Expr> rows(const Load* load, Expr places, const Find& find, const Expr& first, Named& named) {
        for (const Loop& l : find.loops)
            places = substitute(l.loop->name, l.loop == find.loops.back().loop ? first : l.min, places);
        std::vector<Expr> vectors;
        for (int lane = 0; lane < find.lanes; lane++) {
            const Expr along = Ramp::make(simplify(extract_lane(places, lane)), 1, find.lanes);
            vectors.push_back(named.of(Load::make(load->type, load->name, along, load->image, load->param,
                                                  const_true(find.lanes), ModulusRemainder())));
        }
        return vectors;
    }

    Scope<> apart_;
};

}  // namespace

Stmt with_turned_vectors(const Stmt& s) { return TurnVectors().mutate(s); }

void turn_vectors(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new TurnVectors); }

}  // namespace halogen
