"""A classifier of pictures by mini-batches, beside numpy; the regret of asynchronous gradient descent
on a convex loss, by ranks and staleness."""
import math
import os
import re
import statistics
import subprocess
import tempfile

import machine
from lineage_shared import FASHION, child, markdown


def program(build, name, arguments, ranks):
    binary = os.path.join(build.folder, "tests", "docs", name)
    if not os.path.exists(binary):
        raise machine.Failure(f"{binary} is not there: cmake --build build --target "
                              f"example_{name} (with -DGAS_TESTS=ON)")
    command = [*machine.launcher_of(ranks, 1), binary, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **machine.AS_ROOT})
    if done.returncode != 0:
        raise machine.Failure(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def slope(points):
    """Of the straight line through these, logarithms of both, by least squares."""
    logs = [(math.log(t), math.log(regret)) for t, regret in points]
    middle = [sum(column) / len(logs) for column in zip(*logs)]
    return (sum((x - middle[0]) * (y - middle[1]) for x, y in logs)
            / sum((x - middle[0]) ** 2 for x, _ in logs))


def regret(options, build, folder):
    rounds = 512 if options.quick else 4096
    data = f"{folder}/rows.npy"
    child("planted", 8 * rounds, data)
    rows = []
    for ranks in (1, 2, 4):
        for bound in ("0", "1", "4", "16"):
            if ranks == 1 and bound != "0":
                continue  # nothing is ever stale
            text = program(build, "online_regret", [data, bound, 1, 8, 2 if ranks > 1 else 0], ranks)
            points = [tuple(map(float, line)) for line in re.findall(r"^(\d+) (\S+) \S+$", text, re.M)]
            mean, most = re.search(r"lag mean (\S+) most (\d+)", text).groups()
            found = slope(points)
            if found > 0.6:
                raise machine.Failure(f"{ranks} ranks, staleness {bound}: a slope of {found}")
            rows.append([ranks, bound, f"{mean}; {most}", f"{points[0][1]:.3g}",
                         f"{points[-1][1]:.3g}", f"{found:.3f}"])
    print(markdown(["ranks", "staleness", "lag seen, mean; most", "regret after 32 rounds",
                    f"after {rounds:,}", "slope on log axes"], rows))


def classifier(options, build):
    """784–100–10 units, batches of 100, rate 0.05, momentum 0.9."""
    if not os.path.exists(FASHION):
        print(f"No pictures: install dataset-fashion-mnist, which has {FASHION}.\n")
        return
    epochs = 2 if options.quick else 15
    files = [f"{FASHION}/{name}-ubyte.gz" for name in
             ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")]
    rows, losses = [], {}
    for seed in range(1, options.repeats + 1):
        peer, accuracy = map(float, child("classifier", 100, epochs, 100, 0.05, 0.9, seed))
        rows.append([seed, "numpy", "", f"{100 * accuracy:.2f}", f"{peer:.3f}", ""])
        for ranks in (1, 2, 4):
            text = program(build, "image_classifier",
                           [*files, 100, epochs, 100, 0.05, 0.9, 4, seed], ranks)
            loss = re.findall(r"loss (\S+)", text)
            if losses.setdefault(seed, loss) != loss:
                raise machine.Failure(f"seed {seed}: {ranks} ranks have other losses than 1")
            ends = [0, *map(float, re.findall(r"seconds (\S+)", text))]
            spent = statistics.median(b - a for a, b in zip(ends, ends[1:]))
            right = float(re.search(r"accuracy (\S+)", text)[1])
            rows.append([seed, f"{ranks} ranks", f"{float(loss[-1]):.4f}", f"{100 * right:.2f}",
                         f"{spent:.3f}", f"{spent / peer:.2f}"])
    print(markdown(["seed", "", f"loss in epoch {epochs}", "right of 10,000 test pictures, %",
                    "seconds per epoch, median", "÷ numpy"], rows))


def run(options, build):
    classifier(options, build)
    with tempfile.TemporaryDirectory() as folder:
        regret(options, build, folder)
