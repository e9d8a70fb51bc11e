"""The kernels against plain loops on the same arrays, in one process."""
import report

NAMES = ["page_rank", "logistic", "k_means", "lda", "components", "triangles", "breadth_first",
         "paths", "k_core", "by_id"]


def chosen(options):
    """Others have no benchmark of their own, but stand beside other programs."""
    return [name for name in NAMES if options.kernel in (None, name)]


def groups(lines):
    """Lines of the same contest, by who."""
    found = {}
    for line in lines:
        found.setdefault((line["kernel"], line["case"], line["threads"]), {})[line["who"]] = line
    return found


def faster_loop(contest):
    return min((line for who, line in contest.items() if who != "ours"),
               key=lambda line: report.median(line["seconds"]))


def run(options, build, out):
    out.title("Kernels against a plain loop")
    rows = []
    for name in chosen(options):
        lines = build.kernel(name, [1, 2], options.repeats, options.size,
                             0 if options.size == "tiny" else None)
        for line in lines:
            out.record(section="kernels", **line)
        for (kernel, case, threads), contest in groups(lines).items():
            ours, loop = contest["ours"], faster_loop(contest)
            nano = 1e9 / ours["work"]
            ratio = report.ratios(ours["seconds"], loop["seconds"])
            rows.append([kernel, case, str(threads),
                         report.spread(ours["seconds"], nano) + " ns/" + ours["unit"],
                         report.spread(loop["seconds"], nano), loop["who"].removeprefix("loop "),
                         report.spread(ratio)])
            out.record(section="ratios", kernel=kernel, case=case, threads=threads,
                       against=loop["who"], ratio=report.median(ratio))
    out.table(["kernel", "case", "threads", "ours", "loop", "compiled", "ratio"], rows)
