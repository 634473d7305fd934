#include "schedules/bind/fused_dims.h"

#include "schedules/history/kinds.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace halogen {
namespace {

class Reader {
public:
    void read(const Step& step) {
        if (step.kind == StepKind::fuse || step.kind == StepKind::flatten) fuse(step, step.made.at(0));
        if (fuses_first(step)) fuse(step, step.made.at(1));
        const std::string from = fuses_first(step) ? step.made.at(1) : step.loops.empty() ? "" : step.loops.front();
        if (cuts(step) || step.kind == StepKind::rename)
            for (const std::string& made : step.made) at(step, made) = of(step, from);
        if (step.kind == StepKind::tile)
            for (std::size_t i = 0; i < step.made.size(); i++) at(step, step.made[i]) = of(step, step.loops[i % 2]);
    }

    std::vector<FusedDims> found;

private:
    void fuse(const Step& step, const std::string& name) {
        std::set<std::string> all = of(step, step.loops[0]);
        for (std::size_t i = 1; i < step.loops.size(); i++) {
            found.push_back({step.func, all, of(step, step.loops[i])});
            all.insert(found.back().outer.begin(), found.back().outer.end());
        }
        at(step, name) = all;
    }

    std::set<std::string>& at(const Step& step, const std::string& loop) {
        return dims_[{step.func, step.stage, loop}];
    }

    /// A loop that no step has made is a dim.
    std::set<std::string> of(const Step& step, const std::string& loop) const {
        const auto made = dims_.find({step.func, step.stage, loop});
        return made == dims_.end() ? std::set<std::string>{loop} : made->second;
    }

    std::map<std::tuple<std::string, int, std::string>, std::set<std::string>> dims_;
};

}  // namespace

std::vector<FusedDims> fused_dims(const std::vector<Step>& steps) {
    Reader reader;
    each_step(steps, [&](const Step& step) { reader.read(step); });
    return reader.found;
}

}  // namespace halogen
