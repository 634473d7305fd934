#pragma once
// Times a compiled kernel beside Eigen, in the same run, on the same memory.

#include <halogen/status.h>
#include <halogen/view.h>

#include <Eigen/Core>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace halogen::bench {

template<typename T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = Rows<float>;
/// Rows x columns of floats, `outer` elements from row to row and `inner` from column to column.
using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
using Window = Eigen::Map<const Matrix, Eigen::Unaligned, Strides>;

/// One comparison. Both calls write the same number of elements; `difference` is the largest between them, relative to
/// the largest element.
struct Case {
    double flops = 0;  // multiply and add are two
    double bytes = 0;  // each input read once, each output written once
    std::function<Status()> halogen;
    std::function<void()> eigen;
    std::function<double()> difference;
};

struct NamedCase {
    std::string kernel, shape;
    std::function<Case()> make;  // allocates; called right before the measurement
};

/// The cases by the kind of their kernels.
std::vector<NamedCase> linear_cases();
std::vector<NamedCase> window_cases();
std::vector<NamedCase> image_cases();
std::vector<NamedCase> row_cases();

/// The tensors of one case, as matrices, and both outputs.
template<typename Out = float>
struct Memory {
    std::vector<Matrix> in;
    Rows<Out> ours, theirs;

    Memory(std::vector<std::pair<Eigen::Index, Eigen::Index>> inputs, Eigen::Index rows, Eigen::Index columns)
        : ours(Rows<Out>::Zero(rows, columns)), theirs(Rows<Out>::Zero(rows, columns)) {
        for (auto [r, c] : inputs) in.push_back(Matrix::Random(r, c));
    }
    double bytes() const {
        double sum = 0;
        for (auto& m : in) sum += 4.0 * static_cast<double>(m.size());
        return sum + sizeof(Out) * static_cast<double>(ours.size());
    }
    double difference() const {
        const auto a = ours.template cast<double>().eval(), b = theirs.template cast<double>().eval();
        return (a - b).cwiseAbs().maxCoeff() / std::max(1e-30, b.cwiseAbs().maxCoeff());
    }
};

/// A case from its memory and two functions of it: `ours(memory)` gives a Status, `theirs(memory)` fills memory.theirs.
template<typename M, typename Ours, typename Theirs>
Case make_case(std::shared_ptr<M> memory, double flops, Ours ours, Theirs theirs) {
    Case c;
    c.flops = flops;
    c.bytes = memory->bytes();
    c.halogen = [=] { return ours(*memory); };
    c.eigen = [=] { theirs(*memory); };
    c.difference = [=] { return memory->difference(); };
    return c;
}

}  // namespace halogen::bench
