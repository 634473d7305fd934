#pragma once
// The shared loop-nest cases as kernels, inputs and steps: how the file writes them, turned into ours.

#include "frontend/interpret/interpret.h"
#include "schedules/nest/apply.h"
#include "schedules/nest/build.h"
#include "schedules/nest/nest.h"
#include "tests/schedule/nest_run.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace halogen::loopnest {

using Json = nlohmann::ordered_json;

const Json& all_cases();  // of tests/data/loopnest.json

/// A kernel with all sizes known and its inputs.
struct Setting {
    Kernel kernel;
    Solution solution;
    Tensors inputs;

    Nest nest() const { return build_nest(kernel, solution); }
    /// The interpreter's outputs.
    Tensors expected() const { return interpret(kernel, solution, inputs, {}).value(); }
};

/// "S[i] = sum_j A[i,j]" in our notation: "S[i] += A[i,j]"; "B[i] + sum_j …" becomes two equations.
std::vector<std::string> equations_of(const std::string& text);

/// What a setting is made of: equations in our notation, extents of indices, values of inputs as formulas or numbers.
struct Parts {
    std::vector<std::string> equations;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> ranges = {};  // index -> [begin, end), where given
    std::map<std::string, Json> values = {};                                   // per input
    std::vector<std::string> outputs = {};                                     // "" for the usual ones
    std::map<std::string, std::string> types = {};                             // per tensor; f32
    std::map<std::string, std::string> dims = {};                              // per tensor: "[10, 20]"
};
Setting make(const Parts&);

/// The equations, sizes and inputs of a case that is written with `equation` or `equations`.
Parts parts_of(const Json& inputs);

/// A tree of loops and statements as `body` or `loops` write it: "for i<100", "  for j<200: A[i,j] = i+j; B[i] = A[i]".
struct Tree {
    Setting setting;
    Nest nest;
};
Tree tree_of(const std::vector<std::string>& lines, const std::map<std::string, std::string>& dims = {});

/// Steps of a history on a nest, from an object with `op` or a phrase such as "split m by 8 guard".
/// Each is looked up on the nest as it stands, so they are applied as they are read. Errors: schedule.
Result<Nest> play(Nest nest, const Json& step, History* record = nullptr);
Result<Nest> play_all(Nest nest, const Json& steps, History* record = nullptr);

/// Loops of the nest in order of the text: name, first and end, when the bounds are numbers.
struct Range {
    std::string name;
    std::int64_t begin, end;
};
std::vector<Range> ranges_of(const std::vector<NestNode>& body, const Bindings& sizes = {}, int depth = 0,
                             int at_depth = -1);

/// Compares a tensor with what a case expects: a list, a number, "18 everywhere", or {shape, sum, first, last, min, max}.
void expect_values(const HostTensor&, const Json& expected, const std::string& name);

}  // namespace halogen::loopnest
