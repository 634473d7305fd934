"""The one rule of measuring, for all peers alike.

A form is checked, warmed, and timed in batches of about 5 ms, or of one call where that takes longer. Forms take turns of
several batches, so that whatever else the machine does hits all of them alike; a turn is long enough for a tensor to come
back to the caches that others had in between (a transpose of 16 MB needs 8 calls). A form is done when its batches have taken
their share of time and there are enough of them. The fastest batch and the middle one count."""

import shutil
import statistics
from dataclasses import dataclass, field
from math import ceil, prod
from pathlib import Path

import numpy as np

from operations import ITEM_BYTES
from processes import Failure
from references import NUMPY, difference, make_inputs, reference


@dataclass(frozen=True)
class Rule:
    seconds: float = 0.3  # of batches for a form
    batches: int = 5  # at least
    turn: float = 0.1  # seconds
    batch: float = 0.005


QUICK = Rule(seconds=0.12, batches=3, turn=0.06, batch=0.003)


@dataclass
class Timed:
    """A form of a peer for one operation."""

    peer: object
    number: int
    name: str
    error: float = 0.0
    wrong: str = ""
    calls: int = 1
    expected: float = 0.0  # seconds of a batch
    batches: list = field(default_factory=list)  # seconds a call

    def time(self, calls, batches=1):
        """Seconds that each batch of so many calls took."""
        return [float(t) for t in self.peer.ask(f"time {self.number} {calls} {batches}", "took").split()]

    def warm_up(self, rule):
        """Finds how many calls make a batch."""
        (seconds,) = self.time(1)
        while seconds < rule.batch / 2:
            self.calls *= min(8, max(2, ceil(rule.batch / max(seconds, 1e-7) / 2)))
            (seconds,) = self.time(self.calls)
        one = seconds / self.calls
        self.calls = max(1, ceil(rule.batch / one))
        self.expected = self.calls * one

    def take_turn(self, rule):
        self.batches += [t / self.calls for t in self.time(self.calls, max(1, round(rule.turn / self.expected)))]

    def is_done(self, rule):
        spent, many = sum(self.batches) * self.calls, len(self.batches)
        return many >= rule.batches and spent >= 0.95 * rule.seconds or many >= 2 and spent > 10 * rule.seconds


def token(word, operation):
    """A tensor of a form, `NAME`, `NAME:2x3` or `NAME:3@6`, with what the table says of it: `NAME=2x3@0/4`."""
    name, _, shape = word.partition(":")
    shape, _, offset = shape.partition("@")
    types = {i.name: (i.type, i.shape) for i in operation.inputs}
    type, extents = types.get(name, operation.result)
    return f"{name}={shape or 'x'.join(map(str, extents))}@{offset or 0}/{ITEM_BYTES[type]}"


def describe(operation):
    """The text of operation.txt."""
    lines = [f"id {operation.id}", f"kind {operation.kind}"]
    lines += [f"number {k} {v}" for k, v in operation.numbers.items()] + [f"word {k} {v}" for k, v in operation.words.items()]
    for tensor in operation.inputs:
        lines.append(" ".join(map(str, ("input", tensor.name, ITEM_BYTES[tensor.type], *tensor.shape))))
    lines.append(" ".join(map(str, ("result", "RESULT", ITEM_BYTES[operation.result[0]], *operation.result[1]))))
    for form in operation.forms:
        rest = [token(t, operation) for t in form.tensors.split()] + [f"{k}={v}" for k, v in form.parameters.items()]
        lines.append(f"form {form.name}\t{form.kernel}\t{form.times}\t{form.start}\t{' '.join(rest)}")
    return "\n".join(lines) + "\n"


def write(operation, folder):
    """Makes the folder that peers open; the right result."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "operation.txt").write_text(describe(operation))
    arrays = make_inputs(operation)
    for name, array in arrays.items():
        array.tofile(folder / f"{name}.raw")
    return reference(operation, arrays)


def check(timed, operation, folder, right):
    """Fills in the error, and what is wrong."""
    path = folder / "result.raw"
    path.unlink(missing_ok=True)
    timed.peer.ask(f"check {timed.number}", "checked")
    result = np.fromfile(path, NUMPY[operation.result[0]])
    if result.size != prod(operation.result[1]):
        timed.wrong = f"has {result.size} elements"
        return
    timed.error, close = difference(operation, result.reshape(operation.result[1]), right)
    if not close:
        timed.wrong = f"off by {timed.error:.2g} of the largest element"


def opened(operation, peers, folder, right, say):
    """The forms that are right and warm; those that are not, too, with what is wrong."""
    forms = []
    for peer in [p for p in peers if not p.is_useless]:
        try:
            names = peer.open(folder)
        except Failure as failure:
            forms.append(Timed(peer, 0, "", wrong=str(failure)))
            continue
        for number, name in enumerate(names):
            forms.append(form := Timed(peer, number, name))
            try:
                check(form, operation, folder, right)
            except Failure as failure:
                form.wrong = str(failure)
                if not peer.process:  # it ended: its other forms would need it opened again
                    break
    for form in forms:
        if form.wrong:
            say(f"{operation.id}: {(form.peer.name + ' ' + form.name).strip()}: {form.wrong}")
    return forms


def measure(operation, peers, rule, folder, say):
    """A record for each form of each peer."""
    folder = Path(folder) / operation.id
    try:
        forms = opened(operation, peers, folder, write(operation, folder), say)
        going = [f for f in forms if not f.wrong]
        for form in going:
            form.warm_up(rule)
        while going:
            for form in list(going):
                form.take_turn(rule)
                if form.is_done(rule):
                    going.remove(form)
            going = going[1:] + going[:1]
        for peer in peers:
            if peer.process:
                peer.ask("close", "closed")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return [record(operation, form) for form in forms]


def record(operation, form):
    entry = {"operation": operation.id, "group": operation.group, "peer": form.peer.name, "form": form.name,
             "threads": form.peer.threads, "version": form.peer.version}
    if form.wrong:
        return {**entry, "wrong": form.wrong}
    fastest = min(form.batches) * 1e9
    return {**entry, "min_ns": round(fastest, 1), "median_ns": round(statistics.median(form.batches) * 1e9, 1),
            "batches": len(form.batches), "calls": form.calls, "error": float(f"{form.error:.2g}"),
            "gflops": float(f"{operation.flops / fastest:.4g}"), "gbs": float(f"{operation.bytes / fastest:.4g}")}
