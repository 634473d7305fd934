#include "frontend/shapes/document.h"

#include "frontend/shapes/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace halogen::shapes {

namespace {

using Sort = Slot::Sort;

/// One way to fill the slots of a signature.
struct Filling {
    std::vector<int> ranks;  // of the tensor arguments, in turn
    int list = 2;            // length of lists of integers
    bool nulls = true;       // leave out what may be null
    bool numbers = false;    // extents are numbers: they decide how many results there are
};

constexpr std::array ranks_tried{3, 2, 4, 5, 1, 0};

bool names_dims(std::string_view name) {
    constexpr std::string_view names[] = {"dim",        "dims", "dimension", "source", "destination", "dims_self",
                                          "dims_other", "dim0", "dim1",      "dim2",   "start_dim",   "end_dim"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Numbers that decide how many results or dims there are, or which branch is taken.
std::optional<std::int64_t> number_for(std::string_view name) {
    if (name == "dim1" || name == "destination") return 1;
    if (name == "dims_other") return 0;
    if (name == "dims_self") return 1;
    if (name == "chunks" || name == "sections") return 2;
    if (name == "k" || name == "reduction") return 1;
    if (names_dims(name)) return 0;
    return std::nullopt;
}

std::string letters(std::string_view name) {
    return name == "input" ? "n" : name == "other" ? "m" : std::string(name) + "_";
}

Operand operand(const std::string& letter, int rank, Sort sort) {
    Operand o;
    for (int d = 0; d < rank; ++d) o.shape.push_back(Formula::symbol(fmt::format("{}{}", letter, d)));
    if (sort == Sort::index || sort == Sort::wholes) o.type = Type::i64;
    if (sort == Sort::mask) o.type = Type::boolean;
    return o;
}

Argument list_for(const Slot& slot, int length) {
    std::vector<Argument> list;
    const auto number = number_for(slot.name);
    for (int i = 0; i < length; ++i)
        list.push_back({number ? Formula(slot.name == "dims" ? length - 1 - i : *number + i)
                               : Formula::symbol(length == 1 ? slot.name : fmt::format("{}{}", slot.name, i))});
    return {std::move(list)};
}

Argument argument_for(const Slot& slot, const Filling& filling, std::size_t& tensor) {
    const auto rank = [&] { return filling.ranks[std::min(tensor++, filling.ranks.size() - 1)]; };
    switch (slot.sort) {
    case Sort::tensors: {
        const int r = rank();
        return {std::vector<Argument>{{operand("n", r, Sort::tensor)}, {operand("m", r, Sort::tensor)}}};
    }
    case Sort::indices: return {std::vector<Argument>{{operand("i", 1, Sort::index)}}};
    case Sort::integer:
        if (const auto number = number_for(slot.name)) return {Formula(*number)};
        return {filling.numbers ? Formula(2) : Formula::symbol(slot.name)};
    case Sort::integers: {
        const bool one = slot.name == "dim" || slot.name == "source" || slot.name == "destination" ||
                         slot.name == "dims_self" || slot.name == "dims_other";
        return list_for(slot, one ? 1 : filling.list);
    }
    case Sort::number: return {Formula(slot.name == "end" ? Formula::symbol("end") : Formula(1))};
    case Sort::numbers: return {std::vector<Argument>(static_cast<std::size_t>(filling.list), Argument{2.0})};
    case Sort::flag: return {false};
    case Sort::text: return {std::string("ij,jk->ik")};
    default:
        if (filling.numbers) return {Operand{Shape(static_cast<std::size_t>(rank()), 4)}};
        return {operand(letters(slot.name), rank(), slot.sort)};
    }
}

Arguments filled(const Entry& entry, const Filling& filling) {
    Arguments arguments;
    std::size_t tensor = 0;
    for (const Slot& slot : entry.signature.slots) {
        const bool wanted = slot.name == "output_size" || (!filling.nulls && slot.nullable && is_tensor(slot.sort));
        const bool has_own = slot.standard.has_value() && !wanted;
        if (!has_own) arguments.emplace(slot.name, argument_for(slot, filling, tensor));
    }
    return arguments;
}

bool is_legal(Library& library, const Entry& entry, const Arguments& arguments) {
    try {
        const std::vector<Inference> all = library.infer(entry.op->name, arguments);
        return std::any_of(all.begin(), all.end(), [](const Inference& i) { return !i.refusal; });
    } catch (const Failure&) {
        return false;
    }
}

/// Fillings from the plain to the odd: all tensors of one rank, then others behind the first, at last any three ranks.
std::vector<Filling> fillings() {
    std::vector<Filling> all;
    for (const int list : {2, 1, 3, 4, 5}) {
        for (const int rank : ranks_tried) all.push_back({{rank}, list});
    }
    for (const bool nulls : {true, false}) {
        for (const int a : ranks_tried) {
            for (const int b : ranks_tried) all.push_back({{a, b}, 1, nulls});
        }
    }
    all.push_back({{2}, 2, true, true});
    for (const int a : ranks_tried) {
        for (const int b : ranks_tried) {
            for (const int c : ranks_tried) all.push_back({{a, b, c}});
        }
    }
    return all;
}

std::string escaped(std::string_view text) {
    std::string all;
    for (const char c : text) all += c == '|' ? std::string("\\|") : std::string(1, c);
    return all;
}

void add_inference(std::string& text, const Inference& inference) {
    std::string when;
    for (const Predicate& p : inference.assumed) when += (when.empty() ? " when `" : " and `") + print(p) + "`";
    if (inference.refusal) {
        text += fmt::format("- refused{}: {}\n", when, inference.refusal->error().what);
        return;
    }
    for (const Operand& o : inference.results) {
        const std::string strides = o.strides ? fmt::format(", strides `{}`", print(*o.strides)) : "";
        text += fmt::format("- gives `{}{}`{}{}\n", to_string(o.type), print(o.shape), strides, when);
    }
    std::vector<std::string> seen;
    for (const Requirement& r : inference.requirements) {
        std::string line = fmt::format("- needs `{}`: {} ({})\n", print(r.condition), r.sentence, to_string(r.kind));
        if (std::find(seen.begin(), seen.end(), line) != seen.end()) continue;
        seen.push_back(line);
        text += line;
    }
}

void add_operator(std::string& text, Library& library, const Entry& entry) {
    const Operator& op = *entry.op;
    text += fmt::format("\n### {}\n\n`{}`\n\n", op.name, op.signature);
    if (!op.equation.empty())
        text += fmt::format("Equation: `{}`\n\n", op.equation);
    else
        text += fmt::format("Written out: {}.\n\n", op.written_because);
    const auto example = example_call(library, entry);
    if (!example) return;
    text += fmt::format("`{}`\n\n", print_call(op.name, *example));
    for (const Inference& inference : library.infer(op.name, *example)) add_inference(text, inference);
}

/// The operators without an equation, by the reason.
void add_reasons(std::string& text, const Library& library) {
    std::vector<std::pair<std::string_view, std::string>> reasons;
    for (const Entry& entry : library.entries()) {
        if (!entry.op->equation.empty()) continue;
        const auto at = std::find_if(reasons.begin(), reasons.end(),
                                     [&](const auto& r) { return r.first == entry.op->written_because; });
        if (at == reasons.end())
            reasons.emplace_back(entry.op->written_because, entry.op->name);
        else
            at->second += fmt::format(", {}", entry.op->name);
    }
    for (const auto& [reason, names] : reasons) text += fmt::format("- {}: {}\n", reason, names);
}

}  // namespace

std::optional<Arguments> example_call(Library& library, const Entry& entry) {
    for (const Filling& filling : fillings()) {
        Arguments arguments = filled(entry, filling);
        if (is_legal(library, entry, arguments)) return arguments;
    }
    return std::nullopt;
}

std::string document(Library& library) {
    std::string text =
        "# Operators\n\nMade by `halogen ops --markdown`; do not edit. Each entry shows what the operator takes, the "
        "index "
        "equation its shape\nfollows from (or why it is written out), and a call on symbols with its shapes, the "
        "strides of "
        "views, and every condition\nwith the error its failure is. Conditions that numbers decide (ranks, dims, "
        "modes, types) "
        "are refused at once, with a message.\n\n| Family | | Operators |\n| --- | --- | --- |\n";
    std::size_t derived = 0;
    for (const Family& family : families()) {
        std::string names;
        for (const Operator& op : family.operators) {
            names += fmt::format("{}[{}](#{})", names.empty() ? "" : ", ", op.name, op.name);
            derived += !op.equation.empty();
        }
        text += fmt::format("| [{}](#{}-family) | {} | {} |\n", family.name, family.name, escaped(family.about), names);
    }
    text += fmt::format("\n{} operators: {} follow from an equation, {} are written out, for these reasons:\n\n",
                        library.entries().size(), derived, library.entries().size() - derived);
    add_reasons(text, library);
    for (const Family& family : families()) {
        text += fmt::format("\n## {} family\n\n{}.\n", family.name, family.about);
        for (const Operator& op : family.operators) add_operator(text, library, library.entry(op.name));
    }
    return text;
}

}  // namespace halogen::shapes
