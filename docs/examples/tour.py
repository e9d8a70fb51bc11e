"""A tour of the Python package, cell by cell. What a cell prints follows it behind "#> "."""

# %% Points in clusters: estimators have the names and habits of scikit-learn's.
import numpy as np

import gas

random = np.random.default_rng(0)
centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
points = np.concatenate([centre + random.normal(size=(1000, 2)) for centre in centres])
model = gas.KMeans(n_clusters=3, random_state=1).fit(points.astype(np.float32))
order = np.argsort(model.cluster_centers_ @ [1, 2])
print(np.round(model.cluster_centers_[order], 1) + 0.0)
print(np.bincount(model.labels_)[order])
#> [[ 0.  0.]
#>  [10.  0.]
#>  [ 0. 10.]]
#> [1000 1000 1000]

# %% The result does not depend on the number of threads, bit for bit.
again = gas.KMeans(n_clusters=3, random_state=1, n_jobs=1).fit(points.astype(np.float32))
print(model.inertia_ == again.inertia_, (model.cluster_centers_ == again.cluster_centers_).all())
#> True True

# %% Examples in a sparse matrix: logistic regression to a certified gap.
import scipy.sparse

X = scipy.sparse.random(2000, 500, 0.02, "csr", random_state=1)
weights = np.where(np.arange(500) < 20, 5.0, 0.0)
y = np.where(X @ weights > 0.8, "yes", "no")
learned = gas.LogisticRegression("l1", C=10).fit(X, y)
print("right:", learned.score(X, y) > 0.95, " gap below 1e-4:", learned.gap_[0] <= 1e-4)
print("weights that matter:", (np.abs(learned.coef_[0, :20]) > 1).sum(), "of 20")
#> right: True  gap below 1e-4: True
#> weights that matter: 20 of 20

# %% Documents by words: topics.
words = ["cat", "dog", "mouse", "bread", "butter", "cheese"]
documents = np.array([[4, 5, 3, 0, 0, 0], [5, 3, 4, 0, 0, 0], [0, 0, 0, 4, 3, 5], [0, 0, 0, 3, 5, 4]])
topics = gas.LatentDirichletAllocation(
    n_components=2, doc_topic_prior=0.1, topic_word_prior=0.01, random_state=1
).fit(documents)
for topic in sorted(topics.components_.tolist()):
    print(sorted(np.array(words)[np.array(topic) > 0.1]))
#> ['bread', 'butter', 'cheese']
#> ['cat', 'dog', 'mouse']

# %% Users by items: ratings factorised, and items for somebody new.
ratings = np.array([[5, 4, 0, 1, 1], [4, 5, 5, 1, 0], [1, 0, 1, 5, 4], [0, 1, 1, 4, 5]], dtype=float)
taste = gas.ALS(n_components=2, random_state=1).fit(ratings)
items, predicted = taste.recommend([[5, 0, 0, 1, 0]], n=2)
print("items", sorted(items[0].tolist()))
#> items [1, 2]

# %% Graphs: arrays of ends, or any square sparse matrix.
ring = np.arange(6)
graph = gas.Graph((ring, (ring + 1) % 6), n_vertices=7)
print(np.round(gas.page_rank(graph, tol=1e-10), 3))
print(gas.components(graph))
print(gas.shortest_paths(graph, source=0))
#> [0.163 0.163 0.163 0.163 0.163 0.163 0.024]
#> Components(n_components=2, labels=array([0, 0, 0, 0, 0, 0, 6]))
#> [ 0.  1.  2.  3.  4.  5. inf]

# %% The same graph cut into parts, as gas-partition cuts it.
print(gas.partition((ring, (ring + 1) % 6), 2, directed=False).edge_balance)
#> 1.0

# %% What is wrong is told.
try:
    gas.KMeans().fit(np.array([[1.0, np.nan]] * 10))
except gas.InputError as error:
    print(error)
#> X: found NaN in column 1 of row 0 (from 0), expected a finite number
