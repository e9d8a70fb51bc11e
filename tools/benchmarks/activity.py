"""What a round costs in which few vertices are active, by how many there are; on ranks, too."""
import kernels
import machine
import report


def rows_of(lines, out):
    for line in lines:
        out.record(section="activity", **line)
    for (_, case, _), contest in kernels.groups(lines).items():
        ours, micro = contest["ours"], 1e6 / contest["ours"]["work"]
        row = [case, report.spread(ours["seconds"], micro)]
        if len(contest) > 1:
            loop = kernels.faster_loop(contest)
            row += [report.spread(loop["seconds"], micro),
                    report.spread(report.ratios(ours["seconds"], loop["seconds"]))]
        yield row


def run(options, build, out):
    out.title("Rounds with few active vertices")
    lines = build.kernel("activity", [1], options.repeats, options.size)
    out.table(["active vertices, arcs of each", "µs per round or level", "loop", "ratio"],
              list(rows_of(lines, out)))
    out.say("\nOn 2 ranks:\n")
    try:
        lines = build.kernel("activity", [1], options.repeats, options.size, ranks=2)
    except machine.Failure as failure:
        if "mpirun is not installed" not in str(failure):
            raise
        out.say(f"{failure}, skipped")
        return
    out.table(["active vertices, arcs of each", "µs per round or level"], list(rows_of(lines, out)))
