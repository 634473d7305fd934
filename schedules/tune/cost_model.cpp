#include "schedules/tune/cost_model.h"
#include "schedules/history/kinds.h"

#include <cmath>

namespace halogen {

namespace {

double value_of(const Features& features, const std::string& name) {
    const auto found = features.find(name);
    return found == features.end() ? 0 : found->second;
}

/// Solves the symmetric, positive definite system a*x = b of n unknowns in place (Cholesky); x replaces b.
void solve_symmetric(std::vector<double>& a, std::vector<double>& b) {
    const std::size_t n = b.size();
    for (std::size_t j = 0; j < n; j++) {
        for (std::size_t k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
        a[j * n + j] = std::sqrt(a[j * n + j]);
        for (std::size_t i = j + 1; i < n; i++) {
            for (std::size_t k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
}

}  // namespace

Features features_of(const History& history) {
    Features features;
    std::vector<std::pair<std::string, double>> knobs;
    for (const Knob& knob : history.header.knobs)
        knobs.emplace_back(knob.name, std::log2(1.0 + static_cast<double>(std::max<std::int64_t>(knob.value, 0))));
    for (std::size_t i = 0; i < knobs.size(); i++) {
        features[knobs[i].first] = knobs[i].second;
        for (std::size_t j = 0; j <= i; j++)
            features[knobs[i].first + " * " + knobs[j].first] = knobs[i].second * knobs[j].second;
    }
    each_step(history.steps, [&](const Step& step) { features["steps " + to_string(step.kind)] += 1; });
    return features;
}

void CostModel::add(const Features& features, double time) {
    features_.push_back(features);
    logs_.push_back(std::log(time));
    fitted_ = false;
}

double CostModel::predict(const Features& features) const {
    if (!fitted_) fit();
    double log = mean_log_;
    for (const auto& [name, column] : columns_)
        if (column.scale > 0) log += column.weight * (value_of(features, name) - column.mean) / column.scale;
    return std::exp(log);
}

void CostModel::fit() const {
    fitted_ = true;
    columns_.clear();
    mean_log_ = 0;
    if (logs_.empty()) return;
    const double count = static_cast<double>(logs_.size());
    for (const double log : logs_) mean_log_ += log / count;
    for (const Features& row : features_)
        for (const auto& [name, value] : row) columns_[name];
    std::vector<Column*> varying;
    std::vector<std::string> names;
    for (auto& [name, column] : columns_) {
        double squares = 0;
        for (const Features& row : features_) column.mean += value_of(row, name) / count;
        for (const Features& row : features_) squares += std::pow(value_of(row, name) - column.mean, 2) / count;
        if (squares < 1e-12) continue;
        column.scale = std::sqrt(squares);
        varying.push_back(&column);
        names.push_back(name);
    }
    const std::size_t n = varying.size();
    std::vector<double> normal(n * n), right(n), row(n);
    for (std::size_t r = 0; r < features_.size(); r++) {
        for (std::size_t i = 0; i < n; i++)
            row[i] = (value_of(features_[r], names[i]) - varying[i]->mean) / varying[i]->scale;
        for (std::size_t i = 0; i < n; i++) {
            right[i] += row[i] * (logs_[r] - mean_log_);
            for (std::size_t j = 0; j <= i; j++) normal[i * n + j] += row[i] * row[j];
        }
    }
    for (std::size_t i = 0; i < n; i++) normal[i * n + i] += 0.1;
    solve_symmetric(normal, right);
    for (std::size_t i = 0; i < n; i++) varying[i]->weight = right[i];
}

}  // namespace halogen
