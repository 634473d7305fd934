#include "messages.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace halogen::demo {
namespace {

using Json = nlohmann::ordered_json;

void write(const Json& message) {
    // Names of files may hold any bytes; a line must be UTF-8.
    const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

}  // namespace

void send(const Call& call) {
    Json operands = Json::array(), settings = Json::object();
    for (const Operand& o : call.operands)
        operands.push_back({{"name", o.name}, {"extents", o.extents}, {"strides", o.strides}});
    for (const Setting& s : call.settings) settings[s.name] = s.value;
    write({{"message", "call"},
           {"stage", call.stage},
           {"kernel", call.kernel},
           {"operands", operands},
           {"settings", settings},
           {"flops", call.flops},
           {"bytes", call.bytes},
           {"eigen", call.eigen},
           {"halogen_ns", {call.one.halogen_ns, call.two.halogen_ns}},
           {"eigen_ns", {call.one.eigen_ns, call.two.eigen_ns}},
           {"difference", call.difference},
           {"bound", call.bound},
           {"share", call.share},
           {"elements", call.elements},
           {"outside", call.outside}});
}

void send(const std::string& stage, const std::string& name, const Picture& picture) {
    write({{"message", "picture"},
           {"stage", stage},
           {"name", name},
           {"height", picture.height},
           {"width", picture.width}});
    std::fwrite(picture.samples.data(), 1, picture.samples.size(), stdout);
    std::fflush(stdout);
}

void send_ready(const std::string& leg, const std::string& flags, const std::string& compiler,
                const std::string& eigen_version) {
    write({{"message", "ready"}, {"leg", leg}, {"flags", flags}, {"compiler", compiler}, {"eigen", eigen_version}});
}

void send_done() { write({{"message", "done"}}); }

void send_failure(const std::string& kind, const std::string& message) {
    write({{"message", "failure"}, {"kind", kind}, {"text", message}});
}

}  // namespace halogen::demo
