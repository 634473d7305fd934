#include "frontend/notation/program.h"

#include <algorithm>
#include <unordered_map>

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

bool repeats(Boundary::Mode mode) {
    using Mode = Boundary::Mode;
    return mode == Mode::edge || mode == Mode::reflect || mode == Mode::symmetric || mode == Mode::wrap;
}

bool is_padded(const Tensor& tensor, int dim) {
    if (!tensor.dims) return false;
    const Dim& declared = (*tensor.dims)[static_cast<std::size_t>(dim)];
    return declared.pad_low.defined() || declared.pad_high.defined();
}

const Tensor* Kernel::find_tensor(const std::string& wanted) const {
    constexpr std::size_t few = 16;
    if (tensors.size() <= few) return find_named(tensors, wanted);
    // Where a tensor of this name stood last, in whatever kernel: mostly it still stands there.
    thread_local std::unordered_map<std::string, std::size_t> places;
    constexpr std::size_t most_places = 1 << 16;
    const auto place = places.find(wanted);
    if (place != places.end() && place->second < tensors.size() && tensors[place->second].name == wanted)
        return &tensors[place->second];
    const Tensor* found = find_named(tensors, wanted);
    if (!found) return nullptr;
    if (places.size() >= most_places) places.clear();
    places[wanted] = static_cast<std::size_t>(found - tensors.data());
    return found;
}
const Tensor& Kernel::tensor(const std::string& wanted) const {
    if (const Tensor* found = find_tensor(wanted)) return *found;
    throw Failure({ErrorKind::name, "there is no tensor `" + wanted + "`", at, "", ""});
}
const SizeParam* Kernel::find_size(const std::string& wanted) const { return find_named(sizes, wanted); }
const ScalarParam* Kernel::find_scalar(const std::string& wanted) const { return find_named(scalars, wanted); }
const Let* Kernel::find_let(const std::string& wanted) const { return find_named(lets, wanted); }
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

std::map<std::string, int> views_of(const Kernel& kernel) {
    struct Writes {
        int count = 0, last = -1;
    };
    std::map<std::string, Writes> writes;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        Writes& w = writes[kernel.equations[e].left.tensor];
        ++w.count;
        w.last = e;
    }
    std::map<std::string, int> views;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        const Equation& definition = kernel.equations[e];
        const std::string& tensor = definition.left.tensor;
        const auto* read = definition.right.as<Access>();
        if (!read || read->tensor == tensor || writes.at(tensor).count > 1) continue;
        if (definition.op != Op::assign || !definition.where.empty() || !is_whole(definition.left)) continue;
        const auto source = writes.find(read->tensor);
        if (source != writes.end() && source->second.last > e)
            continue;  // what it reads changes later: a composed reader would see the change
        if (std::none_of(read->at.begin(), read->at.end(), depends_on_data)) views.emplace(tensor, e);
    }
    for (const Tensor& t : kernel.tensors)
        if (t.role == Role::input) views.erase(t.name);
    return views;
}

bool is_view(const Kernel& kernel, const std::string& tensor) { return views_of(kernel).contains(tensor); }

}  // namespace halogen
