"""Runs of tools for the tests of their pages."""

import json
import os
import subprocess
from pathlib import Path

BIN = Path(os.environ["GAS_BIN"])
MPI = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]

# A run of every tool that has --report, on data that it makes itself.
GENERATED = {
    "gas-kmeans": ["--generate", "blobs:n=600,d=64,k=4,spread=0.1", "-k", "4"],
    "gas-lda": ["--generate", "lda:documents=80,words=60,topics=4,length=40,alpha=0.1,beta=0.1",
                "--topics", "4", "--iterations", "40"],
    "gas-logreg": ["--generate",
                   "logistic:examples=400,features=30,nonzeros=8,informative=8,noise=0.1"],
    "gas-lasso": ["--generate",
                  "logistic:examples=400,features=30,nonzeros=8,informative=8,noise=0.1"],
    "gas-pagerank": ["--generate", "uniform:scale=7,degree=4"],
    "gas-components": ["--generate", "uniform:scale=7,degree=1"],
    "gas-paths": ["--generate", "uniform:scale=7,degree=4", "--source", "0"],
    "gas-bfs": ["--generate", "uniform:scale=7,degree=4", "--source", "0"],
    "gas-kcore": ["--generate", "uniform:scale=7,degree=4"],
    "gas-harmonic": ["--generate", "uniform:scale=7,degree=4"],
    "gas-triangles": ["--generate", "uniform:scale=7,degree=4"],
    "gas-labels": ["--generate", "uniform:scale=7,degree=4"],
    "gas-als": ["--generate", "ratings:users=60,items=40,rank=3,density=0.3", "--rank", "3"],
    "gas-partition": ["--generate", "uniform:scale=7,degree=4", "--parts", "3", "--method", "metis"],
}


def start(tool, arguments, ranks=1):
    command = [*(MPI + ["-n", str(ranks)] if ranks > 1 else []), BIN / tool, *map(str, arguments)]
    return subprocess.run(command, capture_output=True)


def reported(folder, tool, arguments, ranks=1, code=0):
    """The summary of a run whose page is FOLDER/page.html and whose files are in FOLDER/out."""
    ran = start(tool, [*arguments, "--report", folder / "page.html", "-o", folder / "out",
                       "--force", "--summary", "json", "--quiet"], ranks)
    assert ran.returncode == code, (ran.returncode, ran.stderr)
    return json.loads(ran.stdout)
