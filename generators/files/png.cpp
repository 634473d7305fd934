#include "generators/files/png.h"

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <vector>

namespace halogen {

namespace {

/// What libpng's callbacks work on. libpng reports errors by longjmp, so nothing that owns memory may live in the
/// functions that call it: everything stands here, in the caller's frame.
struct Stream {
    std::string_view input;
    std::string output;
    std::string message;
    std::vector<png_bytep> rows;
    HostTensor tensor;
    int depth = 0;
};

void on_error(png_structp png, png_const_charp message) {
    static_cast<Stream*>(png_get_error_ptr(png))->message = message;
    png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, png_size_t n) {
    auto& stream = *static_cast<Stream*>(png_get_io_ptr(png));
    if (stream.input.size() < n) png_error(png, "the file ends too early");
    std::memcpy(to, stream.input.data(), n);
    stream.input.remove_prefix(n);
}
void write_bytes(png_structp png, png_bytep from, png_size_t n) {
    static_cast<Stream*>(png_get_io_ptr(png))->output.append(reinterpret_cast<const char*>(from), n);
}
void flush_bytes(png_structp) {}

void prepare_samples(png_structp png, png_infop info) {
    png_set_expand(png);  // palettes to colours, 1, 2, 4 bits to 8, a transparent colour to alpha
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
}

void allocate(Stream& stream, std::int64_t h, std::int64_t w, std::int64_t c) {
    stream.tensor = HostTensor(Type::u8, {h, w, c});
    for (std::int64_t y = 0; y < h; y++)
        stream.rows.push_back(reinterpret_cast<png_bytep>(stream.tensor.data() + y * w * c));
}

/// False when the file is damaged; stream.message then says how.
bool decode(Stream& stream, png_structp png, png_infop info) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_read_fn(png, &stream, read_bytes);
    png_read_info(png, info);
    stream.depth = png_get_bit_depth(png, info);
    if (stream.depth == 16) return true;
    prepare_samples(png, info);
    if (png_get_image_height(png, info) * static_cast<double>(png_get_rowbytes(png, info)) > 2147483647.0)
        png_error(png, "it has more than 2^31 - 1 samples");
    allocate(stream, png_get_image_height(png, info), png_get_image_width(png, info), png_get_channels(png, info));
    png_read_image(png, stream.rows.data());
    png_read_end(png, nullptr);
    return true;
}

bool encode(Stream& stream, png_structp png, png_infop info, const HostTensor& tensor) {
    static constexpr int color_types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                          PNG_COLOR_TYPE_RGB_ALPHA};
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, &stream, write_bytes, flush_bytes);
    png_set_IHDR(png, info, static_cast<png_uint_32>(tensor.extents()[1]),
                 static_cast<png_uint_32>(tensor.extents()[0]), 8, color_types[tensor.extents()[2]], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_write_image(png, stream.rows.data());
    png_write_end(png, info);
    return true;
}

}  // namespace

bool is_png(std::string_view bytes) {
    return bytes.size() >= 8 && png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, 8) == 0;
}

Result<HostTensor> parse_png(std::string_view bytes, const std::string& path) {
    Stream stream;
    stream.input = bytes;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &stream, on_error, on_warning);
    png_infop info = png_create_info_struct(png);
    const bool whole = decode(stream, png, info);
    png_destroy_read_struct(&png, &info, nullptr);
    if (!whole)
        return Error{ErrorKind::io,
                     fmt::format("`{}` is a truncated or damaged PNG: {}", path, stream.message),
                     {},
                     "",
                     "copy or save it again"};
    if (stream.depth == 16)
        return Error{ErrorKind::type,
                     fmt::format("`{}` has 16 bits per sample; pictures are read as u8", path),
                     {},
                     "",
                     "save it with 8 bits per sample, or as a .npy file of type u16"};
    return std::move(stream.tensor);
}

Result<std::string> print_png(const HostTensor& tensor, const std::string& path) {
    if (tensor.type() != Type::u8)
        return Error{ErrorKind::type,
                     fmt::format("`{}` would be a PNG of {}; pictures are u8", path, to_string(tensor.type())),
                     {},
                     "",
                     "cast in the equation, u8(...), or write a .npy file"};
    const auto& e = tensor.extents();
    if (e.size() != 3 || e[2] < 1 || e[2] > 4 || e[0] < 1 || e[1] < 1)
        return Error{ErrorKind::rank,
                     fmt::format("`{}` would be a PNG of extents [{}]; pictures are [H, W, C] with 1 to 4 channels",
                                 path, fmt::join(e, ", ")),
                     {},
                     "",
                     "give the output three dims, or write a .npy file"};
    HostTensor dense(Type::u8, e);
    std::byte* to = dense.data();
    for_each_index(e, [&](std::span<const std::int64_t> index) { *to++ = tensor.data()[tensor.offset_of(index)]; });
    Stream stream;
    for (std::int64_t y = 0; y < e[0]; y++)
        stream.rows.push_back(reinterpret_cast<png_bytep>(dense.data() + y * e[1] * e[2]));
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &stream, on_error, on_warning);
    png_infop info = png_create_info_struct(png);
    const bool whole = encode(stream, png, info, dense);
    png_destroy_write_struct(&png, &info);
    if (!whole)
        return Error{ErrorKind::io,
                     fmt::format("`{}` cannot be written as PNG: {}", path, stream.message),
                     {},
                     "",
                     "write a .npy file"};
    return std::move(stream.output);
}

}  // namespace halogen
