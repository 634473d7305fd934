#include "schedules/bind/prefix_vectors.h"

#include "schedules/bind/chain.h"
#include "schedules/bind/constant_difference.h"
#include "schedules/bind/let_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;
using IrCall = Halide::Internal::Call;

constexpr int least_lanes = 4, most_lanes = 16;  // of bytes too: each doubling is one more operation for all

bool reads(const Expr& e, const std::string& tensor) {
    return std::ranges::any_of(loads_of(e).all, [&](const Load* load) { return load->name == tensor; });
}

/// A loop's body that is no more than names and a store of one element.
struct Body {
    Lets names;  // none of them reads the tensor that is written
    const Store* store;
    Expr value;
};

std::optional<Body> body_of(Stmt s) {
    const Lets all = take_lets(s);
    const auto* store = s.as<Store>();
    if (!store || !store->value.type().is_scalar() || !is_const_one(store->predicate)) return std::nullopt;
    Lets reading, others;
    for (const auto& [name, value] : all) {
        const Expr written_out = without(reading, value);
        (reads(written_out, store->name) ? reading : others).emplace_back(name, written_out);
    }
    if (reads(without(reading, store->index), store->name)) return std::nullopt;
    return Body{others, store, without(reading, store->value)};
}

/// What must hold before the loop, and what it lets the code take for granted.
struct Premises {
    std::vector<Expr> conditions;
    std::map<std::string, Expr> ones;  // strides
    int step;                          // of the store, then: 1, or -1 downwards
};

/// As many whole vectors as there are in a loop.
class VectorLoop {
public:
    /// `written` and `before` are the places of the store and of the element before it, without names.
    VectorLoop(const For& loop, const Body& body, const Chain& chain, int count, int step, Expr written, Expr before)
        : loop_(loop),
          body_(body),
          chain_(chain),
          lanes_(chain, body.value.type(), count),
          count_(count),
          step_(step),
          written_(std::move(written)),
          before_(std::move(before)) {}

    Stmt of(const Expr& vectors) const {
        const Stmt begin = hold(element(at(loop_.min, before_)));
        const Stmt blocks =
            For::make(block_, 0, vectors, ForType::Serial, loop_.partition_policy, loop_.device_api, one_vector());
        const Stmt all = under(lanes_.constants(), Block::make(begin, blocks));
        return IfThenElse::make(vectors > 0, allocated(held_, lanes_.type(), all));
    }

private:
    Stmt one_vector() const {
        const Halide::Type elements = body_.value.type().with_lanes(count_), bits = mask().with_lanes(count_);
        Lets loaded, steps;
        const auto named = [](Lets& names, const Expr& value) {
            if (!value.defined()) return value;
            names.emplace_back(unique_name('v'), value);
            return Expr(Variable::make(value.type(), names.back().first));
        };
        ChainVector vector{named(loaded, lanes_.begun(load(rest_, elements)))};
        if (chain_.begins.defined()) vector.goes_on = named(loaded, load(goes_on_, bits));
        if (chain_.counts_each) vector.counted = named(loaded, load(counted_, elements));
        const Expr before = named(loaded, load(held_, lanes_.type()));
        const Expr may_be_joined = chain_.counts_each ? lanes_.may_be_joined(before, vector) : const_true();
        for (int by = 1; by < count_; by *= 2) {
            const ChainVector doubled = lanes_.doubled(vector, by);
            vector = {named(steps, doubled.elements), named(steps, doubled.goes_on), named(steps, doubled.counted)};
        }
        const Stmt write =
            Store::make(body_.store->name, lanes_.ended(lanes_.behind(before, vector)),
                        Ramp::make(at(first(), written_), step_, count_), body_.store->param, const_true(count_), {});
        Stmt made = under(steps, Block::make(write, store(held_, lanes_.next(before, vector))));
        if (chain_.counts_each) made = IfThenElse::make(may_be_joined, made, one_by_one());
        made = allocated(rest_, elements, Block::make(rests(), under(loaded, made)));
        if (chain_.begins.defined()) made = allocated(goes_on_, bits, made);
        return chain_.counts_each ? allocated(counted_, elements, made) : made;
    }

    /// What each element has of its own, by vectors.
    Stmt rests() const {
        const std::string lane = unique_name('l');
        const Expr each = Variable::make(Halide::Int(32), lane);
        const auto keep = [&](const std::string& name, const Expr& value) {
            return Store::make(name, value, each, {}, const_true(), {});
        };
        Stmt own = keep(rest_, chain_.rest);
        if (chain_.begins.defined())
            own = Block::make(own, keep(goes_on_, select(chain_.begins, make_zero(mask()), make_const(mask(), -1))));
        if (chain_.counts_each) own = Block::make(own, keep(counted_, chain_.counted));
        return vectorize_loops(For::make(lane, 0, count_, ForType::Vectorized, Halide::Partition::Auto,
                                         Halide::DeviceAPI::None, at(first() + each, under(body_.names, own))),
                               {});
    }

    Stmt one_by_one() const {
        const Stmt loop = For::make(loop_.name, first(), count_, ForType::Serial, loop_.partition_policy,
                                    loop_.device_api, loop_.body);
        return Block::make(loop, hold(element(at(first() + (count_ - 1), written_))));
    }

    Stmt hold(const Expr& element) const {
        return store(held_, lanes_.begun(Broadcast::make(lanes_.lone(element), count_)));
    }
    Expr element(const Expr& place) const {
        return Load::make(body_.value.type(), body_.store->name, place, {}, body_.store->param, const_true(), {});
    }
    Expr load(const std::string& name, const Halide::Type& type) const {
        return Load::make(type, name, Ramp::make(0, 1, count_), {}, {}, const_true(count_), {});
    }
    Stmt store(const std::string& name, const Expr& value) const {
        return Store::make(name, value, Ramp::make(0, 1, count_), {}, const_true(count_), {});
    }
    Stmt allocated(const std::string& name, const Halide::Type& type, const Stmt& s) const {
        return Allocate::make(name, type.element_of(), Halide::MemoryType::Stack, {count_}, const_true(), s);
    }
    Halide::Type mask() const { return Halide::Int(body_.value.type().bits()); }
    Expr first() const { return loop_.min + Variable::make(Halide::Int(32), block_) * count_; }
    template<class Node>
    Node at(const Expr& iteration, const Node& node) const {
        return substitute(loop_.name, iteration, node);
    }

    const For& loop_;
    const Body& body_;
    const Chain& chain_;
    const ChainLanes lanes_;
    const int count_, step_;
    const Expr written_, before_;
    const std::string held_ = unique_name('h'), rest_ = unique_name('r'), goes_on_ = unique_name('g'),
                      counted_ = unique_name('c'), block_ = unique_name('b');
};

class PrefixVectors : public IRMutator {
public:
    explicit PrefixVectors(const Halide::Target& target) : target_(target) {}
    using IRMutator::mutate;

private:
    using IRMutator::visit;

    Stmt visit(const LetStmt* let) override {
        // What is asked of a buffer keeps its name, and elements may be others later.
        const bool is_formula = !let->value.as<IrCall>() && loads_of(let->value).all.empty();
        if (is_formula) around_.emplace_back(let->name, let->value);
        const Stmt result = IRMutator::visit(let);
        if (is_formula) around_.pop_back();
        return result;
    }

    Stmt visit(const For* loop) override {
        const auto body = loop->for_type == ForType::Serial ? body_of(loop->body) : std::nullopt;
        const Stmt result = body ? by_vectors(loop, *body) : Stmt();
        return result.defined() ? result : IRMutator::visit(loop);
    }

    int lanes_of(const Halide::Type& type) const { return std::min(most_lanes, target_.natural_vector_size(type)); }

    Stmt by_vectors(const For* loop, const Body& body) const {
        const std::string& tensor = body.store->name;
        Loads loads = loads_of(body.value);
        for (const auto& name : body.names) {
            const Loads more = loads_of(name.second);
            loads.all.insert(loads.all.end(), more.all.begin(), more.all.end());
            loads.is_plain = loads.is_plain && more.is_plain;
        }
        if (!reads(body.value, tensor) || !loads.is_plain) return {};
        const int lanes = lanes_of(body.value.type());
        if (lanes < least_lanes) return {};
        auto premises = strides_of(loop->name, body, loads);
        if (!premises) return {};
        const Expr one_on = Variable::make(Halide::Int(32), loop->name) + 1;
        const auto place = [&](const Expr& index) {
            return simplify(substitute(premises->ones, resolved(index, body)));
        };
        const Expr written = place(body.store->index);
        std::vector<const Load*> before;
        for (const Load* load : loads_of(body.value).all) {
            if (load->name != tensor) continue;
            const Expr read = place(load->index);
            if (constant_difference(substitute(loop->name, one_on, read), written) == 0) {
                before.push_back(load);
                continue;
            }
            const Expr apart = simplify(read - written);  // read as it was before the vector was written
            if (expr_uses_var(apart, loop->name)) return {};
            const Expr ahead = premises->step > 0 ? apart : -apart;
            premises->conditions.push_back(ahead >= 0 || ahead <= -lanes);
        }
        if (before.empty()) return {};
        auto chain = chain_of(body.value, before);
        if (!chain || !settle_counts(*chain, *loop, body, *premises)) return {};
        return chosen(loop, body, *chain, *premises, lanes, before.front());
    }

    /// Without the names that the body gives, and those around the loop.
    Expr resolved(const Expr& e, const Body& body) const { return simplify(without(around_, without(body.names, e))); }

    /// How far reads and the store move from one iteration to the next: numbers, or strides that are asked for.
    std::optional<Premises> strides_of(const std::string& loop, const Body& body, const Loads& loads) const {
        Premises premises;
        const Expr one_on = Variable::make(Halide::Int(32), loop) + 1;
        const auto look = [&](const Expr& index) {
            const Expr at = resolved(index, body), step = simplify(substitute(loop, one_on, at) - at);
            const auto* product = step.as<Mul>();
            const Expr& factor = product && as_const_int(product->b) == -1 ? product->a : step;
            const auto* stride = factor.as<Variable>();
            if (stride && !premises.ones.count(stride->name)) {
                premises.ones[stride->name] = 1;
                premises.conditions.push_back(factor == 1);
            }
            return as_const_int(simplify(substitute(premises.ones, step)));
        };
        const auto step = look(body.store->index);
        if (step != 1 && step != -1) return std::nullopt;
        premises.step = static_cast<int>(*step);
        for (const Load* load : loads.all)
            if (load->type.is_scalar()) look(load->index);
        return premises;
    }

    /// Whether each element counts a number of its own; what is the same for all, counted or faded by, must be so small that no power of it
    /// leaves the type. False: no vectors.
    bool settle_counts(Chain& chain, const For& loop, const Body& body, Premises& premises) const {
        const bool counts = chain.counted.defined();
        const Expr each = counts ? chain.counted : chain.factor;
        if (!each.defined()) return true;
        const Halide::Type type = each.type();
        if (type.bits() < 32 || type.is_uint()) return false;
        const Expr same = simplify(substitute(premises.ones, resolved(each, body)));
        const bool differs = expr_uses_var(same, loop.name);
        chain.counts_each = counts && (differs || type.is_float());
        if (chain.counts_each) return true;
        if (differs) return false;
        const Expr most = make_const(type, counts ? most_counted : 1);
        if (counts || type.is_float()) premises.conditions.push_back(same >= -most && same <= most);
        (counts ? chain.counted : chain.factor) = same;
        return true;
    }

    /// The loop by vectors and its last elements one by one where the premises hold, and the loop as it is where they do not.
    Stmt chosen(const For* loop, const Body& body, const Chain& chain, const Premises& premises, int count,
                const Load* before) const {
        Expr condition = const_true();
        for (const Expr& each : premises.conditions) condition = condition && each;
        condition = simplify(condition);
        if (is_const_zero(condition)) return {};
        const std::string vectors = unique_name('n');
        const Expr whole = Variable::make(Halide::Int(32), vectors);
        const auto told = [&](const Stmt& s) { return simplify(substitute(premises.ones, s)); };
        const auto loop_over = [&](const Expr& min, const Expr& extent, const Stmt& inside) {
            return For::make(loop->name, min, extent, loop->for_type, loop->partition_policy, loop->device_api, inside);
        };
        const Stmt rest = loop_over(loop->min + whole * count, loop->extent - whole * count, loop->body);
        const VectorLoop by_vectors(*loop, body, chain, count, premises.step, resolved(body.store->index, body),
                                    resolved(before->index, body));
        const Stmt all = Block::make(by_vectors.of(whole), rest);
        const Stmt quick = LetStmt::make(vectors, simplify(loop->extent / count), told(all));
        return is_const_one(condition) ? quick : IfThenElse::make(condition, quick, Stmt(loop));
    }

    const Halide::Target target_;
    Lets around_;
};

}  // namespace

Stmt with_prefix_vectors(const Stmt& s, const Halide::Target& target) { return PrefixVectors(target).mutate(s); }

void run_prefixes_by_vectors(Halide::Pipeline& pipeline, const Halide::Target& target) {
    pipeline.add_custom_lowering_pass(new PrefixVectors(target));
}

}  // namespace halogen
