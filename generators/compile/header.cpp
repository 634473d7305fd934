#include "generators/compile/header.h"

#include "frontend/plan/value_funcs.h"
#include "generators/compile/checks.h"
#include "generators/emit/cpp.h"
#include "generators/emit/solution.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace halogen {
namespace {

std::string element(Type type) {
    return "Element::" + (type == Type::boolean ? std::string("boolean") : to_string(type));
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
    std::string out;
    for (const auto& part : parts) out += (out.empty() ? "" : between) + part;
    return out;
}

/// Writes one header, part by part.
class HeaderWriter {
public:
    explicit HeaderWriter(const HeaderInput& input)
        : in_(input), inputs_(input.kernel.inputs()), outputs_(input.kernel.outputs()) {
        tensors_ = inputs_;
        tensors_.insert(tensors_.end(), outputs_.begin(), outputs_.end());
        for (const std::string& symbol : input.solution.symbols) {
            const auto source = input.solution.sources.find(symbol);
            if (source == input.solution.sources.end() || source->second.tensor.empty()) continue;
            if (input.kernel.tensor(source->second.tensor).role == Role::output) output_symbols_.push_back(symbol);
        }
    }

    std::string write() {
        write_opening();
        write_options();
        out_ += "\n" + emit_size_functions(in_.kernel, in_.solution, in_.name);
        out_ += fmt::format("\nnamespace {}_detail {{\n\nusing namespace halogen::detail;\n\n", in_.name);
        out_ += emit_checks(in_, tensors_);
        write_tables();
        out_ += fmt::format("\n}}  // namespace {}_detail\n", in_.name);
        write_object();
        out_ += "\n}  // namespace halogen::kernels\n";
        return std::move(out_);
    }

private:
    void write_opening() {
        out_ += "// Made by `halogen compile`; a change here is lost. The kernel:\n//\n";
        std::istringstream lines(print(in_.kernel));
        for (std::string line; std::getline(lines, line);) out_ += "//" + (line.empty() ? "" : "   " + line) + "\n";
        out_ +=
            "#pragma once\n\n#include <halogen/kernel.h>\n\n#include <array>\n#include <cstdint>\n#include "
            "<string_view>\n";
        if (outputs_.size() > 1) out_ += "#include <tuple>\n#include <utility>\n";
        out_ += "\nextern \"C\" {\n";
        for (const CompiledLeg& leg : in_.legs) {
            out_ += fmt::format("int {}_argv(void**);\n", leg.symbol);
            if (!leg.check_symbol.empty()) out_ += fmt::format("int {}_argv(void**);\n", leg.check_symbol);
            if (!leg.reversed_symbol.empty()) out_ += fmt::format("int {}_argv(void**);\n", leg.reversed_symbol);
            for (const std::string& symbol : leg.variants)
                if (!symbol.empty()) out_ += fmt::format("int {}_argv(void**);\n", symbol);
        }
        out_ += "}\n\nnamespace halogen::kernels {\n";
    }

    /// Size and scalar members keep their names; where they would meet ours or a keyword they get an underscore.
    static std::string option(const std::string& name) {
        return name == "threads" || name == "leg" || name == "variant" ? name + "_" : cpp_identifier(name);
    }

    /// The first dim of an input that is called like a parameter with a default, which gives way to it: {input, dim}.
    std::optional<std::pair<std::size_t, int>> teller(const SizeParam& size) const {
        for (std::size_t i = 0; size.default_value && i < inputs_.size(); i++) {
            const Tensor& tensor = *inputs_[i];
            const std::vector<Formula>& extents = in_.solution.extents.at(tensor.name);
            for (int d = 0; tensor.dims && d < tensor.rank; d++)
                if ((*tensor.dims)[d].extent.defined() && extents[d] == Formula::symbol(size.name))
                    return std::pair(i, d);
        }
        return {};
    }

    bool has_required() const {
        return !in_.kernel.scalars.empty() || std::any_of(in_.kernel.sizes.begin(), in_.kernel.sizes.end(),
                                                          [](const SizeParam& size) { return !size.default_value; });
    }

    void write_options() {
        out_ += fmt::format(
            "\n/// What a call of {} takes beside its tensors, in this order; name what you set: {{.threads = 2}}.\n",
            in_.name);
        out_ += fmt::format("struct {}_options {{\n", in_.name);
        for (const Parameter& parameter : in_.kernel.parameters) {
            if (const SizeParam* size = in_.kernel.find_size(parameter.name);
                size && parameter.sort == Parameter::Sort::size) {
                if (const auto told = teller(*size))
                    out_ += fmt::format("    std::optional<std::int64_t> {} = {{}};  // empty: what dim {} of {} is\n",
                                        option(size->name), told->second, inputs_[told->first]->name);
                else if (size->default_value)
                    out_ += fmt::format("    std::int64_t {} = {};\n", option(size->name), *size->default_value);
                else
                    out_ += fmt::format("    Required<std::int64_t> {};\n", option(size->name));
            } else if (parameter.sort == Parameter::Sort::scalar) {
                const Type type = in_.kernel.find_scalar(parameter.name)->type;
                out_ += fmt::format("    Required<detail::ScalarOption<{}>::type> {};  // {}\n", element(type),
                                    option(parameter.name), to_string(type));
            }
        }
        out_ +=
            "    int threads = 0;            // 0: halogen::default_threads(); Halide's pool is one for the process\n";
        out_ +=
            "    std::string_view leg = {};  // \"sse41\", \"avx2\", \"avx512\", \"zen4\"; empty: the best for this "
            "processor\n";
        out_ += fmt::format("    std::string_view variant = {{}};  // {}; empty: the first that serves the call\n}};\n",
                            variant_names());
    }

    std::string variant_names() const {
        std::vector<std::string> names;
        for (const CompiledVariant& v : in_.variants)
            if (const std::string name = "\"" + v.variant.name + "\""; std::ranges::count(names, name) == 0)
                names.push_back(name);
        names.emplace_back("\"any\"");
        return joined(names, ", ");
    }

    /// Legs may have variants of one name for different calls: the others are numbered.
    std::string code_name(const CompiledVariant& v) const {
        int number = 1;
        for (const CompiledVariant* other = in_.variants.data(); other != &v; other++)
            number += other->variant.name == v.variant.name;
        return v.variant.name + (number > 1 ? "__" + std::to_string(number) : "");
    }

    /// Which dims of the caller's tensors are one in a variant's code, tensor by tensor.
    void write_runs(const CompiledVariant& v) {
        if (v.form.runs.empty()) return;
        std::vector<std::string> runs;
        for (const Tensor* tensor : tensors_) {
            const auto& of_tensor = v.form.runs.at(tensor->name);
            for (std::size_t i = 0; i < of_tensor.size(); i++)
                runs.push_back(fmt::format("{{{}, {}}}", of_tensor[i].first, of_tensor[i].last));
        }
        write_array("DimRun", ("runs_" + code_name(v)).c_str(), runs.size(), [&](std::size_t i) { return runs[i]; });
    }

    void write_variants() {
        for (const CompiledVariant& v : in_.variants) {
            write_arguments(("arguments_" + code_name(v)).c_str(), v.arguments);
            write_runs(v);
        }
        write_array("VariantInfo", "variants", in_.variants.size(), [&](std::size_t i) {
            const CompiledVariant& v = in_.variants[i];
            const bool none = v.arguments.names.empty();
            return fmt::format("{{{}, {}, {}, {}, {}}}", cpp_literal(v.variant.name),
                               none ? "nullptr" : "arguments_" + code_name(v), v.arguments.names.size(),
                               v.form.runs.empty() ? "nullptr" : "runs_" + code_name(v),
                               cpp_literal(print(v.variant.when)));
        });
        for (const CompiledLeg& leg : in_.legs)
            write_array("VariantCode", ("variants_" + leg.name).c_str(), leg.variants.size(), [&](std::size_t i) {
                return leg.variants[i].empty() ? "nullptr" : "&" + leg.variants[i] + "_argv";
            });
    }

    void write_tables() {
        out_ += "inline constexpr TensorInfo tensors[] = {\n";
        for (const Tensor* tensor : tensors_) {
            const bool densely = std::find(in_.orders.densely.begin(), in_.orders.densely.end(), tensor->name) !=
                                 in_.orders.densely.end();
            out_ += fmt::format("    {{{}, {}, {}, {}}},\n", cpp_literal(tensor->name), element(tensor->type),
                                tensor->rank, densely);
        }
        out_ += "};\n";
        write_array("const char*", "size_names", in_.kernel.sizes.size(),
                    [&](std::size_t i) { return cpp_literal(in_.kernel.sizes[i].name); });
        write_arguments("arguments", in_.arguments);
        write_arguments("reversed_arguments", in_.reversed_arguments);
        write_variants();
        write_array("LegInfo", "legs", in_.legs.size(), [&](std::size_t i) {
            const CompiledLeg& leg = in_.legs[i];
            const auto code = [](const std::string& symbol) {
                return symbol.empty() ? "nullptr" : "&" + symbol + "_argv";
            };
            return fmt::format("{{cpu::Leg::{}, {}, {}, {}, {}, {}}}", leg.name, leg.needs_sse4a, code(leg.symbol),
                               code(leg.check_symbol), code(leg.reversed_symbol),
                               leg.variants.empty() ? "nullptr" : "variants_" + leg.name);
        });
        write_array("InPlacePair", "in_place", in_.in_place.size(), [&](std::size_t i) {
            return fmt::format("{{{}, {}}}", in_.in_place[i].first,
                               inputs_.size() + static_cast<std::size_t>(in_.in_place[i].second));
        });
        const auto array = [](const char* name, std::size_t count) {
            return count ? fmt::format("{}, {}", name, count) : "nullptr, 0";
        };
        out_ += fmt::format(
            "inline constexpr KernelInfo info{{{}, tensors, {}, {}, {}, {}, {}, {}, {}, {}, {}, &guards, {}, {}, "
            "{}}};\n",
            cpp_literal(in_.name), inputs_.size(), tensors_.size(), array("size_names", in_.kernel.sizes.size()),
            array("arguments", in_.arguments.names.size()),
            array("reversed_arguments", in_.reversed_arguments.names.size()), array("legs", in_.legs.size()),
            array("in_place", in_.in_place.size()), in_.orders.rows_only, in_.checks.size(),
            in_.checks.empty() ? "nullptr" : "&explain", array("variants", in_.variants.size()),
            in_.variants.empty() ? "nullptr" : "&serves");
    }

    /// Extents are of the dims that the code takes.
    void write_arguments(const char* name, const ArgumentList& list) {
        write_array("ArgumentInfo", name, list.names.size(),
                    [&](std::size_t i) { return argument(list.names[i], list.extents); });
    }

    template<typename Item>
    void write_array(const char* type, const char* name, std::size_t count, Item&& item) {
        if (count == 0) return;
        std::vector<std::string> items;
        for (std::size_t i = 0; i < count; i++) items.push_back(item(i));
        out_ += fmt::format("inline constexpr {} {}[] = {{{}}};\n", type, name, joined(items, ", "));
    }

    std::string argument(const std::string& name, const std::vector<ExtentArgument>& extents) const {
        for (std::size_t i = 0; i < inputs_.size(); i++) {
            if (inputs_[i]->name == name) return fmt::format("{{ArgumentInfo::Sort::tensor, {}}}", i);
        }
        for (std::size_t i = 0; i < in_.kernel.sizes.size(); i++) {
            if (in_.kernel.sizes[i].name == name) return fmt::format("{{ArgumentInfo::Sort::size, {}}}", i);
        }
        for (std::size_t i = 0; i < in_.kernel.scalars.size(); i++) {
            if (in_.kernel.scalars[i].name == name) return fmt::format("{{ArgumentInfo::Sort::scalar, {}}}", i);
        }
        for (const ExtentArgument& extent : extents) {
            if (extent.name != name) continue;
            const auto at = std::find_if(tensors_.begin(), tensors_.end(),
                                         [&](const Tensor* t) { return t->name == extent.source.tensor; });
            return fmt::format("{{ArgumentInfo::Sort::extent, {}, {}}}", at - tensors_.begin(), extent.source.dim);
        }
        if (const auto told = in_.solution.sources.find(name); told != in_.solution.sources.end()) {
            const auto at = std::find_if(tensors_.begin(), tensors_.end(),
                                         [&](const Tensor* t) { return t->name == told->second.tensor; });
            return fmt::format("{{ArgumentInfo::Sort::caller_extent, {}, {}}}", at - tensors_.begin(),
                               told->second.dim);
        }
        throw Failure({ErrorKind::name, fmt::format("argument `{}` is no parameter of the kernel", name), {}, {}, {}});
    }

    static std::string parameter(const std::string& tensor) {
        return tensor == "options" ? "options_" : cpp_identifier(tensor);
    }

    /// "X: f32[N, H, W, C]" with what the solution knows of each dim.
    std::string shape(const Tensor& tensor) const {
        std::vector<std::string> dims;
        for (const Formula& extent : in_.solution.extents.at(tensor.name)) dims.push_back(print(extent));
        return fmt::format("{}: {}[{}]", tensor.name, to_string(tensor.type), joined(dims, ", "));
    }

    void write_object() {
        out_ += fmt::format("\nstruct {}_kernel {{\n", in_.name);
        write_call();
        write_make_output();
        out_ += fmt::format("}};\n/// The kernel {0}: call it like a function.\ninline constexpr {0}_kernel {0}{{}};\n",
                            in_.name);
    }

    std::string options_parameter() const {
        return fmt::format("const {}_options& options{}", in_.name, has_required() ? "" : " = {}");
    }

    /// `const A0& X, const A1& F` and the template parameters that go with them.
    std::string input_parameters(std::vector<std::string>& types) const {
        std::string out;
        for (std::size_t i = 0; i < inputs_.size(); i++) {
            types.push_back(fmt::format("typename A{}", i));
            out += fmt::format("const A{}& {}, ", i, parameter(inputs_[i]->name));
        }
        return out;
    }

    void write_views(std::size_t count) {
        for (std::size_t i = 0; i < count; i++) {
            const Tensor& t = *tensors_[i];
            out_ += fmt::format("        const auto view_{} = to_view<{}>({});\n", i, t.rank, parameter(t.name));
            out_ += fmt::format("        static_assert(element_of_view<decltype(view_{})> == {}, {});\n", i,
                                element(t.type),
                                cpp_literal(fmt::format("{}: {} holds {}", in_.name, t.name, to_string(t.type))));
            if (t.role != Role::output) continue;
            out_ += fmt::format("        static_assert(is_writable<decltype(view_{})>, {});\n", i,
                                cpp_literal(fmt::format("{}: {} is written, so it cannot be const", in_.name, t.name)));
        }
    }

    void write_call() {
        for (const Tensor* tensor : inputs_) out_ += fmt::format("    /// {}\n", shape(*tensor));
        for (const Tensor* tensor : outputs_) out_ += fmt::format("    /// {} (written)\n", shape(*tensor));
        out_ += "    /// Errors: a Status that names tensor, dim, index and values; nothing is written then.\n";
        std::vector<std::string> types;
        std::string parameters = input_parameters(types);
        for (std::size_t i = inputs_.size(); i < tensors_.size(); i++) {
            types.push_back(fmt::format("typename A{}", i));
            parameters += fmt::format("A{}&& {}, ", i, parameter(tensors_[i]->name));
        }
        out_ += fmt::format("    template<{}>\n    Status operator()({}{}) const {{\n", joined(types, ", "), parameters,
                            options_parameter());
        out_ += "        using namespace halogen::detail;\n";
        write_views(tensors_.size());
        std::vector<std::string> buffers, sizes, scalars;
        int dims = 0;
        for (std::size_t i = 0; i < tensors_.size(); i++) {
            buffers.push_back(fmt::format("to_buffer(view_{})", i));
            dims += tensors_[i]->rank;
        }
        for (std::size_t i = 0; i < in_.kernel.scalars.size(); i++) {
            const ScalarParam& scalar = in_.kernel.scalars[i];
            out_ += fmt::format("        const auto scalar_{} = stored_scalar<{}>(options.{});\n", i,
                                element(scalar.type), option(scalar.name));
            scalars.push_back(fmt::format("&scalar_{}", i));
        }
        out_ += fmt::format(
            "        return run<{}, {}, {}, {}>({}_detail::info, {{{}}}, {}, {{{}}}, {{options.threads, "
            "options.leg, options.variant}});\n    }}\n",
            dims, tensors_.size(), in_.kernel.sizes.size(), scalars.size(), in_.name, joined(buffers, ", "),
            size_values(), joined(scalars, ", "));
    }

    std::string size_values() const {
        std::vector<std::string> sizes;
        for (const SizeParam& size : in_.kernel.sizes) {
            sizes.push_back("options." + option(size.name));
            if (const auto told = teller(size))
                sizes.back() += fmt::format(".value_or(view_{}.extents[{}])", told->first, told->second);
        }
        return fmt::format("{{{}}}", joined(sizes, ", "));
    }

    std::string array_type(const Tensor& tensor) const {
        return fmt::format("Array<StoredType<{}>, {}>", element(tensor.type), tensor.rank);
    }

    void write_make_output() {
        out_ += "\n    /// Memory of the right size for the output";
        out_ += outputs_.size() > 1 ? "s, a std::tuple of Arrays; its elements begin undefined.\n"
                                    : ": an Array, whose elements begin undefined.\n";
        std::vector<std::string> types, made;
        std::string parameters = input_parameters(types);
        for (const std::string& symbol : output_symbols_)
            parameters += fmt::format("std::int64_t {}, ", cpp_identifier(symbol));
        for (const Tensor* tensor : outputs_) made.push_back(array_type(*tensor));
        const std::string type = outputs_.size() > 1 ? fmt::format("std::tuple<{}>", joined(made, ", ")) : made.front();
        if (!types.empty()) out_ += fmt::format("    template<{}>\n", joined(types, ", "));
        out_ += fmt::format("    StatusOr<{}> make_output({}{}) const {{\n        using namespace halogen::detail;\n",
                            type, parameters, options_parameter());
        write_views(inputs_.size());
        write_known_output_dims();
        std::vector<std::string> buffers;
        for (std::size_t i = 0; i < tensors_.size(); i++) {
            buffers.push_back(i < inputs_.size() ? fmt::format("to_buffer(view_{})", i)
                                                 : fmt::format("Buffer{{nullptr, known_{}.data(), nullptr}}", i));
        }
        out_ +=
            fmt::format("        const std::array<Buffer, {}> tensors{{{}}};\n", buffers.size(), joined(buffers, ", "));
        out_ += fmt::format("        const std::array<std::int64_t, {}> sizes{};\n", in_.kernel.sizes.size(),
                            size_values());
        out_ += fmt::format(
            "        if (Status s = check_extents_not_negative({0}_detail::info, tensors.data(), {1}); !s) return s;\n"
            "        const auto solved = {0}_detail::read_sizes(tensors.data(), sizes.data());\n"
            "        if (Status s = {0}_detail::check_inputs(tensors.data(), solved); !s) return s;\n"
            "        const auto extents = {0}_detail::output_extents(solved);\n",
            in_.name, inputs_.size());
        write_arrays();
        if (has_no_options_use()) out_ += "        (void)options;\n";
        write_made();
    }

    bool has_no_options_use() const { return in_.kernel.sizes.empty(); }

    /// Extents that no input gives are arguments of make_output.
    void write_known_output_dims() {
        for (std::size_t i = inputs_.size(); i < tensors_.size(); i++) {
            std::vector<std::string> dims(static_cast<std::size_t>(tensors_[i]->rank), "0");
            for (const std::string& symbol : output_symbols_) {
                const SymbolSource& source = in_.solution.sources.at(symbol);
                if (source.tensor == tensors_[i]->name)
                    dims[static_cast<std::size_t>(source.dim)] = cpp_identifier(symbol);
            }
            out_ += fmt::format("        const std::array<std::int64_t, {}> known_{}{{{}}};\n", tensors_[i]->rank, i,
                                joined(dims, ", "));
        }
    }

    void write_arrays() {
        int first = 0;
        for (std::size_t i = inputs_.size(); i < tensors_.size(); i++) {
            const Tensor& tensor = *tensors_[i];
            out_ += fmt::format(
                "        auto made_{0} = make_array<StoredType<{1}>, {2}>({3}_detail::info, {0}, extents.data() + "
                "{4});\n"
                "        if (!made_{0}) return made_{0}.status();\n",
                i, element(tensor.type), tensor.rank, in_.name, first);
            first += tensor.rank;
        }
    }

    void write_made() {
        std::vector<std::string> moved;
        for (std::size_t i = inputs_.size(); i < tensors_.size(); i++)
            moved.push_back(fmt::format("std::move(*made_{})", i));
        if (moved.size() == 1)
            out_ += fmt::format("        return made_{};\n    }}\n", inputs_.size());
        else
            out_ += fmt::format("        return std::make_tuple({});\n    }}\n", joined(moved, ", "));
    }

    const HeaderInput& in_;
    std::vector<const Tensor*> inputs_, outputs_, tensors_;
    std::vector<std::string> output_symbols_;  // sizes that only an output's buffer knows
    std::string out_;
};

}  // namespace

std::string emit_header(const HeaderInput& input) { return HeaderWriter(input).write(); }

std::vector<std::pair<int, int>> in_place_pairs(const Kernel& kernel) {
    const auto inputs = kernel.inputs(), outputs = kernel.outputs();
    if (kernel.equations.size() != 1 || outputs.size() != 1) return {};
    const Equation& equation = kernel.equations.front();
    if (equation.op != Op::assign || !equation.where.empty() || !reduced_indices_of(equation).empty()) return {};
    std::set<std::string> seen;
    for (const Expr& place : equation.left.at) {
        const auto* index = place.as<IndexRef>();
        if (!index || !seen.insert(index->name).second) return {};
    }
    std::vector<std::pair<int, int>> pairs;
    for (std::size_t i = 0; i < inputs.size(); i++) {
        bool same = true;
        walk(equation.right, [&](const Expr& e) {
            if (const auto* access = e.as<Access>())
                same = same && (access->tensor != inputs[i]->name || access->at == equation.left.at);
        });
        const bool padded = inputs[i]->boundary.mode != Boundary::Mode::none;
        if (same && !padded && inputs[i]->type == outputs[0]->type) pairs.emplace_back(static_cast<int>(i), 0);
    }
    return pairs;
}

}  // namespace halogen
