// Random calls: numbers of the given cases changed at random, so that about half are legal. The seed is printed; set
// HALOGEN_SEED to see a failure again.

#include "frontend/shapes/answer.h"
#include "frontend/shapes/run.h"
#include "generators/emit/shape_json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>

namespace halogen {
namespace {

using Json = nlohmann::json;
using shapes::Argument;
using shapes::Arguments;
using shapes::Inference;
using shapes::Operand;

constexpr int rounds = 10'000;

struct RandomCall {
    std::string op;
    Arguments arguments;
};

void each_size(Argument& a, const std::function<void(Formula&, bool is_extent)>& visit) {
    if (auto* f = std::get_if<Formula>(&a.value)) visit(*f, false);
    if (auto* operand = std::get_if<Operand>(&a.value)) {
        for (Formula& extent : operand->shape) visit(extent, true);
    }
    if (auto* list = std::get_if<std::vector<Argument>>(&a.value)) {
        for (Argument& item : *list) each_size(item, visit);
    }
}

class RandomCalls {
public:
    RandomCalls() {
        const char* given = std::getenv("HALOGEN_SEED");
        const unsigned seed = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device{}() % 1'000'000;
        std::printf("seed %u\n", seed);
        random_.seed(seed);
        const Json document = Json::parse(std::ifstream(HALOGEN_TEST_DATA "/shapes.json"));
        for (const Json& one : document["cases"]) calls_.push_back({one["op"], read_arguments(one["args"])});
    }

    RandomCall next() {
        RandomCall call = calls_[random_() % calls_.size()];
        const int changes = static_cast<int>(random_() % 3);
        for (int i = 0; i < changes; ++i) change(call.arguments);
        return call;
    }

private:
    void change(Arguments& arguments) {
        std::vector<std::pair<Formula*, bool>> sizes;
        for (auto& [name, value] : arguments) {
            // Strides of an operand are those of its old extents.
            if (const auto* o = value.as<Operand>(); o && o->strides) return;
            each_size(value, [&](Formula& f, bool is_extent) { sizes.emplace_back(&f, is_extent); });
        }
        if (sizes.empty()) return;
        const auto [chosen, is_extent] = sizes[random_() % sizes.size()];
        const std::int64_t old = *chosen->constant();
        // Equal numbers often belong together: they change together.
        const std::int64_t fresh =
            is_extent ? static_cast<std::int64_t>(random_() % 8) : old + static_cast<std::int64_t>(random_() % 5) - 2;
        const bool together = random_() % 2 == 0;
        for (const auto& [f, extent] : sizes) {
            if (f == chosen || (together && extent == is_extent && *f->constant() == old)) *f = fresh;
        }
    }

    std::mt19937 random_;
    std::vector<RandomCall> calls_;
};

std::int64_t number(const Formula& f) { return f.constant().value_or(-1); }

/// The outputs of the kernel of a derivation, solved anew with every size a number.
std::vector<std::vector<std::int64_t>> solved_with_numbers(const shapes::Call::Derivation& derivation) {
    const Kernel kernel = parse(derivation.kernel).value().kernels.at(0);
    Settings known;
    for (const auto& [tensor, shape] : derivation.inputs) {
        for (std::size_t d = 0; d < shape.size() && kernel.find_tensor(tensor); ++d)
            known[tensor + "." + std::to_string(d)] = number(shape[d]);
    }
    for (const auto& [name, size] : derivation.sizes) known[name] = number(size);
    const Solution solution = solve(kernel, known).value();
    std::vector<std::vector<std::int64_t>> outputs;
    for (const Tensor* output : kernel.outputs()) {
        outputs.emplace_back();
        for (const Formula& extent : solution.extents.at(output->name)) outputs.back().push_back(number(extent));
    }
    return outputs;
}

TEST(ShapeRandom, ShapesFromAnEquationAreThoseTheSolverFindsForItWithNumbers) {
    RandomCalls calls;
    shapes::Library library;
    int compared = 0;
    for (int tries = 0; compared < rounds && tries < 10 * rounds; ++tries) {
        const RandomCall call = calls.next();
        const Inference inference = library.infer(call.op, call.arguments)[0];
        if (inference.refusal) continue;
        for (const auto& derivation : inference.derivations) {
            SCOPED_TRACE(print_call(call.op, call.arguments) + "\n" + derivation.kernel);
            std::vector<std::vector<std::int64_t>> formulas;
            for (const shapes::Shape& shape : derivation.outputs) {
                formulas.emplace_back();
                for (const Formula& extent : shape) formulas.back().push_back(number(extent));
            }
            try {
                ASSERT_EQ(formulas, solved_with_numbers(derivation));
            } catch (const Failure& failure) {
                FAIL() << format(failure.error(), "-e");
            }
            ++compared;
        }
    }
    EXPECT_EQ(compared >= rounds, true) << compared;
}

/// The call with every extent a symbol, and what the symbols stand for.
std::pair<Arguments, Bindings> with_symbols(Arguments arguments) {
    Bindings sizes;
    for (auto& [name, value] : arguments) {
        each_size(value, [&](Formula& f, bool is_extent) {
            if (!is_extent) return;
            const std::string symbol = "s" + std::to_string(sizes.size());
            sizes.emplace(symbol, number(f));
            f = Formula::symbol(symbol);
        });
    }
    return {std::move(arguments), std::move(sizes)};
}

bool has_strides(const Arguments& arguments) {
    for (const auto& [name, value] : arguments) {
        if (const auto* o = value.as<Operand>(); o && o->strides) return true;
    }
    return false;
}

/// The shapes for `sizes` by formulas and conditions; nothing where they refuse or cannot say.
std::optional<std::vector<std::vector<std::int64_t>>> evaluated(const std::vector<Inference>& all,
                                                                const Bindings& sizes) {
    shapes::ShapeProgram program;
    program.source.steps.push_back({"y", "op", {}});
    for (const Inference& inference : all) {
        shapes::Path path{inference.assumed, {inference.results}, {}, {}};
        for (const shapes::Requirement& r : inference.requirements) path.guards.push_back({r, 0});
        if (inference.refusal) path.refusal = shapes::StepRefusal{*inference.refusal, 0};
        program.paths.push_back(std::move(path));
    }
    for (const bool passed : {false, true}) {
        if (passed) program = drop(propagate(simplify(std::move(program))));
        try {
            const auto shapes = shapes_for(program, sizes);
            if (passed) return shapes;
        } catch (const shapes::Refusal&) {
            if (passed) return std::nullopt;
        }
    }
    return std::nullopt;
}

TEST(ShapeRandom, FormulasAndConditionsAnswerAsTheSameCodeOnNumbers) {
    RandomCalls calls;
    shapes::Library library;
    for (int i = 0; i < rounds / 20; ++i) {
        const RandomCall call = calls.next();
        if (has_strides(call.arguments)) continue;
        SCOPED_TRACE(print_call(call.op, call.arguments));
        const auto [symbolic, sizes] = with_symbols(call.arguments);
        std::vector<Inference> all;
        try {
            all = library.infer(call.op, symbolic);
        } catch (const shapes::Refusal& refusal) {
            ASSERT_EQ(refusal.kind, shapes::Refused::undetermined);
            continue;
        }
        bool is_undetermined = false;
        for (const Inference& one : all)
            is_undetermined = is_undetermined || (one.refusal && one.refusal->kind == shapes::Refused::undetermined);
        if (is_undetermined) continue;  // how many results there are depends on a size
        std::optional<std::vector<std::vector<std::int64_t>>> numbers;
        const Inference concrete = library.infer(call.op, call.arguments)[0];
        if (!concrete.refusal) {
            numbers.emplace();
            for (const Operand& o : concrete.results) {
                numbers->emplace_back();
                for (const Formula& extent : o.shape) numbers->back().push_back(number(extent));
            }
        }
        ASSERT_EQ(numbers, evaluated(all, sizes));
    }
}

}  // namespace
}  // namespace halogen
