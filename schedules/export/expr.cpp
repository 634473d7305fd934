#include "schedules/export/expr.h"

#include "frontend/base/error.h"
#include "frontend/lower/number.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace halogen::exporting {

using namespace Halide::Internal;
using Halide::Internal::Call, Halide::Internal::Cast, Halide::Internal::Let;  // not the notation's

namespace {

constexpr int atom = 9, product = 7, sum = 6, compared = 5, equal = 4, both = 3, either = 2;

/// Functions of Halide whose calls carry the name and the type: `exp_f32`.
const std::set<std::string> functions = {"sqrt",  "exp",   "log",   "sin",   "cos",   "tan",    "asin",   "acos",
                                         "atan",  "sinh",  "cosh",  "tanh",  "ceil",  "pow",    "asinh",  "acosh",
                                         "atanh", "atan2", "floor", "round", "trunc", "is_nan", "is_inf", "is_finite"};
/// Intrinsics that a function of the same name and arguments makes.
const std::set<std::string> intrinsics = {"abs",
                                          "absd",
                                          "likely",
                                          "likely_if_innermost",
                                          "unsafe_promise_clamped",
                                          "round",
                                          "popcount",
                                          "lerp",
                                          "count_leading_zeros",
                                          "count_trailing_zeros",
                                          "saturating_add",
                                          "saturating_sub",
                                          "halving_add",
                                          "rounding_halving_add"};

std::string integer_text(const Halide::Type& type, const std::string& digits) {
    if (type == Halide::Int(32)) {
        if (digits == "-2147483648") return "Int(32).min()";
        return digits;
    }
    if (type.bits() == 64) return fmt::format("Expr({}({}{}))", element_text(type), digits, type.is_uint() ? "u" : "");
    return fmt::format("cast<{}>({})", element_text(type), digits);
}

std::string real_text(const Halide::Type& type, double value) {
    if (std::isinf(value)) return type_text(type) + (value > 0 ? ".max()" : ".min()");
    if (std::isnan(value))
        return fmt::format("cast<{}>(Expr(std::numeric_limits<float>::quiet_NaN()))", element_text(type));
    std::string digits = type.bits() == 64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    if (type.bits() < 64) digits += "f";
    return type == Halide::Float(32) || type == Halide::Float(64)
               ? fmt::format("Expr({})", digits)
               : fmt::format("cast<{}>({})", element_text(type), digits);
}

bool is_literal(const Halide::Expr& e) { return e.as<IntImm>() || e.as<UIntImm>() || e.as<FloatImm>(); }

[[noreturn]] void refuse(const Halide::Expr& e) {
    std::ostringstream text;
    text << e;
    throw Failure({ErrorKind::schedule,
                   fmt::format("`{}` cannot be exported", text.str()),
                   {},
                   {},
                   "report it as a defect of Halogen, with the kernel's text"});
}

}  // namespace

std::string type_text(const Halide::Type& type) {
    if (type.is_handle()) return "type_of<void *>()";
    const char* kind = type.is_bfloat() ? "BFloat" : type.is_float() ? "Float" : type.is_uint() ? "UInt" : "Int";
    return fmt::format("{}({})", kind, type.bits());
}

std::string element_text(const Halide::Type& type) {
    if (type.is_bfloat()) return "bfloat16_t";
    if (type.is_float()) return type.bits() == 64 ? "double" : type.bits() == 32 ? "float" : "float16_t";
    if (type.is_bool()) return "bool";
    return fmt::format("{}int{}_t", type.is_uint() ? "u" : "", type.bits());
}

std::string ExprWriter::write(const Halide::Expr& e, std::vector<std::string>& lines) {
    lines_ = &lines;
    return text(e).text;
}

std::string ExprWriter::wrapped(const Halide::Expr& e, int level) {
    const Text t = text(e);
    return t.level < level ? "(" + t.text + ")" : t.text;
}

ExprWriter::Text ExprWriter::binary(const Halide::Expr& a, const Halide::Expr& b, const char* op, int level) {
    std::string left = wrapped(a, level);
    if (is_literal(a) && a.type() == Halide::Int(32)) left = "Expr(" + left + ")";  // no arithmetic of C++'s own
    return {fmt::format("{} {} {}", left, op, wrapped(b, level + 1)), level};
}

std::string ExprWriter::list(const std::vector<Halide::Expr>& arguments, bool as_exprs) {
    std::string result;
    for (const Halide::Expr& e : arguments) {
        const std::string one = text(e).text;
        const Call* read = e.as<Call>();  // a FuncRef may stand for an Expr and for a Tuple
        const bool wrap = as_exprs && read && read->call_type == Call::Halide;
        result += (result.empty() ? "" : ", ") + (wrap ? "Expr(" + one + ")" : one);
    }
    return result;
}

ExprWriter::Text ExprWriter::call(const std::string& name, const std::vector<Halide::Expr>& arguments, bool as_exprs) {
    return {fmt::format("{}({})", name, list(arguments, as_exprs)), atom};
}

ExprWriter::Text ExprWriter::text(const Halide::Expr& e) {
    if (auto* op = e.as<IntImm>())
        return {integer_text(e.type(), std::to_string(op->value)), op->value < 0 ? sum : atom};
    if (auto* op = e.as<UIntImm>()) return {integer_text(e.type(), std::to_string(op->value)), atom};
    if (auto* op = e.as<FloatImm>()) return {real_text(e.type(), op->value), atom};
    if (auto* op = e.as<Variable>()) return variable(*op);
    if (auto* op = e.as<Add>()) return binary(op->a, op->b, "+", sum);
    if (auto* op = e.as<Sub>()) return binary(op->a, op->b, "-", sum);
    if (auto* op = e.as<Mul>()) return binary(op->a, op->b, "*", product);
    if (auto* op = e.as<Div>()) return binary(op->a, op->b, "/", product);
    if (auto* op = e.as<Mod>()) return binary(op->a, op->b, "%", product);
    if (auto* op = e.as<Min>()) return call("min", {op->a, op->b}, true);
    if (auto* op = e.as<Max>()) return call("max", {op->a, op->b}, true);
    if (auto* op = e.as<EQ>()) return binary(op->a, op->b, "==", equal);
    if (auto* op = e.as<NE>()) return binary(op->a, op->b, "!=", equal);
    if (auto* op = e.as<LT>()) return binary(op->a, op->b, "<", compared);
    if (auto* op = e.as<LE>()) return binary(op->a, op->b, "<=", compared);
    if (auto* op = e.as<GT>()) return binary(op->a, op->b, ">", compared);
    if (auto* op = e.as<GE>()) return binary(op->a, op->b, ">=", compared);
    if (auto* op = e.as<And>()) return binary(op->a, op->b, "&&", both);
    if (auto* op = e.as<Or>()) return binary(op->a, op->b, "||", either);
    if (auto* op = e.as<Not>()) return {"!" + wrapped(op->a, atom), 8};
    if (auto* op = e.as<Select>()) return call("select", {op->condition, op->true_value, op->false_value}, true);
    if (auto* op = e.as<Cast>())
        return {fmt::format("cast<{}>({})", element_text(e.type()), text(op->value).text), atom};
    if (auto* op = e.as<Reinterpret>())
        return {fmt::format("reinterpret({}, {})", type_text(e.type()), text(op->value).text), atom};
    if (auto* op = e.as<Let>()) {
        const std::string value = text(op->value).text, name = names_.fresh("t");
        lines_->push_back(fmt::format("Expr {} = {};", name, value));
        lets_[op->name] = name;
        return text(op->body);
    }
    if (auto* op = e.as<Call>()) return named_call(*op);
    refuse(e);
}

ExprWriter::Text ExprWriter::variable(const Variable& v) {
    if (const auto let = lets_.find(v.name); let != lets_.end()) return {let->second, atom};
    if (const auto loop = reduced.find(v.name); loop != reduced.end()) return {loop->second, atom};
    if (!v.param.defined()) return {names_.var(v.name), atom};
    const std::string& identifier = parameters.at(v.param.name());
    if (v.param.is_buffer() && v.type.is_handle())  // where its memory begins is asked for
        return {fmt::format("Internal::Variable::make(type_of<void *>(), {0}.name(), {0}.parameter())",
                            buffers.at(v.param.name())),
                atom};
    if (!v.param.is_buffer()) return {identifier, atom};
    // "A.extent.0"
    const std::size_t last = v.name.rfind('.'), before = v.name.rfind('.', last - 1);
    return {fmt::format("{}.dim({}).{}()", identifier, v.name.substr(last + 1),
                        v.name.substr(before + 1, last - before - 1)),
            atom};
}

ExprWriter::Text ExprWriter::named_call(const Call& c) {
    if (c.call_type == Call::Halide) return call(funcs.at(c.name), c.args);
    if (c.call_type == Call::Image) return call(parameters.at(c.param.name()), c.args);
    if (c.call_type == Call::PureExtern) {
        const std::string stem = c.name.substr(0, c.name.rfind('_'));
        const bool typed = c.name == stem + "_f32" || c.name == stem + "_f64" || c.name == stem + "_f16";
        if (typed && functions.count(stem)) return call(stem, c.args, true);
        if (const auto op = joins_keys(&c)) return text(tree_of_keys(*op, c.args));
    }
    if (c.is_intrinsic() && intrinsics.count(c.name)) return call(c.name, c.args, true);
    return other_call(c);
}

/// What no function of Halide's makes: a function of the C library, such as erf of doubles.
ExprWriter::Text ExprWriter::other_call(const Call& c) {
    static const char* const kinds[] = {"Image",  "Extern",    "ExternCPlusPlus", "PureExtern",
                                        "Halide", "Intrinsic", "PureIntrinsic"};
    return {fmt::format("Internal::Call::make({}, \"{}\", {{{}}}, Internal::Call::{})", type_text(c.type), c.name,
                        list(c.args, true), kinds[c.call_type]),
            atom};
}

}  // namespace halogen::exporting
