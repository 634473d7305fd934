"""PyTorch on the processor, as its users call it. `packed` has weights in the layout that its oneDNN likes."""

import sys

import numpy as np
import torch
import torch.nn.functional as F
from harness import kept, serve


def in_memory_of(o, x):
    """Images are logically channels first; channels last is how they lie."""
    return x.permute(0, 3, 1, 2) if o.words.get("layout") == "nhwc" else x


def back(o, y):
    return y.permute(0, 2, 3, 1) if o.words.get("layout") == "nhwc" else y


def convolution(o, x, w):
    x, w = in_memory_of(o, x), w.contiguous(memory_format=torch.channels_last) if o.layout == "nhwc" else w
    return lambda: back(o, F.conv2d(x, w, None, o.step, o.pad, o.dilation, o.groups))


def pooling(o, x):
    pool, x = F.max_pool2d if o.what == "max" else F.avg_pool2d, in_memory_of(o, x)
    return lambda: back(o, pool(x, o.r, o.step, o.pad))


def blas(o, values):
    """PolyBench's kernels."""
    a = values[0]
    table = {
        "atax": lambda: a.T @ (a @ values[1]),
        "bicg": lambda: torch.cat([a.T @ values[2], a @ values[1]]),
        "mvt": lambda: torch.cat([values[1] + a @ values[3], values[2] + a.T @ values[4]]),
        "2mm": lambda: torch.addmm(values[3], a @ values[1], values[2], alpha=1.5, beta=1.2),
        "3mm": lambda: (a @ values[1]) @ (values[2] @ values[3]),
        "doitgen": lambda: a @ values[1],
        "syrk": lambda: torch.tril(1.5 * (a @ a.T) + 1.2 * values[1]),
    }
    return table.get(o.kind)


def function(o, values):
    """A function of no arguments that returns the result, where one or a few calls of PyTorch say it."""
    x = values[0]
    table = {
        "gemm": lambda: x @ values[1],
        "bgemm": lambda: x @ (values[1].transpose(1, 2) if o.transposed else values[1]),
        "conv1d": lambda: F.conv1d(x, values[1], None, 1, o.pad),
        "deconv2d": lambda: F.conv_transpose2d(x, values[1], None, o.step, o.pad),
        "softmax": lambda: torch.softmax(x, -1),
        "layernorm": lambda: F.layer_norm(x, (o.columns,), values[1], values[2], 1e-5),
        "rmsnorm": lambda: F.rms_norm(x, (o.columns,), values[1], 1e-5),
        "gelu": lambda: F.gelu(x, approximate="none" if o.what == "gelu_erf" else "tanh"),
        "mlp": lambda: F.gelu(torch.addmm(values[2], x, values[1])),
        "attention": lambda: F.scaled_dot_product_attention(*(v[None] for v in values))[0],
        "add": lambda: x + values[1],
        "reduce": lambda: {"sum": torch.sum, "mean": torch.mean, "max": torch.amax}[o.what](x, o.axis),
        "reduceall": lambda: {"sum": torch.sum, "mean": torch.mean, "max": torch.max}[o.what](x),
        "transpose": lambda: x.T.contiguous(),
        "hist": lambda: torch.bincount(x, minlength=256),
        "cumsum": lambda: torch.cumsum(x, o.axis),
        "gather": lambda: torch.index_select(x, 0, values[1]),
        "einsum4": lambda: torch.tensordot(x, values[1], 2),
        "einsum3": lambda: torch.matmul(x, values[1]),
        "mttkrp": lambda: torch.einsum("ikl,kj,lj->ij", *values),
    }
    if o.kind == "conv2d":
        return convolution(o, x, values[1])
    if o.kind == "pool":
        return pooling(o, x)
    return table.get(o.kind) or blas(o, values)


def packed(o, values):
    """The operators that torch.compile chooses for constant weights, which it reorders before."""
    ops, x, step = torch.ops.mkldnn, values[0], [o.numbers.get("step", 1)] * 2
    if o.kind == "gemm" and o.type == "f32":
        w = ops._reorder_linear_weight(values[1].T.contiguous(), o.m)
        return lambda: ops._linear_pointwise(x, w, None, "none", [], "")
    if o.kind == "mlp":
        w = ops._reorder_linear_weight(values[1].T.contiguous(), o.m)
        return lambda: ops._linear_pointwise(x, w, values[2], "gelu", [], "none")
    if o.kind == "conv2d":
        x, shape = in_memory_of(o, x), ([o.pad] * 2, step, [o.dilation] * 2, o.groups)
        w = ops._reorder_convolution_weight(values[1], *shape, list(x.shape))
        return lambda: back(o, ops._convolution_pointwise(x, w, None, *shape, "none", [], ""))
    return None


def forms(o, inputs, _):
    if o.words.get("type") in ("u8", "bf16") or o.result[0] == "u16":  # products of bfloat16 are rounded to bfloat16
        return
    values = [torch.from_numpy(np.ascontiguousarray(inputs[i.name])) for i in o.inputs if not i.of]
    for name, maker in (("eager", function), ("packed", packed)):
        if call := maker(o, values):
            timed, result = kept(call)
            yield name, timed, lambda result=result: result().numpy()


torch.set_grad_enabled(False)
torch.set_num_threads(int(sys.argv[1]))
serve("torch " + torch.__version__, forms)
