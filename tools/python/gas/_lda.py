from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from . import _gas
from ._estimator import Transformer
from ._input import Array, CompressedRows, counts, is_sparse
from ._matrix import check_width, matrix_of
from ._parameters import choice, flag, path, real, whole
from ._ranks import Ranks

MOST_TOPICS = 65535


class LatentDirichletAllocation(Transformer):
    """Topics of documents: latent Dirichlet allocation by collapsed Gibbs sampling.

    X has a row per document, a column per word, and numbers of occurrences. The topics are the same
    for any number of threads, and of ranks, bit for bit.

    Parameters
    ----------
    n_components : int, default=10
        How many topics.
    doc_topic_prior : float, array-like of shape (n_components,) or None
        α, the prior of a document's topics, each or by topic; None: 1 / n_components.
    topic_word_prior : float or None
        β, the prior of a topic's words, each; None: 1 / n_components.
    max_iter : int, default=200
        Rounds; each draws the topic of every token anew.
    tol : float, default=0
        The rounds end where the mean log-likelihood changes by at most this share of itself per
        round; 0: never.
    optimize_every : int, default=0
        Rounds after which the priors become those that are likeliest for the tokens' topics: α of
        each topic, and one β; 0: never.
    optimize_burn_in : int, default=0
        Rounds after which that begins.
    split_merge : int, default=0
        Every so many rounds, but for the last third of `max_iter`, topics are merged and others split
        in their place if that makes words and topics likelier; 0: never. At most 256 topics.
    turns : int, default=1
        Documents draw in so many turns, one in each round: a token gets a new topic in one round of
        `turns`. For the same number of draws, which takes more rounds, topics are usually likelier
        with more turns. At most `max_iter`; 1 with more than 256 topics and a sampler other than
        'gibbs'.
    measures : bool, default=False
        Whether fit measures the topics: `measures_`.
    sampler : {'auto', 'gibbs', 'mh'}, default='auto'
        Exact draws, or Metropolis–Hastings steps; 'auto': exact up to 256 topics, above them
        exact for words that have at most 256, steps for others.
    fractions : {'refuse', 'round'}, default='refuse'
        What becomes of values that are not whole.
    checkpoint : path or None
        A folder for checkpoints of fit; None: none are written.
    checkpoint_every : int, default=20
        Rounds from one to the next.
    resume : bool, default=False
        Whether fit goes on from the newest whole checkpoint there, on any number of ranks and
        threads. It must be of the same documents and parameters, but for `max_iter`, with a whole
        number as `random_state`.
    random_state : int, RandomState or None
        A whole number is the seed, as that of gas-lda --seed.
    n_jobs : int or None
        Threads; None and -1: all cores.
    comm : communicator of mpi4py or None
        The ranks that share the documents: each calls fit with rows of its own.

    Attributes
    ----------
    components_ : float32 array of shape (n_components, n_features)
        φ, the share of each word in each topic: rows have the sum 1.
    document_topic_ : float32 array of shape (n_samples, n_components)
        θ, the share of each topic in each document of fit, by the draws of the last round.
    topic_counts_ : int32 array of shape (n_components, n_features)
        How many tokens of each word are of each topic, by the draws of the last round.
    document_counts_ : int32 array of shape (n_samples, n_components)
        How many tokens of each document of fit are of each topic.
    doc_topic_prior_ : float64 array of shape (n_components,)
        α of each topic, as given or as found.
    topic_word_prior_ : float
        β, likewise.
    gained_ : float or None
        Mean over the tokens of log p(words, topics | priors), less that under the priors given; None
        without `optimize_every`.
    moves_ : int
        How often `split_merge` merged two topics and split a third.
    measures_ : dict or None
        With `measures`, what numbers of topics are chosen by, None where it cannot be told.
        'joint': the mean over the tokens of log p(words, topics | priors). Of the ten likeliest
        words of a topic, means over the topics: 'npmi', from -1 to 1; 'umass', as gensim's u_mass;
        'mimno' (2011). The less the better: 'cao_juan' (2009), 'arun' (2010).
    log_likelihood_ : float
        Mean over the tokens of log Σ θ φ; NaN if there are none.
    n_iter_ : int
        Rounds.
    n_features_in_ : int
        Words seen in fit.
    feature_names_in_ : array of str of shape (n_features_in_,)
        Their names, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> import gas
    >>> documents = np.array([[5, 4, 0, 0], [4, 5, 0, 0], [0, 0, 5, 4], [0, 0, 4, 5]])
    >>> model = gas.LatentDirichletAllocation(n_components=2, random_state=1).fit(documents)
    >>> topics = model.document_topic_.argmax(axis=1)
    >>> bool(topics[0] == topics[1] and topics[2] == topics[3] and topics[0] != topics[2])
    True
    >>> int(model.transform([[0, 0, 9, 9]]).argmax()) == int(topics[2])
    True
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        doc_topic_prior: Any = None,
        topic_word_prior: float | None = None,
        max_iter: int = 200,
        tol: float = 0,
        optimize_every: int = 0,
        optimize_burn_in: int = 0,
        split_merge: int = 0,
        turns: int = 1,
        measures: bool = False,
        sampler: str = "auto",
        fractions: str = "refuse",
        checkpoint: Any = None,
        checkpoint_every: int = 20,
        resume: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        comm: Any = None,
    ):
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.max_iter = max_iter
        self.tol = tol
        self.optimize_every = optimize_every
        self.optimize_burn_in = optimize_burn_in
        self.split_merge = split_merge
        self.turns = turns
        self.measures = measures
        self.sampler = sampler
        self.fractions = fractions
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.comm = comm

    def _own_tags(self) -> dict[str, Any]:
        reason = "tokens' topics are drawn, by the number of the document's row"
        return {
            "preserves_dtype": [np.float32],
            "requires_positive_X": True,
            # Data of fractions are refused, unless that is asked for.
            "X_types": ["2darray"] if self.fractions == "round" else ["counts"],
            "_xfail_checks": {
                "check_methods_subset_invariance": reason,
                "check_methods_sample_order_invariance": reason,
            },
        }

    def fit(self, X: Any, y: Any = None) -> LatentDirichletAllocation:
        """Finds the topics of the documents X, dense or sparse."""
        ranks = self._ranks()
        rows = ranks.together(lambda: self._documents_to_fit(X, ranks))
        width = max(shape[1] for shape in ranks.all(rows.shape))
        ranks.together(lambda: check_width(rows, width))
        names = self._names_of(X, ranks)
        seed = ranks.seed(self.random_state)
        with ranks.session(self.n_jobs) as session:
            self._fit_on(session, matrix_of(session, rows, width), seed)
        self._take_features(names, width)
        return self

    def _fit_on(self, session: Any, documents: Any, seed: int) -> None:
        found = _gas.lda(
            session,
            documents,
            topics=self.n_components,
            alpha=self._alphas(),
            beta=self._prior("topic_word_prior"),
            sampler=self.sampler,
            tolerance=float(self.tol),
            iterations=self.max_iter,
            seed=seed,
            optimize_every=self.optimize_every,
            optimize_burn_in=self.optimize_burn_in,
            split_merge=self.split_merge,
            turns=self.turns,
            top_words=10 if self.measures else 0,
            checkpoint=b"" if self.checkpoint is None else os.fsencode(self.checkpoint),
            checkpoint_every=self.checkpoint_every,
            resume=bool(self.resume),
        )
        self.components_ = found["words"].T
        self.document_topic_ = found["documents"]
        self.topic_counts_ = found["word_counts"].T
        self.document_counts_ = found["document_counts"]
        self.log_likelihood_ = float("nan") if found["objective"] is None else found["objective"]
        self.doc_topic_prior_, self.topic_word_prior_ = found["alpha"], found["beta"]
        self.moves_ = found["moves"]
        self.gained_, self.measures_ = found["gained"], found.get("measures")
        self.n_iter_ = found["rounds"]
        self._seed = seed

    def transform(self, X: Any) -> Any:
        """The share of each topic in other documents, whose tokens' topics are drawn in max_iter
        rounds while the words' stay as they are."""
        rows = self._documents_to_use(X)
        whole("max_iter", self.max_iter, 1)
        with Ranks(self.comm).session(self.n_jobs) as session:
            topics = _gas.lda_transform(
                session,
                matrix_of(session, rows, rows.shape[1]),
                self._words(),
                alpha=self.doc_topic_prior_.tolist(),
                iterations=self.max_iter,
                seed=self._seed,
            )
        return self._given_out(X, topics)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the even tokens of documents whose odd tokens were fitted, in 100
        rounds; NaN without a token to score."""
        rows = self._documents_to_use(X)
        with Ranks(self.comm).session(self.n_jobs) as session:
            return _gas.lda_heldout(
                session,
                matrix_of(session, rows, rows.shape[1]),
                self._words(),
                alpha=self.doc_topic_prior_.tolist(),
                seed=self._seed,
            )

    def perplexity(self, X: Any) -> float:
        """exp(−score(X))"""
        return float(np.exp(-self.score(X)))

    @property
    def _width(self) -> int:
        return len(self.components_)

    def _words(self) -> Array:
        return np.ascontiguousarray(self.components_.T, dtype=np.float32)

    def _prior(self, name: str) -> float:
        given = getattr(self, name)
        return 1 / self.n_components if given is None else real(name, given, 0, above=True)

    def _alphas(self) -> list[float]:
        if self.doc_topic_prior is None or np.ndim(self.doc_topic_prior) == 0:
            return [self._prior("doc_topic_prior")] * self.n_components
        alphas = np.asarray(self.doc_topic_prior).ravel().tolist()
        if len(alphas) != self.n_components:
            raise _gas.UsageError(
                f"doc_topic_prior: found {len(alphas)} numbers, expected one for each of "
                f"{self.n_components} topics"
            )
        return [real("doc_topic_prior", alpha, 0, above=True) for alpha in alphas]

    def _documents_to_fit(self, X: Any, ranks: Ranks) -> CompressedRows:
        whole("n_components", self.n_components, 1, MOST_TOPICS)
        whole("max_iter", self.max_iter, 1)
        real("tol", self.tol, 0)
        choice("sampler", self.sampler, ("auto", "gibbs", "mh"))
        whole("optimize_every", self.optimize_every, 0)
        whole("optimize_burn_in", self.optimize_burn_in, 0)
        whole("split_merge", self.split_merge, 0)
        whole("turns", self.turns, 1)
        flag("measures", self.measures)
        path("checkpoint", self.checkpoint)
        whole("checkpoint_every", self.checkpoint_every, 1)
        if flag("resume", self.resume) and self.checkpoint is None:
            raise _gas.UsageError("resume: found True, expected a checkpoint to go on from")
        self._alphas()
        self._prior("topic_word_prior")
        return self._counts(X, ranks)

    def _documents_to_use(self, X: Any) -> CompressedRows:
        ranks = self._ranks()

        def check() -> CompressedRows:
            self._check_fitted()
            self._check_names(X)
            rows = self._counts(X, ranks)
            self._check_count(rows.shape[1])
            return rows

        return ranks.together(check)

    def _counts(self, X: Any, ranks: Ranks) -> CompressedRows:
        choice("fractions", self.fractions, ("refuse", "round"))
        return counts(X, rounds=self.fractions == "round", rows_elsewhere=not ranks.alone)


class TopicChoice(NamedTuple):
    """Fits of several numbers of topics: `models`, and `table`, arrays with a value for each."""

    models: list[LatentDirichletAllocation]
    table: dict[str, Array]


def choose_topics(
    X: Any, n_components: Any, *, heldout: Any = None, **options: Any
) -> TopicChoice:
    """Fits each of several numbers of topics to the same documents, taken once, and measures each.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts, as LatentDirichletAllocation takes them.
    n_components : list of int
        The numbers of topics.
    heldout : like X, or None
        Documents to score each model on.
    options
        Those of LatentDirichletAllocation.

    Returns
    -------
    TopicChoice
        The models; and a table of 'n_components', 'log_likelihood', 'score' of `heldout`, and what
        `measures_` has, NaN where it cannot be told.

    Examples
    --------
    >>> import numpy as np
    >>> import gas
    >>> random = np.random.default_rng(1)
    >>> topics = np.kron(np.eye(3), np.ones(6)) / 6
    >>> mixed = random.dirichlet(np.full(3, 0.1), 200) @ topics
    >>> X = np.array([random.multinomial(40, row) for row in mixed])
    >>> choice = gas.choose_topics(
    ...     X[:150], [2, 3, 6], heldout=X[150:], random_state=1, topic_word_prior=0.01, max_iter=60
    ... )
    >>> int(choice.table["n_components"][choice.table["joint"].argmax()])
    3
    >>> choice.models[1].components_.shape
    (3, 18)
    """
    ranks = Ranks(options.get("comm"))
    ranks.agree(n_components=n_components, heldout=None if heldout is None else "documents")
    options["measures"] = True

    def begun() -> list[LatentDirichletAllocation]:
        if heldout is not None and not is_sparse(heldout) and np.ndim(heldout) == 0:
            raise _gas.UsageError(f"heldout: found {heldout!r}, expected documents, as X")
        numbers = [
            whole("n_components", number, 1, MOST_TOPICS)
            for number in np.asarray(n_components).ravel().tolist()
        ]
        if not numbers or len(set(numbers)) < len(numbers):
            raise _gas.UsageError(
                "n_components: expected at least one number of topics, and none twice"
            )
        return [LatentDirichletAllocation(number, **options) for number in numbers]

    models = ranks.together(begun)
    first = models[0]
    first._ranks()
    if options.get("checkpoint") is not None:
        raise _gas.UsageError("checkpoint: found a folder, expected None for several fits")
    for model in models:
        rows = ranks.together(lambda model=model: model._documents_to_fit(X, ranks))
    width = max(shape[1] for shape in ranks.all(rows.shape))
    ranks.together(lambda: check_width(rows, width))
    names = first._names_of(X, ranks)
    first._take_features(names, width)
    if heldout is not None:
        try:  # as score() will, but before anything is fitted
            first._documents_to_use(heldout)
        except (TypeError, ValueError) as error:
            raise type(error)(f"heldout: {str(error).removeprefix('X: ')}") from None
    seed = ranks.seed(first.random_state)
    with ranks.session(first.n_jobs) as session:
        documents = matrix_of(session, rows, width)
        for model in models:
            model._fit_on(session, documents, seed)
            model._take_features(names, width)
    table: dict[str, list[Any]] = {"n_components": [model.n_components for model in models]}
    table["log_likelihood"] = [model.log_likelihood_ for model in models]
    if heldout is not None:
        table["score"] = [model.score(heldout) for model in models]
    for name in models[0].measures_ or {}:
        told = [(model.measures_ or {})[name] for model in models]
        table[name] = [float("nan") if value is None else value for value in told]
    return TopicChoice(models, {name: np.array(values) for name, values in table.items()})
