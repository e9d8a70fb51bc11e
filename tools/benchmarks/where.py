"""Where a program's time goes: user-space samples of a running tool by what the functions do.

Needs `perf` (Debian's linux-perf), whose clock sampling works on any machine."""
import os
import re
import shutil
import subprocess
import tempfile

import machine
import tools

# The first pattern that a function's name without its arguments, or its file, matches says what it
# does. The body of a task is a handler of std::function into which apply and the loop over the
# vertices are compiled; in the fused pass of logistic regression the pushes too.
PARTS = [
    ("gather", r"gather_|::pull|anonymous namespace.::(tile|least|not_above|shift_points"
               r"|squared_distance|subtract_products)|PackedColumns|argmin_columns"),
    ("scatter", r"scatter_|::draw"),
    ("apply, push", r"_Function_handler|apply|sweep|BlockStep|PushStep|libm[.-]|gathered_step"),
    ("exchange", r"encode_|decode_|send_values|receive_values|RankEntries|memmove|exchange_summary"),
    ("waiting", r"local_wait|nanosleep|libopen-pal|mca_|libmpi|Mailbox"),
    ("scheduling", r"libtbb|tbb::|TbbExecutor|[Ee]xecutor"),
]
LOADS = r"loaders::|partition::|BlockSort|build_graph|introsort|detail::points_in|detail::frame_for|check_points|make_layout|ship_"


def part_of(symbol, place):
    for name, pattern in PARTS:
        if re.search(pattern, symbol) or re.search(pattern, place):
            return name
    return "other"


def samples(build, tool, given, threads, folder):
    """{(symbol, file): samples} of a run; what loads is told by its functions."""
    data = os.path.join(folder, "perf.data")
    command = [build.binary(f"gas-{tool}"), *given, "--threads", str(threads), "--quiet"]
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", data, *command],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run(["perf", "report", "-i", data, "--stdio", "--no-children", "-F",
                           "sample,dso,symbol", "-t", "\t", "-w", "0"], check=True,
                          capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) >= 3 and fields[0].isdigit():
            found[fields[2], fields[1]] = found.get((fields[2], fields[1]), 0) + int(fields[0])
    return found


def run(options, build, out):
    out.title("Where the time goes")
    if shutil.which("perf") is None:
        out.say("Skipped: perf is not installed (package linux-perf).")
        return
    names = [name for name, _ in PARTS] + ["other"]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in tools.chosen(options):
            tool, given = tools.arguments(name, options)
            rounds = given.index("--iterations") + 1
            given[rounds] = str(4 * int(given[rounds]))
            summary = build.tool(tool, given, 1, 1)
            try:
                found = samples(build, tool, given, 1, folder)
            except subprocess.CalledProcessError:
                raise machine.Failure("perf record does not work here") from None
            shares = dict.fromkeys(names, 0)
            for (symbol, place), count in found.items():
                head = symbol.split("<", 1)[0]
                if "kernel" not in place and not re.search(LOADS, head):
                    shares[part_of(head, place)] += count
            whole = sum(shares.values()) or 1
            out.record(section="time", kernel=name, shares={k: v / whole for k, v in shares.items()},
                       seconds=summary["seconds"]["compute"], rounds=summary["iterations"])
            each = summary["seconds"]["compute"] / max(1, summary["iterations"])
            rows.append([name, f"{each * 1e3:.3g} ms",
                         *(f"{100 * shares[k] / whole:.1f} %" for k in names)])
    out.table(["kernel", "round", *names], rows)
