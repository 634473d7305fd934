#pragma once
// A schedule as a value: the ordered list of steps that turn plain loops into fast ones. Only `bind` applies them.
//
// A step stands in `step.h`; the kinds of step, what each holds and how it is written, in `kinds.h`.

#include "frontend/base/error.h"
#include "schedules/history/print_step.h"
#include "schedules/history/step.h"

#include <cstdint>
#include <string>
#include <vector>

namespace halogen {

/// A named decision: a value out of a domain.
struct Knob {
    std::string name;
    std::int64_t value = 0;
    std::vector<std::int64_t> domain = {};
    friend bool operator==(const Knob&, const Knob&) = default;
};

/// What a history was written for. Empty members are not printed; version 0 means a history without header.
struct HistoryHeader {
    int version = 0;
    std::string kernel = {};  // its name
    std::string key = {};     // of its equations, equal under renaming: `history_key`
    std::string halide = {};  // "21.0.0"
    std::string leg = {};     // "avx2"
    std::string target = {};  // the leg's features
    std::string state = {};   // hash of the shadow's state after the last step
    std::vector<Knob> knobs = {};
    friend bool operator==(const HistoryHeader&, const HistoryHeader&) = default;
};

struct History {
    std::vector<Step> steps;
    HistoryHeader header = {};
    std::vector<std::string> comments = {};  // the comment lines behind the last step
    friend bool operator==(const History&, const History&) = default;
};

/// The number of the format that is written and read.
constexpr int history_version = 1;

/// One step a line; steps of a specialisation are indented below it.
std::string print(const History&);
std::string print(const HistoryHeader&);

}  // namespace halogen
