"""What the pages of the tools say, held against the files of the same run and other arithmetic."""

import base64
import json
import re
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped

import page
import runs


def decoded(source):
    """The grey values of a picture without filters."""
    data = base64.b64decode(source.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        size = int.from_bytes(data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == int.from_bytes(data[at + 8 + size:at + 12 + size])
        chunks[kind], at = body, at + 12 + size
    width, height = int.from_bytes(chunks[b"IHDR"][:4]), int.from_bytes(chunks[b"IHDR"][4:8])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:]


def entropy(p):
    return -(p * np.log2(np.where(p > 0, p, 1))).sum()


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def generate(self, spec):
        ran = runs.start("gas-generate", [spec, "-o", self.folder / "data", "--quiet"])
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return self.folder / "data"

    def report(self, tool, arguments, ranks=1):
        self.summary = runs.reported(self.folder, tool, arguments, ranks)
        return page.check(self.folder / "page.html")

    def written(self, name):
        return np.load(self.folder / "out" / name)

    def check_bins(self, rows, values):
        """Rows of from, to, count are a histogram of all values."""
        edges = [row[0] for row in rows] + [np.inf]
        self.assertEqual(sum(row[2] for row in rows), len(values))
        for row, low, high in zip(rows, edges, edges[1:]):
            self.assertEqual(row[2], np.count_nonzero((values >= low) & (values < high)))
            self.assertLessEqual(row[0], row[1])
        self.assertGreaterEqual(rows[-1][1], values.max())

    def test_k_means(self):
        data = self.generate("blobs:n=500,d=64,k=5,spread=0.2")
        points = np.load(data / "points.npy").astype(float)
        for ranks in (1, 2, 4):
            shown = self.report("gas-kmeans", [data / "points.npy", "-k", "5"], ranks)
            centres, labels = self.written("centroids.npy").astype(float), self.written("assignments.npy")
            rows = shown.table("Clusters by size")
            self.assertEqual(sorted(int(row[0]) for row in rows), list(range(5)))
            self.assertEqual([row[2] for row in rows], sorted((row[2] for row in rows), reverse=True))
            between = np.linalg.norm(centres[:, None] - centres[None], axis=2)
            np.fill_diagonal(between, np.inf)
            for row, image in zip(rows, shown.every("img"), strict=True):
                cluster = int(row[0])
                mine = points[labels == cluster]
                self.assertEqual(row[2], len(mine))
                spread = np.sqrt(((mine - centres[cluster]) ** 2).sum(axis=1).mean())
                self.assertAlmostEqual(row[4], spread, places=5)
                self.assertEqual(int(row[5]), between[cluster].argmin())
                self.assertAlmostEqual(row[6], between[cluster].min(), places=5)
                centre = centres[cluster]
                grey = np.rint(255 * (centre - centre.min()) / (centre.max() - centre.min()))
                self.assertLessEqual(np.abs(decoded(image["src"]).ravel() - grey).max(), 1)
                self.assertEqual(image["alt"], f"Centre {cluster}")
        (self.folder / "out").rename(self.folder / "model")
        shown = self.report("gas-kmeans", [data / "points.npy", "--model", self.folder / "model",
                                           "--apply"], 2)
        self.assertEqual(sum(row[2] for row in shown.table("Clusters by size")), 500)

    def test_topics(self):
        data = self.generate("lda:documents=120,words=90,topics=5,length=60,alpha=0.1,beta=0.1")
        vocabulary = (data / "vocab.txt").read_text().split()
        for ranks in (1, 2):
            shown = self.report("gas-lda", [data / "docword.txt", "--topics", "5", "--iterations",
                                            "60", "--vocabulary", data / "vocab.txt"], ranks)
            phi = self.written("topic_word.npy").astype(float)
            theta = self.written("document_topic.npy")
            sizes = {int(row[0].split()[1]): row for row in shown.table("Tokens of each topic")}
            tokens = np.array([sizes[k][1] for k in range(5)])
            self.assertEqual(tokens.sum(), self.summary["tokens"])
            # θ is (n_dk + α) / (n_d + Kα), from which the tokens of each topic follow.
            lengths = np.zeros(120)
            for line in (data / "docword.txt").read_text().splitlines()[3:]:
                d, _, count = map(int, line.split())
                lengths[d - 1] += count
            counted = (theta * (lengths + 0.5)[:, None] - 0.1).sum(axis=0)
            np.testing.assert_allclose(tokens, counted, atol=0.01)
            share = (tokens / tokens.sum()) @ phi
            self.check_words(shown, phi, share, vocabulary)
            self.check_map(shown, phi, sizes)
            cards = re.findall(r"<h3>Topic (\d+)</h3>.*?Shown best by: (.*?)</p>", shown.source)
            self.assertEqual(len(cards), 5)
            for topic, documents in cards:
                best = sorted(range(120), key=lambda d: -theta[d, int(topic)])
                listed = [int(d) - 1 for d in documents.split(", ")]
                np.testing.assert_allclose(theta[listed, int(topic)],
                                           theta[best[:3], int(topic)], rtol=1e-5)
            perplexity = re.search(r"minus the objective: ([\d.]+)\.", shown.text)[1]
            self.assertAlmostEqual(float(perplexity), np.exp(-self.summary["objective"]), places=3)

    def test_several_numbers_of_topics(self):
        data = self.generate("lda:documents=120,words=90,topics=5,length=60,alpha=0.1,beta=0.1")
        for ranks in (1, 2):
            shown = self.report("gas-lda", [data / "docword.txt", "--topics", "3,5,2", "--iterations",
                                            "30", "--heldout", "0.2"], ranks)
            rows = shown.table("By number of topics; * is the best of a column")
            for row, model in zip(rows, self.summary["models"], strict=True):
                self.assertEqual(int(row[0]), model["topics"])
            for key in ("heldout", "joint", "npmi"):
                self.assertIn(f"{key} by number of topics", shown.text)
                best = max(range(3), key=lambda i: self.summary["models"][i][key])
                column = list(self.summary["models"][0]).index(key)
                self.assertEqual([str(row[column]).endswith("*") for row in rows],
                                 [i == best for i in range(3)])

    def check_words(self, shown, phi, share, vocabulary):
        lists = re.findall(r'<h3>Topic (\d+)</h3>.*?<ol class="words" data-shown="(\d+)">(.*?)</ol>',
                           shown.source)
        self.assertEqual(len(lists), 5)
        for topic, count, items in lists:
            words = re.findall(r'data-p="(.*?)" data-q="(.*?)" style="font-size:([\d.]+)rem"'
                               r'( hidden)?>(.*?)</li>', items)
            k, count = int(topic), int(count)
            rows = [vocabulary.index(word[4]) for word in words]
            np.testing.assert_allclose([float(w[0]) for w in words], np.log(phi[k, rows]), atol=1e-4)
            np.testing.assert_allclose([float(w[1]) for w in words], np.log(share[rows]), atol=1e-4)
            self.assertEqual([bool(w[3]) for w in words], [i >= count for i in range(len(words))])
            sized = [float(w[2]) for w in words]
            self.assertEqual(sized, sorted(sized, reverse=True))
            for step in range(11):  # whichever λ is chosen, the words to show are there
                relevance = np.log(phi[k]) - (1 - step / 10) * np.log(share)
                best = np.argsort(-relevance, kind="stable")[:count]
                self.assertLessEqual(set(best), set(rows))
                if step == 6:
                    np.testing.assert_allclose(relevance[rows[:count]], relevance[best], atol=1e-3)

    def check_map(self, shown, phi, sizes):
        n = len(phi)
        distance = np.zeros((n, n))
        for a in range(n):
            for b in range(n):
                divergence = entropy((phi[a] + phi[b]) / 2) - entropy(phi[a]) / 2 - entropy(phi[b]) / 2
                distance[a, b] = np.sqrt(max(divergence, 0))
        for a in range(n):
            others = np.delete(np.arange(n), a)
            nearest = others[distance[a, others].argmin()]
            self.assertEqual(int(sizes[a][4].split()[1]), nearest)
            self.assertAlmostEqual(sizes[a][5], distance[a, nearest], places=4)
        places = {int(row[0].split()[1]): row[1:] for row in shown.table("Places")}
        placed = np.array([places[a] for a in range(n)])
        centring = np.eye(n) - 1 / n
        values, vectors = np.linalg.eigh(-centring @ distance**2 @ centring / 2)
        expected = vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])
        np.testing.assert_allclose(placed @ placed.T, expected @ expected.T, atol=1e-4)

    def test_folded_in_documents(self):
        data = self.generate("lda:documents=60,words=40,topics=3,length=30,alpha=0.1,beta=0.1")
        self.report("gas-lda", [data / "docword.txt", "--topics", "3", "--iterations", "30"])
        (self.folder / "out").rename(self.folder / "model")
        shown = self.report("gas-lda", [data / "docword.txt", "--model", self.folder / "model",
                                        "--apply"], 2)
        self.assertEqual(sum(row[1] for row in shown.table("Tokens of each topic")),
                         self.summary["tokens"])
        theta = self.written("document_topic.npy")
        for topic, documents in shown.table("Documents with the largest share of each topic"):
            k, best = int(topic.split()[1]), int(documents.split(", ")[0]) - 1
            self.assertAlmostEqual(theta[best, k], theta[:, k].max(), places=5)

    def test_logistic_regression(self):
        spec = "logistic:examples=900,features=25,nonzeros=9,informative=6,noise=0.5"
        data = self.generate(spec) / "data.svm"
        labels = np.array([float(line.split()[0]) for line in data.read_text().splitlines()]) > 0
        for ranks in (1, 2):
            shown = self.report("gas-logreg", [data, "--test", data, "--bias"], ranks)
            weights = self.written("weights.npy")
            rows = shown.table("By size")
            self.assertEqual([row[1] for row in rows], sorted((r[1] for r in rows), reverse=True))
            for feature, weight, _ in rows:
                self.assertEqual(weight, weights[-1 if feature == "bias" else int(feature) - 1])
            self.assertEqual(len(rows), np.count_nonzero(weights))
            p = self.written("predictions.npy").astype(float)
            told = shown.named(next(c for c in shown.tables if c.startswith("P(")))
            self.assertEqual(told["Accuracy"], self.summary["test_accuracy"])
            self.assertEqual(told["Log loss"], self.summary["test_logloss"])
            # Pairs whose log odds differ by less than 0.0012 may count as ties, which are half won.
            odds = np.log(p / (1 - p))
            ahead = odds[labels][:, None] - odds[~labels]
            wins, close = (np.sign(ahead).mean() + 1) / 2, (abs(ahead) < 0.0012).mean()
            self.assertLess(close, 0.002)
            self.assertAlmostEqual(told["Area under the ROC curve"], wins, delta=close / 2 + 1e-6)
            for mean, held, count in shown.table(
                    "Calibration by tenths of the predicted probability"):
                tenth = labels[np.floor(p * 10) == np.floor(mean * 10)]
                self.assertEqual(count, len(tenth))
                self.assertAlmostEqual(held, tenth.mean())
            roc = shown.table("ROC: The model")
            ends = [round(x, 9) for x in (*roc[0][:2], *roc[-1][:2])]
            self.assertEqual(ends, [0, 0, 1, 1])
            for x, y in roc:  # each lies on the staircase of thresholds
                threshold = np.sort(p[~labels])[::-1][:round(x * (~labels).sum())]
                least = threshold[-1] if len(threshold) else 1
                self.assertLess(abs((p[labels] >= least).mean() - y), 0.03)

    def test_page_rank(self):
        graph = self.generate("kronecker:scale=8,degree=4") / "graph.txt"
        for ranks in (1, 2, 4):
            shown = self.report("gas-pagerank", [graph, "--undirected"], ranks)
            values = self.written("ranks.npy")
            ids = self.folder / "out" / "ids.txt"
            names = ids.read_text().split() if ids.exists() else list(map(str, range(len(values))))
            rows = shown.table("Vertices with the largest numbers of rank")
            self.assertEqual(len(rows), 20)
            np.testing.assert_array_equal([row[1] for row in rows][:3], np.sort(values)[:-4:-1])
            for name, value, _ in rows:
                self.assertEqual(values[names.index(name)], value)
            self.check_bins(shown.table("Vertices by rank"), values)

    def test_values_that_are_all_equal(self):
        cycle = self.folder / "cycle"
        cycle.write_text("".join(f"{v} {(v + 1) % 10}\n" for v in range(10)))
        rows = self.report("gas-pagerank", [cycle], 1).table("Vertices by rank")
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0][2], 10)

    def test_sizes_of_components(self):
        graph = self.generate("uniform:scale=8,degree=1") / "graph.txt"
        for ranks in (1, 2):
            shown = self.report("gas-components", [graph], ranks)
            labels = self.written("components.npy")
            sizes = np.unique(labels, return_counts=True)[1]
            rows = shown.table("Components with the largest numbers of vertices")
            self.assertEqual([row[1] for row in rows], sorted(sizes, reverse=True)[:20])
            self.check_bins(shown.table("Components by vertices"), sizes)

    def test_searches(self):
        graph = self.generate("uniform:scale=8,degree=1") / "graph.txt"
        shown = self.report("gas-bfs", [graph, "--source", "3", "--undirected"], 2)
        hops = self.written("hops.npy")
        self.check_bins(shown.table("Vertices by hops"), hops[hops >= 0])
        shown = self.report("gas-kcore", [graph], 2)
        self.check_bins(shown.table("Vertices by core number"), self.written("cores.npy"))

    def test_parts(self):
        graph = self.generate("kronecker:scale=8,degree=6") / "graph.txt"
        edges = np.loadtxt(graph, dtype=int)
        ids = np.unique(edges)
        for ranks, method in ((1, "hash"), (2, "metis"), (2, "hdrf")):
            vertex, edge = self.folder / "vertex", self.folder / "edge"
            shown = self.report("gas-partition",
                                [graph, "--parts", "5", "--method", method, "--metis-part", vertex,
                                 "--edge-part", edge, "--published", "8", "--total", "24"], ranks)
            master = dict(zip(ids, np.loadtxt(vertex, dtype=int)))
            part = np.loadtxt(edge, dtype=int)
            reads = {(s, p) for (s, _), p in zip(edges, part) if p != master[s]}
            sums = {(t, p) for (_, t), p in zip(edges, part) if p != master[t]}
            values, totals = np.zeros((2, 5, 5), int)
            for v, p in reads:
                values[master[v], p] += 1
            for v, p in sums:
                totals[p, master[v]] += 1
            expected = 8 * values + 24 * totals + (values > 0) + (totals > 0)
            rows = shown.table("Bytes from the part of the row to the part of the column")
            np.testing.assert_array_equal([row[1:] for row in rows], expected)
            self.assertEqual(expected.sum(), self.summary["bytes_per_round"])
            parts = shown.table("What is on each part")
            for p, row in enumerate(parts):
                mirrors = {v for v, q in reads | sums if q == p}
                self.assertEqual([row[1], row[3], row[4]],
                                 [np.count_nonzero(part == p),
                                  sum(m == p for m in master.values()), len(mirrors)])

    def test_parts_of_two_kinds_and_many(self):
        data = self.generate("lda:documents=90,words=50,topics=3,length=30,alpha=0.1,beta=0.1")
        for parts in (3, 40, 300):
            shown = self.report("gas-partition", [data / "docword.txt", "--format", "docword",
                                                  "--parts", parts, "--method", "hash"], 2)
            self.assertEqual(sum(row[1] for row in shown.table("What is on each part")[:300]),
                             self.summary["edges"] if parts <= 256 else
                             sum(row[1] for row in shown.table("What is on each part")))
            if parts > 256:
                continue
            rows = shown.table("Bytes from the part of the row to the part of the column")
            self.assertEqual(sum(sum(row[1:]) for row in rows), self.summary["bytes_per_round"])
        shown = self.report("gas-partition", [data / "docword.txt", "--format", "docword",
                                              "--parts", "3", "--method", "hash"])
        before = shown.table("Bytes from the part of the row to the part of the column")
        ran = runs.start("gas-evaluate", ["--partition", self.folder / "out", "--without-input",
                                          "--report", self.folder / "other.html", "--quiet"], 2)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        other = page.check(self.folder / "other.html")
        self.assertEqual(other.table("Bytes from the part of the row to the part of the column"),
                         before)


class Comparison(unittest.TestCase):
    def test_two_runs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            summaries = []
            for ranks, file in ((1, "<a>.json"), (2, "b.json")):
                summary = runs.reported(folder, "gas-kmeans", ["--generate", "blobs:n=600,d=8,k=4",
                                                               "-k", 3 + ranks], ranks)
                (folder / file).write_text(json.dumps(summary) + "\n")
                summaries.append(summary)
            files = [folder / "<a>.json", folder / "b.json"]
            ran = runs.start("gas-report", [*files, "--report", folder / "c.html"])
            self.assertEqual((ran.returncode, ran.stdout), (0, b""), ran.stderr)
            shown = page.check(folder / "c.html")
            self.assertEqual([], shown.scripts)
            told = {row[0]: row for row in shown.table("What came of the runs")}
            self.assertEqual(told["objective"][1:3], [s["objective"] for s in summaries])
            ratio = summaries[1]["objective"] / summaries[0]["objective"]
            self.assertAlmostEqual(float(told["objective"][3].split()[0]), ratio, delta=ratio / 100)
            times = {row[0]: row for row in shown.table("Time")}
            self.assertEqual([times["seconds.total"][1], times["seconds.total"][3]],
                             [s["seconds"]["total"] for s in summaries])
            balance = shown.table("Balance over ranks: the largest share over the mean")
            applied = [rank["applied"] for rank in summaries[1]["per_rank"]]
            by_key = {row[0]: row for row in balance}
            self.assertAlmostEqual(by_key["balance.applied"][2], max(applied) * 2 / sum(applied))
            table = runs.start("gas-report", files).stdout.decode()
            line = next(line for line in table.splitlines() if line.startswith("ranks "))
            self.assertEqual(line.split(), ["ranks", "1", "2", "2"])
            both = folder / "both.json"
            both.write_text("".join(file.read_text() for file in files))
            self.assertIn("both.json:2", runs.start("gas-report", [both]).stdout.decode())

    def test_what_is_no_summary(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for text in ("", "{", "[]", "{}", '{"tool": 3}', '{"tool":"x","schema":2,"seconds":{}}',
                         "[" * 5000, '{"tool":"gas-lda","schema":1,"seconds":{}}'):
                for ranks in (1, 2):
                    (folder / "s").write_text(text)
                    ran = runs.start("gas-report", [folder / "s"], ranks)
                    said = [line for line in ran.stderr.decode().splitlines()
                            if line.startswith("gas-")]
                    self.assertEqual((ran.returncode, len(said)), (3, 1), text)
            self.assertEqual(runs.start("gas-report", []).returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
