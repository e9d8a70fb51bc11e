"""qjam's experiment: a sparse autoencoder (64-25-64) by L-BFGS, by patches and ranks."""
import os
import re
import subprocess
import tempfile

import machine
import report
from lineage_shared import child, markdown
from peer_process import agree

def learn(build, data, ranks, iterations, way="map_reduce", threads=1, auto=False):
    """(seconds per iteration, evaluations, last loss, losses, ranks that were used)"""
    program = os.path.join(build.folder, "tests", "docs", "sparse_autoencoder")
    if not os.path.exists(program):
        raise machine.Failure(f"{program} is not there: cmake --build build --target "
                              "example_sparse_autoencoder (with -DGAS_TESTS=ON)")
    command = [*machine.launcher_of(ranks, threads), program, *(["auto"] if auto else []), data,
               way, str(iterations), "25", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **machine.AS_ROOT})
    told = re.search(r"([0-9.]+) seconds per iteration", done.stderr)
    if done.returncode != 0 or not told:
        raise machine.Failure(f"{' '.join(command)}: {done.stderr}")
    *losses, last = done.stdout.splitlines()
    evaluations, used = re.match(r"after (\d+) evaluations on (\d+) ranks", last).groups()
    return (float(told[1]), int(evaluations), float(losses[-1].split()[1]), losses, int(used))


def run(options, build):
    jobs = [(1000, 20), (3000, 20)] if options.quick else [(1000, 200), (10000, 100), (100000, 20)]
    rows, beside = [], []
    with tempfile.TemporaryDirectory() as folder:
        for patches, iterations in jobs:
            data = f"{folder}/patches.npy"
            where = child("patches", patches, data)[0]
            times = {}
            losses = set()
            for _ in range(options.repeats):
                for ranks in (1, 2, 4):
                    for way in ("map_reduce", "vertex"):
                        found = learn(build, data, ranks, iterations, way)
                        times.setdefault((way, ranks), []).append(found[0])
                        losses.add("\n".join(found[3]))
                advised = learn(build, data, 4, iterations, auto=True)
                times.setdefault("auto", []).append(advised[0])
                times.setdefault("chosen", []).append(advised[4])
                times.setdefault("two", []).append(learn(build, data, 1, iterations, threads=2)[0])
                for threads in (1, 2):
                    seconds, steps, calls, value = map(
                        float, child("autoencoder", data, iterations, threads=threads))
                    times.setdefault(("numpy", threads), []).append(seconds)
            if len(losses) != 1:
                raise machine.Failure("runs on several ranks, or of the two ways, differ")
            agree("losses after as many iterations", advised[2], value, 0.05)
            one = times["map_reduce", 1]
            rows.append([f"{patches:,}", *(report.spread([1e3 * s for s in times["map_reduce", p]])
                                           for p in (1, 2, 4)),
                         report.spread([1e3 * s for s in times["auto"]]),
                         "/".join(map(str, times["chosen"])),
                         report.spread(report.ratios(times["auto"], one))])
            vertex = times["vertex", 1]
            beside.append([f"{patches:,}", f"{iterations}; {advised[1]} / {calls:.0f}",
                           f"{advised[2]:.5f} / {value:.5f}",
                           report.spread(report.ratios(one, times["numpy", 1])),
                           report.spread(report.ratios(vertex, times["numpy", 1])),
                           report.spread(report.ratios(times["two"], times["numpy", 2]))])
    print(f"Patches of 8 × 8 from {where}; one thread per rank. The losses of both ways on 1, 2 and "
          "4 ranks were the same to the last bit.\n")
    print(markdown(["patches", "ms per iteration, P = 1", "P = 2", "P = 4", "advised of 4",
                           "ranks chosen", "advised ÷ P = 1"], rows))
    print(markdown(["patches", "iterations; evaluations, ours / scipy's",
                           "loss, ours / scipy's", "time ÷ scipy's, 1 thread",
                           "as vertex program ÷ scipy's, 1 thread", "2 threads ÷ scipy's, 2"],
                          beside))
