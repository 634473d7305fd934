#include "frontend/shapes/operand.h"

#include "frontend/formula/sign.h"

#include <fmt/format.h>

namespace halogen::shapes {

Formula numel(const Shape& shape) {
    Formula product = 1;
    for (const Formula& extent : shape) product = product * extent;
    return product;
}

Shape dense_strides(const Shape& shape) {
    Shape strides(shape.size());
    Formula stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        strides[d] = stride;
        if (d > 0) stride = stride * larger(shape[d], 1);
    }
    return strides;
}

Shape strides_of(const Operand& operand) { return operand.strides ? *operand.strides : dense_strides(operand.shape); }

std::string print(const Shape& shape) {
    std::string text = "[";
    for (const Formula& extent : shape) text += (text.size() > 1 ? ", " : "") + halogen::print(extent);
    return text + "]";
}

std::string print(const Argument& argument) {
    struct Printer {
        std::string operator()(std::monostate) const { return "null"; }
        std::string operator()(bool flag) const { return flag ? "true" : "false"; }
        std::string operator()(const Formula& f) const { return halogen::print(f); }
        std::string operator()(double x) const { return fmt::format("{}", x); }
        std::string operator()(const std::string& text) const { return "\"" + text + "\""; }
        std::string operator()(const Operand& o) const {
            std::string text = o.type == Type::f32 ? "" : to_string(o.type);
            text += print(o.shape);
            return o.strides ? text + " strides " + print(*o.strides) : text;
        }
        std::string operator()(const Reference& r) const {
            return r.result == 0 ? r.name : fmt::format("{}[{}]", r.name, r.result);
        }
        std::string operator()(const std::vector<Argument>& list) const {
            std::string text = "[";
            for (const Argument& item : list) text += (text.size() > 1 ? ", " : "") + print(item);
            return text + "]";
        }
    };
    return std::visit(Printer{}, argument.value);
}

}  // namespace halogen::shapes
