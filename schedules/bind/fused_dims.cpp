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
        if (cuts(step) || step.kind == StepKind::rename)
            for (const std::string& made : step.made) at(step, made) = of(step, step.loops[0]);
        switch (step.kind) {
        case StepKind::tile:
            for (std::size_t i = 0; i < step.made.size(); i++) at(step, step.made[i]) = of(step, step.loops[i % 2]);
            break;
        case StepKind::fuse: {
            FusedDims made{step.func, of(step, step.loops[0]), of(step, step.loops[1])};
            std::set<std::string> all = made.inner;
            all.insert(made.outer.begin(), made.outer.end());
            at(step, step.made[0]) = all;
            found.push_back(std::move(made));
            break;
        }
        default: break;
        }
    }

    std::vector<FusedDims> found;

private:
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
