"""The ranks and threads that a call runs on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from . import _gas
from ._gas import InputError, UsageError
from ._parameters import is_whole

T = TypeVar("T")


def threads_of(n_jobs: int | None) -> int:
    """How many threads n_jobs asks for; 0: all cores, those of the host shared out among its ranks.

    None means all, too, unless OMP_NUM_THREADS says how many: joblib sets it in its processes.
    """
    if n_jobs is None:
        told = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
        return int(told) if told.isdigit() else 0
    if not is_whole(n_jobs) or n_jobs == 0:
        raise UsageError(f"n_jobs: found {n_jobs!r}, expected None or a whole number other than 0")
    if n_jobs > 4096:
        raise UsageError(f"n_jobs: found {n_jobs}, expected at most 4096")
    if n_jobs == -1:
        return 0
    return n_jobs if n_jobs > 0 else max(1, len(os.sched_getaffinity(0)) + 1 + n_jobs)


@contextmanager
def session_of(communicator: int | None, n_jobs: int | None) -> Iterator[_gas.Session]:
    session = _gas.Session(communicator, threads_of(n_jobs))
    try:
        yield session
    except InputError as error:
        if "found nan" in str(error):  # C++ writes it so
            raise InputError(str(error).replace("found nan", "found NaN")) from None
        raise
    finally:
        session.close()


class Ranks:
    """This process alone, or the ranks of a communicator of mpi4py, which then all do the same."""

    def __init__(self, comm: Any = None):
        self.comm = comm
        if comm is not None and not (hasattr(comm, "py2f") and hasattr(comm, "allgather") and comm):
            raise UsageError(f"comm: found {comm!r}, expected None or a communicator of mpi4py")

    @property
    def alone(self) -> bool:
        return self.comm is None

    @property
    def rank(self) -> int:
        return 0 if self.comm is None else int(self.comm.rank)

    @property
    def leads(self) -> bool:
        return self.rank == 0

    def all(self, mine: T) -> list[T]:
        """Every rank's, by rank."""
        everyones: list[T] = [mine] if self.comm is None else self.comm.allgather(mine)
        return everyones

    def first(self, mine: T) -> T:
        """That of rank 0, on all ranks."""
        of_first: T = mine if self.comm is None else self.comm.bcast(mine, root=0)
        return of_first

    def alike(self, what: str, mine: Any) -> None:
        """UsageError on all ranks unless all have the same."""
        everyones = self.all(mine)
        for rank, theirs in enumerate(everyones):
            if theirs != everyones[0]:
                raise UsageError(
                    f"{what}: found {everyones[0]} on rank 0 and {theirs} on rank {rank}, expected "
                    "the same on all ranks"
                )

    def together(self, work: Callable[[], T]) -> T:
        """Does the work on every rank. Where it fails on some, the error of the first is raised on
        all, so that no rank waits for one that has given up."""
        if self.comm is None:
            return work()
        error = result = None
        try:
            result = work()
        except Exception as raised:  # pylint: disable=broad-except
            error = raised
        for raised_there in self.all(error):
            if raised_there is not None:
                raise raised_there
        return result  # type: ignore[return-value]

    @contextmanager
    def session(self, n_jobs: int | None) -> Iterator[_gas.Session]:
        with session_of(None if self.comm is None else self.comm.py2f(), n_jobs) as session:
            yield session
