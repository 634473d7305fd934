#include "picture.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace halogen::demo {

Picture::Picture(int h, int w, Color fill)
    : height(h), width(w), samples(3 * static_cast<std::size_t>(h) * static_cast<std::size_t>(w)) {
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) set(y, x, fill);
    }
}

void Picture::set(int y, int x, Color c) {
    std::uint8_t* sample = at(y, x);
    sample[0] = c.red;
    sample[1] = c.green;
    sample[2] = c.blue;
}

void Picture::paste(int y, int x, const Picture& other) {
    for (int i = std::max(0, -y); i < std::min(other.height, height - y); i++) {
        for (int j = std::max(0, -x); j < std::min(other.width, width - x); j++)
            std::copy_n(other.at(i, j), 3, at(y + i, x + j));
    }
}

std::uint8_t to_sample(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

Color hue(double turn) {
    const auto part = [&](double shift) {  // a soft wheel: no colour is darker than the others by much
        return to_sample(255 * (0.62 + 0.38 * std::cos(2 * 3.14159265358979 * (turn - shift))));
    };
    return {part(0), part(1.0 / 3), part(2.0 / 3)};
}

Color shade(Color color, double brightness) {
    const double b = std::clamp(brightness, 0.0, 1.0);
    return {to_sample(color.red * b), to_sample(color.green * b), to_sample(color.blue * b)};
}

Picture grey_picture(const float* plane, int h, int w, double scale) {
    Picture picture(h, w);
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            const std::uint8_t v =
                to_sample(scale * static_cast<double>(plane[static_cast<std::ptrdiff_t>(y) * w + x]));
            picture.set(y, x, {v, v, v});
        }
    }
    return picture;
}

Picture enlarge(const Picture& small, int times) {
    Picture large(small.height * times, small.width * times);
    for (int y = 0; y < large.height; y++) {
        for (int x = 0; x < large.width; x++) std::copy_n(small.at(y / times, x / times), 3, large.at(y, x));
    }
    return large;
}

Picture histogram_picture(const std::int32_t* red, const std::int32_t* green, const std::int32_t* blue) {
    constexpr int bar = 4, height = 512, top = 24;
    Picture picture(height, 256 * bar, {16, 18, 22});
    const std::array<const std::int32_t*, 3> counts{red, green, blue};
    // The ends of the range often hold far more than the rest: the scale is that of the values between.
    std::int32_t most = 1;
    for (const auto* c : counts) most = std::max(most, *std::max_element(c + 1, c + 255));
    for (int x = 0; x < picture.width; x++) {
        for (int channel = 0; channel < 3; channel++) {
            const double share =
                std::min(1.0, static_cast<double>(counts[static_cast<std::size_t>(channel)][x / bar]) / most);
            const int first = height - static_cast<int>(std::lround(share * (height - top)));
            for (int y = first; y < height; y++) {
                std::uint8_t* sample = picture.at(y, x);
                sample[channel] = to_sample(sample[channel] + (y < first + 3 ? 215.0 : 150.0));
            }
        }
    }
    return picture;
}

}  // namespace halogen::demo
