#include "frontend/shapes/library.h"

#include "frontend/notation/parse_expr.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

constexpr std::size_t most_branches = 64;

const Operand* first_operand(const Argument& a) {
    if (const auto* operand = a.as<Operand>()) return operand;
    const auto* list = a.as<std::vector<Argument>>();
    return list && !list->empty() ? list->front().as<Operand>() : nullptr;
}

void promote_all(const Argument& a, std::optional<Type>& type) {
    if (const auto* operand = a.as<Operand>()) type = type ? promote(*type, operand->type) : operand->type;
    if (const auto* list = a.as<std::vector<Argument>>()) {
        for (const Argument& item : *list) promote_all(item, type);
    }
}

Type result_type(TypeRule rule, const Call& call) {
    if (rule == TypeRule::boolean) return Type::boolean;
    if (rule == TypeRule::i64) return Type::i64;
    std::optional<Type> type;
    for (const Slot& slot : call.signature().slots) {
        if (slot.sort == Slot::Sort::mask) continue;
        const Argument& argument = call.argument(slot.name);
        if (rule == TypeRule::promoted)
            promote_all(argument, type);
        else if (const Operand* operand = first_operand(argument); operand && !type)
            type = operand->type;
    }
    return type.value_or(Type::f32);
}

}  // namespace

Library::Library() {
    for (const Family& family : families()) {
        for (const Operator& op : family.operators) {
            by_name_.emplace(op.name, entries_.size());
            entries_.push_back({&op, &family, parse_signature(op.signature)});
        }
    }
}

const Entry& Library::entry(std::string_view name) const {
    const auto at = by_name_.find(name);
    if (at != by_name_.end()) return entries_[at->second];
    std::vector<std::string> names;
    for (const Entry& e : entries_) names.emplace_back(e.op->name);
    const std::string close = nearest(std::string(name), names);
    throw Refusal(Refused::call, fmt::format("there is no operator `{}`", name),
                  (close.empty() ? "" : fmt::format("did you mean `{}`? ", close)) + "`halogen ops` lists them");
}

Inference Library::branch(const Entry& entry, const Arguments& arguments, const Knowledge& known, Branch& branch) {
    Inference inference;
    try {
        Call call(*entry.op, entry.signature, arguments, known, equations_, branch);
        inference.results = entry.op->shape(call);
        const auto& rules = entry.signature.results;
        for (std::size_t i = 0; i < inference.results.size(); ++i)
            inference.results[i].type = result_type(rules[std::min(i, rules.size() - 1)], call);
        inference.requirements = call.requirements();
        inference.derivations = call.derivations();
    } catch (const Refusal& refusal) {
        inference.refusal = refusal;
    } catch (const Failure& failure) {  // past 62 bits
        inference.refusal = Refusal(Refused::undetermined, fmt::format("{}: {}", entry.op->name, failure.error().what));
    }
    inference.assumed = branch.assumed;
    return inference;
}

std::vector<Inference> Library::infer(std::string_view op, const Arguments& arguments, const Knowledge& known) {
    const Entry& entry = this->entry(op);
    std::vector<Inference> all;
    std::vector<std::vector<bool>> waiting{{}};
    while (!waiting.empty()) {
        Branch path{std::move(waiting.back()), {}};
        waiting.pop_back();
        const std::size_t given = path.answers.size();
        all.push_back(branch(entry, arguments, known, path));
        for (std::size_t i = given; i < path.assumed.size(); ++i) {
            waiting.emplace_back(path.answers.begin(), path.answers.begin() + static_cast<std::ptrdiff_t>(i));
            waiting.back().push_back(false);
        }
        if (all.size() + waiting.size() > most_branches)
            throw Refusal(Refused::undetermined, fmt::format("{}: the sizes leave too many cases", op),
                          "give more of them as numbers");
    }
    return all;
}

}  // namespace halogen::shapes
