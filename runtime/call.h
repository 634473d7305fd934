#pragma once
// Calls a compiled kernel: checks everything first, in 64 bits, then runs the leg that fits. Generated headers describe a
// kernel by a KernelInfo; all that does not differ between kernels is here.

#include "alias.h"
#include "checked.h"
#include "errors.h"
#include "info.h"
#include "loops.h"
#include "memory.h"
#include "status.h"
#include "threads.h"
#include "variant.h"

#include "HalideRuntime.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace halogen {

namespace detail {

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

/// Compiled code computes places in 32 bits: elements, strides and spans must fit. Of each tensor tells the bytes.
inline Status check_addressable(const Call& c) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto too_long = [&](int t, int d) {
        return Status(StatusCode::overflow, dim_of(c.info, t, d) + " has more than 2^31 - 1 elements");
    };
    for (int t = 0; t < c.info.tensor_count; t++) {
        const TensorInfo& info = c.info.tensors[t];
        const Buffer& b = c.tensors[t];
        c.ranges[t] = {};
        if (is_empty(info, b)) {
            for (int d = 0; d < info.rank; d++) {
                if (b.extents[d] > most) return too_long(t, d);
            }
            continue;
        }
        std::int64_t elements = 1, up = 0, down = 0, first = 0, last = 0;
        bool fits = true;
        for (int d = 0; d < info.rank; d++) {
            const std::int64_t extent = b.extents[d], stride = b.strides[d];
            if (extent == 1) continue;
            if (extent > most) return too_long(t, d);
            elements *= extent;
            if (elements > most) {
                return Status(StatusCode::overflow,
                              kernel_and(c.info, info.name) +
                                  " has more than 2^31 - 1 elements\n  fix  call the kernel on parts of it");
            }
            fits = fits && stride >= -most && stride <= most;
            if (!fits) continue;
            const std::int64_t reach = extent * stride;
            (reach < 0 ? down : up) += reach;
            (reach < 0 ? first : last) += reach - stride;
            fits = up <= most && down >= -most;
        }
        if (!fits) {
            return Status(StatusCode::overflow,
                          kernel_and(c.info, info.name) +
                              " spans more than 2^31 - 1 elements of memory\n  fix  call the kernel on parts of it");
        }
        const int element = bytes_of(info.element);
        const auto data = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(b.data));
        c.ranges[t] = {data + first * element, data + (last + 1) * element};
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
        if (c.tensors[t].data || c.ranges[t].is_empty()) continue;
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

/// Whether each dim steps over all that the dims behind it cover, as rows of rows do: no two elements share memory then.
inline bool are_rows(const TensorInfo& info, const Buffer& b) {
    std::int64_t covered = 1;
    for (int d = info.rank; d-- > 0;) {
        if (b.extents[d] == 1) continue;
        if (b.strides[d] < covered) return false;
        covered = b.extents[d] * b.strides[d];
    }
    return true;
}

/// Errors: a Status when an output shares memory with another tensor, or two of its elements do. Almost all calls are settled by where
/// tensors begin and end; the others ask for every element.
inline Status check_aliases(const Call& c) {
    for (int output = c.info.inputs; output < c.info.tensor_count; output++) {
        const TensorInfo& info = c.info.tensors[output];
        const Buffer& buffer = c.tensors[output];
        if (c.ranges[output].is_empty()) continue;
        if (!are_rows(info, buffer))
            if (const Sharing found = self_sharing(footprint(info, buffer)); found != Sharing::none)
                return shared(c, found, output, output);
        for (int other = 0; other < output; other++) {
            const TensorInfo& its = c.info.tensors[other];
            if (!c.ranges[output].meets(c.ranges[other])) continue;
            const Sharing found = sharing(footprint(info, buffer), footprint(its, c.tensors[other]));
            if (found == Sharing::none) continue;
            const bool allowed = other < c.info.inputs && in_place_allowed(c.info, other, output) &&
                                 same_place(info, c.tensors[other], buffer);
            if (!allowed) return shared(c, found, output, other);
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

/// Whether more elements lie in tensors by columns than by rows.
inline bool lie_reversed(const Call& c) {
    std::int64_t balance = 0;
    for (int t = 0; t < c.info.tensor_count; t++) balance += elements_by_columns(c.info.tensors[t].rank, c.tensors[t]);
    return balance > 0;
}

/// The dim of a Halide buffer that is dim `d` of the notation: Halide's first one is the notation's last, or the first
/// of a kernel that is reversed.
inline int halide_dim(int rank, int d, bool reversed) { return reversed ? d : rank - 1 - d; }

/// Copies what lies across: outputs, and inputs that have no more than a few elements for each of the largest output, since
/// of others a call may read few; but for calls of small tensors alone. (A depthwise convolution of 56x56x32 on Zen 4, its nine rows of filters
/// column by column: 524 us as they lie, 25 with a copy of them.) 0, or what Halide's loop failed with.
inline int make_dense(const Call& c, bool reversed, CallContext& context) {
    std::int64_t most = 0, largest = 0;
    for (int t = 0; t < c.info.tensor_count; t++) {
        const std::int64_t elements = elements_of(c.info.tensors[t].rank, c.tensors[t]);
        largest = std::max(largest, elements);
        if (t >= c.info.inputs) most = std::max(most, elements);
    }
    constexpr std::int64_t worth_a_copy = 512;
    if (largest < worth_a_copy) return 0;
    std::int64_t* strides = c.strides;
    for (int t = 0; t < c.info.tensor_count; strides += c.info.tensors[t++].rank) {
        const TensorInfo& info = c.info.tensors[t];
        const Buffer& b = c.tensors[t];
        const int inner = reversed ? 0 : info.rank - 1;
        if (!info.densely || c.ranges[t].is_empty() || !lies_across(info.rank, b, inner)) continue;
        if (t < c.info.inputs && elements_of(info.rank, b) > 8 * most) continue;
        c.copies[t].emplace(info.rank, bytes_of(info.element), b, reversed, strides);
        c.worked_on[t] = c.copies[t]->buffer();
        if (t >= c.info.inputs) continue;
        if (const int code = c.copies[t]->read(context)) return code;
    }
    return 0;
}

inline int write_back(const Call& c, CallContext& context) {
    for (int t = c.info.inputs; t < c.info.tensor_count; t++) {
        if (!c.copies[t]) continue;
        if (const int code = c.copies[t]->write(context)) return code;
    }
    return 0;
}

/// All of a buffer but its dims, which will stand at `dims`.
inline void fill_buffer(const TensorInfo& info, const Buffer& b, bool empty, halide_dimension_t* dims,
                        halide_buffer_t& out) {
    out = halide_buffer_t{};  // no device, no flags: the workspace begins undefined
    out.host = empty ? somewhere() : static_cast<std::uint8_t*>(b.data);
    out.type = halide_type(info.element);
    out.dim = dims;
}

/// The tensors for the code that walks over all their dims.
inline void fill_buffers(const Call& c, const Buffer* tensors, bool reversed) {
    halide_dimension_t* dims = c.dims;
    for (int t = 0; t < c.info.tensor_count; t++) {
        const TensorInfo& info = c.info.tensors[t];
        const Buffer& b = tensors[t];
        const bool empty = c.ranges[t].is_empty();
        halide_buffer_t& out = c.buffers[t];
        fill_buffer(info, b, empty, dims, out);
        out.dimensions = info.rank;
        for (int d = 0; d < info.rank; d++) {
            // A stride of an extent of 1 is never used, and may not fit.
            const std::int64_t stride = empty ? 0
                                        : b.extents[d] == 1 && b.strides[d] != static_cast<std::int32_t>(b.strides[d])
                                            ? 1
                                            : b.strides[d];
            dims[halide_dim(info.rank, d, reversed)] = {0, static_cast<std::int32_t>(b.extents[d]),
                                                        static_cast<std::int32_t>(stride)};
        }
        dims += info.rank;
    }
}

/// The tensors for the code of a variant.
inline void fill_buffers(const Call& c, const Buffer* tensors, const VariantInfo& variant) {
    halide_dimension_t* dims = c.dims;
    const DimRun* runs = variant.runs;
    for (int t = 0; t < c.info.tensor_count; t++) {
        const TensorInfo& info = c.info.tensors[t];
        const bool empty = c.ranges[t].is_empty();
        fill_buffer(info, tensors[t], empty, dims, c.buffers[t]);
        runs = fill_dims(tensors[t], info.rank, empty, runs, c.buffers[t]);
        dims += info.rank;
    }
}

/// The arguments of a function, in its order: `list`, then the outputs. Extents are read from the buffers.
inline void fill_arguments(const Call& c, const ArgumentInfo* list, int count, bool reversed, CallContext*& context) {
    int n = 0, sizes = c.info.size_count;
    c.arguments[n++] = &context;
    for (int a = 0; a < count; a++) {
        const ArgumentInfo& argument = list[a];
        switch (argument.sort) {
        case ArgumentInfo::Sort::tensor: c.arguments[n++] = &c.buffers[argument.index]; break;
        case ArgumentInfo::Sort::scalar: c.arguments[n++] = const_cast<void*>(c.scalars[argument.index]); break;
        case ArgumentInfo::Sort::size:
            c.size_values[argument.index] = static_cast<std::int32_t>(c.sizes[argument.index]);
            c.arguments[n++] = &c.size_values[argument.index];
            break;
        case ArgumentInfo::Sort::extent: {
            halide_buffer_t& b = c.buffers[argument.index];
            c.arguments[n++] = &b.dim[halide_dim(b.dimensions, argument.dim, reversed)].extent;
            break;
        }
        case ArgumentInfo::Sort::caller_extent:
            c.size_values[sizes] = static_cast<std::int32_t>(c.tensors[argument.index].extents[argument.dim]);
            c.arguments[n++] = &c.size_values[sizes++];
            break;
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
    fill_arguments(c, c.info.arguments, c.info.argument_count, false, pointer);
    c.arguments[1 + c.info.argument_count] = &answer;
    if (const int code = leg.check(c.arguments)) return kernel_status(c, code, context);
    for (int i = 0; i < c.info.data_checks; i++) {
        if (first[i] >= 0) return c.info.explain(c.tensors, c.sizes, i, first[i]);
    }
    return {};
}

inline bool all_outputs_empty(const Call& c) {
    for (int t = c.info.inputs; t < c.info.tensor_count; t++) {
        if (!c.ranges[t].is_empty()) return false;
    }
    return true;
}

/// Runs the code of a variant on tensors. 0, or what it failed with.
inline int call_variant(const Call& c, const LegInfo& leg, int number, const Buffer* tensors, CallContext& context) {
    const VariantInfo& variant = c.info.variants[number];
    fill_buffers(c, tensors, variant);
    CallContext* pointer = &context;
    fill_arguments(c, variant.arguments, variant.argument_count, false, pointer);
    return leg.variants[number](c.arguments);
}

/// Runs the code that serves every call, on tensors or dense copies of them. 0, or what it failed with.
inline int call_any(const Call& c, const LegInfo& leg, int threads, CallContext& context) {
    const bool columns = !c.info.rows_only && lie_reversed(c), reversed = columns && leg.reversed;
    std::copy_n(c.tensors, c.info.tensor_count, c.worked_on);
    if (const int code = make_dense(c, columns, context)) return code;
    const bool copied =
        std::any_of(c.copies, c.copies + c.info.tensor_count, [](const auto& t) { return t.has_value(); });
    if (copied && !reversed && c.options.variant.empty())
        if (const int variant = first_serving(c, leg, c.worked_on, threads); variant != every_call) {
            const int code = call_variant(c, leg, variant, c.worked_on, context);
            return code ? code : write_back(c, context);
        }
    fill_buffers(c, c.worked_on, reversed);
    CallContext* pointer = &context;
    fill_arguments(c, reversed ? c.info.reversed_arguments : c.info.arguments,
                   reversed ? c.info.reversed_argument_count : c.info.argument_count, reversed, pointer);
    const int code = (reversed ? leg.reversed : leg.call)(c.arguments);
    return code ? code : write_back(c, context);
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
    const int threads = c.options.threads > 0 ? c.options.threads : default_threads();
    int variant = every_call;
    if (Status s = choose_variant(c, *leg, threads, variant); !s) return s;
    install_error_handler_once();
    install_loops_once();
    install_memory_once();
    use_threads(threads);
    if (c.info.data_checks > 0) {
        fill_buffers(c, c.tensors, false);
        if (Status s = check_data(c, *leg); !s) return s;
    }
    if (all_outputs_empty(c)) return {};
    CallContext context;
    context.serial = threads == 1;
    return kernel_status(c,
                         variant == every_call ? call_any(c, *leg, threads, context)
                                               : call_variant(c, *leg, variant, c.tensors, context),
                         context);
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
    return run(Call{info, tensors.data(), sizes.data(), scalars.data(), options, w.ranges.data(), w.tensors.data(),
                    w.copies.data(), w.strides.data(), w.buffers.data(), w.dims.data(), w.arguments.data(),
                    w.sizes.data()});
}

}  // namespace detail
}  // namespace halogen
