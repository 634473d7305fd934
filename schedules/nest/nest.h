#pragma once
// The shadow nest: our own model of the loops, statements and storage that a kernel's equations run in. A value; every
// step gives a new one. What Halide calls stages are statements here; loops may hold several.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace halogen {

enum class LoopMark { serial, parallel, vectorized };
std::string to_string(LoopMark);

struct NestNode;

/// A loop over [min, min + extent). Formulas of the nest name sizes, and loops by `loop_symbol`.
struct NestLoop {
    int id = 0;        // unique in the nest
    std::string name;  // what steps on its owner call it; copies of one loop share it
    std::string func;  // the owner
    int stage = 0;
    Formula min, extent;
    bool reduced = false;
    LoopMark mark = LoopMark::serial;
    std::vector<NestNode> body;
};

/// One equation at one point: `equation` over its own indices, each of which has its value in `at`. Runs where all `guards`
/// are at least 0. A start fills in the neutral value of `equation.op`, and its right side is absent.
struct NestStatement {
    std::string func;  // whose stage it is
    int stage = 0;
    bool start = false;
    Equation equation;
    std::map<std::string, Formula> at;
    std::vector<Formula> guards;
};

struct NestNode {
    std::variant<NestLoop, NestStatement> is;
    NestLoop* loop() { return std::get_if<NestLoop>(&is); }
    const NestLoop* loop() const { return std::get_if<NestLoop>(&is); }
    NestStatement* statement() { return std::get_if<NestStatement>(&is); }
    const NestStatement* statement() const { return std::get_if<NestStatement>(&is); }
};

/// Where the elements of a tensor lie: per dim how many, the first place, and inside which loop (0: for the whole call).
struct NestStorage {
    std::vector<Formula> extents;
    std::vector<Formula> base;  // subtracted from a place before it counts
    int level = 0;
};

struct Nest {
    Kernel kernel;  // with tensors that steps made
    Solution solution;
    std::vector<NestNode> body;
    std::map<std::string, NestStorage> storage;  // of tensors that are written
    std::set<std::pair<std::string, int>> atomic;
    std::map<std::string, std::string> removed;  // "F.s i" -> the step that removed the loop
    std::vector<std::string> notes;              // of steps that were accepted and had no effect
    int last_id = 0;
};

/// "#12": what formulas call loop 12.
std::string loop_symbol(int id);
inline Formula loop_value(const NestLoop& loop) { return Formula::symbol(loop_symbol(loop.id)); }

/// The loops around a statement, outermost first.
using NestPath = std::vector<const NestLoop*>;
void each_statement(const Nest&, const std::function<void(const NestPath&, const NestStatement&)>&);
void each_statement(std::vector<NestNode>&, const std::function<void(NestStatement&)>&);
void each_loop(std::vector<NestNode>&, const std::function<void(NestLoop&)>&);

/// Where a node stands: the list that holds it, its place there, and the loops around it.
struct NestPlace {
    std::vector<NestNode>* list = nullptr;
    std::size_t index = 0;
    std::vector<NestLoop*> around;
    NestLoop& loop() const { return *(*list)[index].loop(); }
};
NestPlace place_of(Nest&, int loop_id);

/// The loops called `name` around the statements of a stage; copies of a loop are all found, in order.
std::vector<int> find_loops(const Nest&, const std::string& func, int stage, const std::string& name);
bool has_stage(const Nest&, const std::string& func, int stage);

}  // namespace halogen
