"""The regret of asynchronous gradient descent on a convex loss, by ranks and staleness."""
import math
import os
import re
import subprocess
import tempfile

import machine
from lineage_shared import child, markdown


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


def run(options, build):
    with tempfile.TemporaryDirectory() as folder:
        regret(options, build, folder)
