#include "frontend/project/shard_kernel.h"

#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"
#include "frontend/solve/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace halogen {

namespace {

bool is_any(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Expr size_expr(const std::string& name) { return Expr(ExprNode{SizeRef{name}}); }

class Derivation {
public:
    Derivation(const Kernel& kernel, const Solution& s, const ShardStep& step)
        : kernel_(kernel),
          solution_(s),
          step_(step),
          needs_(needs_of(kernel, s, step, any_shares(step))),
          operands_(operands_of(kernel, step.section)) {
        for (const Tensor& t : kernel.tensors) taken_.insert(t.name);
        for (const auto& [name, formula] : s.sizes) taken_.insert(name);
        for (const ScalarParam& p : kernel.scalars) taken_.insert(p.name);
    }

    ShardKernel derive() {
        Kernel& k = derived_.kernel;
        k.name = kernel_.name.empty() ? "shard" : kernel_.name;
        k.lets = kernel_.lets;
        for (Let& let : k.lets) let.value = resized(let.value);
        for (const Tensor& t : kernel_.tensors)
            if (needs_.windows.contains(t.name)) add_tensor(t);
        for (int e = step_.section.first; e < step_.section.end; ++e)
            if (needs_.blocks[e]) add_equation(e);
        for (const ScalarParam& p : kernel_.scalars) {
            k.scalars.push_back({p.name, p.type, {}});
            k.parameters.push_back({Parameter::Sort::scalar, p.name});
        }
        derived_.kernel = check(std::move(k)).value();
        derived_.needs = needs_;
        return std::move(derived_);
    }

private:
    bool is_result(const std::string& tensor) const { return is_any(step_.results, tensor); }

    bool is_written(const std::string& tensor) const {
        for (int e = step_.section.first; e < step_.section.end; ++e)
            if (kernel_.equations[e].left.tensor == tensor) return true;
        return false;
    }

    bool is_cut(const std::string& tensor, int d) const {
        const Hull& window = needs_.windows.at(tensor)[d];
        const Hull whole = whole_window(solution_, tensor)[d];
        return !(window.low == whole.low && window.high == whole.high);
    }

    /// A `size` of the shard's kernel; made when it is first asked for.
    std::string size(const ShardSize& meaning) {
        static const char* const words[] = {"Size", "Low", "Extent", "PadLow", "PadHigh", "First", "Count"};
        for (const auto& [name, known] : derived_.sizes)
            if (known == meaning) return name;
        const bool plain = meaning.kind == ShardSize::Kind::size;
        std::string name =
            plain && Symbol::of(meaning.of).is_size()
                ? meaning.of
                : fmt::format("{}_{}_{}", words[static_cast<int>(meaning.kind)], meaning.of, meaning.number);
        std::replace(name.begin(), name.end(), '.', '_');
        while (name != meaning.of && taken_.contains(name)) name += "_";
        taken_.insert(name);
        derived_.sizes.emplace(name, meaning);
        derived_.kernel.sizes.push_back({name, std::nullopt, {}});
        derived_.kernel.parameters.push_back({Parameter::Sort::size, name});
        return name;
    }

    /// Sizes of the whole kernel by their parameters.
    Expr resized(const Expr& e) {
        return rewrite(e, [&](const Expr& node) {
            const auto* ref = node.as<SizeRef>();
            if (!ref || is_size_let(ref->name)) return node;
            return Expr(ExprNode{SizeRef{size({ShardSize::Kind::size, ref->name, 0})}}, node.position());
        });
    }

    bool is_size_let(const std::string& name) const {
        const Let* let = kernel_.find_let(name);
        return let && let->is_size();
    }

    void add_tensor(const Tensor& t) {
        const bool written = is_result(t.name) || is_written(t.name);
        const bool input = is_any(operands_, t.name) && !written;
        Tensor window{t.name,
                      t.type,
                      input               ? Role::input
                      : is_result(t.name) ? Role::output
                                          : Role::intermediate,
                      t.rank,
                      std::vector<Dim>{},
                      t.boundary,
                      {}};
        bool padded = false;
        for (int d = 0; d < t.rank; ++d) {
            Dim dim;
            if (!input) dim.extent = size_expr(size({ShardSize::Kind::extent, t.name, d}));
            if (t.dims && (*t.dims)[d].pad_low.defined()) {
                padded = true;
                dim.pad_low = size_expr(size({ShardSize::Kind::pad_low, t.name, d}));
                dim.pad_high = size_expr(size({ShardSize::Kind::pad_high, t.name, d}));
            }
            window.dims->push_back(dim);
        }
        if (!padded) window.boundary = {};
        derived_.kernel.tensors.push_back(window);
        if (input) add_input(t.name, t.name);
        if (written && !step_.is_partial() && is_begun_before(kernel_, step_.section, t.name)) go_on_with(window);
    }

    void add_input(const std::string& name, const std::string& tensor) {
        derived_.kernel.parameters.push_back({Parameter::Sort::tensor, name});
        derived_.inputs.emplace(name, tensor);
    }

    /// What earlier steps left of a tensor that is gone on with comes in, and is where it starts from.
    void go_on_with(const Tensor& window) {
        Tensor before{"Before_" + window.name,       window.type, Role::input, window.rank,
                      std::vector<Dim>(window.rank), {},          {}};
        while (taken_.contains(before.name)) before.name += "_";
        taken_.insert(before.name);
        derived_.kernel.tensors.push_back(before);
        add_input(before.name, window.name);
        Equation copy;
        copy.left = {window.name, {}, {}};
        for (int d = 0; d < window.rank; ++d) copy.left.at.push_back(Expr(ExprNode{IndexRef{fmt::format("d{}", d)}}));
        std::vector<Expr> read;  // trees share no nodes
        for (int d = 0; d < window.rank; ++d) read.push_back(Expr(ExprNode{IndexRef{fmt::format("d{}", d)}}));
        copy.right = Expr(ExprNode{Access{before.name, read, {}}});
        derived_.kernel.equations.push_back(copy);
    }

    void add_equation(int e) {
        Equation equation = kernel_.equations[e];
        equation.text.clear();
        std::erase_if(equation.where, [](const Where& item) { return std::holds_alternative<InRange>(item); });
        change_expressions(equation, [&](const Expr& x) { return shifted(x); });
        for (int d = 0; d < static_cast<int>(equation.left.at.size()); ++d)
            equation.left.at[d] = in_window(equation.left.tensor, d, equation.left.at[d]);
        for (const std::string& index : indices_of(kernel_.equations[e]))
            if (needs_range(e, index)) equation.where.push_back(range(e, index));
        derived_.kernel.equations.push_back(std::move(equation));
    }

    /// Places within windows, sizes as parameters.
    Expr shifted(const Expr& e) {
        return rewrite(resized(e), [&](const Expr& node) {
            const auto* access = node.as<Access>();
            if (!access) return node;
            Access moved = *access;
            for (int d = 0; d < static_cast<int>(moved.at.size()); ++d)
                moved.at[d] = in_window(moved.tensor, d, moved.at[d]);
            return Expr(ExprNode{std::move(moved)}, node.position());
        });
    }

    Expr in_window(const std::string& tensor, int d, const Expr& place) {
        if (!is_cut(tensor, d)) return place;
        return make_binary(BinaryOp::sub, place, size_expr(size({ShardSize::Kind::low, tensor, d})));
    }

    /// An index that stands alone in a dim which every shard has whole keeps that dim's extent; every other one gets its range.
    bool needs_range(int e, const std::string& index) const {
        const Equation& equation = kernel_.equations[e];
        for (const InRange* r : ranges_of(equation))
            if (r->index == index) return true;
        const Hull whole = box_of(solution_, e).at(index);
        const Hull& block = needs_.blocks[e]->at(index);
        if (!(block.low == whole.low && block.high == whole.high)) return true;
        bool alone = false, elsewhere = false;
        const auto look = [&](const Access& access) {
            for (int d = 0; d < static_cast<int>(access.at.size()); ++d)
                if (bare_index(access.at[d]) == index) (is_cut(access.tensor, d) ? elsewhere : alone) = true;
        };
        look(equation.left);
        each_read(equation, look);
        return elsewhere || !alone;
    }

    InRange range(int e, const std::string& index) {
        const Expr first = size_expr(size({ShardSize::Kind::first, index, e}));
        const Expr count = size_expr(size({ShardSize::Kind::count, index, e}));
        Expr begin = first;
        for (const InRange* r : ranges_of(kernel_.equations[e]))
            if (r->index == index && !(r->begin == Expr(0)))
                begin = make_binary(BinaryOp::add, resized(r->begin), first);
        return {index, begin, make_binary(BinaryOp::add, begin, count), {}};
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const ShardStep& step_;
    const Needs needs_;
    const std::vector<std::string> operands_;
    std::set<std::string> taken_;
    ShardKernel derived_;
};

std::int64_t constant(const Formula& f) { return f.constant().value(); }

/// A window in numbers, and how far its reads stick out of it.
class Placement {
public:
    Placement(const Solution& numbers, const ShardKernel& shard, const Shares& shares)
        : solution_(numbers), kernel_(shard.kernel), needs_(shard.needs) {
        for (const auto& [index, share] : shares) {
            values_[index + ".first"] = constant(share.first);
            values_[index + ".count"] = constant(share.count);
        }
    }

    /// One without elements lies at the tensor's nearer end; what is only read has one element there, which a boundary may need.
    Part part(const std::string& tensor) const {
        Part part;
        const bool read = kernel_.tensor(tensor).role != Role::output;
        const Window& window = needs_.windows.at(tensor);
        for (std::size_t d = 0; d < window.size(); ++d) {
            const std::int64_t extent = number(solution_.extents.at(tensor)[d]);
            const std::int64_t least = read && extent > 0 ? 1 : 0;
            const std::int64_t low = std::clamp<std::int64_t>(number(window[d].low), 0, extent - least);
            part.low.push_back(low);
            part.extents.push_back(std::max<std::int64_t>(least, number(window[d].high) - low + 1));
        }
        return part;
    }

    std::int64_t size(const ShardSize& s) const {
        using Kind = ShardSize::Kind;
        switch (s.kind) {
        case Kind::size: return number(solution_.sizes.at(s.of));
        case Kind::low: return part(s.of).low[s.number];
        case Kind::extent: return part(s.of).extents[s.number];
        case Kind::pad_low: return std::max<std::int64_t>(0, part(s.of).low[s.number] - reached(s).first);
        case Kind::pad_high:
            return std::max<std::int64_t>(
                0, reached(s).second - (part(s.of).low[s.number] + part(s.of).extents[s.number] - 1));
        default: break;
        }
        const IndexRange& range = solution_.indices[s.number].at(s.of);
        const Hull& block = needs_.blocks[s.number]->at(s.of);
        const std::int64_t count = std::max<std::int64_t>(0, number(block.extent()));
        return s.kind == Kind::count ? count : count == 0 ? 0 : number(block.low - range.min);
    }

private:
    std::int64_t number(const Formula& f) const { return evaluate(f, values_); }

    std::pair<std::int64_t, std::int64_t> reached(const ShardSize& s) const {
        const auto at = needs_.reached.find(s.of);
        const Part inside = part(s.of);
        if (at == needs_.reached.end()) return {inside.low[s.number], inside.low[s.number]};
        return {number(at->second[s.number].low), number(at->second[s.number].high)};
    }

    const Solution& solution_;
    const Kernel& kernel_;
    const Needs& needs_;
    Bindings values_;
};

}  // namespace

Result<ShardKernel> shard_kernel_of(const Kernel& kernel, const Solution& s, const ShardStep& step) {
    return guarded([&] { return Derivation(kernel, s, step).derive(); });
}

ShardCall shard_call_of(const Solution& numbers, const ShardKernel& shard, const Shares& shares) {
    const Placement placement(numbers, shard, shares);
    ShardCall call;
    for (const auto& [name, meaning] : shard.sizes) call.sizes.emplace(name, placement.size(meaning));
    for (const auto& [tensor, window] : shard.needs.windows) call.parts.emplace(tensor, placement.part(tensor));
    return call;
}

}  // namespace halogen
