"""From records to rows: Halogen's time for each operation beside the best peer's, and what the machine would allow."""

import math
from dataclasses import dataclass

from operations import OPERATIONS

OURS = "halogen"
BY_ID = {o.id: o for o in OPERATIONS}
# The multiply-add rate that bounds an operation, by the type of its inputs. Products of bfloat16 may be computed in f32.
RATE = {"f32": "f32", "f64": "f64", "bf16": "bf16", "u8": "u8", "u16": "f32"}


@dataclass
class Row:
    """One operation with one number of threads. Times in nanoseconds; `ratio` is the best peer's over ours."""

    id: str
    group: str
    form: str
    ours: float
    best_form: str
    best_ours: float
    peer: str
    theirs: float
    against: float  # of the same form, as the other commit compiles it; 0: none
    roof: float  # nanoseconds: the shortest time that the machine's peaks allow

    @property
    def ratio(self):
        return self.theirs / self.ours if self.theirs else 0.0

    @property
    def against_ratio(self):
        return self.against / self.ours if self.against else 0.0


def roof(operation, peaks):
    """Nanoseconds for its arithmetic at the highest rate, or for its bytes at that of the level that holds them."""
    rates = {name: value for name, (value, size) in peaks.items() if not size}
    levels = sorted((size, value) for value, size in peaks.values() if size)
    type = operation.inputs[0].type
    rate = max(rates.get(RATE[type], 0), 0 if type == "f64" else rates.get("f32", 0))
    level = next((value for size, value in levels if operation.bytes <= 1.35 * size), levels[-1][1] if levels else 0)
    return max(operation.flops / rate if rate else 0, operation.bytes / level if level else 0)


def is_ours(record):
    return record["peer"].partition("@")[0] == OURS


def natural(records, operation):
    """The record of the first form of the table that was measured."""
    by_form = {r["form"]: r for r in records}
    return next((by_form[f.name] for f in operation.forms if f.name in by_form), None)


def rows(results, threads):
    """The rows of all operations that Halogen computed right, the worst ratio first."""
    found = []
    good = [r for r in results["records"] if r["threads"] == threads and "min_ns" in r]
    for id in dict.fromkeys(r["operation"] for r in good):
        operation, some = BY_ID[id], [r for r in good if r["operation"] == id]
        ours = natural([r for r in some if r["peer"] == OURS], operation)
        if not ours:
            continue
        best_ours = min((r for r in some if r["peer"] == OURS), key=lambda r: r["min_ns"])
        theirs = min((r for r in some if not is_ours(r)), key=lambda r: r["min_ns"], default=None)
        other = [r for r in some if is_ours(r) and r["peer"] != OURS and r["form"] == ours["form"]]
        found.append(Row(id, operation.group, ours["form"], ours["min_ns"], best_ours["form"], best_ours["min_ns"],
                         f"{theirs['peer']} {theirs['form']}".strip() if theirs else "", theirs["min_ns"] if theirs else 0.0,
                         other[0]["min_ns"] if other else 0.0, roof(operation, results["peaks"][str(threads)])))
    return sorted(found, key=lambda row: (row.ratio, row.id))


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else 0.0


def summary(ratios):
    """What a list of ratios comes to, in words."""
    if not ratios:
        return "no peer to compare with"
    return (f"geometric mean {geometric_mean(ratios):.3f}; at least 1: {sum(r >= 1 for r in ratios)}; "
            f"at least 0.9: {sum(r >= 0.9 for r in ratios)}; below 0.5: {sum(r < 0.5 for r in ratios)}")


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= 0.9995 * size:
            return f"{ns / size:.3g} {unit}" if ns < 999.5 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:.0f} ns"


def threads_of(number):
    return f"{number} thread{'s' * (number > 1)}"


def thread_counts(results):
    return sorted(map(int, results["peaks"]))


def wrong(results):
    """A line for each result that was wrong or missing."""
    return [f"{r['operation']}, {threads_of(r['threads'])}: {(r['peer'] + ' ' + r['form']).strip()}: {r['wrong']}"
            for r in results["records"] if "wrong" in r]


def without_ours(results):
    """The operations that peers computed and Halogen did not."""
    ours = {r["operation"] for r in results["records"] if r["peer"] == OURS and "min_ns" in r}
    return [i for i in dict.fromkeys(r["operation"] for r in results["records"]) if i not in ours]


def against_name(results):
    return next((r["peer"] for r in results["records"] if is_ours(r) and r["peer"] != OURS), "")


def text(results):
    """The table for a terminal."""
    lines, other = [], against_name(results)
    for threads in thread_counts(results):
        table = rows(results, threads)
        lines.append(f"\n{threads_of(threads)}: the best peer's time over Halogen's natural form")
        heads = f"{'ratio':>6}  {'operation':36} {'halogen':>9}  {'form':12} {'best peer':>9}  {'which':28} {'of roof':>7}"
        lines.append(heads + (f"  {other + ' / now':>20}" if other else ""))
        for row in table:
            line = (f"{format(row.ratio, '.2f') if row.theirs else '-':>6}  {row.id:36} {duration(row.ours):>9}  {row.form:12} "
                    f"{duration(row.theirs) if row.theirs else '-':>9}  {row.peer:28} {row.roof / row.ours:>7.0%}")
            lines.append(line + (f"  {row.against_ratio:>20.2f}" if other else ""))
        lines.append(f"{len(table)} operations, {threads_of(threads)}, natural form: "
                     + summary([r.ratio for r in table if r.ratio]))
        best = [r.theirs / r.best_ours for r in table if r.theirs]
        if any(r.best_form != r.form for r in table):
            lines.append(f"best form: {summary(best)}")
        if other:
            changed = [r.against_ratio for r in table if r.against]
            lines.append(f"{other} over now: geometric mean {geometric_mean(changed):.3f} of {len(changed)}")
    lines += [f"wrong: {line}" for line in wrong(results)]
    if absent := without_ours(results):
        lines.append(f"not computed by Halogen: {', '.join(absent)}")
    lines += [f"left out: {name}: {why}" for name, why in results["missing"].items()]
    return "\n".join(lines)
