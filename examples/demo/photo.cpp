#include "photo.h"

#include "generators/files/output.h"
#include "generators/files/png.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace halogen::demo {

Picture read_photo(const std::string& path) {
    const std::string bytes = read_file(path);
    if (!is_png(bytes))
        throw Failure(Error{
            ErrorKind::io, fmt::format("`{}` is not a PNG picture", path), {}, "", "give a photograph saved as PNG"});
    const HostTensor tensor = parse_png(bytes, path).value();
    const auto &e = tensor.extents(), &s = tensor.strides();
    constexpr std::int64_t least = 16;
    if (e[0] < least || e[1] < least)
        throw Failure(Error{ErrorKind::rank,
                            fmt::format("`{}` has {} x {} pixels", path, e[0], e[1]),
                            {},
                            "",
                            fmt::format("give a photograph of at least {} x {}", least, least)});
    Picture photo(static_cast<int>(e[0]), static_cast<int>(e[1]));
    const auto* samples = reinterpret_cast<const std::uint8_t*>(tensor.data());
    for (int y = 0; y < photo.height; y++) {
        for (int x = 0; x < photo.width; x++) {
            const std::uint8_t* from = samples + y * s[0] + x * s[1];
            for (int c = 0; c < 3; c++) photo.at(y, x)[c] = from[e[2] < 3 ? 0 : c * s[2]];
        }
    }
    return photo;
}

std::string png_bytes(const Picture& picture) {
    HostTensor tensor(Type::u8, {picture.height, picture.width, 3});
    std::memcpy(tensor.data(), picture.samples.data(), picture.samples.size());
    return print_png(tensor, "picture.png").value();
}

}  // namespace halogen::demo
