"""The kernels of this tree against those of another commit, by turns."""
import os
import shutil

import kernels
import machine
import report

SLOWER = 1.05  # what a median ratio must exceed, beyond its quartiles, to count


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "gas-bench")


def build_of(revision, source):
    """A build of `revision`, made in a folder outside the tree and kept for the next time."""
    try:
        commit = machine.output(["git", "-C", source, "rev-parse", "--verify", "--quiet",
                                 revision + "^{commit}"]).strip()
    except machine.Failure:
        raise machine.Failure(f"--against: no commit {revision!r}") from None
    names = machine.output(["git", "-C", source, "ls-tree", "--name-only", commit,
                            "tools/benchmarks/CMakeLists.txt"])
    if not names.strip():
        raise machine.Failure(f"--against: {revision} has no benchmarks (tools/benchmarks)")
    tree = os.path.join(cache_folder(), commit[:12])
    if not os.path.exists(os.path.join(tree, "CMakeLists.txt")):
        shutil.rmtree(tree, ignore_errors=True)
        machine.output(["git", "-C", source, "worktree", "prune"])
        machine.output(["git", "-C", source, "worktree", "add", "--detach", tree, commit])
    build = machine.Build(source=tree)
    targets = ["bench_" + name for name in kernels.NAMES]
    machine.output(["cmake", "--preset", "release", "-DGAS_BENCHMARKS=ON", "-DGAS_TESTS=OFF"],
                   cwd=tree)
    known = machine.output(["cmake", "--build", build.folder, "--target", "help"], cwd=tree)
    targets = [t for t in targets if t + ":" in known]
    machine.output(["cmake", "--build", build.folder, "-j", str(os.cpu_count()), "--target",
                    *targets], cwd=tree)
    return build


def measure(options, here, there, name):
    """(case, threads) → our seconds and theirs, in goes that followed each other."""
    times = {}
    for _ in range(options.repeats):
        for side, build in enumerate((here, there)):
            for line in build.kernel(name, [1, 2], 3, options.size):
                if line["who"] == "ours":
                    key = (line["case"], line["threads"])
                    times.setdefault(key, ([], []))[side].append(report.median(line["seconds"]))
    return {key: pair for key, pair in times.items() if pair[0] and pair[1]}


def is_slower(ratio):
    return report.median(ratio) > SLOWER and report.quantile(ratio, 0.25) > 1


def compare(options, here):
    there = build_of(options.against, here.source)
    out = report.Report(machine.describe(here))
    out.title("Against " + options.against)
    rows, slower = [], []
    for name in kernels.chosen(options):
        if not os.path.exists(os.path.join(there.folder, "bin", "bench_" + name)):
            out.say(f"{name}: {options.against} does not have it")
            continue
        for (case, threads), (ours, theirs) in measure(options, here, there, name).items():
            ratio = report.ratios(ours, theirs)
            rows.append([name, case, str(threads), report.spread(ours, 1e3) + " ms",
                         report.spread(theirs, 1e3) + " ms", report.spread(ratio),
                         "slower" if is_slower(ratio) else ""])
            out.record(section="against", revision=options.against, kernel=name, case=case,
                       threads=threads, seconds=ours, before=theirs, ratio=report.median(ratio))
            if is_slower(ratio):
                slower.append(f"{name} {case} on {threads}")
    out.table(["kernel", "case", "threads", "now", "before", "ratio", ""], rows)
    if options.json:
        out.write_json(options.json)
    if options.markdown:
        out.write_markdown(options.markdown)
    for what in slower:
        out.say("slower: " + what)
    return 1 if slower else 0
