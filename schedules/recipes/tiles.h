#pragma once
// Register tiles: what the recipes of contractions, convolutions and windows share. Private to recipes/.

#include "schedules/recipes/recipes.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace halogen::recipes {

/// The innermost sum of a contraction, of which one instruction adds up `points` products of the two tensors.
struct Dots {
    std::string loop;
    int points;
    const Access *left, *right;
};

/// How the cores of a host are tiled along one vector loop.
struct Plan {
    int vector_dim = 0;
    std::optional<int> row_dim;    // a loop along which a vector operand is used again
    bool contraction = false;      // product of a vector operand and one that does not move with the vector loop
    bool window = false;           // the other operand is read at sums of loops: a convolution
    bool slides = false;           // some operand is read at sums of loops
    bool gathers = false;          // some operand has a place for each element of a tile: `i/2`, `G[i]`
    bool by_data = false;          // data tell that place
    std::vector<int> windowed;     // other dims of the host that the other operand is read at sums of
    int lanes = 1;                 // of one vector
    int vectors = 4, rows = 1;     // the register tile
    std::optional<Formula> strip;  // long reductions on one thread: the vector loop of the host in strips of tiles
    std::optional<Dots> dots;      // of a contraction
    bool shifted_rows =
        false;  // there are rows for a tile: the last one is shifted inwards and reads nothing past the end

    int width() const { return vectors * lanes; }
};

/// The plan with vectors along dim `dim` of the host; nothing where no reduction moves with it.
std::optional<Plan> plan_along(const Task&, int dim);

/// A window that moves by so many elements is still read by vectors, of which it takes every second, third or fourth element.
constexpr int longest_step = 4;

/// A read that moves with the vector loop by single elements, or by a few: its tensor and dim.
struct VectorRead {
    std::string tensor;
    int dim;
    int rank;
    bool slides = false;  // other loops move it along that dim too
    bool operator==(const VectorRead&) const = default;
};

std::vector<VectorRead> vector_reads(const Task&, const std::string& loop);

/// What one variant of the nest calls its loops, so that several can stand beside each other.
struct Names {
    std::string suffix;
    bool blocked = false;  // the reduction is long: it runs in blocks, each with panels of its own, always on threads
    std::string operator()(const std::string& loop, const char* part) const { return loop + "_" + part + suffix; }
};

/// The accumulators of one core: pinned extents, everything unrolled but the reduced loops.
void registers(const Task&, const Core&, const std::string& func, const Plan&, const std::string& level);
/// The host is the core's own copy, or one equation that reads the core and nothing between them: then the whole of it can be
/// computed in several ways.
bool close_to_its_core(const Task&);
/// Elements of a vector of it lie side by side, or a few apart: those of X[n + k, 0] and X: f32[N, 2].
bool lies_side_by_side(const Task&, const VectorRead&);
/// An input that windows read again for each row of the result, `W[c, k]` of `Y[t, c] += X[t + k, c]*W[c, k]`, is copied with its vectors side by
/// side.
bool may_be_turned(const Task&, const std::string& tensor);
/// Such a host's values by way of the core's second computation `func`, where `when` holds.
void second_values(const Task&, const Core&, const std::string& func, const std::string& suffix, const Condition& when);
/// The reduced points of each result are few, and their number is known: a window that can be unrolled.
bool has_few_points(const Task&, const CoreStage&, std::int64_t most);
constexpr std::int64_t few_points = 16;
/// Windows of at most so many points: what several rows of a tile read is read once. With `along`, their loops along that dim of the host alone.
void unroll_windows(const Task&, const Core&, const std::string& func, const std::string& along = "",
                    std::int64_t most = few_points);
/// A loop over rows of the result, which threads may share, and the host's dims it goes through.
struct SharedRows {
    std::string loop;
    std::vector<std::string> dims;
};
/// The outermost of `outer`, the dims around tiles of the result, innermost first; of several the last two, which are to be one loop
/// `fused` and leave `outer`: images and their rows, of which one is often single. Nothing where there is none.
std::optional<SharedRows> shared_rows(std::vector<std::string>& outer, const std::string& fused);
void threads_over(const Task&, Steps&, const SharedRows&);
/// The bytes a panel of a packed operand takes, `width` elements wide, over all reduced points.
Formula panel_bytes(const Task&, const Core&, int width);
/// The loops of the host around its register tiles, and threads where they pay. Packed panels live in loop `v_b`: a block of
/// panels and of rows for a contraction, one panel for a convolution, whose windowed loops run inside it.
void tile_loops(const Task&, Steps& host, const Plan&, const Names&);
/// A host that only copies its core takes the accumulators of a tile from registers where its loops `inside` the tile are written out,
/// and from memory where they are loops. (8400x24x192 f32, Zen 4: 0.93 ms by loops, and 0.75; 64x64x64: 5.5 us, and 5.1.)
void take_registers(const Task&, Steps& host, const std::vector<std::string>& inside);
/// The vector operands of a core in panels as wide as a tile, made at loop `level` of `at`.
void pack(const Task&, const Plan&, const Names&, const std::string& func, const std::string& at,
          const std::string& level);
/// A contraction of a shape for which tiles are others, and when a call has it.
struct Narrow {
    Plan plan;
    Names names;
    Condition when;
};
/// Tiles of one vector and twice the rows, where they leave less unused: of results no wider than a vector, or a little wider than some
/// tiles. (Fewer lanes would be no fewer instructions.)
std::optional<Narrow> narrow_tile(const Task&, const Plan&);
/// The twin that computes it.
std::string narrow_name(const Task&);
/// Its loops where it applies; asked before what follows on the host.
void narrow_variant(const Task&, Steps& host, const Narrow&);

/// The cores of one variant of a contraction; a twin is the second computation of the only core.
void cores_of(const Task&, const Plan&, const Names&, const std::string& twin = "");

/// A core reads the tensor at places from data, `U[I[i], k]`: any element may be asked for, and a copy would hold them all.
bool is_read_by_data(const Task&, const std::string& tensor);
/// What `name` calls each of `rank` dims, innermost first, but dim `first` before all others.
std::vector<std::string> innermost_first(int rank, int first, const std::function<std::string(int)>& name);

/// The sums of the host's core lie by vectors along its dim `dim`, as they are computed, where the tensor itself does not; `kept` are
/// dims behind its own.
void vectors_in_memory(const Task&, int dim, Steps& start, const std::vector<std::string>& kept);

/// The copy of `tensor`, its edges in it, through which the computations `readers` of the host's core read it: the padded tensor
/// itself where nobody else reads it, else one of the host's own. Its name; the caller says how it is made.
std::string copy_with_edges(const Task&, const Tensor& tensor, const std::vector<std::string>& readers);
/// A padded operand is filled in once per image, so that the loops over windows meet no edges.
void pad_once(const Task&, const Plan&, const std::vector<std::string>& readers);
/// The copy `copy` of `tensor`, its edges in it, made for an iteration of loop `level` of the host, or whole: vectors along `dim`,
/// which pass the last element. So its places are held back from the ends of the row, as those of padded dims are.
void copy_rows(const Task&, const Tensor&, const std::string& copy, int dim, const std::string& level);
/// Leaves out of the reductions of `func` (a computation of `core`) what reads `tensor` beyond dim `dim`, for every padded
/// input and dim where that adds nothing and the bounds it makes lie outside of the loops `inner`.
void skip_padding(const Task&, const Core& core, const std::string& func, const std::vector<int>& inner);

/// No equation but those computed in the tiles of the host reads `tensor`.
bool read_by_host_alone(const Task&, const std::string& tensor);

/// A product whose rows are few elements and whose result has one (colours to grey) is no matter of register tiles: the plan with
/// vectors along the rows of `plan`, as windows have them; nothing where the equation does not allow it.
std::optional<Plan> channel_mix(const Task&, const Plan& plan);
/// When a call has so few elements.
Condition few_channels(const Task&, const Plan& plan, const Plan& along);
/// Adds its computation to the host, and its loops where it applies; asked before what follows on the host.
void channel_variant(const Task&, Steps& host, const Plan& along, const Condition& when);

/// Adds a computation to the host, by blocks of the reduced loop over channels, and its loops where it applies, which `more` goes on
/// with; asked before what follows on the host. Its name.
std::string blocked_variant(const Task&, Steps& host, const Narrow&, const std::function<void(Steps&)>& more);

/// False where buffers that lie the other way round are no business of its: what the sums begin with would be gathered.
bool contraction(const Task&, const Plan&);
void convolution(const Task&, const Plan&);
/// The vector operands of a product slide along rows of pixels, and lie in planes: images with channels first.
bool fits_planes(const Task&, const Plan&);
/// How many planes are summed; nothing where it is one alone.
std::optional<Formula> planes_in(const Task&, const Plan&);
void planes(const Task&, const Plan&);
/// A single core close to the host, and no fused loops.
bool fits_windows(const Task&);
void windows(const Task&, const Plan&);

}  // namespace halogen::recipes
