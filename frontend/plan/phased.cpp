#include "frontend/plan/phased.h"

#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::index_of;

Expr operator+(const Expr& a, const Expr& b) { return make_binary(BinaryOp::add, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return make_binary(BinaryOp::sub, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return make_binary(BinaryOp::mul, a, b); }
Expr operator/(const Expr& a, const Expr& b) { return make_binary(BinaryOp::div, a, b); }
Expr operator%(const Expr& a, const Expr& b) { return make_binary(BinaryOp::mod, a, b); }

/// The dim of a read that stands at an index alone, if no other place of it moves with the index.
std::optional<std::size_t> dim_at(const Access& read, const std::string& name) {
    std::optional<std::size_t> found;
    for (std::size_t d = 0; d < read.at.size(); d++) {
        if (!lowering::indices_in(read.at[d]).count(name)) continue;
        if (found || bare_index(read.at[d]) != name) return std::nullopt;
        found = d;
    }
    return found;
}

bool moves_with(const Access& read, const std::string& name) {
    return std::ranges::any_of(read.at, [&](const Expr& place) { return lowering::indices_in(place).count(name) > 0; });
}

/// A place `T*y + r` of the result, where y runs over a dim of the image and r over one of the filters.
struct Scattered {
    std::size_t place;
    Expr step;
    std::string y, r;
    std::size_t image_dim, filter_dim;
    Expr rows, taps;  // the extents of these dims

    /// How many elements of the image a phase of a window meets beside the first.
    Expr more() const { return make_call(Function::max, {(taps - Expr(1)) / step, Expr(0)}); }
};

class Phases {
public:
    Phases(const Kernel& kernel, const Solution& solution, const Settings& sizes, int e)
        : kernel_(kernel),
          sizes_(sizes),
          solution_(solution),
          equation_(kernel.equations[static_cast<std::size_t>(e)]),
          ranges_(solution.indices[static_cast<std::size_t>(e)]) {}

    /// True where the equation is such a window.
    bool find() {
        const Type type = kernel_.tensor(equation_.left.tensor).type;
        const auto* product = equation_.right.as<Binary>();
        if (equation_.op != Op::add || equation_.left.at.empty() || !equation_.where.empty() ||
            compute_type(type) != type || !product || product->op != BinaryOp::mul)
            return false;
        if (!lowering::only_equation_of(kernel_, equation_.left.tensor)) return false;
        const auto *left = product->left->as<Access>(), *right = product->right->as<Access>();
        return left && right && (find(*left, *right) || find(*right, *left));
    }

    std::size_t filter_rank() const { return filters_->at.size(); }

    /// The filters by phases, their sums, and the result.
    std::vector<Equation> equations(const std::string& filters, const std::string& sums) const {
        const Equation made = filters_by_phases(filters);
        return {made, sums_of(made.left, sums), result(sums)};
    }

    /// Zeros around the image, and beyond the filters.
    void pad(Kernel& kernel) const {
        for (const Scattered& s : scattered_) {
            Dim& image = lowering::zero_padded(kernel, image_->tensor, s.image_dim);
            image.pad_low = image.pad_high = s.more();
            Dim& filters = lowering::zero_padded(kernel, filters_->tensor, s.filter_dim);
            filters.pad_low = Expr(0), filters.pad_high = s.step - Expr(1);
        }
    }

private:
    Equation filters_by_phases(const std::string& name) const {
        Equation made = equation_;
        made.op = Op::assign;
        Access read = *filters_;
        Expr phases, filter = index_of(filter_);
        for (auto s = scattered_.rbegin(); s != scattered_.rend(); ++s) {
            read.at[s->filter_dim] = s->step * index_of(s->r) + filter % s->step;
            filter = filter / s->step;
            phases = phases.defined() ? s->step * phases : s->step;
        }
        made.left = {name, {index_of(filter_)}};
        std::vector<Expr> taps;
        for (std::size_t d = 0; d < read.at.size(); d++) {
            const Expr& place = filters_->at[d];
            if (bare_index(place) == filter_)
                read.at[d] = filter;
            else
                (is_tap(place) ? taps : made.left.at).push_back(place);
        }
        made.left.at.insert(made.left.at.end(), taps.begin(), taps.end());
        made.right = Expr(ExprNode{read});
        made.where = {InRange{filter_, Expr(0), count_ * phases}};
        for (const Scattered& s : scattered_)
            made.where.emplace_back(InRange{s.r, Expr(0), (s.taps + (s.step - Expr(1))) / s.step});
        return made;
    }

    Equation sums_of(const Access& filters, const std::string& name) const {
        Equation sum = equation_;
        sum.left.tensor = name;
        Access image = *image_;
        for (const Scattered& s : scattered_) {
            sum.left.at[s.place] = index_of(s.y);
            image.at[s.image_dim] = index_of(s.y) - index_of(s.r);
            sum.where.emplace_back(InRange{s.y, Expr(0), s.rows + s.more()});
        }
        sum.right = Expr(ExprNode{image}) * Expr(ExprNode{filters});
        return sum;
    }

    Equation result(const std::string& sums) const {
        Equation result = equation_;
        result.op = Op::assign;
        Access phase{sums, equation_.left.at};
        Expr which = index_of(filter_);
        for (const Scattered& s : scattered_) {
            const Expr y = index_of(s.y);
            result.left.at[s.place] = y;
            result.where.emplace_back(InRange{s.y, Expr(0), s.step * (s.rows - Expr(1)) + s.taps});
            phase.at[s.place] = y / s.step;
            which = which * s.step + y % s.step;
        }
        for (Expr& place : phase.at)
            if (bare_index(place) == filter_) place = which;
        result.where.emplace_back(InRange{filter_, Expr(0), count_});
        result.right = Expr(ExprNode{phase});
        return result;
    }

    bool find(const Access& image, const Access& filters) {
        if (!is_read_here_alone(image) || !is_read_here_alone(filters) || image.tensor == filters.tensor) return false;
        image_ = &image, filters_ = &filters;
        scattered_.clear(), filter_.clear();
        for (std::size_t d = 0; d < equation_.left.at.size(); d++) {
            const auto name = bare_index(equation_.left.at[d]);
            const auto scattered = name ? std::nullopt : scattered_at(d);
            if (!name && !scattered) return false;
            if (scattered) scattered_.push_back(*scattered);
            if (!name || !moves_with(filters, *name) || moves_with(image, *name)) continue;
            const auto dim = dim_at(filters, *name);
            if (!filter_.empty() || !dim || !runs_over(*name, filters.tensor, *dim)) return false;
            filter_ = *name, count_ = extent(filters, *dim);
        }
        const auto is_plain = [](const Expr& place) { return bare_index(place).has_value(); };
        return !filter_.empty() && !bare_index(equation_.left.at.back()) && std::ranges::all_of(image.at, is_plain) &&
               std::ranges::all_of(filters.at, is_plain);
    }

    std::optional<Scattered> scattered_at(std::size_t d) const {
        const auto* sum = equation_.left.at[d].as<Binary>();
        if (!sum || sum->op != BinaryOp::add) return std::nullopt;
        for (const auto& [steps, tap] : {std::pair(*sum->left, *sum->right), std::pair(*sum->right, *sum->left)}) {
            const auto r = bare_index(tap);
            const auto* product = steps.as<Binary>();
            if (!r || !product || product->op != BinaryOp::mul) continue;
            for (const auto& [step, element] :
                 {std::pair(*product->left, *product->right), std::pair(*product->right, *product->left)}) {
                const auto y = bare_index(element);
                if (!y || !is_known(step) || moves_with(*filters_, *y) || moves_with(*image_, *r)) continue;
                const auto image_dim = dim_at(*image_, *y), filter_dim = dim_at(*filters_, *r);
                if (!image_dim || !filter_dim || !runs_over(*y, image_->tensor, *image_dim) ||
                    !runs_over(*r, filters_->tensor, *filter_dim))
                    continue;
                return Scattered{d,
                                 step,
                                 *y,
                                 *r,
                                 *image_dim,
                                 *filter_dim,
                                 extent(*image_, *image_dim),
                                 extent(*filters_, *filter_dim)};
            }
        }
        return std::nullopt;
    }

    /// A number from 2 on.
    bool is_known(const Expr& step) const {
        if (const auto* number = step.as<IntegerLiteral>()) return number->value >= 2;
        const auto* size = step.as<SizeRef>();
        const auto given = size ? sizes_.find(size->name) : sizes_.end();
        return given != sizes_.end() && given->second.value_or(0) >= 2;
    }

    bool is_tap(const Expr& place) const {
        return std::ranges::any_of(scattered_, [&](const Scattered& s) { return bare_index(place) == s.r; });
    }

    bool is_read_here_alone(const Access& read) const {
        const Tensor& tensor = kernel_.tensor(read.tensor);
        return lowering::count_reads(kernel_, read.tensor) == 1 && tensor.role == Role::input &&
               tensor.boundary.mode == Boundary::Mode::none && tensor.type != Type::boolean;
    }

    bool runs_over(const std::string& name, const std::string& tensor, std::size_t dim) const {
        return ranges_.at(name).covers(solution_.extents.at(tensor)[dim]);
    }

    Expr extent(const Access& read, std::size_t dim) const {
        return lowering::extent_text(kernel_.tensor(read.tensor), dim);
    }

    const Kernel& kernel_;
    const Settings& sizes_;
    const Solution& solution_;
    const Equation& equation_;
    const std::map<std::string, IndexRange>& ranges_;
    const Access *image_ = nullptr, *filters_ = nullptr;
    std::vector<Scattered> scattered_;
    std::string filter_;  // the index over filters
    Expr count_;          // how many there are
};

}  // namespace

std::optional<Kernel> phased(const Kernel& kernel, const Solution& solution, const Settings& sizes) {
    Kernel result = kernel;
    for (std::size_t e = 0; e < kernel.equations.size(); e++) {
        Phases phases(kernel, solution, sizes, static_cast<int>(e));
        if (!phases.find()) continue;
        const Access& left = kernel.equations[e].left;
        const Type type = kernel.tensor(left.tensor).type;
        const std::string filters =
                              lowering::add_intermediate(result, left.tensor + "_filters", type, phases.filter_rank()),
                          sums = lowering::add_intermediate(result, left.tensor + "_phases", type, left.at.size());
        phases.pad(result);
        std::vector<Equation> made = phases.equations(filters, sums);
        for (Equation& equation : made) equation.text = print(equation);
        const auto at = result.equations.erase(std::ranges::find(result.equations, kernel.equations[e]));
        result.equations.insert(at, made.begin(), made.end());
    }
    return result.equations.size() == kernel.equations.size() ? std::nullopt : lowering::taken(std::move(result));
}

}  // namespace halogen
