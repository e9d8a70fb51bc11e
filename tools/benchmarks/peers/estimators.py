"""fit() of the Python package, by turns with scikit-learn's and with the tools on the same data."""
import json
import os
import tempfile

import blas
import machine
import report
from peer_process import agree, environment, generate, has

CHILD = os.path.join(os.path.dirname(os.path.realpath(__file__)), "estimator_child.py")
SIZES = {  # points, examples, documents
    "tiny": ("n=2000,d=8,k=5", "examples=500,features=300", "documents=200,words=100,topics=5"),
    "quick": ("n=100000,d=32,k=20", "examples=50000,features=5000",
              "documents=2000,words=2000,topics=20"),
    "full": ("n=1000000,d=32,k=100", "examples=200000,features=20000",
             "documents=4000,words=4000,topics=50")}


def inputs(build, folder, size):
    """(name, job, arguments of the tool) of each estimator."""
    points, examples, documents = SIZES[size]
    generate(build, folder + "/points", f"blobs:{points},spread=10")
    generate(build, folder + "/examples", f"logistic:{examples},nonzeros=30")
    generate(build, folder + "/documents", f"lda:{documents},length=100,alpha=0.1,beta=0.01")
    clusters, topics = points.split("k=")[1], documents.split("topics=")[1]
    file = folder + "/points/points.npy"
    for what, rounds, tolerance in (("10 rounds", 10, 0), ("until the tolerance", 300, 1e-4)):
        yield (f"KMeans {points}, {what}",
               {"what": "k_means", "file": file, "k": int(clusters), "rounds": rounds,
                "tolerance": tolerance},
               ["kmeans", file, "-k", clusters, "--init", folder + "/start.npy", "--iterations",
                rounds, "--tolerance", tolerance])
    file = folder + "/examples/data.svm"
    yield (f"LogisticRegression {examples}", {"what": "logistic_regression", "file": file},
           ["logreg", file])
    classes = 10
    yield (f"LogisticRegression {examples}, softmax of {classes} classes",
           {"what": "softmax", "from": file, "file": folder + "/classes.svm", "classes": classes},
           ["logreg", folder + "/classes.svm", "--multiclass", "softmax"])
    file = folder + "/documents/docword.txt"
    yield (f"LatentDirichletAllocation {documents}, 100 rounds / 10 iterations",
           {"what": "topics", "file": file, "topics": int(topics)},
           ["lda", file, "--topics", topics, "--iterations", 100])


def run(options, build, out):
    package = os.path.join(build.folder, "python")
    if not os.path.isdir(package) or not has("sklearn"):
        out.say("Estimators: python3-sklearn is not installed, or the Python package is not built, "
                "skipped")
        return
    blas.say(out)
    given = {**environment(2), "PYTHONPATH": package}
    rows = []
    with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
        for what, job, tool in inputs(build, folder, options.size):
            job = {**job, "start": folder + "/start.npy", "repeats": options.repeats}
            found = machine.json_lines([blas.PYTHON, CHILD], input=json.dumps(job) + "\n",
                                       env=given)[-1]
            summaries = [build.tool(tool[0], tool[1:], 1, 2) for _ in range(options.repeats)]
            agree(what, found["objective"], summaries[0]["objective"], 1e-9)
            tools = [s["seconds"]["compute"] for s in summaries]
            ours, theirs = found["ours"], found["theirs"]
            ratio, above = report.ratios(ours, theirs), report.ratios(ours, tools)
            rows.append([what, report.spread(ours) + " s", report.spread(tools) + " s",
                         report.spread(above), report.spread(theirs) + " s",
                         report.spread(ratio), found["remark"]])
            out.record(section="estimators", case=what, threads=2, seconds=ours, tool=tools,
                       peer=theirs, ratio=report.median(ratio))
    out.title("Estimators of the Python package")
    out.table(["what", "fit", "tool's compute", "fit / compute", "scikit-learn's fit",
               "fit / scikit-learn's", ""], rows)
