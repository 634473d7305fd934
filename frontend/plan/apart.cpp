#include "frontend/plan/apart.h"

#include "frontend/plan/order.h"

namespace halogen::lowering {

std::optional<Kernel> taken_apart(const Kernel& kernel, const std::string& suffix, const Apart& apart) {
    Kernel result = kernel;
    std::size_t at = 0;
    for (std::size_t e = 0; e < kernel.equations.size(); e++, at++) {
        const std::string& tensor = kernel.equations[e].left.tensor;
        const std::string name = free_name(result, tensor + suffix);
        auto two = apart(static_cast<int>(e), name);
        if (!two) continue;
        Tensor made;
        made.name = name;
        made.type = kernel.tensor(tensor).type;
        made.role = Role::intermediate;
        made.rank = static_cast<int>(two->first.left.at.size());
        result.tensors.push_back(made);
        for (Equation* equation : {&two->first, &two->second}) equation->text = print(*equation);
        result.equations[at] = std::move(two->second);
        result.equations.insert(result.equations.begin() + static_cast<std::ptrdiff_t>(at), std::move(two->first));
        at++;
    }
    if (result.equations.size() == kernel.equations.size()) return std::nullopt;
    auto checked = check(std::move(result));
    return checked ? std::optional(std::move(checked).value()) : std::nullopt;
}

}  // namespace halogen::lowering
