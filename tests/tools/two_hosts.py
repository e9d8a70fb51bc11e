"""BIN TOP: the tools on two hosts, made by tools/two-hosts. Ends with 77 where that cannot be."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BIN, TOP = map(pathlib.Path, sys.argv[1:3])
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(words, two=(), code=0):
    launch = [TOP / "tools/two-hosts", *two] if two is not None else []
    done = subprocess.run([str(word) for word in [*launch, *words]], capture_output=True, text=True, timeout=60,
                          check=False)
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)
    assert done.returncode == code, (words, done)
    return done


def check(folder):
    graph, own = folder / "graph/graph.txt", folder / "own"
    own.mkdir()
    run([BIN / "gas-generate", "uniform:scale=10,degree=6,seed=3", "-o", graph.parent, "--quiet"], two=None)
    hosts = run(["mpirun", "-n", "4", "hostname"]).stdout.split()
    assert len(hosts) == 4 and len(set(hosts)) == 2, hosts

    tool = [BIN / "gas-pagerank", graph, "--threads", "1", "--quiet", "-o"]
    ranks = run([*tool, folder / "one"], two=None) and (folder / "one/ranks.npy").read_bytes()
    run(["mpirun", "-n", "4", *tool, folder / "two"])
    assert (folder / "two/ranks.npy").read_bytes() == ranks
    run([BIN / "gas-run", "-n", "4", "--", *tool, folder / "watched"])
    assert (folder / "watched/ranks.npy").read_bytes() == ranks

    # Hosts that share no folder for checkpoints: told, and gathered if asked.
    saves = ["mpirun", "-n", "4", *tool, folder / "saved", "--checkpoint", own / "saved", "--checkpoint-every", "3"]
    refused = run(saves, ["--unshared", own], 1).stderr
    assert "not all ranks see this folder" in refused, refused
    run([*saves, "--checkpoint-gather"], ["--unshared", own])
    assert (folder / "saved/ranks.npy").read_bytes() == ranks

    # A rank that dies on the other host is named with its host, and the run goes on.
    fault = next(BIN.parent.rglob("libgas_fault.so"))
    dies = run(["env", f"LD_PRELOAD={fault}", f"GAS_FAULT_BELOW={folder}", "GAS_KILLS=3:message:40",
                f"GAS_KILLED={folder}/killed", BIN / "gas-run", "-n", "4", "--restarts", "1", "--mpirun",
                "-x LD_PRELOAD -x GAS_FAULT_BELOW -x GAS_KILLS -x GAS_KILLED", "--",
                *tool, folder / "again", "--checkpoint", folder / "kept", "--checkpoint-every", "2"])
    assert re.search(r"rank 3 of 4 was killed \(SIGKILL\).* on gas-", dies.stderr), dies.stderr
    assert "restart 1 of 1" in dies.stderr, dies.stderr
    assert (folder / "again/ranks.npy").read_bytes() == ranks


with tempfile.TemporaryDirectory() as work:
    check(pathlib.Path(work))
