#include "schedules/nest/substitute.h"

#include "frontend/notation/parts.h"
#include "schedules/nest/places.h"

namespace halogen {

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
        rewrite(s.equation, change);
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
