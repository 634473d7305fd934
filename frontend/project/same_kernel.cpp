#include "frontend/project/same_kernel.h"

#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"
#include "frontend/solve/solve.h"

#include <fmt/format.h>

namespace halogen {

namespace {

/// Thrown as the reason why not.
struct Other {
    std::string why;
};

/// The places of an equation's accesses, with those within brackets.
template<typename Visit>
void each_access(const Equation& equation, Visit&& visit) {
    visit(equation.left);
    each_read(equation, visit);
}

class Comparison {
public:
    Comparison(const Kernel& kernel, const Solution& numbers, const ShardStep& step)
        : kernel_(kernel), numbers_(numbers), step_(step), needs_(needs_of(kernel, numbers, step, any_shares(step))) {}

    ShardKernel same() const {
        for (int e = 0; e < static_cast<int>(kernel_.equations.size()); ++e) {
            check_places(e);
            check_values(e);
        }
        ShardKernel shard{kernel_, {}, {}, needs_};
        for (const SizeParam& p : kernel_.sizes)
            shard.sizes.emplace(p.name, ShardSize{ShardSize::Kind::size, p.name, 0});
        for (const Tensor* t : kernel_.inputs()) {
            shard.inputs.emplace(t->name, t->name);
            shard.needs.windows.emplace(t->name, whole_window(numbers_, t->name));  // where nothing reads it
        }
        for (std::int64_t n = 0; n < step_.shards(); ++n) check_sizes(shard, shares_of(step_, n));
        return shard;
    }

private:
    /// How far an index of a shard's call lies below that of the whole kernel.
    Formula shift(int e, const std::string& index) const {
        return needs_.blocks[e]->at(index).low - numbers_.indices[e].at(index).min;
    }

    /// Counted from the window's first place, each place is what it is in the whole kernel.
    void check_places(int e) const {
        std::map<std::string, Formula> shifted;
        for (const auto& [index, range] : numbers_.indices[e])
            shifted[index] = Formula::symbol(index) + shift(e, index);
        each_access(kernel_.equations[e], [&](const Access& access) {
            for (int d = 0; d < static_cast<int>(access.at.size()); ++d) {
                const auto place = solved_formula(access.at[d], numbers_);
                const Hull& window = needs_.windows.at(access.tensor)[d];
                if (place && place->substitute(shifted) - window.low == *place) continue;
                if (!place && window == whole_window(numbers_, access.tensor)[d]) continue;
                throw Other{
                    fmt::format("`{}` stands at other places in dim {} of a part of `{}`: padding or an end of the "
                                "dim lies there",
                                print(Expr(ExprNode{access})), d, access.tensor)};
            }
        });
    }

    /// An index that a shard counts from elsewhere stands in brackets alone.
    void check_values(int e) const {
        const Equation& equation = kernel_.equations[e];
        const auto look = [&](const Expr& value) {
            rewrite_values(value, [&](const std::string& index) {
                if (shift(e, index) == Formula(0)) return;
                throw Other{fmt::format("the value of `{}` is used, and a shard counts it from 0", index)};
            });
        };
        look(equation.right);
        for (const Expr* predicate : predicates_of(equation)) look(*predicate);
    }

    /// Visits the indices outside of brackets.
    template<typename Visit>
    static void rewrite_values(const Expr& e, const Visit& visit) {
        if (!e.defined() || e.as<Access>()) return;
        if (const auto* index = e.as<IndexRef>()) visit(index->name);
        if (const auto* call = e.as<Call>())
            for (const Expr& x : call->arguments) rewrite_values(x, visit);
        if (const auto* cast = e.as<Cast>()) rewrite_values(*cast->value, visit);
        if (const auto* u = e.as<Unary>()) rewrite_values(*u->value, visit);
        if (const auto* b = e.as<Binary>()) {
            rewrite_values(*b->left, visit);
            rewrite_values(*b->right, visit);
        }
    }

    /// The kernel solved for the part's inputs computes just the part.
    void check_sizes(const ShardKernel& shard, const Shares& shares) const {
        const ShardCall call = shard_call_of(numbers_, shard, shares);
        Settings known;
        for (const auto& [name, value] : call.sizes) known[name] = value;
        for (const Tensor* t : kernel_.inputs()) {
            for (int d = 0; d < t->rank; ++d)
                known[fmt::format("{}.{}", t->name, d)] = call.parts.at(t->name).extents[d];
        }
        const auto solved = solve(kernel_, known);
        if (!solved) throw Other{solved.error().what};
        for (const Tensor* t : kernel_.outputs())
            for (int d = 0; d < t->rank; ++d)
                if (!(solved.value().extents.at(t->name)[d] == Formula(call.parts.at(t->name).extents[d])))
                    throw Other{fmt::format("a part of its inputs does not give that part of `{}`", t->name)};
        check_ranges(solved.value(), shares);
        for (const Equation& equation : kernel_.equations)
            each_node(equation, [&](const Expr& node) {
                const auto* size = node.as<SizeRef>();
                if (size && !(solved.value().sizes.at(size->name) == numbers_.sizes.at(size->name)))
                    throw Other{fmt::format("the value of `{}` is used, and is another for a part", size->name)};
            });
    }

    /// Every index has as many values as in the shard's block.
    void check_ranges(const Solution& solved, const Shares& shares) const {
        Bindings values;
        for (const auto& [index, share] : shares) {
            values[index + ".first"] = share.first.constant().value();
            values[index + ".count"] = share.count.constant().value();
        }
        for (std::size_t e = 0; e < kernel_.equations.size(); ++e)
            for (const auto& [index, range] : solved.indices[e])
                if (range.extent.constant() != evaluate(needs_.blocks[e]->at(index).extent(), values))
                    throw Other{fmt::format("the range of `{}` is not cut by parts of tensors", index)};
    }

    const Kernel& kernel_;
    const Solution& numbers_;
    const ShardStep& step_;
    const Needs needs_;
};

}  // namespace

std::variant<ShardKernel, std::string> same_kernel_of(const Kernel& kernel, const Solution& numbers,
                                                      const std::vector<ShardStep>& steps) {
    if (steps.size() != 1) return fmt::format("it has {} steps, and tensors change hands between them", steps.size());
    try {
        return Comparison(kernel, numbers, steps[0]).same();
    } catch (const Other& other) {
        return other.why;
    }
}

}  // namespace halogen
