#include "generators/compile/object_scan.h"

#include "frontend/base/error.h"

#include <elf.h>
#include <cstring>
#include <fstream>
#include <iterator>

namespace halogen {
namespace {

[[noreturn]] void not_an_object(const std::string& path) {
    throw Failure(
        {ErrorKind::io, path + " is no ELF object file for x86-64", {}, {}, "report it as a defect of Halogen"});
}

template<typename T>
T read_at(const std::string& bytes, std::uint64_t offset, const std::string& path) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) not_an_object(path);
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

}  // namespace

bool may_hold_sse4a(std::span<const std::uint8_t> code) {
    // EXTRQ 66 0F 78/79, INSERTQ F2 0F 78/79, MOVNTSS F3 0F 2B, MOVNTSD F2 0F 2B; a REX prefix may stand before 0F.
    for (std::size_t i = 0; i + 2 < code.size(); i++) {
        const std::uint8_t prefix = code[i];
        if (prefix != 0x66 && prefix != 0xf2 && prefix != 0xf3) continue;
        std::size_t at = i + 1;
        if ((code[at] & 0xf0) == 0x40) at++;
        if (at + 1 >= code.size() || code[at] != 0x0f) continue;
        const std::uint8_t opcode = code[at + 1];
        const bool bit_field = (opcode == 0x78 || opcode == 0x79) && prefix != 0xf3;
        const bool store = opcode == 0x2b && prefix != 0x66;
        if (bit_field || store) return true;
    }
    return false;
}

bool object_may_hold_sse4a(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto header = read_at<Elf64_Ehdr>(bytes, 0, path);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        not_an_object(path);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        const auto section = read_at<Elf64_Shdr>(bytes, header.e_shoff + std::uint64_t{i} * header.e_shentsize, path);
        if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_EXECINSTR)) continue;
        if (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset) not_an_object(path);
        const auto* code = reinterpret_cast<const std::uint8_t*>(bytes.data()) + section.sh_offset;
        if (may_hold_sse4a({code, section.sh_size})) return true;
    }
    return false;
}

}  // namespace halogen
