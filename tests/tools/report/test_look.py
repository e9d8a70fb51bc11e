"""Pages in a browser: Chromium without a window, three widths, light and dark. Nothing on the console, nothing wider
than the screen, text that stands out from its ground, a slider that works. Exit code 77 where there is no Chromium.

test_look.py [FOLDER]: keeps screenshots in FOLDER."""

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import runs

WIDTHS, HEIGHT = (360, 768, 1280), 4000

# Run in the page behind its own script; what it finds goes into the title, which --dump-dom shows.
PROBE = """<script>
(function () {
  const found = [];
  window.addEventListener("error", function (e) { found.push("error: " + e.message); });
  document.addEventListener("securitypolicyviolation", function (e) {
    found.push("blocked: " + e.violatedDirective + " " + e.blockedURI); });
  function bright(color) {
    const parts = color.match(/[\\d.]+/g).map(Number);
    const linear = parts.slice(0, 3).map(function (part) {
      const c = part / 255; return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4); });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }
  function contrast(a, b) {
    const x = bright(a), y = bright(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }
  function ground(element) {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (/^rgb\\(/.test(color)) return color;
    }
    return "rgb(255, 255, 255)";
  }
  function look() {
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth)
      found.push("wider than the screen: " + root.scrollWidth + " > " + root.clientWidth);
    document.querySelectorAll("p, th, td, li, a, caption, summary, h1, h2, h3, code").forEach(
      function (element) {
        const least = contrast(getComputedStyle(element).color, ground(element));
        if (least < 4.5) found.push("contrast " + least.toFixed(2) + " of " + element.tagName); });
    document.querySelectorAll(".line, .bar i, .place").forEach(function (element) {
      const style = getComputedStyle(element);
      const color = element.tagName === "I" ? style.backgroundColor : style.stroke;
      const least = contrast(color, ground(element.closest(".bar") || element));
      if (least < 3) found.push("contrast " + least.toFixed(2) + " of " + element.className); });
    document.querySelectorAll("svg[role=img] text").forEach(function (text) {
      const box = text.getBoundingClientRect(), all = text.ownerSVGElement.getBoundingClientRect();
      if (box.left < all.left - 1 || box.right > all.right + 1)
        found.push("cut off: " + text.textContent);
      if (box.height < 9) found.push("small text: " + text.textContent); });
    const slider = document.getElementById("lambda");
    const words = [];
    if (slider) for (const value of [0, 0.6, 1]) {
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
      words.push(Array.from(document.querySelectorAll("ol.words"), function (list) {
        return Array.from(list.children).filter(function (w) { return !w.hidden; }).map(
          function (w) { return [w.textContent, Number(w.dataset.p), Number(w.dataset.q)]; }); }));
      if (document.getElementById("lambda-now").textContent !== value.toFixed(1))
        found.push("the slider does not say its value");
    }
    document.title = JSON.stringify({ found: found, words: words, width: root.clientWidth,
      dark: getComputedStyle(document.body).backgroundColor });
  }
  window.addEventListener("load", look);
})();
</script>"""


def browse(browser, folder, dark, *options):
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--disable-dev-shm-usage", "--no-first-run", "--enable-logging=stderr",
               "--disable-background-networking", f"--user-data-dir={folder / 'profile'}",
               "--blink-settings=preferredColorScheme=" + ("0" if dark else "1"), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=180)


def check_words(words):
    """Of what the slider shows: the order is that of the relevance, and λ matters."""
    for value, topics in zip((0, 0.6, 1), words):
        for topic in topics:
            relevance = [p - (1 - value) * q for _, p, q in topic]
            assert relevance == sorted(relevance, reverse=True), (value, topic)
    assert words[0] != words[2]


def frames(source):
    """A page with frames of all widths side by side, as windows are no narrower than 500."""
    inside = "".join(f'<iframe src="{source}" style="border:0;width:{width}px;height:{HEIGHT}px">'
                     '</iframe>' for width in WIDTHS)
    return ('<!DOCTYPE html><title>-</title><body style="margin:0;white-space:nowrap">' + inside +
            '<script>onload = function () { setTimeout(function () { document.title = "[" + '
            'Array.from(frames, function (f) { return f.document.title; }).join() + "]"; }, 100); '
            '};</script>')


def look_at(browser, folder, file, tool, shots):
    text = file.read_text()
    if "script-src" not in text:
        text = text.replace("style-src", "script-src 'unsafe-inline'; style-src", 1)
    (folder / "probed.html").write_text(text.replace("</head>", PROBE + "</head>", 1))
    (folder / "frames.html").write_text(frames("probed.html"))
    (folder / "shown.html").write_text(frames(file.name))
    size = f"--window-size={sum(WIDTHS) + 40},{HEIGHT}"
    local = "--allow-file-access-from-files"
    for dark in (False, True):
        ran = browse(browser, folder, dark, local, size, "--virtual-time-budget=5000", "--dump-dom",
                     (folder / "frames.html").as_uri())
        assert "CONSOLE" not in ran.stderr, ran.stderr
        told = re.search(r"<title>(\[.*?\])</title>", ran.stdout)
        assert told, (tool, ran.stdout[:300], ran.stderr[-2000:])
        for width, seen in zip(WIDTHS, json.loads(html.unescape(told[1])), strict=True):
            assert seen["found"] == [], (tool, width, dark, seen["found"][:5])
            assert seen["width"] == width, seen["width"]
            assert (seen["dark"] != "rgb(255, 255, 255)") == dark, seen["dark"]
            if tool == "gas-lda":
                check_words(seen["words"])
        if shots:
            shot = shots / f"{tool}-{'dark' if dark else 'light'}.png"
            browse(browser, folder, dark, local, size, f"--screenshot={shot}",
                   (folder / "shown.html").as_uri())


def pages(folder):
    """Names and files, as they come: of each tool, of several numbers of topics, of runs compared."""
    file = folder / "page.html"
    for tool, arguments in runs.GENERATED.items():
        summary = runs.reported(folder, tool, arguments, 2)
        if tool == "gas-kmeans":
            (folder / "summary.json").write_text(json.dumps(summary) + "\n")
        yield tool, file
    several = ["3,4,6" if part == "4" else part for part in runs.GENERATED["gas-lda"]]
    runs.reported(folder, "gas-lda", [*several, "--heldout", "0.2"])
    yield "several numbers of topics", file
    ran = runs.start("gas-report", [folder / "summary.json", folder / "summary.json", "--report",
                                    folder / "compared.html"])
    assert ran.returncode == 0, ran.stderr
    yield "gas-report", folder / "compared.html"


def main():
    browser = shutil.which("chromium")
    if browser is None:
        print("no chromium")
        return 77
    shots = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, file in pages(folder):
            look_at(browser, folder, file, name, shots)
            print(name, "looks well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
