#include "frontend/plan/joined.h"

#include "frontend/formula/hull.h"
#include "frontend/notation/parts.h"
#include "frontend/notation/versions.h"
#include "frontend/plan/apart.h"
#include "frontend/plan/order.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

bool has_functions(const Expr& value) {
    bool found = false;
    walk(value, [&](const Expr& e) {
        const auto* call = e.as<Call>();
        found = found || (call && call->function > Function::abs);
    });
    return found;
}

/// `2*i + 1`: every so many elements, from one of the first on.
struct Strided : lowering::Multiple {
    std::int64_t first = 0;
};
std::optional<Strided> strided(const Expr& place) {
    const auto* sum = place.as<Binary>();
    const bool adds = sum && sum->op == BinaryOp::add;
    const auto* first = adds ? sum->right->as<IntegerLiteral>() : nullptr;
    const auto every = lowering::multiple_in(adds ? *sum->left : place);
    if (!every || (adds && !first)) return std::nullopt;
    const Strided of{*every, first ? first->value : 0};
    const bool starts = of.step >= 2 && of.first >= 0 && of.first < of.step;
    return starts ? std::optional(of) : std::nullopt;
}

/// Elements that a dim is padded by, in front and behind.
struct Padding {
    std::int64_t low = 0, high = 0;
};

/// Joins the equations of one version of a tensor.
class Join {
public:
    Join(const Kernel& kernel, const Solution& solution, const Version& version)
        : kernel_(kernel),
          solution_(solution),
          version_(version),
          first_(kernel.equations[static_cast<std::size_t>(version.equations[0])]),
          whole_(with_indices(first_)) {}

    /// The equation that stands for all of them; nothing where they cannot be one, or should not.
    std::optional<Equation> run() {
        if (version_.previous >= 0 || (version_.equations.size() < 2 && !adds_to_nothing())) return std::nullopt;
        auto first = of_all_elements();
        if (!first) return std::nullopt;
        Equation all = std::move(*first);
        for (std::size_t i = 1; i < version_.equations.size(); i++) {
            const int e = version_.equations[i];
            const auto part = named_as_whole(e);
            if (!part || !stands_still(version_.equations[0]) || !stands_still(e) || !may_be_everywhere(*part, e))
                return std::nullopt;
            const auto when = condition(*part, e);
            if (!when) return std::nullopt;
            const auto value = after(all.right, *part, *when);
            if (!value) return std::nullopt;
            all.right = *value;
        }
        all.text = print(all);
        return all;
    }

    /// What the inputs must be padded by, for it to be read everywhere.
    const std::map<std::string, std::vector<Padding>>& paddings() const { return paddings_; }

private:
    /// `Y[i, j] += b where j <= i` alone, every element from its own values: what is added to is 0.
    bool adds_to_nothing() const {
        return first_.op == Op::add && reduced_indices_of(first_).empty() && !predicates_of(first_).empty();
    }

    /// The first equation, which others follow, for all elements: those it leaves out are 0.
    std::optional<Equation> of_all_elements() {
        const int e = version_.equations[0];
        if (lowering::defines_whole(kernel_, solution_, e) && predicates_of(first_).empty()) return first_;
        if (!std::all_of(whole_.left.at.begin(), whole_.left.at.end(), bare_index)) return std::nullopt;
        const auto part = named_as_whole(e);
        if (!part || (part->op != Op::assign && !adds_to_nothing()) || !may_be_everywhere(*part, e))
            return std::nullopt;
        const auto when = condition(*part, e);
        if (!when) return std::nullopt;
        Equation all = whole_;
        all.op = Op::assign;
        all.where.clear();
        for (std::size_t d = 0; d < all.left.at.size(); d++)
            if (first_.left.at[d].as<IntegerLiteral>())
                all.where.emplace_back(InRange{*bare_index(all.left.at[d]), Expr(0), Expr(*extent(d).constant())});
        if (when->defined()) all.right = make_call(Function::select, {*when, part->right, Expr(0)});
        return all;
    }

    /// An index for each place of a short dim: `Y[y, x, c]` for `Y[y, x, 0]` of Y: f32[H, W, 3].
    Equation with_indices(Equation equation) const {
        std::set<std::string> taken;
        for (const std::string& name : indices_of(equation)) taken.insert(name);
        for (std::size_t d = 0; d < equation.left.at.size(); d++) {
            Expr& place = equation.left.at[d];
            if (const auto every = strided(place); every && takes_all(version_.equations[0], d, *every)) {
                place = Expr(ExprNode{IndexRef{every->index}}, place.position());
                continue;
            }
            if (!place.as<IntegerLiteral>() || !lowering::is_short(extent(d))) continue;
            std::string name = "c";
            while (!taken.insert(name).second) name += "_";
            place = Expr(ExprNode{IndexRef{name}}, place.position());
        }
        return equation;
    }

    /// The index of a strided place stands in brackets alone, and its elements are all of their kind.
    bool takes_all(int e, std::size_t d, const Strided& every) const {
        const Equation& equation = kernel_.equations[static_cast<std::size_t>(e)];
        const IndexRange& range = solution_.indices[static_cast<std::size_t>(e)].at(every.index);
        return (d + 1 < equation.left.at.size() || lowering::is_shuffled(every.step)) && ranges_of(equation).empty() &&
               range.min == Formula(0) && range.extent * Formula(every.step) == extent(d) &&
               !lowering::is_value(equation, every.index);
    }

    /// The value after `part`, which is for the elements `when`; nothing where long text would double.
    std::optional<Expr> after(const Expr& before, const Equation& part, const Expr& when) const {
        const auto chosen = [&](const Expr& value, const Expr& otherwise) {
            return when.defined() ? make_call(Function::select, {when, value, otherwise}) : value;
        };
        if (part.op == Op::assign) return chosen(part.right, before);
        const BinaryOp op = part.op == Op::add ? BinaryOp::add : BinaryOp::mul;
        if (!when.defined()) return make_binary(op, before, part.right);
        const auto* choice = before.as<Call>();
        if (choice && choice->function == Function::select && choice->arguments[0] == when)
            return chosen(make_binary(op, choice->arguments[1], part.right), choice->arguments[2]);
        if (before.depth() > 3) return std::nullopt;
        return chosen(make_binary(op, before, part.right), before);
    }

    /// The equation with the indices of the whole one; nothing where its left side is no box, or it reduces.
    std::optional<Equation> named_as_whole(int number) const {
        const Equation& part = kernel_.equations[static_cast<std::size_t>(number)];
        const Type type = kernel_.tensor(version_.tensor).type;
        const bool takes =
            part.op == Op::assign || ((part.op == Op::add || part.op == Op::mul) && compute_type(type) == type);
        if (!takes || reads_itself(part)) return std::nullopt;
        std::map<std::string, std::string> names;
        std::map<std::string, std::int64_t> steps;
        for (std::size_t d = 0; d < part.left.at.size(); d++) {
            const auto name = bare_index(part.left.at[d]);
            if (const auto every = strided(part.left.at[d]); every && bare_index(whole_.left.at[d])) {
                if (!takes_all(number, d, *every) ||
                    !names.emplace(every->index, *bare_index(whole_.left.at[d])).second)
                    return std::nullopt;
                steps[every->index] = every->step;
                continue;
            }
            if (name && !names.emplace(*name, *bare_index(whole_.left.at[d])).second) return std::nullopt;
            if (!name && !is_fixed(part.left.at[d])) return std::nullopt;
        }
        if (indices_of(part).size() != names.size()) return std::nullopt;
        Equation renamed = part;
        rewrite(renamed, [&](const Expr& e) {
            const auto name = bare_index(e);
            if (!name) return e;
            const Expr index(ExprNode{IndexRef{names.at(*name)}}, e.position());
            return steps.count(*name) ? make_binary(BinaryOp::div, index, Expr(steps.at(*name))) : index;
        });
        for (Where& item : renamed.where)
            if (auto* range = std::get_if<InRange>(&item)) range->index = names.at(range->index);
        renamed.left = whole_.left;
        for (std::size_t d = 0; d < part.left.at.size(); d++)
            if (!bare_index(part.left.at[d])) renamed.left.at[d] = part.left.at[d];
        return renamed;
    }

    /// True where nothing that equation `e` reads is written behind it, up to the last of the parts.
    bool stands_still(int e) const {
        std::set<std::string> read;
        each_read(kernel_.equations[e], [&](const Access& access) { read.insert(access.tensor); });
        for (int later = e + 1; later < version_.equations.back(); later++)
            if (read.count(kernel_.equations[later].left.tensor)) return false;
        return true;
    }

    const Formula& extent(std::size_t d) const { return solution_.extents.at(version_.tensor)[d]; }

    /// The condition under which an element is of the part: undefined where all are; nothing where it is not known as text.
    std::optional<Expr> condition(const Equation& part, int e) const {
        Expr all;
        const auto add = [&](BinaryOp op, const Expr& a, const Expr& b) {
            const Expr term = make_binary(op, a, b);
            all = all.defined() ? make_binary(BinaryOp::logical_and, all, term) : term;
        };
        const std::vector<const InRange*> ranges = ranges_of(part);
        for (std::size_t d = 0; d < part.left.at.size(); d++) {
            const Expr &place = part.left.at[d], &element = whole_.left.at[d];
            const auto name = bare_index(place);
            if (const auto every = strided(place)) {
                add(BinaryOp::eq, make_binary(BinaryOp::mod, element, Expr(every->step)), Expr(every->first));
                continue;
            }
            if (!name) {
                add(BinaryOp::eq, element, place);
                continue;
            }
            const auto range = std::find_if(ranges.begin(), ranges.end(), [&](auto* r) { return r->index == *name; });
            const auto own = bare_index(kernel_.equations[e].left.at[d]);
            const IndexRange& solved = solution_.indices[static_cast<std::size_t>(e)].at(*own);
            const bool begins = solved.min == Formula(0), ends = solved.min + solved.extent == extent(d);
            if (range == ranges.end() ? !begins || !ends : std::count_if(ranges.begin(), ranges.end(), [&](auto* r) {
                                                               return r->index == *name;
                                                           }) > 1)
                return std::nullopt;
            if (!begins) add(BinaryOp::ge, element, (*range)->begin);
            if (!ends) add(BinaryOp::lt, element, (*range)->end);
        }
        for (const Expr* predicate : predicates_of(part))
            all = all.defined() ? make_binary(BinaryOp::logical_and, all, *predicate) : *predicate;
        return all;
    }

    /// True where the value may be computed at all elements, and is little work where it is kept at few: a part that is thin
    /// along some dim.
    bool may_be_everywhere(const Equation& part, int e) {
        bool thin = false;
        for (std::size_t d = 0; d < part.left.at.size(); d++) {
            const auto own = bare_index(kernel_.equations[e].left.at[d]);
            if (lowering::is_short(extent(d))) continue;
            if (strided(kernel_.equations[e].left.at[d])) continue;
            thin = thin || !own ||
                   (solution_.indices[static_cast<std::size_t>(e)].at(*own).extent.constant() && !extent(d).constant());
        }
        if (thin && has_functions(part.right)) return false;
        if (types(kernel_.equations[e]) != types(first_)) return false;
        bool may = true;
        const std::set<std::string> whole = taken_whole(e);
        each_read(part, [&](const Access& access) { may = may && pads(access, whole); });
        return may;
    }

    /// The indices of the whole equation that give its part `e` no other values than those it has alone: what is read at them alone
    /// is inside. None of an equation with conditions, which may be what keeps its reads inside.
    std::set<std::string> taken_whole(int e) const {
        const Equation& equation = kernel_.equations[static_cast<std::size_t>(e)];
        std::set<std::string> whole;
        for (std::size_t d = 0; predicates_of(equation).empty() && d < equation.left.at.size(); d++) {
            const Expr& place = equation.left.at[d];
            const auto own = bare_index(place);
            const IndexRange* range = own ? &solution_.indices[static_cast<std::size_t>(e)].at(*own) : nullptr;
            if (strided(place) || (range && range->covers(extent(d)))) whole.insert(*bare_index(whole_.left.at[d]));
        }
        return whole;
    }

    /// The type in which the right side comes.
    Type types(const Equation& equation) const {
        return types_in(kernel_, equation, equation.right, kernel_.tensor(version_.tensor).type).own;
    }

    /// Notes what the tensor must be padded by for this read; false where that is not known as numbers.
    bool pads(const Access& access, const std::set<std::string>& whole) {
        const Tensor& tensor = kernel_.tensor(access.tensor);
        std::vector<Padding>& all = paddings_[access.tensor];
        all.resize(static_cast<std::size_t>(tensor.rank));
        for (std::size_t d = 0; d < access.at.size(); d++) {
            const std::set<std::string> indices = lowering::indices_in(access.at[d]);
            const bool inside = std::ranges::all_of(indices, [&](const auto& i) { return whole.count(i) > 0; });
            if (!depends_on_data(access.at[d]) && inside) continue;  // or the same wherever it is read
            const auto hull = places(access.at[d]);
            if (!hull) return false;
            const auto low = (-hull->first).constant();
            const auto high = (hull->second - solution_.extents.at(access.tensor)[d] + 1).constant();
            if (!low || !high) return false;
            all[d].low = std::max(all[d].low, *low);
            all[d].high = std::max(all[d].high, *high);
        }
        const bool padded = std::any_of(all.begin(), all.end(), [](const Padding& p) { return p.low + p.high > 0; });
        return !padded || (tensor.role == Role::input && tensor.type != Type::boolean &&
                           tensor.boundary.mode == Boundary::Mode::none);
    }

    /// The least and the greatest place over all elements.
    std::optional<std::pair<Formula, Formula>> places(const Expr& place) const {
        if (depends_on_data(place)) return std::nullopt;
        const auto formula = solved_formula(place, solution_);
        if (!formula) return std::nullopt;
        Box box;
        for (std::size_t d = 0; d < whole_.left.at.size(); d++)
            box[*bare_index(whole_.left.at[d])] = {0, extent(d) - 1};
        const Hull hull = hull_of(*formula, box);
        return hull.exact ? std::optional(std::pair{hull.low, hull.high}) : std::nullopt;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Version& version_;
    const Equation& first_;
    const Equation whole_;  // the first one with an index in every dim
    std::map<std::string, std::vector<Padding>> paddings_;
};

/// Pads an input by zeros, which nobody looks at. It has no padding but what another tensor's parts asked for.
void pad(Tensor& tensor, const std::vector<Padding>& paddings) {
    if (!tensor.dims) tensor.dims.emplace(static_cast<std::size_t>(tensor.rank));
    const auto at_least = [](Expr& pad, std::int64_t least) {
        const auto* already = pad.as<IntegerLiteral>();
        pad = Expr(std::max(already ? already->value : 0, least));
    };
    for (std::size_t d = 0; d < paddings.size(); d++) {
        if (paddings[d].low + paddings[d].high == 0) continue;
        at_least((*tensor.dims)[d].pad_low, paddings[d].low);
        at_least((*tensor.dims)[d].pad_high, paddings[d].high);
        tensor.boundary = {Boundary::Mode::constant, Expr(0)};
    }
}

}  // namespace

std::optional<Kernel> joined(const Kernel& kernel, const Solution& solution) {
    Kernel result = kernel;
    std::set<int> gone;
    bool any = false;
    for (const Version& version : versions_of(kernel).all) {
        Join join(kernel, solution, version);
        auto all = join.run();
        if (!all) continue;
        any = true;
        gone.insert(version.equations.begin(), version.equations.end() - 1);
        result.equations[static_cast<std::size_t>(version.equations.back())] = std::move(*all);
        for (const auto& [name, paddings] : join.paddings())
            for (Tensor& tensor : result.tensors)
                if (tensor.name == name) pad(tensor, paddings);
    }
    if (!any) return std::nullopt;
    for (auto e = gone.rbegin(); e != gone.rend(); ++e) result.equations.erase(result.equations.begin() + *e);
    return lowering::taken(std::move(result));
}

}  // namespace halogen
