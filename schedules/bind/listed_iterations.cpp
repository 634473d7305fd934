#include "schedules/bind/listed_iterations.h"

#include "schedules/bind/let_names.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

constexpr int block_length = 256;  // iterations whose numbers take 1 kB
constexpr int least_length = 32;

/// The elements that a statement or an expression reads and writes, and whether there are loops in it.
class Accesses : public IRVisitor {
public:
    std::vector<const Load*> loads;
    std::vector<const Store*> stores;
    bool is_plain = true;

private:
    using IRVisitor::visit;
    void visit(const Load* load) override {
        loads.push_back(load);
        IRVisitor::visit(load);
    }
    void visit(const Store* store) override {
        stores.push_back(store);
        IRVisitor::visit(store);
    }
    void visit(const For*) override { is_plain = false; }
    void visit(const Allocate*) override { is_plain = false; }
    void visit(const Atomic*) override { is_plain = false; }
    void visit(const Evaluate*) override { is_plain = false; }
};

template<class Node>
Accesses accesses_of(const Node& node) {
    Accesses accesses;
    node.accept(&accesses);
    return accesses;
}

/// A loop's body that does something where a condition holds.
struct Choice {
    Lets names;
    Expr condition;
    Stmt chosen;
};

std::optional<Choice> choice_of(Stmt s) {
    Choice choice{take_lets(s)};
    const auto* choose = s.as<IfThenElse>();
    if (!choose || choose->else_case.defined() || !choose->condition.type().is_scalar()) return std::nullopt;
    choice.condition = choose->condition;
    choice.chosen = choose->then_case;
    return choice;
}

/// Data decide, none that are written meanwhile, and other data than those of the place.
bool is_left_to_data(const Choice& choice) {
    const Accesses asked = accesses_of(without(choice.names, choice.condition)), done = accesses_of(choice.chosen);
    if (asked.loads.empty() || !done.is_plain || done.stores.empty()) return false;
    const auto is_written = [&](const Load* load) {
        return std::ranges::any_of(done.stores, [&](const Store* store) { return store->name == load->name; });
    };
    const auto is_of_place = [&](const Load* load) {
        return std::ranges::any_of(done.stores, [&](const Store* store) {
            const Accesses place = accesses_of(without(choice.names, store->index));
            return std::ranges::any_of(place.loads, [&](const Load* other) { return equal(Expr(other), Expr(load)); });
        });
    };
    return std::ranges::none_of(asked.loads, [&](const Load* load) { return is_written(load) || is_of_place(load); });
}

class ListIterations : public IRMutator {
public:
    using IRMutator::mutate;

private:
    using IRMutator::visit;

    Stmt visit(const For* loop) override {
        const auto extent = as_const_int(loop->extent);
        const bool is_long = loop->for_type == ForType::Serial && (!extent || *extent >= least_length);
        const auto choice = is_long ? choice_of(loop->body) : std::nullopt;
        return choice && is_left_to_data(*choice) ? listed(*loop, *choice) : IRMutator::visit(loop);
    }

    static Stmt listed(const For& loop, const Choice& choice) {
        // Of another type than vectors of other loops: Halide would let it take their place, and LLVM keep it in a lane.
        const Halide::Type whole = Halide::Int(32), counter = Halide::UInt(32);
        const std::string list = unique_name('l'), count = unique_name('n'), block = unique_name('b'),
                          at = unique_name('k');
        const auto load = [&](const std::string& name, const Halide::Type& type, const Expr& place) {
            return Load::make(type, name, place, {}, {}, const_true(), {});
        };
        const auto store = [&](const std::string& name, const Expr& value, const Expr& place) {
            return Store::make(name, value, place, {}, const_true(), {});
        };
        const auto loop_over = [&](const std::string& name, const Expr& min, const Expr& extent, const Stmt& body) {
            return For::make(name, min, extent, ForType::Serial, loop.partition_policy, loop.device_api, body);
        };
        const auto allocated = [&](const std::string& name, const Halide::Type& type, int extent, const Stmt& body) {
            return Allocate::make(name, type, Halide::MemoryType::Stack, {extent}, const_true(), body);
        };
        const Expr iteration = Variable::make(whole, loop.name), held = load(count, counter, 0);
        const Expr before = Variable::make(whole, block) * block_length;
        const Stmt enter = under(choice.names, Block::make(store(list, iteration, cast(whole, held)),
                                                           store(count, held + cast(counter, choice.condition), 0)));
        const Stmt take =
            LetStmt::make(loop.name, load(list, whole, Variable::make(whole, at)), under(choice.names, choice.chosen));
        const Stmt both =
            Block::make({store(count, make_zero(counter), 0),
                         loop_over(loop.name, loop.min + before, min(loop.extent - before, block_length), enter),
                         loop_over(at, 0, cast(whole, held), take)});
        const Stmt blocks = loop_over(block, 0, (loop.extent + (block_length - 1)) / block_length, both);
        return allocated(list, whole, block_length, allocated(count, counter, 1, blocks));
    }
};

}  // namespace

Stmt with_listed_iterations(const Stmt& s) { return ListIterations().mutate(s); }

void list_iterations(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new ListIterations); }

}  // namespace halogen
