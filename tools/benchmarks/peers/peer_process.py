"""What comparisons with other programs share: processes that run these, checks, rows."""
import json
import os
import subprocess

import blas
import machine
import report

CHILD = os.path.join(os.path.dirname(os.path.realpath(__file__)), "peer_child.py")


def environment(threads):
    """On so many threads, and with the fastest kernel of the library that numpy multiplies by."""
    many = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return {**os.environ, **many, **blas.environment()}


def child(what, job, threads=2):
    """What a peer says that runs once."""
    return json.loads(machine.output([blas.PYTHON, CHILD, what], input=json.dumps(job) + "\n",
                                     env=environment(threads)))


class Running:
    """A peer that holds its input in memory, on one thread, and does its work when it is asked."""

    def __init__(self, what, job):
        self.what = what
        self.process = subprocess.Popen([blas.PYTHON, CHILD, what], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment(1))
        self.process.stdin.write(json.dumps(job) + "\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()

    def _line(self):
        line = self.process.stdout.readline()
        if not line:
            raise machine.Failure(f"{self.what}: " + self.process.stderr.read().strip())
        return json.loads(line)

    def seconds(self):
        """Of doing it once more."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: _line() says why
        return self._line()

    def result(self):
        """Of the last time."""
        self.process.stdin.close()
        return self._line()


def has(module):
    return subprocess.run([blas.PYTHON, "-c", "import numpy, " + module],
                          capture_output=True, check=False).returncode == 0


def agree(what, ours, theirs, most):
    if abs(ours / theirs - 1) > most:
        raise machine.Failure(f"{what}: results differ, ours {ours}, theirs {theirs}")


def generate(build, folder, spec):
    machine.output([build.binary("gas-generate"), spec, "--output", folder, "--quiet"])


def add_row(out, rows, what, peer, threads, ours, theirs, remark, section="peers"):
    ratio = report.ratios(ours, theirs)
    rows.append([what, peer, str(threads), report.spread(ours) + " s",
                 report.spread(theirs) + " s", report.spread(ratio), remark])
    out.record(section=section, case=what, who=peer, threads=threads, seconds=ours, peer=theirs,
               ratio=report.median(ratio))
