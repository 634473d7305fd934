// Which tensors a kernel has, in which roles, of which rank; and that each is written before it is read.

#include "frontend/notation/check.h"

#include "frontend/notation/parse_expr.h"
#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"

#include <fmt/format.h>

#include <set>

namespace halogen {
namespace {

constexpr std::size_t max_rank = 16;  // that of Halide's buffers as the runtime passes them, detail::max_dims

std::string plural(std::size_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

class TensorFinder {
public:
    TensorFinder(Kernel& kernel, std::vector<std::string>& open_types) : kernel_(kernel), open_types_(open_types) {}

    void run() {
        std::erase_if(kernel_.tensors,
                      [&](const Tensor& t) { return t.role == Role::intermediate ? !t.dims : kernel_.name.empty(); });
        for (const Equation& eq : kernel_.equations) written_.insert(eq.left.tensor);
        kernel_.name.empty() ? find_bare() : check_declared();
        check_written();
        find_intermediates();
        for (const Equation& eq : kernel_.equations) {
            use_rank(eq, eq.left);
            each_read(eq, [&](const Access& a) { use_rank(eq, a); });
        }
        check_order();
        check_size_names();
    }

private:
    void add(const std::string& name, Role role, Position at) {
        Tensor t;
        t.name = name;
        t.role = role;
        t.at = at;
        kernel_.tensors.push_back(std::move(t));
    }

    /// A bare equation's inputs are the tensors never written, its outputs those written and read by no other equation.
    void find_bare() {
        if (!kernel_.scalars.empty() || !kernel_.sizes.empty())
            throw Failure(
                {ErrorKind::name, "a kernel with parameters needs a name", kernel_.at, "", "name the kernel"});
        kernel_.parameters.clear();
        for (const Equation& eq : kernel_.equations)
            each_read(eq, [&](const Access& a) {
                if (written_.count(a.tensor) || kernel_.find_tensor(a.tensor)) return;
                add(a.tensor, Role::input, a.position);
                kernel_.parameters.push_back({Parameter::Sort::tensor, a.tensor});
            });
        std::set<std::string> read;
        for (const Equation& eq : kernel_.equations)
            each_read(eq, [&](const Access& a) {
                if (a.tensor != eq.left.tensor) read.insert(a.tensor);
            });
        for (const Equation& eq : kernel_.equations)
            if (!read.count(eq.left.tensor) && !kernel_.find_tensor(eq.left.tensor))
                add(eq.left.tensor, Role::output, eq.left.position);
        if (kernel_.outputs().empty()) {
            if (kernel_.equations.empty())
                throw Failure({ErrorKind::syntax, "there is no equation", kernel_.at, "", "write one"});
            fail_in(kernel_.equations.back(), ErrorKind::name,
                    "there is no output, for every tensor written is read by another equation", {},
                    "write a `kernel` and declare its outputs");
        }
    }

    void check_declared() {
        for (const Tensor& t : kernel_.tensors)
            if (t.role == Role::output && !written_.count(t.name))
                throw Failure(
                    {ErrorKind::name, fmt::format("output `{}` is never written", t.name), t.at, "",
                     fmt::format("add an equation with `{}[...]` on its left, or remove the output", t.name)});
        if (kernel_.outputs().empty())
            throw Failure({ErrorKind::syntax, fmt::format("kernel `{}` has no output", kernel_.name), kernel_.at, "",
                           "declare one behind `->`"});
        for (const Equation& eq : kernel_.equations) {
            const Tensor* t = kernel_.find_tensor(eq.left.tensor);
            if (t && t->role == Role::input)
                fail_in(eq, ErrorKind::name, fmt::format("`{}` is an input and cannot be written", t->name),
                        eq.left.position, "write to an output or to a tensor of another name");
        }
    }

    /// What `tmp` declares.
    void check_written() const {
        for (const Tensor& t : kernel_.tensors)
            if (t.role == Role::intermediate && !written_.count(t.name))
                throw Failure({ErrorKind::name, fmt::format("`tmp {}` is never written", t.name), t.at, "",
                               fmt::format("add an equation with `{}[...]` on its left, or remove it", t.name)});
    }

    void find_intermediates() {
        for (const Equation& eq : kernel_.equations) {
            const auto use = [&](const Access& a) {
                if (kernel_.find_tensor(a.tensor)) return;
                if (!written_.count(a.tensor)) fail_unknown(eq, a);
                add(a.tensor, Role::intermediate, a.position);
                open_types_.push_back(a.tensor);
            };
            use(eq.left);
            each_read(eq, use);
        }
    }

    [[noreturn]] void fail_unknown(const Equation& eq, const Access& a) const {
        if (kernel_.find_scalar(a.tensor))
            fail_in(eq, ErrorKind::name, fmt::format("`{}` is a scalar, and only tensors take brackets", a.tensor),
                    a.position,
                    fmt::format("declare it with dims, `{}: {}[N]`, or remove the brackets", a.tensor,
                                to_string(kernel_.find_scalar(a.tensor)->type)));
        std::vector<std::string> known(written_.begin(), written_.end());
        for (const Tensor& t : kernel_.tensors) known.push_back(t.name);
        const std::string close = nearest(a.tensor, known);
        fail_in(eq, ErrorKind::name, fmt::format("there is no tensor `{}`", a.tensor), a.position,
                close.empty() ? fmt::format("declare `{}` as a parameter, or write it in an equation before", a.tensor)
                              : fmt::format("did you mean `{}`?", close));
    }

    void use_rank(const Equation& eq, const Access& a) {
        if (a.at.size() > max_rank)
            fail_in(eq, ErrorKind::rank,
                    fmt::format("`{}` has {} dims; a tensor has at most {}", a.tensor, a.at.size(), max_rank),
                    a.position, "fuse some of its dims: a dim of extent N*M holds what two of extents N and M do");
        Tensor& t = kernel_.tensors[&kernel_.tensor(a.tensor) - kernel_.tensors.data()];
        const int rank = static_cast<int>(a.at.size());
        if (t.dims) t.rank = static_cast<int>(t.dims->size());
        if (!t.dims && !ranked_.count(t.name)) t.rank = rank;
        ranked_.insert(t.name);
        if (t.rank == rank) return;
        fail_in(eq, ErrorKind::rank,
                fmt::format("`{}` has {} but is used with {} in {}", t.name,
                            plural(static_cast<std::size_t>(t.rank), "dim"), rank, brief(Expr(ExprNode{a}))),
                a.position,
                t.dims ? fmt::format("give {} in the brackets, or change the declaration",
                                     plural(static_cast<std::size_t>(t.rank), "place"))
                       : fmt::format("use `{}` with one number of dims throughout", t.name));
    }

    void check_order() const {
        std::set<std::string> done;
        for (const Equation& eq : kernel_.equations) {
            each_read(eq, [&](const Access& a) {
                const Tensor& t = kernel_.tensor(a.tensor);
                if (t.role == Role::input || a.tensor == eq.left.tensor || done.count(a.tensor)) return;
                fail_in(eq, ErrorKind::name, fmt::format("`{}` is read before it is written", a.tensor), a.position,
                        fmt::format("equations run in textual order: move the one that defines `{}` up", a.tensor));
            });
            done.insert(eq.left.tensor);
        }
    }

    /// `X.0` must be a dim that exists; a bare `S` beside a tensor `S` is a size, and must be one that some dim mentions.
    void check_size_names() const {
        std::set<std::string> mentioned;
        for (const Tensor& t : kernel_.tensors) {
            for (const Dim& d : t.dims ? *t.dims : std::vector<Dim>{}) {
                for (const Expr& e : {d.extent, d.pad_low, d.pad_high})
                    walk(e, [&](const Expr& node) {
                        auto* size = node.as<SizeRef>();
                        if (!size) return;
                        mentioned.insert(size->name);
                        if (auto problem = dim_problem(size->name); !problem.empty())
                            throw Failure({ErrorKind::name, problem, node.position(), "",
                                           "write `X.0` for dim 0 of a tensor `X`"});
                    });
            }
        }
        for (const SizeParam& size : kernel_.sizes) mentioned.insert(size.name);
        for (const Let& let : kernel_.lets) {
            check_known_sizes(let.value, let.at, let.text, mentioned);
            if (let.is_size()) mentioned.insert(let.name);
        }
        check_conditions(mentioned);
        for (const Equation& eq : kernel_.equations) {
            each_node(eq, [&](const Expr& node) {
                if (auto* size = node.as<SizeRef>()) check_size_name(eq, size->name, node.position(), mentioned);
            });
        }
    }

    /// The sizes in a condition or a let are those of the kernel.
    void check_known_sizes(const Expr& e, Position at, const std::string& text,
                           const std::set<std::string>& known) const {
        walk(e, [&](const Expr& node) {
            const auto* size = node.as<SizeRef>();
            if (!size) return;
            const Position here = node.position().line ? node.position() : at;
            if (Symbol::of(size->name).is_dim()) {
                if (auto problem = dim_problem(size->name); !problem.empty())
                    throw Failure({ErrorKind::name, problem, here, text, "write `X.0` for dim 0 of a tensor `X`"});
            } else if (!known.contains(size->name)) {
                const std::string close = nearest(size->name, {known.begin(), known.end()});
                throw Failure({ErrorKind::name, fmt::format("there is no size `{}`", size->name), here, text,
                               close.empty() ? "name a size of a dim, a `size` parameter, or a dim as X.0"
                                             : fmt::format("did you mean `{}`?", close)});
            }
        });
    }

    /// A size that a range alone holds is one of the kernel too.
    void check_conditions(std::set<std::string> known) const {
        for (const Equation& eq : kernel_.equations)
            each_node(eq, [&](const Expr& node) {
                if (auto* size = node.as<SizeRef>()) known.insert(size->name);
            });
        for (const SizeCondition& c : kernel_.conditions) check_known_sizes(c.relation, c.at, c.text, known);
    }

    void check_size_name(const Equation& eq, const std::string& name, Position at,
                         const std::set<std::string>& mentioned) const {
        if (auto problem = dim_problem(name); !problem.empty())
            fail_in(eq, ErrorKind::name, problem, at, "write `X.0` for dim 0 of a tensor `X`");
        const Tensor* t = kernel_.find_tensor(name);
        if (!t || mentioned.count(name) || kernel_.find_size(name)) return;
        std::string places;
        for (int d = 0; d < t->rank; ++d)
            places += (d > 0 ? ", " : "") + std::string(1, static_cast<char>('i' + d % 17));
        fail_in(eq, ErrorKind::name,
                fmt::format("`{}` without brackets is a size, and no dim gives a size of that name", name), at,
                fmt::format("read the tensor with brackets, `{}[{}]`, or declare `{}: size`", name, places, name));
    }

    std::string dim_problem(const std::string& name) const {
        const Symbol dim = Symbol::of(name);
        if (!dim.is_dim()) return "";
        const Tensor* t = kernel_.find_tensor(dim.name);
        if (!t) return fmt::format("`{}` is no size, for there is no tensor `{}`", name, dim.name);
        if (dim.number >= 0 && dim.number < t->rank && dim.text() == name) return "";
        return fmt::format("`{}` is no size, for `{}` has {}", name, t->name,
                           plural(static_cast<std::size_t>(t->rank), "dim"));
    }

    Kernel& kernel_;
    std::vector<std::string>& open_types_;
    std::set<std::string> written_, ranked_;
};

}  // namespace

void find_tensors(Kernel& kernel, std::vector<std::string>& open_types) { TensorFinder(kernel, open_types).run(); }

}  // namespace halogen
