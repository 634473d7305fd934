#include "schedules/export/names.h"

#include "frontend/lower/lowered.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>

namespace halogen::exporting {

namespace {

/// Words of C++, and the names an exported generator or its base class uses itself.
const char* const words =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const const_cast "
    "consteval constexpr constinit continue co_await co_return co_yield decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept "
    "not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed "
    "sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid "
    "typename union unsigned using virtual void volatile wchar_t while xor xor_eq "
    "Halide Internal Generator Input Output Buffer Func Var RVar RDom Range Region Expr Stage Type Target MemoryType "
    "TailStrategy Int UInt Float BFloat Bool Call Parameter ImageParam LoopLevel Pipeline std generate schedule "
    "configure "
    "target context apply call create name get_target using_autoscheduler auto_schedule natural_vector_size "
    "build_pipeline "
    "cast reinterpret select min max clamp abs floor ceil round trunc sqrt exp log sin cos tan asin acos atan sinh "
    "cosh "
    "tanh pow likely likely_if_innermost unsafe_promise_clamped is_nan is_inf is_finite mux print require sum product "
    "maximum minimum int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t float16_t bfloat16_t main ";

bool taken_word(const std::string& name) { return std::strstr(words, (" " + name + " ").c_str()) != nullptr; }

std::string declaration(const char* type, const std::vector<std::string>& order,
                        const std::map<std::string, std::string>& identifiers) {
    if (order.empty()) return "";
    std::string text, line = std::string("        ") + type;
    for (std::size_t i = 0; i < order.size(); i++) {
        const std::string item =
            fmt::format(" {}(\"{}\"){}", identifiers.at(order[i]), order[i], i + 1 < order.size() ? "," : ";");
        if (line.size() + item.size() > 110) {
            text += line + "\n";
            line = "           ";
        }
        line += item;
    }
    return text + line + "\n";
}

}  // namespace

std::string Names::fresh(const std::string& wanted) {
    std::string name;
    for (const char c : wanted) {
        const char next = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
        if (next != '_' || (!name.empty() && name.back() != '_')) name += next;
    }
    while (!name.empty() && name.back() == '_') name.pop_back();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "n" + name;
    std::string free = name;
    for (int n = 2; taken_word(free) || !used_.insert(free).second; n++) free = fmt::format("{}_{}", name, n);
    return free;
}

std::string Names::var(const std::string& name) {
    const auto [at, made] = vars_.try_emplace(halide_name(loop_of(name)));
    if (made) {
        at->second = fresh(loop_of(name));
        var_order_.push_back(at->first);
    }
    return at->second;
}

std::string Names::rvar(const std::string& name) {
    const auto [at, made] = rvars_.try_emplace(halide_name(loop_of(name)));
    if (made) {
        at->second = fresh(loop_of(name));
        rvar_order_.push_back(at->first);
    }
    return at->second;
}

std::string Names::declarations() const {
    return declaration("Var", var_order_, vars_) + declaration("RVar", rvar_order_, rvars_);
}

std::string class_name(const std::string& name) {
    std::string result;
    bool upper = true;
    for (const char c : name) {
        if (!std::isalnum(static_cast<unsigned char>(c))) {
            upper = true;
            continue;
        }
        result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = false;
    }
    if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0]))) result = "Kernel" + result;
    return result;
}

}  // namespace halogen::exporting
