"""Fits estimators of gas and scikit-learn by turns, on 2 threads: a job on standard input, a line of
JSON on standard output."""
import json
import sys
import time
import warnings

import numpy
import scipy.sparse
import sklearn.cluster
import sklearn.decomposition
import sklearn.linear_model
from scipy.special import logsumexp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import gas


def by_turns(job, ours, theirs):
    """Seconds of each go, and what the last ones give. The first go of each is not counted."""
    seconds, found = ([], []), [None, None]
    for go in range(job["repeats"] + 1):
        for side, work in enumerate((ours, theirs)):
            begin = time.perf_counter()
            found[side] = work()
            if go > 0:
                seconds[side].append(time.perf_counter() - begin)
    return {"ours": seconds[0], "theirs": seconds[1]}, *found


def k_means(job):
    X = numpy.load(job["file"])
    start = X[: job["k"]]
    numpy.save(job["start"], start)
    options = {"init": start, "n_init": 1, "max_iter": job["rounds"], "tol": job["tolerance"]}
    told, ours, theirs = by_turns(
        job, lambda: gas.KMeans(job["k"], n_jobs=2, **options).fit(X),
        lambda: sklearn.cluster.KMeans(job["k"], **options).fit(X))
    return {**told, "objective": ours.inertia_,
            "remark": f"inertia {ours.inertia_ / theirs.inertia_:.4f} × theirs, "
                      f"{ours.n_iter_} / {theirs.n_iter_} rounds"}


def logistic_regression(job):
    """Both stop by their own rule; the objectives tell how near that is."""
    X, y = load_svmlight_file(job["file"], dtype=numpy.float32)

    def objective(model):
        margins = numpy.where(y > 0, 1, -1) * (X @ model.coef_[0])
        return numpy.logaddexp(0, -margins).sum() + 0.5 * model.coef_[0] @ model.coef_[0]

    least = gas.LogisticRegression(fit_intercept=False, tol=1e-9).fit(X, y).objective_[0]
    told, ours, theirs = by_turns(
        job, lambda: gas.LogisticRegression(fit_intercept=False, n_jobs=2).fit(X, y),
        lambda: sklearn.linear_model.LogisticRegression(fit_intercept=False, n_jobs=2).fit(X, y))
    above = [objective(model) / least - 1 for model in (ours, theirs)]
    return {**told, "objective": ours.objective_[0],
            "remark": f"lbfgs; above the least by {above[0]:.1e} / {above[1]:.1e}"}


def make_classes(job):
    """The same examples with labels of several classes: which of as many noisy sums is largest."""
    X, _ = load_svmlight_file(job["from"], dtype=numpy.float32)
    random = numpy.random.RandomState(1)
    sums = X @ random.normal(size=(X.shape[1], job["classes"]))
    y = (sums + 2 * random.normal(size=sums.shape)).argmax(axis=1)
    dump_svmlight_file(X, y, job["file"], zero_based=False)


def softmax(job):
    """Both stop by their own rule; the objectives tell how near that is."""
    make_classes(job)
    X, y = load_svmlight_file(job["file"], dtype=numpy.float32)
    y = y.astype(int)

    def objective(model):
        sums = X @ model.coef_.T
        return (logsumexp(sums, axis=1) - sums[numpy.arange(len(y)), y]).sum() + 0.5 * (
            model.coef_ ** 2).sum()

    options = {"multi_class": "multinomial", "fit_intercept": False}
    least = gas.LogisticRegression(tol=1e-9, **options).fit(X, y).objective_[0]
    told, ours, theirs = by_turns(
        job, lambda: gas.LogisticRegression(n_jobs=2, **options).fit(X, y),
        lambda: sklearn.linear_model.LogisticRegression(**options).fit(X, y))
    above = [objective(model) / least - 1 for model in (ours, theirs)]
    return {**told, "objective": ours.objective_[0],
            "remark": f"lbfgs; above the least by {above[0]:.1e} / {above[1]:.1e}"}


def topics(job):
    """Both with the same priors; the likelihoods of all tokens tell how well each fits."""
    with open(job["file"], encoding="utf-8") as file:
        shape = int(file.readline()), int(file.readline())
        file.readline()
        rows = numpy.loadtxt(file, dtype=numpy.int64)
    X = scipy.sparse.csr_matrix((rows[:, 2], (rows[:, 0] - 1, rows[:, 1] - 1)), shape)
    entries = X.tocoo()

    def likelihood(theta, phi):
        chance = numpy.einsum("ij,ij->i", theta[entries.row], phi.T[entries.col])
        return float(entries.data @ numpy.log(chance) / entries.data.sum())

    priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01}
    told, ours, theirs = by_turns(
        job, lambda: gas.LatentDirichletAllocation(
            job["topics"], max_iter=100, random_state=1, n_jobs=2, **priors).fit(X),
        lambda: sklearn.decomposition.LatentDirichletAllocation(
            job["topics"], max_iter=10, random_state=1, n_jobs=2, **priors).fit(X))
    phi = theirs.components_ / theirs.components_.sum(axis=1, keepdims=True)
    fits = likelihood(ours.document_topic_, ours.components_), likelihood(theirs.transform(X), phi)
    return {**told, "objective": ours.log_likelihood_,
            "remark": f"likelihood {fits[0]:.3f} / {fits[1]:.3f}"}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    work = json.loads(sys.stdin.readline())
    print(json.dumps(globals()[work["what"]](work)))
