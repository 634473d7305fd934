#include "solved.h"

#include "frontend/notation/program.h"
#include "frontend/solve/access_form.h"
#include "frontend/solve/place.h"
#include "frontend/solve/solution.h"
#include "frontend/solve/solve.h"
#include "generators/run/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace halogen::demo {
namespace {

/// One call's view of a solved kernel.
class Facts {
public:
    Facts(const Kernel& kernel, const Solution& solution, const Call& call)
        : kernel_(kernel), solution_(solution), call_(call) {
        for (const auto& [symbol, source] : solution.sources) {
            if (source.tensor.empty())
                bindings_[symbol] = setting(symbol);
            else
                bindings_[symbol] = operand(source.tensor)->extents.at(static_cast<std::size_t>(source.dim));
        }
        for (const SizeParam& size : kernel.sizes) bindings_[size.name] = setting(size.name);
    }

    std::vector<SizeFact> sizes() const;
    std::vector<TensorFact> tensors() const;
    std::vector<EquationFact> equations() const;
    std::vector<GuardFact> guards() const;

private:
    std::int64_t value(const Formula& f) const { return evaluate(f, bindings_); }
    std::string named(const Formula& f) const;
    std::int64_t setting(const std::string& name) const;
    const Operand* operand(const std::string& tensor) const;
    std::vector<std::int64_t> strides_of(const std::string& tensor) const;
    std::vector<IndexFact> indices(std::size_t equation) const;
    AccessFact access(const AccessForm& form, const std::vector<IndexFact>& indices) const;
    std::int64_t stride_in_call(const AccessForm& form, const Access* access, const std::string& index) const;
    const Access* find_access(int equation, const std::string& text) const;

    const Kernel& kernel_;
    const Solution& solution_;
    const Call& call_;
    Bindings bindings_;
};

std::int64_t Facts::setting(const std::string& name) const {
    for (const Setting& s : call_.settings) {
        if (s.name == name) return static_cast<std::int64_t>(s.value);
    }
    const SizeParam* size = kernel_.find_size(name);
    return size && size->default_value ? *size->default_value : 0;
}

const Operand* Facts::operand(const std::string& tensor) const {
    for (const Operand& o : call_.operands) {
        if (o.name == tensor) return &o;
    }
    return nullptr;
}

/// The formula, or the name the kernel has for it: `OH`.
std::string Facts::named(const Formula& f) const {
    for (const auto& [name, formula] : solution_.sizes) {
        if (formula == f && name.find('.') == std::string::npos) return name;
    }
    return print(f);
}

std::vector<SizeFact> Facts::sizes() const {
    std::vector<SizeFact> facts;
    const auto add = [&](const std::string& name, std::string formula, std::int64_t number, bool solved) {
        facts.push_back({name, std::move(formula), number, solved});
    };
    for (const std::string& symbol : solution_.symbols) {
        const auto source = solution_.sources.find(symbol);
        if (source == solution_.sources.end() || source->second.tensor.empty()) continue;
        add(symbol, fmt::format("dim {} of {}", source->second.dim, source->second.tensor),
            value(Formula::symbol(symbol)), false);
    }
    for (const SizeParam& size : kernel_.sizes) add(size.name, "given", setting(size.name), false);
    for (const auto& [name, formula] : solution_.sizes) {
        const bool open = formula.as_symbol() == name || bindings_.count(name) > 0;
        if (open || name.find('.') != std::string::npos) continue;  // unnamed dims stand with their tensors
        add(name, print(formula), value(formula), true);
    }
    return facts;
}

std::vector<std::int64_t> Facts::strides_of(const std::string& tensor) const {
    if (const Operand* o = operand(tensor)) return o->strides;
    std::vector<std::int64_t> strides;
    std::int64_t step = 1;
    const auto& extents = solution_.extents.at(tensor);
    for (std::size_t d = extents.size(); d-- > 0;) {
        strides.insert(strides.begin(), step);
        step *= value(extents[d]);
    }
    return strides;
}

std::vector<TensorFact> Facts::tensors() const {
    std::vector<TensorFact> facts;
    for (const Tensor& tensor : kernel_.tensors) {
        TensorFact fact{tensor.name, to_string(tensor.type), "intermediate", {}, {}, {}, bytes_of(tensor.type)};
        if (tensor.role == Role::input) fact.role = "input";
        if (tensor.role == Role::output) fact.role = "output";
        for (const Formula& extent : solution_.extents.at(tensor.name)) {
            fact.formulas.push_back(named(extent));
            fact.extents.push_back(value(extent));
            fact.bytes *= fact.extents.back();
        }
        if (operand(tensor.name)) fact.strides = strides_of(tensor.name);
        facts.push_back(std::move(fact));
    }
    return facts;
}

std::vector<IndexFact> Facts::indices(std::size_t equation) const {
    std::vector<IndexFact> facts;
    const auto& ranges = solution_.indices.at(equation);
    for (const std::string& name : indices_of(kernel_.equations[equation])) {
        const IndexRange& range = ranges.at(name);
        facts.push_back({name, print(range.min), named(range.min + range.extent), value(range.min), value(range.extent),
                         range.reduced});
    }
    return facts;
}

const Access* Facts::find_access(int equation, const std::string& text) const {
    const Equation& e = kernel_.equations.at(static_cast<std::size_t>(equation));
    const Access* found = nullptr;
    const auto look = [&](const Expr& x) {
        if (const auto* access = x.as<Access>(); access && print(x) == text) found = access;
    };
    walk(e.right, look);
    if (!found && print(Expr(ExprNode(e.left))) == text) found = &e.left;
    return found;
}

/// Strides of the caller's buffer times how far each dim's place moves with the index; a composed view has no access of its
/// own in the text, and its formula for dense tensors is used.
std::int64_t Facts::stride_in_call(const AccessForm& form, const Access* access, const std::string& index) const {
    if (!access || access->tensor != form.tensor) return form.strides.count(index) ? value(form.strides.at(index)) : 0;
    const auto strides = strides_of(form.tensor);
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < access->at.size(); d++) {
        std::vector<PlaceCondition> conditions;
        Symbols symbols;
        const auto place = place_formula(access->at[d], conditions, symbols);
        if (!place) continue;
        const Formula step = place->substitute({{index, Formula(1)}}) - place->substitute({{index, Formula(0)}});
        sum += value(step) * strides[d];
    }
    return sum;
}

AccessFact Facts::access(const AccessForm& form, const std::vector<IndexFact>& indices) const {
    AccessFact fact;
    fact.text = form.text;
    fact.affine = form.affine;
    if (!form.affine) return fact;
    const Access* access = find_access(form.equation, form.text);
    for (const IndexFact& index : indices) {
        fact.formulas.push_back(form.strides.count(index.name) ? print(form.strides.at(index.name)) : "0");
        fact.strides.push_back(stride_in_call(form, access, index.name));
    }
    std::int64_t offset = 0;
    if (access && access->tensor == form.tensor) {
        const auto strides = strides_of(form.tensor);
        std::map<std::string, Formula> zero;
        for (const IndexFact& index : indices) zero[index.name] = Formula(0);
        for (std::size_t d = 0; d < access->at.size(); d++) {
            std::vector<PlaceCondition> conditions;
            Symbols symbols;
            if (const auto place = place_formula(access->at[d], conditions, symbols))
                offset += value(place->substitute(zero)) * strides[d];
        }
    } else {
        offset = value(form.offset);
    }
    fact.least_offset = fact.largest_offset = offset;
    return fact;
}

std::vector<EquationFact> Facts::equations() const {
    std::vector<EquationFact> facts;
    const std::vector<AccessForm> accesses = access_forms(kernel_, solution_);
    for (std::size_t e = 0; e < kernel_.equations.size(); e++) {
        EquationFact fact{kernel_.equations[e].text, indices(e), {}};
        std::vector<std::string> tensors;  // beside fact.accesses
        for (const AccessForm& form : accesses) {
            if (form.equation != static_cast<int>(e)) continue;
            const AccessFact next = access(form, fact.indices);
            bool merged = false;
            for (std::size_t i = 0; i < fact.accesses.size() && !form.is_left; i++) {
                AccessFact& other = fact.accesses[i];
                if (tensors[i] != form.tensor || !next.affine || other.strides != next.strides ||
                    other.affine != next.affine)
                    continue;
                other.count += other.text != next.text;
                other.least_offset = std::min(other.least_offset, next.least_offset);
                other.largest_offset = std::max(other.largest_offset, next.largest_offset);
                merged = true;
                break;
            }
            if (merged) continue;
            fact.accesses.push_back(next);
            tensors.push_back(form.is_left ? "" : form.tensor);  // the left side keeps its own row
        }
        facts.push_back(std::move(fact));
    }
    return facts;
}

std::vector<GuardFact> Facts::guards() const {
    std::vector<GuardFact> facts;
    for (const Guard& guard : solution_.guards) {
        const char* sign = guard.relation == Relation::equal     ? "=="
                           : guard.relation == Relation::at_most ? "<="
                                                                 : "divides";
        facts.push_back({print(guard), fmt::format("{} {} {}", value(guard.left), sign, value(guard.right)),
                         guard.reason, holds(guard, bindings_)});
    }
    return facts;
}

}  // namespace

Solved solve_call(const Call& call) {
    const BuiltinKernel* builtin = find_builtin(call.kernel);
    if (!builtin)
        throw Failure(Error{ErrorKind::name, fmt::format("there is no built-in kernel `{}`", call.kernel), {}, "", ""});
    const Program program = parse(std::string(builtin->text)).value();
    const Kernel& kernel = program.kernels.front();
    Settings open;
    for (const SizeParam& size : kernel.sizes) open[size.name] = std::nullopt;
    const Solution solution = solve(kernel, open).value();
    const Facts facts(kernel, solution, call);
    return {std::string(builtin->text), print(kernel), facts.sizes(), facts.tensors(),
            facts.equations(),          facts.guards()};
}

}  // namespace halogen::demo
