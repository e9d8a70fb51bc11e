"""Prints, for people, what the quickstart's runs found. Lists the best of each, a line a piece.

    package_report.py topics FOLDER               topics.txt of gas-lda
    package_report.py clusters FOLDER LDA NAMES   gas-kmeans over gas-lda's document_topic.npy
    package_report.py weights FOLDER WORDS        gas-logreg: the words that speak for and against
    package_report.py ranks FOLDER                gas-pagerank over names
    package_report.py summary KEY... < LINE       these keys of a --summary json line

NAMES and WORDS name the documents and the features, a line a piece; without the file their numbers
are shown.
"""

import array
import ast
import json
import sys
from pathlib import Path


def read_npy(path):
    """(values, shape) of a little-endian array of f4, f8, i4 or i8 in C order."""
    with open(path, "rb") as file:
        if file.read(6) != b"\x93NUMPY":
            sys.exit(f"{path}: not an npy file")
        wide = file.read(2)[0] > 1
        header = ast.literal_eval(file.read(int.from_bytes(file.read(4 if wide else 2), "little")).decode())
        values = array.array({"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}[header["descr"]])
        values.frombytes(file.read())
    return values, header["shape"]


def read_lines(path):
    return Path(path).read_text().splitlines() if Path(path).exists() else None


def best(values, count):
    return sorted(range(len(values)), key=lambda i: -values[i])[:count]


def topics(folder):
    for line in read_lines(Path(folder) / "topics.txt"):
        number, words = line.split("\t")
        print(f"  {number:>3}  {words}")


def clusters(folder, lda, names_file):
    names = read_lines(names_file)
    topic_words = [line.split("\t")[1].split()[:3] for line in read_lines(Path(lda) / "topics.txt")]
    points, (_, topics_count) = read_npy(Path(lda) / "document_topic.npy")
    centroids, (k, _) = read_npy(Path(folder) / "centroids.npy")
    assignments, _ = read_npy(Path(folder) / "assignments.npy")
    members = [[] for _ in range(k)]
    for point, cluster in enumerate(assignments):
        members[cluster].append(point)
    for cluster in sorted(range(k), key=lambda c: -len(members[c])):
        centre = centroids[cluster * topics_count : (cluster + 1) * topics_count]
        top = best(centre, 2 if sorted(centre)[-2:][0] > 0.1 else 1)
        about = " + ".join(" ".join(topic_words[t]) for t in top) if centre[top[0]] > 0.2 else "mixed topics"
        typical = [points[point * topics_count + top[0]] for point in members[cluster]]
        shown = {}  # one of a family: libx0, libx-dev, libx-doc
        for i in best(typical, 50):
            name = names[members[cluster][i]] if names else f"point {members[cluster][i]}"
            shown.setdefault(name[:7] if names else name, name)
        print(f"  {len(members[cluster]):6} of {about}: " + ", ".join(list(shown.values())[:5]))


def weights(folder, words_file):
    values, (count,) = read_npy(Path(folder) / "weights.npy")
    names = read_lines(words_file) or [f"feature {i + 1}" for i in range(count)]
    print("  for:     " + ", ".join(names[i] for i in best(values, 12)))
    print("  against: " + ", ".join(names[i] for i in best([-v for v in values], 12)))


def ranks(folder):
    values, _ = read_npy(Path(folder) / "ranks.npy")
    names = read_lines(Path(folder) / "ids.txt") or [f"vertex {i}" for i in range(len(values))]
    for place, vertex in enumerate(best(values, 15), 1):
        print(f"  {place:3}  {values[vertex]:.5f}  {names[vertex]}")


def summary(*keys):
    run = json.loads(sys.stdin.read())
    print("  " + ", ".join(f"{key.replace('_', ' ')} {run[key]:.6g}" for key in keys if run[key] is not None)
          + f"; {run['ranks']} ranks, {run['iterations']} rounds, {run['seconds']['total']:.1f} s")


if __name__ == "__main__":
    {"topics": topics, "clusters": clusters, "weights": weights, "ranks": ranks, "summary": summary}[
        sys.argv[1]
    ](*sys.argv[2:])
