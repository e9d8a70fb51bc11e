"""Makes the quickstart's input from what apt knows of Debian's packages.

    package_corpus.py OUT DUMP [TRANSLATION...]

DUMP is the output of `apt-cache dumpavail`; a TRANSLATION is one of apt's Translation-en lists, which
have the full descriptions (without them the short ones of DUMP serve). Into the folder OUT go

    docword.txt vocab.txt packages.txt   a package's description is a document; its name, line by line
    train.svm test.svm words.txt         is a package a library (+1) or not (-1), by its words
    depends.txt                          package, package that it depends on
"""

import collections
import math
import re
import sys
import zlib
from pathlib import Path

# Words that say how English or a package description works, not what the package is about.
STOP_WORDS = frozenset(
    """
    a about above across actually additional after again all allow allowing allows almost along
    already also although always an and another any anything are aren around as at available
    back base based basic be because been before being below best better between both build
    building builds built but by call called calls can cannot case change changes code
    collection com common commonly compared complete completely consists contain contained
    containing contains convenient could create created creates creating current currently data
    deal debian default depend dependencies dependency depending depends designed detailed
    details develop developed developer developers developing development did different directly
    directory distribution do documentation documented documents does doesn doing don done due
    dummy during each easier easily easy effort either else enable enables enabling end enough
    entire especially etc even every everything example examples existing extended features file
    files find fine first following for form free from full fully function functionality
    functions further general generic get gets getting give given gives giving go good great had
    handle handles handling has have having header headers help helper helps here high highly
    home how however http https if implement implementation implementations implemented
    implementing implements important in include included includes including independent
    individual information install installed installing installs instead intended into is isn it
    item items its itself just keep kept know known large last later least less let lets level
    libraries library light like list lists little ll long look looking lot low made main mainly
    make makes making many may mean means metapackage might mode module modules more most mostly
    much multiple must name named names need needed needing needs new no non normal not note now
    number of off offer offers often old on once one ones only onto optional optionally options
    or order org original originally other others otherwise our out over own package packaged
    packages part particular per perform performed places please point possible possibly
    powerful present project projects proper properly provide provided provides providing
    purpose put quality quickly quite rather re read ready real really recommended related
    release released replacement require required requires rich right run running runs runtime
    safe safely same say see set sets setting settings several shared should show shows similar
    simple simply since single size small so software some something source special specific
    specified standard start static still such suitable suite support supported supporting
    supports sure take taken takes target than that the their them then there therefore these
    they thing things this those though three through thus time to together too tool tools top
    transitional try turn two type types typical typically under unless unlike until up upon
    upstream us usage use used useful user users uses using usual usually utilities utility
    various ve version versions very via want was way ways we well were what when where whether
    which while who whole whose why wide widely will with within without won work working works
    would write writing written www yet you your
    """.split()
)


def stanzas(path):
    """The records of a file in Debian's control format, as {field: text with its line breaks}."""
    record, field = {}, None
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line == "\n":
                if record:
                    yield record
                record, field = {}, None
            elif line[0] in " \t":
                if field:
                    record[field] += "\n" + line.strip()
            else:
                field, _, text = line.partition(":")
                record[field] = text.strip()
    if record:
        yield record


def words(text):
    return re.findall(r"[a-z]{3,}", text.lower())


def read_packages(dump, translations):
    """{name: record}, the first of each name; "Text" is its description, as full as there is."""
    full = {}
    for path in translations:
        for record in stanzas(path):
            full[record.get("Description-md5")] = record.get("Description-en", "")
    packages = {}
    for record in stanzas(dump):
        if "Package" not in record or record["Package"] in packages:
            continue
        text = full.get(record.get("Description-md5")) or record.get("Description", "")
        record["Text"] = text
        packages[record["Package"]] = record
    return packages


def boilerplate(packages):
    """The paragraphs that many descriptions share ("This is a Rust crate …"): they would be topics."""
    seen = collections.Counter()
    for record in packages.values():
        seen.update(set(record["Text"].split("\n.\n")))
    return {paragraph for paragraph, count in seen.items() if count > 12}


def write_topics(packages, out):
    common = boilerplate(packages)
    documents = {}
    for name, record in packages.items():
        paragraphs = [p for p in record["Text"].split("\n.\n") if p not in common]
        counts = collections.Counter(w for w in words(" ".join(paragraphs)) if w not in STOP_WORDS)
        documents[name] = counts
    in_documents = collections.Counter(w for counts in documents.values() for w in counts)
    most = 0.05 * len(documents)
    vocabulary = sorted(w for w, n in in_documents.items() if 10 <= n <= most)
    row = {word: number for number, word in enumerate(vocabulary, 1)}
    entries, names, seen = [], [], set()
    for name, counts in documents.items():
        kept = tuple(sorted((row[w], n) for w, n in counts.items() if w in row))
        if len(kept) >= 3 and kept not in seen:  # libx, libx-dev and libx-doc count once
            seen.add(kept)
            names.append(name)
            entries += [f"{len(names)} {word} {n}\n" for word, n in kept]
    with open(out / "docword.txt", "w") as file:
        file.write(f"{len(names)}\n{len(vocabulary)}\n{len(entries)}\n")
        file.writelines(entries)
    (out / "vocab.txt").write_text("".join(w + "\n" for w in vocabulary))
    (out / "packages.txt").write_text("".join(n + "\n" for n in names))
    return len(names), len(vocabulary)


def write_task(packages, out):
    """Every fifth package, by a checksum of its name, is held out. Rows have length 1."""
    documents = {name: sorted(set(words(record["Text"]))) for name, record in packages.items()}
    in_documents = collections.Counter(w for found in documents.values() for w in found)
    vocabulary = sorted(w for w, n in in_documents.items() if n >= 10)
    row = {word: number for number, word in enumerate(vocabulary, 1)}
    with open(out / "train.svm", "w") as train, open(out / "test.svm", "w") as test:
        for name, found in documents.items():
            columns = [row[w] for w in found if w in row]
            if not columns:
                continue
            section = packages[name].get("Section", "").split("/")[-1]
            label = "+1" if section in ("libs", "libdevel") else "-1"
            value = f"{1 / math.sqrt(len(columns)):.6g}"
            line = label + "".join(f" {column}:{value}" for column in columns) + "\n"
            (test if zlib.crc32(name.encode()) % 5 == 0 else train).write(line)
    (out / "words.txt").write_text("".join(w + "\n" for w in vocabulary))


def write_dependencies(packages, out):
    """The first alternative of each dependency; a virtual one stands for its first provider."""
    provider = {}
    for name, record in packages.items():
        for virtual in re.split(r"\s*,\s*", record.get("Provides", "")):
            provider.setdefault(virtual.split(" ")[0], name)
    with open(out / "depends.txt", "w") as file:
        for name, record in packages.items():
            wanted = ", ".join(record.get(f, "") for f in ("Pre-Depends", "Depends"))
            targets = {re.split(r"[\s(:|]", wish, maxsplit=1)[0] for wish in wanted.split(", ")}
            for target in sorted(targets - {"", name}):
                real = target if target in packages else provider.get(target)
                if real and real != name:
                    file.write(f"{name}\t{real}\n")


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    packages = read_packages(sys.argv[2], sys.argv[3:])
    documents, vocabulary = write_topics(packages, out)
    write_task(packages, out)
    write_dependencies(packages, out)
    print(f"{len(packages)} packages; {documents} different descriptions over {vocabulary} words")


if __name__ == "__main__":
    main()
