#pragma once
// The inside of `lower`: one object per kernel lowered.

#include "frontend/lower/lowered.h"
#include "frontend/lower/scope.h"
#include "frontend/plan/pieces.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace halogen::lowering {

/// `values[r-1-d]` for notation dim d: Halide lists the innermost dim first.
template<typename T>
std::vector<T> reversed(std::vector<T> values) {
    std::reverse(values.begin(), values.end());
    return values;
}

/// Lowers one kernel: tensors become Funcs, equations their stages.
class Lowering : public Source {
public:
    Lowering(const Kernel& kernel, const Solution& solution, const Emission& emission, bool safe_data)
        : kernel_(kernel),
          solution_(solution),
          emission_(emission),
          order_(order_equations(kernel, solution, emission.in_place)),
          safe_data_(safe_data) {}

    Lowered run();

    /// Everything but the outputs, kept for a companion that reads intermediates.
    void make_values();
    const Lowered& lowered() const { return out_; }

    Emitter emitter(int equation, std::map<std::string, Halide::Expr> loops);

    Halide::Expr number(const Formula& formula) const { return halide_expr(formula, out_.symbols); }

    Halide::Expr load(const Access& access, Emitter& emitter) override;

    /// 1, or 0 where a fixed position on the left lies in an empty dim (the equation is empty then); undefined without one.
    Halide::Expr fixed_extent(const Equation& equation) const;

    /// The places a read or write of one dim may name: [low, end).
    std::pair<Halide::Expr, Halide::Expr> admitted(const std::string& name, int d, bool is_left = false) const;

private:
    void make_arguments();

    void make_image(const Tensor& tensor);
    Halide::Expr scalar_argument(const std::string& name, const Halide::Type& type);
    /// A name for a scalar that none of Halide's own variables (`t1`, `b0`) has.
    std::string own_name(const Parameter& scalar) const;

    Halide::Expr extent_of(const Tensor& tensor, int d) const;

    /// A place in [0, extent): plain where the loop is known to stay inside, else promised (or clamped, where data may lie).
    Halide::Expr inside(const Access& access, int d, const Halide::Expr& place, const Tensor& tensor);

    /// A place taken from data in the padded dim `d`, within the padding; other places as they are.
    Halide::Expr inside_padding(const Access& access, int d, const Halide::Expr& place) const;
    /// Places from data may lie outside where the present equation is emitted: nobody has checked them, or not all are used.
    bool guards_data() const;

    /// Place `at` of dim `d` is an index that runs over the whole dim.
    bool spans(int equation, const Expr& at, const Tensor& tensor, int d) const;
    /// So it is wherever the kernel reads the tensor.
    bool always_spanned(const Tensor& tensor, int d) const;

    /// The loop may run past the end of its index where the present Func reads.
    bool overcomputed(const std::string& index) const;

    /// The companion looks at this place of an equation before the kernel runs.
    bool is_checked(int e, const Access& access, int d) const;

    static bool has_predicate(const Equation& equation);

    static bool padded(const Tensor& tensor);
    /// How many elements of a padded dim are one to the boundary; undefined: each is.
    Halide::Expr pixel(const Tensor& tensor, int d) const;
    /// Where an element at this place lies, of an intermediate's steps that are kept in turns.
    static Halide::Expr in_turns(const Tensor& tensor, int d, const Halide::Expr& place);
    /// The wider padding of a padded dim, where that is a number.
    std::optional<std::int64_t> reach(const Tensor& tensor, int d) const;

    /// The reader being defined has a copy of its own of `tensor`.
    bool reads_through(const CopyIn&, const std::string& tensor) const;
    /// The Func in which the reader being defined finds a computed tensor: its own copy, or `stored`.
    Halide::Func found_in(const std::string& tensor, const std::string& stored);
    Halide::Func stored_copy(const CopyIn& copy, const std::string& stored);

    /// True when the reader being defined never asks for `tensor` beyond its extent in dim `d`.
    bool skipped(const Tensor& tensor, int d) const;
    /// Where every read of a skipped dim lies inside; undefined when nothing is skipped.
    Halide::Expr unskipped(const Equation& equation, Emitter& emitter) const;

    Halide::Expr load_input(const Access& access, Emitter& emitter);

    Halide::Expr load_value(const Access& access, Emitter& emitter);

    Halide::Func padded_func(const Tensor& tensor);

    /// The dim of what an access reads along which its copy holds groups, and how many elements are in one.
    struct Groups {
        int dim, points;
    };
    std::optional<Groups> groups_of(const Access&) const;
    /// How many points of the index `func` takes at once; 1 where nothing says so.
    int group_points(const std::string& func, const std::string& index) const;
    Halide::Func copy_func(const CopyIn& copy, const std::optional<Groups>& groups);

    /// A Func over the dims of `tensor` with loops d0, d1, …
    LoweredFunc blank(const std::string& name, const Tensor& tensor, LoweredFunc::Kind kind);

    static std::vector<Halide::Var> vars_of(const LoweredFunc& lowered);

    /// Loops named as the first equation names them, where it does.
    LoweredFunc value_func(const Version& version);

    /// A new Func, or the one of an output, which is there from the start.
    Halide::Func named_func(const std::string& name) const;

    void make_version(const Version& version);
    /// What the first stage of a version holds at `at`: its first equation's values, or what others start from.
    Halide::Expr start_value(const Version& version, const std::vector<Halide::Expr>& at);

    /// The value of a pure definition at some places, in one of its parts.
    using StartValue = std::function<Halide::Expr(const Piece&, const std::vector<Halide::Expr>& at)>;
    std::vector<Piece> pieces_of_start(const std::string& func, const std::string& tensor,
                                       const std::vector<std::string>& dims) const;
    /// The pure definition of a Func: whole, through a copy, or in parts.
    void define_start(LoweredFunc& lowered, StartValue value);
    void add_part_of_start(LoweredFunc& lowered, const Piece& piece, const StartValue& value);
    /// Stages that were added since have the next numbers.
    static void number_stages(LoweredFunc& lowered);
    void make_sliced_update(const Version& version, int e, int stage, const std::vector<Piece>& pieces);

    Emitter emitter_for(const Version& version, int equation, std::map<std::string, Halide::Expr> loops);

    /// The loops of one stage: a Var per pure dim of the left side, an RVar per serial loop.
    struct StageLoops {
        std::map<std::string, Halide::Expr> places;
        std::map<std::string, Halide::VarOrRVar> handles;
        std::vector<bool> pure;
        Halide::Expr once;  // the loop that is empty where a fixed position lies in an empty dim; undefined without one
        /// A loop of an equation that names none of its serial loops: each point counts all the same.
        Halide::Expr counted;
        Halide::RDom rdom;
    };
    /// `value` as one that names the loops of its stage: Halide runs no loop that nothing names.
    static Halide::Expr counted(const StageLoops& loops, const Halide::Expr& value);
    /// `ranges`: (min, extent) of serial loops that do not run over their whole range; `piece`: loops of one part.
    StageLoops stage_loops(const LoweredFunc& func, int e, const std::string& rdom_name,
                           const std::map<std::string, std::pair<Halide::Expr, Halide::Expr>>& ranges = {},
                           const Piece& piece = {}) const;

    void make_update(const Version& version, int e);
    void add_stage(const std::string& func, int e, const StageLoops& loops);

    /// The Func of partial results of an update, and the update that joins them.
    void make_partial(const Version& version, int e, const Partial& partial);
    void check_partial(int e, const Partial& partial) const;
    struct Blocks {
        Halide::Expr first, points;  // of the whole loop
        Halide::Expr whole;          // blocks of `vectors` vectors
        Halide::Expr rest;           // vectors left
        Halide::Expr few;            // points where there are too few for a vector, else 0; masked: 1, or 0 of none
    };
    Blocks blocks_of(int e, const Partial& partial) const;
    /// A place that the equation reads is held back from the end of a dim whose size depends on one that `extent` depends on.
    bool holds_back_by(int e, const Formula& extent) const;
    Type equation_type(int e) const;
    LoweredFunc partial_func(const Version& version, int e, const Partial& partial);
    void add_whole_blocks(const Version& version, int e, const Partial& partial, LoweredFunc& func);
    void add_rest(const Version& version, int e, const Partial& partial, LoweredFunc& func);
    /// The point of a lane, and when it is met: undefined in all.
    struct LanePoint {
        Halide::Expr point, is_met;
    };
    /// Single vectors of points, so many.
    struct Vectors {
        const char* suffix;
        Halide::Expr count;
        std::function<LanePoint(const Halide::Expr& vector, const Halide::Expr& lane)> point;
    };
    void add_vectors(const Version& version, int e, const Partial& partial, LoweredFunc& func, const Vectors&);
    void add_fold(int e, const Partial& partial, LoweredFunc& func);
    void join_lanes(const Version& version, int e, const Partial& partial);
    /// The copy through which a stage writes; null without one.
    const CopyOut* copy_out(const std::string& func, int stage) const;
    /// `value` over the loops of `like`, computed by the copy.
    Halide::Func through_copy(const CopyOut& copy, const LoweredFunc& like, const Halide::Expr& value);
    /// A reduction whose results the copy holds, and the update that takes them.
    void make_copied_update(const Version& version, int e, const CopyOut& copy);
    /// The value of the equation's right side, or the identity where a `where` leaves it out.
    Halide::Expr value_or_identity(Emitter& emitter, int e, const Halide::Expr& only_where = {});

    void define_update(const Version& version, int e, const StageLoops& loops);

    /// The first dim with a fixed position on the left.
    static int first_fixed(const Equation& equation);

    static Halide::Expr combined(Op op, const Halide::Expr& held, const Halide::Expr& value);

    /// What others read: a plain copy of the values, rounded to the tensor's type, which lets them be computed tile by tile.
    void make_stored(const Version& version);
    /// The values of all parts of what is stored but the first, each by a Func of its own.
    void make_values_of_parts(const Version& version);
    void set_output(const Tensor& tensor, LoweredFunc& lowered);
    bool is_outside_a_size(const LoweredFunc& lowered, int d) const;

    const Kernel& kernel_;
    const Solution& solution_;
    const Emission& emission_;
    const Order order_;
    const bool safe_data_;
    Lowered out_;
    std::map<std::string, Halide::Expr> scalars_;
    int equation_ = -1;   // the one being emitted
    std::string reader_;  // the Func being defined
    std::string stores_;  // the Func that others read of it
};

}  // namespace halogen::lowering
