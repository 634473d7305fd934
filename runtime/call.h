#pragma once
// Calls a compiled kernel: checks everything first, in 64 bits, then runs the leg that fits. Generated headers describe a
// kernel by a KernelInfo; all that does not differ between kernels is here.

#include "alias.h"
#include "checked.h"
#include "element.h"
#include "errors.h"
#include "leg.h"
#include "status.h"
#include "threads.h"
#include "view.h"

#include "HalideRuntime.h"

#include <cstdint>
#include <limits>
#include <string>

namespace halogen {

/// A member of an options struct that has no default: leaving it out does not compile.
template<typename T>
class Required {
public:
    template<typename U>
        requires std::is_convertible_v<U, T>
    constexpr Required(U value) : value_(static_cast<T>(value)) {}
    constexpr operator T() const { return value_; }

private:
    T value_;
};

namespace detail {

struct TensorInfo {
    const char* name;
    Element element;
    int rank;
};

/// One argument of the compiled function, in declared order; outputs follow them.
struct ArgumentInfo {
    enum class Sort : std::uint8_t { tensor, size, scalar, extent } sort;
    int index;    // among the inputs, the sizes or the scalars; of an extent, among all tensors
    int dim = 0;  // of an extent
};

/// An output that may be the very same memory as an input.
struct InPlacePair {
    int input, output;  // indices into the tensors
};

struct KernelInfo {
    const char* name;
    const TensorInfo* tensors;  // inputs, then outputs
    int inputs;
    int tensor_count;
    const char* const* size_names;
    int size_count;
    const ArgumentInfo* arguments;
    int argument_count;
    const LegInfo* legs;  // best first
    int leg_count;
    const InPlacePair* in_place;
    int in_place_count;
    int data_checks;  // outputs of the check function
    /// Extents and conditions, in the user's names.
    Status (*guards)(const Buffer* tensors, const std::int64_t* sizes);
    /// Tells which data broke check `check` at point `point`. Null when there are no checks.
    Status (*explain)(const Buffer* tensors, const std::int64_t* sizes, int check, std::int64_t point);
};

/// What a call may choose beside its arguments.
struct CallOptions {
    int threads = 0;
    std::string_view leg;
};

/// Memory of one call, on the caller's stack.
template<int Tensors, int Dims, int Arguments, int Sizes>
struct Workspace {
    std::array<halide_buffer_t, Tensors + 1> buffers;  // one more for the check's answer
    std::array<halide_dimension_t, Dims + 1> dims;
    std::array<void*, Arguments + Tensors + 2> arguments;
    std::array<std::int32_t, Sizes + 1> sizes;
};

struct Call {
    const KernelInfo& info;
    const Buffer* tensors;
    const std::int64_t* sizes;
    const void* const* scalars;
    CallOptions options;
    halide_buffer_t* buffers;
    halide_dimension_t* dims;
    void** arguments;
    std::int32_t* size_values;
};

inline bool is_empty(const TensorInfo& info, const Buffer& b) {
    for (int d = 0; d < info.rank; d++) {
        if (b.extents[d] == 0) return true;
    }
    return false;
}

inline std::string kernel_and(const KernelInfo& info, const std::string& text) {
    return std::string(info.name) + ": " + text;
}
inline std::string dim_of(const KernelInfo& info, int tensor, int d) {
    return kernel_and(info, "dim " + std::to_string(d) + " of " + info.tensors[tensor].name);
}

inline Status check_extents_not_negative(const KernelInfo& info, const Buffer* tensors, int count) {
    for (int t = 0; t < count; t++) {
        for (int d = 0; d < info.tensors[t].rank; d++) {
            if (tensors[t].extents[d] >= 0) continue;
            return Status(StatusCode::size,
                          dim_of(info, t, d) + " has the negative extent " + std::to_string(tensors[t].extents[d]));
        }
    }
    return {};
}

/// Compiled code computes places in 32 bits: elements, strides and spans must fit.
inline Status check_addressable(const Call& c) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (int t = 0; t < c.info.tensor_count; t++) {
        const Buffer& b = c.tensors[t];
        if (is_empty(c.info.tensors[t], b)) {
            for (int d = 0; d < c.info.tensors[t].rank; d++) {
                if (b.extents[d] > most)
                    return Status(StatusCode::overflow, dim_of(c.info, t, d) + " has more than 2^31 - 1 elements");
            }
            continue;
        }
        Wide elements = 1, up = 0, down = 0;
        bool fits = true;
        for (int d = 0; d < c.info.tensors[t].rank; d++) {
            const std::int64_t extent = b.extents[d], stride = extent == 1 ? 0 : b.strides[d];
            if (extent > most)
                return Status(StatusCode::overflow, dim_of(c.info, t, d) + " has more than 2^31 - 1 elements");
            elements *= extent;
            if (elements > most) {
                return Status(StatusCode::overflow,
                              kernel_and(c.info, c.info.tensors[t].name) +
                                  " has more than 2^31 - 1 elements\n  fix  call the kernel on parts of it");
            }
            const Wide reach = static_cast<Wide>(extent) * stride;
            (reach < 0 ? down : up) += reach;
            fits = fits && up <= most && down >= -most;
        }
        if (!fits) {
            return Status(StatusCode::overflow,
                          kernel_and(c.info, c.info.tensors[t].name) +
                              " spans more than 2^31 - 1 elements of memory\n  fix  call the kernel on parts of it");
        }
    }
    for (int s = 0; s < c.info.size_count; s++) {
        if (c.sizes[s] >= -most && c.sizes[s] <= most) continue;
        return Status(StatusCode::overflow, kernel_and(c.info, c.info.size_names[s]) + " = " +
                                                std::to_string(c.sizes[s]) + " does not fit 32 bits");
    }
    return {};
}

inline Status check_not_null(const Call& c) {
    for (int t = 0; t < c.info.tensor_count; t++) {
        if (c.tensors[t].data || is_empty(c.info.tensors[t], c.tensors[t])) continue;
        return Status(StatusCode::null_pointer,
                      kernel_and(c.info, c.info.tensors[t].name) + " is a null pointer but not empty");
    }
    return {};
}

inline Footprint footprint(const TensorInfo& info, const Buffer& b) {
    Footprint f;
    f.address = reinterpret_cast<std::intptr_t>(b.data);
    f.element = bytes_of(info.element);
    f.dims = info.rank;
    for (int d = 0; d < info.rank; d++) {
        f.extent[static_cast<std::size_t>(d)] = b.extents[d];
        f.stride[static_cast<std::size_t>(d)] = b.extents[d] > 1 ? b.strides[d] * f.element : 0;
    }
    return f;
}

inline bool same_place(const TensorInfo& info, const Buffer& a, const Buffer& b) {
    if (a.data != b.data) return false;
    for (int d = 0; d < info.rank; d++) {
        if (a.extents[d] != b.extents[d] || (a.extents[d] > 1 && a.strides[d] != b.strides[d])) return false;
    }
    return true;
}

inline bool in_place_allowed(const KernelInfo& info, int input, int output) {
    for (int i = 0; i < info.in_place_count; i++) {
        if (info.in_place[i].input == input && info.in_place[i].output == output) return true;
    }
    return false;
}

inline Status shared(const Call& c, Sharing found, int output, int other) {
    const char* name = c.info.tensors[output].name;
    if (output == other) {
        return Status(StatusCode::alias, kernel_and(c.info, "two elements of output ") + name + " share memory" +
                                             "\n  fix  give it strides under which each element has its own place");
    }
    const std::string both = std::string("output ") + name + " and " + (other < c.info.inputs ? "input " : "output ") +
                             c.info.tensors[other].name;
    const char* what =
        found == Sharing::some ? " share memory" : " may share memory: their strides are too involved to tell";
    return Status(StatusCode::alias, kernel_and(c.info, both) + what + "\n  fix  give " + name + " memory of its own");
}

inline Status check_aliases(const Call& c) {
    for (int output = c.info.inputs; output < c.info.tensor_count; output++) {
        const Footprint mine = footprint(c.info.tensors[output], c.tensors[output]);
        if (const Sharing found = self_sharing(mine); found != Sharing::none) return shared(c, found, output, output);
        for (int other = 0; other < output; other++) {
            const Sharing found = sharing(mine, footprint(c.info.tensors[other], c.tensors[other]));
            if (found == Sharing::none) continue;
            if (other < c.info.inputs && in_place_allowed(c.info, other, output) &&
                same_place(c.info.tensors[output], c.tensors[other], c.tensors[output])) {
                continue;
            }
            return shared(c, found, output, other);
        }
    }
    return {};
}

inline halide_type_t halide_type(Element e) {
    const auto bits = static_cast<std::uint8_t>(e == Element::boolean ? 1 : 8 * bytes_of(e));
    switch (e) {
    case Element::f64:
    case Element::f32:
    case Element::f16: return {halide_type_float, bits};
    case Element::bf16: return {halide_type_bfloat, bits};
    case Element::i8:
    case Element::i16:
    case Element::i32:
    case Element::i64: return {halide_type_int, bits};
    default: return {halide_type_uint, bits};
    }
}

/// What an empty tensor points to: a null pointer would ask Halide for bounds instead of a computation.
inline std::uint8_t* somewhere() {
    alignas(64) static std::uint8_t block[64] = {};
    return block;
}

inline void fill_buffers(const Call& c) {
    halide_dimension_t* dims = c.dims;
    for (int t = 0; t < c.info.tensor_count; t++) {
        const TensorInfo& info = c.info.tensors[t];
        const Buffer& b = c.tensors[t];
        const bool empty = is_empty(info, b);
        halide_buffer_t& out = c.buffers[t];
        out = halide_buffer_t{};  // no device, no flags: the workspace begins undefined
        out.host = empty ? somewhere() : static_cast<std::uint8_t*>(b.data);
        out.type = halide_type(info.element);
        out.dimensions = info.rank;
        out.dim = dims;
        for (int d = info.rank; d-- > 0;) {  // Halide's first dim is the notation's last
            // A stride of an extent of 1 is never used, and may not fit.
            const std::int64_t stride = empty ? 0
                                        : b.extents[d] == 1 && b.strides[d] != static_cast<std::int32_t>(b.strides[d])
                                            ? 1
                                            : b.strides[d];
            *dims++ = {0, static_cast<std::int32_t>(b.extents[d]), static_cast<std::int32_t>(stride)};
        }
    }
}

inline void fill_arguments(const Call& c, CallContext*& context) {
    int n = 0;
    c.arguments[n++] = &context;
    for (int a = 0; a < c.info.argument_count; a++) {
        const ArgumentInfo& argument = c.info.arguments[a];
        switch (argument.sort) {
        case ArgumentInfo::Sort::tensor: c.arguments[n++] = &c.buffers[argument.index]; break;
        case ArgumentInfo::Sort::scalar: c.arguments[n++] = const_cast<void*>(c.scalars[argument.index]); break;
        case ArgumentInfo::Sort::size:
            c.size_values[argument.index] = static_cast<std::int32_t>(c.sizes[argument.index]);
            c.arguments[n++] = &c.size_values[argument.index];
            break;
        case ArgumentInfo::Sort::extent: {
            halide_buffer_t& b = c.buffers[argument.index];
            c.arguments[n++] = &b.dim[b.dimensions - 1 - argument.dim].extent;
            break;
        }
        }
    }
    for (int t = c.info.inputs; t < c.info.tensor_count; t++) c.arguments[n++] = &c.buffers[t];
}

inline Status kernel_status(const Call& c, int code, const CallContext& context) {
    if (code == 0) return {};
    const bool memory = code == halide_error_code_out_of_memory;
    std::string text =
        kernel_and(c.info, memory ? "no memory for an intermediate result" : "the compiled code refused the call");
    if (context.text[0] != '\0') text += std::string("\n  at   ") + context.text;
    return Status(memory ? StatusCode::out_of_memory : StatusCode::kernel, std::move(text));
}

/// Looks at the data before anything is written. The first bad point of each check is its place, or -1.
inline Status check_data(const Call& c, const LegInfo& leg) {
    constexpr int most = 64;
    std::int32_t first[most];
    halide_buffer_t& answer = c.buffers[c.info.tensor_count];
    halide_dimension_t dim{0, c.info.data_checks, 1};
    answer = halide_buffer_t{};
    answer.host = reinterpret_cast<std::uint8_t*>(first);
    answer.type = {halide_type_int, 32};
    answer.dimensions = 1;
    answer.dim = &dim;
    CallContext context;
    CallContext* pointer = &context;
    fill_arguments(c, pointer);
    c.arguments[1 + c.info.argument_count] = &answer;
    if (const int code = leg.check(c.arguments)) return kernel_status(c, code, context);
    for (int i = 0; i < c.info.data_checks; i++) {
        if (first[i] >= 0) return c.info.explain(c.tensors, c.sizes, i, first[i]);
    }
    return {};
}

inline bool all_outputs_empty(const Call& c) {
    for (int t = c.info.inputs; t < c.info.tensor_count; t++) {
        if (!is_empty(c.info.tensors[t], c.tensors[t])) return false;
    }
    return true;
}

/// The whole call. Errors come before anything is written, but for memory that runs out inside.
inline Status run(const Call& c) {
    if (Status s = check_extents_not_negative(c.info, c.tensors, c.info.tensor_count); !s) return s;
    if (Status s = c.info.guards(c.tensors, c.sizes); !s) return s;
    if (Status s = check_addressable(c); !s) return s;
    if (Status s = check_not_null(c); !s) return s;
    if (Status s = check_aliases(c); !s) return s;
    const LegInfo* leg = nullptr;
    if (Status s = choose_leg(c.info.name, c.info.legs, c.info.leg_count, c.options.leg, leg); !s) return s;
    if (all_outputs_empty(c)) return {};
    install_error_handler_once();
    install_loops_once();
    const int threads = c.options.threads > 0 ? c.options.threads : default_threads();
    use_threads(threads);
    fill_buffers(c);
    if (c.info.data_checks > 0) {
        if (Status s = check_data(c, *leg); !s) return s;
    }
    CallContext context;
    context.serial = threads == 1;
    CallContext* pointer = &context;
    fill_arguments(c, pointer);
    return kernel_status(c, leg->call(c.arguments), context);
}

/// Why a condition on sizes does not hold: `text` with the values, or that they cannot be computed.
inline Status broken(Int left, Int right, std::string_view text, std::initializer_list<std::int64_t> values) noexcept {
    if (left.valid() && right.valid()) return failed(StatusCode::size, text, values);
    try {
        return failed(StatusCode::overflow, std::string(text) + "\n  note a size leaves 64 bits", values);
    } catch (const std::bad_alloc&) {
        return Status(StatusCode::overflow, std::string());
    }
}

/// The last digit of a row-major number over ranges; the rest stays in `rest`.
inline Int take_digit(std::int64_t& rest, Int extent) {
    if (!extent.valid() || extent.value() <= 0) return 0;
    const std::int64_t digit = rest % extent.value();
    rest /= extent.value();
    return digit;
}

/// The integer at a place of a tensor, or nothing when the place is outside.
template<Element E, std::size_t Rank>
Int read_element(const Buffer& b, const std::array<Int, Rank>& at) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < Rank; d++) {
        if (!at[d].valid() || at[d].value() < 0 || at[d].value() >= b.extents[d]) return Int::nothing();
        offset += at[d].value() * b.strides[d];
    }
    return static_cast<std::int64_t>(static_cast<const StoredType<E>*>(b.data)[offset]);
}

/// The element type of a view.
template<typename V>
inline constexpr Element element_of_view = element_of<std::remove_pointer_t<decltype(V::data)>>();
/// Whether a view may be written.
template<typename V>
inline constexpr bool is_writable = !std::is_const_v<std::remove_pointer_t<decltype(V::data)>>;

/// Memory for an output of the extents a kernel's solution gives.
template<typename T, int Rank>
StatusOr<Array<T, Rank>> make_array(const KernelInfo& info, int tensor, const Int* extents) {
    std::array<std::int64_t, Rank> solved{};
    Int elements = 1;
    for (std::size_t d = 0; d < Rank; d++) {
        solved[d] = extents[d].value();
        elements = elements * extents[d];
        if (extents[d].valid() && solved[d] < 0) {
            return Status(StatusCode::size, dim_of(info, tensor, static_cast<int>(d)) +
                                                " would have the negative extent " + std::to_string(solved[d]));
        }
    }
    if (!elements.valid() || elements.value() > std::numeric_limits<std::int32_t>::max()) {
        return Status(StatusCode::overflow,
                      kernel_and(info, info.tensors[tensor].name) + " would have more than 2^31 - 1 elements");
    }
    Array<T, Rank> made(solved);
    if (!made.allocated())
        return Status(StatusCode::out_of_memory, kernel_and(info, "no memory for ") + info.tensors[tensor].name);
    return made;
}

/// `run` with memory for one kernel's arguments.
template<int Dims, int Tensors, int Sizes, int Scalars>
Status run(const KernelInfo& info, const std::array<Buffer, Tensors>& tensors,
           const std::array<std::int64_t, Sizes>& sizes, const std::array<const void*, Scalars>& scalars,
           const CallOptions& options) {
    Workspace<Tensors, Dims, Tensors + Sizes + Scalars + Dims, Sizes> w;
    return run(Call{info, tensors.data(), sizes.data(), scalars.data(), options, w.buffers.data(), w.dims.data(),
                    w.arguments.data(), w.sizes.data()});
}

}  // namespace detail
}  // namespace halogen
