// Every built-in kernel with some of its sizes written as numbers.

#include "generators/run/builtin.h"
#include "tests/schedule/run_compiled.h"

#include <random>

namespace halogen {
namespace {

using Numbers = std::map<std::string, std::int64_t>;

Expr with_numbers(const Expr& e, const Numbers& numbers) {
    return rewrite(e, [&](const Expr& part) {
        auto* size = part.as<SizeRef>();
        const auto found = size ? numbers.find(size->name) : numbers.end();
        return found == numbers.end() ? part : Expr(found->second);
    });
}

/// The kernel with each of `numbers` in the place of its name; parameters among them go.
Kernel with_numbers(Kernel kernel, const Numbers& numbers) {
    std::erase_if(kernel.sizes, [&](const SizeParam& p) { return numbers.count(p.name) > 0; });
    std::erase_if(kernel.parameters,
                  [&](const Parameter& p) { return p.sort == Parameter::Sort::size && numbers.count(p.name) > 0; });
    for (Tensor& tensor : kernel.tensors)
        for (Dim& dim : tensor.dims ? *tensor.dims : std::vector<Dim>{})
            for (Expr* e : {&dim.extent, &dim.pad_low, &dim.pad_high}) *e = with_numbers(*e, numbers);
    for (Equation& equation : kernel.equations) {
        for (Expr& place : equation.left.at) place = with_numbers(place, numbers);
        equation.right = with_numbers(equation.right, numbers);
        for (Where& item : equation.where) {
            if (auto* range = std::get_if<InRange>(&item)) {
                range->begin = with_numbers(range->begin, numbers);
                range->end = with_numbers(range->end, numbers);
            } else {
                item = with_numbers(std::get<Expr>(item), numbers);
            }
        }
    }
    return check(kernel).value();
}

/// Numbers for the sizes that inputs and parameters have: small windows, other sizes on both sides of a vector.
Numbers random_sizes(const Kernel& kernel, std::mt19937& random) {
    Numbers sizes;
    const auto pick = [&](std::vector<std::int64_t> from) { return from[random() % from.size()]; };
    for (const SizeParam& p : kernel.sizes) sizes[p.name] = p.default_value ? *p.default_value : pick({1, 2, 3});
    for (const Tensor* tensor : kernel.inputs())
        for (const Dim& dim : tensor->dims.value())
            walk(dim.extent, [&](const Expr& part) {
                auto* size = part.as<SizeRef>();
                if (!size || sizes.count(size->name)) return;
                const bool window = size->name == "R" || size->name == "S";
                sizes[size->name] = window ? pick({1, 3, 5}) : pick({7, 16, 33, 64});
            });
    return sizes;
}

class NumberSizes : public testing::TestWithParam<BuiltinKernel> {};

TEST_P(NumberSizes, CompiledKernelsAreRight) {
    const Kernel kernel = parse(std::string(GetParam().text)).value().kernels.at(0);
    std::mt19937 random(std::hash<std::string_view>()(GetParam().name) % 1000);
    for (int round = 0; round < 3; round++) {
        const Numbers sizes = random_sizes(kernel, random);
        Numbers fixed;
        Settings open;
        for (const auto& [name, value] : sizes) {
            if (random() % 2)
                fixed[name] = value;
            else
                open[name] = value;
        }
        std::string trace = "fixed:";
        for (const auto& [name, value] : sizes)
            trace += " " + name + "=" + std::to_string(value) + (fixed.count(name) ? "!" : "");
        SCOPED_TRACE(trace);
        const auto result = guarded([&] {
            const Kernel changed = with_numbers(kernel, fixed);
            const CallData data = call_of(changed, open);
            std::string note;
            const Tensors outputs = compiled_outputs(changed, data, open, &note);
            EXPECT_EQ(note, "");
            verify(changed, data, outputs);
            return true;
        });
        EXPECT_TRUE(result) << format(result.error(), "-e");
    }
}

INSTANTIATE_TEST_SUITE_P(Builtin, NumberSizes, testing::ValuesIn(builtin_kernels()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace halogen
