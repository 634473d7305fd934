#pragma once
// Between the operations and the compiled kernels: each kernel has an adaptor, a small file that ../archives.py writes from
// its text, compiled into this peer with the kernel's archive.

#include "harness.h"

#include <halogen/kernel.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

/// What a form gives to a kernel: its tensors, inputs and outputs in the kernel's order, and its parameters.
struct Use {
    struct Place {
        char* data;
        std::vector<std::int64_t> extents;
    };
    std::vector<Place> tensors;
    std::map<std::string, double> parameters;
    int threads = 1;

    template<typename T, int Rank>
    halogen::View<T, Rank> view(std::size_t at) const {
        const Place& place = tensors.at(at);
        if (place.extents.size() != Rank)
            throw std::runtime_error("tensor " + std::to_string(at) + " has another rank");
        halogen::View<T, Rank> view{reinterpret_cast<T*>(place.data), {}, {}};
        for (std::size_t d = 0; d < Rank; d++) view.extents[d] = place.extents[d];
        view.strides = halogen::dense_strides(view.extents);
        return view;
    }
    double parameter(const std::string& name) const { return parameters.at(name); }
};

using Call = std::function<halogen::Status()>;

/// The adaptors of the kernels that are linked in, by the kernels' names.
inline std::map<std::string, std::function<Call(const Use&)>>& adaptors() {
    static std::map<std::string, std::function<Call(const Use&)>> all;
    return all;
}
struct Adaptor {
    Adaptor(const std::string& kernel, std::function<Call(const Use&)> make) { adaptors()[kernel] = std::move(make); }
};

}  // namespace bench
