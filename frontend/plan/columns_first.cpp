#include "frontend/plan/columns_first.h"

#include "frontend/plan/apart.h"
#include "frontend/plan/skippable.h"
#include "frontend/plan/written_out.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::indices_in;
using lowering::Names;

/// So many terms are written out at most, down a column and along a row.
constexpr std::int64_t most = 5;

/// The window of an equation `Y[c, y, x] max= X[c, 2*y + r, 2*x + s]`.
class Window {
public:
    Window(const Kernel& kernel, const Solution& solution, int e)
        : kernel_(kernel),
          solution_(solution),
          e_(e),
          equation_(kernel.equations[static_cast<std::size_t>(e)]),
          image_(image_in(equation_.right)) {}

    bool find() {
        const bool reduces = equation_.op == Op::add || equation_.op == Op::max || equation_.op == Op::min;
        if (!reduces || !image_ || image_->at.size() < 2 || !may_be_written_out(kernel_, solution_, e_) ||
            !lowering::only_equation_of(kernel_, equation_.left.tensor))
            return false;
        const auto row = equation_.left.at.empty() ? std::nullopt : bare_index(equation_.left.at.back());
        if (!row || lowering::is_short(solution_.extents.at(equation_.left.tensor).back())) return false;
        row_ = *row;
        return lies_in_the_last_dim() && is_worth_it() && goes_on_alike();
    }

    const std::string& image() const { return image_->tensor; }

    /// The window down the columns of the image, and the one along rows of those.
    std::pair<Equation, Equation> apart(const std::string& name) const {
        Access read = *image_, columns{name, {}};
        read.at.back() = lowering::index_of(row_);
        const Names moving = indices_in(read);
        for (const Expr& place : equation_.left.at)
            if (moving.count(*bare_index(place))) columns.at.push_back(place);
        const Expr value =
            rewrite(equation_.right, [&](const Expr& e) { return e.as<Access>() ? Expr(ExprNode{read}) : e; });
        Equation down = terms(value, down_);
        down.left = columns;
        columns.at.back() = image_->at.back();
        std::erase_if(down.where, [&](const Where& item) {
            const std::string& index = std::get<InRange>(item).index;
            return index == row_ || !moving.count(index);
        });
        return {std::move(down), terms(Expr(ExprNode{columns}), along_)};
    }

private:
    /// The only thing that is reduced: X of `X[y, x]` and of `i32(X[y, x])`.
    static const Access* image_in(const Expr& e) {
        const auto* cast = e.as<Cast>();
        return cast ? image_in(*cast->value) : e.as<Access>();
    }

    /// The result's last index moves along the image's rows alone, beside some reduced ones; others move elsewhere alone.
    bool lies_in_the_last_dim() {
        along_ = indices_in(image_->at.back());
        if (along_.erase(row_) == 0) return false;
        Names elsewhere;
        for (std::size_t d = 0; d + 1 < image_->at.size(); d++) elsewhere.merge(indices_in(image_->at[d]));
        const std::vector<std::string> reduced = reduced_indices_of(equation_);
        for (const std::string& index : reduced)
            if (!along_.count(index)) down_.insert(index);
        return !elsewhere.count(row_) && !along_.empty() && !down_.empty() &&
               along_.size() + down_.size() == reduced.size() &&
               std::ranges::all_of(down_, [&](const std::string& index) { return elsewhere.count(index) > 0; }) &&
               std::ranges::none_of(along_, [&](const std::string& index) { return elsewhere.count(index) > 0; });
    }

    /// How many points the indices have; 0 where that is not known.
    std::int64_t count(const Names& indices) const {
        std::int64_t all = 1;
        for (const std::string& index : indices) {
            const IndexRange& range = solution_.indices[static_cast<std::size_t>(e_)].at(index);
            const auto extent = range.extent.constant();
            if (!extent || !range.min.constant() || *extent < 1 || *extent > most) return 0;
            all *= *extent;
        }
        return all <= most ? all : 0;
    }

    /// Rows are stepped through, and each column is read for several of their elements. (Where windows move by one, what several rows of
    /// the result read is read once: 3x3 of 64 images of 28x28 on Zen 4, 25 us, and 34 down columns first; of 112x112 285, and 228.)
    bool is_worth_it() const {
        const auto place = solved_formula(image_->at.back(), solution_);
        if (!place) return false;
        const Formula moved = place->substitute({{row_, Formula::symbol(row_) + 1}}) - *place;
        const std::int64_t step = moved.constant().value_or(0);
        return step > 1 && count(along_) > step && count(down_) > 1;
    }

    Type type() const { return kernel_.tensor(equation_.left.tensor).type; }

    /// Beside its rows the image goes on as reductions of its columns do.
    bool goes_on_alike() const {
        const Tensor& image = kernel_.tensor(image_->tensor);
        if (!is_padded(image, image.rank - 1) || repeats(image.boundary.mode)) return true;
        return equation_.op == Op::add ? adds_nothing_outside(equation_, image) : image.type == type();
    }

    /// The equation with the reduction of `value` over some of its indices written out.
    Equation terms(const Expr& value, const Names& indices) const {
        Equation all = equation_;
        all.op = Op::assign;
        all.right = in_terms(equation_.op, value, {indices.begin(), indices.end()},
                             solution_.indices[static_cast<std::size_t>(e_)]);
        std::erase_if(all.where, [&](const Where& item) { return is_reduced(std::get<InRange>(item).index); });
        return all;
    }
    bool is_reduced(const std::string& index) const { return along_.count(index) > 0 || down_.count(index) > 0; }

    const Kernel& kernel_;
    const Solution& solution_;
    const int e_;
    const Equation& equation_;
    const Access* image_;
    std::string row_;     // x
    Names along_, down_;  // s, r
};

}  // namespace

std::optional<Kernel> columns_first(const Kernel& kernel, const Solution& solution) {
    std::map<std::string, std::string> images;  // of the tensors of columns
    auto result = lowering::taken_apart(
        kernel, "_columns", [&](int e, const std::string& name) -> std::optional<std::pair<Equation, Equation>> {
            Window window(kernel, solution, e);
            if (!window.find()) return std::nullopt;
            images[name] = window.image();
            return window.apart(name);
        });
    if (!result) return std::nullopt;
    for (Tensor& tensor : result->tensors) {
        const auto image = images.find(tensor.name);
        if (image == images.end()) continue;
        const Tensor& of = kernel.tensor(image->second);
        if (!is_padded(of, of.rank - 1)) continue;
        tensor.dims.emplace(static_cast<std::size_t>(tensor.rank));
        tensor.dims->back() = of.dims->back();
        tensor.boundary = of.boundary;
    }
    return lowering::taken(std::move(*result));
}

}  // namespace halogen
