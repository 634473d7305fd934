#include "schedules/history/diff.h"

#include "schedules/history/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace halogen {

namespace {

Step bare(Step step) {
    step.id = 0;
    step.knob.clear();
    step.origin.clear();
    step.note.clear();
    step.comments.clear();
    for (Step& nested : step.nested) nested = bare(nested);
    return step;
}

std::string text_of(const Step& step, int depth = 0) {
    std::string text = std::string(2 * depth, ' ') + print(bare(step));
    for (const Step& nested : step.nested) text += "\n" + text_of(nested, depth + 1);
    return text;
}

bool changes_funcs(const Step& step) {
    return step.kind == StepKind::rfactor || step.kind == StepKind::compute_with ||
           kind_row(step.kind).scope == StepScope::equations;
}

/// Loops a step names or makes.
std::vector<std::string> loops_of(const Step& step) {
    std::vector<std::string> all = step.loops;
    all.insert(all.end(), step.made.begin(), step.made.end());
    if (!step.at_loop.empty()) all.push_back(step.at_loop);
    return all;
}

bool share_a_name(const Step& a, const Step& b) {
    const auto left = loops_of(a), right = loops_of(b);
    return std::any_of(left.begin(), left.end(), [&](const std::string& name) {
        return std::find(right.begin(), right.end(), name) != right.end();
    });
}

bool is_level(StepKind kind) {
    return kind == StepKind::compute_root || kind == StepKind::compute_at || kind == StepKind::compute_inline;
}

/// A setter that a later one of the same sort makes void.
bool overwrites(const Step& later, const Step& earlier) {
    return is_level(later.kind) && is_level(earlier.kind) && later.func == earlier.func;
}

/// Two reorders of the same two loops, or a mark that is set again.
bool undoes(const Step& later, const Step& earlier) {
    return later.kind == StepKind::reorder && earlier.kind == StepKind::reorder && later.func == earlier.func &&
           later.stage == earlier.stage && later.loops.size() == 2 && earlier.loops.size() == 2 &&
           later.loops[0] == earlier.loops[1] && later.loops[1] == earlier.loops[0];
}

/// Drops what later steps make void; true when something went.
bool drop_one(std::vector<Step>& steps) {
    for (std::size_t later = 0; later < steps.size(); later++)
        for (std::size_t earlier = later; earlier-- > 0;) {
            if (overwrites(steps[later], steps[earlier])) {
                steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(earlier));
                return true;
            }
            if (undoes(steps[later], steps[earlier])) {
                steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(later));
                steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(earlier));
                return true;
            }
            if (!commute(steps[later], steps[earlier])) break;
        }
    return false;
}

/// The least text that may come next, again and again.
void sort_commuting(std::vector<Step>& steps) {
    std::vector<Step> left = std::move(steps);
    steps.clear();
    while (!left.empty()) {
        std::size_t best = left.size();
        for (std::size_t i = 0; i < left.size(); i++) {
            const bool free = std::all_of(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(i),
                                          [&](const Step& before) { return commute(before, left[i]); });
            if (free && (best == left.size() || text_of(left[i]) < text_of(left[best]))) best = i;
        }
        steps.push_back(left[best]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
}

void normalize(std::vector<Step>& steps) {
    for (Step& step : steps) {
        step = bare(step);
        normalize(step.nested);
    }
    while (drop_one(steps)) {
    }
    sort_commuting(steps);
}

/// For each step of `a` the step of `b` it stays beside, or -1: a longest common subsequence by text.
std::vector<int> common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const std::size_t n = a.size(), m = b.size();
    std::vector<std::vector<int>> length(n + 1, std::vector<int>(m + 1, 0));
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t j = m; j-- > 0;)
            length[i][j] = a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    std::vector<int> partner(n, -1);
    for (std::size_t i = 0, j = 0; i < n && j < m;) {
        if (a[i] == b[j])
            partner[i++] = static_cast<int>(j++);
        else if (length[i + 1][j] >= length[i][j + 1])
            i++;
        else
            j++;
    }
    return partner;
}

class Comparison {
public:
    Comparison(const std::vector<Step>& a, const std::vector<Step>& b) : a_(a), b_(b) {
        for (const Step& step : a) texts_a_.push_back(text_of(step));
        for (const Step& step : b) texts_b_.push_back(text_of(step));
        partner_ = common(texts_a_, texts_b_);
        taken_.assign(b.size(), false);
        for (const int j : partner_)
            if (j >= 0) taken_[j] = true;
    }

    std::vector<StepChange> changes() {
        for (std::size_t i = 0; i < a_.size(); i++)
            if (partner_[i] < 0) compare(i);
        for (std::size_t j = 0; j < b_.size(); j++)
            if (!taken_[j]) changes_.push_back({StepChange::Kind::added, "", print(b_[j])});
        return changes_;
    }

private:
    void compare(std::size_t i) {
        for (std::size_t j = 0; j < b_.size(); j++)
            if (!taken_[j] && texts_a_[i] == texts_b_[j]) {
                taken_[j] = true;
                if (!moved_freely(i, j)) changes_.push_back({StepChange::Kind::moved, print(a_[i]), print(a_[i])});
                return;
            }
        for (std::size_t j = 0; j < b_.size(); j++)
            if (!taken_[j] && a_[i].id && a_[i].id == b_[j].id) {
                taken_[j] = true;
                compare_changed(i, j);
                return;
            }
        changes_.push_back({StepChange::Kind::removed, print(a_[i]), ""});
    }

    /// A specialisation that differs inside is told by its inner steps.
    void compare_changed(std::size_t i, std::size_t j) {
        if (print(bare(a_[i])) != print(bare(b_[j])))
            changes_.push_back({StepChange::Kind::changed, print(a_[i]), print(b_[j])});
        const auto inner = Comparison(a_[i].nested, b_[j].nested).changes();
        changes_.insert(changes_.end(), inner.begin(), inner.end());
    }

    /// All steps it passed commute with it.
    bool moved_freely(std::size_t i, std::size_t j) const {
        for (std::size_t other = 0; other < a_.size(); other++) {
            const auto at = std::find(texts_b_.begin(), texts_b_.end(), texts_a_[other]);
            if (other == i || at == texts_b_.end()) continue;
            const bool before = other < i, still = static_cast<std::size_t>(at - texts_b_.begin()) < j;
            if (before != still && !commute(a_[other], a_[i])) return false;
        }
        return true;
    }

    const std::vector<Step>&a_, &b_;
    std::vector<std::string> texts_a_, texts_b_;
    std::vector<int> partner_;
    std::vector<bool> taken_;
    std::vector<StepChange> changes_;
};

}  // namespace

bool commute(const Step& a, const Step& b) {
    if (changes_funcs(a) || changes_funcs(b)) return false;
    const auto names = [](const Step& step, const std::string& func) {
        return step.func == func || step.at_func == func || step.tensor == func;
    };
    if (!names(a, b.func) && !names(b, a.func)) return true;
    if (a.func != b.func) return is_level(a.kind) || is_level(b.kind) ? !share_a_name(a, b) : false;
    if (a.kind == StepKind::registers || b.kind == StepKind::registers) return false;  // it is of all stages
    const bool of_func = kind_row(a.kind).scope == StepScope::func || kind_row(b.kind).scope == StepScope::func;
    if (of_func) return !is_level(a.kind) || !is_level(b.kind) ? !share_a_name(a, b) : false;
    if (a.stage != b.stage) return true;
    if (a.kind == StepKind::specialize || b.kind == StepKind::specialize) return false;
    return !share_a_name(a, b);
}

History normal_form(const History& history) {
    History normal{history.steps};
    normalize(normal.steps);
    return normal;
}

std::vector<StepChange> diff(const History& a, const History& b) { return Comparison(a.steps, b.steps).changes(); }

std::string line_diff(const std::string& a, const std::string& b) {
    if (a == b) return "";
    const auto lines_of = [](const std::string& text) {
        std::vector<std::string> lines;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    };
    const std::vector<std::string> left = lines_of(a), right = lines_of(b);
    const std::vector<int> partner = common(left, right);
    std::string text;
    std::size_t next = 0;
    for (std::size_t i = 0; i < left.size(); i++) {
        if (partner[i] < 0) {
            text += "- " + left[i] + "\n";
            continue;
        }
        for (; next < static_cast<std::size_t>(partner[i]); next++) text += "+ " + right[next] + "\n";
        text += "  " + left[i] + "\n";
        next++;
    }
    for (; next < right.size(); next++) text += "+ " + right[next] + "\n";
    return text;
}

std::string print(const std::vector<StepChange>& changes) {
    std::string text;
    for (const StepChange& change : changes) switch (change.kind) {
        case StepChange::Kind::added: text += fmt::format("+ {}\n", change.after); break;
        case StepChange::Kind::removed: text += fmt::format("- {}\n", change.before); break;
        case StepChange::Kind::moved: text += fmt::format("> {}\n", change.before); break;
        case StepChange::Kind::changed: text += fmt::format("~ {} => {}\n", change.before, change.after); break;
        }
    return text;
}

}  // namespace halogen
