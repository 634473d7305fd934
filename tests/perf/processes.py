"""A peer as a process that is kept alive: it is told to open an operation, to check a form, to time some calls. All others are
stopped meanwhile (SIGSTOP), so that no thread pool of theirs spins on the processors that are measured."""

import ctypes
import os
import select
import signal
import subprocess


class Failure(Exception):
    """A peer could not do what it was asked."""


def end_with_parent():
    """No stopped process is left behind, however the driver ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Peer:
    """`command` gets the number of threads as its argument and speaks lines on its pipes."""

    def __init__(self, name, command, environment, threads, log):
        self.name, self.command, self.threads, self.log = name, command, threads, log
        counts = ("OMP", "OPENBLAS", "MKL")
        self.environment = {**os.environ, **environment, **{f"{c}_NUM_THREADS": str(threads) for c in counts}}
        self.process, self.version, self.starts = None, "", 0

    @property
    def is_useless(self):
        """It never started, or ended too often."""
        return not self.process and (self.starts > 5 or self.starts > 0 and not self.version)

    def start(self):
        if self.process:
            return
        self.starts += 1
        processors = sorted(os.sched_getaffinity(0))[: self.threads]
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["taskset", "-c", ",".join(map(str, processors)), *map(str, self.command), str(self.threads)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=self.environment,
                # A session of its own: where a shell ends and leaves a group with stopped processes, Linux hangs up all of it.
                start_new_session=True, preexec_fn=end_with_parent)
        try:
            self.version = self.answer("ready", 120)
        except Failure as failure:
            raise Failure(f"does not start ({failure}); {self.log} has what it said") from None
        self.process.send_signal(signal.SIGSTOP)

    def answer(self, word, timeout):
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            self.end()
            raise Failure(f"no answer within {timeout} s")
        verb, _, rest = self.process.stdout.readline().rstrip("\n").partition(" ")
        if verb == word:
            return rest
        if not verb or self.process.poll() is not None:
            code = self.end()
            raise Failure(f"the process ended with {code}")
        raise Failure(rest or verb)

    def ask(self, question, word, timeout=60):
        """Runs while the others are stopped, and answers `word …`."""
        self.start()
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.stdin.write(question + "\n")
            self.process.stdin.flush()
            return self.answer(word, timeout)
        except BrokenPipeError:
            raise Failure(f"the process ended with {self.end()}") from None
        finally:
            if self.process:
                self.process.send_signal(signal.SIGSTOP)

    def open(self, folder):
        """The names of the forms that this peer has for the operation of a folder."""
        count, *names = self.ask(f"open {folder}", "forms").split("\t")
        return names if int(count) else []

    def end(self):
        code = None
        if self.process:
            self.process.kill()
            code = self.process.wait()
            self.process = None
        return code
