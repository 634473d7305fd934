#pragma once
// The state that Halide keeps of a kernel's Funcs, read back in the names that histories use.

#include "frontend/lower/lower.h"
#include "schedules/state/state.h"

#include <map>
#include <set>
#include <string>

namespace halogen {

class StateReader {
public:
    /// Knows the loops of the Funcs as they were lowered, before a step touched them.
    explicit StateReader(const Lowered&);

    /// From now on `e` is told as `text`; other expressions are told in Halide's words, constants as numbers. Halide may make one expression of
    /// several texts: it is told as the last of them.
    void says(const Halide::Expr& e, const std::string& text);
    /// `state` with all its texts as this reader tells their expressions.
    FuncState as_told(FuncState state) const;
    /// A Func that came later.
    void add(const LoweredFunc&);

    FuncState read(const std::string& func) const;
    ScheduleState read() const;

private:
    std::string loop_name(const std::string& halide) const;
    std::string func_name(const std::string& halide) const;
    std::string text(const Halide::Expr& e) const;
    LevelState level(const Halide::LoopLevel&) const;
    SplitState split(const Halide::Internal::Split&) const;
    StageState stage(const Halide::Internal::Definition&, const Halide::Internal::Function&) const;

    std::map<std::string, Halide::Func> funcs_;  // by our names
    std::set<std::string> outputs_;
    std::set<std::string> unordered_;  // reduced loops, by Halide's names, whose iterations are free
    std::map<std::string, std::vector<int>> step_stages_;  // of Funcs with sliced stages
    std::map<std::string, std::string> names_, reduced_;   // ours by Halide's: Funcs, reduced loops
    std::map<std::string, std::string> texts_;             // ours by Halide's
    std::map<std::string, std::string> halide_texts_;      // Halide's by ours
};

}  // namespace halogen
