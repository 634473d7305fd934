"""Programs through an archive under AddressSanitizer: one library of many kernels, one driver that calls each.

Every tensor lies in a block of its own, as large as its strides need and no larger; gaps between its elements, and
everything else that must not be written, are compared afterwards.
"""

import os
import re
import struct
import subprocess
from dataclasses import dataclass, replace

import numpy as np

from run import NUMPY, difference, stored

CPP = {
    "f64": "double",
    "f32": "float",
    "f16": "halogen::float16",
    "bf16": "halogen::bfloat16",
    "bool": "bool",
    "i8": "std::int8_t",
    "i16": "std::int16_t",
    "i32": "std::int32_t",
    "i64": "std::int64_t",
    "u8": "std::uint8_t",
    "u16": "std::uint16_t",
    "u32": "std::uint32_t",
}
GAP = 0xA5
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver.h")


@dataclass
class Block:
    """A tensor in memory: `bytes` with the element at (0, …, 0) at `start` elements."""

    type: str
    shape: tuple
    strides: tuple
    start: int
    bytes: bytearray

    def array(self, raw):
        """The elements that a copy of the memory holds."""
        flat = np.frombuffer(bytes(raw), NUMPY[self.type])
        size = flat.itemsize
        if 0 in self.shape:
            return np.zeros(self.shape, flat.dtype)
        return np.lib.stride_tricks.as_strided(flat[self.start :], self.shape, [s * size for s in self.strides])

    def gaps(self, raw):
        """The memory with the elements taken out."""
        flat = np.frombuffer(bytes(raw), NUMPY[self.type]).copy()
        view = np.lib.stride_tricks.as_strided(
            flat[self.start :], self.shape, [s * flat.itemsize for s in self.strides]
        )
        if 0 not in self.shape:
            view[...] = np.zeros((), flat.dtype)
        return flat.tobytes()


def block(type, shape, order, data):
    """Memory for a tensor in order C, F, or S: strides with gaps, a turned dim, other dims innermost."""
    shape = tuple(int(n) for n in shape)
    dims = list(range(len(shape)))
    inner_first = dims if order == "F" else dims[::-1] if order == "C" else dims[1:] + dims[:1]
    strides, step = [0] * len(shape), 1
    for k, d in enumerate(inner_first):
        if order == "S":
            step += 1 + k
        strides[d] = step
        step *= max(shape[d], 1)
    start = 0
    if order == "S" and shape and shape[-1] > 0:
        start = strides[-1] * (shape[-1] - 1)
        strides[-1] = -strides[-1]
    last = start + sum(s * (n - 1) for s, n in zip(strides, shape) if s > 0 and n > 0)
    size = np.dtype(NUMPY[type]).itemsize
    memory = bytearray([GAP if type != "bool" else 1]) * (0 if 0 in shape else (last + 1) * size)
    made = Block(type, shape, tuple(strides), start, memory)
    if data is not None and 0 not in shape:
        flat = np.frombuffer(memory, NUMPY[type])
        view = np.lib.stride_tricks.as_strided(flat[start:], shape, [s * size for s in strides])
        view[...] = stored(type, data)
    return made


def blocks_of(program):
    """The memory of all tensors of a call, inputs first."""
    kernel, call = program.kernel, program.call
    made = [block(t.type, call.shapes[t.name], call.orders[t.name], call.data[t.name]) for t in kernel.inputs()]
    return made + [block(t.type, program.shapes[t.name], call.orders[t.name], None) for t in kernel.outputs()]


def option(name, type, value):
    if type in ("f16", "bf16", "f32"):
        return f".{name} = {float(value)!r}f"
    if type == "f64":
        return f".{name} = {float(value)!r}"
    return f".{name} = static_cast<{CPP[type]}>({value})"


def caller(number, program, blocks):
    """The C++ function that calls one kernel."""
    kernel, call = program.kernel, program.call
    lines = [f"static void call_{number}(Io& io) {{"]
    names = []
    for t, b in zip(kernel.inputs() + kernel.outputs(), blocks):
        names.append(f"t{len(names)}")
        shape, strides = ", ".join(map(str, b.shape)), ", ".join(map(str, b.strides))
        lines.append(
            f"    const auto {names[-1]} = io.tensor<{CPP[b.type]}, {len(b.shape)}>({len(b.bytes)}, {b.start}, "
            f"{{{shape}}}, {{{strides}}});"
        )
    options = [f".{n} = {call.sizes[n]}" for n in kernel.params if n in call.sizes]
    options += [option(n, t, call.scalars[n]) for n, t in kernel.scalars.items()]
    options.append(f".threads = {1 + number % 2}")
    lines.append(f"    io.done(halogen::kernels::{kernel.name}({', '.join(names)}, {{{', '.join(options)}}}));\n}}")
    return "\n".join(lines)


def renamed(program, number):
    return replace(program, kernel=replace(program.kernel, name=f"k{number}"))


class Archive:
    """Programs by number as one archive in `folder`; `others` has further calls of their kernels.

    `outcomes` maps each number to (kind, detail) or None, `bindings` to the number of the call that showed it.
    """

    def __init__(self, halogen, folder, programs, others, leg="avx2"):
        self.halogen, self.folder, self.leg = halogen, folder, leg
        self.programs = {n: renamed(p, n) for n, p in programs.items()}
        self.others = {n: [renamed(p, n) for p in some] for n, some in others.items()}
        self.outcomes, self.bindings, self.libraries = {}, {}, []
        os.makedirs(folder, exist_ok=True)
        left = self.compile(dict(self.programs))
        if left:
            self.drive(left)

    # ---- compiling ---------------------------------------------------------------------------------------------------
    def compile(self, left):
        """Compiles what can be; what is refused gets its outcome. The programs that are in the libraries."""
        for _ in range(2):
            if not left:
                return left
            library = "all" if len(left) > 1 else f"k{next(iter(left))}"  # one kernel is called as its library is
            code, message = self.compile_file(library, left)
            if code == 0:
                self.libraries = [library]
                return left
            bad = self.named(message, left) if code == 1 else {}
            if not bad:
                break
            self.outcomes.update(bad)
            left = {n: p for n, p in left.items() if n not in bad}
        return self.compile_apart(left)

    def compile_apart(self, programs):
        """Each kernel as a library of its own, where several are refused without being named at once."""
        good = {}
        for n, p in programs.items():
            code, message = self.compile_file(f"k{n}", {n: p}, ["--no-runtime"] if good else [])
            if code == 0:
                good[n] = p
                self.libraries.append(f"k{n}")
            else:
                self.outcomes[n] = self.refusal(p, code, message)
        return good

    def compile_file(self, name, programs, options=()):
        path = os.path.join(self.folder, name + ".hgn")
        with open(path, "w", encoding="ascii") as file:
            file.write("".join(p.kernel.text() for p in programs.values()))
        command = [
            self.halogen,
            "compile",
            path,
            "-o",
            self.folder,
            "--target",
            self.leg,
            "--asan",
            "--quiet",
            "--name",
            name,
            *options,
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=60 + 20 * len(programs)
            )
        except subprocess.TimeoutExpired:
            return None, "timeout"
        return done.returncode, done.stderr

    def named(self, message, programs):
        """The kernels that messages of the compiler name by line or by name."""
        ends, line = {}, 1
        for n, p in programs.items():
            line += p.kernel.text().count("\n")
            ends[n] = line
        bad = {}
        for part in re.split(r"\n(?=\S)", message):
            place, name = re.match(r"\S*\.hgn:(\d+):", part), re.search(r"kernel `k(\d+)`", part)
            if name and int(name.group(1)) in programs:
                bad[int(name.group(1))] = self.refusal(programs[int(name.group(1))], 1, part)
            elif place:
                n = next((n for n, end in ends.items() if int(place.group(1)) < end), None)
                if n is not None:
                    bad[n] = self.refusal(programs[n], 1, part)
        return bad

    def refusal(self, program, code, message):
        if code is None:
            return "timeout", "compile"
        if code == 70:
            return "exit 70", message
        if code < 0 or code > 2:
            return "crash", f"signal {-code}: {message}"
        return None if program.expect != "ok" else ("refused", message)

    # ---- calling -----------------------------------------------------------------------------------------------------
    def drive(self, left):
        calls = [(n, k, p) for n in left for k, p in enumerate([left[n], *self.others.get(n, [])])]
        blocks = [blocks_of(p) for _, _, p in calls]
        driver = self.build(left, calls, blocks)
        with open(os.path.join(self.folder, "data.bin"), "wb") as file:
            file.writelines(bytes(b.bytes) for some in blocks for b in some)
        done = 0
        while done < len(calls):
            skipped = sum(len(b.bytes) for some in blocks[:done] for b in some)
            results, message = self.call(driver, done, skipped)
            for outcome in results:
                self.settle(calls[done], self.judge(calls[done][2], blocks[done], *outcome))
                done += 1
            if done < len(calls):
                self.settle(calls[done], ("outside" if "AddressSanitizer" in message else "crash", message))
                done += 1

    def settle(self, call, outcome):
        """The first finding of a kernel stands."""
        number, binding, _ = call
        if self.outcomes.get(number) is None:
            self.outcomes[number], self.bindings[number] = outcome, binding

    def build(self, left, calls, blocks):
        source, program = os.path.join(self.folder, "driver.cpp"), os.path.join(self.folder, "driver")
        with open(source, "w", encoding="ascii") as file:
            file.write("".join(f'#include "k{n}.h"\n' for n in left) + f'#include "{DRIVER}"\n\n')
            file.write("\n".join(caller(k, p, b) for k, ((_, _, p), b) in enumerate(zip(calls, blocks))))
            file.write(
                f"\nstatic void (*const calls[])(Io&) = {{{', '.join(f'call_{k}' for k in range(len(calls)))}}};\n"
            )
            file.write("int main(int, char** arguments) { return drive(calls, arguments); }\n")
        runtime = next(f for f in os.listdir(self.folder) if f.startswith("libhalogen_halide_runtime"))
        subprocess.run(
            [
                "c++",
                "-std=c++20",
                "-O0",
                "-w",
                "-fsanitize=address",
                "-I",
                self.folder,
                source,
                *(os.path.join(self.folder, f"lib{name}.a") for name in self.libraries),
                os.path.join(self.folder, runtime),
                "-lpthread",
                "-ldl",
                "-o",
                program,
            ],
            check=True,
        )
        return program

    def call(self, driver, first, skipped):
        """What the kernels from number `first` on gave: (good, message, memories), and what went to stderr."""
        results = os.path.join(self.folder, "results.bin")
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:abort_on_error=0:halt_on_error=1")
        try:
            done = subprocess.run(
                [driver, os.path.join(self.folder, "data.bin"), results, str(first), str(skipped)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=300,
                env=environment,
            )
            message = f"exit code {done.returncode}\n{done.stderr}"
        except subprocess.TimeoutExpired:
            message = "timeout"
        return read_results(results), message

    def judge(self, program, blocks, good, message, memories):
        kernel = program.kernel
        count = len(kernel.inputs())
        for k, (b, raw) in enumerate(zip(blocks, memories)):
            name = (kernel.inputs() + kernel.outputs())[k].name
            untouched = bytes(b.bytes) == raw if k < count or not good else b.gaps(b.bytes) == b.gaps(raw)
            if not untouched:
                return "written", f"{name} where nothing may be written ({'' if good else 'refused: ' + message})"
        if program.expect != "ok":
            # An extent that only an output tells is no mistake here: the caller's buffer gives it.
            return ("accepted", program.why) if good and not program.why.startswith("underdetermined") else None
        if not good:
            return "refused", "call: " + message
        for t, b, raw in zip(kernel.outputs(), blocks[count:], memories[count:]):
            wrong = difference(t.type, b.array(raw), program.values[t.name], program.errors[t.name])
            if wrong:
                return "value", f"{t.name}: {wrong}"
        return None


def read_results(path):
    results = []
    with open(path, "rb") as file:
        raw = file.read()
    at = 0

    def number():
        nonlocal at
        at += 8
        return struct.unpack_from("<q", raw, at - 8)[0]

    while at < len(raw):
        good, length = number(), number()
        message = raw[at : at + length].decode("utf8", "replace")
        at += length
        memories = []
        for _ in range(number()):
            size = number()
            memories.append(raw[at : at + size])
            at += size
        if number() != 0x0D0E:
            break
        results.append((bool(good), message, memories))
    return results
