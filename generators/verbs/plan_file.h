#pragma once
// Plans in files.

#include "frontend/notation/program.h"
#include "frontend/project/plan.h"

#include <string>

namespace halogen {

/// The plan in the file, checked to be one of this kernel. Errors: Failure(io, syntax, name); where the text is wrong, the file
/// stands in the message.
ShardPlan load_plan(const std::string& path, const Kernel&);

/// An error in a file that is not the kernel's text, told with that file's name.
Failure in_file(Error, const std::string& path);

}  // namespace halogen
