#!/usr/bin/env python3
"""Runs gas-components, gas-kcore and gas-pagerank on the odd graphs of odd_graphs.json at 1, 2 and 3
ranks: against the answers written there and, where networkx is installed, against what it finds."""
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

try:
    import networkx
    from networkx.algorithms.link_analysis import pagerank_alg
except ImportError:
    networkx = None

BIN, CASES = sys.argv[1], os.path.join(os.path.dirname(os.path.abspath(__file__)), "odd_graphs.json")
TOOLS = {"gas-components": ("components.npy", "q"), "gas-kcore": ("cores.npy", "i"),
         "gas-pagerank": ("ranks.npy", "d")}
os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
EXACT = ["--tolerance", "1e-13", "--iterations", "1000"]


def read_npy(path, letter):
    with open(path, "rb") as file:
        data = file.read()
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(letter), letter), data))


def theirs(case):
    """Labels, cores and ranks by networkx, in the order of the case's ids."""
    ids, arcs = case["ids"], []
    for source, target, weight in case["edges"]:
        arcs.append((source, target, weight))
        if case.get("pairs") and source != target:
            arcs.append((target, source, weight))
    links, joined = networkx.DiGraph(), networkx.Graph()
    for graph in links, joined:
        graph.add_nodes_from(ids)
    for source, target, weight in arcs:
        before = links.get_edge_data(source, target, {"weight": 0})["weight"]
        links.add_edge(source, target, weight=before + weight)
        if source != target:
            joined.add_edge(source, target)
    row = {name: i for i, name in enumerate(ids)}
    labels = [0] * len(ids)
    for component in networkx.weakly_connected_components(links):
        for name in component:
            labels[row[name]] = min(row[other] for other in component)
    cores = networkx.core_number(joined) if ids else {}
    ranks = pagerank_alg._pagerank_python(links, tol=1e-14, max_iter=1000) if ids else {}
    return {"gas-components": labels, "gas-kcore": [cores[name] for name in ids],
            "gas-pagerank": [ranks[name] for name in ids]}


def close(found, expected, tolerance):
    return len(found) == len(expected) and all(
        abs(a - b) <= tolerance for a, b in zip(found, expected))


def check(case):
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, case.get("file", "graph"))
        data = case["text"].encode("utf-8")
        with open(name, "wb") as file:
            file.write(gzip.compress(data) if case.get("gzip") else data)
        for extra, text in case.get("beside", {}).items():
            with open(os.path.join(folder, extra), "w", encoding="utf-8") as file:
                file.write(text)
        answers = [(case["answers"], 2e-6)]
        if networkx:
            answers.append((theirs(case), 1e-9))
        for tool, (file, letter) in TOOLS.items():
            for ranks in 1, 2, 3:
                out = os.path.join(folder, "%s-%d" % (tool, ranks))
                command = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n",
                           str(ranks)] if ranks > 1 else []
                command += [os.path.join(BIN, tool), name, "-o", out, "--quiet"]
                command += case.get("options", []) + case.get(tool, [])
                command += EXACT if tool == "gas-pagerank" else []
                run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL,
                                     capture_output=True, text=True, check=False)
                where = "%s: %s on %d ranks" % (case["name"], tool, ranks)
                if run.returncode != 0:
                    failures.append("%s: exit %d: %s" % (where, run.returncode, run.stderr.strip()))
                    continue
                found = read_npy(os.path.join(out, file), letter)
                for expected, tolerance in answers:
                    if not close(found, expected[tool], tolerance):
                        failures.append("%s: found %s, expected %s" % (where, found, expected[tool]))
                ids = os.path.join(out, "ids.txt")
                names = [str(i) for i in range(len(case["ids"]))]
                if os.path.exists(ids):
                    with open(ids, encoding="utf-8") as file_of_ids:
                        names = file_of_ids.read().split("\n")[:-1]
                if names != case["ids"]:
                    failures.append("%s: ids %s, expected %s" % (where, names, case["ids"]))
    return failures


def main():
    with open(CASES, encoding="utf-8") as file:
        cases = json.load(file)
    with ThreadPoolExecutor(2) as pool:
        failures = [text for texts in pool.map(check, cases) for text in texts]
    print("\n".join(failures))
    print("%d graphs, %d failures, %s networkx" %
          (len(cases), len(failures), "with" if networkx else "without"))
    sys.exit(1 if failures or len(cases) < 25 else 0)


main()
