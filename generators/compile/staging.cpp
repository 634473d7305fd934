#include "generators/compile/staging.h"

#include "frontend/base/error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace halogen {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
    throw Failure(
        {ErrorKind::io, "cannot write " + path + ": " + why, {}, {}, "name a directory that you may write to"});
}

}  // namespace

Staging::Staging(std::string directory) : directory_(std::move(directory)) {
    std::error_code error;
    for (fs::path missing = directory_; !missing.empty() && !fs::exists(missing, error);
         missing = missing.parent_path())
        made_.insert(made_.begin(), missing.string());
    fs::create_directories(directory_, error);
    std::string pattern = (fs::path(directory_) / ".halogen-XXXXXX").string();
    if (!error && mkdtemp(pattern.data())) {
        temporary_ = pattern;
        return;
    }
    const std::string why = error ? error.message() : std::strerror(errno);
    remove_all();
    cannot_write(directory_, why);
}

Staging::~Staging() {
    const std::lock_guard lock(mutex_);
    remove_all();
}

void Staging::remove_all() {
    std::error_code ignored;
    // Again where the other thread has written into it meanwhile.
    for (int attempt = 0; attempt < 100 && !temporary_.empty() && fs::exists(temporary_, ignored); attempt++)
        fs::remove_all(temporary_, ignored);
    if (published_) return;
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) rmdir(folder->c_str());  // if it is empty
}

std::string Staging::scratch(const std::string& name) const { return (fs::path(temporary_) / name).string(); }

std::string Staging::path(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_.push_back(name);
    std::error_code error;
    fs::create_directories(fs::path(scratch(name)).parent_path(), error);
    if (error) cannot_write(scratch(name), error.message());
    return scratch(name);
}

void Staging::write(const std::string& name, const std::string& text) {
    std::ofstream file(path(name), std::ios::binary);
    file << text;
    file.close();
    if (!file) cannot_write((fs::path(directory_) / name).string(), std::strerror(errno));
}

void Staging::publish() {
    const std::lock_guard lock(mutex_);
    for (const std::string& name : names_) {
        const fs::path target = fs::path(directory_) / name;
        std::error_code error;
        if (fs::is_directory(target, error)) cannot_write(target.string(), "it is a directory");
        fs::create_directories(target.parent_path(), error);
        if (error) cannot_write(target.string(), error.message());
    }
    for (const std::string& name : names_) {
        const fs::path target = fs::path(directory_) / name;
        std::error_code error;
        fs::rename(scratch(name), target, error);
        if (error) cannot_write(target.string(), error.message());
    }
    published_ = true;
}

bool Staging::discard() {
    mutex_.lock();
    if (published_) {
        mutex_.unlock();
        return false;
    }
    remove_all();
    return true;  // the lock is kept: nothing is made again
}

}  // namespace halogen
