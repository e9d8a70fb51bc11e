"""What the documents show can be run, and prints what they say."""

import ast
import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import unittest
import warnings
from pathlib import Path

import gas

SOURCE = Path(os.environ["GAS_SOURCE"])


def printed_by(code, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(code, "document", "exec"), names)  # pylint: disable=exec-used
    return out.getvalue()


class Documents(unittest.TestCase):
    def blocks(self, name):
        """(language, text) of each block."""
        text = (SOURCE / name).read_text()
        return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    def check_blocks(self, name):
        names, printed, shown = {}, "", 0
        for language, text in self.blocks(name):
            if language == "python":
                self.assertEqual(printed, "")
                printed = printed_by(text, names)
            elif language == "text" and printed:
                self.assertEqual(printed, text)
                printed, shown = "", shown + 1
        self.assertEqual(printed, "")
        return shown

    def test_python_page(self):
        self.assertEqual(self.check_blocks("docs/python.md"), 5)

    def test_readme(self):
        self.assertEqual(self.check_blocks("README.md"), 1)

    def test_tour(self):
        text = (SOURCE / "docs/examples/tour.py").read_text()
        said = re.findall(r"^#> ?(.*\n)", text, re.MULTILINE)
        self.assertGreater(len(said), 10)
        for cell in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
            self.assertIn("\n#> ", cell)
        self.assertEqual(printed_by(text, {}), "".join(said))

    def test_examples_of_docstrings(self):
        attempted = 0
        for module in pkgutil.iter_modules(gas.__path__):
            result = doctest.testmod(importlib.import_module(f"gas.{module.name}"))
            self.assertEqual(result.failed, 0, module.name)
            attempted += result.attempted
        self.assertEqual(doctest.testmod(gas).failed, 0)
        self.assertGreater(attempted, 40)

    def test_all_public_names_have_examples(self):
        for name in gas.__all__:
            public = getattr(gas, name)
            if isinstance(public, type) and issubclass(public, (Exception, tuple)):
                continue
            self.assertIn(">>> ", public.__doc__, name)

    def test_attributes_are_documented(self):
        import numpy as np

        X = np.random.default_rng(1).poisson(1, (20, 5))
        topics = gas.LatentDirichletAllocation(2)
        for model in (gas.KMeans(2), gas.ALS(2), gas.LogisticRegression(),
                      gas.OnlineLogisticRegression(), topics):
            model.fit(X, np.arange(20) % 2)
            for name in [*vars(model), "feature_names_in_"]:
                if not name.startswith("_"):
                    self.assertRegex(type(model).__doc__, rf"(?m)^    {name} : ", type(model))

    def test_stub_says_what_the_module_has(self):
        """Names of functions and of their arguments, as pybind11 tells them."""
        from gas import _gas

        stub = ast.parse((SOURCE / "tools/python/gas/_gas.pyi").read_text())
        said = {}
        for node in ast.walk(stub):
            if isinstance(node, ast.FunctionDef):
                arguments = node.args.args + node.args.kwonlyargs
                said.setdefault(node.name, []).append([a.arg for a in arguments if a.arg != "self"])
        for owner in (_gas, _gas.Graph, _gas.Matrix, _gas.OnlineLearner, _gas.Session):
            for name in vars(owner):
                if name.startswith("_") or isinstance(getattr(owner, name), type):
                    continue
                self.assertIn(name, said)
                told = getattr(owner, name).__doc__
                for signature in re.findall(rf"{name}\((.*)\) ->", told or ""):
                    names = re.findall(r"(?:^|, )(\w+): ", signature)
                    self.assertIn([n for n in names if n != "self"], said[name], name)


if __name__ == "__main__":
    unittest.main()
