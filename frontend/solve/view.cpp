#include "frontend/solve/view.h"

#include "frontend/formula/hull.h"
#include "frontend/solve/access_form.h"
#include "frontend/solve/implied.h"
#include "frontend/solve/model.h"

#include <fmt/format.h>

namespace halogen {

namespace {

/// b*(a/b) + a % b is a: quotient and remainder of one number meet again in the address of a reshaped tensor.
Formula rejoined(const Formula& f) {
    using Kind = Formula::Atom::Kind;
    for (const auto& [m, c] : f.terms()) {
        for (std::size_t i = 0; i < m.size(); ++i) {
            if (m[i]->kind != Kind::remainder) continue;
            Formula::Monomial::Atoms rest;
            for (std::size_t j = 0; j < m.size(); ++j) {
                if (j != i) rest.push_back(m[j]);
            }
            const Formula factor = Formula::term(rest, c), &a = m[i]->a, &b = m[i]->b;
            const Formula quotient = factor * b * floor_div(a, b);
            const Formula joined = f - factor * Formula(m[i]) - quotient + factor * a;
            if (joined.terms().size() < f.terms().size() && quotient.terms().size() == 1) return rejoined(joined);
        }
    }
    return f;
}

class Viewer {
public:
    Viewer(const Kernel& kernel, const Solution& s) : model_(kernel), solution_(s), views_(views_of(kernel)) {}

    std::vector<TensorView> all() const {
        std::vector<TensorView> list;
        for (int e = 0; e < static_cast<int>(model_.kernel.equations.size()); ++e) {
            const std::string& tensor = model_.kernel.equations[e].left.tensor;
            if (views_.contains(tensor)) list.push_back(view_of(tensor, e));
        }
        return list;
    }

private:
    /// Element addresses of one tensor over the named positions "@0", "@1", … of another.
    struct Seen {
        std::string tensor;
        std::vector<Formula> places;
        std::string reason;  // why there are none
    };

    static std::string position(std::size_t d) { return fmt::format("@{}", d); }

    /// One step: what `seen.tensor`, defined by equation `e`, reads.
    Seen through(const Seen& seen, int e) const {
        const auto uses = model_.uses_of(e);
        const Use &left = uses[0], &read = uses[1];
        std::map<std::string, Formula> values;
        for (std::size_t d = 0; d < seen.places.size(); ++d) {
            if (!left.places[d].bare || !values.emplace(*left.places[d].bare, seen.places[d]).second)
                return {"", {}, fmt::format("{} does not name one index per dim", left.text)};
        }
        Seen next{read.access->tensor, {}, ""};
        for (std::size_t d = 0; d < read.places.size(); ++d) {
            if (!read.places[d].formula) return {next.tensor, {}, fmt::format("{} reads by data", read.text)};
            const auto value_of = [&](const std::string& name) -> const Formula* {
                const auto index = values.find(name);
                if (index != values.end()) return &index->second;
                const auto size = solution_.sizes.find(name);
                return size == solution_.sizes.end() ? nullptr : &size->second;
            };
            next.places.push_back(read.places[d].formula->substitute(value_of));
            const DimModel& dim = model_.dim(read, static_cast<int>(d));
            if (dim.padded && reaches_padding(read, static_cast<int>(d), e))
                return {
                    next.tensor, {}, fmt::format("{} reads the padding of dim {} of `{}`", read.text, d, next.tensor)};
        }
        return next;
    }

    bool reaches_padding(const Use& read, int d, int equation) const {
        Box box;
        for (const auto& [index, range] : solution_.indices[equation])
            box[index] = {range.min, range.min + range.extent - Formula(1)};
        const auto size_of = [&](const std::string& name) -> const Formula* {
            const auto at = solution_.sizes.find(name);
            return at == solution_.sizes.end() || box.contains(name) ? nullptr : &at->second;
        };
        const Hull h = hull_of(read.places[d].formula->substitute(size_of), box);
        Facts facts;
        for (const auto& [index, range] : solution_.indices[equation]) facts.add_nonnegative(range.extent - Formula(1));
        for (const Guard& g : solution_.guards) facts.add(g);
        const Formula last = solution_.extents.at(read.access->tensor)[d] - Formula(1);
        return !facts.imply_nonnegative(h.low) || !facts.imply_nonnegative(last - h.high);
    }

    TensorView view_of(const std::string& tensor, int equation) const {
        TensorView view{tensor, "", solution_.extents.at(tensor), false, "", {}, {}};
        Seen seen{tensor, {}, ""};
        for (std::size_t d = 0; d < view.extents.size(); ++d) seen.places.push_back(Formula::symbol(position(d)));
        for (std::optional<int> e = equation; e; e = definition_of(seen.tensor)) {
            seen = through(seen, *e);
            if (!seen.reason.empty()) break;
        }
        view.base = seen.tensor;
        view.reason = seen.reason;
        if (view.reason.empty()) stride(view, seen);
        return view;
    }

    /// The equation of a view that itself has no storage.
    std::optional<int> definition_of(const std::string& tensor) const {
        const auto view = views_.find(tensor);
        if (view == views_.end() || model_.kernel.tensor(tensor).role == Role::output) return std::nullopt;
        return view->second;
    }

    void stride(TensorView& view, const Seen& seen) const {
        const auto& extents = solution_.extents.at(seen.tensor);
        Formula address, step = 1;
        for (std::size_t d = seen.places.size(); d-- > 0;) {
            address = address + seen.places[d] * step;
            if (d > 0) step = step * extents[d];
        }
        address = rejoined(address);
        std::vector<std::string> positions;
        for (std::size_t d = 0; d < view.extents.size(); ++d) positions.push_back(position(d));
        AccessForm form = access_form({address}, {Formula(1)}, positions);
        if (!form.affine) {
            view.reason = "its address is no sum of strides times indices: a quotient or remainder stays";
            return;
        }
        view.zero_copy = true;
        view.offset = form.offset;
        for (const auto& p : positions) view.strides.push_back(form.strides[p]);
    }

    const KernelModel model_;
    const Solution& solution_;
    const std::map<std::string, int> views_;  // by the equation that defines each
};

std::string list_text(const std::vector<Formula>& list) {
    std::string text;
    for (const Formula& f : list) text += (text.empty() ? "" : ", ") + print(f);
    return "[" + text + "]";
}

}  // namespace

std::vector<TensorView> views(const Kernel& kernel, const Solution& solution) { return Viewer(kernel, solution).all(); }

std::string print(const TensorView& v) {
    if (!v.zero_copy) return fmt::format("{} needs a copy of {}: {}", v.tensor, v.base, v.reason);
    return fmt::format("{} = as_strided({}, shape {}, strides {}, offset {})", v.tensor, v.base, list_text(v.extents),
                       list_text(v.strides), print(v.offset));
}

}  // namespace halogen
