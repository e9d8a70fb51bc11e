"""Pages of all tools: whole, readable, with the summary's numbers; and pages that cannot be."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import page
import runs

HOSTILE = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'onmouseover='x",
           "&lt;b&gt;", "</table></section><h1>", "javascript:alert(1)", "é" * 300, "\x01\x02",
           "<!--", "]]>"]


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check_summary(self, shown, summary):
        result = shown.named("What came of it")
        if summary["objective"] is not None:
            self.assertIn(summary["objective"], result.values())
        for key in list(summary)[list(summary).index("partition") + 1:]:
            if isinstance(summary[key], (int, float)) and not isinstance(summary[key], bool):
                self.assertEqual(result[key], summary[key], key)
        if summary["iterations"] is not None:
            self.assertEqual(result["Rounds"], summary["iterations"])
        times = list(shown.named("Wall time of the slowest rank").values())
        self.assertEqual(times, list(summary["seconds"].values()))
        facts = shown.named("What was run, on what")
        self.assertEqual(facts["Ranks"], summary["ranks"])
        self.assertEqual(facts["Edges"], summary["edges"])
        self.assertEqual(facts["Data vertices"], summary["vertices"]["data"])
        memory = shown.named("Memory of the rank that held most")
        self.assertEqual(memory["At its peak"], summary["peak_memory_bytes"])
        if not summary["per_rank"]:
            return
        ranks = shown.table("What the main thread of each rank did in the rounds")
        for row, rank in zip(ranks, summary["per_rank"], strict=True):
            self.assertEqual([row[1], row[2], row[3], row[5], row[6], row[7]],
                             [rank[key] for key in ("computing", "waiting", "communicating",
                                                    "applied", "messages", "bytes")])
        balance = shown.named("Balance: the largest share over the mean; 1 is even")
        applied = [rank["applied"] for rank in summary["per_rank"]]
        if sum(applied) > 0:
            self.assertAlmostEqual(balance["Visits"], max(applied) * len(applied) / sum(applied))
        sent = shown.named("Bytes that all ranks sent after loading")
        self.assertEqual(list(sent.values()), list(summary["bytes"].values()))

    def test_every_tool(self):
        for tool, arguments in runs.GENERATED.items():
            for ranks in (1, 2):
                with self.subTest(tool=tool, ranks=ranks):
                    summary = runs.reported(self.folder, tool, arguments, ranks)
                    shown = page.check(self.folder / "page.html")
                    self.check_summary(shown, summary)
                    self.assertIn("No warnings.", shown.text)
                    self.assertIn(arguments[1], shown.headings[0][1])
                    options = shown.named("Options in effect, defaults included")
                    self.assertEqual(options["--generate"], arguments[1])

    def test_rounds(self):
        log = self.folder / "log"
        for tool in ("gas-kmeans", "gas-pagerank", "gas-lda"):
            runs.reported(self.folder, tool, [*runs.GENERATED[tool], "--log", log])
            shown = page.check(self.folder / "page.html")
            told = [json.loads(line) for line in log.read_text().splitlines()]
            told = [line for line in told if line["objective"] is not None]
            by_round = next(rows for caption, rows in shown.tables.items()
                            if caption.startswith("By round"))
            last = by_round[-1]
            self.assertEqual(float(last[0]["exact"]), told[-1]["round"])
            self.assertEqual(float(last[1]["exact"]), told[-1]["objective"])
            self.assertEqual(len(by_round) - 1, min(25, len(told)))

    def test_warnings_and_several_ranks_at_staleness(self):
        graph = self.folder / "<b>&\"graph.txt"
        graph.write_text("0 1\n1 2\n2 0\n")
        runs.reported(self.folder, "gas-pagerank", [graph, "--staleness", "2"], 2)
        shown = page.check(self.folder / "page.html")
        self.assertIn("<b>&\"graph.txt", shown.headings[0][1])
        self.assertIn("Reads lagged", shown.text)
        (self.folder / "points.csv").write_text("1,1\n1,1\n2,2\n")
        summary = runs.reported(self.folder, "gas-kmeans", [self.folder / "points.csv", "-k", "3"])
        self.assertTrue(summary["warnings"])
        shown = page.check(self.folder / "page.html")
        for warning in summary["warnings"]:
            self.assertIn(warning, shown.text)

    def test_names_are_no_html(self):
        names = [name.replace(" ", "_") for name in HOSTILE]
        raw = [name.encode() for name in names] + [b"\xff\xfe<i>", b"\xed\xa0\x80"]  # no UTF-8
        graph = self.folder / "graph.txt"
        ring = zip(raw, raw[1:] + raw[:1])
        graph.write_bytes(b"".join(a + b" " + b + b"\n" for a, b in ring))
        for ranks in (1, 2):
            runs.reported(self.folder, "gas-pagerank", [graph, "--delimiter", "blanks"], ranks)
            shown = page.check(self.folder / "page.html")
            self.assertEqual([], shown.scripts)
            self.assertEqual([], shown.every("img"))
            told = [row[0] for row in shown.table("Vertices with the largest numbers of rank")]
            for name in names:
                wanted = "".join("\ufffd" if c < " " else c for c in name)
                wanted = wanted[:60] + ("…" if len(wanted) > 60 else "")
                self.assertIn(wanted, told)
            self.assertIn("\ufffd\ufffd<i>", told)
        words = self.folder / "vocabulary"
        words.write_text("\n".join(HOSTILE) + "\n")
        tokens = self.folder / "tokens.txt"
        tokens.write_text("".join(f"{d} {w} {1 + (d + w) % 3}\n" for d in range(9)
                                  for w in range(len(HOSTILE))))
        runs.reported(self.folder, "gas-lda", [tokens, "--topics", "2", "--vocabulary", words,
                                               "--iterations", "10"])
        shown = page.check(self.folder / "page.html")
        self.assertEqual([], shown.every("img"))
        self.assertEqual(1, len(shown.every("script")))
        self.assertIn("<script>alert(1)</script>", shown.text)

    def test_a_page_that_cannot_be_is_refused_before_anything_is_read(self):
        for target, part in ((self.folder / "none" / "page.html", "none"),
                             (self.folder, "folder"), ("-", "./-")):
            for ranks in (1, 2):
                ran = runs.start("gas-pagerank", ["no-such-input", "--report", target, "-o",
                                                  self.folder / "out"], ranks)
                said = [line for line in ran.stderr.decode().splitlines() if
                        line.startswith("gas-")]
                self.assertEqual((ran.returncode, len(said)), (2, 1))
                self.assertIn("--report", said[0])
                self.assertIn(part, said[0])
                self.assertFalse((self.folder / "out").exists())
        graph = self.folder / "graph.txt"
        graph.write_text("0 1\n1 2\n")
        ran = runs.start("gas-pagerank", [graph, "--report", graph])
        self.assertEqual(ran.returncode, 2)
        self.assertEqual(graph.read_text(), "0 1\n1 2\n")
        with open(self.folder / "page.html", "wb") as out:
            command = [runs.BIN / "gas-pagerank", graph, "--report", self.folder / "page.html"]
            ran = subprocess.run(command, stdout=out, stderr=subprocess.PIPE)
        self.assertEqual(ran.returncode, 2)

    def test_a_page_that_cannot_be_written_costs_the_exit_code_alone(self):
        for ranks in (1, 2):
            ran = runs.start("gas-pagerank", [*runs.GENERATED["gas-pagerank"], "--report",
                                              "/dev/full", "-o", self.folder / "out", "--force",
                                              "--quiet", "--summary", "json"], ranks)
            self.assertEqual(ran.returncode, 1)
            said = [line for line in ran.stderr.decode().splitlines() if line.startswith("gas-")]
            self.assertEqual(len(said), 1)
            self.assertIn("/dev/full", said[0])
            self.assertIn("the results are in", said[0])
            self.assertTrue(json.loads(ran.stdout)["iterations"] > 0)
            self.assertTrue((self.folder / "out/ranks.npy").exists())
            state = json.loads((self.folder / "out/manifest.json").read_text())["state"]
            self.assertEqual(state["ended"], "complete")
            self.assertIn("/dev/full", state["unfinished"]["report"])

    def test_where_a_page_may_lie(self):
        generated = runs.GENERATED["gas-components"]
        inside = self.folder / "out" / "page.html"
        for _ in range(2):  # the second run replaces the page of the first
            ran = runs.start("gas-components", [*generated, "-o", self.folder / "out", "--force",
                                                "--report", inside])
            self.assertEqual(ran.returncode, 0, ran.stderr)
            page.check(inside)
        link, real = self.folder / "link.html", self.folder / "real.html"
        real.write_text("old")
        link.symlink_to(real)
        self.assertEqual(runs.start("gas-components", [*generated, "--report", link]).returncode, 0)
        self.assertTrue(link.is_symlink())
        page.check(real)
        dry = self.folder / "dry.html"
        ran = runs.start("gas-components", [*generated, "--report", dry, "--dry-run"])
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertFalse(dry.exists())
        self.assertEqual([], list(self.folder.glob("*.partial")))

    def test_an_interrupted_run_has_a_page(self):
        log, file = self.folder / "log", self.folder / "page.html"
        command = [runs.BIN / "gas-lda", *map(str, runs.GENERATED["gas-lda"]), "--log", log,
                   "--report", file, "-o", self.folder / "out", "--quiet"]
        command[command.index("--iterations") + 1] = "1000000000"
        with subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE) as process:
            for _ in range(1000):
                if log.exists() and log.read_text().count("\n") > 3:
                    break
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGINT)
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        shown = page.check(file)
        self.assertEqual(shown.named("What came of it")["Interrupted"], "yes, by a signal")
        self.assertTrue(shown.section("Topics"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
