// Vectors at places that are held back from the ends of a row, read under masks.

#include "schedules/bind/clamped_vectors.h"

#include "schedules/bind/strided_vectors.h"
#include "tests/kernels/memory.h"

#include "Halide.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;

/// The loads under a mask in the lowered code.
int masks_in(Halide::Pipeline& pipeline, const std::vector<Halide::Argument>& arguments) {
    std::ostringstream code;
    code << pipeline.compile_to_module(arguments, "f", Halide::Target("x86-64-linux-avx512_skylake-no_runtime"))
                .functions()
                .back()
                .body;
    const std::string text = code.str(), mask = "] if ";
    int found = 0;
    for (auto at = text.find(mask); at != std::string::npos; at = text.find(mask, at + 1)) found++;
    return found;
}

/// Y[x] = X[place(x, n)] in vectors of 8, where X has the places 0:n.
Halide::Buffer<float> read_at(Expr (*place)(const Expr&, const Expr&), int n, int extent, int* masks = nullptr) {
    Halide::ImageParam in(Halide::Float(32), 1, "X");
    Func out("Y");
    Var x("x");
    out(x) = in(place(x, in.dim(0).extent()));
    out.vectorize(x, 8, Halide::TailStrategy::RoundUp);
    Halide::Pipeline pipeline(out);
    read_clamped_vectors(pipeline, Halide::get_host_target());
    if (masks) *masks = masks_in(pipeline, {in});
    Halide::Buffer<float> values(n);
    for (int k = 0; k < n; k++) values(k) = static_cast<float>(k);
    in.set(values);
    return pipeline.realize({extent});
}

struct ClampedPlaces {
    const char* name;
    bool masked;
    Expr (*place)(const Expr& x, const Expr& n);
    int (*value)(int x, int n);
};

int held(int at, int low, int high) { return std::max(std::min(at, high), low); }

/// Each of the places lies in 0:n for n >= 18.
const ClampedPlaces places_of_clamped[] = {
    {"both ends", true, [](const Expr& x, const Expr& n) { return clamp(x - 3, 0, n - 1); },
     [](int x, int n) { return held(x - 3, 0, n - 1); }},
    {"shifted behind", true, [](const Expr& x, const Expr& n) { return min(clamp(x, 2, n - 1) + 1, n - 1); },
     [](int x, int n) { return std::min(held(x, 2, n - 1) + 1, n - 1); }},
    {"from one end", true, [](const Expr& x, const Expr& n) { return (n - 1) + (min(x, n - 1) - (n - 1)); },
     [](int x, int n) { return std::min(x, n - 1); }},
    {"at literal places", false, [](const Expr& x, const Expr&) { return x - x + clamp(x % 8 - 1, 0, 5); },
     [](int x, int) { return held(x % 8 - 1, 0, 5); }},
    {"backwards", false, [](const Expr& x, const Expr& n) { return clamp(n - x, 0, n - 1); },
     [](int x, int n) { return held(n - x, 0, n - 1); }},
    {"in twos", false, [](const Expr& x, const Expr& n) { return clamp(2 * x, 0, n - 1); },
     [](int x, int n) { return held(2 * x, 0, n - 1); }},
    {"lanes that are held back apart", false,
     [](const Expr& x, const Expr& n) { return clamp(2 * (x % 8), 1, 10) - x % 8 + 7 + (n - n); },
     [](int x, int) { return held(2 * (x % 8), 1, 10) - x % 8 + 7; }},
};

TEST(ClampedVectors, AreReadUnderAMaskAndHaveTheirValues) {
    for (const ClampedPlaces& places : places_of_clamped)
        for (const int n : {18, 19, 25, 48}) {
            SCOPED_TRACE(std::string(places.name) + " " + std::to_string(n));
            int masks = 0;
            const Halide::Buffer<float> result = read_at(places.place, n, 40, &masks);
            EXPECT_EQ(masks > 0, places.masked);
            for (int x = 0; x < 40; x++) EXPECT_EQ(result(x), places.value(x, n)) << x;
        }
}

/// Y[x] = X[step*x - 5] where that lies in X, else `beyond`, in vectors of so many lanes.
void expect_chosen(int lanes, int step, float beyond, int n, bool is_there) {
    Halide::ImageParam in(Halide::Float(32), 1, "X");
    Halide::Param<bool> there("there");
    Func out("Y");
    Var x("x");
    const Expr place = step * x - 5, end = in.dim(0).extent();
    out(x) = select(there && place >= 0 && place < end, in(clamp(place, 0, end - 1)), beyond);
    out.vectorize(x, lanes, Halide::TailStrategy::RoundUp).never_partition(x);
    Halide::Pipeline pipeline(out);
    read_clamped_vectors(pipeline, Halide::get_host_target());
    read_strided_vectors(pipeline);
    const testing::GuardedPages pages(static_cast<std::size_t>(n) * sizeof(float));
    float* values = reinterpret_cast<float*>(pages.end()) - n;  // the next byte faults
    for (int k = 0; k < n; k++) values[k] = static_cast<float>(k + 1);
    in.set(Halide::Buffer<float>(values, n));
    there.set(is_there);
    const Halide::Buffer<float> y = pipeline.realize({40});
    for (int k = 0; k < 40; k++) {
        const int at = step * k - 5;
        EXPECT_EQ(y(k), is_there && at >= 0 && at < n ? static_cast<float>(at + 1) : beyond) << k;
    }
    EXPECT_EQ(masks_in(pipeline, {in, there}), lanes == 8 ? step : step == 1)
        << "vectors side by side, each under a mask";
}

TEST(ClampedVectors, OfTwoLanesApartAreReadOneByOne) {
    for (const int step : {1, 2}) expect_chosen(2, step, -7.0f, 33, true);
}

TEST(ClampedVectors, OfAChoiceHoldWhatItTakesAndReadNothingElse) {
    for (const int step : {1, 2, 3, 4})
        for (const float beyond : {0.0f, -7.0f})
            for (const int n : {1, 2, 7, 16, 33, 200})
                for (const bool is_there : {true, false}) {
                    SCOPED_TRACE(fmt::format("step {}, beyond {}, {} elements, {}", step, beyond, n, is_there));
                    expect_chosen(8, step, beyond, n, is_there);
                }
}

/// Y[x] = `value(X[x], W[x])` where x < the extent of both, else -7, in vectors of 8.
void expect_all_of_a_choice(Expr (*value)(const Expr& a, const Expr& b), float (*expected)(float a, float b), int n) {
    Halide::ImageParam in(Halide::Float(32), 1, "X"), weights(Halide::Float(32), 1, "W");
    Func out("Y");
    Var x("x");
    const Expr end = in.dim(0).extent(), place = min(x, end - 1);
    weights.dim(0).set_extent(end);
    out(x) = select(x < end, value(in(place), weights(place)), -7.0f);
    out.vectorize(x, 8, Halide::TailStrategy::RoundUp).never_partition(x);
    Halide::Pipeline pipeline(out);
    read_clamped_vectors(pipeline, Halide::get_host_target());
    const testing::GuardedPages pages(static_cast<std::size_t>(n) * sizeof(float));
    float* values = reinterpret_cast<float*>(pages.end()) - n;  // the next byte faults
    for (int k = 0; k < n; k++) values[k] = static_cast<float>(k + 1);
    in.set(Halide::Buffer<float>(values, n));
    weights.set(Halide::Buffer<float>(values, n));
    const Halide::Buffer<float> y = pipeline.realize({40});
    for (int k = 0; k < 40; k++)
        EXPECT_EQ(y(k), k < n ? expected(static_cast<float>(k + 1), static_cast<float>(k + 1)) : -7.0f) << k;
    EXPECT_GE(masks_in(pipeline, {in, weights}), 2) << "one for what is read of each tensor";
}

TEST(ClampedVectors, AllThatAChoiceReadsIsReadUnderItsMask) {
    for (const int n : {1, 7, 8, 9, 33}) {
        SCOPED_TRACE(fmt::format("{} elements", n));
        expect_all_of_a_choice([](const Expr& a, const Expr& b) { return a * b; },
                               [](float a, float b) { return a * b; }, n);
        expect_all_of_a_choice([](const Expr& a, const Expr& b) { return (a - b) * (a - b) + a * a; },
                               [](float a, float) { return a * a; }, n);
    }
}

TEST(ClampedVectors, OfBytesHaveMasksOnTargetsWithThose) {
    Halide::ImageParam in(Halide::Int(8), 1, "X");
    Func out("Y");
    Var x("x");
    const Expr end = in.dim(0).extent();
    out(x) = select(x < end, Halide::cast<float>(in(min(x, end - 1))), -7.0f);
    out.vectorize(x, 16, Halide::TailStrategy::RoundUp).never_partition(x);
    Halide::Pipeline pipeline(out);
    const Halide::Target host = Halide::get_host_target();
    read_clamped_vectors(pipeline, host);
    for (const int n : {1, 15, 16, 17, 33}) {
        const testing::GuardedPages pages(static_cast<std::size_t>(n));
        auto* values = reinterpret_cast<std::int8_t*>(pages.end()) - n;  // the next byte faults
        for (int k = 0; k < n; k++) values[k] = static_cast<std::int8_t>(k - 9);
        in.set(Halide::Buffer<std::int8_t>(values, n));
        const Halide::Buffer<float> y = pipeline.realize({48});
        for (int k = 0; k < 48; k++) EXPECT_EQ(y(k), k < n ? static_cast<float>(k - 9) : -7.0f) << n << ": " << k;
    }
    EXPECT_EQ(masks_in(pipeline, {in}) > 0, host.has_feature(Halide::Target::AVX512_Skylake));
}

TEST(ClampedVectors, AValueOfManyNamesIsNotWrittenOut) {
    // As a tree it has 2^40 leaves.
    const auto value = [](const Expr& a, const Expr& b) {
        Expr v = a;
        for (int k = 0; k < 40; k++) v = v * v - b * b + b;
        return v;
    };
    expect_all_of_a_choice(value, [](float a, float) { return a; }, 33);
}

TEST(ClampedVectors, PlacesThatAreReadAreAskedForInAllLanes) {
    for (const bool is_named : {false, true}) {  // what stands twice has a name
        Halide::ImageParam in(Halide::Float(32), 1, "X"), at(Halide::Int(32), 1, "I");
        Func out("Y");
        Var x("x");
        const Expr end = at.dim(0).extent(), place = at(min(x, end - 1));
        const Expr value = in(unsafe_promise_clamped(place, -5, -4));
        out(x) = select(x < end, is_named ? value * Halide::cast<float>(place) : value, -7.0f);
        out.vectorize(x, 8, Halide::TailStrategy::RoundUp).never_partition(x);
        Halide::Pipeline pipeline(out);
        read_clamped_vectors(pipeline, Halide::get_host_target());
        const testing::GuardedPages pages(2 * sizeof(float));
        float* values = reinterpret_cast<float*>(pages.end()) - 2;  // there is no place 0, and the next byte faults
        values[0] = 30, values[1] = 40;
        Halide::Buffer<float> two(values, 2);
        two.set_min(-5);
        Halide::Buffer<int> places(5);
        for (int k = 0; k < 5; k++) places(k) = -5 + k % 2;
        in.set(two);
        at.set(places);
        const Halide::Buffer<float> y = pipeline.realize({16});
        for (int k = 0; k < 16; k++) {
            const float factor = is_named ? static_cast<float>(-5 + k % 2) : 1.0f;
            EXPECT_EQ(y(k), k < 5 ? factor * (30.0f + static_cast<float>(k % 2) * 10) : -7.0f) << k;
        }
    }
}

}  // namespace
}  // namespace halogen
