"""Cloud k-means: what the exchange costs by ranks, where computing is replaced by a sleep."""
import os
import re
import subprocess
import sys
from collections import Counter

import machine
import report
from lineage_shared import markdown

# Published: K = D = 1000, 50,000 points per worker, 10 iterations.
PUBLISHED_SECONDS = {10: 2160, 120: 2906}
PUBLISHED_SPEED_UP = {120: 91.9}
TASK = 50_000 * 1000 * 1000 / 0.22e9  # seconds of a worker's computing in an iteration
MODES, OUTLIERS = (390, 445, 500), (632, 778, 823)  # seconds of a task of 7 minutes

# A number stands for SHARE numbers (1000 centroids of 10), over a network of so much less bandwidth, and a simulated second
# for `scale` seconds: the same times, from less memory and fewer looks at an empty mailbox.
SHARE = 100
# A message keeps both ends busy for `message` seconds, beside its bytes. That of the cloud is chosen
# so that the flat exchange has about the published slope; workers had 100 Mbit/s.
CLOUD = {"message": 0.128, "bandwidth": 12.5e6, "latency": 0.001, "scale": 1000, "task": TASK}
TODAY = {"message": 10e-6, "bandwidth": 1.25e9, "latency": 20e-6, "scale": 1, "task": 0.01}

TOPOLOGIES = ("flat", "groups", "tree")


def published(ranks):
    """Seconds of an iteration beside computing."""
    return 13.1 + 0.257 * ranks


class Played:
    def __init__(self, build, ranks, simulated, **settings):
        program = os.path.join(build.folder, "tests", "docs", "cloud_k_means")
        if not os.path.exists(program):
            raise machine.Failure(f"{program} is not there: cmake --build build --target "
                                  "example_cloud_k_means (with -DGAS_TESTS=ON)")
        words = [f"{key}={value}" for key, value in settings.items()]
        command = ([program, f"ranks={ranks}"] if simulated
                   else [*machine.launcher_of(ranks, 1), program]) + words
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, **machine.AS_ROOT})
        if done.returncode != 0:
            raise machine.Failure(f"{' '.join(command)}: {done.stderr}")
        ends = [float(end) for end in re.findall(r"^round \d+ (\S+)", done.stdout, re.M)]
        self.seconds = (ends[-1] - ends[0]) / (len(ends) - 1)  # of a round
        self.tasks = [float(t) for t in re.findall(r"^task (\S+)", done.stdout, re.M)]
        self.messages, self.bytes = map(float, re.search(r"^sent (\S+) (\S+)", done.stdout,
                                                         re.M).groups())
        self.bits = re.search(r"^centroids (\S+)", done.stdout, re.M)[1]


def simulated(build, ranks, topology, rounds, network, profile="even", task=None, seed=1):
    """Times in seconds of the cloud."""
    scale = network["scale"]
    found = Played(build, ranks, True, topology=topology, rounds=rounds, profile=profile,
                   task=(task or network["task"]) / scale, message=network["message"] / scale,
                   bandwidth=network["bandwidth"] * scale / SHARE,
                   latency=network["latency"] / scale, seed=seed, clusters=1000,
                   dimensions=10, points=4000)
    found.seconds *= scale
    found.tasks = [scale * t for t in found.tasks]
    found.bytes *= SHARE
    return found


def alike(played):
    if len({one.bits for one in played}) != 1:
        raise machine.Failure("the centroids are not the same bits")


def line(xs, ys):
    """(constant, slope, largest distance) of a straight line by least squares."""
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
             / sum((x - mean_x) ** 2 for x in xs))
    constant = mean_y - slope * mean_x
    return constant, slope, max(abs(constant + slope * x - y) for x, y in zip(xs, ys))


def steps(ranks):
    """Of a tree of so many ranks."""
    return (ranks - 1).bit_length()


def exchange(build, ranks, rounds, network, unit, digits):
    """The table of an iteration beside its task; then lines through it, against P and log₂ P."""
    rows, times = [], {topology: [] for topology in TOPOLOGIES}
    for p in ranks:
        found = {t: simulated(build, p, t, rounds, network) for t in TOPOLOGIES}
        alike(found.values())
        for topology in TOPOLOGIES:
            times[topology].append(unit * (found[topology].seconds - network["task"]))
        rows.append([p, *([f"{published(p):.1f}"] if network is CLOUD else []),
                     *(f"{times[t][-1]:.{digits}f}" for t in TOPOLOGIES),
                     " / ".join(f"{found[t].messages:.0f}" for t in TOPOLOGIES),
                     " / ".join(f"{found[t].bytes / 1e6:.1f}" for t in TOPOLOGIES)])
    print(markdown(["P", *(["published fit"] if network is CLOUD else []), *TOPOLOGIES,
                    "messages of a rank", "MB of a rank"], rows))
    fits = []
    for topology in TOPOLOGIES:
        a, b, off = line(ranks, times[topology])
        c, d, log_off = line([steps(p) for p in ranks], times[topology])
        fits.append([topology, f"{a:.{digits}f} + {b:.{digits + 2}f} · P", f"{off:.{digits}f}",
                     f"{c:.{digits}f} + {d:.{digits + 1}f} · ⌈log₂ P⌉", f"{log_off:.{digits}f}"])
    print(markdown(["exchange", "line against P", "off by at most", "line against log₂ P",
                    "off by at most"], fits))


def weak_scaling(build, ranks, rounds, repeats):
    rows = []
    for p in ranks:
        row = [p, PUBLISHED_SECONDS.get(p, ""), PUBLISHED_SPEED_UP.get(p, "")]
        for topology in ("flat", "tree"):
            found = simulated(build, p, topology, rounds, CLOUD)
            row += [f"{10 * found.seconds:.0f}", f"{p * TASK / found.seconds:.1f}"]
        # Tasks as they were measured, with the same mean.
        ups = []
        for seed in range(1, repeats + 1):
            found = simulated(build, p, "tree", rounds, CLOUD, "cloud", seed=seed)
            ups.append(p * sum(found.tasks) / len(found.tasks) / found.seconds)
        rows.append([*row, report.spread(ups)])
    print(markdown(["P", "published, s", "speed-up", "flat, s", "speed-up", "tree, s", "speed-up",
                    "tree, tasks as in the cloud: speed-up"], rows))


def histogram(build, ranks, rounds):
    tasks = simulated(build, ranks, "tree", rounds, CLOUD, "cloud", task=420).tasks
    counts = Counter(round(t) for t in tasks)
    if set(counts) - set(MODES + OUTLIERS):
        raise machine.Failure(f"tasks of {sorted(counts)} seconds")
    most = max(counts.values())
    rows = [[f"{t}", "mode" if t in MODES else "outlier", counts[t],
             f"{100 * counts[t] / len(tasks):.1f}", "#" * round(30 * counts[t] / most)]
            for t in MODES + OUTLIERS]
    print(markdown(["s", "", "tasks", "%", ""], rows))


def real(build, ranks, rounds, task, repeats):
    rows, worst = [], 0
    times = {}
    for _ in range(repeats):
        for p in ranks:
            played = [Played(build, p, False, topology=t, rounds=rounds, task=task,
                             clusters=200, dimensions=200) for t in TOPOLOGIES]
            alike(played)
            for topology, one in zip(TOPOLOGIES, played):
                times.setdefault((p, topology), []).append(1e3 * (one.seconds - task))
                worst = max(worst, max(one.tasks) / task)
    for p in ranks:
        rows.append([p, *(report.spread(times[p, t]) for t in TOPOLOGIES),
                     f"{p * task / (task + sorted(times[p, 'tree'])[repeats // 2] / 1e3):.1f}"])
    print(markdown(["P", *(f"{t}, ms" for t in TOPOLOGIES), "tree: speed-up"], rows))
    print(f"Tasks of {1e3 * task:.0f} ms took up to {worst:.2f} times as long: the ranks share "
          f"{len(os.sched_getaffinity(0))} cores.\n")


def run(options, build):
    ranks = (5, 10, 20, 40) if options.quick else (5, 10, 20, 30, 40, 60, 80, 100, 120)
    rounds = 3 if options.quick else 5
    print(f"Simulated ranks; computing is a sleep of {TASK:.0f} s. Seconds of an iteration beside "
          f"it, where a message keeps both ends busy for {CLOUD['message']} s and its bytes at "
          f"{CLOUD['bandwidth'] / 1e6:g} MB/s:\n")
    exchange(build, ranks, rounds, CLOUD, 1, 1)
    print(f"The same in milliseconds, with {1e6 * TODAY['message']:.0f} µs and "
          f"{TODAY['bandwidth'] / 1e9:g} GB/s:\n")
    exchange(build, ranks, rounds, TODAY, 1000, 2)
    print("Weak scaling, 10 iterations:\n")
    weak_scaling(build, ranks[1:] if options.quick else (10, 30, 60, 120), rounds,
                 options.repeats)
    print("Times of tasks, as drawn:\n")
    histogram(build, ranks[-1], rounds)
    print("Real ranks; an iteration of 200 centroids of 200 numbers beside its sleep:\n")
    real(build, (1, 2, 4) if options.quick else (1, 2, 4, 8, 16), 4 if options.quick else 10, 0.1,
         options.repeats)
    sys.stdout.flush()
