#pragma once
// The words that go with each stage.

#include <string>
#include <vector>

namespace halogen::demo {

struct Caption {
    std::string picture;  // the name of its file without .png
    std::string text;
};

struct Stage {
    std::string id;  // as the worker names it
    std::string title;
    std::string text;
    std::vector<Caption> captions;
};

const std::vector<Stage>& stages();

}  // namespace halogen::demo
