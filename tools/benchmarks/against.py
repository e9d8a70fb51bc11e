"""The kernels of this tree against those of another commit, by turns."""
import math
import os
import shutil

import kernels
import machine
import report

SLOWER = 1.03  # what a median ratio must exceed to count


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


class Times:
    """Of a case: seconds of goes now, before, and now again, which followed each other."""

    def __init__(self):
        self.now, self.before, self.again = [], [], []

    def ratios(self):
        return [math.sqrt(a * c) / b for a, b, c in zip(self.now, self.before, self.again)]

    def fastest(self):
        """The fastest go now ÷ the fastest before: what other work on the machine disturbs least."""
        return min(self.now) / min(self.before)

    def noise(self):
        """By how much this tree is off from itself, as a ratio of at least 1: in 3 of 4 goes."""
        return report.quantile([max(a / c, c / a) for a, c in zip(self.now, self.again)], 0.75)

    def is_slower(self):
        ratio = self.ratios()
        return (report.median(ratio) > max(SLOWER, self.noise())
                and report.quantile(ratio, 0.25) > 1)


def measure(options, here, there, name):
    """(case, threads) → Times."""
    found = {}
    for _ in range(options.repeats):
        for side, build in (("now", here), ("before", there), ("again", here)):
            for line in build.kernel(name, [1, 2], 3, options.size):
                if line["who"] == "ours":
                    times = found.setdefault((line["case"], line["threads"]), Times())
                    getattr(times, side).append(report.median(line["seconds"]))
    return found


def compare(options, here):
    if not kernels.chosen(options):
        raise machine.Failure(f"--against: {options.kernel} has no benchmark beside a loop")
    machine.output(["cmake", "--build", here.folder, "-j", str(os.cpu_count()), "--target",
                    *("bench_" + name for name in kernels.chosen(options))])
    there = build_of(options.against, here.source)
    out = report.Report(machine.describe(here))
    out.title("Against " + options.against)
    rows, slower = [], []
    for name in kernels.chosen(options):
        if not os.path.exists(os.path.join(there.folder, "bin", "bench_" + name)):
            out.say(f"{name}: {options.against} does not have it")
            continue
        found = measure(options, here, there, name)
        for case, threads in [key for key, times in found.items()
                              if not (times.now and times.before)]:
            out.say(f"{name} {case} on {threads}: only one of the two has it")
            del found[case, threads]
        if any(times.is_slower() for times in found.values()):
            second = measure(options, here, there, name)  # only what is slower twice is
        else:
            second = found
        for (case, threads), times in found.items():
            if (case, threads) not in second:
                continue
            is_slower = times.is_slower() and second[case, threads].is_slower()
            ratio = times.ratios()
            rows.append([name, case, str(threads), report.spread(times.now, 1e3) + " ms",
                         report.spread(times.before, 1e3) + " ms", report.spread(ratio),
                         times.fastest(), times.noise(), "slower" if is_slower else ""])
            out.record(section="against", revision=options.against, kernel=name, case=case,
                       threads=threads, seconds=times.now, before=times.before, again=times.again,
                       ratio=report.median(ratio), fastest=times.fastest(),
                       noise=times.noise())
            if is_slower:
                slower.append(f"{name} {case} on {threads}")
    if not rows:
        raise machine.Failure(f"--against: {options.against} has none of these kernels")
    out.table(["kernel", "case", "threads", "now", "before", "ratio", "fastest",
               "noise", ""], rows)
    if options.json:
        out.write_json(options.json)
    if options.markdown:
        out.write_markdown(options.markdown)
    for what in slower:
        out.say("slower: " + what)
    return 1 if slower else 0
