#!/usr/bin/env python3
"""Halogen beside other libraries, operation by operation: `./dev bench` builds the program and calls this.

docs/benchmarks.md says how to read what comes out, which rules it follows, and how to add an operation or a peer."""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import page
import report
from archives import Archives, this_leg
from measure import QUICK, Rule, measure
from operations import select
from peers import command_of, compile_source, kinds, missing
from processes import Peer

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build/bench"


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--filter", default="", metavar="REGEX", help="operations whose id it is found in, or of this group")
    parser.add_argument("--quick", action="store_true", help="some two dozen operations, one form each of ours, fewer batches")
    parser.add_argument("--threads", default="1", help="numbers of threads, as 1,2")
    parser.add_argument("--against", metavar="COMMIT", help="the kernels as that commit compiles them are one more peer")
    parser.add_argument("--peers", help="these peers alone, as eigen,mkl; none: only Halogen")
    parser.add_argument("--out", default="bench-out", type=Path, metavar="DIR", help="results.json, page.html (bench-out)")
    parser.add_argument("--peers-dir", default=os.environ.get("BENCH_PEERS", ROOT / "build/peers"), type=Path)
    parser.add_argument("--no-install", action="store_true", help="go on with the peers that are there")
    parser.add_argument("--list", action="store_true", help="print the operations and end")
    parser.add_argument("--report", type=Path, metavar="FILE", help="table and page of a results.json; nothing is measured")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)  # for ./dev: mistakes, before it builds
    parser.add_argument("--halogen", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        options.threads = [int(n) for n in options.threads.split(",")]
    except ValueError:
        options.threads = []
    if not options.threads or min(options.threads) < 1 or max(options.threads) > len(os.sched_getaffinity(0)):
        raise ValueError(f"--threads: give numbers from 1 to {len(os.sched_getaffinity(0))}, the processors of this machine")
    return options


def commit_of(name):
    """The full name of a commit. Errors: ValueError when there is none."""
    found = git("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
    if found.returncode:
        raise ValueError(f"--against {name}: no commit of this repository\n  fix  `git log --oneline` lists them")
    return found.stdout.strip()


def program_of_commit(commit):
    """The program `halogen` of a commit, built in a work tree of its own."""
    tree = WORK / "against" / commit[:12]
    program = tree / "build/release/generators/halogen"
    if program.exists():
        return program
    say(f"building halogen of {commit[:12]} in {tree}")
    git("worktree", "prune")
    if not tree.exists() and (made := git("worktree", "add", "--detach", str(tree), commit)).returncode:
        raise RuntimeError(made.stderr.strip())
    environment = {**os.environ, "PATH": f"{ROOT}/.venv/bin:{os.environ['PATH']}"}  # where CMake finds Halide's wheel
    for step in (["--preset", "release"], ["--build", "--preset", "release", "--target", "halogen"]):
        done = subprocess.run(["cmake", *step], cwd=tree, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"halogen of {commit[:12]} does not build: {(done.stderr or done.stdout).strip()[-400:]}")
    return program


def our_peers(options, operations):
    """The commands of Halogen's own peers: this tree, and the commit it is compared with."""
    forms = [f for o in operations for f in (o.forms[:1] if options.quick else o.forms)]
    names, leg = sorted({f.kernel for f in forms}), this_leg()
    programs = {report.OURS: (options.halogen or ROOT / "build/release/generators/halogen", WORK / "halogen")}
    if options.against:
        commit = commit_of(options.against)
        programs[f"{report.OURS}@{commit[:7]}"] = (program_of_commit(commit), WORK / "against" / f"{commit[:12]}-kernels")
    commands = {}
    for name, (program, folder) in programs.items():
        say(f"{name}: compiling {len(names)} kernels for {leg} with {program}; those that are there already are kept")
        commands[name] = [Archives(program, folder, leg).build(names, say)]
    return commands


def wanted_peers(options, known):
    """The names of the peers asked for. Errors: ValueError when there is none of a name."""
    if options.peers is None:
        return list(known)
    names = [p for p in options.peers.split(",") if p not in ("", "none", report.OURS)]
    for name in names:
        if name not in known:
            raise ValueError(f"--peers {name}: no peer of that name\n  fix  one of {', '.join(known)}")
    return names


def chosen_kinds(options):
    """The other peers that are there, and what those that are not lack."""
    known = {k.name: k for k in kinds(options.peers_dir)}
    names = wanted_peers(options, known)
    optional = {k.name for k in known.values() if k.optional}
    if any(missing(known[n]) for n in names if n not in optional) and not options.no_install:
        subprocess.run([ROOT / "tests/perf/install_peers", options.peers_dir])
        known = {k.name: k for k in kinds(options.peers_dir)}
    lacks = {n: missing(known[n]) for n in names}
    for name, lack in lacks.items():
        if lack:
            say(f"{name} is left out: {lack} is not there")
    return [known[n] for n in names if not lacks[n]], {n: lack for n, lack in lacks.items() if lack}


def commands(options, operations):
    """What starts each peer, with its environment; the names of those left out, and why."""
    others, left_out = chosen_kinds(options)
    made = {name: (command, {}) for name, command in our_peers(options, operations).items()}
    for kind in others:
        try:
            made[kind.name] = (command_of(kind, WORK / "peers"), kind.environment)
        except RuntimeError as error:
            left_out[kind.name] = str(error)
            say(f"{kind.name} is left out: {error}")
    return made, left_out


def peaks(threads):
    program = compile_source("peaks.cpp", os.environ.get("CXX", "g++"), (), WORK / "peers")
    processors = ",".join(map(str, sorted(os.sched_getaffinity(0))[:threads]))
    lines = subprocess.run(["taskset", "-c", processors, program, str(threads)], capture_output=True, text=True).stdout
    return {name: (float(value), int(size)) for name, value, size in (line.split() for line in lines.splitlines())}


def highest(first, second):
    return {name: max(first.get(name, (0, 0)), second[name]) for name in second}


def run_with(threads, options, operations, made, rule):
    """The records of all operations for a number of threads, and the machine's peaks before and after them."""
    WORK.joinpath("log").mkdir(parents=True, exist_ok=True)
    peers = [Peer(name, command, environment, threads, WORK / "log" / f"{name.replace(' ', '_')}.{threads}")
             for name, (command, environment) in made.items()]
    before, records = peaks(threads), []
    try:
        for number, operation in enumerate(operations, 1):
            say(f"{report.threads_of(threads)}, {number} of {len(operations)}: {operation.id}")
            records += measure(operation, peers, rule, WORK / "scratch", say)
    finally:
        for peer in peers:
            peer.end()
    return records, highest(before, peaks(threads)), {p.name: p.version for p in peers}


def machine():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
    return {"processor": model, "processors": len(os.sched_getaffinity(0)), "system": platform.platform(), "leg": this_leg(),
            "date": time.strftime("%Y-%m-%d %H:%M"), "commit": git("describe", "--always", "--dirty").stdout.strip()}


def check(options):
    """Errors: ValueError for what is wrong with the options, before anything is built."""
    select(options.filter, options.quick)
    wanted_peers(options, [k.name for k in kinds(options.peers_dir)])
    if options.against:
        commit_of(options.against)


def run(options):
    operations = select(options.filter, options.quick)
    made, left_out = commands(options, operations)
    rule = QUICK if options.quick else Rule()
    results = {"machine": machine(), "rule": vars(rule), "peaks": {}, "peers": {}, "missing": left_out, "records": []}
    for threads in options.threads:
        records, highest_rates, versions = run_with(threads, options, operations, made, rule)
        results["records"] += records
        results["peaks"][str(threads)] = highest_rates
        results["peers"].update(versions)
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "results.json").write_text(json.dumps(results, indent=1))
    return results


def main():
    try:
        options = options_of(sys.argv[1:])
        check(options)
        if options.check:
            return 0
        if options.list:
            print("\n".join(f"{o.id:36} {o.group}" for o in select(options.filter, options.quick)))
            return 0
        results = json.loads(options.report.read_text()) if options.report else run(options)
    except (ValueError, RuntimeError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "page.html").write_text(page.html(results))
    print(report.text(results))
    say(f"{options.out}/results.json and {options.out}/page.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
