#include "frontend/shapes/indexed.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::shapes {

void require_place(Call& call, const Formula& extent, const Formula& count) {
    call.require(at_least(extent, 1) || equal(count, 0), Refused::index_out_of_range,
                 "a dim that is not empty to index");
}

void require_index_fits(Call& call, int dim, std::initializer_list<const char*> within) {
    const Shape& index = call.shape("index");
    Predicate is_empty = false;
    for (const Formula& extent : index) is_empty = is_empty || equal(extent, 0);
    if (is_empty.known().value_or(false)) return;
    for (const char* name : within) {
        const Shape& shape = call.shape(name);
        if (std::max(call.rank("index"), 1) != std::max(call.rank(name), 1)) {
            if (call.decide(is_empty)) return;
            call.refuse(Refused::rank,
                        fmt::format("`index` {} and `{}` {} differ in rank", print(index), name, print(shape)));
        }
        for (int d = 0; d < std::min(call.rank("index"), call.rank(name)); ++d) {
            if (d == dim && std::string_view(name) == "input") continue;
            call.require(at_most(index[d], shape[d]) || is_empty, Refused::size_mismatch,
                         [&] { return fmt::format("`index` no larger than `{}` along dim {}", name, d); });
        }
    }
}

Shape indexed_shape(Call& call, const Shape& input) {
    const std::vector<std::optional<Operand>> indices = call.indices("indices");
    if (indices.size() > input.size())
        call.refuse(Refused::rank,
                    fmt::format("`indices` names {} dims, `input` has {}", indices.size(), input.size()));
    std::vector<Shape> shapes;
    std::vector<std::size_t> at;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        if (!indices[d]) continue;
        if (indices[d]->type == Type::boolean)
            throw Refusal(Refused::dtype,
                          fmt::format("{}: index {} is a mask, and how many places it chooses is known to data alone",
                                      call.op().name, d),
                          "find the places with nonzero_static, whose `size` says how many, and index with them");
        if (!is_integer(indices[d]->type))
            call.refuse(Refused::dtype, fmt::format("index {} holds {}, not integers", d, to_string(indices[d]->type)));
        shapes.push_back(indices[d]->shape);
        at.push_back(d);
    }
    const Shape common = broadcast(call, shapes);
    const bool are_neighbours = at.empty() || at.back() - at.front() + 1 == at.size();
    Shape result = are_neighbours ? Shape{} : common;
    for (std::size_t d = 0; d < input.size(); ++d) {
        if (are_neighbours && !at.empty() && d == at.front()) result = std::move(result) + common;
        if (std::find(at.begin(), at.end(), d) == at.end())
            result.push_back(input[d]);
        else
            require_place(call, input[d], numel(common));
    }
    return result;
}

}  // namespace halogen::shapes
