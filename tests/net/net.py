#!/usr/bin/env python3
"""A net of random programs: each is computed by an oracle in NumPy and by Halogen, and what differs is a finding.

    net.py HALOGEN --seed S --count N [--record FILE.jsonl] [--jobs J]    programs 0 to N-1 of seed S
    net.py HALOGEN --seed S --count N --archives                          through libraries under AddressSanitizer
    net.py HALOGEN --seed S --only 17                                     one program: its text, and what comes of it

Program i depends on the seed and on i alone, so a run that was broken off goes on with the same --record. At the end
stand what was covered, what was skipped and why, and every kind of finding with the smallest text that shows it.
Exit code 1 with any finding that open.txt does not name.
"""

import argparse
import json
import os
import re
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

import report
from archive import Archive
from generate import Skip, bindings, generate
from run import kind_of, run
from shrink import shrink

OPEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "open.txt")


def processor_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def through_run(options, programs, others):
    """Findings by number, and which call showed them: here always the first."""
    return {n: run(options.halogen, p, options.verify)[0] for n, p in programs.items()}, {}


def through_archive(options, programs, others):
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive(options.halogen, options.keep or folder, programs, others)
        return archive.outcomes, archive.bindings


WAYS = {False: through_run, True: through_archive}


def attempt(job):
    """Some programs: a record of each."""
    options, numbers = job
    before = processor_seconds()
    records, programs, others = {n: {"number": n} for n in numbers}, {}, {}
    for n in numbers:
        try:
            programs[n] = generate(options.seed, n)
            others[n] = bindings(programs[n], options.seed, n) if options.archives else []
            records[n].update(expect=programs[n].expect, covers=report.covers(programs[n]))
        except Skip as skip:
            records[n]["skip"] = str(skip)
    outcomes, calls = WAYS[options.archives](options, programs, others)
    for n, finding in outcomes.items():
        if finding:
            records[n].update(finding=list(kind_of(finding)), detail=finding[1][:400], call=calls.get(n, 0))
    for record in records.values():
        record["seconds"] = round((processor_seconds() - before) / len(numbers), 3)
    return list(records.values())


def collect(options):
    """The records of all programs, those of an earlier run included."""
    records = {}
    if options.record and os.path.exists(options.record):
        with open(options.record, encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    record = json.loads(line)
                    records[record["number"]] = record
    left = [n for n in range(options.count) if n not in records]
    batch = options.batch if options.archives else 1
    jobs = [(options, left[k : k + batch]) for k in range(0, len(left), batch)]
    with ProcessPoolExecutor(options.jobs) as pool, open(options.record or os.devnull, "a", encoding="utf-8") as file:
        for some in pool.map(attempt, jobs):
            records.update((record["number"], record) for record in some)
            file.write("".join(json.dumps(record) + "\n" for record in some))
            file.flush()
    return [records[n] for n in sorted(records) if n < options.count]


def called(options, number, call):
    """Program `number` with the sizes of its call of that number."""
    program = generate(options.seed, number)
    return ([program] + bindings(program, options.seed, number))[call]


def smallest(options, program, kind):
    """The program made small, and its message."""

    def finding_of(other):
        return WAYS[options.archives](options, {0: other}, {})[0][0]

    def shows(other):
        finding = finding_of(other)
        return finding is not None and list(kind_of(finding)) == list(kind)

    program = shrink(program, shows, options.shrink)
    finding = finding_of(program)
    return program, finding[1] if finding else "(only sometimes)"


def is_open(kind):
    """The kind stands among the open findings."""
    with open(OPEN, encoding="utf-8") as file:
        patterns = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return any(re.search(p, f"{kind[0]}: {kind[1]}") for p in patterns)


def show_findings(options, records):
    """How many kinds there are that are not among the open ones."""
    kinds, unknown = {}, 0
    for record in records:
        if "finding" in record:
            kinds.setdefault(tuple(record["finding"]), []).append(record)
    for kind, found in sorted(kinds.items(), key=lambda item: -len(item[1])):
        number, is_known = found[0]["number"], is_open(kind)
        unknown += not is_known
        program, message = called(options, number, found[0]["call"]), found[0]["detail"]
        if options.shrink and not is_known:
            program, message = smallest(options, program, kind)
        print(f"\n== {len(found)} x {kind[0]}: {kind[1]}{' (open)' if is_known else ''}")
        print(f"   programs {', '.join(str(r['number']) for r in found[:12])}")
        print(report.described(program) + "\n   " + message.strip().replace("\n", "\n   "))
        way = f" --archives --call {found[0]['call']}" if options.archives else ""
        print(f"   repeat: {sys.argv[0]} {options.halogen} --seed {options.seed} --only {number}{way}", flush=True)
    return unknown


def only(options):
    program = called(options, options.only, options.call)
    print(report.described(program) + f"\nexpected: {program.expect} {program.why}", flush=True)
    if options.archives:
        finding = through_archive(options, {options.only: program}, {})[0][options.only]
    else:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        finding, command, _ = run(options.halogen, program, options.verify, options.keep)
        print(command if options.keep else "")
    print(f"finding: {finding[0]}: {finding[1]}" if finding else "as expected", flush=True)
    options.keep = None
    if finding and options.shrink:
        program, message = smallest(options, program, kind_of(finding))
        print(f"\nsmaller:\n{report.described(program)}\n{message}")
    return 1 if finding else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("halogen")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", type=int)
    parser.add_argument("--call", type=int, default=0, help="with --only: which of its calls, where sizes differ")
    parser.add_argument("--keep", help="with --only: a folder for the kernel and its files")
    parser.add_argument("--record")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--archives", action="store_true")
    parser.add_argument("--batch", type=int, default=100, help="kernels of one archive")
    parser.add_argument("--verify", action="store_true", help="also compare with Halogen's interpreter")
    parser.add_argument("--shrink", type=int, default=60, help="runs that making a finding small may take; 0: as it is")
    options = parser.parse_args()
    options.halogen = os.path.abspath(options.halogen)
    if options.only is not None:
        return only(options)
    print(f"seed {options.seed}, {options.count} programs", flush=True)
    before = time.monotonic()
    records = collect(options)
    report.show(records, time.monotonic() - before)
    return 1 if show_findings(options, records) else 0


if __name__ == "__main__":
    sys.exit(main())
