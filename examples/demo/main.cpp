// Halogen's demo: real kernels on a real photograph, beside Eigen. See stages.cpp for what it shows.
#include "page.h"
#include "photo.h"
#include "solved.h"
#include "terminal.h"
#include "worker.h"

#include "frontend/base/error.h"
#include "generators/files/output.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

namespace halogen::demo {
namespace {

struct Options {
    std::string photo, out = "demo-out", leg;
};

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error)
        throw Failure(Error{ErrorKind::io,
                            fmt::format("the folder `{}` cannot be made: {}", path, error.message()),
                            {},
                            "",
                            "give a place you may write to with --out"});
}

void write_file(const std::string& path, const std::string& bytes) {
    OutputFile file(path);
    file.write(bytes);
    file.commit();
}

/// Prints each call as it comes, below the heading of its stage.
class Narrator {
public:
    void hear(const Call& call) {
        while (call.stage != stage_ && next_ < stages().size()) {
            const Stage& stage = stages()[next_++];
            stage_ = stage.id;
            fmt::print("{}", stage_text(stage, static_cast<int>(next_)));
        }
        solved_.push_back(solve_call(call));
        fmt::print("{}", call_text(call, solved_.back()));
        std::fflush(stdout);
    }
    const std::vector<Solved>& solved() const { return solved_; }

private:
    std::string stage_;
    std::size_t next_ = 0;
    std::vector<Solved> solved_;  // one per call
};

int run(const Options& options) {
    check_leg(options.leg);
    const Picture photo = read_photo(options.photo);
    make_folder(options.out);
    const auto path = [&](const std::string& name) { return options.out + "/" + name; };
    write_file(path("photo.png"), png_bytes(photo));  // tells at once whether the folder can be written
    Narrator narrator;
    Results results = run_worker(
        photo, options.leg,
        [&](const Setup& setup) {
            fmt::print("Halogen on {}, {} x {} pixels\nKernels: leg {}. Eigen {}: {} {}\n", options.photo, photo.width,
                       photo.height, setup.leg, setup.eigen, setup.compiler, setup.flags);
        },
        [&](const Call& call) { narrator.hear(call); });
    for (const NamedPicture& p : results.pictures) write_file(path(p.name + ".png"), png_bytes(p.picture));
    results.pictures.insert(results.pictures.begin(), {"", "photo", photo});
    write_file(path("index.html"), page(results, narrator.solved()));
    fmt::print("{}\n  The pictures and the page: {}\n", summary_text(results), path("index.html"));
    if (results.agree()) return 0;
    fmt::print(stderr,
               "halogen_demo: a result differs from Eigen's by more than rounding allows; this is a defect of ours\n");
    return 70;
}

}  // namespace
}  // namespace halogen::demo

int main(int argc, char** argv) {
    halogen::demo::Options options;
    CLI::App app(
        "Shows Halogen's built-in kernels on a photograph: solved sizes, results and times beside Eigen, pictures and "
        "a page.");
    app.add_option("--photo", options.photo, "The photograph, a PNG file")->required();
    app.add_option("--out", options.out, "The folder for the pictures and the page")->capture_default_str();
    app.add_option("--leg", options.leg,
                   "The instruction set: sse41, avx2, avx512 or zen4; the best for this processor if not given");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    try {
        return halogen::demo::run(options);
    } catch (const halogen::Failure& failure) {
        fmt::print(stderr, "{}\n", format(failure.error(), "halogen_demo"));
        return 1;
    } catch (const std::exception& e) {
        fmt::print(stderr, "halogen_demo: {}\n", e.what());
        return 70;
    }
}
