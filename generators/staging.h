#pragma once
// A folder whose files appear in their place together, once all of them are written.

#include <string>
#include <vector>

namespace halogen {

/// Makes `directory` if it is missing, and a temporary one inside it. Without `publish` nothing is left behind.
class Staging {
public:
    /// Errors: Failure(io).
    explicit Staging(std::string directory);
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    ~Staging();

    /// Where to write the file `name`; a name may hold folders, and one added with `scratch` is not published.
    std::string path(const std::string& name);
    std::string scratch(const std::string& name) const;
    /// Writes a text file. Errors: Failure(io).
    void write(const std::string& name, const std::string& text);

    /// Moves every file to its place. Errors: Failure(io).
    void publish();

private:
    std::string directory_;
    std::string temporary_;
    std::vector<std::string> names_;
};

}  // namespace halogen
