"""One program through `halogen run`: what happened, as a finding or as nothing."""

import os
import re
import resource
import shlex
import subprocess
import tempfile
import time

import numpy as np

import values as V

NUMPY = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.uint16,
    "bool": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
}
TIMEOUT = 120


def stored(type, data):
    """The array as memory holds it; bf16 as its bits."""
    if type == "bf16":
        return V.to_bf16(np.asarray(data, np.float32))
    with np.errstate(all="ignore"):
        return np.asarray(data).astype(NUMPY[type])


def meaning(type, array):
    """What memory holds, as the oracle counts: long doubles or int64."""
    if type == "bf16":
        array = V.from_bf16(array)
    return array.astype(V.Real if V.is_float(type) else np.int64)


def ordered(array, order):
    return np.array(array, order="F" if order == "F" else "C")


def difference(type, got, want, error):
    """Why `got` is no right answer, or None."""
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    got = meaning(type, got)
    with np.errstate(all="ignore"):
        near = np.abs(got - want) <= error if V.is_float(type) else got == want
        right = near | (got == want) | (np.isnan(got.astype(V.Real)) & np.isnan(want.astype(V.Real))) | np.isinf(error)
    if np.all(right):
        return None
    at = tuple(int(k[0]) for k in np.nonzero(~right)) if got.ndim else ()
    count = int(np.count_nonzero(~right))
    return f"{count} of {got.size} wrong, at {list(at)} {got[at]} for {want[at]} +- {error[at]:.3g}"


def command_of(halogen, program, folder):
    """The command line, and the files it needs written."""
    kernel, call = program.kernel, program.call
    command = [halogen, "run", os.path.join(folder, "k.hgn")]
    with open(os.path.join(folder, "k.hgn"), "w", encoding="ascii") as file:
        file.write(kernel.text())
    for name, data in call.data.items():
        path = os.path.join(folder, name + ".npy")
        np.save(path, ordered(stored(kernel.tensors[name].type, data), call.orders.get(name)))
        command += ["--in", f"{name}={path}"]
    for name, value in call.scalars.items():
        command += ["--param", f"{name}={value}"]
    for name, value in call.sizes.items():
        command += ["--set", f"{name}={value}"]
    for t in kernel.outputs():
        command += ["--out", f"{t.name}={os.path.join(folder, 'out_' + t.name + '.npy')}"]
    return command


VARYING = (
    '"[^"]*"',
    "`[^`]*`",
    r"/\S*\.hgn:(\d+:\d+)?:?",
    r"k\d+: .*(?= does not hold)",
    "(?<=hold: ).*(?= stays inside)",
    "^.*(?= reaches position)",
    "(?<=no two points of ).*",
    "(?<=index )\\S+",
    r"-?\b\d+(\.\d+)?\b",
)


def plain(message):
    """The first line of a message without names and numbers: its kind."""
    lines = message.strip().splitlines()
    line = next((l for l in lines if re.match(r"halogen: |\S*\.hgn:", l)), lines[0] if lines else "")
    for part in VARYING:
        line = re.sub(part, "_", line)
    return line[:160]


def kind_of(finding):
    """What makes two findings one kind."""
    kind, detail = finding
    return kind, "" if kind in ("value", "accepted", "written", "crash", "outside", "timeout") else plain(detail)


def verdict(program, code, message, outputs):
    """(kind, detail) of what went wrong, or None. `outputs` maps names to arrays, where they were written."""
    if code is None:
        return "timeout", ""
    if code == 70:
        return "exit 70", message
    if code < 0 or code > 2:
        return "crash", f"signal {-code}: {message}"
    if program.expect != "ok":
        if code == 0:
            return "accepted", program.why
        if code == 2 or not message.strip():
            return "refused badly", message
        return ("written", program.why) if outputs else None
    if code != 0:
        return "refused", message
    for t in program.kernel.outputs():
        if t.name not in outputs:
            return "value", f"{t.name} is missing"
        wrong = difference(t.type, outputs[t.name], program.values[t.name], program.errors[t.name])
        if wrong:
            return "value", f"{t.name}: {wrong}"
    return None


def run(halogen, program, verify=False, folder=None):
    """(finding or None, command, processor seconds)"""
    with tempfile.TemporaryDirectory() as own:
        folder = folder or own
        command = command_of(halogen, program, folder) + (["--verify"] if verify else [])
        before = time.monotonic()
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                errors="replace",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
            )
            code, message = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            code, message = None, ""
        outputs = {}
        for t in program.kernel.outputs():
            path = os.path.join(folder, f"out_{t.name}.npy")
            if os.path.exists(path):
                outputs[t.name] = np.load(path)
        return verdict(program, code, message, outputs), shlex.join(command), time.monotonic() - before
