"""ONNX Runtime on the processor: models of one operator or a few, inputs and outputs bound to memory that is there already.
Weights that the model holds are packed when it is loaded ("packed"); those that are given stay as they are ("plain")."""

import numpy as np
import onnx
import onnxruntime
from harness import serve
from onnx import TensorProto, helper, numpy_helper

TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "uint8": TensorProto.UINT8, "int8": TensorProto.INT8,
         "int32": TensorProto.INT32, "int64": TensorProto.INT64}


def node(operator, inputs, output="y", domain="", **attributes):
    return helper.make_node(operator, inputs.split(), [output], domain=domain, **attributes)


def form(name, nodes, given, held, o, threads, shape=None):
    """A model with the inputs `given` and the constants `held`, both by name; its output is `y`."""
    dtype = np.dtype({"f32": "float32", "f64": "float64", "i32": "int32"}[o.result[0]])
    shape = o.result[1] if shape is None else shape
    inputs = [helper.make_tensor_value_info(n, TYPES[a.dtype.name], a.shape) for n, a in given.items()]
    output = helper.make_tensor_value_info("y", TYPES[dtype.name], shape)
    constants = [numpy_helper.from_array(np.ascontiguousarray(a), n) for n, a in held.items()]
    graph = helper.make_graph(nodes, "g", inputs, [output], constants)
    domains = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    values = {n: onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(a)) for n, a in given.items()}
    for n, value in values.items():
        binding.bind_ortvalue_input(n, value)
    result = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(shape), dtype)
    binding.bind_ortvalue_output("y", result)
    return name, lambda: session.run_with_iobinding(binding), lambda: (values, result.numpy())[1]


def products(o, a, b, threads):
    operator = node("MatMulInteger" if o.words.get("type") == "u8" else "MatMul", "a b")
    if o.numbers.get("transposed"):
        operator = node("FusedMatMul", "a b", domain="com.microsoft", transB=1)
    yield form("plain", [operator], {"a": a, "b": b}, {}, o, threads)
    if o.kind != "bgemm":
        yield form("packed", [operator], {"a": a}, {"b": b}, o, threads)


def convolutions(o, x, w, threads):
    if o.words.get("layout") == "nhwc":
        return
    dims = 1 if o.kind == "conv1d" else 2
    attributes = {"pads": [o.pad] * 2 * dims}
    if dims == 2:
        attributes["strides"] = [o.step] * 2
    if o.kind == "conv2d":
        attributes.update(group=o.groups, dilations=[o.dilation] * 2)
    operator = node("ConvTranspose" if o.kind == "deconv2d" else "Conv", "x w", **attributes)
    yield form("", [operator], {"x": x}, {"w": w}, o, threads)


def attentions(o, q, k, v, threads):
    nodes = [node("FusedMatMul", "q k", "s", "com.microsoft", transB=1, alpha=o.d**-0.5),
             node("Softmax", "s", "p", axis=-1), node("MatMul", "p v")]
    yield form("3-operators", nodes, {"q": q, "k": k, "v": v}, {}, o, threads)
    flat = (1, o.l, o.h * o.d)  # one operator takes batch, length and all heads beside each other
    given = {n: a.transpose(1, 0, 2).reshape(flat) for n, a in zip("qkv", (q, k, v))}
    operator = node("MultiHeadAttention", "q k v", domain="com.microsoft", num_heads=o.h)
    name, call, result = form("multi-head", [operator], given, {}, o, threads, flat)
    yield name, call, lambda: result().reshape(o.l, o.h, o.d).transpose(1, 0, 2)


def of_one_operator(o, values):
    """The operator, and which of its inputs are constants."""
    kind, what = o.kind, o.words.get("what", "")
    if kind == "pool" and o.layout == "nchw":
        return node("MaxPool" if what == "max" else "AveragePool", "x", kernel_shape=[o.r] * 2, strides=[o.step] * 2,
                    pads=[o.pad] * 4), {}
    if kind in ("reduce", "reduceall"):
        name = {"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax"}[what]
        return node(name, "x axes", keepdims=0), {"axes": np.array([o.numbers.get("axis", 0)], np.int64)}
    if kind == "cumsum":
        return node("CumSum", "x axis"), {"axis": np.array(o.axis, np.int64)}
    if kind == "layernorm":
        return node("LayerNormalization", "x g b", axis=-1, epsilon=1e-5), {"g": values[1], "b": values[2]}
    if kind == "rmsnorm":
        return node("SimplifiedLayerNormalization", "x g", axis=-1, epsilon=1e-5), {"g": values[1]}
    table = {
        "softmax": lambda: node("Softmax", "x", axis=-1),
        "gelu": lambda: node("Gelu", "x", approximate="none" if what == "gelu_erf" else "tanh"),
        "add": lambda: node("Add", "x z"),
        "transpose": lambda: node("Transpose", "x", perm=[1, 0]),
        "gather": lambda: node("Gather", "x z", axis=0),
        "einsum4": lambda: node("Einsum", "x z", equation="abcd,cdef->abef"),
    }
    return (table[kind](), {}) if kind in table else (None, {})


def forms(o, inputs, threads):
    values = [inputs[i.name] for i in o.inputs if not i.of]
    if o.kind in ("gemm", "bgemm", "einsum3"):
        if o.words.get("type") != "bf16":
            yield from products(o, *values, threads)
    elif o.kind in ("conv2d", "conv1d", "deconv2d"):
        yield from convolutions(o, *values, threads)
    elif o.kind == "attention":
        yield from attentions(o, *values, threads)
    elif o.kind == "mlp":
        nodes = [node("MatMul", "x w", "t"), node("Add", "t b", "u"), node("Gelu", "u")]
        yield form("packed", nodes, {"x": values[0]}, {"w": values[1], "b": values[2]}, o, threads)
    else:
        operator, held = of_one_operator(o, values)
        if operator:
            given = {"x": values[0]} | ({"z": values[1]} if "z" in operator.input else {})
            yield form("", [operator], given, held, o, threads)


serve("onnxruntime " + onnxruntime.__version__, forms)
