#pragma once
// A schedule as a value: the ordered list of steps that turn plain loops into fast ones. Only `bind` applies them.
//
// A step stands in `step.h`; the kinds of step, what each holds and how it is written, in `kinds.h`.

#include "frontend/base/error.h"
#include "schedules/history/facts.h"
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

/// Which calls a history is for, and what form of the kernel its steps are on.
struct Variant {
    std::string name = {};   // "" is "any"
    Facts when = {};         // none: it serves every call
    bool merged = false;     // its steps are on the kernel with neighbouring dims merged (plan/merged.h)
    bool rewritten = false;  // and with its equations rewritten first (plan/joined.h, plan/summed.h)
    // No part of the text. There are variants for ways through the branches of the recipe's history for this output: it is for the way
    // `way`, in the names of its form, or for what they leave. Empty: there are none.
    std::string ways_of = {};
    std::vector<Condition::Term> way = {};
    friend bool operator==(const Variant& a, const Variant& b) {
        return a.name == b.name && a.when == b.when && a.merged == b.merged && a.rewritten == b.rewritten;
    }
};

/// One variant of a kernel's schedule, or all of it. A history whose facts ask for nothing serves every call.
struct History {
    std::vector<Step> steps;
    HistoryHeader header = {};
    std::vector<std::string> comments = {};  // the comment lines behind the last step
    Variant variant = {};
    friend bool operator==(const History&, const History&) = default;
};

/// The variant's name: "any" of one that has none.
std::string called(const Variant&);

/// All variants of a kernel's schedule, in the order in which a call is offered them. Their headers tell of one kernel and leg.
using Schedule = std::vector<History>;

/// The variant called `name`, or for "" the only one. Errors: name (none is called so), schedule (there are several).
Result<History> only_variant(Schedule, const std::string& name);

/// The numbers of the formats that are written and read: of one history that serves every call, and of variants.
constexpr int history_version = 1, schedule_version = 2;

/// One step a line; steps of a specialisation are indented below it. Variants stand one after the other, each indented below
/// `variant NAME when FACTS:`; a schedule that is one history for every call is printed as that history.
std::string print(const Schedule&);
std::string print(const History&);
std::string print(const HistoryHeader&);

}  // namespace halogen
