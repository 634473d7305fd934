// The values of lets, in place of their names.

#include "frontend/notation/check.h"

#include "frontend/notation/parts.h"

#include <fmt/format.h>

#include <map>

namespace halogen {
namespace {

constexpr std::int64_t most_nodes = 10000;  // of a value that is written out

[[noreturn]] void fail_in(const Let& let, ErrorKind kind, std::string what, Position at, std::string fix) {
    throw Failure({kind, std::move(what), at.line > 0 ? at : let.at, let.text, std::move(fix)});
}

/// Literals, sizes and scalars, and what is computed of them.
void require_value(const Let& let) {
    walk(let.value, [&](const Expr& e) {
        const auto* access = e.as<Access>();
        const auto* index = e.as<IndexRef>();
        if (access)
            fail_in(
                let, ErrorKind::name,
                fmt::format("the value of `let {}` reads the tensor `{}`", let.name, access->tensor), e.position(),
                fmt::format("write an equation, `{}[] = ...`; a `let` holds literals, sizes, scalars and earlier lets",
                            let.name));
        if (index)
            fail_in(
                let, ErrorKind::name,
                fmt::format("`{}` in the value of `let {}` is no scalar and no earlier `let`", index->name, let.name),
                e.position(), "a `let` holds literals, sizes, scalars and earlier lets; a size begins with a capital");
    });
}

/// The lets that were read so far, and their values.
class Writer {
public:
    explicit Writer(Kernel& kernel) : kernel_(kernel) {}

    void run() {
        for (std::size_t i = 0; i < kernel_.lets.size(); ++i) {
            Let& let = kernel_.lets[i];
            let.value = written_out(let.value);
            require_value(let);
            require_size(let);
            if (!let.is_size()) values_[let.name] = let.value.written_as(static_cast<int>(i) + 1);
        }
        if (values_.empty()) return;
        for (Tensor& t : kernel_.tensors) {
            if (t.role != Role::intermediate || !t.dims) continue;
            for (Dim& d : *t.dims)
                for (Expr* e : {&d.extent, &d.pad_low, &d.pad_high}) *e = written_out(*e);
        }
        for (Equation& eq : kernel_.equations) {
            change_expressions(eq, [&](const Expr& e) { return written_out(e); });
            each_expression(eq, [&](const Expr& e) {
                if (e.depth() > Expr::max_depth)
                    fail_in(eq, ErrorKind::too_complex,
                            fmt::format("an expression is more than {} operators deep", Expr::max_depth), eq.at,
                            "name parts of it as intermediate tensors");
            });
        }
    }

private:
    Expr written_out(const Expr& e) const {
        return rewrite(e, [&](const Expr& node) {
            const auto* index = node.as<IndexRef>();
            const auto value = index ? values_.find(index->name) : values_.end();
            return value == values_.end() ? node : at(value->second, node.position());
        });
    }

    /// A copy of the value whose mistakes are shown where its name stands.
    static Expr at(const Expr& value, Position position) {
        return rewrite(value, [&](const Expr& node) { return Expr(ExprNode(node.node()), position); });
    }

    void require_size(const Let& let) {
        std::int64_t nodes = 0;
        walk(let.value, [&](const Expr&) { ++nodes; });
        if (nodes > most_nodes || let.value.depth() > Expr::max_depth)
            fail_in(let, ErrorKind::too_complex,
                    fmt::format("the value of `let {}`, written out, has more than {} parts or {} levels", let.name,
                                most_nodes, Expr::max_depth),
                    let.at, fmt::format("compute it by an equation, `{}[] = ...`", let.name));
    }

    Kernel& kernel_;
    std::map<std::string, Expr> values_;
};

}  // namespace

void write_out_lets(Kernel& kernel) { Writer(kernel).run(); }

}  // namespace halogen
