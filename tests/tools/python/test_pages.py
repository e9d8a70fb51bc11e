"""Pages of the documents whose commands and code are run from top to bottom, in a folder of their
own, and print what they say."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from test_docs import printed_by

SOURCE = Path(os.environ["GAS_SOURCE"])
BIN = Path(os.environ["GAS_BIN"])


class Pages(unittest.TestCase):
    def run_page(self, text):
        """How many texts of what is printed were compared."""
        names, compared, printed = {}, 0, ""
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
                    if language == "text":
                        self.assertEqual(printed, block)
                        printed, compared = "", compared + 1
                        continue
                    self.assertEqual(printed, "")
                    if language == "python":
                        printed = printed_by(block, names)
                        continue
                    self.assertEqual(language, "sh")
                    block = block.replace("build/bin/", f"{BIN}/")
                    ran = subprocess.run(
                        ["bash", "-euo", "pipefail", "-c", block], capture_output=True, text=True
                    )
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    printed = ran.stdout
                self.assertEqual(printed, "")
            finally:
                os.chdir(before)
        return compared

    def test_pycistopic(self):
        text = (SOURCE / "docs/pycistopic.md").read_text()
        self.assertEqual(self.run_page(text), 4)

    def test_table_of_examples(self):
        text = (SOURCE / "docs/formats.md").read_text()
        begin = text.index("**csv**")
        self.assertEqual(self.run_page(text[begin : text.index("\n**Rows.**", begin)]), 2)


if __name__ == "__main__":
    unittest.main()
