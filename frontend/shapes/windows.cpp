#include "frontend/shapes/windows.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

Shape checked(Call& call, std::string_view name, int dims, std::int64_t least) {
    if (!call.signature().find(name)) return Shape(static_cast<std::size_t>(dims), least);
    Shape all = sizes_for(call, name, dims);
    for (const Formula& f : all)
        call.require(at_least(f, least), Refused::not_positive,
                     [&] { return fmt::format("`{}` of {} or more", name, least); });
    return all;
}

/// `form` for each of 1, 2, … dims, joined; made once.
class Joined {
public:
    explicit Joined(std::string_view form) {
        for (int dims = 1; dims <= most_dims; ++dims) {
            std::string text;
            for (int d = 0; d < dims; ++d) text += (d ? ", " : "") + fmt::format(fmt::runtime(form), d);
            texts_.push_back(std::move(text));
        }
    }
    const std::string& operator()(int dims) const { return texts_.at(static_cast<std::size_t>(dims - 1)); }

private:
    static constexpr int most_dims = 3;
    std::vector<std::string> texts_;
};

}  // namespace

Windows windows_of(Call& call, int dims) {
    Windows w;
    const bool has_stride =
        call.has("stride") && !(call.argument("stride").as<std::vector<Argument>>() && call.sizes("stride").empty());
    w.stride = checked(call, has_stride ? "stride" : "kernel_size", dims, 1);
    w.dilation = checked(call, "dilation", dims, 1);
    if (const Slot* slot = call.signature().find("padding"); slot && slot->sort != Slot::Sort::text)
        w.low = w.high = checked(call, "padding", dims, 0);
    return w;
}

Shape batched(Call& call, std::string_view name, int rank) {
    require_rank(call, name, rank - 1, rank);
    return call.rank(name) == rank ? call.shape(name) : Shape{1} + call.shape(name);
}

void require_filled(Call& call, const Shape& shape, std::size_t begin) {
    for (std::size_t d = begin; d < shape.size(); ++d)
        call.require(at_least(shape[d], 1), Refused::not_positive, "an input of which only the batch may be empty");
}

Shape unbatched(Call& call, std::string_view name, int rank, Shape shape) {
    return call.rank(name) == rank ? shape : without(std::move(shape), 0);
}

const std::string& window_parameters(int dims) {
    static const Joined joined("S{0}: size, D{0}: size, L{0}: size, R{0}: size");
    return joined(dims);
}

const std::string& window_places(int dims) {
    static const Joined joined("S{0}*y{0} + D{0}*k{0} - L{0}");
    return joined(dims);
}

const std::string& padded_dims(int dims) {
    static const Joined joined("H{0} pad (L{0}, R{0})");
    return joined(dims);
}

std::map<std::string, Formula> window_sizes(const Windows& w) {
    std::map<std::string, Formula> sizes;
    for (std::size_t d = 0; d < w.stride.size(); ++d) {
        const std::string number = std::to_string(d);
        sizes.emplace("S" + number, w.stride[d]);
        sizes.emplace("D" + number, w.dilation[d]);
        sizes.emplace("L" + number, w.low[d]);
        sizes.emplace("R" + number, w.high[d]);
    }
    return sizes;
}

}  // namespace halogen::shapes
