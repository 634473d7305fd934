#include "frontend/plan/gathered.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::is_shuffled;
using lowering::is_value;
using lowering::multiple_in;

int uses(const Equation& equation, const std::string& index) {
    int found = 0;
    each_node(equation, [&](const Expr& e) {
        const auto name = bare_index(e);
        found += name && *name == index ? 1 : 0;
    });
    return found;
}

/// Where an input is read at an index alone.
struct Spot {
    std::string tensor;
    int dim = 0;
};

/// One equation, and the pads that its inputs need once it gathers.
class Gather {
public:
    Gather(const Kernel& kernel, const Solution& solution, int e)
        : kernel_(kernel),
          solution_(solution),
          ranges_(solution.indices[static_cast<std::size_t>(e)]),
          extents_(solution.extents),
          equation_(kernel.equations[static_cast<std::size_t>(e)]) {}

    /// True where some dim is gathered.
    bool run() {
        if (reads_itself(equation_) || !predicates_of(equation_).empty()) return false;
        bool any = false;
        for (std::size_t d = 0; d < equation_.left.at.size(); d++) any = mirrored(d) || window(d) || pairs(d) || any;
        equation_.text = print(equation_);
        return any;
    }

    const Equation& equation() const { return equation_; }
    /// What inputs are padded by on both sides.
    const std::vector<std::pair<Spot, Expr>>& pads() const { return pads_; }

private:
    const Formula& extent(const Spot& spot) const {
        return extents_.at(spot.tensor)[static_cast<std::size_t>(spot.dim)];
    }

    /// The index runs over the whole of the dim.
    bool runs_over(const std::string& index, const Formula& extent) const { return ranges_.at(index).covers(extent); }

    /// `Y[.., H - 1 - y, ..] = value` where y takes H values. Pixels of few colours stay: they are copied one by one, and gathered in vectors of
    /// none. (A picture of 1000x800x3 bytes turned by a quarter on Zen 4: 890 us gathered, and 690 so.)
    bool mirrored(std::size_t d) {
        if (lowering::is_short(extents_.at(equation_.left.tensor).back())) return false;
        const Expr place = equation_.left.at[d];
        const lowering::Names indices = lowering::indices_in(place);
        if (indices.size() != 1 || bare_index(place)) return false;
        const std::string& y = *indices.begin();
        const Formula& extent = extents_.at(equation_.left.tensor)[d];
        const auto count = std::ranges::count_if(equation_.left.at,
                                                 [&](const Expr& at) { return lowering::indices_in(at).count(y) > 0; });
        if (count != 1 || !runs_over(y, extent) || lowering::is_value(equation_, y) ||
            solved_formula(place, solution_) != extent - 1 - Formula::symbol(y))
            return false;
        equation_.right = rewrite(equation_.right, [&](const Expr& e) { return bare_index(e) == y ? place : e; });
        equation_.left.at[d] = lowering::index_of(y);
        return true;
    }

    /// `Y[.., y + r, ..] += X[.., y, ..]*rest`.
    bool window(std::size_t d) {
        const auto* sum = equation_.left.at[d].as<Binary>();
        if (!sum || sum->op != BinaryOp::add || equation_.op != Op::add) return false;
        const auto one = bare_index(*sum->left), other = bare_index(*sum->right);
        return one && other && *one != *other && (window(d, *one, *other) || window(d, *other, *one));
    }

    bool window(std::size_t d, const std::string& y, const std::string& r) {
        if (uses(equation_, y) != 2 || !ranges_of(equation_, y).empty()) return false;
        const auto spot = factor_at(y);
        const auto taps = extent_text(r);
        if (!spot || !taps || !runs_over(y, extent(*spot))) return false;
        const Expr element = lowering::index_of(y), behind = lowering::index_of(r);
        equation_.right = rewrite(equation_.right, [&](const Expr& e) {
            const auto name = bare_index(e);
            return name && *name == y ? make_binary(BinaryOp::sub, element, behind) : e;
        });
        equation_.left.at[d] = element;
        const auto* number = taps->as<IntegerLiteral>();
        const Expr more = number ? Expr(std::max<std::int64_t>(number->value - 1, 0))
                                 : make_call(Function::max, {make_binary(BinaryOp::sub, *taps, Expr(1)), Expr(0)});
        pads_.emplace_back(*spot, more);
        return true;
    }

    /// The input without padding that is a factor of the right side and read at `index` alone.
    std::optional<Spot> factor_at(const std::string& index) const {
        std::optional<Spot> spot;
        each_factor(equation_.right, [&](const Expr& factor) {
            const auto* read = factor.as<Access>();
            if (!read) return;
            const Tensor& tensor = kernel_.tensor(read->tensor);
            for (std::size_t d = 0; d < read->at.size(); d++)
                if (const auto name = bare_index(read->at[d]); name && *name == index)
                    if (tensor.role == Role::input && tensor.boundary.mode == Boundary::Mode::none &&
                        tensor.type != Type::boolean && lowering::count_reads(kernel_, read->tensor) == 1)
                        spot = {read->tensor, static_cast<int>(d)};
        });
        return spot;
    }

    template<typename Visit>
    static void each_factor(const Expr& e, Visit&& visit) {
        const auto* product = e.as<Binary>();
        if (product && product->op == BinaryOp::mul) {
            each_factor(*product->left, visit);
            each_factor(*product->right, visit);
        } else {
            visit(e);
        }
    }

    static std::vector<const InRange*> ranges_of(const Equation& equation, const std::string& index) {
        std::vector<const InRange*> own = halogen::ranges_of(equation);
        std::erase_if(own, [&](const InRange* range) { return range->index != index; });
        return own;
    }

    /// How many values the index takes from 0 on, as text: the extent of a dim that it runs over, or the end of its range.
    std::optional<Expr> extent_text(const std::string& index) const {
        const auto own = ranges_of(equation_, index);
        if (!own.empty()) {
            const auto* begin = own[0]->begin.as<IntegerLiteral>();
            if (own.size() > 1 || !begin || begin->value != 0 || !is_fixed(own[0]->end)) return std::nullopt;
            return own[0]->end;
        }
        std::optional<Expr> text;
        each_read(equation_, [&](const Access& read) {
            const Tensor& tensor = kernel_.tensor(read.tensor);
            for (std::size_t d = 0; d < read.at.size(); d++) {
                const auto name = bare_index(read.at[d]);
                if (!name || *name != index || !runs_over(index, extents_.at(read.tensor)[d])) continue;
                if (const Expr found = lowering::extent_text(tensor, d); found.defined()) text = found;
            }
        });
        return text;
    }

    /// `Y[.., 4*i + j, ..] = value` where j takes 4 values.
    bool pairs(std::size_t d) {
        if (equation_.op != Op::assign) return false;
        const auto* sum = equation_.left.at[d].as<Binary>();
        const auto every = sum && sum->op == BinaryOp::add ? multiple_in(*sum->left) : std::nullopt;
        const auto second = every ? bare_index(*sum->right) : std::nullopt;
        if (!second || *second == every->index) return false;
        const std::string &element = every->index, &inner = *second;
        const Expr step(every->step);
        const IndexRange &outer = ranges_.at(element), &steps = ranges_.at(inner);
        const auto rows = extent_text(element);
        if (!rows || extent_text(inner) != step || outer.min != Formula(0) || steps.min != Formula(0) ||
            extents_.at(equation_.left.tensor)[d] != outer.extent * steps.extent)
            return false;
        if (d + 1 == equation_.left.at.size() && !is_shuffled(every->step)) return false;
        if (is_value(equation_, element) || is_value(equation_, inner)) return false;
        for (std::size_t other = 0; other < equation_.left.at.size(); other++) {  // no `Y[4*i + j, j]`
            const auto indices = lowering::indices_in(equation_.left.at[other]);
            if (other != d && (indices.count(element) || indices.count(inner))) return false;
        }
        std::erase_if(equation_.where, [&](const Where& item) {
            const auto* range = std::get_if<InRange>(&item);
            return range && (range->index == element || range->index == inner);
        });
        const Expr at = lowering::index_of(element);
        equation_.left.at[d] = at;
        equation_.right = rewrite(equation_.right, [&](const Expr& e) {
            const auto name = bare_index(e);
            if (name && *name == element) return make_binary(BinaryOp::div, at, step);
            return name && *name == inner ? make_binary(BinaryOp::mod, at, step) : e;
        });
        equation_.where.emplace_back(InRange{element, Expr(0), make_binary(BinaryOp::mul, *rows, step)});
        return true;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const std::map<std::string, IndexRange>& ranges_;
    const std::map<std::string, std::vector<Formula>>& extents_;
    Equation equation_;
    std::vector<std::pair<Spot, Expr>> pads_;
};

}  // namespace

std::optional<Kernel> gathered(const Kernel& kernel, const Solution& solution) {
    Kernel result = kernel;
    bool any = false;
    for (std::size_t e = 0; e < kernel.equations.size(); e++) {
        Gather gather(kernel, solution, static_cast<int>(e));
        if (!gather.run()) continue;
        any = true;
        result.equations[e] = gather.equation();
        for (const auto& [spot, width] : gather.pads()) {
            Dim& dim = lowering::zero_padded(result, spot.tensor, static_cast<std::size_t>(spot.dim));
            dim.pad_low = dim.pad_high = width;
        }
    }
    if (!any) return std::nullopt;
    return lowering::taken(std::move(result));
}

}  // namespace halogen
