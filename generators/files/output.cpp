#include "generators/files/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace halogen {

namespace fs = std::filesystem;

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    std::error_code ignored;
    const fs::path target = fs::weakly_canonical(path_, ignored);
    final_ = target.empty() ? path_ : target.string();
    if (fs::is_directory(final_, ignored)) fail(EISDIR);
    if (fs::exists(final_, ignored) && !fs::is_regular_file(final_, ignored)) {
        descriptor_ = open(final_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        // A file that may not be written must not be replaced either.
        if (fs::exists(final_, ignored) && access(final_.c_str(), W_OK) != 0) fail(errno);
        for (int attempt = 0; attempt < 100 && descriptor_ < 0; attempt++) {
            temporary_ = fmt::format("{}.{}-{}.part", final_, getpid(), attempt);
            descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (descriptor_ < 0 && errno != EEXIST) break;
        }
    }
    if (descriptor_ < 0) {
        temporary_.clear();
        fail(errno);
    }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      final_(std::move(other.final_)),
      temporary_(std::exchange(other.temporary_, "")),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(errno);
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void OutputFile::commit() {
    if (close(std::exchange(descriptor_, -1)) != 0) fail(errno);
    if (temporary_.empty()) return;
    if (rename(temporary_.c_str(), final_.c_str()) != 0) fail(errno);
    temporary_.clear();
}

void OutputFile::fail(int error_number) const {
    throw Failure(Error{ErrorKind::io,
                        fmt::format("cannot write `{}`: {}", path_, std::strerror(error_number)),
                        {},
                        "",
                        "name a file in a folder that exists and that you may write to"});
}

std::string read_file(const std::string& path) {
    std::error_code ignored;
    const auto fail = [&](const std::string& why) {
        return Failure(Error{ErrorKind::io, fmt::format("cannot read `{}`: {}", path, why), {}, "", "check the path"});
    };
    if (fs::is_directory(path, ignored)) throw fail("it is a folder");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw fail(std::strerror(errno));
    std::ostringstream contents;
    contents << file.rdbuf();
    if (file.bad()) throw fail("reading stopped half way");
    return std::move(contents).str();
}

}  // namespace halogen
