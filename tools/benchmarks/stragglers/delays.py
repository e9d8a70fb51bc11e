"""Time to the same objective when ranks are slow now and then: bounds of staleness compared."""
import itertools
import math
import os
import random

import machine
import report

PROFILES = ("none", "transient", "rotating", "persistent", "cloud")
RANKS = 4
BOUNDS = ("0", "1", "4", "16", "async")  # if no others are asked for


def write_web(path, hosts, pages, links, within):
    """Pages on hosts, most links within the host, as on the web; the target of a link is one of
    few."""
    draw = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for host in range(hosts):
            for page in range(pages):
                for _ in range(links):
                    there = host if draw.random() < within else draw.randrange(hosts)
                    to = int(pages * draw.random() ** 3)
                    file.write(f"{host * pages + page} {there * pages + to}\n")


def write_documents(path, subjects, documents, own, common, length, within, elsewhere):
    """Documents on subjects, most of whose words are of the subject's own, some of another's, the
    others common to all, weighted as usual (rare words count more, all documents the same). Planted
    weights tell the classes apart, but for noise."""
    draw = random.Random(1)
    planted = [draw.gauss(0, 1) for _ in range(common + subjects * own)]
    texts, occurs = [], [0] * len(planted)
    for subject in range(subjects):
        for _ in range(documents):
            words = set()
            while len(words) < length:
                at = draw.random()
                first, count = common + subject * own, own
                if at >= within + elsewhere:
                    first, count = 0, common
                elif at >= within:
                    first = common + draw.randrange(subjects) * own
                words.add(first + int(count * draw.random() ** 2))
            texts.append(sorted(words))
            for word in words:
                occurs[word] += 1
    with open(path, "w", encoding="utf-8") as file:
        for words in texts:
            rare = [math.log(len(texts) / occurs[word]) for word in words]
            norm = math.sqrt(sum(x * x for x in rare))
            values = [x / norm for x in rare]
            score = sum(planted[word] * x for word, x in zip(words, values)) + draw.gauss(0, 1)
            file.write(" ".join(["+1" if score > 0 else "-1", *(f"{word + 1}:{x:.4g}" for word, x
                                                                in zip(words, values))]) + "\n")


class Program:
    """A tool, its input (a spec to generate, or the name of a file and who writes it), and how far
    it is to come: to the objective that staleness 0 reaches in `rounds` rounds."""

    def __init__(self, tool, rounds, more, falls, generated, write=None):
        self.tool, self.rounds, self.more, self.falls = tool, rounds, more, falls
        self.generated, self.write = generated, write

    def input(self, folder):
        if not self.write:
            return ["--generate", self.generated]
        path = os.path.join(folder, self.generated)
        if not os.path.exists(path):
            self.write(path)
        return [path]

    def reached(self, objective, target):
        return objective <= target if self.falls else objective >= target

    def scale(self, objective):
        """What falls or rises about evenly from round to round."""
        return math.log(max(objective, 1e-300)) if self.falls else objective


PROGRAMS = {
    "PageRank": Program("pagerank", 100, ["--tolerance", "0"], True, "web.txt",
                        lambda path: write_web(path, 256, 64, 8, 0.9)),
    "LDA": Program("lda", 100, ["--topics", "20"], False,
                   "lda:documents=1000,words=1000,topics=20,length=40,alpha=0.1,beta=0.1"),
    "logistic regression": Program("logreg", 60, ["--solver", "dual", "--tolerance", "0", "-C",
                                                  "100"], True, "documents.svm",
                                   lambda path: write_documents(path, 128, 64, 64, 64, 12, 0.95,
                                                                0.025)),
}


def settings_of(bounds):
    """Bound and eager: 0 first."""
    return [("0", False)] + [(bound, eager) for bound in bounds if bound != "0"
                             for eager in (False, True)]


def run(build, program, folder, profile, seed, setting, rounds, milliseconds):
    bound, eager = setting
    given = [*program.input(folder), *program.more, "--iterations", rounds, "--staleness", bound,
             "--straggler", profile, "--straggler-round", milliseconds, "--seed", seed]
    summary = build.tool(program.tool, given + (["--eager"] if eager else []), RANKS, 1)
    parts = summary["per_rank"]
    waiting, ending = (sum(rank[key] for rank in parts) for key in ("waiting", "ending"))
    everything = waiting + sum(rank["computing"] + rank["communicating"] for rank in parts)
    return {"rounds": rounds, "seconds": summary["seconds"]["compute"],
            "objective": summary["objective"], "waiting": waiting / everything,
            "ending": ending / everything,
            "staleness": summary["staleness"]["mean_seen"]}


def to_target(build, program, folder, profile, seed, setting, milliseconds, target):
    """The first of runs of more and more rounds that reaches the target, its seconds reduced to
    when it did; None if four times as many rounds do not do."""
    before = None
    rounds = program.rounds
    while rounds <= 4 * program.rounds:
        found = run(build, program, folder, profile, seed, setting, rounds, milliseconds)
        if target is None or program.reached(found["objective"], target):
            if before is not None:
                near, far = program.scale(before["objective"]), program.scale(found["objective"])
                share = (program.scale(target) - near) / (far - near) if far != near else 1
                for key in ("rounds", "seconds"):
                    found[key] = before[key] + share * (found[key] - before[key])
            return found
        before = found
        rounds += max(2, program.rounds // 10)
    return None


def measure(build, folder, names, profiles, seeds, bounds, milliseconds, say):
    rows = []
    for name, profile, seed in itertools.product(names, profiles, seeds):
        target = None
        for setting in settings_of(bounds):
            try:
                found = to_target(build, PROGRAMS[name], folder, profile, seed, setting,
                                  milliseconds, target)
            except machine.Failure as failure:
                if "exit code 2\n" not in str(failure):
                    raise
                continue  # the tool says that this program does not go with it
            row = {"program": name, "profile": profile, "seed": seed, "bound": setting[0],
                   "eager": setting[1], "reached": found is not None, **(found or {})}
            if target is None:
                target = found["objective"]
            rows.append(row)
            say(row)
    return rows


def over_seeds(rows):
    """Per program, profile and setting: the median over the seeds that reached the objective of
    what a run takes, how many did, and by seed the gain over staleness 0, 0 where it was not
    reached."""
    made = []
    still = {(r["program"], r["profile"], r["seed"]): r["seconds"] for r in rows
             if r["bound"] == "0"}
    keys = ("program", "profile", "bound", "eager")
    for setting in dict.fromkeys(tuple(r[key] for key in keys) for r in rows):
        here = [r for r in rows if tuple(r[key] for key in keys) == setting]
        reached = [r for r in here if r["reached"]]
        row = dict(zip(keys, setting), seeds=len(here), reached=len(reached))
        for key in ("seconds", "rounds", "waiting", "ending", "staleness"):
            values = [r[key] for r in reached if r[key] is not None]
            row[key] = report.median(values) if values else None
        row["gains"] = [still[r["program"], r["profile"], r["seed"]] / r["seconds"]
                        if r["reached"] else 0 for r in here]
        made.append(row)
    return made


def verdicts(settings):
    """Per program and profile: staleness 0, the best other setting, and what became of waiting
    and of the mean staleness. `settings` are those of over_seeds."""
    made = []
    for program, profile in dict.fromkeys((s["program"], s["profile"]) for s in settings):
        here = [s for s in settings if (s["program"], s["profile"]) == (program, profile)]
        still = next(s for s in here if s["bound"] == "0")
        reached = [s for s in here if s["bound"] != "0" and s["reached"]]
        if not reached:
            continue
        best = max(reached, key=lambda s: report.median(s["gains"]))
        pairs = [(a["staleness"], b["staleness"]) for a in reached for b in reached
                 if a["bound"] == b["bound"] and not a["eager"] and b["eager"]]
        made.append({"program": program, "profile": profile, "bound": best["bound"],
                     "eager": best["eager"], "gains": best["gains"],
                     "waiting_0": still["waiting"], "waiting": best["waiting"],
                     "lag_lazy": sum(p[0] for p in pairs) / len(pairs) if pairs else None,
                     "lag_eager": sum(p[1] for p in pairs) / len(pairs) if pairs else None})
    return made
