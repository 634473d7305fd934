#include "schedules/recipes/access.h"

#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <iterator>

namespace halogen {

namespace {

void add(LinearPlace& sum, const LinearPlace& other, const Formula& factor) {
    sum.affine = sum.affine && other.affine;
    sum.by_data = sum.by_data || other.by_data;
    sum.bent.insert(other.bent.begin(), other.bent.end());
    sum.offset = sum.offset + other.offset * factor;
    for (const auto& [index, coefficient] : other.coefficients) {
        const Formula c = sum.coefficients[index] + coefficient * factor;
        if (c == Formula(0))
            sum.coefficients.erase(index);
        else
            sum.coefficients[index] = c;
    }
}

/// The value of an expression of sizes alone; nothing when an index or data takes part.
std::optional<Formula> size_value(const Solution& solution, const Expr& e) {
    bool has_index = false;
    walk(e, [&](const Expr& part) { has_index = has_index || part.as<IndexRef>(); });
    return has_index ? std::nullopt : solved_formula(e, solution);
}

/// A place that is not linear still moves with what it mentions.
LinearPlace opaque(const Expr& e) {
    LinearPlace place;
    place.affine = false;
    walk(e, [&](const Expr& x) {
        place.by_data = place.by_data || x.as<Access>();
        const auto* index = x.as<IndexRef>();
        if (!index) return;
        place.coefficients[index->name] = Formula(1);
        place.bent.insert(index->name);
    });
    return place;
}

}  // namespace

LinearPlace linear_place(const Solution& solution, const Expr& e) {
    LinearPlace place;
    if (const auto value = size_value(solution, e)) {
        place.offset = *value;
        return place;
    }
    if (auto* index = e.as<IndexRef>()) {
        place.coefficients[index->name] = Formula(1);
        return place;
    }
    if (auto* u = e.as<Unary>()) {
        add(place, linear_place(solution, *u->value), Formula(-1));
        return place;
    }
    auto* b = e.as<Binary>();
    if (b && (b->op == BinaryOp::add || b->op == BinaryOp::sub)) {
        add(place, linear_place(solution, *b->left), Formula(1));
        add(place, linear_place(solution, *b->right), Formula(b->op == BinaryOp::add ? 1 : -1));
        return place;
    }
    if (b && b->op == BinaryOp::mul) {
        const auto l = size_value(solution, *b->left), r = size_value(solution, *b->right);
        if (l) {
            add(place, linear_place(solution, *b->right), *l);
            return place;
        }
        if (r) {
            add(place, linear_place(solution, *b->left), *r);
            return place;
        }
    }
    return opaque(e);
}

bool Read::moves_with(const std::string& index) const {
    return std::ranges::any_of(at, [&](const LinearPlace& place) { return place.moves_with(index); });
}

std::optional<int> Read::step_dim(const std::string& index, int most) const {
    std::optional<int> dim;
    for (size_t d = 0; d < at.size(); d++) {
        if (!at[d].moves_with(index)) continue;
        const auto step = at[d].step_of(index).value_or(0).constant();
        if (dim || !step || *step < 1 || *step > most) return std::nullopt;
        dim = static_cast<int>(d);
    }
    return dim;
}

/// The indices that tell by data where a loop begins and where it ends: i of `P[i] <= k, k < P[i + 1]`.
static std::set<std::string> rows_of_segment(const Equation& equation, const std::string& loop) {
    const auto rows_of = [](const Expr& end) {
        return depends_on_data(end) ? indices_in(end) : std::set<std::string>();
    };
    std::set<std::string> begins, ends, both;
    for (const Expr* predicate : predicates_of(equation))
        each_comparison(*predicate, [&](BinaryOp, const Expr& low, const Expr& high) {
            if (bare_index(high) == loop) begins.merge(rows_of(low));
            if (bare_index(low) == loop) ends.merge(rows_of(high));
        });
    std::ranges::set_intersection(begins, ends, std::inserter(both, both.end()));
    return both;
}

std::vector<Read> reads_of(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[e];
    std::map<std::string, std::set<std::string>> segments;
    for (const std::string& loop : reduced_indices_of(equation)) segments[loop] = rows_of_segment(equation, loop);
    std::vector<Read> reads;
    each_read(equation, [&](const Access& access) {
        Read read{access.tensor, {}};
        for (const Expr& at : access.at) {
            LinearPlace place = linear_place(solution, at);
            for (const auto& [loop, rows] : segments)
                if (place.moves_with(loop)) place.bent.insert(rows.begin(), rows.end());
            read.at.push_back(std::move(place));
        }
        reads.push_back(std::move(read));
    });
    return reads;
}

Read through(const Read& read, const std::vector<std::string>& loops, const std::vector<LinearPlace>& places) {
    Read seen{read.tensor, {}};
    for (const LinearPlace& inner : read.at) {
        LinearPlace place;
        place.affine = inner.affine;
        place.by_data = inner.by_data;
        place.offset = inner.offset;
        const auto place_of = [&](const std::string& index) {
            const auto dim = std::ranges::find(loops, index);
            return dim == loops.end() ? nullptr : &places[static_cast<std::size_t>(dim - loops.begin())];
        };
        for (const auto& [index, coefficient] : inner.coefficients) {
            if (const LinearPlace* of = place_of(index))
                add(place, *of, coefficient);
            else
                place.coefficients[index] = coefficient;  // reduced inside the producer
        }
        for (const std::string& index : inner.bent) {
            const LinearPlace* of = place_of(index);
            if (!of)
                place.bent.insert(index);
            else
                for (const auto& [moving, step] : of->coefficients) place.bent.insert(moving);
        }
        seen.at.push_back(std::move(place));
    }
    return seen;
}

}  // namespace halogen
