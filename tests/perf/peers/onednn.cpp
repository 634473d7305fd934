// oneDNN through its C++ interface. Weights are brought into the layout that the library likes outside the measured calls
// ("packed") and are left as they are ("plain"); "blocked" has activations in the library's own layout too.
#include <oneapi/dnnl/dnnl.hpp>

#include <cmath>

#include "harness.h"

using namespace bench;
using namespace dnnl;
using Dims = memory::dims;
using Desc = memory::desc;
using Tag = memory::format_tag;
using Type = memory::data_type;
using Arguments = std::unordered_map<int, memory>;

#ifdef BENCH_ONEDNN_BEFORE_3_3
// Headers after 3.2 call this; the library has the entry under its older name, without the type of scale and shift.
extern "C" dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
    dnnl_primitive_desc_t* made, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t from,
    const_dnnl_memory_desc_t to, const_dnnl_memory_desc_t statistics, dnnl_data_type_t, float epsilon, unsigned flags,
    const_dnnl_primitive_attr_t attributes) {
    return dnnl_layer_normalization_forward_primitive_desc_create(made, engine, prop, from, to, statistics, epsilon,
                                                                  flags, attributes);
}
#endif

namespace {

engine here;
stream queue;
const auto inference = prop_kind::forward_inference;

memory at(const Desc& desc, void* data) { return memory(desc, here, data); }
void convert(memory from, memory to) {
    reorder(from, to).execute(queue, from, to);
    queue.wait();
}
/// The tensor as `wanted`: itself, or a copy that is made now.
memory as(const memory& given, const Desc& wanted) {
    if (given.get_desc() == wanted) return given;
    memory made(wanted, here);
    convert(given, made);
    return made;
}
Desc plain(const Dims& dims, Tag tag) { return {dims, Type::f32, tag}; }

void add(Operation& op, const std::string& name, const primitive& what, const Arguments& arguments) {
    op.add(name, [=] {
        what.execute(queue, arguments);
        queue.wait();
    });
}
/// A result in the library's layout, brought into ours after the checked call.
void finish(Operation& op, const memory& made, const memory& result) {
    if (made.get_data_handle() != result.get_data_handle()) op.forms.back().finish = [=] { convert(made, result); };
}
/// A form that the library does not have is left out.
template<typename F>
void attempt(F&& form) {
    try {
        form();
    } catch (const dnnl::error& e) {
        if (e.status != dnnl_unimplemented) throw;
    }
}

void gemm(Operation& op) {
    const auto m = op["m"], n = op["n"], k = op["k"];
    const std::string type = op.word("type");
    if (type == "f64") return;
    const auto ta = type == "f32" ? Type::f32 : type == "bf16" ? Type::bf16 : Type::u8;
    const auto tb = type == "u8" ? Type::s8 : ta, tc = type == "u8" ? Type::s32 : Type::f32;
    const Desc a({m, k}, ta, Tag::ab), b({k, n}, tb, Tag::ab), c({m, n}, tc, Tag::ab);
    for (bool pack : {false, true}) {
        attempt([&] {
            const matmul::primitive_desc made(here, a, pack ? Desc({k, n}, tb, Tag::any) : b, c);
            const memory weights = as(at(b, op.input<char>("B")), made.weights_desc());
            add(op, pack ? "packed" : "plain", matmul(made),
                {{DNNL_ARG_SRC, at(a, op.input<char>("A"))},
                 {DNNL_ARG_WEIGHTS, weights},
                 {DNNL_ARG_DST, at(c, op.result<char>())}});
        });
    }
}

void bgemm(Operation& op) {
    const auto b = op["b"], m = op["m"], n = op["n"], k = op["k"];
    const Desc x = plain({b, m, k}, Tag::abc), y = plain({b, m, n}, Tag::abc);
    const Desc w = plain({b, k, n}, op["transposed"] ? Tag::acb : Tag::abc);
    add(op, "plain", matmul(matmul::primitive_desc(here, x, w, y)),
        {{DNNL_ARG_SRC, at(x, op.input<float>("A"))},
         {DNNL_ARG_WEIGHTS, at(w, op.input<float>("B"))},
         {DNNL_ARG_DST, at(y, op.result<float>())}});
}

/// A convolution or its transpose in its layouts: activations as they are, or as the library wants them.
template<typename Forward>
void convolutions(Operation& op, algorithm how, const Desc& x, const Desc& w, const Desc& y, const Dims& step,
                  const Dims& dilation, const Dims& pad) {
    for (bool blocked : {false, true}) {
        attempt([&] {
            const auto like = [&](const Desc& d) { return Desc(d.get_dims(), Type::f32, Tag::any); };
            const typename Forward::primitive_desc made(here, inference, how, blocked ? like(x) : x, like(w),
                                                        blocked ? like(y) : y, step, dilation, pad, pad);
            if (blocked && made.src_desc() == x && made.dst_desc() == y) return;  // nothing else to measure
            const memory result = at(y, op.result<float>());
            const memory out = made.dst_desc() == y ? result : memory(made.dst_desc(), here);
            add(op, blocked ? "blocked" : "packed", Forward(made),
                {{DNNL_ARG_SRC, as(at(x, op.input<float>("X")), made.src_desc())},
                 {DNNL_ARG_WEIGHTS, as(at(w, op.input<float>("W")), made.weights_desc())},
                 {DNNL_ARG_DST, out}});
            finish(op, out, result);
        });
    }
}

Tag layout(const Operation& op) { return op.word("layout") == "nhwc" ? Tag::nhwc : Tag::nchw; }

void conv2d(Operation& op) {
    const auto h = op["h"], c = op["c"], k = op["k"], r = op["r"], o = op["o"], g = op["groups"];
    const Desc w = g == 1 ? plain({k, c, r, r}, Tag::oihw) : plain({g, k / g, c / g, r, r}, Tag::goihw);
    const Dims step{op["step"], op["step"]}, dilation{op["dilation"] - 1, op["dilation"] - 1},
        pad{op["pad"], op["pad"]};
    convolutions<convolution_forward>(op, algorithm::convolution_direct, plain({1, c, h, h}, layout(op)), w,
                                      plain({1, k, o, o}, layout(op)), step, dilation, pad);
}

void conv1d(Operation& op) {
    const auto c = op["c"], l = op["l"], k = op["k"];
    convolutions<convolution_forward>(op, algorithm::convolution_direct, plain({1, c, l}, Tag::ncw),
                                      plain({k, c, op["r"]}, Tag::oiw), plain({1, k, l}, Tag::ncw), {1}, {0},
                                      {op["pad"]});
}

void deconv2d(Operation& op) {
    const auto h = op["h"], c = op["c"], k = op["k"], r = op["r"], o = op["o"];
    convolutions<deconvolution_forward>(op, algorithm::deconvolution_direct, plain({1, c, h, h}, Tag::nchw),
                                        plain({k, c, r, r}, Tag::iohw), plain({1, k, o, o}, Tag::nchw),
                                        {op["step"], op["step"]}, {0, 0}, {op["pad"], op["pad"]});
}

void pool(Operation& op) {
    const auto h = op["h"], c = op["c"], r = op["r"], o = op["o"], step = op["step"], pad = op["pad"];
    const auto how = op.word("what") == "max" ? algorithm::pooling_max : algorithm::pooling_avg_exclude_padding;
    const Desc x = plain({1, c, h, h}, layout(op)), y = plain({1, c, o, o}, layout(op));
    for (bool blocked : {false, true}) {
        if (blocked && layout(op) == Tag::nhwc) continue;
        attempt([&] {
            const auto like = [&](const Desc& d) { return blocked ? plain(d.get_dims(), Tag::nChw16c) : d; };
            const pooling_forward::primitive_desc made(here, inference, how, like(x), like(y), Dims{step, step},
                                                       Dims{r, r}, Dims{0, 0}, Dims{pad, pad}, Dims{pad, pad});
            const memory result = at(y, op.result<float>()), out = blocked ? memory(like(y), here) : result;
            add(op, blocked ? "blocked" : "plain", pooling_forward(made),
                {{DNNL_ARG_SRC, as(at(x, op.input<float>("X")), like(x))}, {DNNL_ARG_DST, out}});
            finish(op, out, result);
        });
    }
}

void rowwise(Operation& op) {
    const auto rows = op["rows"], columns = op["columns"];
    const Desc x = plain({rows, columns}, Tag::ab), vector = plain({columns}, Tag::a);
    Arguments arguments{{DNNL_ARG_SRC, at(x, op.input<float>("X"))}, {DNNL_ARG_DST, at(x, op.result<float>())}};
    if (op.kind == "softmax") {
        const softmax_forward::primitive_desc made(here, inference, algorithm::softmax_accurate, x, x, 1);
        add(op, "", softmax_forward(made), arguments);
    } else if (op.kind == "layernorm") {
        const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
        const layer_normalization_forward::primitive_desc made(here, inference, x, x, 1e-5f, flags);
        arguments[DNNL_ARG_SCALE] = at(vector, op.input<float>("G"));
        arguments[DNNL_ARG_SHIFT] = at(vector, op.input<float>("B"));
        add(op, "", layer_normalization_forward(made), arguments);
    } else if (op.kind == "gelu") {
        const auto how = op.word("what") == "gelu_erf" ? algorithm::eltwise_gelu_erf : algorithm::eltwise_gelu_tanh;
        add(op, "", eltwise_forward(eltwise_forward::primitive_desc(here, inference, how, x, x)), arguments);
    }
}

void mlp(Operation& op) {
    const auto m = op["m"], n = op["n"], k = op["k"];
    const Desc x = plain({m, k}, Tag::ab), w = plain({k, n}, Tag::ab), bias = plain({1, n}, Tag::ab),
               y = plain({m, n}, Tag::ab);
    post_ops after;
    after.append_eltwise(algorithm::eltwise_gelu_erf, 0, 0);
    primitive_attr attributes;
    attributes.set_post_ops(after);
    for (bool pack : {false, true}) {
        attempt([&] {
            const matmul::primitive_desc made(here, x, pack ? plain({k, n}, Tag::any) : w, bias, y, attributes);
            const memory weights = as(at(w, op.input<float>("W")), made.weights_desc());
            add(op, pack ? "packed" : "plain", matmul(made),
                {{DNNL_ARG_SRC, at(x, op.input<float>("X"))},
                 {DNNL_ARG_WEIGHTS, weights},
                 {DNNL_ARG_BIAS, at(bias, op.input<float>("B"))},
                 {DNNL_ARG_DST, at(y, op.result<float>())}});
        });
    }
}

void attention(Operation& op) {
    const auto h = op["h"], l = op["l"], d = op["d"];
    const Desc rows = plain({h, l, d}, Tag::abc), turned = plain({h, d, l}, Tag::acb), s = plain({h, l, l}, Tag::abc);
    post_ops scale;
    scale.append_eltwise(algorithm::eltwise_linear, 1.f / std::sqrt(static_cast<float>(d)), 0);
    primitive_attr attributes;
    attributes.set_post_ops(scale);
    const matmul first(matmul::primitive_desc(here, rows, turned, s, attributes)),
        last(matmul::primitive_desc(here, s, rows, rows));
    const softmax_forward middle(
        softmax_forward::primitive_desc(here, inference, algorithm::softmax_accurate, s, s, 2));
    const memory scores(s, here), shares(s, here);
    const Arguments one{{DNNL_ARG_SRC, at(rows, op.input<float>("Q"))},
                        {DNNL_ARG_WEIGHTS, at(turned, op.input<float>("K"))},
                        {DNNL_ARG_DST, scores}};
    const Arguments two{{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, shares}};
    const Arguments three{{DNNL_ARG_SRC, shares},
                          {DNNL_ARG_WEIGHTS, at(rows, op.input<float>("V"))},
                          {DNNL_ARG_DST, at(rows, op.result<float>())}};
    op.add("3-primitives", [=] {
        first.execute(queue, one);
        middle.execute(queue, two);
        last.execute(queue, three);
        queue.wait();
    });
}

void add(Operation& op) {
    const Desc a = plain({op["rows"], op["columns"]}, Tag::ab), b = plain({1, op["columns"]}, Tag::ab);
    add(op, "", binary(binary::primitive_desc(here, algorithm::binary_add, a, b, a)),
        {{DNNL_ARG_SRC_0, at(a, op.input<float>("A"))},
         {DNNL_ARG_SRC_1, at(b, op.input<float>("B"))},
         {DNNL_ARG_DST, at(a, op.result<float>())}});
}

void reduce(Operation& op) {
    const bool whole = op.kind == "reduceall";
    const auto rows = whole ? 1 : op["rows"], columns = whole ? op["n"] : op["columns"];
    const bool down = !whole && op["axis"] == 0;
    const std::string what = op.word("what");
    const auto how = what == "sum"    ? algorithm::reduction_sum
                     : what == "mean" ? algorithm::reduction_mean
                                      : algorithm::reduction_max;
    const Desc x = plain({rows, columns}, Tag::ab), y = plain(down ? Dims{1, columns} : Dims{rows, 1}, Tag::ab);
    add(op, "", reduction(reduction::primitive_desc(here, how, x, y, 0.f, 0.f)),
        {{DNNL_ARG_SRC, at(x, op.input<float>("X"))}, {DNNL_ARG_DST, at(y, op.result<float>())}});
}

void transpose(Operation& op) {
    const Dims dims{op["rows"], op["columns"]};
    const memory x = at(plain(dims, Tag::ab), op.input<float>("X")), y = at(plain(dims, Tag::ba), op.result<float>());
    add(op, "reorder", reorder(x, y), {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, y}});
}

void open(Operation& op) {
    static const std::map<std::string, void (*)(Operation&)> kinds = {
        {"gemm", gemm},           {"bgemm", bgemm}, {"conv2d", conv2d},       {"conv1d", conv1d},
        {"deconv2d", deconv2d},   {"pool", pool},   {"softmax", rowwise},     {"layernorm", rowwise},
        {"gelu", rowwise},        {"mlp", mlp},     {"reduce", reduce},       {"reduceall", reduce},
        {"transpose", transpose}, {"add", add},     {"attention", attention},
    };
    if (const auto kind = kinds.find(op.kind); kind != kinds.end()) attempt([&] { kind->second(op); });
}

}  // namespace

int main(int argc, char** argv) {
    here = engine(engine::kind::cpu, 0);
    queue = stream(here);
    const auto* v = dnnl_version();
    return serve(argc, argv, "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor), open);
}
