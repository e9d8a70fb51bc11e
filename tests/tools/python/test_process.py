"""What a process notices of gas: imports, MPI, memory, locks, signals."""

import concurrent.futures
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import scipy.sparse

import gas
from gas._graph import edges_of
from gas._input import compressed, dense
from gas._ranks import Ranks


def run(code, **environment):
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
        env={**os.environ, **environment},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


class Import(unittest.TestCase):
    def test_starts_no_mpi_and_loads_little(self):
        out = run(
            "import sys, gas, ctypes\n"
            "gas.KMeans(2, random_state=1).fit([[0.0], [1.0], [5.0]])\n"
            "running = ctypes.c_int(7)\n"
            "ctypes.CDLL('libmpi.so.40').MPI_Initialized(ctypes.byref(running))\n"
            "heavy = {'sklearn', 'scipy', 'pandas', 'mpi4py'} & set(sys.modules)\n"
            "print(running.value, heavy)\n"
        )
        self.assertEqual(out, "0 set()\n")

    def test_is_quick(self):
        """By the processor's time, and against numpy's, as others may use the processor, too."""

        def seconds(module):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run(f"import {module}", OPENBLAS_NUM_THREADS="1")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        least = {module: min(seconds(module) for _ in range(4)) for module in ("numpy", "gas")}
        self.assertLess(least["gas"], 3 * least["numpy"])  # 1.1 to 1.7 times


class End(unittest.TestCase):
    """Python ends while threads compute that it does not wait for."""

    def end_during(self, call):
        run(
            "import gas, numpy as np, threading, time\n"
            "X = np.random.default_rng(1).normal(size=(50000, 20)); y = X[:, 0] > 0\n"
            "a = np.arange(10**5)\n"
            f"def work():\n    while True:\n        {call}\n"
            "threading.Thread(target=work, daemon=True).start()\n"
            "time.sleep(1)\n"
        )

    def test_of_a_run(self):
        self.end_during("gas.page_rank((a, a[::-1] * 7 % 10**5), tol=0, max_iter=10**6)")

    def test_of_short_calls(self):
        self.end_during("gas.MiniBatchKMeans(3).partial_fit(X)")
        self.end_during("gas.OnlineLogisticRegression().fit(X, y)")


class NoMemory(unittest.TestCase):
    def test_is_a_memory_error(self):
        out = run(
            "import gas, numpy as np, resource\n"
            "ends = np.random.default_rng(0).integers(0, 10**6, (2, 10**6))\n"
            "graph = gas.Graph((ends[0], ends[1]))\n"
            "for call in (gas.triangles, gas.k_core):\n"
            "    for megabytes in (20, 40, 80):\n"
            "        held = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
            "        resource.setrlimit(resource.RLIMIT_AS, (held + megabytes * 2**20, -1))\n"
            "        try:\n            call(graph, n_jobs=1)\n"
            "        except MemoryError:\n            print('no memory')\n"
        )
        self.assertIn("no memory", out)


class Borrowed(unittest.TestCase):
    def test_arrays_are_passed_where_they_lie(self):
        for dtype in (np.float32, np.float64):
            X = np.ones((30, 4), dtype)
            self.assertTrue(np.shares_memory(dense(X), X))
            for index in (np.int32, np.int64):
                csr = scipy.sparse.random(30, 20, 0.3, "csr", dtype=dtype, random_state=1)
                csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
                rows = compressed(csr)
                self.assertTrue(np.shares_memory(rows.values, csr.data))
                self.assertTrue(np.shares_memory(rows.columns, csr.indices))
                self.assertTrue(np.shares_memory(rows.offsets, csr.indptr))
        for index in (np.int32, np.int64, np.uint32, np.uint64):
            ends = np.arange(5, dtype=index), np.arange(5, dtype=index)
            given = edges_of(ends, None, None, Ranks())
            self.assertTrue(np.shares_memory(given.sources, ends[0]))
            self.assertTrue(np.shares_memory(given.targets, ends[1]))
        square = scipy.sparse.random(20, 20, 0.3, "csr", random_state=1)
        for matrix, arrays in ((square, "indptr indices data"), (square.tocoo(), "row col data")):
            given = edges_of(matrix, None, None, Ranks())
            for found, name in zip(given, arrays.split()):
                self.assertTrue(np.shares_memory(found, getattr(matrix, name)), name)

    def test_fit_copies_points_once(self):
        """Into the layout that its loops take; a second copy would be 24 MiB more."""
        grown = run(
            "import gas, numpy as np\n"
            "def mebibytes(key):\n"
            "    lines = open('/proc/self/status').read().splitlines()\n"
            "    return int(next(l for l in lines if l.startswith(key)).split()[1]) / 1024\n"
            "X = np.random.default_rng(1).random((200000, 32), dtype=np.float32)\n"
            "gas.KMeans(4, random_state=1, max_iter=2, n_jobs=2).fit(X[:1000])\n"
            "before = mebibytes('VmRSS')\n"
            "gas.KMeans(4, random_state=1, max_iter=5, n_jobs=2).fit(X)\n"
            "print(mebibytes('VmHWM') - before)\n"
        )
        self.assertGreater(float(grown), 24)
        self.assertLess(float(grown), 48)

    def test_calls_by_threads_keep_no_memory(self):
        grown = run(
            "import gas\n"
            "def kibibytes():\n"
            "    return int(open('/proc/self/statm').read().split()[1]) * 4\n"
            "graph = gas.Graph([[i, i * 7 % 500] for i in range(500)])\n"
            "for call in range(2500):\n"
            "    gas.page_rank(graph, n_jobs=2)\n"
            "    before = kibibytes() if call == 500 else before if call > 500 else 0\n"
            "print(kibibytes() - before)\n"
        )
        self.assertLess(float(grown), 4000)  # 7 for each call were 14,000


class Running(unittest.TestCase):
    def setUp(self):
        self.X = np.random.default_rng(1).random((60000, 16), dtype=np.float32)
        self.model = gas.KMeans(800, tol=0, max_iter=10**6, random_state=1)  # takes many seconds

    def test_what_is_learnt_online_is_counted(self):
        """Also where Ctrl-C comes meanwhile: the rows are learnt for all classes."""

        class Pressing:
            """A learner of one class: Ctrl-C comes when it begins to learn."""

            def __init__(self, learner):
                self.learner = learner

            def __getattr__(self, name):
                return getattr(self.learner, name)

            def learn(self, *rows):
                signal.raise_signal(signal.SIGINT)
                return self.learner.learn(*rows)

        X = np.random.default_rng(0).normal(size=(6000, 8)).astype(np.float32)
        y = np.digitize(X[:, 0], [-1, -0.5, 0, 0.5, 1])
        model = gas.OnlineLogisticRegression().partial_fit(X[:1000], y[:1000], classes=range(6))
        model._learners[2] = Pressing(model._learners[2])
        with self.assertRaises(KeyboardInterrupt):
            model.partial_fit(X, y)
        self.assertEqual(model.n_samples_seen_, 7000)
        self.assertEqual({each.examples for each in model._learners}, {7000})
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_ctrl_c_ends_the_run(self):
        def press():
            time.sleep(0.4)
            os.kill(os.getpid(), signal.SIGINT)

        sparse = scipy.sparse.random(3000, 300, 0.2, "csr", random_state=1)
        counts = scipy.sparse.csr_matrix(np.ceil(sparse.toarray() * 5))
        labels = np.random.RandomState(1).randint(2, size=3000)
        dual = gas.LogisticRegression(solver="dual", tol=0, max_iter=10**6)
        ring = gas.Graph((np.arange(1000), (np.arange(1000) + 1) % 1000))
        for endless in (
            lambda: self.model.fit(self.X),
            lambda: gas.LatentDirichletAllocation(20, max_iter=10**6).fit(counts),
            lambda: gas.ALS(20, max_iter=10**6, tol=0).fit(sparse),
            lambda: dual.fit(sparse, labels),
            lambda: gas.page_rank(ring, damping=1, tol=0, max_iter=10**9),
        ):
            presser = threading.Thread(target=press)
            presser.start()
            began = time.monotonic()
            try:
                with self.assertRaises(KeyboardInterrupt):
                    endless()
            finally:
                presser.join()
            self.assertLess(time.monotonic() - began, 20)

    def test_what_a_handler_raises_comes_through(self):
        class Enough(Exception):
            pass

        def handler(number, frame):
            raise Enough

        before = signal.signal(signal.SIGALRM, handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with self.assertRaises(Enough):
                self.model.fit(self.X)
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertFalse(hasattr(self.model, "cluster_centers_"))

    def test_other_threads_run_meanwhile(self):
        counted = [0]
        over = threading.Event()

        def count():
            while not over.wait(0.001):
                counted[0] += 1

        other = threading.Thread(target=count, daemon=True)
        other.start()
        self.model.set_params(max_iter=20).fit(self.X)
        over.set()
        other.join()
        self.assertGreater(counted[0], 20)

    def test_threads_fit_at_once(self):
        expected = gas.KMeans(5, random_state=1).fit(self.X).inertia_
        found = []

        def fit():
            found.append(gas.KMeans(5, random_state=1).fit(self.X).inertia_)

        threads = [threading.Thread(target=fit) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 3)

    def test_threads_share_a_graph(self):
        random = np.random.default_rng(2)
        graph = gas.Graph(
            (random.integers(0, 300, 3000), random.integers(0, 300, 3000)),
            weights=1 / (1 + random.integers(1, 1000, 3000)),
        )
        calls = [
            lambda: gas.page_rank(graph, n_jobs=1),
            lambda: gas.shortest_paths(graph, 0, n_jobs=1),
            lambda: gas.breadth_first_search(graph, 0, n_jobs=1).hops,
        ]
        expected = [call() for call in calls]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda i: calls[i % 3](), range(60)))
        for i, result in enumerate(found):
            np.testing.assert_array_equal(result, expected[i % 3])

    def test_a_forked_process_can_fit(self):
        expected = gas.KMeans(5, random_state=1).fit(self.X).inertia_
        context = multiprocessing.get_context("fork")
        told = context.Queue()

        def fit():
            told.put(gas.KMeans(5, random_state=1).fit(self.X).inertia_)

        child = context.Process(target=fit)
        child.start()
        self.assertEqual(told.get(timeout=60), expected)
        child.join()

    def test_threads_as_asked_for(self):
        from gas._ranks import threads_of

        cores = len(os.sched_getaffinity(0))
        self.assertEqual([threads_of(n) for n in (-1, 1, 3, -2)], [0, 1, 3, max(1, cores - 1)])
        self.assertEqual(threads_of(None), int(os.environ.get("OMP_NUM_THREADS", 0)))
        code = "import gas._ranks\nwith gas._ranks.Ranks().session(None) as s: print(s.threads)"
        self.assertEqual(run(code, OMP_NUM_THREADS="3"), "3\n")
        code = (
            "import gas\n"
            "try: gas.KMeans(1).fit([[1.0], [2.0]])\n"
            "except gas.UsageError as error: print(error)"
        )
        self.assertEqual(
            run(code, OMP_NUM_THREADS="100000"),
            "OMP_NUM_THREADS: found 100000, expected at most 4096\n",
        )


if __name__ == "__main__":
    unittest.main()
