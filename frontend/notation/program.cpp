#include "frontend/notation/program.h"

#include <algorithm>

namespace halogen {
namespace {

template<typename T>
const T* find_named(const std::vector<T>& items, const std::string& name) {
    const auto found = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
    return found == items.end() ? nullptr : &*found;
}

std::vector<const Tensor*> tensors_with(const Kernel& kernel, Role role) {
    std::vector<const Tensor*> found;
    for (const Tensor& t : kernel.tensors)
        if (t.role == role) found.push_back(&t);
    return found;
}

void add_indices(const Expr& e, std::vector<std::string>& names) {
    walk(e, [&](const Expr& node) {
        auto* index = node.as<IndexRef>();
        if (index && std::find(names.begin(), names.end(), index->name) == names.end()) names.push_back(index->name);
    });
}

/// True when `left` is the whole tensor, each element once: distinct bare indices.
bool is_whole(const Access& left) {
    std::vector<std::string> seen;
    for (const Expr& place : left.at) {
        auto* index = place.as<IndexRef>();
        if (!index || std::find(seen.begin(), seen.end(), index->name) != seen.end()) return false;
        seen.push_back(index->name);
    }
    return true;
}

}  // namespace

const Tensor* Kernel::find_tensor(const std::string& wanted) const { return find_named(tensors, wanted); }
const Tensor& Kernel::tensor(const std::string& wanted) const {
    if (const Tensor* found = find_tensor(wanted)) return *found;
    throw Failure({ErrorKind::name, "there is no tensor `" + wanted + "`", at, "", ""});
}
const SizeParam* Kernel::find_size(const std::string& wanted) const { return find_named(sizes, wanted); }
const ScalarParam* Kernel::find_scalar(const std::string& wanted) const { return find_named(scalars, wanted); }
std::vector<const Tensor*> Kernel::inputs() const { return tensors_with(*this, Role::input); }
std::vector<const Tensor*> Kernel::outputs() const { return tensors_with(*this, Role::output); }

bool operator==(const Equation& a, const Equation& b) {
    return a.left.tensor == b.left.tensor && a.left.at == b.left.at && a.op == b.op && a.right == b.right &&
           a.where == b.where;
}

std::vector<std::string> indices_of(const Equation& equation) {
    std::vector<std::string> names;
    for (const Expr& place : equation.left.at) add_indices(place, names);
    add_indices(equation.right, names);
    for (const Where& w : equation.where) {
        if (auto* range = std::get_if<InRange>(&w)) {
            if (std::find(names.begin(), names.end(), range->index) == names.end()) names.push_back(range->index);
        } else {
            add_indices(std::get<Expr>(w), names);
        }
    }
    return names;
}

std::vector<std::string> reduced_indices_of(const Equation& equation) {
    std::vector<std::string> left, reduced;
    for (const Expr& place : equation.left.at) add_indices(place, left);
    for (const std::string& name : indices_of(equation))
        if (std::find(left.begin(), left.end(), name) == left.end()) reduced.push_back(name);
    return reduced;
}

bool reads_itself(const Equation& equation) {
    bool found = false;
    each_self_read(equation, [&](const Access&) { found = true; });
    return found;
}

bool is_view(const Kernel& kernel, const std::string& tensor) {
    const Tensor* t = kernel.find_tensor(tensor);
    if (!t || t->role == Role::input) return false;
    const Equation* definition = nullptr;
    for (const Equation& equation : kernel.equations) {
        if (equation.left.tensor == tensor) {
            if (definition) return false;
            definition = &equation;
        } else if (auto* read = definition ? definition->right.as<Access>() : nullptr;
                   read && read->tensor == equation.left.tensor) {
            return false;  // what it reads changes later: a composed reader would see the change
        }
    }
    if (!definition || definition->op != Op::assign || !definition->where.empty() || !is_whole(definition->left))
        return false;
    auto* read = definition->right.as<Access>();
    if (!read || read->tensor == tensor) return false;
    return std::none_of(read->at.begin(), read->at.end(), depends_on_data);
}

}  // namespace halogen
