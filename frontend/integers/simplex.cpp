#include "frontend/integers/simplex.h"

#include <algorithm>

namespace halogen {

namespace {

/// denominator * basic[i] = cells[i][0] + sum of cells[i][j] * nonbasic[j]; the last row is the form. Variables below
/// `unknowns` are the unknowns, of either sign; the others are the slacks of the rows, at least 0.
class Dictionary {
public:
    Dictionary(const std::vector<Inequality>& rows, const std::vector<Wide>& form, Budget& budget)
        : unknowns_(static_cast<int>(form.size())), budget_(budget) {
        for (const Inequality& row : rows) {
            cells_.push_back(row.factors);
            cells_.back().insert(cells_.back().begin(), row.constant);
            basic_.push_back(unknowns_ + static_cast<int>(basic_.size()));
        }
        cells_.push_back(form);
        cells_.back().insert(cells_.back().begin(), 0);
        nonbasic_.push_back(-1);
        for (int x = 0; x < unknowns_; ++x) nonbasic_.push_back(x);
    }

    Optimum run() {
        const bool is_bounded = solve_for_unknowns();
        if (!make_feasible()) return {};
        if (!is_bounded || !descend()) return {Optimum::Kind::unbounded, {}, {}};
        Optimum best{Optimum::Kind::attained, Rational(cells_.back()[0], denominator_), {}};
        best.point.resize(unknowns_);
        for (std::size_t i = 0; i < basic_.size(); ++i) {
            if (basic_[i] < unknowns_) best.point[basic_[i]] = Rational(cells_[i][0], denominator_);
        }
        return best;
    }

private:
    bool is_slack(std::size_t i) const { return basic_[i] >= unknowns_; }

    /// Brings every unknown on the left side. What no row holds stays 0; false when the form moves with it.
    bool solve_for_unknowns() {
        bool is_bounded = true;
        for (std::size_t j = 1; j < nonbasic_.size(); ++j) {
            int best = -1;
            std::ptrdiff_t fewest = 0;
            for (std::size_t i = 0; i < basic_.size(); ++i) {
                if (!is_slack(i) || cells_[i][j] == 0) continue;
                const auto held = std::count_if(cells_[i].begin() + 1, cells_[i].end(), [](Wide c) { return c != 0; });
                if (best < 0 || held < fewest) best = static_cast<int>(i), fewest = held;
            }
            if (best >= 0)
                pivot(best, j);
            else
                is_bounded = is_bounded && cells_.back()[j] == 0;
        }
        return is_bounded;
    }

    /// The dual method for a form of 0: a row below 0 rises by a slack that lifts it.
    bool make_feasible() {
        for (;;) {
            int row = -1;
            for (std::size_t i = 0; i < basic_.size(); ++i) {
                if (is_slack(i) && cells_[i][0] < 0 && (row < 0 || basic_[i] < basic_[row])) row = static_cast<int>(i);
            }
            if (row < 0) return true;
            const auto column = least_column([&](std::size_t j) { return cells_[row][j] > 0; });
            if (column == 0) return false;
            pivot(row, column);
        }
    }

    /// False when the form falls without end.
    bool descend() {
        for (;;) {
            const auto column = least_column([&](std::size_t j) { return cells_.back()[j] < 0; });
            if (column == 0) return true;
            int row = -1;
            for (std::size_t i = 0; i < basic_.size(); ++i) {
                if (!is_slack(i) || cells_[i][column] >= 0) continue;
                if (row >= 0) {
                    const Wide here = multiply(cells_[i][0], -cells_[row][column]),
                               there = multiply(cells_[row][0], -cells_[i][column]);
                    if (there < here || (there == here && basic_[row] < basic_[i])) continue;
                }
                row = static_cast<int>(i);
            }
            if (row < 0) return false;
            pivot(row, column);
        }
    }

    /// The column of the slack with the least number that fits, or 0.
    template<typename Fits>
    std::size_t least_column(Fits&& fits) const {
        std::size_t best = 0;
        for (std::size_t j = 1; j < nonbasic_.size(); ++j) {
            if (nonbasic_[j] >= unknowns_ && fits(j) && (best == 0 || nonbasic_[j] < nonbasic_[best])) best = j;
        }
        return best;
    }

    void pivot(std::size_t r, std::size_t s) {
        budget_.spend(1 + static_cast<long>(cells_.size() * nonbasic_.size() / 64));
        const Wide p = cells_[r][s], sign = p < 0 ? -1 : 1;
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            if (i == r) continue;
            const Wide c = cells_[i][s];
            for (std::size_t j = 0; j < nonbasic_.size(); ++j) {
                if (j == s) continue;
                const Wide up = cells_[i][j] == 0 ? 0 : multiply(p, cells_[i][j]),
                           down = c == 0 || cells_[r][j] == 0 ? 0 : multiply(c, cells_[r][j]);
                cells_[i][j] = sign * (subtract(up, down) / denominator_);
            }
            cells_[i][s] = sign * c;
        }
        for (Wide& c : cells_[r]) c *= -sign;
        cells_[r][s] = sign * denominator_;
        denominator_ = sign * p;
        std::swap(basic_[r], nonbasic_[s]);
    }

    int unknowns_;
    Budget& budget_;
    std::vector<std::vector<Wide>> cells_;
    std::vector<int> basic_, nonbasic_;  // nonbasic_[0] stands for 1
    Wide denominator_ = 1;
};

}  // namespace

Optimum minimize(const std::vector<Inequality>& rows, const std::vector<Wide>& form, Budget& budget) {
    return Dictionary(rows, form, budget).run();
}

}  // namespace halogen
