"""Cases for `halogen run` against NumPy, and what runs them.

A case is a text of the notation, its inputs as NumPy arrays, and what NumPy says the outputs are. Integers must be
equal; floats agree within (terms + 16) units in the last place of the sum of magnitudes, which each case bounds from
above by `scale` (the largest magnitude that any partial sum can reach).
"""

import os
import subprocess
import tempfile

import numpy as np

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def rng():
    return np.random.default_rng(7)


def real(shape, dtype=np.float32):
    return rng().uniform(-1, 1, shape).astype(dtype)


def whole(shape, dtype, low=-8, high=9):
    return rng().integers(low, high, shape).astype(dtype)


def result(text, inputs, outputs, terms=1, scale=None, params=(), sets=()):
    return dict(text=text, inputs=inputs, outputs=outputs, terms=terms, scale=scale, params=params, sets=sets)


def differs(got, want, terms, scale, bf16):
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if bf16 or not np.issubdtype(got.dtype, np.floating):
        if got.dtype != want.dtype:
            return f"type {got.dtype}, not {want.dtype}"
        return None if np.array_equal(got, want) else f"{np.count_nonzero(got != want)} elements differ: {got.ravel()[:8]} and {want.ravel()[:8]}"
    tolerance = (terms + 16) * np.finfo(got.dtype).eps * (scale if scale is not None else 0)
    with np.errstate(invalid="ignore"):
        wrong = ~((got == want) | (np.abs(got.astype(np.float64) - want) <= tolerance) | (np.isnan(got) & np.isnan(want)))
    if not wrong.any():
        return None
    return f"{np.count_nonzero(wrong)} elements differ by up to {np.abs(got - want)[wrong].max():.3g}, allowed {tolerance:.3g}"


def run_case(halogen, name, folder):
    c = CASES[name]()
    text = c["text"]
    command = [halogen, "run"] + ([text] if text.isidentifier() else ["-e", text]) + ["--verify"]
    for tensor, value in c["inputs"].items():
        path = os.path.join(folder, tensor + ".npy")
        np.save(path, value)
        command += ["--in", f"{tensor}={path}"]
    for tensor in c["outputs"]:
        command += ["--out", f"{tensor}={os.path.join(folder, 'out_' + tensor + '.npy')}"]
    for item in c["params"]:
        command += ["--param", item]
    if c.get("leg"):
        command += ["--leg", c["leg"]]
    for item in c["sets"]:
        command += ["--set", item]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        return f"exit code {done.returncode}\n{done.stderr}"
    for tensor, want in c["outputs"].items():
        got = np.load(os.path.join(folder, "out_" + tensor + ".npy"))
        problem = differs(got, want, c["terms"], c["scale"], "bf16" in c["text"])
        if problem:
            return f"{tensor}: {problem}"
    return None


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(CASES))
        return 0
    halogen, names = arguments[0], arguments[1:] or list(CASES)
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            problem = run_case(halogen, name, folder)
        print(f"{'FAIL' if problem else 'ok  '} {name}{': ' + problem if problem else ''}", flush=True)
        failed += bool(problem)
    print(f"{len(names) - failed} of {len(names)} equal NumPy")
    return 1 if failed else 0
