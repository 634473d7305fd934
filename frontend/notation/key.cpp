#include "frontend/notation/key.h"

#include "frontend/notation/symbol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace halogen {

namespace {

/// Writes a kernel with numbers in place of names, given in the order of appearance; tensors, sizes, scalars and indices
/// are counted apart, and indices anew in each equation.
class KeyWriter {
public:
    std::string text;

    void begin_equation() { indices_.clear(); }

    /// `name` is part of the kernel, which outlives this.
    void name(char sort, std::string_view name) {
        auto& numbers = numbers_[sort == 't' ? 0 : sort == 's' ? 1 : 2];
        const auto n = sort == 'i' ? number_of_index(name) : numbers.try_emplace(name, numbers.size()).first->second;
        text += sort;
        number(n);
    }

    void size(const std::string& size) {
        const Symbol symbol = Symbol::of(size);
        if (symbol.is_size()) return name('s', size);
        name('t', symbol.name);
        text += fmt::format(".{}", symbol.number);
    }

    void access(const Access& a) {
        name('t', a.tensor);
        text += '[';
        for (const Expr& place : a.at) expr(place, ',');
        text += ']';
    }

    void expr(const Expr& e) { node(e); }
    void expr(const Expr& e, char end) {
        node(e);
        text += end;
    }

    void tensor(const Tensor& t) {
        name('t', t.name);
        text += ':';
        text += to_string(t.type);
        number(static_cast<int>(t.role), ':');
        number(t.rank, ':');
        if (t.dims) {
            for (const Dim& d : *t.dims) {
                text += '[';
                expr(d.extent, ',');
                expr(d.pad_low, ',');
                expr(d.pad_high, ']');
            }
        }
        number(static_cast<int>(t.boundary.mode), 'e');
        if (t.boundary.constant.defined()) expr(t.boundary.constant);
        text += ';';
    }

    void where(const Where& w) {
        text += '?';
        if (const auto* predicate = std::get_if<Expr>(&w)) return expr(*predicate);
        const auto& range = std::get<InRange>(w);
        name('i', range.index);
        text += " in ";
        expr(range.begin, ':');
        expr(range.end);
    }

private:
    template<typename Integer>
    void number(Integer value) {
        const fmt::format_int digits(value);
        text.append(digits.data(), digits.size());
    }
    template<typename Integer>
    void number(Integer value, char before) {
        text += before;
        number(value);
    }

    void node(const Expr& e) {
        if (!e.defined()) {
            text += '_';
        } else if (const auto* i = e.as<IntegerLiteral>()) {
            number(i->value);
        } else if (const auto* r = e.as<RealLiteral>()) {
            text += fmt::format("r{:a}", r->value);
        } else if (const auto* s = e.as<SizeRef>()) {
            size(s->name);
        } else if (const auto* x = e.as<IndexRef>()) {
            name('i', x->name);
        } else if (const auto* c = e.as<ScalarRef>()) {
            name('x', c->name);
        } else if (const auto* a = e.as<Access>()) {
            access(*a);
        } else {
            operation(e);
        }
    }

    void operation(const Expr& e) {
        if (const auto* c = e.as<Cast>()) {
            text += to_string(c->to);
            text += '(';
            expr(*c->value);
        } else if (const auto* u = e.as<Unary>()) {
            number(static_cast<int>(u->op), 'u');
            text += '(';
            expr(*u->value);
        } else if (const auto* b = e.as<Binary>()) {
            number(static_cast<int>(b->op), 'b');
            text += '(';
            expr(*b->left, ',');
            expr(*b->right);
        } else if (const auto* f = e.as<Call>()) {
            text += to_string(f->function);
            text += '(';
            for (const Expr& argument : f->arguments) expr(argument, ',');
        }
        text += ')';
    }

    /// An equation has few.
    std::size_t number_of_index(std::string_view name) {
        const auto at = std::find(indices_.begin(), indices_.end(), name);
        const auto number = static_cast<std::size_t>(at - indices_.begin());
        if (at == indices_.end()) indices_.push_back(name);
        return number;
    }

    std::array<std::unordered_map<std::string_view, std::size_t>, 3> numbers_;
    std::vector<std::string_view> indices_;
};

}  // namespace

std::string canonical_key(const Kernel& kernel) {
    KeyWriter key;
    key.text = "kernel;";
    for (const Parameter& p : kernel.parameters) {
        if (p.sort == Parameter::Sort::tensor) key.tensor(kernel.tensor(p.name));
        if (p.sort == Parameter::Sort::scalar) {
            key.name('x', p.name);
            key.text += ":" + to_string(kernel.find_scalar(p.name)->type) + ";";
        }
        if (p.sort != Parameter::Sort::size) continue;
        const auto& value = kernel.find_size(p.name)->default_value;
        key.name('s', p.name);
        key.text += "=" + (value ? std::to_string(*value) : "?") + ";";
    }
    for (const Tensor& t : kernel.tensors) {
        if (t.role != Role::input) key.tensor(t);
    }
    for (const SizeCondition& condition : kernel.conditions) {
        key.text += "where ";
        key.expr(condition.relation, ';');
    }
    for (const Let& let : kernel.lets) {
        if (!let.is_size()) continue;  // others stand written out in the equations
        key.name('s', let.name);
        key.text += '=';
        key.expr(let.value, ';');
    }
    for (const Equation& eq : kernel.equations) {
        key.begin_equation();
        key.access(eq.left);
        key.text += to_string(eq.op);
        key.expr(eq.right);
        for (const Where& w : eq.where) key.where(w);
        key.text += ';';
    }
    return std::move(key.text);
}

}  // namespace halogen
