#include "schedules/variants/following.h"

#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"
#include "frontend/plan/apart.h"
#include "frontend/plan/phased.h"
#include "frontend/plan/written_out.h"
#include "frontend/solve/place.h"
#include "schedules/recipes/access.h"
#include "schedules/variants/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace halogen {

namespace {

Facts all_dense(const Kernel& kernel) {
    Facts facts;
    for (const Tensor& tensor : kernel.tensors)
        if (has_elements(tensor)) facts.push_back({CallFact::Kind::dense, {}, {}, tensor.name});
    return facts;
}
/// How windows slide along the last dim of an output, by size parameters: of `Y[n, c, y, x] max= X[n, c, T*y + D*r, T*x + D*s]` with r
/// and s below R, they step by T and are R wide and high, D apart. In `Y[y, x, c] max= X[T*y + r, T*x + s, c]` they slide beside rows.
struct RowWindows {
    std::set<std::string> steps, widths, apart, pads;
    Formula pixels = 1;  // of a result, in all dims along which they slide
    bool along = false;  // some slide along rows
    bool alone =
        true;  // all that is reduced is a window: along rows, or beside them of one tensor, which is read once for each
};

/// The size parameter that a formula is.
std::optional<std::string> parameter(const Kernel& kernel, const Formula& f) {
    const auto name = f.as_symbol();
    return name && kernel.find_size(*name) ? name : std::nullopt;
}

/// The size that a formula is, given or found.
std::optional<std::string> size_in(const Formula& f) {
    const auto name = f.as_symbol();
    return name && Symbol::of(*name).is_size() ? name : std::nullopt;
}

/// What the windows of one equation, whose last index is `row`, add to all.
void add_windows(RowWindows& windows, const Kernel& kernel, const Solution& open, int e, const std::string& row) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const lowering::Names left = lowering::indices_in(equation.left);
    std::set<std::string> slid, beside;
    const std::vector<Read> reads = reads_of(kernel, open, e);
    bool slides = false;
    for (const Read& read : reads) {
        if (read.at.empty() || !read.at.back().affine || !read.at.back().coefficients.count(row)) continue;
        if (auto step = parameter(kernel, read.at.back().coefficients.at(row))) windows.steps.insert(*step);
        windows.along = windows.along || read.at.back().coefficients.size() > 1;
        slides = slides || read.at.back().coefficients.size() > 1 || reads.size() == 1;
        for (const LinearPlace& place : read.at) {
            if (place.coefficients.size() < 2) continue;
            for (const auto& [index, apart] : place.coefficients) {
                (left.count(index) ? beside : slid).insert(index);
                if (auto name = parameter(kernel, apart); name && !left.count(index)) windows.apart.insert(*name);
            }
        }
    }
    Formula pixels = 1;
    for (std::size_t d = 0; d < equation.left.at.size(); d++)
        if (const auto index = bare_index(equation.left.at[d]); index && beside.count(*index))
            pixels = pixels * open.extents.at(equation.left.tensor)[d];
    if (!beside.empty()) windows.pixels = pixels;
    for (const std::string& index : reduced_indices_of(equation)) {
        const auto width = size_in(open.indices[static_cast<std::size_t>(e)].at(index).extent);
        if (width && slid.count(index)) windows.widths.insert(*width);
        windows.alone = windows.alone && slides && slid.count(index);
    }
}

RowWindows row_windows(const Kernel& kernel, const Solution& open) {
    RowWindows windows;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) {
        const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
        const auto* row = equation.left.at.empty() ? nullptr : equation.left.at.back().as<IndexRef>();
        if (row) add_windows(windows, kernel, open, e, row->name);
    }
    for (const Tensor* tensor : kernel.inputs())
        for (const Dim& dim : tensor->dims.value_or(std::vector<Dim>{}))
            for (const Expr& pad : {dim.pad_low, dim.pad_high}) {
                const auto* size = pad.as<SizeRef>();
                if (size && kernel.find_size(size->name)) windows.pads.insert(size->name);
            }
    return windows;
}

/// The variant is for calls in which the size has this value, beside what else it knows.
void know(Variant& variant, const std::string& name, int value) {
    variant.name += fmt::format("{}{}{}", variant.name.empty() ? "" : "_", name, value);
    variant.when.push_back({CallFact::Kind::equal, Formula::symbol(name), Formula(value)});
}

/// The variant, for dense buffers alone, if the kernel can be one.
void add_where_dense(std::vector<Variant>& variants, const Kernel& kernel, const Solution& open, Variant variant) {
    for (const CallFact& fact : all_dense(kernel)) variant.when.push_back(fact);
    if (guarded([&] { return form_of(kernel, open, variant); })) variants.push_back(std::move(variant));
}

constexpr int enough_for_vectors = 64;
/// Windows of channels that slide along rows and are one point: the pixels of dense images are one dim then. (1x1, 512 channels by 512 filters,
/// of 7x7 pixels, which leave a quarter of the lanes empty, 292 us on Zen 4, and 277 in vectors of filters.)
void add_points(std::vector<Variant>& variants, const Kernel& kernel, const Solution& open, const RowWindows& windows) {
    if (windows.alone || !windows.along || windows.widths.empty()) return;
    Variant variant{"", {}, true, false};
    for (const std::string& name : windows.widths) know(variant, name, 1);
    for (const std::string& name : windows.steps) know(variant, name, 1);
    for (const std::string& name : windows.pads) know(variant, name, 0);
    if (!windows.pixels.constant())
        variant.when.push_back({CallFact::Kind::at_most, Formula(enough_for_vectors), windows.pixels});
    variant.rewritten = is_rewritten(kernel, open, variant.when);
    if (variant.rewritten) add_where_dense(variants, kernel, open, std::move(variant));
}

/// Rows that are stepped through one element at a time, or two, are read by vectors; small windows on them are written out, and what
/// several rows of the result read is read once. (Depthwise 3x3 of 32 images of 112x112, on Zen 4: 205 us, and 132 as `R3_S3_T1_D1`.)
/// Windows of 2x2 beside rows of any length are written out too. (The largest of 2x2 of 512x512x8: 380 us, and 134 as `R2_S2_P0`.)
std::vector<Variant> row_window_variants(const Kernel& kernel, const Solution& open, bool merges, bool rewrites) {
    std::vector<Variant> variants;
    const RowWindows windows = row_windows(kernel, open);
    add_points(variants, kernel, open, windows);
    const auto add = [&](int width, int step) {
        Variant variant{"", {}, merges, rewrites};
        const auto know_all = [&](const std::set<std::string>& names, int value) {
            for (const std::string& name : names) know(variant, name, value);
        };
        if (width) know_all(windows.widths, width);
        if (step) know_all(windows.steps, step);
        if (width) know_all(windows.apart, 1);
        if (width == 2) know_all(windows.pads, 0);  // windows side by side have none, as a rule
        add_where_dense(variants, kernel, open, std::move(variant));
    };
    if (windows.alone && !windows.widths.empty()) {
        if (windows.along)
            add(3, 1);
        else
            add(2, 0);
        if (!windows.steps.empty()) add(3, 2), add(2, 2);
    }
    if (!windows.steps.empty()) add(0, 1), add(0, 2);
    return variants;
}

/// Windows that are scattered along rows, `Z[k, T*y + r, T*x + s] += X[c, y, x]*F[c, k, r, s]`, two elements apart: they are gathered by phases.
std::vector<Variant> scattered_window_variants(const Kernel& kernel, const Solution& open, bool, bool) {
    std::set<std::string> steps;
    for (const Equation& equation : kernel.equations)
        for (const Expr& place : equation.left.at)
            walk(place, [&](const Expr& e) {
                const auto* size = e.as<SizeRef>();
                if (size && kernel.find_size(size->name)) steps.insert(size->name);
            });
    std::vector<Variant> variants;
    Variant variant;
    for (const std::string& name : steps) know(variant, name, 2);
    if (steps.empty() || !phased(kernel, open, sizes_in(variant.when))) return variants;
    variant.rewritten = is_rewritten(kernel, open, variant.when);
    add_where_dense(variants, kernel, open, std::move(variant));
    return variants;
}

/// Windows of an image with channels last that weigh each channel by itself, `Y[y, x, c] += X[T*y + D*r, T*x + D*s, c]*F[r, s, c]`: the
/// parameters that say how they lie, and how many channels there are.
struct ChannelWindows {
    std::set<std::string> steps, widths, apart;
    Formula pixels = 0, channels = 0;  // of a row of the result
};

/// What they are if all that the kernel sums is such windows.
std::optional<ChannelWindows> channel_windows(const Kernel& kernel, const Solution& open) {
    ChannelWindows windows;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) {
        const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
        const std::vector<std::string> reduced = reduced_indices_of(equation);
        if (reduced.empty()) continue;
        const auto channel = equation.left.at.empty() ? std::nullopt : bare_index(equation.left.at.back());
        const std::vector<Read> reads = reads_of(kernel, open, e);
        if (!channel || reads.size() != 2 || equation.left.at.size() < 2) return std::nullopt;
        std::set<std::string> slid;
        for (const Read& read : reads) {
            if (read.at.empty() || !read.at.back().is_index(*channel)) return std::nullopt;
            for (const LinearPlace& place : read.at) {
                if (place.coefficients.size() < 2) continue;
                for (const auto& [index, by] : place.coefficients) {
                    const bool sums = std::ranges::count(reduced, index) > 0;
                    if (sums) slid.insert(index);
                    if (const auto name = parameter(kernel, by)) (sums ? windows.apart : windows.steps).insert(*name);
                }
            }
        }
        for (const std::string& index : reduced) {
            const auto width = size_in(open.indices[static_cast<std::size_t>(e)].at(index).extent);
            if (!slid.count(index) || !width) return std::nullopt;
            windows.widths.insert(*width);
        }
        const std::vector<Formula>& extents = open.extents.at(equation.left.tensor);
        windows.channels = extents.back(), windows.pixels = extents[extents.size() - 2];
    }
    return windows.widths.empty() ? std::nullopt : std::optional(std::move(windows));
}

/// Windows of 3x3 by one pixel and by two, of enough channels for tiles of pixels. (Depthwise 112x112x32 on Zen 4: 292 us, and 107 as
/// `R3_S3_T1_D1`; by two of 112x112x64 94, and 80.)
std::vector<Variant> channel_window_variants(const Kernel& kernel, const Solution& open, bool merges, bool rewrites) {
    std::vector<Variant> variants;
    const auto windows = channel_windows(kernel, open);
    if (!windows) return variants;
    for (int step = 1; step <= (windows->steps.empty() ? 1 : 2); step++) {
        Variant variant{"", {}, merges, rewrites};
        for (const std::string& name : windows->widths) know(variant, name, 3);
        for (const std::string& name : windows->steps) know(variant, name, step);
        for (const std::string& name : windows->apart) know(variant, name, 1);
        for (const auto& [least, extent] : {std::pair(4, windows->pixels), std::pair(32, windows->channels)})
            if (!extent.constant()) variant.when.push_back({CallFact::Kind::at_most, Formula(least), extent});
        add_where_dense(variants, kernel, open, std::move(variant));
    }
    return variants;
}

/// Some dim of the result is one of both operands, and no window slides along it: groups of channels, each with filters of its own.
bool is_grouped(const Equation& equation, const Read& image, const Read& filters) {
    return std::ranges::any_of(equation.left.at, [&](const Expr& at) {
        const auto index = bare_index(at);
        return index && filters.moves_with(*index) &&
               std::ranges::any_of(image.at, [&](const LinearPlace& place) { return place.is_index(*index); });
    });
}

constexpr int enough_pixels = 12;
/// Images of three colours by eight filters, whose answers lie side by side, a pixel at a step, in rows of enough pixels: filters fill half
/// a vector, pixels whole ones. (7x7 on 512x512, on Zen 4, whose vectors are half as wide as they look: 13.6 ms, and 7.1 as `C3_K8_T1`.) Of
/// groups, eight channels by eight filters, and four by four: vectors are no longer than they have to be. (3x3, 32 groups, 14x14: 190 us,
/// 117 as `C8_K8`, and 87 where the places of a tile's pixels are known to be one apart; four by four, 56x56: 1.6 ms, and 0.85.)
std::vector<Variant> few_filter_variants(const Kernel& kernel, const Solution& open, bool merges, bool rewrites) {
    std::map<std::string, int> sizes, steps;
    Formula pixels = 0;
    const auto add = [&](const Formula& f, int value) {
        const auto name = size_in(f);
        if (name) sizes[*name] = value;
        return name.has_value();
    };
    bool groups = false;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) {
        const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
        const auto filter = equation.left.at.empty() ? std::nullopt : bare_index(equation.left.at.back());
        const std::vector<Read> reads = reads_of(kernel, open, e);
        const auto slides = [](const LinearPlace& place) { return place.coefficients.size() > 1; };
        const auto image = std::ranges::find_if(
            reads, [&](const Read& read) { return std::ranges::any_of(read.at, slides) && read.at.back().is_plain(); });
        if (!filter || reads.size() != 2 || image == reads.end() || image->moves_with(*filter)) continue;
        const bool grouped = is_grouped(equation, *image, reads[image == reads.begin() ? 1 : 0]);
        const std::string& colour = image->at.back().coefficients.begin()->first;
        const auto range = open.indices[static_cast<std::size_t>(e)].find(colour);
        if (!range->second.reduced || !add(open.extents.at(equation.left.tensor).back(), 8) ||
            !add(range->second.extent, grouped ? 8 : 3))
            return {};
        groups = groups || grouped;
        const std::vector<Formula>& extents = open.extents.at(equation.left.tensor);
        if (extents.size() > 1) pixels = extents[extents.size() - 2];
        for (const LinearPlace& place : image->at)
            for (const auto& [index, step] : place.coefficients)
                if (slides(place) && (grouped || !open.indices[static_cast<std::size_t>(e)].at(index).reduced))
                    if (const auto name = size_in(step)) steps[*name] = 1;
    }
    std::vector<Variant> variants;
    const auto add_variant = [&](int most, bool steps_too) {
        Variant variant{"", {}, merges, rewrites};
        for (const auto& [name, value] : sizes) know(variant, name, std::min(value, most));
        if (steps_too)
            for (const auto& [name, value] : steps) know(variant, name, value);
        if (!groups && !pixels.constant())
            variant.when.push_back({CallFact::Kind::at_most, Formula(enough_pixels), pixels});
        add_where_dense(variants, kernel, open, std::move(variant));
    };
    if (sizes.empty()) return variants;
    add_variant(8, true);
    if (!groups) return variants;
    if (!steps.empty()) add_variant(8, false);
    add_variant(4, true);
    return variants;
}

/// The index along which an equation sums the colours of images: c of `Y[y, x] += X[y, x, c]*w[c]` and, of a mix of them, of
/// `Y[y, x, k] += X[y, x, c]*M[k, c]`. Nothing where it sums otherwise.
std::optional<std::string> summed_colours(const Equation& equation) {
    const std::vector<std::string> reduced = reduced_indices_of(equation);
    if (reduced.size() != 1 || equation.left.at.empty()) return std::nullopt;
    const auto mixed = bare_index(equation.left.at.back());
    bool image = false, other = false;
    each_read(equation, [&](const Access& read) {
        const auto moves = [&](const std::string& index) {
            return std::count_if(read.at.begin(), read.at.end(),
                                 [&](const Expr& place) { return lowering::indices_in(place).count(index) > 0; });
        };
        if (moves(reduced.front()) == 0) return;
        const bool matrix = read.at.size() == 2 && equation.left.at.size() > 2 && mixed && moves(*mixed) == 1;
        other = other || moves(reduced.front()) > 1 ||
                (!matrix && (bare_index(read.at.back()) != reduced.front() || read.at.size() == 2));
        image = image || read.at.size() > 2;
    });
    return image && !other ? std::optional(reduced.front()) : std::nullopt;
}

/// The sizes of the last dims of images, if all that is computed are such, small windows of them, or sums of their colours: C of
/// `Y[y, x, c] = X[y/2, x/2, c]`, of `Y[y, x, c] max= X[2*y + r, 2*x, c] where r in 0:2` and of `Y[y, x] += X[y, x, c]*w[c]`; C and K
/// of `Y[y, x, k] += X[y, x, c]*M[k, c]`. What is summed stands first. None where there is something else.
std::vector<std::string> colours(const Kernel& kernel, const Solution& open) {
    std::vector<std::string> sizes;
    const auto take = [&](const Formula& extent) {
        const std::string size = size_in(extent).value_or("");
        if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    };
    bool sums = false;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) {
        const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
        if (reads_itself(equation)) return {};
        if (reduced_indices_of(equation).empty()) continue;
        const auto index = summed_colours(equation);
        if (!index && can_be_written_out(kernel, open, e)) continue;
        if (!index) return {};
        sums = true;
        take(open.indices[static_cast<std::size_t>(e)].at(*index).extent);
    }
    for (const Tensor* output : kernel.outputs()) {
        if (output->rank >= 3)
            take(open.extents.at(output->name).back());
        else if (!sums)
            return {};
    }
    const bool known = std::find(sizes.begin(), sizes.end(), "") == sizes.end();
    return known && sizes.size() <= 2 ? sizes : std::vector<std::string>();
}

/// Images of one, three or four colours, written as `X: f32[H, W, C]`: vectors along so few would be all rest. (Three colours, u8
/// 1024x1024, blended on Zen 4: 13 ms, and 0.64 as vectors of pixels. Three mixed to three, f32 512x768: 1.16 ms, and 0.14.)
std::vector<Variant> colour_variants(const Kernel& kernel, const Solution& open, const Form* merged, bool rewrites) {
    std::vector<Variant> variants;
    const std::vector<std::string> sizes = colours(kernel, open);
    if (sizes.empty()) return variants;
    const auto keeps_size = [&](const Tensor& t) {
        return t.rank > 1 && merged->solution.extents.at(t.name).back().as_symbol() == sizes.front();
    };
    if (merged && std::none_of(merged->kernel.tensors.begin(), merged->kernel.tensors.end(), keeps_size))
        return variants;  // merged with their pixels, colours are as many as they like
    using Counts = std::vector<int>;
    for (const Counts& counts :
         sizes.size() == 1 ? std::vector<Counts>{{3}, {4}, {1}} : std::vector<Counts>{{3, 3}, {3, 1}}) {
        Variant variant{"", {}, merged != nullptr, rewrites};
        for (std::size_t i = 0; i < sizes.size(); i++) know(variant, sizes[i], counts[i]);
        add_where_dense(variants, kernel, open, std::move(variant));
    }
    return variants;
}

/// Some input or output is rows of 2 to 4 elements, a number: points, colours. In dense buffers vectors across such rows are whole loads
/// whose elements are sorted in registers; else each element is gathered.
bool has_short_rows(const Kernel& kernel, const Solution& open) {
    return std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [&](const Tensor& tensor) {
        if (!has_elements(tensor) || tensor.rank < 2) return false;
        const Formula& row = open.extents.at(tensor.name).back();
        return lowering::is_short(row) && *row.constant() > 1;
    });
}

/// Padded rows of inputs whose pixels are merged with their elements have pixels of few elements.
void know_pixels(Variant& variant, const Kernel& kernel, const Solution& open, const DimRuns& runs) {
    for (const auto& [name, merged] : runs) {
        const Tensor* tensor = kernel.find_tensor(name);  // null: the form's own
        if (!tensor || tensor->role != Role::input) continue;
        for (const DimRun& run : merged) {
            if (run.first == run.last || !is_padded(*tensor, run.first)) continue;
            const Formula& elements = open.extents.at(name)[static_cast<std::size_t>(run.last)];
            const CallFact few{CallFact::Kind::at_most, elements, most_behind_padding};
            if (!elements.constant() && std::ranges::count(variant.when, few) == 0) variant.when.push_back(few);
        }
    }
}

/// Some window steps by a number of elements along rows, `Y[y, x] max= X[2*y + r, 2*x + s]`, or a part of a row is made of such
/// elements, `Y[y, W + x] = X[y, 2*x]`. (What is whole rows asks for the strides that it needs by itself.)
bool steps_along_rows(const Kernel& kernel, const Solution& open) {
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) {
        const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
        if (equation.left.at.empty()) continue;
        const std::set<std::string> row = lowering::indices_in(equation.left.at.back());
        const bool part = !bare_index(equation.left.at.back()), reduces = !reduced_indices_of(equation).empty();
        for (const Read& read : reads_of(kernel, open, e)) {
            if (read.at.empty() || !read.at.back().affine) continue;
            const auto& steps = read.at.back().coefficients;
            if (!part && !(reduces && steps.size() > 1)) continue;
            for (const auto& [index, step] : steps)
                if (row.count(index) && step.constant().value_or(1) > 1) return true;
        }
    }
    return false;
}

}  // namespace

bool has_elements(const Tensor& tensor) { return tensor.role != Role::intermediate && tensor.rank > 0; }

std::vector<Variant> following_variants(const Kernel& kernel, const Solution& open, bool rewrites) {
    Variant merged{"merged", all_dense(kernel), true, rewrites};
    const auto merging = guarded([&] { return form_of(kernel, open, merged); });
    if (merging) know_pixels(merged, kernel, open, merging.value().runs);
    std::vector<Variant> own;
    for (const auto variants :
         {row_window_variants, scattered_window_variants, channel_window_variants, few_filter_variants})
        for (Variant& variant : variants(kernel, open, static_cast<bool>(merging), rewrites))
            own.push_back(std::move(variant));
    for (Variant& variant : colour_variants(kernel, open, merging ? &merging.value() : nullptr, rewrites))
        own.push_back(std::move(variant));
    if (merging)
        own.push_back(merged);
    else if (has_short_rows(kernel, open) || steps_along_rows(kernel, open))
        own.push_back({"dense", all_dense(kernel), false, rewrites});
    return own;
}

}  // namespace halogen
