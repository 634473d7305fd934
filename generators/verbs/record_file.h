#pragma once
// Records of `tune` in files.

#include "schedules/records/record.h"

#include <string>
#include <vector>

namespace halogen {

/// The records among the files `*.txt` of a folder, in order of their names. Errors: Failure(io): no such folder;
/// Failure(syntax), the file named.
std::vector<Record> read_records(const std::string& directory);

/// Writes `file_name(record)` into a folder, which is made if it is missing; its path. Errors: Failure(io).
std::string write_record(const Record&, const std::string& directory);

/// Makes a folder if it is missing. Errors: Failure(io).
void make_directory(const std::string& directory);

}  // namespace halogen
