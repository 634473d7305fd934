// NumPy's format and PNG, byte by byte.

#include "generators/files/npy.h"
#include "generators/files/output.h"
#include "generators/files/png.h"
#include "tests/driver/program.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using testing::ElementsAre;

std::string npy(const std::string& header, const std::string& data, char major = 1) {
    std::string bytes = std::string("\x93NUMPY") + major + '\0';
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    if (major > 1) bytes += std::string(2, '\0');
    return bytes + header + data;
}

std::string error_of(const Result<HostTensor>& result) {
    return result ? "no error" : to_string(result.error().kind) + " " + format(result.error(), "");
}

TEST(Npy, WhatIsPrintedIsReadBack) {
    for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16, Type::i8, Type::i16, Type::i32, Type::i64,
                            Type::u8, Type::u16, Type::u32, Type::boolean}) {
        HostTensor t(type, {2, 3});
        for (std::int64_t i = 0; i < 6; i++) {
            if (is_float(type))
                t.set_real(i, static_cast<double>(i) / 2);
            else
                t.set_integer(i, i % 2);
        }
        const HostTensor back = parse_npy(print_npy(t), "t.npy", type).value();
        EXPECT_EQ(back.type(), type);
        EXPECT_THAT(back.extents(), ElementsAre(2, 3));
        EXPECT_TRUE(std::equal(t.storage().begin(), t.storage().end(), back.storage().begin())) << to_string(type);
    }
}

TEST(Npy, FortranOrderBecomesStrides) {
    const HostTensor t =
        parse_npy(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", std::string("\0\1\2\3\4\5", 6)),
                  "t.npy")
            .value();
    EXPECT_THAT(t.strides(), ElementsAre(1, 2));
    EXPECT_EQ(t.integer(t.offset_of(std::vector<std::int64_t>{1, 2})), 5);
}

TEST(Npy, Version2HeadersAndRankZeroAreRead) {
    const HostTensor t =
        parse_npy(npy("{'descr': '<i2', 'fortran_order': False, 'shape': ()}", std::string("\x05\x01", 2), 2), "t.npy")
            .value();
    EXPECT_EQ(t.rank(), 0);
    EXPECT_EQ(t.integer(0), 261);
}

TEST(Npy, ForeignTypesAreNamed) {
    const auto header = [](const std::string& descr) {
        return npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }", std::string(16, '\0'));
    };
    EXPECT_EQ(error_of(parse_npy(header("'>f4'"), "a.npy")),
              "type `a.npy` holds big-endian data (`>f4`)\n  fix  save it as little endian: a.astype('<f4')");
    EXPECT_EQ(error_of(parse_npy(header("'|O'"), "a.npy")),
              "type `a.npy` holds Python objects\n  fix  convert it with .astype to one of f64 f32 f16 i8 i16 i32 i64 "
              "u8 u16 u32 bool");
    EXPECT_EQ(error_of(parse_npy(header("'<c8'"), "a.npy")),
              "type `a.npy` holds elements of type `<c8`, which Halogen does not know\n"
              "  fix  convert it with .astype to one of f64 f32 f16 i8 i16 i32 i64 u8 u16 u32 bool");
    EXPECT_EQ(error_of(parse_npy(header("[('x', '<f4')]"), "a.npy")),
              "type `a.npy` holds records, not plain numbers\n  fix  save one field of them");
}

TEST(Npy, TruncatedAndDamagedFilesAreErrors) {
    const std::string whole = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", std::string(12, '\0'));
    for (std::size_t n = 0; n < whole.size(); n++) EXPECT_FALSE(parse_npy(whole.substr(0, n), "a.npy")) << n;
    EXPECT_EQ(error_of(parse_npy(whole.substr(0, whole.size() - 1), "a.npy")),
              "io `a.npy` is truncated: 78 bytes of a file of shape (3)\n  fix  copy or save it again");
    EXPECT_EQ(error_of(parse_npy(npy("{'descr': '<f4', 'shape': (3,), }", std::string(12, '\0')), "a.npy")),
              "io `a.npy` has a damaged .npy header\n  fix  save it again with numpy.save");
    EXPECT_EQ(
        error_of(parse_npy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", ""),
                           "a.npy")),
        "io `a.npy` is truncated: 87 bytes of a file of shape (4611686018427387904, 8)\n  fix  copy or save it again");
}

HostTensor picture(std::int64_t channels) {
    HostTensor t(Type::u8, {2, 3, channels});
    for (std::int64_t i = 0; i < t.elements(); i++) t.set_integer(i, 7 * i % 256);
    return t;
}

TEST(Png, WhatIsPrintedIsReadBack) {
    for (const std::int64_t channels : {1, 2, 3, 4}) {
        const HostTensor t = picture(channels);
        const HostTensor back = parse_png(print_png(t, "t.png").value(), "t.png").value();
        EXPECT_THAT(back.extents(), ElementsAre(2, 3, channels));
        EXPECT_TRUE(std::equal(t.storage().begin(), t.storage().end(), back.storage().begin()));
    }
}

TEST(Png, TruncatedPicturesAreErrors) {
    const std::string whole = print_png(picture(3), "t.png").value();
    for (std::size_t n = 8; n < whole.size(); n++) EXPECT_FALSE(parse_png(whole.substr(0, n), "t.png")) << n;
    EXPECT_EQ(error_of(parse_png(whole.substr(0, 40), "t.png")),
              "io `t.png` is a truncated or damaged PNG: the file ends too early\n  fix  copy or save it again");
}

TEST(Png, OnlyByteTensorsOfThreeDimsArePictures) {
    EXPECT_EQ(
        format(print_png(HostTensor(Type::f32, {2, 3, 1}), "y.png").error(), ""),
        "`y.png` would be a PNG of f32; pictures are u8\n  fix  cast in the equation, u8(...), or write a .npy file");
    EXPECT_EQ(format(print_png(HostTensor(Type::u8, {2, 3}), "y.png").error(), ""),
              "`y.png` would be a PNG of extents [2, 3]; pictures are [H, W, C] with 1 to 4 channels\n"
              "  fix  give the output three dims, or write a .npy file");
}

class OutputFileTest : public ProgramTest {};

TEST_F(OutputFileTest, NothingIsThereBeforeCommit) {
    {
        OutputFile file("y.npy");
        file.write("half");
        EXPECT_FALSE(std::filesystem::exists("y.npy"));
    }
    EXPECT_THAT(files(), ElementsAre());
    OutputFile file("y.npy");
    file.write("whole");
    file.commit();
    EXPECT_THAT(files(), ElementsAre("y.npy"));
    EXPECT_EQ(contents("y.npy"), "whole");
}

}  // namespace
}  // namespace halogen
