"""The parts of a run, in their order."""
import kernels
import limits
import micro
import peers
import tools
import where

KERNELS = list(tools.JOBS)
_SECTIONS = {"limits": limits.run, "micro": micro.run, "kernels": kernels.run, "ranks": tools.ranks, "peers": peers.run,
             "memory": tools.memory, "loading": tools.loading, "growth": tools.growth, "time": where.run}
ALL = list(_SECTIONS)


def run(name, options, build, out):
    _SECTIONS[name](options, build, out)
