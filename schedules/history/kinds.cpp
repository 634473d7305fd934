#include "schedules/history/kinds.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

using K = StepKind;
using P = StepPart;
constexpr StepScope func = StepScope::func, stage = StepScope::stage, equations = StepScope::equations;

// One kind a line: kind, name, scope, parts, least loops, least names made, in Halide, meaning.
// clang-format off
const std::vector<KindRow> rows = {
    {K::copy_in, "copy_in", equations, {P::tensor, P::made, P::panel, P::level}, 0, 1, "a Func between input and reader", "its equations read the tensor through a private copy; with a place computed there"},
    {K::twin, "twin", equations, {P::made, P::when}, 0, 1, "select of two Funcs", "a second computation of the values, taken where the condition holds"},
    {K::in_place, "in_place", equations, {}, 0, 0, "update stages of what is stored", "the equations write the tensor itself, in stages of its own, and not a Func of values that is copied"},
    {K::skip_outside, "skip_outside", equations, {P::tensor, P::dims}, 0, 0, "RDom::where", "reduced points that read the tensor on padding that adds nothing are left out"},
    {K::partial, "partial", equations, {P::list, P::made, P::by_tile, P::rest, P::level}, 1, 1, "update stages over whole vectors", "a reduction over the first loop in vectors of partial results; by lanes, vectors, extents of the other loops; under a mask, or the last vector over the one before it and fewer elements one by one; with a place they lie in registers there, for each iteration of the other loops"},
    {K::group, "group", equations, {P::loops, P::by}, 1, 0, "a last dim of copies, zeros past the end", "points of a sum of products lie side by side in the copies it reads, so that dot products take them at once"},
    {K::overcompute, "overcompute", equations, {P::list}, 1, 0, "clamp where operands enter", "the loops may run past their ends"},
    {K::compute_root, "compute_root", func, {}, 0, 0, "Func::compute_root", "computed whole before its readers"},
    {K::compute_at, "compute_at", func, {P::at}, 0, 0, "Func::compute_at", "computed as needed inside a loop"},
    {K::compute_inline, "compute_inline", func, {}, 0, 0, "Func::compute_inline", "pasted into its readers"},
    {K::store_root, "store_root", func, {}, 0, 0, "Func::store_root", "storage for the whole call"},
    {K::store_at, "store_at", func, {P::at}, 0, 0, "Func::store_at", "storage for one iteration of a loop"},
    {K::hoist_storage, "hoist_storage", func, {P::at}, 0, 0, "Func::hoist_storage", "allocated at a loop"},
    {K::hoist_storage_root, "hoist_storage_root", func, {}, 0, 0, "Func::hoist_storage_root", "allocated once"},
    {K::store_in_stack, "store_in_stack", func, {}, 0, 0, "Func::store_in", "storage of constant extent on the stack"},
    {K::registers, "registers", func, {P::list, P::by_tile, P::level}, 1, 0, "Func::compute_at and store_in, Stage::vectorize, reorder and unroll", "computed inside a loop in vectors along the first loop and along all of the others, in every stage; by lanes, vectors, extents of the other loops"},
    {K::bound_extent, "bound_extent", func, {P::list, P::factor}, 1, 0, "Func::bound_extent", "the extent of each loop is a constant"},
    {K::bound, "bound", func, {P::loops, P::factor}, 1, 0, "Func::bound", "a loop runs from 0 over a given extent, whatever its readers ask for"},
    {K::reorder_storage, "reorder_storage", func, {P::list}, 1, 0, "Func::reorder_storage", "order of dims in memory, innermost first"},
    {K::align_storage, "align_storage", func, {P::loops, P::factor}, 1, 0, "Func::align_storage", "the stride behind a dim is a multiple"},
    {K::fold_storage, "fold_storage", func, {P::loops, P::factor}, 1, 0, "Func::fold_storage", "a dim is kept modulo a number"},
    {K::compress, "compress", func, {}, 0, 0, "looked after: implied by compute_at and store_at", "dims that only loops around all uses index keep one element"},
    {K::async, "async", func, {}, 0, 0, "Func::async", "computed in a thread of its own"},
    {K::split, "split", stage, {P::loops, P::made, P::by, P::tail}, 1, 2, "Stage::split", "one loop becomes an outer and an inner one"},
    {K::tile, "tile", stage, {P::loops, P::made, P::by_two, P::tail}, 2, 4, "two Stage::split and Stage::reorder", "two loops become two outer and two inner ones"},
    {K::fuse, "fuse", stage, {P::loops, P::made}, 2, 1, "Stage::fuse", "inner and outer become one loop"},
    {K::flatten, "flatten", stage, {P::list, P::made}, 2, 1, "Stage::fuse, repeated", "a perfect nest becomes one loop"},
    {K::reorder, "reorder", stage, {P::list}, 2, 0, "Stage::reorder", "order of loops, innermost first"},
    {K::rename, "rename", stage, {P::loops, P::made}, 1, 1, "Stage::rename", "another name for a loop"},
    {K::vectorize, "vectorize", stage, {P::list, P::cut}, 1, 0, "Stage::vectorize", "all iterations in one vector, or so many; by lanes, vectors: so many vectors beside each other are written out"},
    {K::unroll, "unroll", stage, {P::list, P::cut}, 1, 0, "Stage::unroll", "all iterations written out, or so many"},
    {K::parallel, "parallel", stage, {P::list, P::cut}, 1, 0, "Stage::parallel", "iterations shared among threads; so many are a task, and tasks have no epilogue; several loops so shared become one, innermost first"},
    {K::serial, "serial", stage, {P::list}, 1, 0, "Stage::serial", "iterations one after the other"},
    {K::never_partition, "never_partition", stage, {P::list}, 1, 0, "Stage::never_partition", "no separate epilogue for the loops"},
    {K::always_partition, "always_partition", stage, {P::list}, 1, 0, "Stage::always_partition", "a separate epilogue wherever one helps"},
    {K::rfactor, "rfactor", stage, {P::list, P::made}, 1, 2, "Stage::rfactor", "reduced loops become loops of partial results"},
    {K::atomic, "atomic", stage, {}, 0, 0, "Stage::atomic", "iterations may meet in one element"},
    {K::prefetch, "prefetch", stage, {P::tensor, P::loops, P::factor}, 1, 0, "Stage::prefetch", "reads are fetched some iterations ahead"},
    {K::compute_with, "compute_with", stage, {P::with}, 0, 0, "Stage::compute_with", "runs in another stage's loops"},
    {K::specialize, "specialize", stage, {P::when}, 0, 0, "Stage::specialize", "where the condition holds the steps below apply"},
    {K::slice_head, "slice_head", equations, {P::loops, P::made, P::by}, 1, 2, "an update stage for each part of the range", "the first iterations become a loop of their own"},
    {K::slice_tail, "slice_tail", equations, {P::loops, P::made, P::by}, 1, 2, "an update stage for each part of the range", "the last iterations become a loop of their own"},
    {K::normalize, "normalize", equations, {P::loops}, 1, 0, "looked after: loops of splits, and those from 0", "the loop counts from zero"},
    {K::distribute, "distribute", equations, {P::loops}, 1, 0, "looked after: nothing else is computed inside", "one loop around each statement"},
    {K::fuse_siblings, "fuse_siblings", equations, {P::loops, P::with, P::made}, 1, 1, "Stage::rename and Stage::compute_with", "two neighbouring loops of equal range become one"},
    {K::cache_reads, "cache_reads", equations, {P::tensor, P::made, P::at}, 0, 1, "a Func between the tensor and its reader, Func::compute_at", "reads below a loop go through a copy of what they cover"},
    {K::cache_writes, "cache_writes", equations, {P::made, P::at}, 0, 1, "a Func between the values and their stage, Func::compute_at", "writes below a loop go through a copy of what they cover"},
};
// clang-format on

std::string form(const KindRow& row) {
    std::string text(row.name);
    const auto list = [](const char* word, int count) {
        std::string names;
        for (int i = 0; i < count; i++) names += (i ? ", " : "") + std::string(word) + std::to_string(i + 1);
        return names;
    };
    for (const P part : row.parts) switch (part) {
        case P::tensor: text += " X"; break;
        case P::loops: text += " " + list("i", row.loops); break;
        case P::list: text += " " + list("i", row.loops) + ", …"; break;
        case P::made: text += " -> " + list("n", row.made); break;
        case P::factor: text += " 8"; break;
        case P::by: text += " by 8"; break;
        case P::by_two: text += " by 8, 4"; break;
        case P::by_tile: text += " by 8, 4[, 6, …]"; break;
        case P::tail: text += " tail guard"; break;
        case P::rest: text += " [tail predicate]"; break;
        case P::cut:
            text +=
                row.kind == K::vectorize ? " [by 8[, 4] -> n1[, n2], n3 tail guard]" : " [by 8 -> n1, n2 tail guard]";
            break;
        case P::dims: text += " dim 1, …"; break;
        case P::panel: text += " [dim 1 in panels of 16 [by 8]]"; break;
        case P::level: text += row.kind == K::registers ? " at Y.i" : " [at Y.i]"; break;
        case P::at: text += " Y.i"; break;
        case P::with: text += " with Y.0.i"; break;
        case P::when: text += " when N >= 8"; break;
        }
    return text;
}

}  // namespace

const std::vector<KindRow>& kind_rows() { return rows; }

const KindRow& kind_row(StepKind kind) {
    for (const KindRow& row : rows)
        if (row.kind == kind) return row;
    return rows.front();  // every kind has a row: tested
}

const KindRow* find_kind(std::string_view name) {
    for (const KindRow& row : rows)
        if (row.name == name) return &row;
    return nullptr;
}

bool has_part(const KindRow& row, std::initializer_list<StepPart> parts) {
    return std::ranges::find_first_of(row.parts, parts) != row.parts.end();
}

bool cuts(const Step& step) {
    return step.kind == StepKind::split || (has_part(kind_row(step.kind), {P::cut}) && !step.made.empty());
}

bool fuses_first(const Step& step) { return step.kind == StepKind::parallel && cuts(step) && step.loops.size() > 1; }

std::vector<std::string> marked_loops(const Step& step) {
    if (!cuts(step)) return step.loops;
    return {step.kind == StepKind::parallel ? step.made.front() : step.made.back()};
}

std::vector<Step> cuts_of(const Step& step) {
    Step split = step;
    split.kind = StepKind::split;
    if (fuses_first(step)) split.loops = {step.made.at(1)};
    if (step.second == Formula(0)) return {split};
    split.factor = step.factor * step.second;
    split.second = {};
    split.made.resize(2);
    Step again = split;
    again.loops = {step.made.at(1)};
    again.made = {step.made.at(1), step.made.at(2)};
    again.factor = step.factor;
    again.tail = Tail::exact;
    return {split, again};
}

std::optional<WrongCounts> wrong_counts(const Step& step) {
    const KindRow& row = kind_row(step.kind);
    const std::string see = "docs/schedule-steps.md has the form of each step";
    const auto count = [](int n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
    const int loops = static_cast<int>(step.loops.size()), made = static_cast<int>(step.made.size());
    if (loops < row.loops || (!has_part(row, {P::list}) && loops > row.loops))
        return WrongCounts{fmt::format("`{}` takes {}, found {}", row.name, count(row.loops, "loop"), loops), see};
    if (made < row.made || (made > 0 && !has_part(row, {P::made, P::cut})))
        return WrongCounts{fmt::format("`{}` makes {}, found {}", row.name, count(row.made, "name"), made), see};
    if (step.kind == StepKind::split && step.tail == Tail::separate && made != 3)
        return WrongCounts{fmt::format("a separate tail is a third loop, found {}", count(made, "name")),
                           "write -> outer, inner, rest"};
    if (step.kind == StepKind::partial && step.tail != Tail::exact && step.tail != Tail::predicate)
        return WrongCounts{fmt::format("what `partial` leaves has no tail {}", to_string(step.tail)),
                           "write tail predicate, or nothing"};
    if (step.kind == StepKind::registers && step.at_loop.empty())
        return WrongCounts{"`registers` needs a place", "write at Y.i behind it, or at root"};
    if (!step.extents.empty() && static_cast<int>(step.extents.size()) != loops - 1)
        return WrongCounts{fmt::format("`{}` of {} has lanes, vectors and {}, found {}", row.name, count(loops, "loop"),
                                       count(loops - 1, "extent"), step.extents.size()),
                           "write an extent for each loop but the first, or none"};
    if (step.kind == StepKind::split || !cuts(step)) return std::nullopt;
    if (loops != 1 && step.kind != StepKind::parallel)
        return WrongCounts{fmt::format("`{} … by` cuts 1 loop, found {}", row.name, loops), see};
    const bool twice = step.second != Formula(0);
    if (twice && step.kind != StepKind::vectorize)
        return WrongCounts{fmt::format("`{} … by` takes one number", row.name), see};
    if (made != (twice ? 3 : 2))
        return WrongCounts{fmt::format("`{} … by` makes {} names, found {}", row.name, twice ? 3 : 2, made),
                           twice ? "write -> outer, vectors, lanes" : "write -> outer, inner"};
    if (step.tail == Tail::separate)
        return WrongCounts{fmt::format("`{} … by` has no loop for a separate tail", row.name),
                           "write a split with tail separate, and then this step on one of its loops"};
    return std::nullopt;
}

std::string to_string(StepKind kind) { return std::string(kind_row(kind).name); }

std::string print_kind_table() {
    std::string text = "| Step | In Halide | Meaning |\n| --- | --- | --- |\n";
    for (const KindRow& row : rows) text += fmt::format("| `{}` | {} | {} |\n", form(row), row.halide, row.about);
    return text;
}

}  // namespace halogen
