#pragma once
// How long a schedule takes, learned from schedules that were measured.

#include "schedules/history/history.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// What a history is told apart by: its knobs (logarithms, their squares and products) and how many steps of each kind it has.
using Features = std::map<std::string, double>;
Features features_of(const History&);

/// Ridge regression of the logarithm of the time on features: what is known of few schedules speaks for their neighbours, and
/// features that were never seen to vary count for nothing.
/// Source: Hoerl and Kennard, "Ridge regression", Technometrics 12 (1970), on standardised columns.
class CostModel {
public:
    /// A schedule with these features took `time` (any unit, above 0).
    void add(const Features&, double time);
    /// The time it expects; 1 before anything was added.
    double predict(const Features&) const;

private:
    void fit() const;

    std::vector<Features> features_;
    std::vector<double> logs_;
    // Made from the above when a prediction is asked for.
    struct Column {
        double mean = 0, scale = 0, weight = 0;  // scale 0: the feature never varied
    };
    mutable std::map<std::string, Column> columns_;
    mutable double mean_log_ = 0;
    mutable bool fitted_ = false;
};

}  // namespace halogen
