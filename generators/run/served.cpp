#include "generators/run/served.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace halogen {

namespace {

/// Row-major without gaps; dims of extent 1 lie as they like, as do all of a tensor without elements.
bool is_dense(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return true;
    const std::vector<std::int64_t> dense = row_major_strides(extents);
    for (std::size_t d = 0; d < extents.size(); d++)
        if (extents[d] != 1 && strides[d] != dense[d]) return false;
    return true;
}

/// The strides with which a buffer is told: a dim of extent 1 has the one that it would have if what lies behind it were dense.
std::vector<std::int64_t> told_strides(const std::vector<std::int64_t>& extents, std::vector<std::int64_t> strides) {
    std::int64_t inner = 1;
    for (std::size_t d = extents.size(); d-- > 0; inner = strides[d] * extents[d])
        if (extents[d] == 1) strides[d] = inner;
    return strides;
}

/// A fact of strides or threads, for outputs each in memory of its own.
bool holds(const Condition::Term& place, const CallData& data, int threads) {
    if (place.kind == Condition::Term::Kind::threads_at_most) return threads <= place.other;
    if (place.kind == Condition::Term::Kind::apart) return true;
    const std::vector<std::int64_t> strides =
        told_strides(extents_of(data.numbers, place.tensor), strides_of(data, place.tensor));
    const auto stride = [&](int dim) { return strides[static_cast<std::size_t>(dim)]; };
    return place.kind == Condition::Term::Kind::stride_is ? stride(place.dim) == place.other
                                                          : stride(place.dim) < stride(place.other);
}

std::string values_text(const CallFact& fact, const Bindings& sizes) {
    std::vector<std::string> values;
    std::set<std::string> names = fact.left.symbols();
    names.merge(fact.right.symbols());
    for (const std::string& name : names)
        if (const auto found = sizes.find(name); found != sizes.end())
            values.push_back(fmt::format("{} = {}", name, found->second));
    return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

std::vector<std::int64_t> extents_of(const Solution& numbers, const std::string& tensor) {
    std::vector<std::int64_t> extents;
    for (const Formula& e : numbers.extents.at(tensor)) extents.push_back(e.constant().value());
    return extents;
}

std::vector<std::int64_t> strides_of(const CallData& data, const std::string& tensor) {
    if (const auto input = data.inputs.find(tensor); input != data.inputs.end()) return input->second.strides();
    const auto given = data.output_strides.find(tensor);
    return given != data.output_strides.end() ? given->second : row_major_strides(extents_of(data.numbers, tensor));
}

Bindings sizes_of(const Solution& open, const CallData& data) {
    Bindings known;
    for (const auto& [name, formula] : data.numbers.sizes) known[name] = formula.constant().value();
    for (const auto& [symbol, source] : open.sources)
        if (!source.tensor.empty())
            known[symbol] =
                data.inputs.count(source.tensor) ? data.inputs.at(source.tensor).extents()[source.dim] : known[symbol];
    return known;
}

DimsOfForm dims_of_form(const DimRuns& runs, const std::string& tensor, const std::vector<std::int64_t>& extents,
                        const std::vector<std::int64_t>& strides) {
    const auto found = runs.find(tensor);
    // Dims of extent 1, and all of a tensor without elements, have the strides that code for dense tensors expects.
    if (found == runs.end()) return {extents, is_dense(extents, strides) ? row_major_strides(extents) : strides};
    DimsOfForm form;
    for (const DimRun& run : found->second) {
        std::int64_t extent = 1;
        for (int d = run.first; d <= run.last; d++) extent *= extents[static_cast<std::size_t>(d)];
        form.extents.push_back(extent);
        form.strides.push_back(strides[static_cast<std::size_t>(run.last)]);
    }
    if (form.extents.size() < extents.size())
        form.strides = row_major_strides(form.extents);  // dense, or it were not merged
    return form;
}

KnownCall known_call(const Form& form, const CallData& data, int threads) {
    KnownCall call{sizes_of({}, data), {}, threads};
    std::map<std::string, std::vector<std::int64_t>> extents;
    const auto look = [&](const std::string& tensor, const std::vector<std::int64_t>& all,
                          const std::vector<std::int64_t>& strides) {
        DimsOfForm dims = dims_of_form(form.runs, tensor, all, strides);
        extents[tensor] = std::move(dims.extents);
        call.strides[tensor] = std::move(dims.strides);
    };
    for (const auto& [name, tensor] : data.inputs) look(name, tensor.extents(), tensor.strides());
    for (const Tensor* t : form.kernel.outputs())
        look(t->name, extents_of(data.numbers, t->name), strides_of(data, t->name));
    for (const auto& [symbol, source] : form.solution.sources)
        if (!source.tensor.empty())
            call.sizes[symbol] = extents.at(source.tensor)[static_cast<std::size_t>(source.dim)];
    return call;
}

std::string why_not(const Variant& variant, const Solution& open, const CallData& data, int threads) {
    const Bindings sizes = sizes_of(open, data);
    if (const CallFact* fact = broken_relation(variant.when, open, sizes)) {
        const std::string values = values_text(*fact, sizes);
        return fmt::format("`{}` does not hold{}{}", print(*fact), values.empty() ? "" : ": ", values);
    }
    for (const auto& [name, extents] : data.numbers.extents)
        if (are_dense(variant.when, name) && !is_dense(extents_of(data.numbers, name), strides_of(data, name)))
            return fmt::format("`{}` is not dense", name);
    for (const CallFact& fact : variant.when)
        if (fact.kind == CallFact::Kind::place && !holds(fact.place, data, threads))
            return fmt::format("`{}` does not hold", print(fact));
    return "";
}

const Variant& serving(const std::vector<Variant>& variants, const Solution& open, const CallData& data,
                       const std::string& wanted, int threads) {
    if (wanted.empty())
        for (const Variant& variant : variants)
            if (why_not(variant, open, data, threads).empty()) return variant;
    const Variant& variant = wanted.empty() ? variants.back() : find_variant(variants, wanted);
    const std::string why = why_not(variant, open, data, threads);
    if (why.empty()) return variant;
    throw Failure({ErrorKind::contradictory,
                   fmt::format("variant `{}` does not serve this call: {}", called(variant), why),
                   {},
                   {},
                   "leave the choice to the kernel, or change the call"});
}

}  // namespace halogen
