#include "schedules/nest/print.h"

#include "schedules/nest/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halogen {

namespace {

void collect_names(const std::vector<NestNode>& body, std::map<std::string, Formula>& names) {
    for (const NestNode& node : body)
        if (auto* loop = node.loop()) {
            names.emplace(loop_symbol(loop->id), Formula::symbol(loop->name));
            collect_names(loop->body, names);
        }
}

class Printer {
public:
    explicit Printer(const Nest& nest) : nest_(nest) { collect_names(nest.body, names_); }

    std::string formula(const Formula& f) const { return print(f.substitute(names_)); }

    void body(const std::vector<NestNode>& nodes, int depth) {
        for (const NestNode& node : nodes) {
            if (auto* s = node.statement())
                statement(*s, depth);
            else
                loop(*node.loop(), depth);
        }
    }

    std::string text;

private:
    void loop(const NestLoop& l, int depth) {
        const std::string mark = l.mark == LoopMark::serial ? "for" : to_string(l.mark);
        text += fmt::format("{}{} {} in {}:{}\n", std::string(2 * depth, ' '), mark, l.name, formula(l.min),
                            formula(l.min + l.extent));
        for (const auto& [name, storage] : nest_.storage)
            if (storage.level == l.id) text += std::string(2 * depth + 2, ' ') + storage_line(name, storage);
        body(l.body, depth + 1);
    }

    std::string storage_line(const std::string& name, const NestStorage& storage) const {
        std::string extents;
        for (const Formula& e : storage.extents) extents += (extents.empty() ? "" : ", ") + formula(e);
        return fmt::format("store {}[{}]\n", name, extents);
    }

    void statement(const NestStatement& s, int depth) {
        std::string line = std::string(2 * depth, ' ');
        for (const Formula& guard : s.guards) line += fmt::format("if {} >= 0: ", formula(guard));
        Access left = s.equation.left;
        std::string places;
        for (const Expr& place : left.at) {
            const auto f = formula_of(nest_, s, place);
            places += (places.empty() ? "" : ", ") + (f ? formula(*f) : print(place));
        }
        line += fmt::format("{}[{}] {} ", left.tensor, places, s.start ? "=" : to_string(s.equation.op));
        line += s.start ? "start of " + to_string(s.equation.op) : right(s);
        text += line + "\n";
    }

    std::string right(const NestStatement& s) const {
        const auto named = [&](const Expr& e) -> Expr {
            if (auto* index = e.as<IndexRef>()) {
                const auto at = s.at.find(index->name);
                if (at != s.at.end()) return expr_of(at->second.substitute(names_));
                const auto name = names_.find(index->name);
                if (name != names_.end()) return expr_of(name->second);
            }
            return e;
        };
        std::string line = print(rewrite(s.equation.right, named));
        for (const Where& item : s.equation.where)
            if (auto* predicate = std::get_if<Expr>(&item)) line += " where " + print(rewrite(*predicate, named));
        return line;
    }

    const Nest& nest_;
    std::map<std::string, Formula> names_;
};

}  // namespace

std::string print(const Nest& nest) {
    Printer printer(nest);
    printer.body(nest.body, 0);
    return printer.text;
}

std::string print_in(const Nest& nest, const Formula& f) { return Printer(nest).formula(f); }

}  // namespace halogen
