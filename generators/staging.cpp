#include "generators/staging.h"

#include "frontend/error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

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
    fs::create_directories(directory_, error);
    if (error) cannot_write(directory_, error.message());
    std::string pattern = (fs::path(directory_) / ".halogen-XXXXXX").string();
    if (!mkdtemp(pattern.data())) cannot_write(directory_, std::strerror(errno));
    temporary_ = pattern;
}

Staging::~Staging() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
}

std::string Staging::scratch(const std::string& name) const { return (fs::path(temporary_) / name).string(); }

std::string Staging::path(const std::string& name) {
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
}

}  // namespace halogen
