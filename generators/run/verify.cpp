#include "generators/run/verify.h"

#include "frontend/interpret/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace halogen {

namespace {

/// The place of the n-th element, row-major.
std::string place_text(std::int64_t n, const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> place(extents.size());
    for (std::size_t d = extents.size(); d-- > 0; n /= extents[d]) place[d] = n % extents[d];
    return fmt::format("[{}]", fmt::join(place, ", "));
}

/// The difference of two numbers; 0 for two NaNs and for equal infinities, or nearly so: sums in another order may stay below.
double difference(Type t, double ours, double right) {
    if (ours == right || (std::isnan(ours) && std::isnan(right))) return 0;
    const bool is_near = std::isinf(right) && std::isinf(round_to_storage(t, 4 * ours));
    return is_near && std::signbit(ours) == std::signbit(right) ? 0 : std::abs(ours - right);
}

}  // namespace

Verification verify(const Kernel& kernel, const CallData& data, const Tensors& outputs) {
    const Interpreted expected = interpret_with_bounds(kernel, data.numbers, data.inputs, data.scalars).value();
    Verification result;
    for (const Tensor* t : kernel.outputs()) {
        const HostTensor& right = expected.values.at(t->name);
        const HostTensor& ours = outputs.at(t->name);
        const std::vector<double>& bounds = expected.bounds.at(t->name);
        std::int64_t n = 0;
        for_each_index(right.extents(), [&](std::span<const std::int64_t> index) {
            const std::int64_t there = right.offset_of(index), here = ours.offset_of(index), element = n++;
            const bool real = is_float(t->type);
            const double error =
                real ? difference(t->type, ours.real(here), right.real(there))
                     : std::abs(static_cast<double>(ours.integer(here)) - static_cast<double>(right.integer(there)));
            const double allowed = bounds[element];
            const bool is_finite = !real || std::isfinite(right.real(there));
            if (error == 0 || (is_finite && !std::isfinite(allowed))) return;
            if (!is_finite || !(error <= allowed))
                throw Failure(Error{
                    ErrorKind::index,
                    fmt::format("{}{} is {}, but the interpreter gives {}; rounding explains {:.3g}", t->name,
                                place_text(element, right.extents()),
                                real ? fmt::format("{}", ours.real(here)) : fmt::format("{}", ours.integer(here)),
                                real ? fmt::format("{}", right.real(there)) : fmt::format("{}", right.integer(there)),
                                allowed),
                    {},
                    "",
                    "this is a defect of Halogen or of the history; please report it"});
            result.largest_error = std::max(result.largest_error, error);
            result.largest_share = std::max(result.largest_share, error / allowed);
        });
    }
    return result;
}

}  // namespace halogen
