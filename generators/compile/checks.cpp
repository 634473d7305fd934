#include "generators/compile/checks.h"

#include "frontend/notation/parts.h"
#include "generators/emit/cpp.h"
#include "generators/emit/text.h"

#include <fmt/format.h>

#include <optional>

namespace halogen {
namespace {

class CheckWriter {
public:
    CheckWriter(const HeaderInput& input, const std::vector<const Tensor*>& tensors) : in_(input), tensors_(tensors) {}

    std::string write() {
        write_sizes();
        write_check_inputs();
        write_output_extents();
        write_guards();
        if (!in_.checks.empty()) write_explain();
        if (!in_.variants.empty()) write_serves();
        return std::move(out_);
    }

private:
    static std::string symbol(const std::string& name) { return "s." + cpp_identifier(name); }
    std::string formula(const Formula& f) const { return cpp(f, symbol); }

    std::size_t position(const std::string& tensor) const {
        for (std::size_t i = 0; i < tensors_.size(); i++) {
            if (tensors_[i]->name == tensor) return i;
        }
        throw Failure({ErrorKind::name, fmt::format("`{}` is neither an input nor an output", tensor), {}, {}, {}});
    }
    std::string extent(const std::string& tensor, int dim) const {
        return fmt::format("t[{}].extents[{}]", position(tensor), dim);
    }

    void write_sizes() {
        out_ += "/// The sizes a call leaves open, each from the buffer or the option that gives it.\nstruct Sizes {\n";
        std::string read;
        for (const std::string& name : called_symbols(in_.solution)) {
            const SymbolSource source = source_of(in_.kernel, in_.solution, name);
            out_ += fmt::format("    Int {};\n", cpp_identifier(name));
            read += (read.empty() ? "" : ", ") +
                    fmt::format("Int({})", source.tensor.empty() ? parameter(name) : extent(source.tensor, source.dim));
        }
        out_ += "};\n\n";
        out_ += fmt::format(
            "inline Sizes read_sizes([[maybe_unused]] const Buffer* t, [[maybe_unused]] const std::int64_t* size) {{\n "
            "   return {{{}}};\n}}\n\n",
            read);
    }

    std::string parameter(const std::string& name) const {
        for (std::size_t i = 0; i < in_.kernel.sizes.size(); i++) {
            if (in_.kernel.sizes[i].name == name) return fmt::format("size[{}]", i);
        }
        throw Failure({ErrorKind::name, fmt::format("`{}` is no size parameter", name), {}, {}, {}});
    }

    std::string values(const ErrorText& text) const {
        std::string out;
        for (const TextValue& value : text.values) {
            out += out.empty() ? "" : ", ";
            switch (value.kind) {
            case TextValue::Kind::symbol: out += symbol(value.symbol) + ".value()"; break;
            case TextValue::Kind::extent: out += extent(value.tensor, value.dim); break;
            case TextValue::Kind::must: out += "must.value()"; break;
            }
        }
        return out;
    }

    /// The dim is where a symbol is read from: nothing to compare.
    bool is_source(const std::string& tensor, int dim) const {
        const auto name = in_.solution.extents.at(tensor)[static_cast<std::size_t>(dim)].as_symbol();
        return name && source_of(in_.kernel, in_.solution, *name) == SymbolSource{tensor, dim};
    }

    void write_extents(const Tensor& tensor) {
        for (int d = 0; d < tensor.rank; d++) {
            if (is_source(tensor.name, d)) continue;
            const ErrorText text = extent_text(in_.name, in_.kernel, in_.solution, tensor.name, d);
            out_ += fmt::format(
                "    if (const Int is = {}, must = {}; !equal(is, must)) {{\n        return broken(is, must, {}, "
                "{{{}}});\n    }}\n",
                extent(tensor.name, d), formula(in_.solution.extents.at(tensor.name)[static_cast<std::size_t>(d)]),
                cpp_literal(text.text), values(text));
        }
    }

    void write_check_inputs() {
        out_ += "/// The inputs fit each other, and every condition on sizes holds.\n";
        out_ += "inline Status check_inputs([[maybe_unused]] const Buffer* t, [[maybe_unused]] const Sizes& s) {\n";
        for (const std::string& name : called_symbols(in_.solution)) {
            if (!source_of(in_.kernel, in_.solution, name).tensor.empty()) continue;
            out_ += fmt::format("    if (s.{0}.value() < 0) return failed(StatusCode::size, {1}, {{s.{0}.value()}});\n",
                                cpp_identifier(name),
                                cpp_literal(fmt::format("{}: {} is {{}}, and a size is not negative", in_.name, name)));
        }
        for (const Tensor* tensor : tensors_) {
            if (tensor->role == Role::input) write_extents(*tensor);
        }
        for (const Guard& guard : in_.solution.guards) {
            const ErrorText text = guard_text(in_.name, in_.kernel, in_.solution, guard);
            out_ += fmt::format(
                "    if (const Int left = {}, right = {}; {}) {{\n        return broken(left, right, {}, {{{}}});\n    "
                "}}\n",
                formula(guard.left), formula(guard.right), cpp_broken(guard, "left", "right", symbol),
                cpp_literal(text.text), values(text));
        }
        out_ += "    return {};\n}\n\n";
    }

    void write_output_extents() {
        std::string all;
        int count = 0;
        for (const Tensor* tensor : tensors_) {
            if (tensor->role != Role::output) continue;
            for (const Formula& f : in_.solution.extents.at(tensor->name)) {
                all += (all.empty() ? "" : ", ") + formula(f);
                count++;
            }
        }
        out_ += "/// The extents of all outputs, one after the other.\n";
        out_ += fmt::format(
            "inline std::array<Int, {}> output_extents([[maybe_unused]] const Sizes& s) {{\n    return {{{}}};\n}}\n\n",
            count, all);
    }

    void write_guards() {
        out_ +=
            "inline Status guards(const Buffer* t, const std::int64_t* size) {\n    const Sizes s = read_sizes(t, "
            "size);\n";
        out_ += "    if (Status bad = check_inputs(t, s); !bad) return bad;\n";
        for (const Tensor* tensor : tensors_) {
            if (tensor->role == Role::output) write_extents(*tensor);
        }
        out_ += "    return {};\n}\n\n";
    }

    std::string holds(const CallFact& fact) const {
        if (fact.kind == CallFact::Kind::dense)
            return fmt::format("is_dense({}, t[{}])", in_.kernel.tensor(fact.tensor).rank, position(fact.tensor));
        if (fact.kind == CallFact::Kind::place) return holds(fact.place);
        return fmt::format("{}({}, {})", fact.kind == CallFact::Kind::equal ? "equal" : "less_equal",
                           formula(fact.left.substitute(in_.solution.sizes)),
                           formula(fact.right.substitute(in_.solution.sizes)));
    }

    std::string holds(const Condition::Term& place) const {
        using Kind = Condition::Term::Kind;
        const auto stride = [&](int dim) {
            return fmt::format("stride_of({}, t[{}], {})", in_.kernel.tensor(place.tensor).rank, position(place.tensor),
                               dim);
        };
        if (place.kind == Kind::threads_at_most) return fmt::format("threads <= {}", place.other);
        if (place.kind == Kind::apart)
            return fmt::format("t[{}].data != t[{}].data", position(place.tensor), position(place.with));
        if (place.kind == Kind::stride_is) return fmt::format("{} == {}", stride(place.dim), place.other);
        return fmt::format("{} < {}", stride(place.dim), stride(place.other));
    }

    void write_serves() {
        out_ += "/// Whether the facts of a variant hold for a call. What cannot be computed does not hold.\n";
        out_ +=
            "inline bool serves(int variant, const Buffer* t, const std::int64_t* size, [[maybe_unused]] int threads) "
            "{\n";
        out_ += "    [[maybe_unused]] const Sizes s = read_sizes(t, size);\n    switch (variant) {\n";
        for (std::size_t i = 0; i < in_.variants.size(); i++) {
            std::string all;
            for (const CallFact& fact : in_.variants[i].variant.when) all += (all.empty() ? "" : " && ") + holds(fact);
            out_ += fmt::format("    case {}: return {};\n", i, all.empty() ? "true" : all);
        }
        out_ += "    }\n    return false;\n}\n\n";
    }

    void write_explain() {
        out_ += "/// Which data broke a check, at a point numbered row-major over the indices' ranges.\n";
        out_ += "inline Status explain(const Buffer* t, const std::int64_t* size, int check, std::int64_t point) {\n";
        out_ +=
            "    [[maybe_unused]] const Sizes s = read_sizes(t, size);\n    std::int64_t rest = point;\n    switch "
            "(check) {\n";
        for (std::size_t i = 0; i < in_.checks.size(); i++) write_case(i, in_.checks[i]);
        out_ += "    }\n    return Status(StatusCode::index, \"an index taken from data is out of range\");\n}\n\n";
    }

    void write_case(std::size_t number, const DataCheck& check) {
        const Equation& equation = in_.kernel.equations.at(static_cast<std::size_t>(check.equation));
        const auto& ranges = in_.solution.indices.at(static_cast<std::size_t>(check.equation));
        out_ += fmt::format("    case {}: {{\n", number);
        std::string places, values;
        for (std::size_t i = check.indices.size(); i-- > 0;) {
            const IndexRange& range = ranges.at(check.indices[i]);
            out_ += fmt::format("        const Int i_{} = {} + take_digit(rest, {});\n",
                                cpp_identifier(check.indices[i]), formula(range.min), formula(range.extent));
        }
        for (const std::string& index : check.indices) {
            places += (places.empty() ? "" : ", ") + index + " = {}";
            values += fmt::format(", i_{}.value()", cpp_identifier(index));
        }
        const std::string where = fmt::format("\n  at   {}{}{}", places, places.empty() ? "" : ", in ",
                                              equation.text.empty() ? print(equation) : equation.text);
        const bool range = check.kind == DataCheck::Kind::in_range;
        const auto value = check.dim < 0 ? std::nullopt : data_value(equation, check);
        std::string text = fmt::format("{}: {}", in_.name, check.index_text) + (value ? " = {}" : "");
        if (range) {
            text += fmt::format(" is outside dim {} of {}, which has extent {{}}", check.dim, check.tensor);
            const Formula& size = in_.solution.extents.at(check.tensor).at(static_cast<std::size_t>(check.dim));
            values = fmt::format(", ({}).value()", formula(size)) + values;
        } else if (check.dim < 0) {
            text += " is written by another point too; under `=` each element may be written once";
        } else {
            text += fmt::format(
                " leads to an element of {} that another point writes too; under `=` each may be written once",
                check.tensor);
        }
        if (value) values = fmt::format(", value.value()") + values;
        if (value) out_ += fmt::format("        const Int value = {};\n", *value);
        out_ += fmt::format("        return failed(StatusCode::index, {}, {{{}}});\n    }}\n",
                            cpp_literal(text + where), values.empty() ? "" : values.substr(2));
    }

    /// The expression in brackets that a check is about, as C++ over the indices; nothing when it needs an intermediate.
    std::optional<std::string> data_value(const Equation& equation, const DataCheck& check) const {
        std::optional<std::string> found;
        const auto look = [&](const Access& access) {
            if (found || access.tensor != check.tensor || check.dim >= static_cast<int>(access.at.size())) return;
            const Expr& place = access.at[static_cast<std::size_t>(check.dim)];
            if (print(place) == check.index_text) found = number(place);
        };
        look(equation.left);
        each_read(equation, look);
        return found;
    }

    std::optional<std::string> number(const Expr& e) const {
        if (const auto* literal = e.as<IntegerLiteral>()) return fmt::format("Int({})", literal->value);
        if (const auto* index = e.as<IndexRef>()) return "i_" + cpp_identifier(index->name);
        if (const auto* size = e.as<SizeRef>()) {
            const auto known = in_.solution.sizes.find(size->name);
            return known == in_.solution.sizes.end() ? symbol(size->name) : "(" + formula(known->second) + ")";
        }
        if (const auto* access = e.as<Access>()) return element(*access);
        if (const auto* unary = e.as<Unary>(); unary && unary->op == UnaryOp::negate) {
            const auto value = number(*unary->value);
            return value ? std::optional("(-" + *value + ")") : std::nullopt;
        }
        if (const auto* binary = e.as<Binary>()) return arithmetic(*binary);
        if (const auto* cast = e.as<Cast>(); cast && (cast->to == Type::i32 || cast->to == Type::i64))
            return number(*cast->value);
        return std::nullopt;
    }

    std::optional<std::string> arithmetic(const Binary& binary) const {
        const auto left = number(*binary.left), right = number(*binary.right);
        if (!left || !right) return std::nullopt;
        switch (binary.op) {
        case BinaryOp::add: return fmt::format("({} + {})", *left, *right);
        case BinaryOp::sub: return fmt::format("({} - {})", *left, *right);
        case BinaryOp::mul: return fmt::format("({} * {})", *left, *right);
        case BinaryOp::div: return fmt::format("floor_div({}, {})", *left, *right);
        case BinaryOp::mod: return fmt::format("remainder({}, {})", *left, *right);
        default: return std::nullopt;
        }
    }

    std::optional<std::string> element(const Access& access) const {
        const Tensor& tensor = in_.kernel.tensor(access.tensor);
        if (tensor.role != Role::input || !(is_integer(tensor.type) || tensor.type == Type::boolean) ||
            access.at.empty())
            return std::nullopt;
        std::string places;
        for (const Expr& place : access.at) {
            const auto value = number(place);
            if (!value) return std::nullopt;
            places += (places.empty() ? "" : ", ") + *value;
        }
        return fmt::format("read_element<Element::{}, {}>(t[{}], {{{}}})",
                           tensor.type == Type::boolean ? "boolean" : to_string(tensor.type), tensor.rank,
                           position(tensor.name), places);
    }

    const HeaderInput& in_;
    const std::vector<const Tensor*>& tensors_;
    std::string out_;
};

}  // namespace

std::string emit_checks(const HeaderInput& input, const std::vector<const Tensor*>& tensors) {
    return CheckWriter(input, tensors).write();
}

}  // namespace halogen
