// What shards compute, read, write, hold, move and receive, against elements counted one by one: 200 random shapes
// of each kernel and split.
// HALOGEN_SEED and HALOGEN_COUNT take a run back or make it longer.

#include "frontend/notation/operations.h"
#include "frontend/notation/parts.h"
#include "frontend/project/plan.h"
#include "frontend/project/volume.h"
#include "frontend/solve/place.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace halogen {
namespace {

using Element = std::vector<std::int64_t>;
using Elements = std::map<std::string, std::set<Element>>;  // by tensor

/// What a shard of a step touches. Points of equations that write a result are those of its shares; of others those whose elements are
/// read. Every equation of these kernels computes what is read of it and no more.
struct Counted {
    std::vector<std::int64_t> points;  // by equation
    Elements touched;
    std::map<std::string, std::set<Element>> accesses;  // by "equation access"
};

class Counter {
public:
    Counter(const Kernel& kernel, const Solution& numbers, const ShardStep& step, const Shares& shares)
        : kernel_(kernel), numbers_(numbers), step_(step), shares_(shares), counted_{{}, {}, {}} {
        counted_.points.resize(kernel.equations.size());
        for (int e = step.section.end; e-- > step.section.first;) count(e);
    }
    const Counted& counted() const { return counted_; }

private:
    bool is_result(const std::string& tensor) const {
        return std::find(step_.results.begin(), step_.results.end(), tensor) != step_.results.end();
    }

    void count(int e) {
        const Equation& equation = kernel_.equations[e];
        std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> ranges;
        for (const auto& [name, range] : numbers_.indices[e]) {
            const std::int64_t min = *range.min.constant(), end = min + *range.extent.constant();
            const auto share = shares_.find(name);
            if (is_result(equation.left.tensor) && share != shares_.end()) {
                const std::int64_t first = *share->second.first.constant(), count = *share->second.count.constant();
                const bool by_dim = is_bare(equation.left, name);
                const std::int64_t from = by_dim ? first : min + first;
                ranges.push_back({name, {std::max(min, from), std::min(end, from + count)}});
            } else {
                ranges.push_back({name, {min, end}});
            }
        }
        Bindings point;
        visit(e, ranges, 0, point);
    }

    static bool is_bare(const Access& left, const std::string& name) {
        return std::any_of(left.at.begin(), left.at.end(), [&](const Expr& at) { return bare_index(at) == name; });
    }

    template<typename Ranges>
    void visit(int e, const Ranges& ranges, std::size_t i, Bindings& point) {
        if (i < ranges.size()) {
            for (std::int64_t v = ranges[i].second.first; v < ranges[i].second.second; ++v) {
                point[ranges[i].first] = v;
                visit(e, ranges, i + 1, point);
            }
            return;
        }
        const Equation& equation = kernel_.equations[e];
        const Element left = *element(equation.left, point);
        if (!is_result(equation.left.tensor) && !counted_.touched[equation.left.tensor].contains(left)) return;
        ++counted_.points[e];
        touch(e, equation.left, left);
        each_read(equation, [&](const Access& read) {
            if (const auto at = element(read, point)) touch(e, read, *at);
        });
    }

    void touch(int e, const Access& access, const Element& at) {
        counted_.touched[access.tensor].insert(at);
        auto& name = names_[&access];
        if (name.empty()) name = fmt::format("{} {}", e, print(Expr(ExprNode{access})));
        counted_.accesses[name].insert(at);
    }

    /// Nothing on padding.
    std::optional<Element> element(const Access& access, const Bindings& point) {
        Element at;
        auto& formulas = formulas_[&access];
        if (formulas.size() < access.at.size())
            for (const Expr& place : access.at) formulas.push_back(*solved_formula(place, numbers_));
        for (std::size_t d = 0; d < formulas.size(); ++d) {
            const std::int64_t p = evaluate(formulas[d], point);
            if (p < 0 || p >= *numbers_.extents.at(access.tensor)[d].constant()) return std::nullopt;
            at.push_back(p);
        }
        return at;
    }

    const Kernel& kernel_;
    const Solution& numbers_;
    const ShardStep& step_;
    const Shares& shares_;
    Counted counted_;
    std::map<const Access*, std::vector<Formula>> formulas_;
    std::map<const Access*, std::string> names_;
};

/// The least box that holds the elements.
std::vector<std::pair<std::int64_t, std::int64_t>> box_of(const std::set<Element>& elements) {
    std::vector<std::pair<std::int64_t, std::int64_t>> box;
    for (const Element& e : elements) {
        if (box.empty())
            for (const std::int64_t at : e) box.emplace_back(at, at);
        for (std::size_t d = 0; d < e.size(); ++d)
            box[d] = {std::min(box[d].first, e[d]), std::max(box[d].second, e[d])};
    }
    return box;
}

std::int64_t cells_of(const std::set<Element>& elements) {
    std::int64_t cells = elements.empty() ? 0 : 1;
    for (const auto& [low, high] : box_of(elements)) cells *= high - low + 1;
    return cells;
}

struct Case {
    const char* text;
    const char* splits;
    int most = 4;  // sizes are up to this
};

const char* const pooled =
    "kernel pooled(X: f32[H pad P, W pad P, C] else 0, F: f32[R, S, C, K], P: size = 0) -> Y: f32 { "
    "Z[y, x, k] += X[y + r - P, x + s - P, c]*F[r, s, c, k]; "
    "Y[y, x, k] max= Z[2*y + r, 2*x + s, k] where r in 0:2, s in 0:2 }";
const char* const softmax =
    "kernel softmax(X: f32[B, N]) -> Y: f32 { M[b] max= X[b, n]; E[b, n] = exp(X[b, n] - M[b]); S[b] += E[b, n]; "
    "Y[b, n] = E[b, n] / S[b] }";
const char* const attention =
    "kernel attention(Q: f32[H, T, D], K: f32[H, S, D], V: f32[H, S, D]) -> Y: f32 { P[h, t, s] += Q[h, t, d]*K[h, s, "
    "d]; M[h, t] max= P[h, t, s]; E[h, t, s] = exp(P[h, t, s] - M[h, t]); L[h, t] += E[h, t, s]; "
    "Y[h, t, d] += E[h, t, s]/L[h, t]*V[h, s, d] }";
const char* const cumsum =
    "kernel cumsum(X: f32[B, N]) -> Y: f32[B, N] { S[b, 0] = 0; S[b, n] = S[b, n - 1] + X[b, n - 1] where n in 1:N + "
    "1; Y[b, n] = S[b, n + 1] }";
const char* const both_ways =
    "kernel adi(X: f32[N, M]) -> Y: f32[N, M] { R[i, 0] = X[i, 0]; R[i, j] = R[i, j - 1] + X[i, j] where j in 1:M; "
    "Y[0, j] = R[0, j]; Y[i, j] = Y[i - 1, j] + R[i, j] where i in 1:N }";

const Case cases[] = {{test::matmul, "i=2", 7},
                      {test::matmul, "j=2", 7},
                      {test::matmul, "k=2", 7},
                      {test::matmul, "i=2,j=2", 7},
                      {test::matmul, "i=2,k=2", 7},
                      {test::matmul, "j=2,k=2", 7},
                      {test::conv2d, "n=2", 3},
                      {test::conv2d, "y=2", 3},
                      {test::conv2d, "x=2", 3},
                      {test::conv2d, "k=2", 3},
                      {test::conv2d, "c=2", 3},
                      {test::conv2d, "y=2,x=2", 3},
                      {pooled, "y=2", 7},
                      {pooled, "x=2", 7},
                      {pooled, "k=2", 7},
                      {test::heat, "x=2", 7},
                      {test::heat, "y=2", 7},
                      {test::heat, "z=2", 7},
                      {softmax, "b=2", 9},
                      {softmax, "n=2", 9},
                      {softmax, "b=2,n=2", 9},
                      {softmax, "n=2 from 4 b=2", 9},
                      {attention, "h=2", 4},
                      {attention, "t=2", 4},
                      {attention, "s=2", 4},
                      {attention, "h=2,t=2", 4},
                      {cumsum, "b=2", 9},
                      {cumsum, "b=2 from 3 n=2", 9},
                      {both_ways, "i=2 from 3 j=2", 9}};

class CountedShapes : public testing::Test {
protected:
    void check(const Case& c, test::Dice& dice, int count) {
        const Kernel kernel = test::kernel_of(c.text);
        Settings open_sizes;
        for (const SizeParam& p : kernel.sizes) open_sizes[p.name] = std::nullopt;
        const Solution open = solve(kernel, open_sizes).value();
        const Phases phases = parse_splits(c.splits).value();
        const auto open_steps = steps_of(kernel, open, phases).value();
        for (int tries = 0, found = 0; found < count && tries < 400 * count; ++tries) {
            Settings known;
            Bindings sizes;
            for (const std::string& name : open.symbols) {
                const bool small = name == "P" || name == "T" || name == "D" || name == "R" || name == "S";
                sizes[name] = dice.between(name == "P" ? 0 : 1, small ? 3 : c.most);
                known[name] = sizes[name];
            }
            if (!test::guards_hold(open, sizes)) continue;
            const Solution numbers = solve(kernel, known).value();
            Phases dealt = phases;
            for (Phase& phase : dealt)
                for (Split& split : phase.splits) split.shards = dice.between(2, 3);
            const auto steps = steps_of(kernel, numbers, dealt).value();
            if (!fitting(steps)) continue;
            SCOPED_TRACE(print(dealt) + " of " + sizes_text(sizes));
            const std::int64_t rank = dice.between(0, static_cast<int>(ranks_of(steps)) - 1);
            ASSERT_EQ(steps.size(), open_steps.size());
            check_rank(kernel, open, open_steps, numbers, steps, sizes, rank);
            if (HasFailure()) return;
            ++found;
            ++shapes_;
        }
    }

    static std::string sizes_text(const Bindings& sizes) {
        std::string text;
        for (const auto& [name, value] : sizes) text += fmt::format(" {}={}", name, value);
        return text;
    }

    /// Strides that may leave holes at padding are decided by numbers; formulas give a box that holds what is read.
    static bool is_decided(const Bindings& sizes) {
        const auto of = [&](const char* name) { return sizes.contains(name) ? sizes.at(name) : 1; };
        return of("T") == 1 && of("D") == 1;
    }

    void check_rank(const Kernel& kernel, const Solution& open, const std::vector<ShardStep>& open_steps,
                    const Solution& numbers, const std::vector<ShardStep>& steps, const Bindings& sizes,
                    std::int64_t rank) {
        std::map<std::string, std::set<Element>>
            held;  // by the rank, of what its last step that touched a tensor needed
        std::set<std::string> combined;
        for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
            SCOPED_TRACE(fmt::format("step {} of rank {}", i + 1, rank));
            const Shares shares = shares_of(steps[i], shard_of(steps, i, rank));
            Bindings values = sizes;
            for (const auto& [index, share] : shares) {
                values[index + ".first"] = *share.first.constant();
                values[index + ".count"] = *share.count.constant();
            }
            const Counted counted = Counter(kernel, numbers, steps[i], shares).counted();
            const Volume formulas = volume_of(kernel, open, open_steps, i),
                         volume = volume_of(kernel, numbers, steps, i, rank);
            check_formulas(kernel, steps[i], counted, formulas, volume, values, sizes);
            check_received(kernel, numbers, steps, i, counted, volume, shares, held, combined);
            check_cells(kernel, open, steps[i], counted, values);
            for (const auto& [tensor, elements] : counted.touched) held[tensor] = elements;
            if (steps[i].is_partial()) combined.insert(steps[i].results.front());
        }
    }

    static void check_formulas(const Kernel& kernel, const ShardStep& step, const Counted& counted,
                               const Volume& formulas, const Volume& volume, const Bindings& values,
                               const Bindings& sizes) {
        std::int64_t operations = 0, memory = 0, moved = 0;
        for (std::size_t e = 0; e < counted.points.size(); ++e)
            operations += counted.points[e] * operations_per_point(kernel.equations[e]);
        const auto operands = operands_of(kernel, step.section);
        for (const auto& [tensor, elements] : counted.touched) {
            const std::int64_t bytes = bytes_of(kernel.tensor(tensor).type) * cells_of(elements);
            const bool read = std::find(operands.begin(), operands.end(), tensor) != operands.end();
            const bool left = std::find(step.results.begin(), step.results.end(), tensor) != step.results.end();
            memory += bytes;
            moved += bytes * (read != left ? 1 : 2);
        }
        EXPECT_EQ(volume.operations.constant(), operations);
        EXPECT_EQ(volume.memory.constant(), memory);
        EXPECT_EQ(volume.moved.constant(), moved);
        EXPECT_EQ(evaluate(formulas.operations, values), operations);
        EXPECT_GE(evaluate(formulas.memory, values), memory);
        EXPECT_GE(evaluate(formulas.moved, values), moved);
        if (!is_decided(sizes)) return;
        EXPECT_EQ(evaluate(formulas.memory, values), memory);
        EXPECT_EQ(evaluate(formulas.moved, values), moved);
    }

    /// Element by element: what is read and not held. An input lies dealt as the step's cuts deal it, and evenly over other ranks.
    static void check_received(const Kernel& kernel, const Solution& numbers, const std::vector<ShardStep>& steps,
                               int i, const Counted& counted, const Volume& volume, const Shares& shares,
                               const std::map<std::string, std::set<Element>>& held,
                               const std::set<std::string>& combined) {
        const ShardStep& step = steps[i];
        std::int64_t received = 0;
        for (const std::string& tensor : operands_of(kernel, step.section)) {
            if (!counted.touched.contains(tensor)) continue;  // all of it on padding
            const auto& needed = counted.touched.at(tensor);
            const std::int64_t bytes = bytes_of(kernel.tensor(tensor).type);
            if (const auto mine = held.find(tensor); mine != held.end() && !combined.contains(tensor)) {
                const auto box = box_of(needed), other = box_of(mine->second);
                received += bytes * (volume_of_box(box) - volume_of_common(box, other));
                continue;
            }
            std::int64_t alike = std::max<std::int64_t>(1, ranks_of(steps) / step.shards()), parts = 1;
            std::int64_t at_home = cells_of(needed);
            if (combined.contains(tensor)) {
                for (int before = 0; before < i; ++before)
                    for (const Cut& cut : steps[before].cuts)
                        if (steps[before].results.front() == tensor && cut.partial) parts *= cut.split.shards;
                received += bytes * (at_home - std::min(at_home, cells_of(held.at(tensor)) / parts));
                continue;
            }
            auto box = box_of(needed);
            std::set<std::string> cutting;
            for (std::size_t d = 0; d < box.size(); ++d)
                if (const Cut* cut = cut_that_moves(kernel, step, tensor, d, cutting)) {
                    cutting.insert(cut->split.index);
                    const std::int64_t extent = *numbers.extents.at(tensor)[d].constant(),
                                       dealt = *cut->extent.constant();
                    const Share& share = shares.at(cut->split.index);
                    const std::int64_t first = *share.first.constant(), count = *share.count.constant();
                    std::int64_t both = 0;
                    for (std::int64_t at = box[d].first; at <= box[d].second; ++at)
                        both += at >= extent * first / dealt && at < extent * (first + count) / dealt;
                    at_home = at_home / (box[d].second - box[d].first + 1) * both;
                }
            for (const Cut& cut : step.cuts)
                if (!cutting.contains(cut.split.index)) alike *= cut.split.shards;
            received += bytes * (cells_of(needed) - at_home / alike);
        }
        if (step.is_partial()) {
            std::int64_t parts = 1;
            for (const Cut& cut : step.cuts) parts *= cut.partial ? cut.split.shards : 1;
            const std::int64_t cells = cells_of(counted.touched.at(step.results.front()));
            received += bytes_of(kernel.tensor(step.results.front()).type) * (cells - cells / parts);
        }
        EXPECT_EQ(volume.received.constant(), received);
    }

    using Ends = std::vector<std::pair<std::int64_t, std::int64_t>>;
    static std::int64_t volume_of_box(const Ends& box) {
        std::int64_t cells = 1;
        for (const auto& [low, high] : box) cells *= high - low + 1;
        return cells;
    }
    static std::int64_t volume_of_common(const Ends& a, const Ends& b) {
        std::int64_t cells = 1;
        for (std::size_t d = 0; d < a.size(); ++d)
            cells *=
                std::max<std::int64_t>(0, std::min(a[d].second, b[d].second) - std::max(a[d].first, b[d].first) + 1);
        return cells;
    }

    /// The first cut, not used before, whose index stands in the dim of a read of the tensor: indices have one name in all equations here.
    static const Cut* cut_that_moves(const Kernel& kernel, const ShardStep& step, const std::string& tensor,
                                     std::size_t d, const std::set<std::string>& used) {
        for (const Cut& cut : step.cuts) {
            bool stands = false;
            for (int e = step.section.first; e < step.section.end; ++e)
                each_read(kernel.equations[e], [&](const Access& read) {
                    if (read.tensor != tensor) return;
                    walk(read.at[d], [&](const Expr& node) {
                        const auto* index = node.as<IndexRef>();
                        stands = stands || (index && index->name == cut.split.index);
                    });
                });
            if (stands && !used.contains(cut.split.index)) return &cut;
        }
        return nullptr;
    }

    /// The formulas of the elements that each access of a single equation reads or writes.
    void check_cells(const Kernel& kernel, const Solution& open, const ShardStep& step, const Counted& counted,
                     const Bindings& values) {
        if (step.section.end != step.section.first + 1) return;
        const int e = step.section.first;
        Box block;
        for (const Cut& cut : step.cuts)
            block[cut.split.index] = block_of(open.indices[e].at(cut.split.index), cut.split.index);
        for (const Projection& p : project(kernel, open, e, block)) {
            if (!p.cells) continue;
            ++cells_;
            const auto found = counted.accesses.find(fmt::format("{} {}", e, p.access));
            EXPECT_EQ(evaluate(*p.cells, values),
                      found == counted.accesses.end() ? 0 : static_cast<std::int64_t>(found->second.size()))
                << p.access;
        }
    }

    int shapes_ = 0, cells_ = 0;
};

TEST_F(CountedShapes, VolumesAreWhatIsCounted) {
    const char* given = std::getenv("HALOGEN_COUNT");
    const int count = given ? std::atoi(given) : 200;
    test::Dice dice(test::seed_of_run());
    for (const Case& c : cases) {
        SCOPED_TRACE(fmt::format("{} by {}", c.text, c.splits));
        const int before = shapes_;
        check(c, dice, count);
        if (HasFailure()) return;
        EXPECT_EQ(shapes_ - before, count);
    }
    std::cout << shapes_ << " shapes, " << cells_ << " counts of elements\n";
}

}  // namespace
}  // namespace halogen
