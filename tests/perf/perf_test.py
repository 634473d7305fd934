#!/usr/bin/env python3
"""What `./dev bench` says is right, apart from how fast anything is.

    perf_test.py HALOGEN [NAME…]     all cases, or those named; ctest runs each as Bench.NAME
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import archives
import bench
import measure
import page
import report
from operations import OPERATIONS, QUICK, select
from processes import Failure
from references import REFERENCES, make_inputs, reference

CASES = {}
BY_ID = {o.id: o for o in OPERATIONS}


def case(function):
    CASES[function.__name__] = function
    return function


def equal(found, wanted, what=""):
    assert found == wanted, f"{what}\n  found  {found!r}\n  wanted {wanted!r}"


def error_of(function, *arguments):
    try:
        function(*arguments)
    except (ValueError, Failure) as error:
        return str(error)
    raise AssertionError("no error")


@case
def the_table_names_what_is_there(_):
    equal(len(OPERATIONS), 98)
    equal(len(BY_ID), 98, "ids are unique")
    equal([i for i in QUICK if i not in BY_ID], [])
    for o in OPERATIONS:
        assert o.kind in REFERENCES, o.kind
        equal([f.kernel for f in o.forms if f.kernel not in archives.kernels()], [], o.id)


def extents_of(operation, form):
    """The extents that a form gives its kernel's tensors."""
    words = [measure.token(t, operation) for t in form.tensors.split()]
    return [[int(n) for n in re.search(r"=(.*)@", w)[1].split("x") if n] for w in words]


def sizes_of(dims, extents):
    """Sizes that dims written `N` or `2*R + 1` have where they are that long."""
    for dim, extent in zip(dims, extents):
        if dim.isidentifier():
            yield dim, extent
        elif linear := re.fullmatch(r"(\d+)\*(\w+) \+ (\d+)", dim):
            yield linear[2], (extent - int(linear[3])) // int(linear[1])


@case
def every_form_has_the_extents_that_the_solver_finds(halogen):
    for o in OPERATIONS:
        for form in o.forms:
            kernel, given = archives.kernels()[form.kernel], extents_of(o, form)
            shapes = [o.result[1]] * 2 if form.times > 1 else given
            sizes = {k: v for k, v in form.parameters.items() if isinstance(v, int)}
            for (_, _, dims), extents in zip(kernel.inputs, shapes):
                sizes.update(sizes_of(dims, extents))
            command = [halogen, "solve", str(kernel.file), "--kernel", kernel.name, "--json", "--set",
                       *(f"{k}={v}" for k, v in sizes.items())]
            done = subprocess.run(command, capture_output=True, text=True)
            equal(done.returncode, 0, f"{o.id}, {form.kernel}: {done.stderr}")
            solved = json.loads(done.stdout)["extents"]
            for (name, _, _), extents in zip(kernel.inputs + kernel.outputs, shapes):
                equal(solved[name], list(extents), f"{o.id}, {form.kernel}: {name}")


@case
def types_of_forms_are_those_of_their_kernels(_):
    for o in OPERATIONS:
        for form in o.forms:
            kernel, types = archives.kernels()[form.kernel], {i.name: i.type for i in o.inputs}
            words = [t.partition(":")[0] for t in form.tensors.split()]
            tensors = kernel.inputs + kernel.outputs
            equal(len(words), len(tensors), form.kernel)
            equal([types.get(w, o.result[0]) for w in words], [t for _, t, _ in tensors], f"{o.id}, {form.kernel}")
            equal(set(form.parameters), set(kernel.parameters), f"{o.id}, {form.kernel}")


@case
def work_is_counted_without_padding(_):
    # 7 outputs of 3 taps, of which one falls outside at either end: 19 in each dim.
    equal(BY_ID["conv_7x7x512_3x3x512_nhwc"].flops, 2 * 512 * 512 * 19**2)
    equal(BY_ID["sgemm_64"].bytes, 3 * 64 * 64 * 4)
    equal(BY_ID["bf16gemm_512"].bytes, 512 * 512 * (2 + 2 + 4))
    equal(BY_ID["conv_dw14x14x512_3x3_nhwc"].bytes, 4 * (2 * 14 * 14 * 512 + 9 * 512), "packed weights do not count")


@case
def inputs_and_results_have_the_shapes_of_the_table(_):
    for o in OPERATIONS:
        if sum(np.prod(i.shape) for i in o.inputs) > 1 << 21:
            continue
        arrays = make_inputs(o)
        equal({n: a.shape for n, a in arrays.items()}, {i.name: i.shape for i in o.inputs}, o.id)
        equal(reference(o, arrays).shape, tuple(o.result[1]), o.id)


@case
def a_filter_is_a_group_or_part_of_an_id(_):
    equal([o.id for o in select("pool", quick=True)], ["maxpool_112x112x64_3x3s2_nchw"])
    equal({o.group for o in select("conv")}, {"conv"})
    equal([o.id for o in select("^sgemm_6")], ["sgemm_64", "sgemm_63x65x67"])
    equal(error_of(select, "sgem$"), "--filter sgem$: no operation of that name\n  fix  an expression that is found in an id, or one "
          "of the groups gemm, conv, pool, norm, fused, elem, reduce, stencil, irregular, einsum, poly")
    assert error_of(select, "(").startswith("--filter (: no regular expression"), error_of(select, "(")


@case
def mistakes_of_the_command_line_are_told(_):
    equal(error_of(bench.commit_of, "no-such-commit"),
          "--against no-such-commit: no commit of this repository\n  fix  `git log --oneline` lists them")
    assert error_of(bench.options_of, ["--threads", "1000000"]).startswith("--threads: give numbers from 1 to ")
    assert error_of(bench.options_of, ["--threads", "many"]).startswith("--threads: give numbers from 1 to ")
    options = bench.options_of(["--peers", "eigne", "--no-install"])
    assert error_of(bench.check, options).startswith("--peers eigne: no peer of that name\n  fix  one of eigen, ")


@case
def an_adaptor_calls_the_kernel_with_its_views_and_options(_):
    equal(archives.adaptor(archives.kernels()["rmsnorm"]), """// Made by archives.py.
#include "halogen.h"
#include <rmsnorm.h>
static const bench::Adaptor adaptor("rmsnorm", [](const bench::Use& use) -> bench::Call {
    const auto t0 = use.view<const float, 2>(0);
    const auto t1 = use.view<const float, 1>(1);
    const auto t2 = use.view<float, 2>(2);
    halogen::kernels::rmsnorm_options options{.eps = 0, .threads = use.threads};
    options.eps = static_cast<decltype(+options.eps)>(use.parameter("eps"));
    return [=] { return halogen::kernels::rmsnorm(t0, t1, t2, options); };
});
""")


class Acting:
    """A peer in this process: one form whose result is the right one plus `error`; `seconds` a call."""

    threads, version, is_useless, process = 1, "", False, True

    def __init__(self, name, seconds, asked, error=0.0, dies=False):
        self.name, self.seconds, self.asked, self.error, self.dies = name, seconds, asked, error, dies

    def open(self, folder):
        self.folder, self.operation = folder, BY_ID[folder.name]
        if self.dies:
            raise Failure("the process ended with -11")
        return ["only"]

    def ask(self, question, _, timeout=0):
        verb, *numbers = question.split()
        if verb == "check":
            right = reference(self.operation, make_inputs(self.operation))
            (right + self.error).astype(np.float32).tofile(self.folder / "result.raw")
        if verb == "time":
            self.asked.append(self.name)
            return " ".join([str(self.seconds * int(numbers[1]))] * int(numbers[2]))
        return ""


@case
def peers_take_turns_and_wrong_results_are_told_and_not_timed(_):
    asked, said = [], []
    peers = [Acting("a", 0.01, asked), Acting("b", 0.02, asked), Acting("c", 0.01, asked, error=1.0), Acting("d", 0, asked, dies=True)]
    rule = measure.Rule(seconds=0.1, batches=3, turn=0.04)
    with tempfile.TemporaryDirectory() as folder:
        records = measure.measure(BY_ID["rmsnorm_128x768"], peers, rule, folder, said.append)
        equal(list(Path(folder).iterdir()), [], "nothing is left")
    equal("".join(asked), "ab" + "ab" "ba" "ab", "one warm-up each, then in turns that begin with another each round")
    equal([r.get("min_ns") for r in records], [1e7, 2e7, None, None])
    assert re.fullmatch(r"off by 0\.\d+ of the largest element", records[2]["wrong"]), records[2]
    equal(records[3]["wrong"], "the process ended with -11")
    equal(len(said), 2)


def made_up(times, against=None):
    """Results of one thread: operation -> (ours, theirs) in nanoseconds."""
    records = []
    for id, (ours, theirs) in times.items():
        form = BY_ID[id].forms[0].name
        peers = [("halogen", form, ours), ("mkl", "", 2 * theirs), ("eigen", "matrix", theirs)]
        if against:
            peers.append(("halogen@1234567", form, against))
        records += [{"operation": id, "group": "", "peer": p, "form": f, "threads": 1, "version": "", "min_ns": t} for p, f, t in peers]
    machine = {"commit": "c", "leg": "avx2", "processor": "p", "processors": 1, "date": "d"}
    peaks = {"f32": (100.0, 0), "L1": (50.0, 1 << 15), "1GB": (10.0, 1 << 30)}
    return {"machine": machine, "peaks": {"1": peaks}, "peers": {"mkl": "MKL 1"}, "missing": {"jax": "not there"}, "records": records}


@case
def ratios_are_of_the_best_peer_and_the_natural_form(_):
    results = made_up({"sgemm_64": (20000, 10000), "add_4M": (1e7, 2e7)}, against=3e4)
    results["records"].append({**results["records"][0], "form": "other", "min_ns": 5000})
    first, second = report.rows(results, 1)
    equal((first.id, first.ratio, first.peer, first.best_ours, first.against_ratio), ("sgemm_64", 0.5, "eigen matrix", 5000, 1.5))
    equal((second.id, second.ratio), ("add_4M", 2.0))
    equal(first.roof, 2 * 64**3 / 100, "bound by arithmetic")
    equal(second.roof, 12 * (4 << 20) / 10, "bound by memory")
    equal(report.summary([0.5, 2.0]), "geometric mean 1.000; at least 1: 1; at least 0.9: 1; below 0.5: 0")


@case
def durations_have_three_digits(_):
    times = [950, 3180, 999600, 1e6, 84.2e6, 2e9]
    equal([report.duration(t) for t in times], ["950 ns", "3.18 us", "1 ms", "1 ms", "84.2 ms", "2 s"])


@case
def the_table_is_sorted_and_tells_what_was_left_out(_):
    results = made_up({"add_4M": (1e7, 2e7), "sgemm_64": (20000, 10000)})
    results["records"].append({**results["records"][1], "peer": "numpy", "form": "", "wrong": "off by 1"})
    results["records"].append({**results["records"][1], "operation": "harris_2048"})
    del results["records"][-2]["min_ns"]
    equal(report.text(results), """
1 thread: the best peer's time over Halogen's natural form
 ratio  operation                              halogen  form         best peer  which                        of roof
  0.50  sgemm_64                                 20 us                   10 us  eigen matrix                     26%
  2.00  add_4M                                   10 ms                   20 ms  eigen matrix                     50%
2 operations, 1 thread, natural form: geometric mean 1.000; at least 1: 1; at least 0.9: 1; below 0.5: 0
wrong: add_4M, 1 thread: numpy: off by 1
not computed by Halogen: harris_2048
left out: jax: not there""")


@case
def the_page_stands_alone(_):
    text = page.html(made_up({"add_4M": (1e7, 2e7), "sgemm_64": (20000, 10000), "dgemm_512": (1e6, 1e6)}))
    for words in ("add_4M", "sgemm_64", "eigen matrix", "<svg", "MKL 1", "left out, not there"):
        assert words in text, words
    equal(re.findall(r"(?:src|href)=|https?://", text), [])


@case
def descriptions_of_forms_are_what_the_peer_reads(_):
    lines = measure.describe(BY_ID["bicg_f32"]).splitlines()
    equal(lines[-1], "form \tbicg_f32\t1\t\tA=2100x1900@0/4 P=1900@0/4 R=2100@0/4 RESULT=1900@0/4 RESULT=2100@1900/4")
    equal(lines[:4], ["id bicg_f32", "kind bicg", "number m 1900", "number n 2100"])


def main():
    halogen, names = sys.argv[1], sys.argv[2:] or list(CASES)
    for name in names:
        CASES[name](halogen)
        print(f"ok {name}")


if __name__ == "__main__":
    main()
