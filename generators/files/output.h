#pragma once
// Files that appear whole or not at all.

#include "frontend/base/error.h"

#include <string>
#include <string_view>

namespace halogen {

/// A file being written beside its final place; `commit` moves it there. Without commit nothing is left behind.
/// A place that is not a regular file (/dev/null, a pipe) is written on commit. Errors: Failure(io).
class OutputFile {
public:
    explicit OutputFile(std::string path);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void write(std::string_view bytes);
    /// Closes the file and gives it its name. Call once.
    void commit();

private:
    [[noreturn]] void fail(int error_number) const;

    std::string path_;       // as the caller wrote it, for messages
    std::string final_;      // with links resolved
    std::string temporary_;  // "" when written in place
    int descriptor_ = -1;
};

/// The whole contents of a file. Errors: Failure(io): missing, a folder, unreadable.
std::string read_file(const std::string& path);

}  // namespace halogen
