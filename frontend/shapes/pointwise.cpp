#include "frontend/shapes/pointwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace halogen::shapes {

namespace {

std::vector<Shape> tensor_shapes(const Call& call) {
    std::vector<Shape> shapes;
    for (const Slot& slot : call.signature().slots) {
        if (is_tensor(slot.sort) && call.has(slot.name)) shapes.push_back(call.shape(slot.name));
    }
    return shapes;
}

std::string declared_type(const Slot& slot) {
    return slot.sort == Slot::Sort::mask ? "bool" : slot.sort == Slot::Sort::wholes ? "i64" : "f32";
}

/// `value` with brackets behind the names of tensors; `names` are those met.
std::string with_places(const Call& call, const std::string& value, const std::string& places,
                        std::vector<const Slot*>& names) {
    std::string text;
    for (std::size_t i = 0; i < value.size();) {
        std::size_t end = i;
        while (end < value.size() && (std::isalnum(static_cast<unsigned char>(value[end])) || value[end] == '_')) ++end;
        if (end == i) {
            text += value[i++];
            continue;
        }
        const std::string word = value.substr(i, end - i);
        const bool is_call = end < value.size() && value[end] == '(';
        const Slot* slot = is_call ? nullptr : call.signature().find(word);
        text += word;
        if (slot && is_tensor(slot->sort)) text += "[" + places + "]";
        if (slot && std::find(names.begin(), names.end(), slot) == names.end()) names.push_back(slot);
        i = end;
    }
    return text;
}

}  // namespace

Shape pointwise(Call& call, const std::string& value, const Shape& shape) {
    const int rank = static_cast<int>(shape.size());
    const std::string places = numbered("i", rank);
    std::vector<const Slot*> names;
    const std::string right = with_places(call, value, places, names);
    std::string parameters;
    std::map<std::string, Shape> inputs;
    for (const Slot* slot : names) {
        const bool tensor = is_tensor(slot->sort);
        parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", slot->name,
                                  tensor ? declared_type(*slot) + "[" + numbered("N", rank) + "]" : "f32");
        if (tensor) inputs.emplace(slot->name, shape);
    }
    const bool is_test = call.signature().results[0] == TypeRule::boolean;
    return call.derive(
        fmt::format("kernel k({}) -> Y: {} {{ Y[{}] = {} }}", parameters, is_test ? "bool" : "f32", places, right),
        inputs)[0];
}

Shape pointwise(Call& call, const std::string& value) {
    return pointwise(call, value, broadcast(call, tensor_shapes(call)));
}

Results broadcast_only(Call& call) { return one(broadcast(call, tensor_shapes(call))); }

}  // namespace halogen::shapes
