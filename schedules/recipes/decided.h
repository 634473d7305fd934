#pragma once
// Branches of a history that are decided before any call.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// What is known before a call: every open size, and the strides in elements of the caller's tensors, which lie apart.
struct KnownCall {
    Bindings sizes;
    std::map<std::string, std::vector<std::int64_t>> strides;
    int threads = 0;  // that will run it
};

/// `steps` without branches that known sizes decide: with `K` written as 64, `specialize when K >= 16` stands without its
/// condition, and what would follow for other sizes goes; `specialize when K < 16` goes with its steps. Strides of tensors
/// that the kernel makes for itself are known too: they are row-major, as are those that `facts` say are dense. With a call,
/// the branches it does not take go as well: what is left is right for this call alone. No errors.
std::vector<Step> without_decided_branches(const Kernel&, const Solution&, const std::vector<Step>& steps,
                                           const Facts& facts = {}, const KnownCall* call = nullptr);

/// Whether a condition holds in every call of which `facts` are known.
bool always_holds(const Kernel&, const Solution&, const Facts& facts, const Condition&);

/// A way through the branches of a history: the terms of their conditions, and the names of the branches, joined by "_".
struct Way {
    std::string name;
    std::vector<Condition::Term> terms;
};
/// The ways of the stored Func `func`, in the order in which a call takes them, but for the last one, which takes no branch. Terms are
/// those that `sayable` allows; branches on others, and those without steps, stay within their way.
std::vector<Way> ways_of(const std::vector<Step>&, const std::string& func,
                         const std::function<bool(const Condition::Term&)>& sayable);
/// The steps of one of them. What leads another way goes, in all Funcs.
std::vector<Step> along_way(const Kernel&, const Solution&, const std::vector<Step>& steps, const Facts& facts,
                            const Way& taken, const std::vector<Way>& all);

/// The loops that steps make, each with its Func.
std::set<std::pair<std::string, std::string>> made_loops(const std::vector<Step>&);

}  // namespace halogen
