#!/usr/bin/env python3
"""A net of random programs: each is computed by an oracle in NumPy and by Halogen, and what differs is a finding.

    net.py HALOGEN --seed S --count N [--record FILE.jsonl] [--jobs J]    programs 0 to N-1 of seed S
    net.py HALOGEN --seed S --only 17                                     one program: its text, and what comes of it

Program i depends on the seed and on i alone, so a run that was broken off goes on with the same --record. At the end
stand what was covered, what was skipped and why, and every kind of finding with the smallest text that shows it.
Exit code 1 with any finding.
"""

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import report
from generate import Skip, generate
from run import kind_of, run
from shrink import shrink

BUDGET = 80  # runs that shrinking one finding may take


def attempt(job):
    """One program: a record of what happened."""
    halogen, seed, number, verify = job
    before = time.process_time() + sum(os.times()[2:4])
    record = {"number": number}
    try:
        program = generate(seed, number)
        record["expect"] = program.expect
        record["covers"] = report.covers(program)
        finding, _, _ = run(halogen, program, verify)
        if finding:
            record["finding"] = list(kind_of(finding))
            record["detail"] = finding[1][:400]
    except Skip as skip:
        record["skip"] = str(skip)
    record["seconds"] = round(time.process_time() + sum(os.times()[2:4]) - before, 3)
    return record


def collect(options):
    """The records of all programs, those of an earlier run included."""
    records = {}
    if options.record and os.path.exists(options.record):
        with open(options.record, encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    record = json.loads(line)
                    records[record["number"]] = record
    jobs = [(options.halogen, options.seed, n, options.verify) for n in range(options.count) if n not in records]
    with ProcessPoolExecutor(options.jobs) as pool, open(options.record or os.devnull, "a", encoding="utf-8") as file:
        for record in pool.map(attempt, jobs, chunksize=1):
            records[record["number"]] = record
            file.write(json.dumps(record) + "\n")
            file.flush()
    return [records[n] for n in sorted(records) if n < options.count]


def smallest(options, number, kind):
    """The program of that number made small, and its message."""
    program = generate(options.seed, number)
    if not options.shrink:
        return program, ""

    def shows(other):
        finding = run(options.halogen, other, options.verify)[0]
        return finding is not None and list(kind_of(finding)) == kind

    program = shrink(program, shows, BUDGET)
    finding = run(options.halogen, program, options.verify)[0]
    return program, finding[1] if finding else "(only sometimes)"


def show_findings(options, records):
    kinds = {}
    for record in records:
        if "finding" in record:
            kinds.setdefault(tuple(record["finding"]), []).append(record)
    for kind, found in sorted(kinds.items(), key=lambda item: -len(item[1])):
        number = found[0]["number"]
        program, message = smallest(options, number, list(kind))
        print(
            f"\n== {len(found)} x {kind[0]}: {kind[1]}\n   programs {', '.join(str(r['number']) for r in found[:12])}"
        )
        print(report.described(program))
        print("   " + (message or found[0]["detail"]).strip().replace("\n", "\n   "))
        print(f"   repeat: {sys.argv[0]} {options.halogen} --seed {options.seed} --only {number}", flush=True)
    return len(kinds)


def only(options):
    program = generate(options.seed, options.only)
    folder = options.keep
    if folder:
        os.makedirs(folder, exist_ok=True)
    print(report.described(program))
    finding, command, _ = run(options.halogen, program, options.verify, folder)
    print(f"expected: {program.expect} {program.why}\n{command if folder else ''}")
    print(f"finding: {finding[0]}: {finding[1]}" if finding else "as expected")
    if finding and options.shrink:
        program, message = smallest(options, options.only, list(kind_of(finding)))
        print(f"\nsmaller:\n{report.described(program)}\n{message}")
    return 1 if finding else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("halogen")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep", help="with --only: a folder for the kernel and its files")
    parser.add_argument("--record")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--verify", action="store_true", help="also compare with Halogen's interpreter")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false")
    options = parser.parse_args()
    if options.only is not None:
        return only(options)
    print(f"seed {options.seed}, {options.count} programs", flush=True)
    before = time.monotonic()
    records = collect(options)
    report.show(records, time.monotonic() - before)
    return 1 if show_findings(options, records) else 0


if __name__ == "__main__":
    sys.exit(main())
