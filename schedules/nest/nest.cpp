#include "schedules/nest/nest.h"

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

}  // namespace

std::string to_string(LoopMark mark) {
    return mark == LoopMark::serial ? "serial" : mark == LoopMark::parallel ? "parallel" : "vectorized";
}

std::string loop_symbol(int id) { return "#" + std::to_string(id); }

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

}  // namespace halogen
