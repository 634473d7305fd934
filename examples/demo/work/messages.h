#pragma once
// What the worker tells the demo: JSON, one line each, on standard output; a picture's samples follow its line.

#include "../call.h"
#include "picture.h"

#include <string>

namespace halogen::demo {

void send(const Call&);
/// `name` is the file's name without `.png`.
void send(const std::string& stage, const std::string& name, const Picture&);
/// Which instruction set this worker and its Eigen are for.
void send_ready(const std::string& leg, const std::string& flags, const std::string& compiler,
                const std::string& eigen_version);
void send_done();
/// Says why the worker stops. `kind`: "leg" (another worker may do), or "failed".
void send_failure(const std::string& kind, const std::string& message);

}  // namespace halogen::demo
