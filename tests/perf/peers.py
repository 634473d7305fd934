"""The peers: what each needs, how it is built, how it is started. A peer that is not there is left out, and said."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "peers"
OPTIMISED = ["-std=c++20", "-O3", "-march=native", "-DNDEBUG", "-fopenmp"]
LOOPS = ["-ffast-math", "-mprefer-vector-width=512"]


@dataclass(frozen=True)
class Kind:
    """A peer of one source: C++ with the compiler and flags given, or Python with the interpreter of an environment."""

    name: str
    source: str
    compiler: str = "g++"
    flags: tuple = ()
    python: str = ""  # the environment's interpreter
    arguments: tuple = ()  # before the number of threads
    environment: dict = field(default_factory=dict)
    needs: tuple = ()  # files
    optional: bool = False  # install_peers installs it when asked alone


def first(folder, pattern):
    """The one file of a pattern in a folder, or the pattern as it is: a file that is not there."""
    return next(iter(sorted(Path(folder).glob(pattern))), Path(folder) / pattern)


def kinds(folder):
    """All peers, with what `install_peers` puts into the folder."""
    env = Path(folder).resolve() / "env"
    python, libraries = str(env / "bin/python"), env / "lib"
    site = first(libraries, "python3*/site-packages")
    openblas = site / "scipy_openblas64/lib/libscipy_openblas64_.so"
    mkl = first(libraries, "libmkl_rt.so.*")
    eigen = ("-isystem/usr/include/eigen3",)
    onednn = ("-DBENCH_ONEDNN_BEFORE_3_3", f"-isystem{env}/include", f"-L{libraries}", "-ldnnl", f"-Wl,-rpath,{libraries}")
    xsmm = ("-lxsmm", "-lxsmmext", "-lblas", "-ldl", "-lpthread", "-lm")
    torch = str(Path(folder).resolve() / "torch/bin/python")
    return [
        Kind("eigen", "eigen.cpp", flags=eigen, needs=("/usr/include/eigen3/Eigen/Core",)),
        Kind("g++", "loops.cpp", flags=tuple(LOOPS)),
        Kind("clang++", "loops.cpp", compiler="clang++", flags=(*LOOPS, "-fveclib=libmvec", "-lmvec"), optional=True),
        Kind("mkl", "blas.cpp", flags=("-ldl",), arguments=(str(mkl),), needs=(str(mkl),),
             environment={"LD_LIBRARY_PATH": str(libraries)}),
        Kind("openblas", "blas.cpp", flags=("-ldl",), arguments=(str(openblas), "scipy_", "64_"), needs=(str(openblas),)),
        Kind("onednn", "onednn.cpp", flags=onednn, needs=(f"{env}/include/oneapi/dnnl/dnnl.hpp", f"{libraries}/libdnnl.so")),
        Kind("libxsmm", "libxsmm.cpp", flags=xsmm, needs=("/usr/include/libxsmm.h",), optional=True),
        Kind("onnxruntime", "onnxruntime_peer.py", python=python, needs=(f"{site}/onnxruntime",)),
        Kind("jax", "jax_peer.py", python=python, needs=(f"{site}/jax",), environment={"JAX_PLATFORMS": "cpu"}),
        Kind("numpy", "numpy_peer.py", python=python, needs=(f"{site}/numpy",)),
        Kind("torch", "torch_peer.py", python=torch, needs=(torch,), optional=True,
             environment={"THP_MEM_ALLOC_ENABLE": "1"}),
    ]


def compiler_of(kind):
    """The newest clang that Debian's names tell of, or the compiler of the environment."""
    if kind.compiler == "clang++":
        names = [os.environ.get("CLANGXX", ""), *(f"clang++-{n}" for n in range(25, 13, -1)), "clang++"]
        return next((n for n in names if n and shutil.which(n)), "")
    return os.environ.get("CXX", kind.compiler)


def missing(kind):
    """What a peer lacks, or nothing."""
    lacks = [n for n in kind.needs if not Path(n).exists()]
    if not kind.python and not compiler_of(kind):
        lacks.append(kind.compiler)
    return ", ".join(lacks)


def compile_source(source, compiler, flags, folder):
    """Compiles a source of this folder once; its program. Errors: RuntimeError with the compiler's first line."""
    text = (SOURCES / source).read_text() + (SOURCES / "harness.h").read_text()
    command = [compiler, *OPTIMISED, str(SOURCES / source)]
    key = hashlib.sha256("\0".join([text, *command, *flags]).encode()).hexdigest()[:16]
    program = Path(folder) / f"{Path(source).stem}-{key}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([*command, "-o", str(program), *flags], capture_output=True, text=True)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
            raise RuntimeError((lines or done.stderr.splitlines() or ["the compiler failed"])[0])
    return program


def command_of(kind, folder):
    """What starts the peer, built if it has to be."""
    if kind.python:
        return [kind.python, "-B", SOURCES / kind.source, *kind.arguments]
    return [compile_source(kind.source, compiler_of(kind), kind.flags, folder), *kind.arguments]
