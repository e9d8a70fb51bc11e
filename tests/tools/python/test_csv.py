"""Tables with categories, learnt from by gas-logreg, against pandas and scikit-learn."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

BIN = Path(os.environ["GAS_BIN"])
CATEGORICAL = ["city", "job"]


def table(rows, seed):
    """Numbers, categories with odd characters in them, missing values, and a label by all."""
    random = np.random.default_rng(seed)
    cities = np.array(["Köln", "Rio, RJ", 'the "Big" one', "two\nlines", "tab\tbed", "C:\\"], object)
    frame = pd.DataFrame(
        {
            "age": random.normal(size=rows).round(3),
            "city": random.choice(cities, rows),
            "hours": random.integers(0, 5, rows).astype(float),
            "job": random.choice(["cook", "smith", "=", "7th"], rows),
        }
    )
    score = frame.age + (frame.city == "Köln") * 2 - (frame.job == "cook") + (frame.hours > 2)
    frame["paid"] = np.where(score + random.logistic(size=rows) * 0.5 > 0.5, ">50K", "<=50K")
    frame.loc[random.random(rows) < 0.1, "hours"] = np.nan
    frame.loc[random.random(rows) < 0.1, "job"] = np.nan
    return frame


def encoded(frame, columns=None):
    """As gas-logreg names features: empty fields are 0, or none of the categories."""
    dummies = pd.get_dummies(frame, columns=CATEGORICAL, prefix_sep="=", dtype=float).fillna(0)
    dummies.columns = [
        name.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t") for name in dummies
    ]
    return dummies if columns is None else dummies.reindex(columns=columns, fill_value=0.0)


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, *arguments, ranks=1, out="out", code=0):
        """Its summary and what it says."""
        command = [BIN / "gas-logreg", *map(str, arguments), "-o", self.folder / out, "--force"]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "-n", str(ranks)] + command
        ran = subprocess.run(command + ["--summary", "json"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return json.loads(ran.stdout) if code == 0 else {}, ran.stderr

    def test_the_same_model_as_scikit_learn_of_dummies(self):
        train, test = table(600, 1), table(300, 2)
        test.loc[:19, "city"] = "Ulm"
        order = ["job", "paid", "hours", "city", "age"]
        train.to_csv(self.folder / "train.csv", index=False)
        test[order].to_csv(self.folder / "test.csv", index=False, quoting=1)
        X = encoded(train.drop(columns="paid"))
        names = sorted(X.columns, key=lambda name: name.encode())
        X = X[names]
        fitted = LogisticRegression(
            solver="liblinear", tol=1e-10, max_iter=10000, intercept_scaling=1
        ).fit(X, train.paid)
        unseen = encoded(test.drop(columns="paid"), names)
        for ranks in (1, 2, 4):
            summary, said = self.run_tool(
                self.folder / "train.csv", "--label", "paid", "--bias", "--tolerance", 1e-10,
                "--test", self.folder / "test.csv", "--text", ranks=ranks,
            )
            ids = (self.folder / "out/parameter_ids.txt").read_text().splitlines()
            self.assertEqual(ids, names + ["bias"])
            weights = np.load(self.folder / "out/weights.npy")
            np.testing.assert_allclose(
                weights, np.append(fitted.coef_[0], fitted.intercept_), atol=1e-4
            )
            self.assertIn("2 columns of numbers and 2 of categories (city, job): 12 features", said)
            self.assertIn("of the labels in paid, <=50K counts as 0, >50K counts as 1", said)
            self.assertIn("20 fields of 1 category that the model does not know are ignored; the first is "
                          "city=Ulm", said)
            self.assertIn("strongest for >50K: ", said)
            likely = fitted.predict_proba(unseen)[:, 1]
            predicted = np.load(self.folder / "out/predictions.npy")
            np.testing.assert_allclose(predicted, likely, atol=1e-4)
            right = np.mean((likely > 0.5) == (test.paid == ">50K"))
            self.assertAlmostEqual(summary["test_accuracy"], right)
            # Without labels, in another order, from standard input or a packed file.
            test[order[:1] + order[2:]].to_csv(self.folder / "new.csv.gz", index=False)
            _, said = self.run_tool(
                self.folder / "new.csv.gz", "--model", self.folder / "out", "--apply",
                out="applied", ranks=ranks,
            )
            np.testing.assert_array_equal(
                np.load(self.folder / "applied/predictions.npy"), predicted
            )

    def test_hashed(self):
        """With room for all names the same predictions; one model of both ways to learn."""
        train = table(400, 3)
        train.to_csv(self.folder / "train.csv", index=False)
        plain = (self.folder / "train.csv", "--label", "paid")
        predicted = []
        for options in ([], ["--hash", 20]):
            self.run_tool(*plain, *options, "--tolerance", 1e-8, "--test", self.folder / "train.csv")
            predicted.append(np.load(self.folder / "out/predictions.npy"))
        np.testing.assert_allclose(*predicted, atol=1e-4)
        self.assertFalse((self.folder / "out/parameter_ids.txt").exists())
        losses = []
        for ranks in (1, 2, 4):
            told, _ = self.run_tool(*plain, "--online", "--hash", 20, ranks=ranks, out="online")
            losses.append(told["progressive_loss"])
            self.assertLess(losses[-1], 0.95 * np.log(2))
            told, _ = self.run_tool(
                self.folder / "train.csv", "--model", self.folder / "online", "--apply",
                out="applied", ranks=ranks,
            )
            self.assertGreater(told["accuracy"], 0.75)
        told, _ = self.run_tool(*plain, "--model", self.folder / "online", "--tolerance", 1e-8)
        # What --online learnt from the table it learns from the same rows as libsvm, too.
        X = encoded(train.drop(columns="paid"))
        with open(self.folder / "train.svm", "w") as file:
            for row, label in zip(X.to_numpy(), train.paid):
                pairs = (f"{j + 1}:{row[j]:.9g}" for j in np.flatnonzero(row))
                file.write(f"{int(label == '>50K')} {' '.join(pairs)}\n")
        told, _ = self.run_tool(self.folder / "train.svm", "--online", out="svm")
        self.assertAlmostEqual(told["progressive_loss"], losses[0], places=6)

    def test_several_classes_and_categories_that_are_numbers(self):
        frame = table(300, 4)
        frame["zip"] = np.arange(300) % 3 + 10
        frame["paid"] = np.array(["low", "mid", "high"])[np.arange(300) % 3]
        frame.to_csv(self.folder / "train.csv", index=False)
        for multiclass in ("softmax", "rest"):
            told, said = self.run_tool(
                self.folder / "train.csv", "--label", "paid", "--categorical", "zip",
                "--multiclass", multiclass, "--report", self.folder / "report.html",
            )
            self.assertEqual((told["classes"], told["accuracy"]), (3, 1.0))
            self.assertRegex(said, r"for mid: zip=11 \(")
            self.assertIn("zip=11", (self.folder / "report.html").read_text())
            told, _ = self.run_tool(
                self.folder / "train.csv", "--model", self.folder / "out", "--apply", out="applied"
            )
            self.assertEqual(told["accuracy"], 1.0)

    def test_columns_that_are_features(self):
        frame = table(300, 5)
        frame.to_csv(self.folder / "train.csv", index=False)
        names = [name for name in frame.columns if name != "paid"]
        for some in (names[:1], names[-1:], names[:4], names):
            frame[["paid", *some]].to_csv(self.folder / "some.csv", index=False)
            expected, _ = self.run_tool(self.folder / "some.csv", "--label", "paid", out="some")
            told, _ = self.run_tool(
                self.folder / "train.csv", "--label", "paid", "--columns", ",".join(some)
            )
            for key in ("vertices", "edges", "objective"):
                self.assertEqual(told[key], expected[key])
        # The model has its columns, by name: they are not to be told again.
        model = ("--model", self.folder / "out")
        for more in (("--apply",), ("--iterations", 1)):
            file = self.folder / "train.csv"
            self.run_tool(file, *model, *more, out="again")
            _, said = self.run_tool(
                file, *model, *more, "--columns", ",".join(names[:2]), out="again", code=2
            )
            self.assertIn("--columns: leave it out, as the model names the columns", said)

    def test_labels_that_are_not_two_are_named(self):
        (self.folder / "t.csv").write_text("a,y\n1,no\n2,maybe\n0,\"yes, sir\"\n")
        for ranks in (1, 2):
            _, said = self.run_tool(self.folder / "t.csv", "--label", "y", ranks=ranks, code=3)
            self.assertIn(
                "found the labels maybe, no, yes, sir, expected exactly two different values, "
                "or --multiclass", said,
            )

    def test_refusals(self):
        (self.folder / "t.csv").write_text("a,b,y\n1,u,0\nv,w,1\n")
        cases = [
            (["--label", "z"], 3, "t.csv:1:1: found the columns a, b, y, expected a column 'z'"),
            (["--label", "y"], 3, "t.csv:3:1: found 'v', expected a finite number"),
            (["--label", "y", "--categorical", "c"], 3, "expected a column 'c'"),
            (["--label", "y", "--labels", "f"], 2, "--label and --labels exclude each other"),
            (["--label", "y", "--categorical", "a,"], 2, "--categorical: found 'a,'"),
            (["--label", "y", "--online"], 3, "expected libsvm, or --hash BITS"),
            (["--format", "csv", "--categorical", "a"], 3, "or --label COLUMN"),
            (["--online", "--categorical", "a"], 2, "which have no columns to name or separate"),
            (["--columns", "a,b"], 2, "t.csv is a table: --label COLUMN says"),
            (["--columns", "a"], 2, "--columns: found 'a', expected SOURCE,TARGET"),
            (["--label", "y", "--columns", "b,c"], 3, "expected one column 'c'"),
        ]
        for ranks in (1, 2):
            for options, code, message in cases:
                _, said = self.run_tool(self.folder / "t.csv", *options, code=code, ranks=ranks)
                self.assertIn(message, said)
                lines = [line for line in said.splitlines() if "gas-logreg: " in line]
                self.assertIn(message, lines[-1])
                self.assertLessEqual(len(lines), 2, said)  # what columns are, perhaps
        (self.folder / "s.csv").write_text("a,y\n" + "1,no\n" * 1200 + "2,yes\n")
        _, said = self.run_tool(
            self.folder / "s.csv", "--label", "y", "--online", "--hash", 4, code=3
        )
        self.assertIn("s.csv:1:1: found 1 different labels in the first 1000 rows", said)


if __name__ == "__main__":
    unittest.main()
