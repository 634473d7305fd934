#pragma once
// Colour pictures of 8-bit samples, and the few drawings the demo makes of its results.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halogen::demo {

struct Color {
    std::uint8_t red, green, blue;
};

/// Samples [height, width, 3], row-major.
struct Picture {
    int height = 0, width = 0;
    std::vector<std::uint8_t> samples;

    Picture() = default;
    Picture(int h, int w, Color fill = {0, 0, 0});

    std::uint8_t* at(int y, int x) { return samples.data() + 3 * (static_cast<std::ptrdiff_t>(y) * width + x); }
    const std::uint8_t* at(int y, int x) const { return const_cast<Picture*>(this)->at(y, x); }
    void set(int y, int x, Color c);
    /// Draws `other` with its upper left corner at (y, x); what lies outside is left out.
    void paste(int y, int x, const Picture& other);
};

/// 0…255, rounded and limited.
std::uint8_t to_sample(double value);
/// A colour of full strength; `turn` from 0 to 1 goes once round the circle of hues.
Color hue(double turn);
/// `color` made darker: 0 gives black, 1 the colour itself.
Color shade(Color color, double brightness);

/// A plane of numbers as a grey picture: `scale` times the value.
Picture grey_picture(const float* plane, int h, int w, double scale);
/// Each element `times` x `times` samples large.
Picture enlarge(const Picture& small, int times);
/// Curves of 256 counts each for red, green and blue, filled, on black.
Picture histogram_picture(const std::int32_t* red, const std::int32_t* green, const std::int32_t* blue);

}  // namespace halogen::demo
