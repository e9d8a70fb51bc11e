"""The parts of a run, in their order."""
import argparse
import time

import activity
import estimates
import estimators
import figures
import graph_peers
import kernels
import limits
import micro
import orders
import partitions
import peers
import tools
import where

KERNELS = (*kernels.NAMES, "harmonic", "lasso")
# And about how many seconds each takes on two processors, in full.
_SECTIONS = {"limits": (limits.run, 15), "kernels": (kernels.run, 310),
             "activity": (activity.run, 60), "ranks": (tools.ranks, 550), "peers": (peers.run, 240),
             "graphs": (graph_peers.run, 750), "orders": (orders.run, 300),
             "estimators": (estimators.run, 90), "figures": (figures.run, 60),
             "memory": (tools.memory, 120), "estimates": (estimates.run, 90), "loading": (tools.loading, 60),
             "growth": (tools.growth, 100), "micro": (micro.run, 60), "time": (where.run, 80),
             "partitions": (partitions.run, 300)}
ALL = list(_SECTIONS)
QUICK = 30  # seconds that a section takes on small inputs
_begin = time.monotonic()


def run_all(options, build, out):
    """Sections for which not enough of --minutes is left run on small inputs."""
    names = [name for name in ALL if name in options.sections]
    for at, name in enumerate(names):
        run, seconds = _SECTIONS[name]
        left = 60 * options.minutes - (time.monotonic() - _begin) - QUICK * len(names[at + 1:])
        given = options
        if options.size == "full" and not options.kernel and left < seconds:
            out.say(f"\nOf {options.minutes:g} minutes too little is left: {name} on small inputs.")
            given = argparse.Namespace(**{**vars(options), "size": "quick"})
        run(given, build, out)
