"""What the programs of a run covered, and why some were skipped."""

from collections import Counter

from syntax import TYPES

OPS = ("=", "+=", "*=", "max=", "min=", "and=", "or=")


def places(program):
    for eq in program.kernel.equations:
        yield from eq.at
        for r in eq.reads():
            yield from r.args


def covers(program):
    """Keys of what a program holds: `op type`, `in brackets what`, `pad mode`, and so on."""
    kernel, found = program.kernel, set()
    for eq in kernel.equations:
        found.add(f"op {kernel.tensors[eq.tensor].type} {eq.op}")
        found.update(
            f"value {n.name or n.kind}" for n in eq.right.walk() if n.kind in ("bin", "call", "cast", "neg", "not")
        )
        if any(r.name == eq.tensor and r.args != eq.at for r in eq.reads()):
            found.add("recurrence")
        found.update(["predicate"] if eq.predicates else [])
        found.update(["range"] if eq.ranges else [])
        if any(n.kind == "read" for p in eq.at for n in p.walk()):
            found.add("scatter " + eq.op)
    for place in places(program):
        found.add(
            "brackets plain"
            if place.kind == "index"
            else "brackets constant" if place.kind == "num" else "brackets compound"
        )
        found.update(f"brackets {n.name or n.kind}" for n in place.walk() if n.kind in ("bin", "call", "cast", "neg"))
        found.update(["brackets data"] if any(n.kind == "read" for n in place.walk()) else [])
    for t in kernel.tensors.values():
        found.add(f"rank {t.rank}")
        for d in t.dims or []:
            if d.pad:
                mode = t.boundary if isinstance(t.boundary, str) else "nothing" if t.boundary is None else "number"
                low, high = (p.value for p in d.pad)
                found.add(f"pad {mode} {'both' if low and high else 'before' if low else 'behind'}")
    for counts in Counter(eq.tensor for eq in kernel.equations).values():
        found.add(f"equations per tensor {counts}")
    found.update(f"outputs {len(kernel.outputs())}" for _ in [0])
    found.update(["scalar"] if kernel.scalars else [])
    found.update(["size parameter"] if kernel.params else [])
    found.update(f"extent {n if n < 14 else 'more'}" for shape in program.call.shapes.values() for n in shape)
    return sorted(found)


def show(records, seconds):
    spent = sum(r["seconds"] for r in records)
    skips = Counter(r["skip"] for r in records if "skip" in r)
    counts = Counter(key for r in records for key in r.get("covers", []))
    expected = Counter(r["expect"] for r in records if "expect" in r)
    print(
        f"{len(records)} programs, {spent:.0f} processor seconds, {spent / max(len(records), 1):.2f} each; "
        f"{seconds:.0f} s now"
    )
    print("expected: " + ", ".join(f"{n} {k}" for k, n in expected.most_common()))
    print(f"skipped {sum(skips.values())} of {len(records)}: " + ", ".join(f"{n} {k}" for k, n in skips.most_common()))
    print("\ntype    " + "".join(f"{op:>7}" for op in OPS))
    for t in TYPES:
        print(f"{t:8}" + "".join(f"{counts[f'op {t} {op}'] or '-':>7}" for op in OPS))
    for head in ("brackets", "pad", "value", "scatter", "rank", "equations per tensor", "outputs", "extent"):
        line = ", ".join(f"{k[len(head) + 1:]} {n}" for k, n in sorted(counts.items()) if k.startswith(head + " "))
        print(f"{head}: {line}")
    print(", ".join(f"{k} {counts[k]}" for k in ("recurrence", "predicate", "range", "scalar", "size parameter")))
    found = Counter(r["finding"][0] for r in records if "finding" in r)
    print("findings: " + (", ".join(f"{n} {k}" for k, n in found.most_common()) or "none"), flush=True)


def described(program):
    """The program for a reader: its text, and what it is called with."""
    call = program.call
    lines = [program.kernel.text().rstrip()]
    lines += [
        f"  {n}: {'x'.join(map(str, s)) or 'one number'} {call.orders.get(n, '')}"
        + (f" = {call.data[n].tolist()}" if call.data[n].size <= 24 else "")
        for n, s in call.shapes.items()
    ]
    lines += [f"  {n} = {v}" for n, v in {**call.sizes, **call.scalars}.items()]
    return "\n".join(lines)
