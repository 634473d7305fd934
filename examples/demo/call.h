#pragma once
// One call of a kernel beside Eigen, as the worker measures it and the demo shows it.

#include <cstdint>
#include <string>
#include <vector>

namespace halogen::demo {

/// A tensor as one call got it: the notation's name, extents and strides in elements.
struct Operand {
    std::string name;
    std::vector<std::int64_t> extents, strides;
};

/// A number given to a kernel beside its tensors.
struct Setting {
    std::string name;
    double value;
};

struct Times {
    double halogen_ns = 0, eigen_ns = 0;
    double ratio() const { return eigen_ns / halogen_ns; }  // above 1: Halogen is faster
};

/// One call of a kernel beside Eigen.
struct Call {
    std::string stage, kernel;
    std::vector<Operand> operands;  // inputs, then the output
    std::vector<Setting> settings;
    double flops = 0;                        // a multiplication and an addition are two
    double bytes = 0;                        // each input read once, each output written once
    std::string eigen;                       // how Eigen's side does it, in a few words
    Times one, two;                          // on one and on two threads
    double difference = 0;                   // the largest between the two results
    double bound = 0;                        // what rounding allows at that element
    double share = 0;                        // the largest share of its bound that any element uses
    std::int64_t elements = 0, outside = 0;  // compared; beyond their bound

    bool agrees() const { return outside == 0; }
    /// Speed is told in floating-point operations where they outweigh the traffic, else in bytes.
    bool counts_flops() const { return flops > 4 * bytes; }
    const char* unit() const { return counts_flops() ? "GFLOP/s" : "GB/s"; }
    double speed(double ns) const { return (counts_flops() ? flops : bytes) / ns; }
};

}  // namespace halogen::demo
