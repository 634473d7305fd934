// Several tensors made one.

#include "frontend/shapes/families.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::shapes {

namespace {

std::vector<Shape> given_shapes(Call& call) {
    std::vector<Shape> shapes;
    for (const Operand& o : call.tensors("tensors")) shapes.push_back(o.shape);
    return shapes;
}

std::vector<Shape> some_shapes(Call& call) {
    std::vector<Shape> shapes = given_shapes(call);
    if (shapes.empty())
        throw Refusal(Refused::empty_list, fmt::format("{}: `tensors` is empty", call.op().name),
                      "give one tensor at least");
    return shapes;
}

constexpr std::size_t most_in_one_text = 8;

/// Shapes one behind the other along `dim`: the text writes each behind what is there.
Shape joined(Call& call, std::vector<Shape> shapes, int dim) {
    if (shapes.size() > most_in_one_text) {
        const std::vector<Shape> tail(shapes.begin() + most_in_one_text, shapes.end());
        shapes.resize(most_in_one_text);
        std::vector<Shape> rest{joined(call, std::move(shapes), dim)};
        rest.insert(rest.end(), tail.begin(), tail.end());
        return joined(call, std::move(rest), dim);
    }
    const int rank = static_cast<int>(shapes[0].size());
    const std::string n = numbered("N", dim), m = numbered("N", rank - dim - 1, dim + 1);
    const std::string i = numbered("i", dim), j = numbered("i", rank - dim - 1, dim + 1);
    std::string parameters, equations, end;
    std::map<std::string, Shape> inputs;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        parameters += fmt::format("{}t{}: f32[{}]", k ? ", " : "", k, listed({n, fmt::format("M{}", k), m}));
        equations +=
            fmt::format("Y[{}] = t{}[{}] where j in 0:M{}; ", listed({i, "j" + end, j}), k, listed({i, "j", j}), k);
        end += fmt::format(" + M{}", k);
        inputs.emplace(fmt::format("t{}", k), shapes[k]);
    }
    return call.derive(
        fmt::format("kernel k({}) -> Y: f32[{}] {{ {} }}", parameters, listed({n, end.substr(3), m}), equations),
        inputs)[0];
}

/// A tensor of shape [0] joins any others, as nothing.
Shape concatenated(Call& call, std::vector<Shape> shapes, std::int64_t dim) {
    std::size_t rank = 1;
    for (const Shape& s : shapes) {
        if (s.empty()) call.refuse(Refused::rank, "a tensor of rank 0 has no dim to join along");
        if (rank == 1) rank = s.size();
    }
    std::erase_if(shapes, [&](const Shape& s) {
        if (s.size() != 1 || rank == 1) return false;
        call.require(equal(s[0], 0), Refused::rank, [&] { return fmt::format("{} dims in each tensor", rank); });
        return true;
    });
    const int at = wrap(call, "dim", dim, static_cast<int>(rank));
    for (const Shape& s : shapes) {
        if (s.size() != rank)
            call.refuse(Refused::rank, fmt::format("{} and {} differ in rank", print(shapes[0]), print(s)));
        for (std::size_t d = 0; d < rank; ++d) {
            if (static_cast<int>(d) != at)
                call.require(equal(s[d], shapes[0][d]), Refused::size_mismatch, [&] {
                    return fmt::format("tensors alike but for dim {}: {} and {}", at, print(shapes[0]), print(s));
                });
        }
    }
    return joined(call, shapes, at);
}

Results cat(Call& call) { return one(concatenated(call, some_shapes(call), call.integer("dim"))); }

/// Tensors of one shape, along a new dim.
Results stack(Call& call) {
    std::vector<Shape> shapes = some_shapes(call);
    const int rank = static_cast<int>(shapes[0].size()), dim = dim_of(call, "dim", rank + 1);
    for (Shape& s : shapes) {
        require_same(call, "tensors of one shape", s,
                     shapes[0].size() > static_cast<std::size_t>(rank) ? without(shapes[0], dim) : shapes[0]);
        s.insert(s.begin() + dim, 1);
    }
    return one(joined(call, shapes, dim));
}

/// With dims of extent 1 in front, as many as `rank` asks for.
Shape filled(Shape shape, std::size_t rank) {
    while (shape.size() < rank) shape.insert(shape.begin(), 1);
    return shape;
}

Shape at_least_3d(Shape shape) {
    shape = filled(std::move(shape), shape.size() < 2 ? 2 : 0);
    if (shape.size() == 2) shape.push_back(1);
    return shape;
}

std::vector<Shape> each(std::vector<Shape> shapes, Shape (*change)(Shape)) {
    for (Shape& s : shapes) s = change(std::move(s));
    return shapes;
}

Results hstack(Call& call) {
    const auto shapes = each(some_shapes(call), [](Shape s) { return filled(std::move(s), 1); });
    return one(concatenated(call, shapes, shapes[0].size() == 1 ? 0 : 1));
}

Results vstack(Call& call) {
    return one(concatenated(call, each(some_shapes(call), [](Shape s) { return filled(std::move(s), 2); }), 0));
}

Results dstack(Call& call) { return one(concatenated(call, each(some_shapes(call), at_least_3d), 2)); }

Results column_stack(Call& call) {
    const auto column = [](Shape s) { return s.size() < 2 ? Shape{numel(s), 1} : s; };
    return one(concatenated(call, each(some_shapes(call), column), 1));
}

template<std::size_t rank>
Results at_least_rank(Call& call) {
    return one(rank == 3 ? at_least_3d(call.shape("input")) : filled(call.shape("input"), rank));
}

/// Matrices along a diagonal.
Results block_diag(Call& call) {
    Formula rows, columns;
    for (const Shape& given : given_shapes(call)) {
        if (given.size() > 2) call.refuse(Refused::rank, fmt::format("{} has more than 2 dims", print(given)));
        const Shape s = filled(given, 2);
        rows = rows + s[0];
        columns = columns + s[1];
    }
    return one(given_shapes(call).empty() ? Shape{1, 0} : Shape{rows, columns});
}

std::vector<Shape> vectors(Call& call, std::size_t least_rank) {
    const std::vector<Shape> shapes = some_shapes(call);
    for (const Shape& s : shapes) {
        if (s.size() > 1 || s.size() < least_rank) call.refuse(Refused::rank, fmt::format("{} is no vector", print(s)));
    }
    return shapes;
}

Results cartesian_prod(Call& call) {
    const std::vector<Shape> shapes = vectors(call, 1);
    Shape extents;
    for (const Shape& s : shapes) extents = std::move(extents) + s;
    return one(shapes.size() == 1 ? extents : Shape{numel(extents), static_cast<std::int64_t>(shapes.size())});
}

/// One result for each vector: its values along its own dim, the same along all others.
Results meshgrid(Call& call) {
    const std::vector<Shape> shapes = vectors(call, 0);
    const std::vector<Operand> tensors = call.tensors("tensors");
    for (const Operand& o : tensors) {
        if (o.type != tensors[0].type) call.refuse(Refused::dtype, "the tensors differ in type");
    }
    const std::string& indexing = call.text("indexing");
    if (indexing != "ij" && indexing != "xy")
        throw Refusal(Refused::bad_mode, fmt::format("{}: `indexing` is \"{}\"", call.op().name, indexing),
                      "give \"ij\" or \"xy\"");
    const int count = static_cast<int>(shapes.size());
    std::vector<std::string> order;
    for (int i = 0; i < count; ++i) order.push_back(fmt::format("i{}", i));
    if (indexing == "xy" && count >= 2) std::swap(order[0], order[1]);
    std::string left, parameters, outputs, equations;
    std::map<std::string, Shape> inputs;
    for (const std::string& index : order) left += (left.empty() ? "" : ", ") + index;
    for (int i = 0; i < count; ++i) {
        parameters += fmt::format("{}t{}: f32[N{}]", i ? ", " : "", i, i);
        std::string extents = left;
        std::replace(extents.begin(), extents.end(), 'i', 'N');
        outputs += fmt::format("{}Y{}: f32[{}]", i ? ", " : "", i, extents);
        equations += fmt::format("Y{}[{}] = t{}[i{}]; ", i, left, i, i);
        inputs.emplace(fmt::format("t{}", i), filled(shapes[static_cast<std::size_t>(i)], 1));
    }
    Results results;
    for (Shape& s : call.derive(fmt::format("kernel k({}) -> ({}) {{ {} }}", parameters, outputs, equations), inputs))
        results.push_back({std::move(s)});
    return results;
}

}  // namespace

// clang-format off
Family joining_family() {
    const std::string_view list = "tensors: tensors -> promote";
    const std::string_view ends = "(t0: f32[M0, N1], t1: f32[M1, N1]) -> Y: f32[M0 + M1, N1] { Y[j, i1] = t0[j, i1] where j in 0:M0; Y[j + M0, i1] = t1[j, i1] where j in 0:M1 }";
    return {"joining", "Several tensors made one", {
        {"cat",            "tensors: tensors, dim: int = 0 -> promote", cat, ends},
        {"stack",          "tensors: tensors, dim: int = 0 -> promote", stack, ends},
        {"hstack",         list, hstack, ends},
        {"vstack",         list, vstack, ends},
        {"dstack",         list, dstack, ends},
        {"column_stack",   list, column_stack, ends},
        {"block_diag",     list, block_diag, "", "any ranks up to 2"},
        {"cartesian_prod", list, cartesian_prod, "", "places are counted in mixed radix"},
        {"meshgrid",       "tensors: tensors, indexing: text = ij", meshgrid, "(t0: f32[N0], t1: f32[N1]) -> (Y0: f32[N0, N1], Y1: f32[N0, N1]) { Y0[i0, i1] = t0[i0]; Y1[i0, i1] = t1[i1] }"},
        {"atleast_1d",     "input: tensor", at_least_rank<1>, "", "extents alone change"},
        {"atleast_2d",     "input: tensor", at_least_rank<2>, "", "extents alone change"},
        {"atleast_3d",     "input: tensor", at_least_rank<3>, "", "extents alone change"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
