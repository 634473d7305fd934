#include "frontend/key.h"

#include <fmt/format.h>

#include <map>

namespace halogen {

namespace {

/// Gives names their numbers; indices begin anew in each equation.
class Renamer {
public:
    std::string operator()(char sort, const std::string& name) {
        auto& names = sort == 'i' ? indices_ : names_;
        const auto [at, is_new] = names.emplace(name, static_cast<int>(names.size()));
        return fmt::format("{}{}", sort, at->second);
    }
    void begin_equation() { indices_.clear(); }

private:
    std::map<std::string, int> names_, indices_;
};

std::string key_of(const Expr& e, Renamer& rename);

std::string key_of(const Access& a, Renamer& rename) {
    std::string text = rename('t', a.tensor) + "[";
    for (const Expr& place : a.at) text += key_of(place, rename) + ",";
    return text + "]";
}

std::string size_key(const std::string& name, Renamer& rename) {
    const auto dot = name.find('.');
    return dot == std::string::npos ? rename('s', name) : rename('t', name.substr(0, dot)) + name.substr(dot);
}

std::string key_of(const Expr& e, Renamer& rename) {
    if (!e.defined()) return "_";
    if (const auto* i = e.as<IntegerLiteral>()) return fmt::format("{}", i->value);
    if (const auto* r = e.as<RealLiteral>()) return fmt::format("r{:a}", r->value);
    if (const auto* s = e.as<SizeRef>()) return size_key(s->name, rename);
    if (const auto* i = e.as<IndexRef>()) return rename('i', i->name);
    if (const auto* s = e.as<ScalarRef>()) return rename('x', s->name);
    if (const auto* a = e.as<Access>()) return key_of(*a, rename);
    if (const auto* c = e.as<Cast>()) return fmt::format("{}({})", to_string(c->to), key_of(*c->value, rename));
    if (const auto* u = e.as<Unary>())
        return fmt::format("u{}({})", static_cast<int>(u->op), key_of(*u->value, rename));
    if (const auto* b = e.as<Binary>()) {
        const std::string left = key_of(*b->left, rename);  // numbers are given in reading order
        return fmt::format("b{}({},{})", static_cast<int>(b->op), left, key_of(*b->right, rename));
    }
    const auto* c = e.as<Call>();
    std::string text = to_string(c->function) + "(";
    for (const Expr& argument : c->arguments) text += key_of(argument, rename) + ",";
    return text + ")";
}

std::string key_of(const Tensor& t, Renamer& rename) {
    std::string text =
        fmt::format("{}:{}:{}:{}", rename('t', t.name), to_string(t.type), static_cast<int>(t.role), t.rank);
    for (const Dim& d : t.dims ? *t.dims : std::vector<Dim>{})
        text +=
            "[" + key_of(d.extent, rename) + "," + key_of(d.pad_low, rename) + "," + key_of(d.pad_high, rename) + "]";
    text += fmt::format("e{}", static_cast<int>(t.boundary.mode));
    return text + (t.boundary.constant.defined() ? key_of(t.boundary.constant, rename) : "") + ";";
}

std::string key_of(const Where& w, Renamer& rename) {
    if (const auto* predicate = std::get_if<Expr>(&w)) return "?" + key_of(*predicate, rename);
    const auto& range = std::get<InRange>(w);
    const std::string begin = rename('i', range.index) + " in " + key_of(range.begin, rename);
    return "?" + begin + ":" + key_of(range.end, rename);
}

}  // namespace

std::string canonical_key(const Kernel& kernel) {
    Renamer rename;
    std::string text = "kernel;";
    for (const Parameter& p : kernel.parameters) {
        if (p.sort == Parameter::Sort::tensor) text += key_of(kernel.tensor(p.name), rename);
        if (p.sort == Parameter::Sort::scalar)
            text += fmt::format("{}:{};", rename('x', p.name), to_string(kernel.find_scalar(p.name)->type));
        if (p.sort != Parameter::Sort::size) continue;
        const auto& value = kernel.find_size(p.name)->default_value;
        text += fmt::format("{}={};", rename('s', p.name), value ? fmt::format("{}", *value) : "?");
    }
    for (const Tensor& t : kernel.tensors) {
        if (t.role != Role::input) text += key_of(t, rename);
    }
    for (const Equation& eq : kernel.equations) {
        rename.begin_equation();
        text += key_of(eq.left, rename) + to_string(eq.op) + key_of(eq.right, rename);
        for (const Where& w : eq.where) text += key_of(w, rename);
        text += ";";
    }
    return text;
}

}  // namespace halogen
