#include "frontend/plan/pieces.h"

#include "frontend/formula/sign.h"

#include <algorithm>

namespace halogen {

namespace {

std::pair<PartLoop, PartLoop> parts_of(const Slice& slice, const PartLoop& whole) {
    const Formula points = slice.points, fewer = smaller(points, whole.extent);
    Formula first = fewer;
    if (slice.kind == Slice::Kind::tail) first = whole.extent - fewer;
    if (slice.kind == Slice::Kind::blocks) first = floor_div(whole.extent, points) * points;
    return {{slice.first, whole.min, first}, {slice.second, whole.min + first, whole.extent - first}};
}

}  // namespace

bool Piece::has(const std::string& loop) const {
    return std::any_of(loops.begin(), loops.end(), [&](const auto& l) { return l.second.name == loop; });
}

std::vector<Piece> pieces_of(const std::vector<Slice>& slices, const std::string& func, int stage,
                             const std::map<std::string, IndexRange>& ranges, std::vector<bool>* met) {
    std::vector<Piece> pieces{{}};
    if (met) met->assign(slices.size(), false);
    for (std::size_t s = 0; s < slices.size(); s++) {
        const Slice& slice = slices[s];
        if (slice.func != func || slice.stage != stage) continue;
        std::vector<Piece> after;
        for (const Piece& piece : pieces) {
            std::string index;
            PartLoop whole;
            for (const auto& [name, range] : ranges) {
                const auto cut = piece.loops.find(name);
                const PartLoop loop = cut == piece.loops.end() ? PartLoop{name, range.min, range.extent} : cut->second;
                if (loop.name != slice.loop) continue;
                index = name;
                whole = loop;
            }
            after.push_back(piece);
            if (index.empty()) continue;
            const auto [first, second] = parts_of(slice, whole);
            after.back().loops[index] = first;
            after.push_back(piece);
            after.back().loops[index] = second;
            after.back().suffix += "_" + slice.second;
            if (met) (*met)[s] = true;
        }
        pieces = std::move(after);
    }
    return pieces;
}

std::map<std::string, IndexRange> dim_ranges(const std::vector<std::string>& dims,
                                             const std::vector<Formula>& extents) {
    std::map<std::string, IndexRange> ranges;
    for (std::size_t d = 0; d < dims.size(); d++) ranges[dims[d]] = {0, extents[d]};
    return ranges;
}

}  // namespace halogen
