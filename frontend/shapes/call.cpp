#include "frontend/shapes/call.h"

#include "frontend/notation/parse_expr.h"
#include "frontend/shapes/refine_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace halogen::shapes {

namespace {

using Sort = Slot::Sort;

bool fits(const Argument& a, Sort sort);

bool all_fit(const Argument& a, Sort sort, bool nulls) {
    const auto* list = a.as<std::vector<Argument>>();
    return list && std::all_of(list->begin(), list->end(),
                               [&](const Argument& x) { return fits(x, sort) || (nulls && x.is_null()); });
}

bool fits(const Argument& a, Sort sort) {
    switch (sort) {
    case Sort::tensors: return all_fit(a, Sort::tensor, false);
    case Sort::indices: return all_fit(a, Sort::tensor, true);
    case Sort::integer: return a.as<Formula>();
    case Sort::integers: return a.as<Formula>() || all_fit(a, Sort::integer, false);
    case Sort::number: return a.as<Formula>() || a.as<double>();
    case Sort::numbers: return fits(a, Sort::number) || all_fit(a, Sort::number, false);
    case Sort::flag: return a.as<bool>();
    case Sort::text: return a.as<std::string>();
    default: return a.as<Operand>();
    }
}

bool has_type(const Operand& o, Sort sort) {
    switch (sort) {
    case Sort::floats: return is_float(o.type);
    case Sort::wholes: return !is_float(o.type);
    case Sort::index: return is_integer(o.type);
    case Sort::mask: return o.type == Type::boolean;
    default: return true;
    }
}

std::string type_wanted(Sort sort) {
    switch (sort) {
    case Sort::floats: return "a floating-point type: f64, f32, f16 or bf16";
    case Sort::wholes: return "integers or bool";
    case Sort::index: return "integers: i64 or i32";
    default: return "bool";
    }
}

std::string sort_wanted(Sort sort) {
    switch (sort) {
    case Sort::tensors: return "a list of tensors";
    case Sort::indices: return "a list of tensors and nulls";
    case Sort::integer: return "an integer";
    case Sort::integers: return "a list of integers";
    case Sort::number: return "a number";
    case Sort::numbers: return "a list of numbers";
    case Sort::flag: return "true or false";
    case Sort::text: return "a text";
    default: return "a tensor: {\"shape\": [2, 3]}";
    }
}

}  // namespace

Call::Call(const Operator& op, const Signature& signature, const Arguments& given, const Knowledge& known,
           Equations& equations, Branch& branch)
    : operator_(op), signature_(signature), known_(known), equations_(equations), branch_(branch) {
    for (const auto& [name, value] : given) {
        if (signature.find(name)) continue;
        std::vector<std::string> names;
        for (const Slot& slot : signature.slots) names.push_back(slot.name);
        const std::string close = nearest(name, names);
        throw Refusal(Refused::call, fmt::format("{} has no argument `{}`", op.name, name),
                      (close.empty() ? "" : fmt::format("did you mean `{}`? ", close)) +
                          fmt::format("it takes {}", op.signature));
    }
    for (const Slot& slot : signature.slots) bind(slot, given);
}

void Call::bind(const Slot& slot, const Arguments& given) {
    const auto at = given.find(slot.name);
    if (at == given.end() && !slot.standard)
        throw Refusal(Refused::call, fmt::format("{} needs the argument `{}`", operator_.name, slot.name),
                      fmt::format("it takes {}", operator_.signature));
    const Argument& value = at == given.end() ? *slot.standard : at->second;
    const bool is_null = value.is_null() && (slot.nullable || (slot.standard && slot.standard->is_null()));
    if (!is_null && !fits(value, slot.sort))
        throw Refusal(Refused::call, fmt::format("{}: `{}` is {}", operator_.name, slot.name, print(value)),
                      fmt::format("give {}{}", sort_wanted(slot.sort), slot.nullable ? ", or null" : ""));
    if (const auto* operand = value.as<Operand>(); operand && !has_type(*operand, slot.sort))
        throw Refusal(Refused::dtype,
                      fmt::format("{}: `{}` holds {}", operator_.name, slot.name, to_string(operand->type)),
                      fmt::format("give {}", type_wanted(slot.sort)));
    arguments_.push_back(value);
}

const Argument& Call::argument(std::string_view name) const {
    const Slot* slot = signature_.find(name);
    if (!slot) throw std::logic_error(fmt::format("{} asks for `{}`, which it does not take", operator_.name, name));
    return arguments_[static_cast<std::size_t>(slot - signature_.slots.data())];
}

std::vector<Operand> Call::tensors(std::string_view name) const {
    std::vector<Operand> all;
    for (const Argument& item : *argument(name).as<std::vector<Argument>>()) all.push_back(*item.as<Operand>());
    return all;
}

std::vector<std::optional<Operand>> Call::indices(std::string_view name) const {
    std::vector<std::optional<Operand>> all;
    for (const Argument& item : *argument(name).as<std::vector<Argument>>())
        all.push_back(item.is_null() ? std::nullopt : std::optional(*item.as<Operand>()));
    return all;
}

Shape Call::sizes(std::string_view name) const {
    if (const auto* one = argument(name).as<Formula>()) return {*one};
    Shape all;
    for (const Argument& item : *argument(name).as<std::vector<Argument>>()) all.push_back(*item.as<Formula>());
    return all;
}

std::vector<std::int64_t> Call::integers(std::string_view name) const {
    std::vector<std::int64_t> all;
    for (const Formula& f : sizes(name)) {
        if (!f.constant())
            throw Refusal(Refused::call, fmt::format("{}: `{}` holds `{}`", operator_.name, name, halogen::print(f)),
                          "give numbers: the dims of the result depend on them");
        all.push_back(*f.constant());
    }
    return all;
}

std::int64_t Call::integer(std::string_view name) const { return integers(name).at(0); }

void Call::refuse(Refused kind, const std::string& because) const {
    throw Refusal(kind, fmt::format("{}: {}", operator_.name, because));
}

void Call::record(const Predicate& condition, Refused kind, std::string sentence) {
    if (condition.known())
        throw Refusal(kind, fmt::format("{} needs {}, but {}", operator_.name, sentence, print_failure(condition)));
    const auto bound = bound_of(condition);
    if (bound)  // a weaker one on the same size says nothing any more
        std::erase_if(requirements_, [&](const Requirement& r) {
            const auto other = bound_of(r.condition);
            return other && other->first == bound->first;
        });
    requirements_.push_back({condition, kind, std::move(sentence)});
    if (!bound) return;
    if (!raised_) raised_ = known_.least();
    std::int64_t& least = (*raised_)[bound->first];
    least = std::max(least, bound->second);
}

bool Call::follows(const Predicate& condition) const {
    if (condition.known()) return *condition.known();
    const auto is_same = [&](const Requirement& r) { return r.condition == condition; };
    return shapes::decide(condition, least()).value_or(false) ||
           std::any_of(requirements_.begin(), requirements_.end(), is_same);
}

std::optional<bool> Call::prove(const Predicate& condition) const {
    if (condition.known()) return condition.known();
    if (const auto quick = shapes::decide(condition, least())) return quick;
    std::vector<Predicate> also = branch_.assumed;
    for (const Requirement& r : requirements_) also.push_back(r.condition);
    return known_.decide(condition, also);
}

bool Call::decide(const Predicate& condition) {
    if (const auto known = prove(condition)) return *known;
    const std::size_t question = branch_.assumed.size();
    const Predicate yes = shapes::simplify(condition, least()), no = shapes::simplify(!condition, least());
    if (no.known()) return !*no.known();
    for (const Predicate& assumed : branch_.assumed) {
        if (assumed == yes) return true;
        if (assumed == no) return false;
    }
    if (question == branch_.answers.size()) branch_.answers.push_back(true);
    const bool answer = branch_.answers[question];
    branch_.assumed.push_back(answer ? yes : no);
    return answer;
}

std::vector<Shape> Call::derive(const std::string& kernel, std::map<std::string, Shape> inputs,
                                std::map<std::string, Formula> sizes, std::string_view guards) {
    const SolvedKernel& solved = equations_(kernel);
    for (const Tensor* tensor : solved.kernel.inputs()) {
        const Shape& shape = inputs.at(tensor->name);
        if (static_cast<int>(shape.size()) != tensor->rank)
            refuse(Refused::rank, fmt::format("`{}` is {}, of rank {} and not {}", tensor->name, print(shape),
                                              shape.size(), tensor->rank));
    }
    const auto& sources = solved.solution.sources;
    std::vector<std::pair<const std::string*, const Formula*>> values;  // few: faster searched than sorted
    for (const auto& [symbol, source] : sources)
        values.emplace_back(&symbol, source.tensor.empty() ? &sizes.at(symbol) : &inputs.at(source.tensor)[source.dim]);
    const auto value_of = [&](const std::string& name) -> const Formula* {
        const auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return *v.first == name; });
        return at == values.end() ? nullptr : at->second;
    };
    const auto value = [&](const Formula& f) {
        const auto* atom = f.as_atom();
        return atom && atom->kind == Formula::Atom::Kind::symbol ? *value_of(atom->name) : f.substitute(value_of);
    };
    for (const Guard& g : solved.solution.guards) {
        const Formula left = value(g.left), right = value(g.right);
        const Predicate p = g.relation == Relation::equal     ? equal(left, right)
                            : g.relation == Relation::at_most ? at_most(left, right)
                                                              : divides(left, right);
        const Refused kind = g.relation == Relation::equal     ? Refused::size_mismatch
                             : g.relation == Relation::at_most ? Refused::kernel_too_large
                                                               : Refused::not_divisible;
        const bool is_named = g.relation == Relation::at_most && !guards.empty();
        require(p, kind, [&] { return is_named ? std::string(guards) : fmt::format("{} ({})", print(g), g.reason); });
    }
    for (const auto& [tensor, dim, extent] : solved.tied) {
        const auto wanted = [&, &tensor = tensor, &dim = dim, &extent = extent] {
            const auto source = sources.find(extent.as_symbol().value_or(""));
            const bool is_dim = source != sources.end() && !source->second.tensor.empty();
            return fmt::format("dim {} of `{}` to be {}", dim, tensor->name,
                               is_dim ? fmt::format("dim {} of `{}`", source->second.dim, source->second.tensor)
                                      : halogen::print(extent));
        };
        require(equal(inputs.at(tensor->name)[dim], value(extent)), Refused::size_mismatch, wanted);
    }
    std::vector<Shape> outputs;
    for (const Tensor* tensor : solved.kernel.outputs()) {
        outputs.emplace_back();
        for (const Formula& extent : solved.solution.extents.at(tensor->name)) outputs.back().push_back(value(extent));
    }
    derivations_.push_back({kernel, std::move(inputs), std::move(sizes), outputs});
    return outputs;
}

}  // namespace halogen::shapes
