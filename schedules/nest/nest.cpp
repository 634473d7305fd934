#include "schedules/nest/nest.h"

#include "schedules/nest/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace halogen {

namespace {

void visit(const std::vector<NestNode>& body, NestPath& path,
           const std::function<void(const NestPath&, const NestStatement&)>& see) {
    for (const NestNode& node : body) {
        if (auto* statement = node.statement()) {
            see(path, *statement);
            continue;
        }
        path.push_back(node.loop());
        visit(node.loop()->body, path, see);
        path.pop_back();
    }
}

void collect_names(const std::vector<NestNode>& body, std::map<std::string, Formula>& names) {
    for (const NestNode& node : body)
        if (auto* loop = node.loop()) {
            names.emplace(loop_symbol(loop->id), Formula::symbol(loop->name));
            collect_names(loop->body, names);
        }
}

bool find_place(std::vector<NestNode>& list, int id, NestPlace& place) {
    for (std::size_t i = 0; i < list.size(); i++) {
        NestLoop* loop = list[i].loop();
        if (!loop) continue;
        if (loop->id == id) {
            place.list = &list;
            place.index = i;
            return true;
        }
        place.around.push_back(loop);
        if (find_place(loop->body, id, place)) return true;
        place.around.pop_back();
    }
    return false;
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

std::string to_string(LoopMark mark) {
    return mark == LoopMark::serial ? "serial" : mark == LoopMark::parallel ? "parallel" : "vectorized";
}

std::string loop_symbol(int id) { return "#" + std::to_string(id); }

std::string print(const Nest& nest) {
    Printer printer(nest);
    printer.body(nest.body, 0);
    return printer.text;
}

std::string print_in(const Nest& nest, const Formula& f) { return Printer(nest).formula(f); }

void each_statement(const Nest& nest, const std::function<void(const NestPath&, const NestStatement&)>& see) {
    NestPath path;
    visit(nest.body, path, see);
}

void each_statement(std::vector<NestNode>& body, const std::function<void(NestStatement&)>& see) {
    for (NestNode& node : body) {
        if (auto* statement = node.statement())
            see(*statement);
        else
            each_statement(node.loop()->body, see);
    }
}

void each_loop(std::vector<NestNode>& body, const std::function<void(NestLoop&)>& see) {
    for (NestNode& node : body)
        if (auto* loop = node.loop()) {
            see(*loop);
            each_loop(loop->body, see);
        }
}

NestPlace place_of(Nest& nest, int loop_id) {
    NestPlace place;
    find_place(nest.body, loop_id, place);
    return place;
}

std::vector<int> find_loops(const Nest& nest, const std::string& func, int stage, const std::string& name) {
    std::vector<int> own, shared;
    const auto add = [](std::vector<int>& list, int id) {
        if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
    };
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        if (s.func != func || s.stage != stage) return;
        for (const NestLoop* loop : path)
            if (loop->name == name) add(loop->func == func && loop->stage == stage ? own : shared, loop->id);
    });
    return own.empty() ? shared : own;
}

bool has_stage(const Nest& nest, const std::string& func, int stage) {
    bool found = false;
    each_statement(
        nest, [&](const NestPath&, const NestStatement& s) { found = found || (s.func == func && s.stage == stage); });
    return found;
}

void substitute(std::vector<NestNode>& body, const std::map<std::string, Formula>& values) {
    const auto change = [&](const Expr& e) -> Expr {
        auto* index = e.as<IndexRef>();
        const auto value = index ? values.find(index->name) : values.end();
        return value == values.end() ? e : expr_of(value->second);
    };
    for (NestNode& node : body) {
        if (auto* loop = node.loop()) {
            loop->min = loop->min.substitute(values);
            loop->extent = loop->extent.substitute(values);
            substitute(loop->body, values);
            continue;
        }
        NestStatement& s = *node.statement();
        for (auto& [index, value] : s.at) value = value.substitute(values);
        for (Formula& guard : s.guards) guard = guard.substitute(values);
        if (!mentions_loops(s.equation)) continue;
        for (Expr& place : s.equation.left.at) place = rewrite(place, change);
        s.equation.right = rewrite(s.equation.right, change);
        for (Where& item : s.equation.where)
            if (auto* predicate = std::get_if<Expr>(&item)) *predicate = rewrite(*predicate, change);
    }
}

void renumber(Nest& nest, std::vector<NestNode>& body) {
    std::map<std::string, Formula> values;
    std::map<int, int> ids;
    each_loop(body, [&](NestLoop& loop) {
        const std::string before = loop_symbol(loop.id);
        ids[loop.id] = nest.last_id + 1;
        loop.id = ++nest.last_id;
        values[before] = loop_value(loop);
    });
    substitute(body, values);
}

}  // namespace halogen
