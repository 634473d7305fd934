#include "tests/shapes/networks.h"

namespace halogen::test {
namespace {

using shapes::Argument;
using shapes::Arguments;
using shapes::Operand;
using shapes::Shape;

Argument list(const Shape& sizes) {
    std::vector<Argument> items;
    for (const Formula& f : sizes) items.push_back({f});
    return {items};
}

class Builder {
public:
    std::string input(const std::string& name, Shape shape, Type type = Type::f32) {
        program_.inputs.emplace_back(name, Operand{std::move(shape), type});
        return name;
    }
    std::string step(const std::string& op, Arguments arguments, const std::string& name = "") {
        const std::string out = name.empty() ? op + std::to_string(program_.steps.size()) : name;
        program_.steps.push_back({out, op, std::move(arguments)});
        return out;
    }
    static Argument ref(const std::string& name) { return {shapes::Reference{name}}; }
    std::string weight(Shape shape) { return input("w" + std::to_string(program_.inputs.size()), std::move(shape)); }

    std::string convolution(const std::string& x, int in, int out, int kernel, int stride, int padding) {
        return step("conv2d", {{"input", ref(x)},
                               {"weight", ref(weight({out, in, kernel, kernel}))},
                               {"stride", list({stride, stride})},
                               {"padding", list({padding, padding})}});
    }
    std::string normalised(const std::string& x, int channels) {
        return step("batch_norm", {{"input", ref(x)},
                                   {"weight", ref(weight({channels}))},
                                   {"bias", ref(weight({channels}))},
                                   {"running_mean", ref(weight({channels}))},
                                   {"running_var", ref(weight({channels}))}});
    }
    std::string relu(const std::string& x) { return step("relu", {{"input", ref(x)}}); }
    std::string add(const std::string& a, const std::string& b) {
        return step("add", {{"input", ref(a)}, {"other", ref(b)}});
    }
    std::string linear(const std::string& x, int in, int out, const std::string& name = "") {
        return step("linear", {{"input", ref(x)}, {"weight", ref(weight({out, in}))}, {"bias", ref(weight({out}))}},
                    name);
    }
    std::string layer_norm(const std::string& x, int width) {
        return step("layer_norm",
                    {{"input", ref(x)}, {"normalized_shape", list({width})}, {"weight", ref(weight({width}))}});
    }
    void symbol(const std::string& name, std::int64_t least) { program_.symbols[name].least = least; }
    shapes::StepProgram take() { return std::move(program_); }

private:
    shapes::StepProgram program_;
};

const Formula n = Formula::symbol("n"), h = Formula::symbol("h"), w = Formula::symbol("w");

std::string bottleneck(Builder& net, const std::string& x, int in, int middle, int stride) {
    std::string y = net.relu(net.normalised(net.convolution(x, in, middle, 1, 1, 0), middle));
    y = net.relu(net.normalised(net.convolution(y, middle, middle, 3, stride, 1), middle));
    y = net.normalised(net.convolution(y, middle, 4 * middle, 1, 1, 0), 4 * middle);
    const bool keeps = in == 4 * middle && stride == 1;
    return net.relu(
        net.add(y, keeps ? x : net.normalised(net.convolution(x, in, 4 * middle, 1, stride, 0), 4 * middle)));
}

/// [b, s, 768] as [b, 12, s, 64].
std::string heads(Builder& net, const std::string& x) {
    const Formula b = Formula::symbol("b"), s = Formula::symbol("s");
    const std::string split = net.step("view", {{"input", Builder::ref(x)}, {"size", list({b, s, 12, 64})}});
    return net.step("transpose", {{"input", Builder::ref(split)}, {"dim0", {Formula(1)}}, {"dim1", {Formula(2)}}});
}

std::string transformer_layer(Builder& net, const std::string& x) {
    const Formula b = Formula::symbol("b"), s = Formula::symbol("s");
    const std::string norm = net.layer_norm(x, 768);
    const std::string q = heads(net, net.linear(norm, 768, 768)), k = heads(net, net.linear(norm, 768, 768)),
                      v = heads(net, net.linear(norm, 768, 768));
    const std::string mixed =
        net.step("sdpa", {{"query", Builder::ref(q)}, {"key", Builder::ref(k)}, {"value", Builder::ref(v)}});
    const std::string back =
        net.step("transpose", {{"input", Builder::ref(mixed)}, {"dim0", {Formula(1)}}, {"dim1", {Formula(2)}}});
    const std::string joined = net.step("reshape", {{"input", Builder::ref(back)}, {"shape", list({b, s, 768})}});
    const std::string middle = net.add(x, net.linear(joined, 768, 768));
    const std::string wide =
        net.step("gelu", {{"input", Builder::ref(net.linear(net.layer_norm(middle, 768), 768, 3072))}});
    return net.add(middle, net.linear(wide, 3072, 768));
}

}  // namespace

shapes::StepProgram convolution_chain(int length) {
    Builder net;
    std::string x = net.input("x", {n, 8, h, w});
    const std::string filter = net.weight({8, 8, 3, 3});
    for (int i = 0; i < length; ++i)
        x = net.step("conv2d", {{"input", Builder::ref(x)}, {"weight", Builder::ref(filter)}});
    return net.take();
}

shapes::StepProgram resnet50() {
    Builder net;
    for (const char* name : {"n", "h", "w"}) net.symbol(name, 1);
    std::string x = net.relu(net.normalised(net.convolution(net.input("image", {n, 3, h, w}), 3, 64, 7, 2, 3), 64));
    x = net.step("max_pool2d", {{"input", Builder::ref(x)},
                                {"kernel_size", list({3, 3})},
                                {"stride", list({2, 2})},
                                {"padding", list({1, 1})}});
    int channels = 64;
    constexpr int blocks[] = {3, 4, 6, 3};
    for (int stage = 0; stage < 4; ++stage) {
        for (int block = 0; block < blocks[stage]; ++block) {
            x = bottleneck(net, x, channels, 64 << stage, stage > 0 && block == 0 ? 2 : 1);
            channels = 256 << stage;
        }
    }
    x = net.step("adaptive_avg_pool2d", {{"input", Builder::ref(x)}, {"output_size", list({1, 1})}});
    x = net.step("flatten", {{"input", Builder::ref(x)}, {"start_dim", {Formula(1)}}});
    net.linear(x, 2048, 1000, "logits");
    return net.take();
}

shapes::StepProgram transformer(int layers) {
    Builder net;
    for (const char* name : {"b", "s"}) net.symbol(name, 1);
    const Formula b = Formula::symbol("b"), s = Formula::symbol("s");
    const std::string tokens = net.input("tokens", {b, s}, Type::i64), table = net.weight({50257, 768});
    std::string x = net.step("embedding", {{"weight", Builder::ref(table)}, {"indices", Builder::ref(tokens)}});
    for (int layer = 0; layer < layers; ++layer) x = transformer_layer(net, x);
    net.linear(net.layer_norm(x, 768), 768, 50257, "logits");
    return net.take();
}

}  // namespace halogen::test
