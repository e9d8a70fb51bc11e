"""Inner loops alone, by Google Benchmark."""
import json

import machine
import report


def run(options, build, out):
    out.title("Inner loops")
    seconds = {"tiny": 0.001, "quick": 0.05, "full": 0.2}[options.size]
    goes = min(options.repeats, 5)
    found = json.loads(machine.output(
        [build.binary("bench_micro"), "--benchmark_format=json", f"--benchmark_min_time={seconds}",
         f"--benchmark_repetitions={goes}", "--benchmark_enable_random_interleaving=true"]))
    speeds = {}
    order = ("family_index", "per_family_instance_index")
    for line in sorted(found["benchmarks"], key=lambda line: [line[key] for key in order]):
        if line["run_type"] == "iteration":
            speeds.setdefault(line["run_name"], []).append(1 / line["items_per_second"])
    for name, each in speeds.items():
        out.record(section="micro", case=name, seconds=each)
    out.table(["loop", "ns per item"],
              [[name, report.spread(each, 1e9)] for name, each in speeds.items()])
