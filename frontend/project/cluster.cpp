#include "frontend/project/cluster.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

namespace halogen {

std::string print(const Cluster& c) {
    return fmt::format("flops {}\nmemory {}\nlink {}\nlatency {}\n", c.flops, c.memory, c.link, c.latency);
}

Result<Cluster> parse_cluster(const std::string& text) {
    Cluster cluster;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::istringstream words(line.substr(0, line.find('#')));
        std::string name, value, more;
        if (!(words >> name)) continue;
        double* member = name == "flops"     ? &cluster.flops
                         : name == "memory"  ? &cluster.memory
                         : name == "link"    ? &cluster.link
                         : name == "latency" ? &cluster.latency
                                             : nullptr;
        if (!member)
            return Error{ErrorKind::syntax,
                         fmt::format("a machine has no `{}`", name),
                         {number, 1},
                         "",
                         "write `flops`, `memory`, `link` or `latency` and a number"};
        words >> value;
        char* end = nullptr;
        *member = std::strtod(value.c_str(), &end);
        if (value.empty() || *end != '\0' || !(*member > 0) || words >> more)
            return Error{ErrorKind::syntax,
                         fmt::format("`{}` needs one number above 0", name),
                         {number, 1},
                         "",
                         fmt::format("write it as `{} 1e9`", name)};
    }
    return cluster;
}

}  // namespace halogen
