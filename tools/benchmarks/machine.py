"""Where the binaries are, how they are run, and on what."""
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


class Failure(Exception):
    """Ends the run with a message."""


def output(command, **more):
    """What a command prints; Failure with its last words if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip().splitlines()
        words = [w for w in words if w.startswith("gas-")] or words[-5:]
        raise Failure(f"{' '.join(map(str, command))}: exit code {done.returncode}\n"
                      + "\n".join(words))
    return done.stdout


def json_lines(command, **more):
    return [json.loads(line) for line in output(command, **more).splitlines()
            if line.startswith("{")]


class Build:
    """A build folder, configured with -DGAS_BENCHMARKS=ON."""

    def __init__(self, folder=None, source=ROOT):
        self.source = source
        self.folder = os.path.abspath(folder or os.path.join(source, "build"))

    def configured(self, name):
        """What the build folder was configured with, None where it does not say."""
        cache = os.path.join(self.folder, "CMakeCache.txt")
        if os.path.exists(cache):
            with open(cache, encoding="utf-8") as file:
                for line in file:
                    if line.startswith(name + ":"):
                        return line.split("=", 1)[1].strip()
        return None

    def compile_for_speed(self):
        """Where tools/check compiled what is measured for a test of it, compiles it again."""
        if self.configured("GAS_BENCHMARKS") != "SMOKE":
            return
        print("compiling what is measured for speed, which tools/check does not",
              file=sys.stderr)
        output(["cmake", "-DGAS_BENCHMARKS=ON", self.folder])
        output(["cmake", "--build", self.folder, "-j", str(os.cpu_count())])

    def binary(self, name):
        path = os.path.join(self.folder, "bin", name)
        if not os.path.exists(path):
            raise Failure(f"{path} is not there; build it with\n  cmake --preset release "
                          "-DGAS_BENCHMARKS=ON && cmake --build build -j")
        return path

    def kernel(self, name, threads, repeats, size, least=None, ranks=1, edges=None):
        given = ["--threads", ",".join(map(str, threads)), "--repeats", str(repeats), "--size", size]
        if least is not None:
            given += ["--least", str(least)]
        if edges is not None:
            given += ["--edges", edges]
        return json_lines([*launcher_of(ranks, max(threads)), self.binary("bench_" + name), *given],
                          env={**os.environ, **AS_ROOT})

    def command(self, name, arguments, ranks=1, threads=1, launcher=None):
        command = [self.binary("gas-" + name), *map(str, arguments), "--summary", "json"]
        if threads:
            command += ["--threads", str(threads)]
        return [*(launcher or launcher_of(ranks, threads or 1)), *command]

    def tool(self, name, arguments, ranks=1, threads=1, launcher=None):
        """The summary of a run of gas-NAME; threads None: it takes no such option; launcher: what
        stands before it, in place of mpirun."""
        return json_lines(self.command(name, arguments, ranks, threads, launcher),
                          env={**os.environ, **AS_ROOT})[-1]

    def watched_tool(self, name, arguments, threads):
        """The summary of a run on one rank, with `resident_bytes`: the most that was in memory
        while rounds were run, after the first."""
        resident = 0
        with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
            log = os.path.join(folder, "log")
            command = self.command(name, [*arguments, "--log", log], 1, threads)
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, env={**os.environ, **AS_ROOT}) as process:
                while process.poll() is None:
                    held = held_by(process.pid)
                    if held and os.path.exists(log) and os.path.getsize(log) > 0:
                        resident = max(resident, held)
                    time.sleep(0.001)
                text = process.stdout.read()
            if process.returncode != 0:
                raise Failure(f"{' '.join(command)}: exit code {process.returncode}")
        return {**json.loads(text.splitlines()[-1]), "resident_bytes": resident}


def launcher_of(ranks, threads):
    """What stands before a command that is to run on so many ranks of so many threads. Ranks that
    wait leave their processor to others only where there are fewer processors than threads."""
    if ranks == 1:
        return []
    found = shutil.which("mpirun")
    if not found:
        raise Failure("mpirun is not installed")
    yields = "1" if ranks * threads > (os.cpu_count() or 1) else "0"
    return [found, "--oversubscribe", "--mca", "mpi_yield_when_idle", yields, "-n", str(ranks)]


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def held_by(process):
    """Bytes of memory that a process has now; 0: it is gone, or the system does not tell."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def commit_of(source):
    try:
        dirty = output(["git", "-C", source, "status", "--porcelain", "-uno"]).strip()
        head = output(["git", "-C", source, "rev-parse", "--short=10", "HEAD"]).strip()
        return head + ("+changes" if dirty else "")
    except (Failure, OSError):
        return "unknown"


def compiler_of(build):
    name = build.configured("CMAKE_CXX_COMPILER") or "c++"
    try:
        return output([name, "--version"]).splitlines()[0]
    except (Failure, OSError):
        return name


def blas_of_numpy():
    """The files of the library that multiplies numpy's matrices, mapped where it is loaded."""
    script = ("import os, numpy\n"
              "paths = {os.path.realpath(line.split()[-1]) for line in open('/proc/self/maps')}\n"
              "print(*sorted(p for p in paths if 'blas' in p.rsplit('/', 1)[-1]))")
    try:
        found = output(["/usr/bin/python3", "-c", script]).split()
    except (Failure, OSError):
        return "none"
    fast = [path for path in found if "openblas" in path or "mkl" in path or "blis" in path]
    return " ".join(fast or found) or "built in"


def describe(build):
    return {"commit": commit_of(build.source), "compiler": compiler_of(build),
            "processor": processor(), "cores": os.cpu_count(), "blas": blas_of_numpy(), "seed": 1}
