"""Where the binaries are, how they are run, and on what."""
import json
import os
import platform
import shutil
import subprocess

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

    def binary(self, name):
        path = os.path.join(self.folder, "bin", name)
        if not os.path.exists(path):
            raise Failure(f"{path} is not there; build it with\n  cmake --preset release "
                          "-DGAS_BENCHMARKS=ON && cmake --build build -j")
        return path

    def kernel(self, name, threads, repeats, size):
        return json_lines([self.binary("bench_" + name), "--threads", ",".join(map(str, threads)),
                           "--repeats", str(repeats), "--size", size])

    def tool(self, name, arguments, ranks=1, threads=1):
        """The summary of a run of gas-NAME; threads None: it takes no such option."""
        command = [self.binary("gas-" + name), *map(str, arguments), "--summary", "json"]
        if threads:
            command += ["--threads", str(threads)]
        if ranks > 1:
            launcher = shutil.which("mpirun")
            if not launcher:
                raise Failure("mpirun is not installed")
            command = [launcher, "--oversubscribe", "--mca", "mpi_yield_when_idle", "1",
                       "-n", str(ranks), *command]
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return json_lines(command, env={**os.environ, **root})[-1]


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
    cache = os.path.join(build.folder, "CMakeCache.txt")
    name = "c++"
    if os.path.exists(cache):
        with open(cache, encoding="utf-8") as file:
            for line in file:
                if line.startswith("CMAKE_CXX_COMPILER:"):
                    name = line.split("=", 1)[1].strip()
    try:
        return output([name, "--version"]).splitlines()[0]
    except (Failure, OSError):
        return name


def describe(build):
    return {"commit": commit_of(build.source), "compiler": compiler_of(build),
            "processor": processor(), "cores": os.cpu_count(), "seed": 1}
