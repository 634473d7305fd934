#include "frontend/shapes/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::shapes {

Shape operator+(Shape a, const Shape& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Shape first(const Shape& shape, int count) { return Shape(shape.begin(), shape.begin() + count); }

Shape last(const Shape& shape, int count) { return Shape(shape.end() - count, shape.end()); }

Shape without(Shape shape, int dim) {
    shape.erase(shape.begin() + dim);
    return shape;
}

Shape with(Shape shape, int dim, const Formula& extent) {
    shape[static_cast<std::size_t>(dim)] = extent;
    return shape;
}

Shape inserted(Shape shape, int before, const Formula& extent) {
    shape.insert(shape.begin() + before, extent);
    return shape;
}

Formula sum(const Shape& shape) {
    Formula total;
    for (const Formula& extent : shape) total = total + extent;
    return total;
}

namespace {

/// Whether two formulas of the same sizes are known to be equal: n/2 + (n + 1)/2 and n.
bool are_equal(const Call& call, const Formula& a, const Formula& b) {
    return !a.is_constant() && a.symbols() == b.symbols() && call.prove(equal(a, b)).value_or(false);
}

}  // namespace

Formula broadcast(Call& call, const Formula& a, const Formula& b) {
    if (a == b || b == Formula(1)) return a;
    if (a == Formula(1)) return b;
    if (are_equal(call, a, b)) return halogen::print(b).size() < halogen::print(a).size() ? b : a;
    call.require(equal(a, b) || equal(a, 1) || equal(b, 1), Refused::size_mismatch, "extents that are equal or 1");
    const auto exceeds_one = [&](const Formula& f) { return is_nonnegative(f - Formula(2), call.least()); };
    if (exceeds_one(a)) return a;
    if (exceeds_one(b)) return b;
    Formula least_of_all = 1;
    for (const Formula& f : {a, b}) least_of_all = smaller(least_of_all, f, call.least());
    return larger(a, b, call.least()) * least_of_all;
}

Shape broadcast(Call& call, const std::vector<Shape>& shapes) {
    std::size_t rank = 0;
    for (const Shape& s : shapes) rank = std::max(rank, s.size());
    Shape result(rank, Formula(1));
    for (const Shape& s : shapes) {
        for (std::size_t d = 0; d < s.size(); ++d) {
            Formula& extent = result[rank - s.size() + d];
            extent = broadcast(call, extent, s[d]);
        }
    }
    return result;
}

void require_expands(Call& call, const std::string& what, const Shape& from, const Shape& to) {
    if (from.size() > to.size())
        call.refuse(Refused::rank,
                    fmt::format("{} has {} dims and cannot stretch to {}", what, from.size(), print(to)));
    for (std::size_t d = 0; d < from.size(); ++d) {
        const Formula& target = to[to.size() - from.size() + d];
        call.require(equal(from[d], target) || equal(from[d], 1), Refused::size_mismatch,
                     [&] { return fmt::format("{} to stretch to {}", what, print(to)); });
    }
}

void require_same(Call& call, const std::string& what, const Shape& a, const Shape& b) {
    if (a.size() != b.size())
        call.refuse(Refused::rank, fmt::format("{}: {} and {} differ in rank", what, print(a), print(b)));
    for (std::size_t d = 0; d < a.size(); ++d) call.require(equal(a[d], b[d]), Refused::size_mismatch, what);
}

int wrap(Call& call, std::string_view name, std::int64_t dim, int rank) {
    const int dims = std::max(rank, 1);
    if (dim < -dims || dim >= dims)
        throw Refusal(Refused::dim_out_of_range,
                      fmt::format("{}: `{}` is {}, in a tensor of rank {}", call.op().name, name, dim, rank),
                      fmt::format("give a dim from {} to {}", -dims, dims - 1));
    return static_cast<int>(dim < 0 ? dim + dims : dim);
}

int dim_of(Call& call, std::string_view name, int rank) { return wrap(call, name, call.integer(name), rank); }

std::vector<int> dims_of(Call& call, std::string_view name, int rank) {
    std::vector<int> dims;
    for (const std::int64_t given : call.integers(name)) {
        const int dim = wrap(call, name, given, rank);
        if (std::find(dims.begin(), dims.end(), dim) != dims.end())
            call.refuse(Refused::duplicate_dim,
                        fmt::format("`{}` names dim {} twice: {}", name, dim, print(call.argument(name))));
        dims.push_back(dim);
    }
    return dims;
}

void require_rank(Call& call, std::string_view name, int least, int most) {
    const int rank = call.rank(name);
    if (least <= rank && rank <= most) return;
    const std::string wanted = least == most       ? fmt::format("{}", least)
                               : most >= any_rank  ? fmt::format("at least {}", least)
                               : most == least + 1 ? fmt::format("{} or {}", least, most)
                                                   : fmt::format("{} to {}", least, most);
    throw Refusal(Refused::rank,
                  fmt::format("{}: `{}` is {}, of rank {}", call.op().name, name, print(call.argument(name)), rank),
                  fmt::format("give a tensor of rank {}", wanted));
}

void require_one_type(Call& call, std::initializer_list<std::string_view> names) {
    const std::string_view* leader = nullptr;
    for (const std::string_view& name : names) {
        if (!call.has(name)) continue;
        if (!leader) leader = &name;
        if (call.tensor(name).type == call.tensor(*leader).type) continue;
        call.refuse(Refused::dtype,
                    fmt::format("`{}` holds {} and `{}` {}: one type is needed", *leader,
                                to_string(call.tensor(*leader).type), name, to_string(call.tensor(name).type)));
    }
}

Shape sizes_for(Call& call, std::string_view name, int count) {
    Shape sizes = call.sizes(name);
    if (sizes.size() == 1) sizes.resize(static_cast<std::size_t>(count), sizes[0]);
    if (sizes.size() != static_cast<std::size_t>(count))
        throw Refusal(Refused::rank, fmt::format("{}: `{}` is {}", call.op().name, name, print(call.argument(name))),
                      fmt::format("give {} of them", count));
    return sizes;
}

Shape exact_sizes_for(Call& call, std::string_view name, int count) {
    const auto* list = call.argument(name).as<std::vector<Argument>>();
    if (list && list->size() != static_cast<std::size_t>(count))
        throw Refusal(Refused::rank, fmt::format("{}: `{}` is {}", call.op().name, name, print(call.argument(name))),
                      fmt::format("give {} of them", count));
    return sizes_for(call, name, count);
}

void require_number(Call& call, std::string_view name, std::int64_t least, bool strictly) {
    const std::string wanted = fmt::format("`{}` of {} {}", name, strictly ? "more than" : "at least", least);
    if (const auto* whole = call.argument(name).as<Formula>()) {
        call.require(at_least(*whole, least + (strictly ? 1 : 0)), Refused::not_positive, wanted);
        return;
    }
    const auto* real = call.argument(name).as<double>();
    const double end = static_cast<double>(least);
    if (real && !(strictly ? *real > end : *real >= end))
        call.refuse(Refused::not_positive, fmt::format("{} is needed, not {}", wanted, *real));
}

std::string numbered(std::string_view letter, int count, int begin) {
    std::string text;
    for (int i = begin; i < begin + count; ++i) text += fmt::format("{}{}{}", i == begin ? "" : ", ", letter, i);
    return text;
}

std::string listed(std::initializer_list<std::string> parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() || part.empty() ? "" : ", ") + part;
    return text;
}

Results by_equation(Call& call) {
    std::map<std::string, Shape> inputs;
    std::map<std::string, Formula> sizes;
    for (const Slot& slot : call.signature().slots) {
        if (is_tensor(slot.sort) && call.has(slot.name)) inputs.emplace(slot.name, call.shape(slot.name));
        if (slot.sort == Slot::Sort::integer && call.has(slot.name)) sizes.emplace(slot.name, call.size(slot.name));
    }
    Results results;
    for (Shape& shape : call.derive(fmt::format("kernel k{}", call.op().equation), inputs, sizes))
        results.push_back({std::move(shape)});
    return results;
}

}  // namespace halogen::shapes
