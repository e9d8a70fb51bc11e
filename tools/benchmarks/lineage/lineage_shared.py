"""What the experiments of tools/lineage share."""
import os

import blas
import machine
from peer_process import environment

CHILD = os.path.join(os.path.dirname(os.path.realpath(__file__)), "lineage_child.py")
FASHION = "/usr/share/datasets/fashion-mnist"  # of Debian's dataset-fashion-mnist


def child(what, *arguments, threads=1):
    """What a peer in numpy says, by OpenBLAS' fastest kernel."""
    command = [blas.PYTHON, CHILD, what, *map(str, arguments)]
    return machine.output(command, env=environment(threads)).split()


def markdown(columns, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [columns, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:], ""])
