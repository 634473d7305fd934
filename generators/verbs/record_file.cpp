#include "generators/verbs/record_file.h"

#include "generators/files/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace halogen {

namespace fs = std::filesystem;

std::vector<Record> read_records(const std::string& directory) {
    std::error_code error;
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
        if (entry.path().extension() == ".txt") paths.push_back(entry.path());
    if (error)
        throw Failure({ErrorKind::io,
                       fmt::format("the records in `{}` cannot be read: {}", directory, error.message()),
                       {},
                       {},
                       "name the folder that `halogen tune --records` wrote to"});
    std::sort(paths.begin(), paths.end());
    std::vector<Record> records;
    for (const fs::path& path : paths) {
        const std::string text = read_file(path.string());
        if (!is_record(text)) continue;
        auto record = parse_record(text);
        if (!record) {
            Error wrong = record.error();
            wrong.what = fmt::format("{}:{}:{}: {}", path.string(), wrong.at.line, wrong.at.column, wrong.what);
            wrong.at = {};
            throw Failure(wrong);
        }
        records.push_back(std::move(record).value());
    }
    return records;
}

void make_directory(const std::string& directory) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error)
        throw Failure({ErrorKind::io,
                       fmt::format("the folder `{}` cannot be made: {}", directory, error.message()),
                       {},
                       {},
                       "name another with --records"});
}

std::string write_record(const Record& record, const std::string& directory) {
    make_directory(directory);
    const std::string path = (fs::path(directory) / file_name(record)).string();
    OutputFile file(path);
    file.write(print(record));
    file.commit();
    return path;
}

}  // namespace halogen
