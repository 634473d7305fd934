#pragma once
// A folder whose files appear in their place together, once all of them are written.

#include <mutex>
#include <string>
#include <vector>

namespace halogen {

/// Makes `directory` if it is missing, and a temporary one inside it. Without `publish` nothing is left behind, neither of them.
/// `discard` may be called from another thread; all else belongs to one.
class Staging {
public:
    /// Errors: Failure(io).
    explicit Staging(std::string directory);
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    ~Staging();

    const std::string& directory() const { return directory_; }
    /// Where to write the file `name`; a name may hold folders, and one added with `scratch` is not published.
    std::string path(const std::string& name);
    std::string scratch(const std::string& name) const;
    /// Writes a text file. Errors: Failure(io).
    void write(const std::string& name, const std::string& text);

    /// Moves every file to its place. Errors: Failure(io).
    void publish();

    /// Removes everything, while the other thread may still be writing; that thread stops at its next call. False, and nothing
    /// is done, when the files are in their places already.
    bool discard();

private:
    void remove_all();

    std::string directory_;
    std::string temporary_;
    std::vector<std::string> made_;  // folders that were missing, outermost first
    std::vector<std::string> names_;
    std::mutex mutex_;  // held while files take their places or are removed
    bool published_ = false;
};

}  // namespace halogen
