"""What the peers written in Python share: an operation as the driver describes it, and the loop that answers the driver.
harness.h is the same for C++."""

import sys
import traceback
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from operations import OPERATIONS
from references import NUMPY


class Opened:
    """The forms of one operation: `name`, a call, and what gives its result as an array."""

    def __init__(self, folder, forms_of, threads):
        self.folder = Path(folder)
        self.operation = {o.id: o for o in OPERATIONS}[self.folder.name]
        inputs = {}
        for given in self.operation.inputs:
            path = self.folder / f"{given.name}.raw"
            inputs[given.name] = np.fromfile(path, NUMPY[given.type]).reshape(given.shape)
        self.forms = []
        try:
            self.forms += forms_of(self.operation, inputs, threads)  # those before one that fails stay
        except Exception:
            if not self.forms:
                raise
            traceback.print_exc()

    def check(self, number):
        _, call, result = self.forms[number]
        call()
        array = np.asarray(result()).astype(NUMPY[self.operation.result[0]])
        np.ascontiguousarray(array).tofile(self.folder / "result.raw")
        return "checked"

    def time(self, number, calls, batches):
        call, taken = self.forms[number][1], ["took"]
        call()
        for _ in range(batches):
            begin = perf_counter()
            for _ in range(calls):
                call()
            taken.append(str(perf_counter() - begin))
        return " ".join(taken)


def kept(function):
    """A form's call and result, for a function that returns its result."""
    box = []

    def call():
        box[:] = [function()]

    return call, lambda: box[0]


def serve(version, forms_of):
    """Answers the driver until it closes the pipe. `forms_of(operation, inputs, threads)` gives (name, call, result)."""
    threads, opened = int(sys.argv[1]), None
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    print("ready", version, file=answers, flush=True)
    for line in sys.stdin:
        verb, *words = line.split()
        try:
            if verb == "open":
                opened = Opened(words[0], forms_of, threads)
                answer = "\t".join([f"forms {len(opened.forms)}", *(f[0] for f in opened.forms)])
            elif verb == "close":
                opened, answer = None, "closed"
            else:
                answer = getattr(opened, verb)(*map(int, words))
        except Exception as error:  # whatever a library throws is for the driver to tell
            answer = f"failed {type(error).__name__}: {error}".replace("\n", " ")[:300]
        print(answer, file=answers, flush=True)
