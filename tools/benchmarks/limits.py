"""What the machine can do."""
import machine


def run(options, build, out):
    lines = machine.json_lines([build.binary("bench_limits"),
                                *(["--tiny"] if options.size == "tiny" else [])])
    out.title("Limits of the machine")
    found = {}
    for line in lines:
        out.record(section="limits", **line)
        found.setdefault((line["limit"], line["unit"]), {})[line["threads"]] = line["value"]
    out.table(["limit", "1 thread", "2 threads", "unit"],
              [[limit, by[1], by[2], unit] for (limit, unit), by in found.items()])
