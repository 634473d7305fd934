#pragma once
// What a generated header tells of its kernel, and what one call of it works with.

#include "alias.h"
#include "dense.h"
#include "element.h"
#include "leg.h"
#include "status.h"
#include "view.h"

#include "HalideRuntime.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

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
    bool densely;  // better copied once when it lies across the order in which code walks
};

/// One argument of the compiled function, in declared order; outputs follow them.
struct ArgumentInfo {
    enum class Sort : std::uint8_t { tensor, size, scalar, extent, caller_extent } sort;
    int index;    // among the inputs, the sizes or the scalars; of an extent, among all tensors
    int dim = 0;  // of an extent: of the dims that the code takes, or that the caller's tensor has
};

/// An output that may be the very same memory as an input.
struct InPlacePair {
    int input, output;  // indices into the tensors
};

/// Dims `first` to `last` of a tensor, which are one dim of a variant's code.
struct DimRun {
    int first, last;
};

/// Code for calls of which something is known.
struct VariantInfo {
    const char* name;
    const ArgumentInfo* arguments;  // an extent's dim is one of the variant's code
    int argument_count;
    const DimRun* runs;  // of all tensors, one after the other, each until its last dim; null: all dims as they are
    const char* when;    // what must hold, for messages
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
    const ArgumentInfo* reversed_arguments;  // of the legs' `reversed`
    int reversed_argument_count;
    const LegInfo* legs;  // best first
    int leg_count;
    const InPlacePair* in_place;
    int in_place_count;
    bool rows_only;   // the code walks along last dims, and there is none for column-major tensors
    int data_checks;  // outputs of the check function
    /// Extents and conditions, in the user's names.
    Status (*guards)(const Buffer* tensors, const std::int64_t* sizes);
    /// Tells which data broke check `check` at point `point`. Null when there are no checks.
    Status (*explain)(const Buffer* tensors, const std::int64_t* sizes, int check, std::int64_t point);
    const VariantInfo* variants;  // as calls are offered them, before the code that serves every call
    int variant_count;
    /// Whether what a variant asks for holds. Null when there are none.
    bool (*serves)(int variant, const Buffer* tensors, const std::int64_t* sizes, int threads);
};

/// What a call may choose beside its arguments.
struct CallOptions {
    int threads = 0;
    std::string_view leg;
    std::string_view variant;
};

/// Memory of one call, on the caller's stack.
template<int Tensors, int Dims, int Arguments, int Sizes>
struct Workspace {
    std::array<ByteRange<std::int64_t>, Tensors> ranges;
    std::array<Buffer, Tensors> tensors;
    std::array<std::optional<DenseTensor>, Tensors> copies;
    std::array<std::int64_t, Dims + 1> strides;
    std::array<halide_buffer_t, Tensors + 1> buffers;  // one more for the check's answer
    std::array<halide_dimension_t, Dims + 1> dims;
    std::array<void*, Arguments + Tensors + 2> arguments;
    std::array<std::int32_t, Sizes + Dims + 1> sizes;  // those of the call, then extents of the caller's tensors
};

struct Call {
    const KernelInfo& info;
    const Buffer* tensors;
    const std::int64_t* sizes;
    const void* const* scalars;
    const CallOptions& options;
    ByteRange<std::int64_t>* ranges;  // the bytes of each tensor
    Buffer* worked_on;                // the tensors, or dense copies of them
    std::optional<DenseTensor>* copies;
    std::int64_t* strides;
    halide_buffer_t* buffers;
    halide_dimension_t* dims;
    void** arguments;
    std::int32_t* size_values;
};

}  // namespace detail
}  // namespace halogen
