#include "tests/schedule/boxes.h"

namespace halogen {

namespace {

enum class Answer { yes, no, unknown };

Answer at_most(const Formula& a, const Formula& b, const LowerBounds& bounds) {
    if (is_nonnegative(b - a, bounds)) return Answer::yes;
    if (is_nonnegative(a - b - Formula(1), bounds)) return Answer::no;
    return Answer::unknown;
}

/// Joint answer: no if any is no.
Answer both(Answer a, Answer b) {
    if (a == Answer::no || b == Answer::no) return Answer::no;
    return a == Answer::yes && b == Answer::yes ? Answer::yes : Answer::unknown;
}

Answer inside(const Hull& a, const Hull& b, const LowerBounds& bounds) {
    return both(at_most(b.low, a.low, bounds), at_most(a.high, b.high, bounds));
}

}  // namespace

Overlap overlap(const IndexBox& a, const IndexBox& b, const LowerBounds& bounds) {
    Answer apart = Answer::no, contained = Answer::yes, contains = Answer::yes;
    for (std::size_t d = 0; d < a.size(); d++) {
        const Answer meets = both(at_most(a[d].low, b[d].high, bounds), at_most(b[d].low, a[d].high, bounds));
        if (meets == Answer::no) return Overlap::none;
        if (meets == Answer::unknown) apart = Answer::unknown;
        contained = both(contained, inside(a[d], b[d], bounds));
        contains = both(contains, inside(b[d], a[d], bounds));
    }
    if (apart == Answer::unknown || contained == Answer::unknown || contains == Answer::unknown)
        return Overlap::unknown;
    if (contained == Answer::yes) return contains == Answer::yes ? Overlap::equal : Overlap::contained;
    return contains == Answer::yes ? Overlap::contains : Overlap::partial;
}

std::optional<std::vector<IndexBox>> subtract(const IndexBox& a, const IndexBox& b, const LowerBounds& bounds) {
    Answer contained = Answer::yes;
    for (std::size_t d = 0; d < a.size(); d++) contained = both(contained, inside(a[d], b[d], bounds));
    if (contained == Answer::yes) return std::vector<IndexBox>{};
    switch (overlap(a, b, bounds)) {
    case Overlap::none: return std::vector<IndexBox>{a};
    case Overlap::unknown: return std::nullopt;
    default: break;
    }
    std::vector<IndexBox> parts;
    IndexBox rest = a;
    for (std::size_t d = 0; d < a.size(); d++) {
        if (at_most(b[d].low, rest[d].low, bounds) == Answer::no) {
            parts.push_back(rest);
            parts.back()[d].high = b[d].low - Formula(1);
            rest[d].low = b[d].low;
        }
        if (at_most(rest[d].high, b[d].high, bounds) == Answer::no) {
            parts.push_back(rest);
            parts.back()[d].low = b[d].high + Formula(1);
            rest[d].high = b[d].high;
        }
    }
    return parts;
}

IndexBox hull(const IndexBox& a, const IndexBox& b, const LowerBounds& bounds) {
    IndexBox box;
    for (std::size_t d = 0; d < a.size(); d++)
        box.push_back({smaller(a[d].low, b[d].low, bounds), larger(a[d].high, b[d].high, bounds)});
    return box;
}

}  // namespace halogen
