#!/usr/bin/env python3
"""Built-in kernels with sizes written as numbers, any subset of them, run and compared with the interpreter.

    run_numbers.py HALOGEN KERNELS [NAME...] [--rounds N] [--seed S]

KERNELS is the folder of the .hgn files. Each round takes a random value for every size and parameter, writes a random subset
of them into the text as numbers, and gives the others by --set and --param. A line for each failure, with the text's sizes
("16!" is written, "16" is set); the kernel must have its own schedule, not the plain one. Prints its seed.
"""

import argparse
import math
import os
import random
import re
import subprocess
import sys
import tempfile


def read(path):
    with open(path) as file:
        return "\n".join(line for line in file.read().split("\n") if not line.startswith("#"))


def sizes_of(text, dice):
    """Its `size` parameters with their defaults, and a value for each of them and each size that an input's dim names."""
    parameters = dict(re.findall(r"(\w+): size(?: = (\d+))?", text))
    brackets = " ".join(re.findall(r"\[([^\]]*)\]", text[:text.index("->")]))
    names = set(re.findall(r"\b([A-Z]\w*)\b(?!\s*[:\[(])", brackets)) - set(parameters)
    values = {name: int(default) if default else dice.choice([1, 2, 3]) for name, default in parameters.items()}
    choices = {"R": [1, 3, 5], "S": [1, 3, 5], "H": [7, 16, 33], "W": [7, 16, 33]}  # windows fit
    while True:  # few enough points for the interpreter
        values.update({name: dice.choice(choices.get(name, [2, 7, 16, 33, 64])) for name in sorted(names)})
        if math.prod(values[name] for name in names) <= 1_000_000:
            return parameters, values


def with_numbers(text, values, written):
    for name in written:
        text = re.sub(rf",?\s*\b{name}: size(?: = \d+)?", "", text)
        text = re.sub(rf"\b{name}\b(?!\s*\[)", str(values[name]), text)
    return text


def run(halogen, text, parameters, values, written):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.hgn")
        with open(path, "w") as file:
            file.write(with_numbers(text, values, written))
        command = [halogen, "run", path, "--random", "1", "--verify"]
        for name in values:
            if name not in written:
                command += ["--param" if name in parameters else "--set", f"{name}={values[name]}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return (f"exit code {done.returncode} " if done.returncode else "") + done.stderr.strip().split("\n")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("halogen")
    parser.add_argument("kernels")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    dice = random.Random(given.seed)
    total = failed = 0
    for name in given.names or sorted(f[:-4] for f in os.listdir(given.kernels) if f.endswith(".hgn")):
        text = read(os.path.join(given.kernels, name + ".hgn"))
        for _ in range(given.rounds):
            parameters, values = sizes_of(text, dice)
            written = [size for size in values if dice.random() < 0.5]
            problem = run(given.halogen, text, parameters, values, written)
            total += 1
            failed += bool(problem)
            if problem:
                sizes = ", ".join(f"{s} {v}{'!' if s in written else ''}" for s, v in values.items())
                print(f"FAIL {name} ({sizes}): {problem}", flush=True)
    print(f"{total - failed} of {total} right")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
