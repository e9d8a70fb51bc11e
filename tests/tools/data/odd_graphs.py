#!/usr/bin/env python3
"""Runs gas-components, gas-kcore and gas-pagerank on the odd graphs of odd_graphs.json at 1, 2 and 3
ranks: against the answers written there and, where networkx is installed, against what it finds. Those
that are one graph in several formats must give the same bytes. So must the data of two kinds in
same_data.json."""
import gzip
import itertools
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

BIN, HERE = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
TOOLS = {"gas-components": ("components.npy", "q"), "gas-kcore": ("cores.npy", "i"),
         "gas-pagerank": ("ranks.npy", "d")}
os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
EXACT = ["--tolerance", "1e-13", "--iterations", "1000"]


def read_case(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return json.load(file)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def write_files(folder, files):
    for name, text in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text.encode("utf-8"))
    return [os.path.join(folder, name) for name in files]


class Runs:
    """Command lines to run at 1, 2 and 3 ranks: alone, and those of several ranks in one mpirun."""

    def __init__(self):
        self.jobs = {1: [], 2: [], 3: []}
        self.code, self.said = {}, {1: {}, 2: "", 3: ""}

    def add(self, ranks, folder, tool, arguments):
        self.jobs[ranks].append((folder, tool, *arguments))
        return ranks, len(self.jobs[ranks]) - 1

    def alone(self, number):
        folder, tool, *arguments = self.jobs[1][number]
        run = subprocess.run([os.path.join(BIN, tool), *arguments], cwd=folder, check=False,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.code[1, number] = run.returncode
        self.said[1][number] = run.stderr

    def together(self, ranks, file):
        with open(file, "w", encoding="utf-8") as lines:
            lines.writelines("\x1f".join(job) + "\n" for job in self.jobs[ranks])
        run = subprocess.run(["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1",
                              "-n", str(ranks), os.path.join(BIN, "gas-batch"), file],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        for number, code in enumerate(run.stdout.split()):
            self.code[ranks, number] = int(code)
        self.said[ranks] = run.stderr

    def all(self, folder):
        for ranks in 2, 3:
            self.together(ranks, os.path.join(folder, "jobs-%d" % ranks))
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(self.alone, range(len(self.jobs[1]))))

    def failure(self, run):
        """Why a run did not end well, or nothing."""
        ranks, number = run
        if self.code.get(run) == 0:
            return None
        said = self.said[1][number] if ranks == 1 else self.said[ranks][-2000:]
        return "exit %s: %s" % (self.code.get(run, "of the batch before"), said.strip())


def read_npy(path, letter):
    data = read_bytes(path)
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


def prepare(case, folder, runs):
    """Adds the runs of a case: which they are, by tool and ranks."""
    inputs = write_files(folder, case.get("files") or {case.get("file", "graph"): case["text"]})
    if case.get("gzip"):
        data = gzip.compress(read_bytes(inputs[0]))
        with open(inputs[0], "wb") as file:
            file.write(data)
    write_files(folder, case.get("beside", {}))
    added = {}
    for tool, ranks in itertools.product(TOOLS, (1, 2, 3)):
        arguments = inputs + ["-o", os.path.join(folder, "%s-%d" % (tool, ranks)), "--quiet"]
        arguments += case.get("options", []) + case.get(tool, [])
        arguments += EXACT if tool == "gas-pagerank" else []
        added[tool, ranks] = runs.add(ranks, folder, tool, arguments)
    return added


def check(case, folder, runs, added):
    """Failures, and the bytes of the results by tool and ranks."""
    failures, results = [], {}
    answers = [(case["answers"], 2e-6)]
    if networkx:
        answers.append((theirs(case), 1e-9))
    for (tool, ranks), run in added.items():
        out = os.path.join(folder, "%s-%d" % (tool, ranks))
        where = "%s: %s on %d ranks" % (case["name"], tool, ranks)
        if failure := runs.failure(run):
            failures.append("%s: %s" % (where, failure))
            continue
        file, letter = TOOLS[tool]
        results[tool, ranks] = read_bytes(os.path.join(out, file))
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
    return failures, results


def prepare_same(group, given, folder, runs):
    """Adds the runs of one INPUT of a group: which they are, by ranks."""
    inputs = write_files(folder, given["files"])
    write_files(folder, given.get("beside", {}))
    return {ranks: runs.add(ranks, folder, group["tool"],
                            inputs + ["-o", os.path.join(folder, str(ranks)), "--quiet"] +
                            group["options"] + given.get("options", []))
            for ranks in (1, 2, 3)}


def check_same(group, given, folder, runs, added):
    """Failures, and the bytes of the results by ranks."""
    failures, results = [], {}
    for ranks, run in added.items():
        out = os.path.join(folder, str(ranks))
        where = "%s: %s on %d ranks" % (group["name"], given["name"], ranks)
        if failure := runs.failure(run):
            failures.append("%s: %s" % (where, failure))
            continue
        results[ranks] = [read_bytes(os.path.join(out, name)) for name in group["outputs"]]
        answer = group.get("answer")
        if answer:
            found = read_npy(os.path.join(out, answer["file"]), answer["letter"])
            if not close(found, answer["values"], 1e-5):
                failures.append("%s: found %s, expected %s" % (where, found, answer["values"]))
    return failures, results


def differences(named_results):
    """Results of the same that are not those of the first."""
    first_name, first = named_results[0]
    return ["%s: other bytes than %s: %s" % (name, first_name, key)
            for name, results in named_results[1:] for key in first
            if results.get(key) != first[key]]


def main():
    cases, groups = read_case("odd_graphs.json"), read_case("same_data.json")
    inputs = [(group, given) for group in groups for given in group["inputs"]]
    runs = Runs()
    with tempfile.TemporaryDirectory() as whole:
        def folder():
            return tempfile.mkdtemp(dir=whole)
        graphs = [(case, made := folder(), runs, prepare(case, made, runs)) for case in cases]
        data = [(group, given, made := folder(), runs, prepare_same(group, given, made, runs))
                for group, given in inputs]
        runs.all(whole)
        checked = [check(*graph) for graph in graphs]
        checked_same = [check_same(*one) for one in data]
    failures = [text for texts, _ in checked + checked_same for text in texts]
    same = {}
    for case, (_, results) in zip(cases, checked):
        if "same" in case:
            same.setdefault(case["same"], []).append((case["name"], results))
    for (group, given), (_, results) in zip(inputs, checked_same):
        same.setdefault(group["name"], []).append((given["name"], results))
        if group.get("ranks_alike") and any(found != results[1] for found in results.values()):
            failures.append("%s: %s: other bytes on other ranks" % (group["name"], given["name"]))
    for named_results in same.values():
        failures += differences(named_results)
    print("\n".join(failures))
    print("%d graphs, %d INPUT of two kinds, %d failures, %s networkx" %
          (len(cases), len(inputs), len(failures), "with" if networkx else "without"))
    sys.exit(1 if failures or len(cases) < 25 or len(same) < 3 else 0)


main()
