#include "worker.h"

#include "frontend/base/error.h"
#include "runtime/cpu.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <stdexcept>

namespace halogen::demo {
namespace {

namespace fs = std::filesystem;
using cpu::Leg;
using Json = nlohmann::ordered_json;

fs::path worker_for(Leg leg) {
    return fs::read_symlink("/proc/self/exe").parent_path() / fmt::format("halogen_demo_{}", cpu::to_string(leg));
}

/// A worker process, with a pipe to it and one from it.
class Process {
public:
    explicit Process(const fs::path& program) {
        int in[2], out[2];
        if (pipe(in) != 0 || pipe(out) != 0) throw std::runtime_error("no pipe can be made to the worker");
        child_ = fork();
        if (child_ < 0) throw std::runtime_error("no process can be made for the worker");
        if (child_ == 0) {
            dup2(in[0], 0);
            dup2(out[1], 1);
            for (int end : {in[0], in[1], out[0], out[1]}) close(end);
            std::signal(SIGPIPE, SIG_DFL);
            execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        to_ = fdopen(in[1], "wb");
        from_ = fdopen(out[0], "rb");
    }
    ~Process() {
        if (to_) std::fclose(to_);
        if (from_) std::fclose(from_);
        if (child_ > 0) {
            kill(child_, SIGTERM);  // does nothing to one that has ended
            waitpid(child_, nullptr, 0);
        }
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// A worker that does not want the photograph says why in its messages.
    void send(const Picture& photo) {
        std::fprintf(to_, "%d %d\n", photo.height, photo.width);
        std::fwrite(photo.samples.data(), 1, photo.samples.size(), to_);
        std::fclose(to_);
        to_ = nullptr;
    }

    bool read_line(std::string& line) {
        line.clear();
        for (int c; (c = std::getc(from_)) != EOF;) {
            if (c == '\n') return true;
            line += static_cast<char>(c);
        }
        return false;
    }

    bool read(Picture& picture) {
        return std::fread(picture.samples.data(), 1, picture.samples.size(), from_) == picture.samples.size();
    }

    /// How the process ended, for a message.
    std::string wait() {
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = -1;
        return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                   : fmt::format("exit code {}", WEXITSTATUS(status));
    }

private:
    pid_t child_ = -1;
    std::FILE *to_ = nullptr, *from_ = nullptr;
};

Call call_of(const Json& m) {
    Call c;
    c.stage = m.at("stage");
    c.kernel = m.at("kernel");
    for (const Json& o : m.at("operands")) c.operands.push_back({o.at("name"), o.at("extents"), o.at("strides")});
    for (const auto& [name, value] : m.at("settings").items()) c.settings.push_back({name, value});
    c.flops = m.at("flops");
    c.bytes = m.at("bytes");
    c.eigen = m.at("eigen");
    c.one = {m.at("halogen_ns").at(0), m.at("eigen_ns").at(0)};
    c.two = {m.at("halogen_ns").at(1), m.at("eigen_ns").at(1)};
    // JSON has no NaN: null stands for it.
    const auto number = [&](const char* name) {
        return m.at(name).is_null() ? std::numeric_limits<double>::quiet_NaN() : m.at(name).get<double>();
    };
    c.difference = number("difference");
    c.bound = number("bound");
    c.share = number("share");
    c.elements = m.at("elements");
    c.outside = m.at("outside");
    return c;
}

/// Listens until the worker is done. False: it cannot run its leg here; `refusal` says why.
bool listen(Process& worker, Results& results, std::string& refusal, const std::function<void(const Setup&)>& on_ready,
            const std::function<void(const Call&)>& on_call) {
    for (std::string line; worker.read_line(line);) {
        const Json m = Json::parse(line);
        const std::string kind = m.at("message");
        if (kind == "ready") {
            results.setup = {m.at("leg"), m.at("flags"), m.at("compiler"), m.at("eigen")};
            on_ready(results.setup);
        } else if (kind == "call") {
            results.calls.push_back(call_of(m));
            on_call(results.calls.back());
        } else if (kind == "picture") {
            results.pictures.push_back({m.at("stage"), m.at("name"), Picture(m.at("height"), m.at("width"))});
            if (!worker.read(results.pictures.back().picture)) break;
        } else if (kind == "done") {
            return true;
        } else if (kind == "failure") {
            refusal = m.at("text");
            if (m.at("kind") == "leg") return false;
            throw Failure(Error{ErrorKind::too_complex, refusal, {}, "", ""});
        }
    }
    throw std::runtime_error(fmt::format("the worker stopped before it was done ({})", worker.wait()));
}

/// The legs to try, best first.
std::vector<Leg> legs_to_try(const std::string& wanted) {
    if (wanted.empty()) {
        std::vector<Leg> legs;
        for (int i = cpu::leg_count; i-- > 0;) {
            const Leg leg = static_cast<Leg>(i);
            if (cpu::can_run(leg) && fs::exists(worker_for(leg))) legs.push_back(leg);
        }
        return legs;
    }
    bool found = false;
    const Leg leg = cpu::leg_named(wanted, found);
    if (!found || leg == Leg::best)
        throw Failure(Error{ErrorKind::target,
                            fmt::format("there is no leg `{}`", wanted),
                            {},
                            "",
                            "choose among sse41, avx2, avx512, zen4"});
    if (!cpu::can_run(leg))
        throw Failure(Error{ErrorKind::target,
                            fmt::format("this processor cannot run the leg {}", wanted),
                            {},
                            "",
                            "leave --leg out for the best it can run"});
    if (!fs::exists(worker_for(leg)))
        throw Failure(Error{ErrorKind::io,
                            fmt::format("the worker {} is missing", worker_for(leg).string()),
                            {},
                            "",
                            "build the target halogen_demo again"});
    return {leg};
}

}  // namespace

void check_leg(const std::string& leg) { (void)legs_to_try(leg); }

Results run_worker(const Picture& photo, const std::string& leg, const std::function<void(const Setup&)>& on_ready,
                   const std::function<void(const Call&)>& on_call) {
    std::signal(SIGPIPE, SIG_IGN);  // a worker may end without reading its photograph
    std::string refusal = "no worker stands beside this program";
    for (const Leg candidate : legs_to_try(leg)) {
        Process worker(worker_for(candidate));
        worker.send(photo);
        Results results;
        if (listen(worker, results, refusal, on_ready, on_call)) return results;
    }
    throw Failure(Error{ErrorKind::target,
                        fmt::format("no instruction set fits: {}", refusal),
                        {},
                        "",
                        "the demo needs an x86-64 processor with SSE4.1"});
}

}  // namespace halogen::demo
