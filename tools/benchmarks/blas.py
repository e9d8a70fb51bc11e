"""Which kernel of OpenBLAS numpy and scikit-learn run. OpenBLAS chooses one by the processor, or as
the variable OPENBLAS_CORETYPE says; one for an older processor is two to three times slower."""
import functools
import json
import os
import subprocess

PYTHON = "/usr/bin/python3"
# With AVX2 or AVX-512, by age. What OpenBLAS does not have, or the processor cannot run, is left out.
CORES = ("Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids")

# Prints the kernel's name, and Gflop/s of a matrix product in single and in double precision.
_TRY = """import json, sys, time
import numpy
from threadpoolctl import threadpool_info
def speed(kind, n):
    a = numpy.random.default_rng(1).random((n, n)).astype(kind)
    spent = []
    for _ in range(4):
        begin = time.perf_counter()
        a @ a
        spent.append(time.perf_counter() - begin)
    return 2e-9 * n ** 3 / min(spent)
n = int(sys.argv[1])
found = [speed(kind, n) for kind in (numpy.float32, numpy.float64)]
blas = [entry for entry in threadpool_info() if entry["user_api"] == "blas"][0]
print(json.dumps([blas["internal_api"], blas["version"], blas["architecture"], found]))
"""


class Kernel:
    """What numpy runs in some environment."""

    def __init__(self, core, found):
        self.core = core  # for OPENBLAS_CORETYPE; None: as it is set
        self.library, self.version, self.name, self.speeds = found

    def words(self):
        single, double = self.speeds
        return f"{self.name} {single:.0f} / {double:.0f}"


def _run(core, size):
    many = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    given = {"OPENBLAS_CORETYPE": core} if core is not None else {}
    done = subprocess.run([PYTHON, "-c", _TRY, str(size)], capture_output=True, text=True,
                          check=False, env={**os.environ, **many, **given})
    return Kernel(core, json.loads(done.stdout)) if done.returncode == 0 else None


@functools.cache
def choice(size=1000):
    """(what is set now, the fastest of all); (None, None): numpy does not use OpenBLAS, or nobody
    can tell (python3-numpy, python3-threadpoolctl)."""
    now = _run(None, size)
    if not now or now.library != "openblas":
        return None, None
    tried = {now.name: now}
    for core in CORES:
        found = _run(core, size)
        if found and found.name not in tried:
            tried[found.name] = found
    return now, max(tried.values(), key=lambda kernel: kernel.speeds[0] * kernel.speeds[1])


def environment():
    """What to set so that children run the fastest."""
    best = choice()[1]
    return {"OPENBLAS_CORETYPE": best.core} if best and best.core is not None else {}


def say(out):
    now, best = choice()
    if not best:
        out.say("numpy does not use OpenBLAS (libopenblas0-pthread, python3-threadpoolctl), without "
                "which scikit-learn is several times slower\n")
        return
    out.say(f"Peers run OpenBLAS {best.version} with its kernel {best.words()} Gflop/s in single / "
            "double precision on 2 threads, the fastest here"
            + (f"; this environment alone would give {now.words()}" if best is not now else "")
            + ".\n")
    out.record(section="peers", case="matrix product", who=best.name, threads=2,
               gflops=best.speeds, otherwise=now.name, otherwise_gflops=now.speeds)
