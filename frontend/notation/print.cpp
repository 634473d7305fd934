// The canonical text of every value of the language.

#include "frontend/notation/program.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace halogen {
namespace {

/// How tightly a construct binds; an operand that binds less tightly than its place asks for stands in brackets.
enum Binding { binds_or, binds_and, binds_not, binds_comparison, binds_sum, binds_product, binds_unary, binds_primary };

Binding binding(BinaryOp op) {
    switch (op) {
    case BinaryOp::logical_or: return binds_or;
    case BinaryOp::logical_and: return binds_and;
    case BinaryOp::add:
    case BinaryOp::sub: return binds_sum;
    case BinaryOp::mul:
    case BinaryOp::div:
    case BinaryOp::mod: return binds_product;
    default: return binds_comparison;
    }
}

Binding binding(const Expr& e) {
    if (auto* b = e.as<Binary>()) return binding(b->op);
    if (auto* u = e.as<Unary>()) return u->op == UnaryOp::negate ? binds_unary : binds_not;
    if (auto* i = e.as<IntegerLiteral>()) return i->value < 0 ? binds_unary : binds_primary;
    if (auto* r = e.as<RealLiteral>()) return r->value < 0 ? binds_unary : binds_primary;
    return binds_primary;
}

Binding tighter(Binding b) { return static_cast<Binding>(b + 1); }

/// The shortest text that reads back as the same double, and as a real rather than an integer.
std::string print_real(double value) {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string text(buffer.data(), end);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

/// A product of reads alone is set with spaces, `X[i, k] * W[k, j]`; any other without, `0.5*Z[m]`.
bool is_product_of_reads(const Expr& e) {
    if (e.as<Access>()) return true;
    auto* b = e.as<Binary>();
    return b && binding(b->op) == binds_product && is_product_of_reads(*b->left) && is_product_of_reads(*b->right);
}

class Printer {
public:
    std::string text;

    Printer() = default;
    /// Values that were written as the name of one of `lets` are printed so.
    explicit Printer(const std::vector<Let>& lets) : lets_(&lets) {}

    void expr(const Expr& e, Binding least, bool tight = false) {
        if (lets_ && e.let() > 0) {
            text += (*lets_)[static_cast<std::size_t>(e.let()) - 1].name;
            return;
        }
        const bool brackets = binding(e) < least;
        if (brackets) text += '(';
        std::visit([&](const auto& node) { put(node, e, tight && !brackets); }, e.node());
        if (brackets) text += ')';
    }

    void list(const std::vector<Expr>& items) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i > 0) text += ", ";
            expr(items[i], binds_or);
        }
    }

    void put(const Access& a, const Expr&, bool) { access(a); }
    void access(const Access& a) {
        text += a.tensor + "[";
        list(a.at);
        text += ']';
    }

private:
    void put(const IntegerLiteral& n, const Expr&, bool) { text += fmt::format("{}", n.value); }
    void put(const RealLiteral& n, const Expr&, bool) { text += print_real(n.value); }
    void put(const SizeRef& n, const Expr&, bool) { text += n.name; }
    void put(const IndexRef& n, const Expr&, bool) { text += n.name; }
    void put(const ScalarRef& n, const Expr&, bool) { text += n.name; }
    void put(const Call& c, const Expr&, bool) {
        text += to_string(c.function) + "(";
        list(c.arguments);
        text += ')';
    }
    void put(const Cast& c, const Expr&, bool) {
        text += to_string(c.to) + "(";
        expr(*c.value, binds_or);
        text += ')';
    }
    void put(const Unary& u, const Expr&, bool) {
        text += u.op == UnaryOp::negate ? "-" : "not ";
        // `-9223372036854775808` is one literal, so a minus before any negative literal keeps its brackets.
        const bool negate_literal =
            u.op == UnaryOp::negate && binding(*u.value) == binds_unary && !u.value->as<Unary>();
        expr(*u.value, negate_literal ? binds_primary : u.op == UnaryOp::negate ? binds_unary : binds_not, true);
    }
    void put(const Binary& b, const Expr& e, bool tight) {
        const Binding own = binding(b.op);
        const bool product = own == binds_product;
        const bool close = product && (tight || !is_product_of_reads(e));
        expr(*b.left, own == binds_comparison ? tighter(own) : own, close);
        text += close ? to_string(b.op) : " " + to_string(b.op) + " ";
        expr(*b.right, tighter(own), close);
    }

    const std::vector<Let>* lets_ = nullptr;
};

std::string print_with(Printer p, const Expr& e, Binding least) {
    p.expr(e, least);
    return std::move(p.text);
}

std::string print_sum(const Expr& e) { return print_with({}, e, binds_sum); }

std::string print_dim(const Dim& dim) {
    std::string text = dim.extent.defined() ? print_sum(dim.extent) : "_";
    if (!dim.pad_low.defined()) return text;
    if (dim.pad_low == dim.pad_high) return text + " pad " + print_sum(dim.pad_low);
    return text + fmt::format(" pad ({}, {})", print_sum(dim.pad_low), print_sum(dim.pad_high));
}

std::string print_boundary(const Boundary& b) {
    switch (b.mode) {
    case Boundary::Mode::none: return "";
    case Boundary::Mode::constant: return " else " + print(b.constant);
    case Boundary::Mode::lowest: return " else lowest";
    case Boundary::Mode::highest: return " else highest";
    case Boundary::Mode::edge: return " else edge";
    case Boundary::Mode::reflect: return " else reflect";
    case Boundary::Mode::symmetric: return " else symmetric";
    case Boundary::Mode::wrap: return " else wrap";
    }
    return "";
}

std::string print_tensor(const Tensor& t) {
    std::string text = t.name + ": " + to_string(t.type);
    if (t.dims) {
        text += '[';
        for (std::size_t d = 0; d < t.dims->size(); ++d) text += (d > 0 ? ", " : "") + print_dim((*t.dims)[d]);
        text += ']';
    }
    return text + print_boundary(t.boundary);
}

std::string print_parameter(const Kernel& k, const Parameter& p) {
    if (p.sort == Parameter::Sort::tensor) return print_tensor(k.tensor(p.name));
    if (p.sort == Parameter::Sort::scalar) return p.name + ": " + to_string(k.find_scalar(p.name)->type);
    const SizeParam* size = k.find_size(p.name);
    return p.name + ": size" + (size->default_value ? fmt::format(" = {}", *size->default_value) : "");
}

std::string print_outputs(const Kernel& k) {
    const auto outputs = k.outputs();
    if (outputs.size() == 1) return print_tensor(*outputs[0]);
    std::string text = "(";
    for (std::size_t i = 0; i < outputs.size(); ++i) text += (i > 0 ? ", " : "") + print_tensor(*outputs[i]);
    return text + ")";
}

/// The header, its parameters broken over lines of at most 100 columns.
std::string print_header(const Kernel& k) {
    std::string text, line = "kernel " + k.name + "(";
    const std::string indent(line.size(), ' ');
    for (std::size_t i = 0; i < k.parameters.size(); ++i) {
        const bool last = i + 1 == k.parameters.size();
        const std::string item = print_parameter(k, k.parameters[i]) + (last ? "" : ",");
        if (i > 0 && line.size() + 1 + item.size() > 100) {
            text += line + "\n";
            line = indent + item;
        } else {
            line += (i > 0 ? " " : "") + item;
        }
    }
    text += line + ") -> " + print_outputs(k);
    for (std::size_t i = 0; i < k.conditions.size(); ++i)
        text += (i == 0 ? " where " : ", ") + print(k.conditions[i].relation);
    return text + " {\n";
}

std::string print(Printer p, const Equation& equation) {
    p.access(equation.left);
    p.text += " " + to_string(equation.op) + " ";
    p.expr(equation.right, binds_or);
    for (std::size_t i = 0; i < equation.where.size(); ++i) {
        p.text += i == 0 ? " where " : ", ";
        if (auto* range = std::get_if<InRange>(&equation.where[i])) {
            p.text += range->index + " in ";
            p.expr(range->begin, binds_sum);
            p.text += ':';
            p.expr(range->end, binds_sum);
        } else {
            p.expr(std::get<Expr>(equation.where[i]), binds_or);
        }
    }
    return std::move(p.text);
}

}  // namespace

std::string print(const Expr& e) { return e.defined() ? print_with({}, e, binds_or) : ""; }

std::string to_string(Op op) {
    constexpr std::array names{"=", "+=", "*=", "max=", "min=", "and=", "or="};
    return names[static_cast<std::size_t>(op)];
}

std::string print(const Equation& equation) { return print(Printer(), equation); }

std::string print(const Kernel& kernel) {
    std::string text = kernel.name.empty() ? "" : print_header(kernel);
    const auto item = [&](const std::string& line) { text += (kernel.name.empty() ? "" : "  ") + line + "\n"; };
    const Printer printer(kernel.lets);
    for (const Let& let : kernel.lets)
        item(fmt::format("let {} = {}", let.name, print_with(printer, let.value, binds_or)));
    for (const Tensor& t : kernel.tensors)
        if (t.role == Role::intermediate && t.dims) item("tmp " + print_tensor(t));
    for (const Equation& equation : kernel.equations) item(print(printer, equation));
    if (!kernel.name.empty()) text += "}\n";
    return text;
}

std::string print(const Program& program) {
    std::string text;
    for (const Kernel& kernel : program.kernels) text += (text.empty() ? "" : "\n") + print(kernel);
    return text;
}

}  // namespace halogen
