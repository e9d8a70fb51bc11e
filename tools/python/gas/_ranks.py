"""The ranks and threads that a call runs on."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from . import _gas
from ._gas import InputError, RunError, UsageError
from ._parameters import is_whole, seed_of, told

T = TypeVar("T")

MOST_THREADS = 4096

# What errors of C++ say otherwise.
NAMES = (
    ("found nan", "found NaN"),
    ("(--resume, checkpoint.resume)", "(resume=True)"),
    ("--resume (checkpoint.resume)", "resume=True"),
    ("a checkpoint with draws of seed", "a checkpoint with random_state"),
    ("left_out leaves", "heldout leaves"),
)


def threads_of(n_jobs: int | None) -> int:
    """How many threads n_jobs asks for; 0: all cores, those of the host shared out among its ranks.

    None means all, too, unless OMP_NUM_THREADS says how many: joblib sets it in its processes.
    """
    if n_jobs is None:
        told = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
        if told.isdigit() and int(told) > MOST_THREADS:
            raise UsageError(f"OMP_NUM_THREADS: found {told}, expected at most {MOST_THREADS}")
        return int(told) if told.isdigit() else 0
    if not is_whole(n_jobs) or n_jobs == 0:
        raise UsageError(f"n_jobs: found {n_jobs!r}, expected None or a whole number other than 0")
    if n_jobs > MOST_THREADS:
        raise UsageError(f"n_jobs: found {n_jobs}, expected at most {MOST_THREADS}")
    if n_jobs == -1:
        return 0
    return n_jobs if n_jobs > 0 else max(1, len(os.sched_getaffinity(0)) + 1 + n_jobs)


def _that_travels(error: Exception) -> Exception:
    """The error, or what it says if it cannot be sent to other ranks."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # pylint: disable=broad-except
        pass
    return RunError(f"{type(error).__name__}: {error}")


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt when this ends. A handler of the user's own stays."""
    came = False

    def note(*_: Any) -> None:
        nonlocal came
        came = True

    if not _default_interrupts():
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt


def _default_interrupts() -> bool:
    """Does Ctrl-C raise KeyboardInterrupt here?"""
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


class Ranks:
    """This process alone, or the ranks of a communicator of mpi4py, which then all do the same."""

    def __init__(self, comm: Any = None):
        self.comm = comm
        if comm is not None and not (hasattr(comm, "py2f") and hasattr(comm, "allgather") and comm):
            raise UsageError(f"comm: found {comm!r}, expected None or a communicator of mpi4py")
        if comm is not None and getattr(comm, "is_inter", False):
            raise UsageError("comm: found an intercommunicator, expected one of a single group")

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

    def alike(self, mine: dict[str, str | None], error: type[Exception] = UsageError) -> None:
        """The error on all ranks unless each name has one text on all; None is like any."""
        everyones = self.all(mine)
        for name in mine:
            texts = [(rank, theirs[name]) for rank, theirs in enumerate(everyones)]
            texts = [(rank, text) for rank, text in texts if text is not None]
            for rank, text in texts:
                first, expected = texts[0]
                if text != expected:
                    raise error(
                        f"{name}: found {expected} on rank {first} and {text} on rank {rank}, "
                        "expected the same on all ranks"
                    )

    def agree(self, **options: Any) -> None:
        """UsageError on all ranks unless all were given the same options. Collective; what is wrong
        with an option is then wrong on all ranks."""
        if not self.alone:
            self.alike({name: told(value) for name, value in options.items()})

    def seed(self, random_state: Any) -> int:
        """That of rank 0."""
        return self.first(self.together(lambda: seed_of(random_state)))

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
        for raised_there in self.all(None if error is None else _that_travels(error)):
            if raised_there is not None:
                raise raised_there from error
        return result  # type: ignore[return-value]

    @contextmanager
    def interrupted_together(self) -> Iterator[Callable[[], None]]:
        """On several ranks: Ctrl-C waits until all call what this gives, which then raises
        KeyboardInterrupt on all; else a rank would wait for one that has given up. A handler of
        the user's own stays. Collective."""
        came = False

        def note(*_: Any) -> None:
            nonlocal came
            came = True

        def look() -> None:
            if self.comm is not None and any(self.all(came)):
                raise KeyboardInterrupt

        waits = self.comm is not None and _default_interrupts()
        if waits:
            signal.signal(signal.SIGINT, note)
        try:
            yield look
            look()
        finally:
            if waits:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    @contextmanager
    def session(self, n_jobs: int | None) -> Iterator[_gas.Session]:
        threads = self.together(lambda: threads_of(n_jobs))
        session = _gas.Session(None if self.comm is None else self.comm.py2f(), threads)
        try:
            yield session
        except (InputError, RunError, UsageError) as error:
            text = str(error)
            for there, here in NAMES:
                text = text.replace(there, here)
            if session.ranks == 1:
                text = text.replace(" of a rank's share", "")
            if text != str(error):
                raise type(error)(text) from None
            raise
        finally:
            session.close()
