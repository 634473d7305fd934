#pragma once
// What one run of the worker gives.

#include "call.h"
#include "work/picture.h"

#include <string>
#include <vector>

namespace halogen::demo {

struct NamedPicture {
    std::string stage, name;
    Picture picture;
};

/// The instruction set the run was for.
struct Setup {
    std::string leg, flags, compiler, eigen;
};

struct Results {
    Setup setup;
    std::vector<Call> calls;
    std::vector<NamedPicture> pictures;

    bool agree() const {
        for (const Call& call : calls) {
            if (!call.agrees()) return false;
        }
        return true;
    }
};

}  // namespace halogen::demo
