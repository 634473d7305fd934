"""Our kernels: their signatures, their archives and adaptors compiled for this processor, and the peer they are linked into.

What was compiled is kept by a hash of the program, the text and the leg; nothing is compiled twice."""

import hashlib
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNELS = HERE / "kernels"
SIGNATURE = re.compile(r"^kernel (\w+)\((.*?)\)\s*->\s*(.*?)\s*\{", re.DOTALL | re.MULTILINE)
TENSOR = re.compile(r"(\w+):\s*(\w+)\[([^\]]*)\]")
CPP = {"f32": "float", "f64": "double", "bf16": "halogen::bfloat16", "u8": "std::uint8_t", "i8": "std::int8_t",
       "u16": "std::uint16_t", "i32": "std::int32_t", "i64": "std::int64_t"}
# The legs, best first, and what of /proc/cpuinfo each needs beside the leg before it.
LEGS = {
    "zen4": "avx512_vnni avx512_bf16 avx512ifma avx512vbmi avx512_vbmi2 avx512_bitalg avx512_vpopcntdq gfni vaes vpclmulqdq",
    "avx512": "avx512f avx512bw avx512dq avx512vl avx512cd",
    "avx2": "avx2 fma f16c bmi1 bmi2",
    "sse41": "sse4_1",
}


@dataclass(frozen=True)
class Kernel:
    name: str
    file: Path
    inputs: tuple  # (name, type, dims as written)
    outputs: tuple
    parameters: tuple  # names, in their order


def outer_parts(text):
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def dims_of(text):
    return tuple(re.sub(r"\s*\bpad\b.*", "", p) for p in outer_parts(text)) if text.strip() else ()


@cache
def kernels():
    """The kernels of all texts, by name."""
    found = {}
    for file in sorted(KERNELS.glob("*.hgn")):
        for name, arguments, results in SIGNATURE.findall(file.read_text()):
            inputs = tuple((n, t, dims_of(d)) for n, t, d in TENSOR.findall(arguments))
            outputs = tuple((n, t, dims_of(d)) for n, t, d in TENSOR.findall(results))
            names = [p.split(":")[0].strip() for p in outer_parts(arguments)]
            scalars = tuple(n for n in names if n not in [i[0] for i in inputs])
            found[name] = Kernel(name, file, inputs, outputs, scalars)
    return found


def this_leg():
    """The best leg of this processor."""
    flags = set(Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split())
    names = list(LEGS)
    return next(leg for leg in names if all(flags >= set(LEGS[l].split()) for l in names[names.index(leg) :]))


def adaptor(kernel):
    """The C++ file that makes a call of the kernel from what a form gives."""
    tensors = [(f"const {CPP[t]}", len(d)) for _, t, d in kernel.inputs] + [(CPP[t], len(d)) for _, t, d in kernel.outputs]
    views = "".join(f"    const auto t{n} = use.view<{t}, {rank}>({n});\n" for n, (t, rank) in enumerate(tensors))
    names = ", ".join(f"t{n}" for n in range(len(tensors)))
    parameters = "".join(f"    options.{p} = static_cast<decltype(+options.{p})>(use.parameter(\"{p}\"));\n"
                         for p in kernel.parameters)
    scalars = "".join(f".{p} = 0, " for p in kernel.parameters)
    return f"""// Made by archives.py.
#include "halogen.h"
#include <{kernel.name}.h>
static const bench::Adaptor adaptor("{kernel.name}", [](const bench::Use& use) -> bench::Call {{
{views}    halogen::kernels::{kernel.name}_options options{{{scalars}.threads = use.threads}};
{parameters}    return [=] {{ return halogen::kernels::{kernel.name}({names}, options); }};
}});
"""


def run(command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def text_of(kernel):
    """The kernel's own part of its file."""
    text = kernel.file.read_text()
    begin = re.search(rf"^kernel {kernel.name}\(", text, re.MULTILINE).start()
    return text[begin : text.find("\nkernel ", begin) + 1 or len(text)]


class Archives:
    """The kernels that one program `halogen` compiles, in a folder."""

    def __init__(self, program, folder, leg):
        self.program, self.folder, self.leg = Path(program), Path(folder), leg
        self.folder.mkdir(parents=True, exist_ok=True)
        self.digest = hashlib.sha256(self.program.read_bytes()).hexdigest()

    def keys(self, kernel):
        """What an archive depends on, and what its adaptor does."""
        archive = hashlib.sha256("\0".join([self.digest, self.leg, text_of(kernel)]).encode()).hexdigest()
        headers = [(HERE / "peers" / name).read_text() for name in ("halogen.h", "harness.h")]
        return archive, hashlib.sha256("\0".join([archive, adaptor(kernel), *headers]).encode()).hexdigest()

    def headers(self):
        """The runtime and its headers, made once for a program."""
        stamp = self.folder / "program"
        if not stamp.exists() or stamp.read_text() != self.digest:
            done = run([self.program, "compile", "-e", "Y[i] = X[i]", "--name", "nothing", "-o", self.folder, "--target",
                        self.leg, "--quiet"])
            if done.returncode:
                raise RuntimeError(f"{self.program} compiles nothing: {done.stderr.strip()}")
            stamp.write_text(self.digest)

    def make(self, file, key, commands):
        """Runs what makes a file, unless it was made for this key. What was wrong, or nothing."""
        stamp = self.folder / f"{file}.key"
        if stamp.exists() and stamp.read_text() == key:
            return ""
        stamp.unlink(missing_ok=True)
        done = run(commands)
        if done.returncode:
            return (done.stderr.strip() or "failed").splitlines()[0]
        stamp.write_text(key)
        return ""

    def compile(self, name):
        """Makes libNAME.a and NAME.o. What was wrong, or nothing."""
        kernel, source = kernels()[name], self.folder / f"{name}.cpp"
        archive, whole = self.keys(kernel)
        source.write_text(adaptor(kernel))
        wrong = self.make(f"lib{name}.a", archive, [self.program, "compile", kernel.file, "--kernel", name, "-o", self.folder,
                                                    "--target", self.leg, "--no-runtime", "--quiet"])
        wrong = wrong or self.make(f"{name}.o", whole, [os.environ.get("CXX", "g++"), "-std=c++20", "-O2", f"-I{self.folder}",
                                                        f"-I{HERE}/peers", "-c", source, "-o", source.with_suffix(".o")])
        return f"{name}: {wrong}" if wrong else ""

    def build(self, names, say):
        """The peer's program with these kernels; those that do not compile are told and left out."""
        self.headers()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = dict(zip(names, pool.map(self.compile, names)))
        for text in filter(None, wrong.values()):
            say(f"left out: {text}")
        made = sorted(n for n in names if not wrong[n])
        program = self.folder / "peer"
        stamp = self.folder / "peer.key"
        key = " ".join(sorted(self.keys(kernels()[n])[1] for n in made)) + (HERE / "peers/halogen.cpp").read_text()
        if program.exists() and stamp.exists() and stamp.read_text() == key:
            return program
        done = run([os.environ.get("CXX", "g++"), "-std=c++20", "-O2", f"-I{self.folder}", HERE / "peers/halogen.cpp",
                    *(self.folder / f"{n}.o" for n in made), *(self.folder / f"lib{n}.a" for n in made),
                    *self.folder.glob("lib*_runtime.a"), "-ldl", "-lpthread", "-o", program])
        if done.returncode:
            raise RuntimeError(f"the Halogen peer does not link: {done.stderr.strip()[-500:]}")
        stamp.write_text(key)
        return program
