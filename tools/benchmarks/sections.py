"""The parts of a run, in their order."""
import kernels

KERNELS = kernels.NAMES
_SECTIONS = {"kernels": kernels.run}
ALL = list(_SECTIONS)


def run(name, options, build, out):
    _SECTIONS[name](options, build, out)
