"""What the Python package says of models and graphs, held against scikit-learn, gensim and networkx on
the same data. What is not installed is skipped, by name; figures that differ end the run."""
import json
import os

import blas
import machine
from peer_process import environment, has

CHILD = os.path.join(os.path.dirname(os.path.realpath(__file__)), "figures_child.py")
SIZES = {  # rows of points and examples, documents, vertices
    "tiny": (300, 60, 60), "quick": (1000, 200, 300), "full": (4000, 1000, 1000)}


def run(options, build, out):
    package = os.path.join(build.folder, "python")
    if not os.path.isdir(package):
        out.say("Figures: the Python package is not built, skipped")
        return
    rows, wrong = [], []
    for peer, module in (("scikit-learn", "sklearn"), ("gensim", "gensim"),
                         ("networkx", "networkx")):
        if not has(module):
            out.say(f"Figures: {peer} is not installed, skipped")
            continue
        told = machine.output(
            [blas.PYTHON, CHILD], env={**environment(2), "PYTHONPATH": package},
            input=json.dumps({"peer": peer, "sizes": SIZES[options.size]}) + "\n")
        found = json.loads(told.splitlines()[-1])
        for what, ours, theirs, most in found:
            difference = abs(ours - theirs) / max(abs(theirs), 1e-300) if ours != theirs else 0
            if not difference <= most:
                wrong.append(f"{what}: ours {ours}, {peer}'s {theirs}")
            rows.append([what, peer, f"{ours:.10g}", f"{theirs:.10g}", f"{difference:.1e}",
                         f"{most:.0e}"])
            out.record(section="figures", case=what, who=peer, ours=ours, peer=theirs)
    out.title("Figures, held against other programs")
    out.table(["figure", "peer", "ours", "theirs", "relative difference", "at most"], rows)
    if wrong:
        raise machine.Failure("\n".join(wrong))
