#include "frontend/interpret/cells.h"

#include "frontend/interpret/arithmetic.h"
#include "frontend/solve/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace halogen::interpreting {

namespace {

/// The value of `else`: a literal with an optional sign, or the type's end. Of floats the ends are the infinities.
Value outside_value(Type type, const Boundary& boundary) {
    Value v;
    if (boundary.mode == Boundary::Mode::lowest) {
        if (is_float(type))
            v.real = -std::numeric_limits<double>::infinity();
        else
            v.integer = lowest_integer(type);
    } else if (boundary.mode == Boundary::Mode::highest) {
        if (is_float(type))
            v.real = std::numeric_limits<double>::infinity();
        else
            v.integer = highest_integer(type);
    } else if (boundary.mode == Boundary::Mode::constant) {
        Expr e = boundary.constant;
        int sign = 1;
        while (auto* unary = e.as<Unary>()) {
            sign = -sign;
            e = Expr(*unary->value);
        }
        if (auto* integer = e.as<IntegerLiteral>()) {
            v = {round_to_storage(type, sign * static_cast<double>(integer->value)), sign * integer->value};
        } else if (auto* real = e.as<RealLiteral>()) {
            v = {round_to_storage(type, sign * real->value), real_to_integer(type, sign * real->value)};
        }
    }
    return v;
}

/// Cells with extents and pads, without values.
Cells shape_cells(const Solution& solution, const Tensor& tensor) {
    Cells cells{.name = tensor.name, .type = tensor.type};
    for (const Formula& extent : solution.extents.at(tensor.name)) cells.extents.push_back(number(extent));
    cells.strides = row_major_strides(cells.extents);
    cells.pad_low.assign(cells.extents.size(), 0);
    cells.pad_high = cells.pad_low;
    cells.mode = tensor.boundary.mode;
    cells.outside = outside_value(tensor.type, tensor.boundary);
    for (std::size_t d = 0; tensor.dims && d < tensor.dims->size(); d++) {
        const Dim& dim = (*tensor.dims)[d];
        if (const auto low = solved_formula(dim.pad_low, solution)) cells.pad_low[d] = number(*low);
        if (const auto high = solved_formula(dim.pad_high, solution)) cells.pad_high[d] = number(*high);
    }
    return cells;
}

void read_input(Cells& cells, const HostTensor& tensor) {
    const std::string& name = cells.name;
    if (tensor.type() != cells.type)
        throw Failure(Error{ErrorKind::type,
                            fmt::format("`{}` is {}, not {}", name, to_string(cells.type), to_string(tensor.type())),
                            {},
                            "",
                            fmt::format("give `{}` as {}", name, to_string(cells.type))});
    if (tensor.extents() != cells.extents)
        throw Failure(
            Error{tensor.rank() == static_cast<int>(cells.extents.size()) ? ErrorKind::contradictory : ErrorKind::rank,
                  fmt::format("`{}` has the extents [{}], solved were [{}]", name, fmt::join(tensor.extents(), ", "),
                              fmt::join(cells.extents, ", ")),
                  {},
                  "",
                  "solve with the extents of the inputs"});
    for_each_index(cells.extents, [&](std::span<const std::int64_t> index) {
        const std::int64_t offset = tensor.offset_of(index);
        if (is_float(cells.type))
            cells.reals.push_back(tensor.real(offset));
        else
            cells.integers.push_back(tensor.integer(offset));
    });
}

}  // namespace

Cells input_cells(const Solution& solution, const Tensor& tensor, const HostTensor& values) {
    Cells cells = shape_cells(solution, tensor);
    read_input(cells, values);
    return cells;
}

Cells blank_cells(const Solution& solution, const Tensor& tensor, Op first) {
    Cells cells = shape_cells(solution, tensor);
    const std::int64_t n = count_elements(cells.extents);
    if (is_float(cells.type))
        cells.reals.assign(n, real_identity(first));
    else
        cells.integers.assign(n, integer_identity(first, cells.type));
    return cells;
}

HostTensor tensor_of(const Cells& cells) {
    HostTensor tensor(cells.type, cells.extents);
    for (std::size_t i = 0; i < cells.reals.size(); i++) tensor.set_real(i, cells.reals[i]);
    for (std::size_t i = 0; i < cells.integers.size(); i++) tensor.set_integer(i, cells.integers[i]);
    return tensor;
}

std::int64_t fold_position(Boundary::Mode mode, std::int64_t p, std::int64_t n) {
    if (p >= 0 && p < n) return p;
    const auto modulo = [](std::int64_t a, std::int64_t m) { return (a % m + m) % m; };
    switch (mode) {
    case Boundary::Mode::edge: return n < 1 ? -1 : std::clamp<std::int64_t>(p, 0, n - 1);
    case Boundary::Mode::wrap: return n < 1 ? -1 : modulo(p, n);
    case Boundary::Mode::reflect: {
        if (n <= 1) return n - 1;
        const std::int64_t q = modulo(p, 2 * (n - 1));
        return q < n ? q : 2 * (n - 1) - q;
    }
    case Boundary::Mode::symmetric: {
        if (n < 1) return -1;
        const std::int64_t q = modulo(p, 2 * n);
        return q < n ? q : 2 * n - 1 - q;
    }
    default: return -1;
    }
}

std::int64_t cell_of(const Cells& cells, const std::vector<std::int64_t>& places) {
    std::int64_t cell = 0;
    for (std::size_t d = 0; d < places.size(); d++) {
        const std::int64_t p = fold_position(cells.mode, places[d], cells.extents[d]);
        if (p < 0) return -1;
        cell += p * cells.strides[d];
    }
    return cell;
}

std::int64_t number(const Formula& formula) {
    if (const auto value = formula.constant()) return *value;
    throw Failure(
        Error{ErrorKind::underdetermined, fmt::format("`{}` has no value", print(formula)), {}, "", "set its sizes"});
}

}  // namespace halogen::interpreting
