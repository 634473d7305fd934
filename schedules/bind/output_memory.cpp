#include "schedules/bind/output_memory.h"

#include "schedules/bind/let_names.h"

#include <algorithm>
#include <utility>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// What a statement reads and writes of a buffer.
class Accesses : public IRVisitor {
public:
    Accesses(const Stmt& s, std::string name) : name_(std::move(name)) { s.accept(this); }

    std::vector<const Load*> loads;
    std::vector<const Store*> stores;
    bool is_named = false;  // by anything else

    bool any() const { return !loads.empty() || !stores.empty(); }

private:
    using IRVisitor::visit;

    void visit(const Load* load) override {
        IRVisitor::visit(load);
        if (load->name == name_) loads.push_back(load);
    }
    void visit(const Store* store) override {
        IRVisitor::visit(store);
        if (store->name == name_) stores.push_back(store);
    }
    void visit(const Variable* variable) override { is_named = is_named || variable->name == name_; }

    const std::string name_;
};

/// The first place of an access to places side by side; undefined for others.
Expr first_place(const Expr& index) {
    if (const auto* ramp = index.as<Ramp>()) return is_const_one(ramp->stride) ? ramp->base : Expr();
    return index.type().is_scalar() ? index : Expr();
}

/// The number of lanes that are stored, from the first on, of a store behind a mask `… < end` or `… <= end`.
Expr stored_lanes(const Store* store) {
    const auto* less = store->predicate.as<LT>();
    const auto* at_most = store->predicate.as<LE>();
    if (!less && !at_most) return {};
    const auto* lanes = (less ? less->a : at_most->a).as<Ramp>();
    const auto* end = (less ? less->b : at_most->b).as<Broadcast>();
    if (!lanes || !end || !is_const_one(lanes->stride)) return {};
    return end->value - lanes->base + (less ? 0 : 1);
}

/// The last statement that works on a row: `for v in 0:N/16: Y[16*v …] = … E[16*v …]` and, where a rest is, one vector behind a mask.
class LastLoop {
public:
    LastLoop(const Stmt& s, std::string output, std::string intermediate, const Lets& around)
        : output_(std::move(output)), intermediate_(std::move(intermediate)), lets_(around), outside_(around.size()) {
        fits_ = walk(s, const_true()) && count_.defined() && read_.empty();
        if (!fits_) return;
        const Expr whole = count_ * lanes_;
        end_ = resolved(rest_.defined() ? whole + rest_ : whole);
        if (!rest_.defined()) return;
        fits_ = is_same(rest_at_, whole) && is_same(count_, end_ / lanes_) &&
                (is_const_one(rest_when_) || is_same(rest_when_, end_ % lanes_ != 0));
    }

    bool fits() const { return fits_; }
    /// The number of elements of the row, all of which are written.
    Expr end() const { return end_; }
    /// What the places of the output are more than those of the intermediate, in names around the statement.
    Expr shift() const { return shift_; }
    const Halide::Parameter& buffer() const { return buffer_; }

private:
    Expr resolved(const Expr& e) const { return simplify(without(lets_, e)); }
    bool is_same(const Expr& a, const Expr& b) const { return is_const_one(simplify(resolved(a) == resolved(b))); }

    bool walk(const Stmt& s, const Expr& when) {
        if (const auto* let = s.as<LetStmt>()) {
            know(let);
            return walk(let->body, when);
        }
        if (const auto* block = s.as<Block>()) return walk(block->first, when) && walk(block->rest, when);
        if (const auto* part = s.as<ProducerConsumer>()) return walk(part->body, when);
        if (const auto* loop = s.as<For>()) return is_const_zero(loop->min) && walk_vectors(loop);
        if (const auto* store = s.as<Store>()) return walk_rest(store, when);
        const auto* choice = s.as<IfThenElse>();
        if (choice && !choice->else_case.defined() && is_const_one(when))
            return walk(choice->then_case, choice->condition);
        return s.as<Free>();
    }

    void know(const LetStmt* let) {
        lets_.emplace_back(let->name, let->value);
        read_.push_back(let->value);
    }

    bool walk_vectors(const For* loop) {
        Stmt body = loop->body;
        while (const auto* let = body.as<LetStmt>()) {
            know(let);
            body = Stmt(let->body);
        }
        const auto* store = body.as<Store>();
        if (!store || count_.defined() || !is_const_one(store->predicate)) return false;
        lanes_ = store->index.type().lanes();
        count_ = loop->extent;
        const Expr place = place_of(store);
        return place.defined() && !expr_uses_var(shift_, loop->name) &&
               is_same(place, Variable::make(Halide::Int(32), loop->name) * lanes_);
    }

    bool walk_rest(const Store* store, const Expr& when) {
        if (!count_.defined() || rest_.defined() || store->index.type().lanes() != lanes_) return false;
        rest_when_ = when, rest_ = stored_lanes(store), rest_at_ = place_of(store);
        return rest_.defined() && rest_at_.defined();
    }

    /// Where a store to the output reads the intermediate, at that place alone; undefined for others.
    Expr place_of(const Store* store) {
        const Expr to = first_place(store->index);
        if (store->name != output_ || !to.defined()) return {};
        buffer_ = store->param;
        Expr from;
        Stmt reads = store;
        for (const Expr& value : std::exchange(read_, {})) reads = LetStmt::make("", value, reads);
        for (const Load* load : Accesses(reads, intermediate_).loads) {
            const Expr place = first_place(load->index);
            if (!place.defined() || load->type != store->value.type() || (from.defined() && !is_same(place, from)))
                return {};
            from = place;
        }
        if (!from.defined()) return {};
        const Lets inside(lets_.begin() + static_cast<std::ptrdiff_t>(outside_), lets_.end());
        const Expr shift = simplify(without(inside, to - from));
        if (!shift_.defined()) shift_ = shift;
        return is_same(shift, shift_) ? from : Expr();
    }

    const std::string output_, intermediate_;
    Lets lets_;
    std::vector<Expr> read_;  // what lets since the last store stand for
    const std::size_t outside_;
    bool fits_ = false;
    int lanes_ = 0;
    Expr count_, rest_, rest_at_, rest_when_, end_, shift_;
    Halide::Parameter buffer_;
};

/// A statement with an intermediate in the memory of an output.
class Moved : public IRMutator {
public:
    Moved(std::string from, std::string to, const LastLoop& last)
        : from_(std::move(from)), to_(std::move(to)), last_(last) {}

private:
    using IRMutator::visit;

    Expr moved(const Expr& index) {
        if (const auto* ramp = index.as<Ramp>())
            return Ramp::make(mutate(ramp->base) + last_.shift(), mutate(ramp->stride), ramp->lanes);
        return mutate(index) +
               (index.type().is_scalar() ? last_.shift() : Broadcast::make(last_.shift(), index.type().lanes()));
    }
    Expr visit(const Load* load) override {
        if (load->name != from_) return IRMutator::visit(load);
        return Load::make(load->type, to_, moved(load->index), {}, last_.buffer(), mutate(load->predicate), {});
    }
    Stmt visit(const Store* store) override {
        if (store->name != from_) return IRMutator::visit(store);
        return Store::make(to_, mutate(store->value), moved(store->index), last_.buffer(), mutate(store->predicate),
                           {});
    }
    Stmt visit(const Free* free) override { return free->name == from_ ? Evaluate::make(0) : Stmt(free); }

    const std::string from_, to_;
    const LastLoop& last_;
};

/// True where a least or greatest or a choice depends on a loop: of such places several iterations may write one.
class MayMeet : public IRVisitor {
public:
    explicit MayMeet(const std::vector<std::string>& loops) : loops_(loops) {}
    bool found = false;

private:
    using IRVisitor::visit;

    bool moves(const Expr& e) const {
        return std::ranges::any_of(loops_, [&](const auto& loop) { return expr_uses_var(e, loop); });
    }
    void visit(const Min* e) override { found = found || moves(e); }
    void visit(const Max* e) override { found = found || moves(e); }
    void visit(const Select* e) override { found = found || moves(e); }

    const std::vector<std::string>& loops_;
};

class OutputMemory : public IRMutator {
public:
    explicit OutputMemory(const std::vector<std::string>& outputs) : outputs_(outputs) {}

private:
    using IRMutator::visit;

    Stmt visit(const LetStmt* let) override {
        const auto* call = let->value.as<Call>();
        const bool is_known = !call || call->is_pure();
        if (is_known) lets_.emplace_back(let->name, let->value);
        const Stmt changed = IRMutator::visit(let);
        if (is_known) lets_.pop_back();
        return changed;
    }
    Stmt visit(const For* loop) override {
        loops_.push_back(loop->name);
        const Stmt changed = IRMutator::visit(loop);
        loops_.pop_back();
        return changed;
    }
    Stmt visit(const Allocate* allocate) override {
        const bool is_row = !allocate->new_expr.defined() && allocate->memory_type != Halide::MemoryType::Stack &&
                            !allocate->extents.empty() &&
                            std::all_of(allocate->extents.begin() + 1, allocate->extents.end(),
                                        [](const Expr& e) { return is_const_one(e); });
        const Stmt moved = is_row ? in_output(allocate) : Stmt();
        return moved.defined() ? mutate(moved) : IRMutator::visit(allocate);
    }

    /// What stands around the row, without the allocation; undefined where it cannot lie in an output.
    Stmt in_output(const Allocate* allocate) {
        const std::size_t lets = lets_.size(), loops = loops_.size();
        std::vector<Stmt> parts;
        find_parts(allocate->body, allocate->name, parts);
        Stmt moved;
        if (parts.size() > 1 && !Accesses(allocate->body, allocate->name).is_named)
            for (const std::string& output : outputs_)
                if (!moved.defined()) moved = in_output(allocate, output, parts);
        lets_.resize(lets), loops_.resize(loops);
        return moved;
    }

    Stmt in_output(const Allocate* allocate, const std::string& output, const std::vector<Stmt>& parts) const {
        const auto first = std::ranges::find_if(parts, [&](const Stmt& s) { return Accesses(s, output).any(); });
        if (first == parts.begin() || first == parts.end()) return {};
        const Stmt end = Block::make(std::vector<Stmt>(first, parts.end()));
        const LastLoop last(end, output, allocate->name, lets_);
        const Accesses written(allocate->body, output);
        if (!last.fits() || !written.loads.empty() || written.stores.size() != Accesses(end, output).stores.size() ||
            !Accesses(end, allocate->name).stores.empty() || !is_at_most(allocate->extents[0], last.end()))
            return {};
        MayMeet meet(loops_);
        without(lets_, last.shift()).accept(&meet);
        return meet.found ? Stmt() : Moved(allocate->name, output, last).mutate(allocate->body);
    }

    /// The statements in a row that work on an intermediate, and what stands around them all.
    void find_parts(const Stmt& s, const std::string& name, std::vector<Stmt>& parts) {
        if (const auto* let = s.as<LetStmt>()) {
            lets_.emplace_back(let->name, let->value);
            return find_parts(let->body, name, parts);
        }
        if (const auto* loop = s.as<For>()) {
            loops_.push_back(loop->name);
            return find_parts(loop->body, name, parts);
        }
        if (const auto* inner = s.as<Allocate>()) return find_parts(inner->body, name, parts);
        if (const auto* part = s.as<ProducerConsumer>()) return find_parts(part->body, name, parts);
        const auto* block = s.as<Block>();
        if (!block) return;
        const bool first = Accesses(block->first, name).any(), rest = Accesses(block->rest, name).any();
        if (first != rest) return find_parts(first ? block->first : block->rest, name, parts);
        if (first) list(s, name, parts);
    }
    void list(const Stmt& s, const std::string& name, std::vector<Stmt>& parts) {
        if (const auto* block = s.as<Block>()) {
            list(block->first, name, parts), list(block->rest, name, parts);
        } else if (const auto* inner = s.as<Allocate>()) {
            list(inner->body, name, parts);
        } else if (const auto* part = s.as<ProducerConsumer>(); part && !part->is_producer) {
            list(part->body, name, parts);
        } else if (Accesses(s, name).any()) {
            parts.push_back(s);
        }
    }

    bool is_at_most(const Expr& e, const Expr& end) const {
        const auto both = [&](const Expr& a, const Expr& b) { return is_at_most(a, end) && is_at_most(b, end); };
        const auto* name = e.as<Variable>();
        const auto known =
            std::ranges::find_if(lets_, [&](const auto& let) { return name && let.first == name->name; });
        if (known != lets_.end()) return is_at_most(known->second, end);
        if (const auto* greatest = e.as<Max>()) return both(greatest->a, greatest->b);
        if (const auto* choice = e.as<Select>()) return both(choice->true_value, choice->false_value);
        if (const auto* least = e.as<Min>(); least && (is_at_most(least->a, end) || is_at_most(least->b, end)))
            return true;
        return is_const_one(simplify(without(lets_, e) <= end));
    }

    const std::vector<std::string> outputs_;
    Lets lets_;
    std::vector<std::string> loops_;
};

}  // namespace

Stmt with_output_memory(const Stmt& s, const std::vector<std::string>& outputs) {
    return OutputMemory(outputs).mutate(s);
}

void use_output_memory(Halide::Pipeline& pipeline, const std::vector<Halide::Func>& outputs) {
    std::vector<std::string> names;
    for (const Halide::Func& output : outputs) names.push_back(output.name());
    pipeline.add_custom_lowering_pass(new OutputMemory(names));
}

}  // namespace halogen
