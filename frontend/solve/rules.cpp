// Names, settings, rule 1 and the hulls of accesses.

#include "frontend/solve/solver.h"

#include "frontend/base/checked.h"
#include "frontend/formula/bound.h"
#include "frontend/notation/parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

KernelSolver::KernelSolver(const Kernel& kernel, const Settings& known, const std::vector<SizeEquality>& equal)
    : kernel_(kernel), known_(known), equal_(equal), model_(kernel), indices_(kernel.equations.size()) {}

/// Ranks of names, as the name of a class: declared sizes and parameters before input dims before all else.
void KernelSolver::add_names() {
    for (const SizeParam& p : kernel_.sizes) sizes_.add(p.name, 0);
    for (const Tensor& t : kernel_.tensors) {
        for (int d = 0; d < t.rank; ++d) {
            const DimModel& dim = model_.dims.at(t.name)[d];
            const int rank = dim.declared ? 0 : t.role == Role::input ? 1 : 2;
            for (const auto* f : {&dim.extent, &dim.pad_low, &dim.pad_high}) {
                if (const auto name = f->as_symbol())
                    sizes_.add(*name, rank);
                else
                    for (const auto& n : f->symbols()) sizes_.add(n, rank);
            }
            if (t.role == Role::input && dim.name) input_names_.insert(*dim.name);
        }
    }
    const auto add_sizes = [&](const Formula& f, int equation) {
        const auto& indices = model_.indices[equation];
        std::set<std::string> names;
        f.for_each_symbol([&](const std::string& name) {
            if (std::find(indices.begin(), indices.end(), name) == indices.end()) names.insert(name);
        });
        for (const auto& name : names) sizes_.add(name, 0);
    };
    for (const Use& use : model_.uses) {
        for (const Place& p : use.places) {
            if (p.formula) add_sizes(*p.formula, use.equation);
        }
    }
    for (std::size_t e = 0; e < model_.ranges.size(); ++e) {
        for (const auto& [index, range] : model_.ranges[e]) {
            add_sizes(range.begin, static_cast<int>(e));
            add_sizes(range.end, static_cast<int>(e));
        }
        for (const auto& index : model_.indices[e]) {
            // An `in` may be over an index that stands nowhere else: it is still an index.
            indices_[e][index].reduced =
                std::find(model_.reduced[e].begin(), model_.reduced[e].end(), index) != model_.reduced[e].end();
        }
    }
    for (std::size_t e = 0; e < kernel_.equations.size(); ++e) {
        const auto add_values = [&](const Expr& value) {
            walk(value, [&](const Expr& part) {
                if (const auto* s = part.as<SizeRef>(); s && s->name.find('.') == std::string::npos)
                    sizes_.add(s->name, 0);
            });
        };
        add_values(kernel_.equations[e].right);
        for (const Expr* predicate : predicates_of(kernel_.equations[e])) add_values(*predicate);
    }
}

void KernelSolver::set_number(const std::string& name, std::int64_t value, const std::string& setting) {
    if (value < 0)
        throw Failure(
            Error{ErrorKind::negative, fmt::format("`{}` is {}", setting, value), {}, "", "give a size of at least 0"});
    if (value > largest_extent) fail_overflow(fmt::format("`{}` = {} is past 2^62", setting, value));
    const auto& before = sizes_.value(name);
    if (before && !(*before == Formula(value))) {
        const auto first = given_.find(sizes_.root(name));
        throw Failure(
            error_at(ErrorKind::contradictory,
                     fmt::format("`{}` is {} but `{}` is {}, and both are one size",
                                 first == given_.end() ? name : first->second, print(*before), setting, value),
                     -1, "give one of them, or equal values"));
    }
    sizes_.set_value(name, value);
    given_.emplace(sizes_.root(name), setting);
    derive(name, Derivation::How::given, -1, {}, setting);
}

/// Numbers the caller gives, then defaults. Indices wait for rule 1.
void KernelSolver::apply_settings() {
    for (const auto& [name, value] : known_) {
        const auto dot = name.find('.');
        const auto tensor = dot == std::string::npos ? model_.dims.end() : model_.dims.find(name.substr(0, dot));
        if (tensor != model_.dims.end()) {
            const std::string digits = name.substr(dot + 1);
            const bool number =
                !digits.empty() && digits.size() < 4 && digits.find_first_not_of("0123456789") == std::string::npos;
            if (!number || std::stoul(digits) >= tensor->second.size())
                throw Failure(Error{
                    ErrorKind::name,
                    fmt::format("`{}` names no dim: `{}` has rank {}", name, tensor->first, tensor->second.size()),
                    {},
                    "",
                    "dims count from 0"});
            const DimModel& dim = tensor->second[std::stoul(digits)];
            if (!value) continue;
            if (dim.name)
                set_number(*dim.name, *value, name);
            else
                equalities_.push_back({dim.extent,
                                       *value,
                                       {-1, tensor->first, std::stoi(digits), "", fmt::format("`{}` is given", name)},
                                       false,
                                       true});
        } else if (sizes_.has(name)) {
            if (value) set_number(name, *value, name);
        } else {
            const bool is_index = std::any_of(
                model_.indices.begin(), model_.indices.end(),
                [&index = name](const auto& list) { return std::find(list.begin(), list.end(), index) != list.end(); });
            if (!is_index)
                throw Failure(Error{ErrorKind::name,
                                    fmt::format("`{}` is no size, parameter, dim or index of the kernel", name),
                                    {},
                                    "",
                                    "name a size, a dim as X.0, or an index"});
        }
    }
    for (const SizeParam& p : kernel_.sizes) {
        if (!p.default_value || known_.contains(p.name) || sizes_.value(p.name)) continue;
        sizes_.set_value(p.name, *p.default_value);
        derive(p.name, Derivation::How::standard, -1, {}, "");
    }
}

/// What a name of the caller's stands for: a size, or the extent of a dim.
Formula KernelSolver::size_named(const std::string& name) const {
    if (sizes_.has(name)) return Formula::symbol(name);
    const auto dot = name.find('.');
    const auto tensor = dot == std::string::npos ? model_.dims.end() : model_.dims.find(name.substr(0, dot));
    const std::string digits = dot == std::string::npos ? "" : name.substr(dot + 1);
    const bool number =
        !digits.empty() && digits.size() < 4 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (tensor == model_.dims.end() || !number || std::stoul(digits) >= tensor->second.size())
        throw Failure(Error{ErrorKind::name,
                            fmt::format("`{}` is no size, parameter or dim of the kernel", name),
                            {},
                            "",
                            "name a size, or a dim as X.0"});
    return tensor->second[std::stoul(digits)].extent;
}

void KernelSolver::apply_equality(const SizeEquality& e) {
    const Formula a = size_named(e.first), b = size_named(e.second);
    const auto x = a.as_symbol(), y = b.as_symbol();
    if (x && y)
        join(*x, *y, {-1, "", e.first, e.second});
    else
        equalities_.push_back(
            {a, b, {-1, "", -1, "", fmt::format("`{}` is to equal `{}`", e.first, e.second)}, false, true});
}

/// A number for an index holds in every equation that uses it.
void KernelSolver::apply_index_setting(const std::string& index, std::int64_t value) {
    for (std::size_t e = 0; e < indices_.size(); ++e) {
        const auto at = indices_[e].find(index);
        if (at == indices_[e].end()) continue;
        if (const auto name = at->second.extent.as_symbol(); name && sizes_.has(*name))
            set_number(*name, value, index);
        else
            equalities_.push_back({at->second.extent,
                                   value,
                                   {static_cast<int>(e), "", -1, index, fmt::format("index `{}` is given", index)},
                                   false,
                                   true});
    }
}

void KernelSolver::apply_ranges() {
    for (std::size_t e = 0; e < indices_.size(); ++e) {
        for (const auto& [index, range] : model_.ranges[e]) {
            indices_[e][index].min = range.begin;
            indices_[e][index].extent = range.end - range.begin;
            indices_[e][index].fixed = true;
        }
    }
}

/// "the plain read counts as compound": the equation also reads that dim at a compound place with the same index.
bool KernelSolver::is_stencil_read(const Use& use, int d, const std::string& index) const {
    if (use.is_left) return false;
    const auto uses = model_.uses_of(use.equation);
    return std::any_of(uses.begin(), uses.end(), [&](const Use& other) {
        if (other.is_left || other.access->tensor != use.access->tensor) return false;
        const Place& p = other.places[d];
        return !p.bare && p.formula && mentions(*p.formula, index);
    });
}

void KernelSolver::join(const std::string& a, const std::string& b, const Join& why) {
    const auto &x = sizes_.value(a), &y = sizes_.value(b);
    if (x && y && !(*x == *y)) {
        failing_ = {Formula::symbol(a), Formula::symbol(b)};
        if (why.index.empty())
            throw Failure(error_at(ErrorKind::contradictory,
                                   fmt::format("`{}` is {} but `{}` is {}, and they are to be equal", why.first,
                                               print(*x), why.second, print(*y)),
                                   -1, "give equal values, or leave the equality out"));
        throw Failure(error_at(ErrorKind::contradictory,
                               fmt::format("index `{}` has extent {} in {} but {} in {}", why.index, print(*x),
                                           why.first, print(*y), why.second),
                               why.equation,
                               fmt::format("make both extents equal, or give {} its own index", why.second)));
    }
    const auto x_given = given_.find(sizes_.root(a)), y_given = given_.find(sizes_.root(b));
    const std::string setting = x_given != given_.end()   ? x_given->second
                                : y_given != given_.end() ? y_given->second
                                                          : "";
    const std::string root_a = sizes_.root(a), root_b = sizes_.root(b);
    const auto derivation = derivations_.find(x ? root_a : root_b);
    const auto kept = derivation == derivations_.end() ? std::nullopt : std::optional(derivation->second);
    sizes_.join(a, b, why);
    if (kept) derivations_.try_emplace(sizes_.root(a), *kept);
    if (!setting.empty()) given_.emplace(sizes_.root(a), setting);
}

/// Rule 1: all dims in which the index stands alone are its extent. The first named one stands for all.
void KernelSolver::pin_index(int equation, const std::string& index) {
    struct Pin {
        const Use* use;
        int d;
        const DimModel* dim;
    };
    std::vector<Pin> pins;
    for (const Use& use : model_.uses_of(equation)) {
        for (int d = 0; d < static_cast<int>(use.places.size()); ++d) {
            if (use.places[d].bare == index && !is_stencil_read(use, d, index))
                pins.push_back({&use, d, &model_.dim(use, d)});
        }
    }
    IndexModel& model = indices_[equation][index];
    if (pins.empty()) {
        const std::string own = fmt::format("{}@{}", index, equation);
        sizes_.add(own, 3);
        model.extent = Formula::symbol(own);
        return;
    }
    auto anchor = std::find_if(pins.begin(), pins.end(), [](const Pin& p) { return p.dim->name.has_value(); });
    if (anchor == pins.end()) anchor = pins.begin();
    model.extent = anchor->dim->extent;
    for (auto p = pins.begin(); p != pins.end(); ++p) {
        if (p == anchor) continue;
        const auto& first = p < anchor ? *p : *anchor;
        const auto& second = p < anchor ? *anchor : *p;
        if (p->dim->name && anchor->dim->name) {
            join(*first.dim->name, *second.dim->name, {equation, index, first.use->text, second.use->text});
        } else if (!(p->dim->extent == anchor->dim->extent)) {
            equalities_.push_back(
                {anchor->dim->extent,
                 p->dim->extent,
                 {equation, p->use->access->tensor, p->d, index,
                  fmt::format("index `{}` has one extent in {} and {}", index, first.use->text, second.use->text)}});
        }
    }
}

void KernelSolver::pin_indices() {
    for (int e = 0; e < static_cast<int>(indices_.size()); ++e) {
        for (const auto& index : model_.indices[e]) {
            if (!model_.ranges[e].contains(index)) pin_index(e, index);
        }
    }
    for (const auto& [name, value] : known_) {
        if (!value || sizes_.has(name) || name.find('.') != std::string::npos) continue;
        apply_index_setting(name, *value);
    }
}

Box KernelSolver::box_of(int equation) const {
    Box box;
    for (const auto& [index, model] : indices_[equation])
        box[index] = {model.min, model.min + model.extent - Formula(1)};
    return box;
}

void KernelSolver::add_constraint(Constraint c) {
    const int id = static_cast<int>(constraints_.size());
    c.slack.for_each_symbol([&](const std::string& name) {
        const auto size = sizes_.class_of(name);
        if (!size) return;
        auto& list = constraints_of_[*size];
        if (list.empty() || list.back() != id) list.push_back(id);
    });
    constraints_.push_back(std::move(c));
}

void KernelSolver::check_when_run(const CheckedPlace& place) {
    if (std::find(checked_.begin(), checked_.end(), place) == checked_.end()) checked_.push_back(place);
}

void KernelSolver::add_access_constraints(const Use& use, int d, const Box& box) {
    const Place& p = use.places[d];
    if (!p.formula) return check_when_run({use.equation, use.text, d});
    const DimModel& dim = model_.dim(use, d);
    const auto& indices = indices_[use.equation];
    if (p.bare && !indices.at(*p.bare).fixed && !is_stencil_read(use, d, *p.bare)) return;  // pinned: exactly the dim
    bool is_constant = true;
    p.formula->for_each_symbol([&](const std::string& name) { is_constant = is_constant && !indices.contains(name); });
    const Hull hull = hull_of(*p.formula, box, bounds_);
    const Reason why{use.equation, use.access->tensor, d, "", ""};
    const auto above = is_constant ? Constraint::Kind::fixed : Constraint::Kind::above;
    const auto below = is_constant ? Constraint::Kind::fixed : Constraint::Kind::below;
    const auto add = [&](Constraint::Kind kind, const Formula& slack, const Formula& reach) {
        if (const auto c = slack.constant(); c && *c >= 0) return;
        if (!hull.exact) return loose_.push_back({slack, {use.equation, use.text, d}});
        for (const auto& part : conjuncts(slack))
            add_constraint({kind, part, why, use.text, reach, false, use.is_left, {}, &use});
    };
    add(above, dim.extent + dim.pad_high - (hull.high + Formula(1)), hull.high);
    add(below, hull.low + dim.pad_low, hull.low);
}

void KernelSolver::add_boundary_constraints() {
    const auto add = [&](const Formula& slack, const std::string& tensor, int d, const char* what,
                         const Formula& reach) {
        if (const auto c = slack.constant(); c && *c >= 0) return;
        const Reason why{-1, tensor, d, "", fmt::format(fmt::runtime(what), d, tensor)};
        add_constraint({Constraint::Kind::boundary, slack, why, "", reach, false});
    };
    for (const Tensor& t : kernel_.tensors) {
        const auto mode = t.boundary.mode;
        const bool repeats =
            mode == Boundary::Mode::edge || mode == Boundary::Mode::symmetric || mode == Boundary::Mode::wrap;
        for (int d = 0; d < t.rank; ++d) {
            const DimModel& dim = model_.dims.at(t.name)[d];
            if (!dim.padded) continue;
            const Formula last = dim.extent - Formula(1);
            for (const auto& pad : {dim.pad_low, dim.pad_high}) {
                add(pad, t.name, d, "the padding of dim {} of `{}` is at least 0", pad);
                if (mode == Boundary::Mode::reflect)
                    add(last - pad, t.name, d, "`reflect` needs a pad below the extent in dim {} of `{}`", pad);
            }
            if (repeats) add(last, t.name, d, "the boundary of dim {} of `{}` needs an element", dim.extent);
        }
    }
}

/// Divisors are positive and casts keep their values, at every point of their equation.
void KernelSolver::add_condition(const KernelModel::Condition& c) {
    const Box box = c.equation < 0 ? Box{} : box_of(c.equation);
    const Formula least = hull_of(c.formula, box, bounds_).low;
    const bool divisor = c.kind == PlaceCondition::Kind::divisor;
    const std::string clause =
        divisor ? fmt::format("the divisor `{}` is at least 1", c.text) : fmt::format("`{}` keeps its value", c.text);
    add_constraint({divisor ? Constraint::Kind::positive : Constraint::Kind::fits,
                    least - Formula(1),
                    {c.equation, "", -1, "", clause},
                    c.text,
                    least,
                    false});
}

void KernelSolver::add_constraints() {
    constraints_.reserve(2 * model_.uses.size());
    for (int e = 0; e < static_cast<int>(indices_.size()); ++e) {
        const Box box = box_of(e);
        for (const Use& use : model_.uses_of(e)) {
            for (int d = 0; d < static_cast<int>(use.places.size()); ++d) add_access_constraints(use, d, box);
        }
    }
    for (std::size_t e = 0; e < indices_.size(); ++e) {
        for (const auto& [index, range] : model_.ranges[e])
            add_constraint({Constraint::Kind::range,
                            range.end - range.begin,
                            {static_cast<int>(e), "", -1, index,
                             fmt::format("the range `{}` does not end before it begins", range.text)},
                            range.text,
                            range.end,
                            false});
    }
    add_boundary_constraints();
    for (const auto& condition : model_.conditions) add_condition(condition);
}

}  // namespace halogen
