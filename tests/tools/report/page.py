"""A page of --report, read as a browser would, and what must hold of every page."""

import re
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "br", "img", "input", "hr", "circle", "line", "polyline", "rect"}
LIMIT = 3_000_000


class Page(HTMLParser):
    """tags: (name, attributes) in order; tables: caption -> rows of cells; text: what is read."""

    def __init__(self, file):
        super().__init__(convert_charrefs=True)
        self.source = Path(file).read_bytes().decode("utf-8")
        self.tags, self.open, self.problems = [], [], []
        self.tables, self.headings, self.texts, self.scripts, self.styles = {}, [], [], [], []
        self.rows = self.cell = self.caption = None
        self.feed(self.source)
        self.close()
        self.problems += [f"<{tag}> is left open" for tag in self.open]
        self.text = " ".join("".join(self.texts).split())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self.rows, self.caption = [], ""
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.cell = {"tag": tag, "text": "", "exact": None, **attributes}
            self.rows[-1].append(self.cell)
        elif tag == "data" and self.cell is not None:
            self.cell["exact"] = attributes["value"]
        elif re.fullmatch("h[1-6]", tag):
            self.headings.append([int(tag[1]), ""])

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> ends {self.open[-1:]}")
            return
        self.open.pop()
        if tag in ("th", "td"):
            self.cell = None
        elif tag == "table":
            name = self.caption
            while name in self.tables:
                name += "'"
            self.tables[name] = self.rows

    def handle_data(self, text):
        if "script" in self.open:
            self.scripts.append(text)
        elif "style" in self.open:
            self.styles.append(text)
        else:
            self.texts.append(text)
            if self.cell is not None:
                self.cell["text"] += text
            elif self.open and self.open[-1] == "caption":
                self.caption += text
            if self.open and re.fullmatch("h[1-6]", self.open[-1]):
                self.headings[-1][1] += text

    def table(self, caption):
        """Rows below the head as lists: exact numbers where there are any, else text."""
        def value(cell):
            return cell["text"] if cell["exact"] is None else number(cell["exact"])
        return [[value(cell) for cell in row] for row in self.tables[caption][1:]]

    def named(self, caption):
        """The second cell of each row by its first."""
        return {str(row[0]): row[1] for row in self.table(caption)}

    def section(self, title):
        return any(level == 2 and text == title for level, text in self.headings)

    def every(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def check(file):
    """The page, of which everything holds that holds of every page."""
    page = Page(file)
    bad = list(page.problems)

    def must(holds, what):
        if not holds:
            bad.append(what)

    must(len(page.source.encode()) < LIMIT, "too large")
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            must(not name.startswith("on"), f"{tag} has {name}")
            if name in ("src", "href", "action", "data", "poster", "srcset", "xlink:href"):
                must(value.startswith(("#", "data:")), f"{tag} {name}={value}")
    names = {name for name, _ in page.tags}
    must(not names & {"iframe", "object", "embed", "base", "form", "audio", "video"}, "foreign")
    for text in page.styles:
        must("@import" not in text and "url(" not in text, "a style loads something")
    for text in page.scripts:
        must(not re.search(r"fetch|XMLHttp|import|eval|innerHTML|document\.write|https?:", text),
             "a script does what it need not")
    policy = [m["content"] for m in page.every("meta")
              if m.get("http-equiv") == "Content-Security-Policy"]
    must(policy and policy[0].startswith("default-src 'none'"), "no policy")
    must(any(m.get("name") == "viewport" and "width=device-width" in m["content"]
             for m in page.every("meta")), "no viewport")
    must(page.every("html")[0].get("lang") == "en", "no language")
    must("prefers-color-scheme: dark" in "".join(page.styles), "no dark colours")

    levels = [level for level, _ in page.headings]
    must(levels.count(1) == 1 and levels[0] == 1, f"headings {levels}")
    must(all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"headings {levels}")
    must(all(text.strip() for _, text in page.headings), "an empty heading")
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    must(len(ids) == len(set(ids)), "an id twice")
    for link in page.every("a"):
        must(link["href"][1:] in ids, f"{link['href']} leads nowhere")
    for svg in page.every("svg"):
        must(svg.get("aria-hidden") == "true" or
             (svg.get("role") == "img" and len(svg.get("aria-label", "")) > 10), "a mute chart")
    for image in page.every("img"):
        must(image.get("alt", "").strip(), "a mute picture")
    for field in page.every("input"):
        must(any(label.get("for") == field.get("id") for label in page.every("label")), "no label")
    for caption, rows in page.tables.items():
        must(caption.strip(), "a table without caption")
        must(len(rows) > 0 and all(c["tag"] == "th" and c.get("scope") == "col" and
                                   c["text"].strip() for c in rows[0]), f"head of {caption}")
        for row in rows[1:]:
            must(row[0]["tag"] == "th" and row[0].get("scope") == "row", f"row of {caption}")
            must(len(row) == len(rows[0]), f"cells of {caption}")
    assert not bad, "; ".join(bad[:10])
    return page
