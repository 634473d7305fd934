#pragma once
// What every stage works with: the photograph, the way to call and compare, and the results that later stages read.

#include "agreement.h"
#include "halves.h"
#include "messages.h"
#include "picture.h"

#include "halogen/kernel.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace halogen::demo {

/// Stops the worker with a message for the user.
struct Stop : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void must(const Status& status) {
    if (!status) throw Stop(std::string(status.message()));
}
template<typename T>
T must(StatusOr<T> made) {
    must(made.status());
    return std::move(made).value();
}

/// Memory of the given extents.
template<typename T, int Rank>
Array<T, Rank> make_array(const std::array<std::int64_t, Rank>& extents) {
    Array<T, Rank> made(extents);
    if (!made.allocated()) throw Stop("there is not enough memory for the photograph's results");
    return made;
}

template<typename T, int Rank>
Operand operand(std::string name, const View<T, Rank>& v) {
    return {std::move(name), {v.extents.begin(), v.extents.end()}, {v.strides.begin(), v.strides.end()}};
}
template<typename T, int Rank>
Operand operand(std::string name, const Array<T, Rank>& a) {
    return operand(std::move(name), a.view());
}

/// Both sides of one comparison.
struct Contest {
    Call call;  // without times and differences
    std::function<Status(int threads)> halogen;
    RowJob eigen;
    std::int64_t rows = 0;                // of Eigen's job
    std::function<void()> merge = [] {};  // joins what Eigen's halves made
    std::function<Agreement()> compare;   // after both have run
};

class Session {
public:
    Session(Picture photo, std::string leg);

    const Picture& photo() const { return photo_; }
    std::int64_t height() const { return photo_.height; }
    std::int64_t width() const { return photo_.width; }
    /// The photograph's samples as f32 [H, W, 3], 0…255.
    const Array<float, 3>& colors() const { return colors_; }
    std::string_view leg() const { return leg_; }

    /// Runs both sides on one and two threads, compares and times them, and reports the call.
    void hold(const Contest&);

    // Results that later stages read.
    std::optional<Array<float, 3>> grey;
    std::optional<Array<float, 2>> blurred;
    std::optional<Array<float, 4>> features;

private:
    Picture photo_;
    std::string leg_;
    Array<float, 3> colors_;
};

// The stages, in their order.
void grey_stage(Session&);
void blur_stage(Session&);
void edges_stage(Session&);
void features_stage(Session&);
void pooling_stage(Session&);
void histogram_stage(Session&);
void patches_stage(Session&);

}  // namespace halogen::demo
