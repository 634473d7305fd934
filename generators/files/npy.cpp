#include "generators/files/npy.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstring>
#include <utility>
#include <vector>

namespace halogen {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Name {
    std::string_view descr;
    Type type;
};
constexpr std::array<Name, 12> names = {{{"<f8", Type::f64},
                                         {"<f4", Type::f32},
                                         {"<f2", Type::f16},
                                         {"<u2", Type::bf16},
                                         {"|i1", Type::i8},
                                         {"<i2", Type::i16},
                                         {"<i4", Type::i32},
                                         {"<i8", Type::i64},
                                         {"|u1", Type::u8},
                                         {"<u2", Type::u16},
                                         {"<u4", Type::u32},
                                         {"|b1", Type::boolean}}};

struct Header {
    std::string descr;
    bool fortran = false;
    std::vector<std::int64_t> shape;
};

/// Reads the header's text, a Python dict of three known keys.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

    Header parse() {
        Header header;
        bool descr = false, order = false, shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr")
                header.descr = description(), descr = true;
            else if (key == "fortran_order")
                header.fortran = boolean(), order = true;
            else if (key == "shape")
                header.shape = tuple(), shape = true;
            else
                fail();
            if (!accept(',') && !(peek() == '}')) fail();
        }
        if (!descr || !order || !shape) fail();
        return header;
    }

private:
    [[noreturn]] void fail() const {
        throw Failure(Error{ErrorKind::io,
                            fmt::format("`{}` has a damaged .npy header", path_),
                            {},
                            "",
                            "save it again with numpy.save"});
    }
    char peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) at_++;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool accept(char c) {
        if (peek() != c) return false;
        at_++;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail();
    }
    std::string quoted() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail();
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) fail();
        const std::string word(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return word;
    }
    std::string description() {
        if (peek() == '[')
            throw Failure(Error{ErrorKind::type,
                                fmt::format("`{}` holds records, not plain numbers", path_),
                                {},
                                "",
                                "save one field of them"});
        return quoted();
    }
    bool boolean() {
        peek();
        for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
            if (text_.substr(at_, word.size()) != word) continue;
            at_ += word.size();
            return value;
        }
        fail();
    }
    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> values;
        expect('(');
        while (!accept(')')) {
            if (!std::isdigit(static_cast<unsigned char>(peek()))) fail();
            std::int64_t value = 0;
            while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
                if (__builtin_mul_overflow(value, 10, &value) ||
                    __builtin_add_overflow(value, text_[at_++] - '0', &value))
                    fail();
            values.push_back(value);
            if (!accept(',') && peek() != ')') fail();
        }
        return values;
    }

    std::string_view text_;
    const std::string& path_;
    std::size_t at_ = 0;
};

Error truncated(const std::string& path, std::size_t have, const std::string& need) {
    return Error{ErrorKind::io,
                 fmt::format("`{}` is truncated: {} bytes of {}", path, have, need),
                 {},
                 "",
                 "copy or save it again"};
}

Type type_of_descr(const std::string& descr, std::optional<Type> want, const std::string& path) {
    if (descr == "<u2" && want == Type::bf16) return Type::bf16;
    for (const Name& name : names)
        if (name.type != Type::bf16 &&
            (descr == name.descr || (descr.size() == 3 && descr[2] == '1' && descr.substr(1) == name.descr.substr(1))))
            return name.type;
    std::string what = fmt::format("`{}` holds elements of type `{}`, which Halogen does not know", path, descr);
    std::string fix = "convert it with .astype to one of f64 f32 f16 i8 i16 i32 i64 u8 u16 u32 bool";
    if (!descr.empty() && descr[0] == '>') {
        what = fmt::format("`{}` holds big-endian data (`{}`)", path, descr);
        fix = fmt::format("save it as little endian: a.astype('<{}')", descr.substr(1));
    } else if (descr.find('O') != std::string::npos) {
        what = fmt::format("`{}` holds Python objects", path);
    }
    throw Failure(Error{ErrorKind::type, what, {}, "", fix});
}

std::size_t little_endian(std::string_view bytes) {
    std::size_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

}  // namespace

bool is_npy(std::string_view bytes) { return bytes.substr(0, magic.size()) == magic; }

Result<HostTensor> parse_npy(std::string_view bytes, const std::string& path, std::optional<Type> want) {
    return guarded([&]() -> HostTensor {
        if (bytes.size() < 12) throw Failure(truncated(path, bytes.size(), "a header"));
        const int major = static_cast<unsigned char>(bytes[6]);
        if (major < 1 || major > 3)
            throw Failure(Error{ErrorKind::io,
                                fmt::format("`{}` is .npy version {}; versions 1 to 3 are known", path, major),
                                {},
                                "",
                                "save it again with numpy.save"});
        const std::size_t width = major == 1 ? 2 : 4, start = 8 + width;
        const std::size_t length = little_endian(bytes.substr(8, width));
        if (bytes.size() < start + length)
            throw Failure(truncated(path, bytes.size(), fmt::format("a header of {}", start + length)));
        const Header header = HeaderParser(bytes.substr(start, length), path).parse();
        const Type type = type_of_descr(header.descr, want, path);
        const std::string_view data = bytes.substr(start + length);
        const std::int64_t elements = count_elements(header.shape);
        if (elements > static_cast<std::int64_t>(data.size()) / bytes_of(type))
            throw Failure(
                truncated(path, bytes.size(), fmt::format("a file of shape ({})", fmt::join(header.shape, ", "))));
        std::vector<std::int64_t> strides = row_major_strides(header.shape);
        if (header.fortran) {
            const std::vector<std::int64_t> turned(header.shape.rbegin(), header.shape.rend());
            strides = row_major_strides(turned);
            strides = {strides.rbegin(), strides.rend()};
        }
        HostTensor tensor(type, header.shape, strides);
        std::memcpy(tensor.storage().data(), data.data(), static_cast<std::size_t>(elements) * bytes_of(type));
        // A byte other than 0 and 1 is true to NumPy and no boolean to a compiled kernel.
        if (type == Type::boolean)
            for (std::byte& b : tensor.storage()) b = b == std::byte{0} ? b : std::byte{1};
        return tensor;
    });
}

std::string print_npy(const HostTensor& tensor) {
    std::string_view descr;
    for (const Name& name : names)
        if (name.type == tensor.type()) descr = name.descr;
    std::string shape = fmt::format("{}", fmt::join(tensor.extents(), ", "));
    if (tensor.rank() == 1) shape += ',';
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
    header.resize((magic.size() + 4 + header.size() + 1 + 63) / 64 * 64 - magic.size() - 4 - 1, ' ');
    header += '\n';
    std::string bytes(magic);
    bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    bytes += header;
    const std::size_t width = bytes_of(tensor.type());
    bytes.reserve(bytes.size() + static_cast<std::size_t>(tensor.elements()) * width);
    if (tensor.strides() == row_major_strides(tensor.extents())) {
        bytes.append(reinterpret_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.elements()) * width);
    } else {
        for_each_index(tensor.extents(), [&](std::span<const std::int64_t> index) {
            bytes.append(reinterpret_cast<const char*>(tensor.data()) +
                             tensor.offset_of(index) * static_cast<std::int64_t>(width),
                         width);
        });
    }
    return bytes;
}

}  // namespace halogen
