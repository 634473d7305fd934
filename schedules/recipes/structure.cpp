#include "schedules/recipes/structure.h"
#include "frontend/notation/versions.h"
#include "frontend/plan/order.h"
#include "frontend/plan/value_funcs.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace halogen {

namespace {

/// How often the text of an inlined Func may stand in that of the Func it is inlined into.
constexpr int most_copies = 64;

/// What one access of an equation of `reader` reads of a computed tensor.
struct Edge {
    int reader;  // ValueFunc
    int equation;
    Read read;
};

class Analysis {
public:
    Analysis(const Kernel& kernel, const Solution& solution)
        : kernel_(kernel),
          solution_(solution),
          versions_(versions_of(kernel)),
          funcs_(value_funcs(kernel, solution)),
          edges_(funcs_.size()),
          stored_(funcs_.size()),
          fused_(funcs_.size()),
          points_(funcs_.size()),
          copies_(funcs_.size(), 1) {
        for (size_t f = 0; f < funcs_.size(); f++)
            for (int e : funcs_[f].equations) collect_edges(static_cast<int>(f), e);
        for (const Version& v : versions_.all) continued_.insert(v.previous);
        for (size_t f = funcs_.size(); f-- > 0;) decide(static_cast<int>(f));
    }

    Structure run() const {
        Structure structure;
        std::vector<Host> outputs;
        for (size_t f = 0; f < funcs_.size(); f++) {
            if (!stored_[f]) continue;
            Host host = make_host(static_cast<int>(f));
            (host.output ? outputs : structure.hosts).push_back(std::move(host));
        }
        for (const Tensor* tensor : kernel_.outputs())
            for (Host& host : outputs)
                if (host.tensor == tensor->name) structure.hosts.push_back(std::move(host));
        find_shared(structure.hosts);
        structure.fused_dims = outputs.size() == 1 && structure.hosts.size() > 1 ? shared_dims() : 0;
        for (const Host& host : structure.hosts)
            structure.fused_dims = std::min(structure.fused_dims, dims_before_rows_of_a_product(host));
        for (const int f : apart_)  // its rows are tiled together
            structure.fused_dims = std::min(structure.fused_dims, first_window(f).value_or(structure.fused_dims));
        // Where all loops are shared no intermediate has a row of its own inside them: the last one is left for vectors. (Colours
        // are no row.)
        const auto inside = [&](const Host& h) {
            const std::vector<Formula>& extents = solution_.extents.at(h.tensor);
            return std::any_of(extents.begin() + std::min<std::ptrdiff_t>(structure.fused_dims, std::ssize(extents)),
                               extents.end(), [](const Formula& e) { return !is_short(e); });
        };
        if (structure.fused_dims > 0 && std::none_of(structure.hosts.begin(), structure.hosts.end(), inside)) {
            structure.fused_dims--;
            structure.blocked = structure.fused_dims == 0 && structure.hosts.back().cores.empty();
        }
        return structure;
    }

private:
    static void find_shared(std::vector<Host>& hosts) {
        std::map<std::string, std::set<const Host*>> readers;
        for (const Host& host : hosts)
            for (const Read& read : host.reads) readers[read.tensor].insert(&host);
        for (Host& host : hosts)
            for (const Read& read : host.reads)
                if (readers.at(read.tensor).size() > 1) host.shared.insert(read.tensor);
    }

    /// The ValueFunc that equation `e` reads when it names `tensor`.
    std::optional<int> version(const std::string& tensor, int e) const {
        const auto found = versions_.read[e].find(tensor);
        return found == versions_.read[e].end() ? std::nullopt : std::optional(found->second);
    }

    void collect_edges(int f, int e) {
        if (e < 0) return;
        for (Read& read : reads_of(kernel_, solution_, e)) {
            if (kernel_.tensor(read.tensor).role == Role::input || read.tensor == funcs_[f].tensor) continue;
            const auto v = version(read.tensor, e);
            if (v) edges_[*v].push_back({f, e, std::move(read)});
        }
    }

    bool is_output(int f) const {
        return funcs_[f].stored == funcs_[f].tensor && kernel_.tensor(funcs_[f].tensor).role == Role::output;
    }
    bool is_pure(int f) const { return funcs_[f].equations.size() == 1; }

    static std::vector<LinearPlace> own_place(const std::vector<std::string>& loops) {
        std::vector<LinearPlace> places;
        for (const std::string& loop : loops) places.push_back({{{loop, Formula(1)}}});
        return places;
    }

    /// Where in the loops of which stored Func another is read.
    struct Point {
        int host;
        std::vector<LinearPlace> at;
        friend bool operator==(const Point&, const Point&) = default;
    };

    /// The one point that all reads of `f` meet in: its readers are one stored Func of one pure stage, or what is inlined into that
    /// alone. Readers are decided before what they read.
    std::optional<Point> meeting_point(int f) const {
        if (continued_.count(f)) return std::nullopt;
        std::optional<Point> all;
        for (const Edge& edge : edges_[f]) {
            const int r = edge.reader;
            const std::optional<Point> reader =
                stored_[r] && is_pure(r) ? Point{r, own_place(funcs_[r].dims)} : points_[r];
            if (!reader) return std::nullopt;
            Point here{reader->host, through(edge.read, left_loops(edge.equation), reader->at).at};
            if (all && *all != here) return std::nullopt;
            all = std::move(here);
        }
        return all;
    }

    /// It can be computed in the tiles of the host that reads it.
    bool is_read_in_place(const std::optional<Point>& point) const {
        return point && point->at == own_place(funcs_[point->host].dims);
    }

    /// One evaluation serves all that its host reads of it: each element at one point, or at pixels whose colours are written out there.
    bool is_read_at_its_pixel(const std::optional<Point>& point) const {
        if (!point) return false;
        const std::vector<std::string>& dims = funcs_[point->host].dims;
        const std::vector<Formula>& extents = solution_.extents.at(funcs_[point->host].tensor);
        std::vector<std::string> missed = dims;
        for (const LinearPlace& place : point->at)
            if (!place.is_plain() || std::erase(missed, place.coefficients.begin()->first) != 1) return false;
        return std::ranges::all_of(missed, [&](const std::string& dim) {
            return (dim == dims.back() && is_short(extents.back())) ||
                   (has_rows_of_colours(extents) && dim == dims[dims.size() - 3]);
        });
    }

    /// Evaluated no more often than stored: each reader takes each element at most once, or the same one again at the same
    /// point.
    bool read_once(int f) const {
        if (edges_[f].empty() || continued_.count(f)) return false;
        const Edge& edge = edges_[f].front();
        for (const Edge& other : edges_[f])
            if (other.equation != edge.equation || other.read.at != edge.read.at) return false;
        std::set<std::string> used;
        for (const LinearPlace& place : edge.read.at) {
            if (!place.is_plain()) return false;
            used.insert(place.coefficients.begin()->first);
        }
        return used.size() == indices_of(kernel_.equations[edge.equation]).size();
    }

    struct Cost {
        int operations = 0, loads = 0;
        bool heavy = false;
    };
    Cost cost(int f) const {
        Cost c;
        for (int e : funcs_[f].equations) {
            if (e < 0) continue;
            walk(kernel_.equations[e].right, [&](const Expr& x) {
                const auto* binary = x.as<Binary>();
                const bool divides = binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
                c.operations += divides ? 2 : binary || x.as<Call>() ? 1 : 0;
                c.loads += x.as<Access>() ? 1 : 0;
                auto* call = x.as<Call>();
                c.heavy = c.heavy || (call && call->function >= Function::sqrt);
            });
        }
        return c;
    }

    /// A factor of a product, the same for all elements of a row, with arithmetic of its own, or from a tensor that the product
    /// reads elsewhere too (a copy of what is packed serves only one of the places).
    bool is_used_again(int f, const Cost& c) const {
        const auto plain = [](const LinearPlace& place) { return place.is_plain(); };
        return std::any_of(edges_[f].begin(), edges_[f].end(), [&](const Edge& edge) {
            if (reduced_indices_of(kernel_.equations[edge.equation]).empty() ||
                !std::all_of(edge.read.at.begin(), edge.read.at.end(), plain))
                return false;
            const std::vector<std::string> left = left_loops(edge.equation);
            const auto alone = [&](const Read& a, const Read& b) {
                return std::any_of(left.begin(), left.end(), [&](const std::string& loop) {
                    return !loop.empty() && a.moves_with(loop) && !b.moves_with(loop);
                });
            };
            const std::vector<Read> reads = reads_of(kernel_, solution_, edge.equation);
            return std::any_of(reads.begin(), reads.end(), [&](const Read& other) {
                return alone(edge.read, other) && alone(other, edge.read) &&
                       (c.operations > 0 || reads_same(f, other.tensor));
            });
        });
    }
    bool reads_same(int f, const std::string& tensor) const {
        for (const int e : funcs_[f].equations)
            for (const Read& read : reads_of(kernel_, solution_, e))
                if (read.tensor == tensor) return true;
        return false;
    }

    /// How often the text of `f` would stand in that of stored Funcs.
    int copies(int f) const {
        int all = 0;
        for (const Edge& edge : edges_[f]) all = std::min(all + copies_[edge.reader], most_copies + 1);
        return all;
    }

    void decide(int f) {
        if (is_output(f)) {
            stored_[f] = true;
        } else if (is_pure(f)) {
            const Cost c = cost(f);
            const bool light = !c.heavy && c.loads <= 2 && c.loads + c.operations <= 3;
            const std::optional<Point> point = meeting_point(f);
            const bool once = read_once(f) || is_read_at_its_pixel(point);
            // Inlined into its one reader, where equal terms are computed once.
            stored_[f] = !(once || light) || copies(f) > most_copies || continued_.count(f) || is_used_again(f, c);
            if (!stored_[f]) {
                points_[f] = point;
                copies_[f] = copies(f);
            }
        } else {
            const std::optional<Point> point = meeting_point(f);
            fused_[f] = is_read_in_place(point) && joins_its_host(f, point->host);
            stored_[f] = !fused_[f];
        }
    }

    /// The tiles of a host are chosen for one product of matrices, for one window of inputs, or for sums that are neither: others
    /// are hosts of their own. (Windows of what is computed share that: measured on harris, 1.2 times as long apart.)
    bool joins_its_host(int f, int host) {
        std::vector<bool>& cores = tiled_[host];
        const bool tiled = is_product(f) || first_window(f);
        const bool joins = cores.empty() || (!tiled && !cores.front());
        if (joins)
            cores.push_back(tiled);
        else
            apart_.push_back(f);
        return joins;
    }

    /// Some sum of `f` uses one operand again along one of its dims, and another along another.
    bool is_product(int f) const {
        return any_sum(f, [&](int e) {
            const std::vector<std::string> left = left_loops(e);
            const auto alone = [&](const Read& a, const Read& b) {
                return std::any_of(left.begin(), left.end(), [&](const std::string& loop) {
                    return !loop.empty() && a.moves_with(loop) && !b.moves_with(loop);
                });
            };
            const std::vector<Read> reads = reads_of(kernel_, solution_, e);
            return std::any_of(reads.begin(), reads.end(), [&](const Read& a) {
                return std::any_of(reads.begin(), reads.end(),
                                   [&](const Read& b) { return alone(a, b) && alone(b, a); });
            });
        });
    }

    /// The first dim of `f` along which a sum reads inputs at sums of loops.
    std::optional<int> first_window(int f) const {
        for (std::size_t d = 0; d < funcs_[f].dims.size(); d++)
            if (any_sum(f, [&](int e) { return is_window(e, d); })) return static_cast<int>(d);
        return std::nullopt;
    }
    bool is_window(int e, std::size_t d) const {
        const std::string loop = left_loops(e).at(d);
        const auto slides = [&](const LinearPlace& place) {
            return place.coefficients.size() > 1 && place.coefficients.count(loop) > 0;
        };
        bool window = false;
        for (const Read& read : reads_of(kernel_, solution_, e)) {
            if (version(read.tensor, e) && kernel_.tensor(read.tensor).role != Role::input) return false;
            window = window || std::any_of(read.at.begin(), read.at.end(), slides);
        }
        return window;
    }

    template<typename Holds>
    bool any_sum(int f, Holds holds) const {
        const std::vector<int>& equations = funcs_[f].equations;
        return std::any_of(equations.begin(), equations.end(), [&](int e) {
            return e >= 0 && !reduced_indices_of(kernel_.equations[e]).empty() && holds(e);
        });
    }

    /// All reads of `f` at `places` (in the host's loops), inlined producers looked through, cores collected.
    void gather(int f, const std::vector<LinearPlace>& places, Host& host) const {
        for (size_t s = 0; s < funcs_[f].equations.size(); s++) {
            const int e = funcs_[f].equations[s];
            if (e < 0) continue;
            const std::vector<std::string> loops = left_loops(e);
            for (const Read& read : reads_of(kernel_, solution_, e)) {
                const Read seen = through(read, loops, places);
                const bool input = kernel_.tensor(read.tensor).role == Role::input;
                if (!input && read.tensor == funcs_[f].tensor) continue;
                const auto v = input ? std::nullopt : version(read.tensor, e);
                if (!v || stored_[*v])
                    host.reads.push_back(seen);
                else if (seen.at.size() == funcs_[*v].dims.size())
                    gather(*v, seen.at, host);
            }
        }
        host.heavy = host.heavy || cost(f).heavy;
        const bool known = std::any_of(host.cores.begin(), host.cores.end(),
                                       [&](const Core& core) { return core.func == funcs_[f].name; });
        if (!is_pure(f) && !known) host.cores.push_back(make_core(f, places));
    }

    /// The name an equation gives each dim of its left side; "" where it is not plain.
    std::vector<std::string> left_loops(int e) const {
        std::vector<std::string> loops;
        for (const Expr& at : kernel_.equations[e].left.at) {
            auto* index = at.as<IndexRef>();
            loops.push_back(index ? index->name : "");
        }
        return loops;
    }

    Core make_core(int f, const std::vector<LinearPlace>& places) const {
        Core core{funcs_[f].name, funcs_[f].stored, funcs_[f].dims, {}};
        for (size_t s = 1; s < funcs_[f].equations.size(); s++) {
            const int e = funcs_[f].equations[s];
            CoreStage stage{static_cast<int>(s), e, reduced_indices_of(kernel_.equations[e]), left_loops(e), true, {}};
            const std::vector<bool> pure = pure_left(e);
            for (size_t d = 0; d < pure.size(); d++) {
                if (pure[d]) continue;
                stage.plain = false;
                stage.loops[d].clear();
            }
            for (const Read& read : reads_of(kernel_, solution_, e))
                if (read.tensor != funcs_[f].tensor) stage.reads.push_back(through(read, left_loops(e), places));
            core.stages.push_back(std::move(stage));
        }
        return core;
    }

    std::vector<bool> pure_left(int e) const { return pure_left_positions(kernel_, solution_, e); }

    Host make_host(int f) const {
        Host host{funcs_[f].stored, funcs_[f].tensor, is_output(f), funcs_[f].dims, {}, {}, false};
        gather(f, own_place(host.dims), host);
        return host;
    }

    /// Leading dims that every stored intermediate has and every reader takes at its own loop of that position. The first one alone,
    /// where some rows of it at a time are read by several sums. (Harris of 2048x2048 on Zen 4: 8.8 ms with both gradients whole, 6.5
    /// by rows.)
    int shared_dims() const {
        int shared = 1 << 20;
        for (size_t f = 0; f < funcs_.size(); f++) {
            shared = std::min(shared, static_cast<int>(funcs_[f].dims.size()));
            for (int e : funcs_[f].equations) shared = std::min(shared, e < 0 ? shared : plain_prefix(e));
            const int windowed = is_pure(static_cast<int>(f)) && edges_[f].size() > 1 ? 1 : 0;
            for (const Edge& edge : edges_[f])
                shared = std::min(shared, windowed && is_window_of_rows(edge) ? 1 : common_prefix(edge));
        }
        return shared;
    }

    /// A reader sums few rows of what it reads, around its own row: `A[y, x] += U[y + r, x + s]` where r in 0:3. It is not stored.
    bool is_window_of_rows(const Edge& edge) const {
        if (stored_[edge.reader] || edge.read.at.empty() || !edge.read.at.front().affine) return false;
        const std::string loop = left_loops(edge.equation).front();
        const std::map<std::string, Formula>& steps = edge.read.at.front().coefficients;
        return steps.size() > 1 && std::ranges::all_of(steps, [&](const auto& step) {
                   return step.first == loop ? step.second == Formula(1)
                                             : step.second.constant() &&
                                                   is_short(solution_.indices[edge.equation].at(step.first).extent);
               });
    }

    /// The first dim of the host along which a product uses an operand again: one row of it at a time would read that operand once
    /// for each. All its dims where there is none.
    static int dims_before_rows_of_a_product(const Host& host) {
        const auto dims = static_cast<int>(host.dims.size());
        const auto moves_alone = [&](const Read& a, const Read& b, int d) {
            return a.moves_with(host.dims[static_cast<std::size_t>(d)]) &&
                   !b.moves_with(host.dims[static_cast<std::size_t>(d)]);
        };
        const auto is_row = [&](const CoreStage& stage, int d) {
            for (const Read& a : stage.reads)
                for (const Read& b : stage.reads)
                    for (int other = 0; moves_alone(a, b, d) && other < dims; other++)
                        if (moves_alone(b, a, other)) return true;
            return false;
        };
        for (int d = 0; d < dims; d++)
            for (const Core& core : host.cores)
                for (const CoreStage& stage : core.stages)
                    if (!stage.reduced.empty() && is_row(stage, d)) return d;
        return dims;
    }

    int plain_prefix(int e) const {
        const std::vector<bool> pure = pure_left(e);
        return static_cast<int>(std::find(pure.begin(), pure.end(), false) - pure.begin());
    }

    int common_prefix(const Edge& edge) const {
        const std::vector<std::string> loops = left_loops(edge.equation);
        size_t d = 0;
        while (d < loops.size() && d < edge.read.at.size() && edge.read.at[d].is_plain() &&
               edge.read.at[d].coefficients.begin()->first == loops[d])
            d++;
        return static_cast<int>(d);
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Versions versions_;
    const std::vector<ValueFunc> funcs_;    // one for each version
    std::vector<std::vector<Edge>> edges_;  // per ValueFunc: who reads it
    std::set<int> continued_;               // versions a later version starts from
    std::vector<bool> stored_, fused_;
    std::vector<std::optional<Point>> points_;  // of what is inlined: where all reads of it meet
    std::vector<int> copies_;                   // of a Func's text in that of stored ones
    std::map<int, std::vector<bool>>
        tiled_;               // per stored Func: of each sum in its tiles, whether it asks for tiles of its own
    std::vector<int> apart_;  // sums that another one kept out of the tiles of their reader
};

}  // namespace

bool Host::runs_in_order() const {
    return std::ranges::any_of(cores, [](const Core& core) {
        return std::ranges::any_of(core.stages, [](const CoreStage& stage) { return !stage.plain; });
    });
}

bool has_rows_of_colours(const std::vector<Formula>& extents) {
    constexpr std::int64_t most = 8;
    if (extents.size() < 3 || !is_short(extents.back()) || !is_short(extents[extents.size() - 3])) return false;
    return *extents.back().constant() * *extents[extents.size() - 3].constant() <= most;
}

Structure structure_of(const Kernel& kernel, const Solution& solution) { return Analysis(kernel, solution).run(); }

}  // namespace halogen
