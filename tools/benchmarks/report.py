"""Tables on the screen, in Markdown, and JSON lines."""
import json


def quantile(values, q):
    """By linear interpolation."""
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def median(values):
    return quantile(values, 0.5)


def ratios(ours, theirs):
    """Of goes that followed each other: noise that lasts longer than two goes cancels."""
    return [a / b for a, b in zip(ours, theirs)]


def number(x):
    if isinstance(x, str):
        return x
    if x == 0 or 0.001 <= abs(x) < 10000:
        return f"{x:.3g}" if abs(x) < 1000 else f"{x:.0f}"
    return f"{x:.2e}"


def spread(values, scale=1.0):
    """Median and quartiles."""
    low, middle, high = (number(quantile(values, q) * scale) for q in (0.25, 0.5, 0.75))
    return f"{middle} ({low}–{high})" if len(values) > 1 else middle


class Report:
    def __init__(self, about):
        self.about = about
        self.lines, self.text = [], []
        self.say("On " + about["processor"] + f", {about['cores']} processors, "
                 + about["compiler"] + ", commit " + about["commit"] + ", numpy's BLAS: "
                 + about["blas"] + ".")

    def say(self, line=""):
        print(line, flush=True)
        self.text.append(line)

    def title(self, name):
        self.say()
        self.say("### " + name)
        self.say()

    def table(self, columns, rows):
        """Printed with columns aligned, which Markdown does not mind."""
        cells = [columns, *[[number(cell) for cell in row] for row in rows]]
        widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
        for at, row in enumerate(cells):
            self.say("| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |")
            if at == 0:
                self.say("|" + "|".join("-" * (w + 2) for w in widths) + "|")

    def record(self, **line):
        """A JSON line; the same machine and commit stand in all."""
        self.lines.append({**self.about, "ranks": 1, "threads": 1, **line})

    def write_json(self, path):
        with open(path, "w", encoding="utf-8") as file:
            for line in self.lines:
                file.write(json.dumps(line) + "\n")

    def write_markdown(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.text) + "\n")
