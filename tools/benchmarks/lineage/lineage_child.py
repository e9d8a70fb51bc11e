"""Peers in numpy, each as a process of its own; prints what its caller reads."""
import gzip
import math
import os
import sys
import time

import numpy as np

FASHION = "/usr/share/datasets/fashion-mnist"  # lineage_shared.py has it, too: a peer cannot import that


def idx(name):
    with gzip.open(f"{FASHION}/{name}-ubyte.gz") as file:
        raw = file.read()
    sizes = np.frombuffer(raw, ">i4", raw[3], 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(sizes)


def patches(count, path):
    """8 × 8 pieces of pictures, prepared as in Ng's exercise: between 0.1 and 0.9."""
    draw = np.random.default_rng(1)
    count = int(count)
    if os.path.exists(FASHION):
        where, images = "Fashion-MNIST", idx("train-images-idx3") / 255
    else:  # smooth noise
        where = "noise"
        waves = np.fft.rfftfreq(28)[None, :] + np.abs(np.fft.fftfreq(28))[:, None] + 0.03
        images = np.fft.irfft2(np.fft.rfft2(draw.normal(size=(2000, 28, 28))) / waves, (28, 28))
    which, down, right = (draw.integers(0, most, count) for most in (len(images), 21, 21))
    found = np.stack([images[i, y:y + 8, x:x + 8] for i, y, x in zip(which, down, right)])
    found = found.reshape(count, 64)
    found = found - found.mean(1, keepdims=True)
    most = 3 * found.std()
    np.save(path, ((np.clip(found, -most, most) / most + 1) * 0.4 + 0.1).astype(np.float32))
    print(where)


def autoencoder(path, iterations):
    """scipy's L-BFGS-B on Ng's objective; as ours 25 hidden units, λ 1e-4, ρ 0.01, β 3."""
    from scipy.optimize import minimize
    x = np.load(path).astype(float)
    count, inputs = x.shape
    hidden, decay, wanted, weight = 25, 1e-4, 0.01, 3.0
    cuts = np.cumsum([hidden * inputs, hidden * inputs, hidden])

    def loss(w):
        w1, w2, b1, b2 = np.split(w, cuts)
        w1, w2 = w1.reshape(hidden, inputs), w2.reshape(inputs, hidden)
        a = 1 / (1 + np.exp(-(x @ w1.T + b1)))
        y = 1 / (1 + np.exp(-(a @ w2.T + b2)))
        active = a.mean(0)
        off = y - x
        value = (0.5 / count * np.sum(off * off) + decay / 2 * (np.sum(w1 * w1) + np.sum(w2 * w2))
                 + weight * np.sum(wanted * np.log(wanted / active)
                                   + (1 - wanted) * np.log((1 - wanted) / (1 - active))))
        d3 = off * y * (1 - y)
        push = weight * ((1 - wanted) / (1 - active) - wanted / active)
        d2 = (d3 @ w2 + push) * a * (1 - a)
        return value, np.concatenate([(d2.T @ x / count + decay * w1).ravel(),
                                      (d3.T @ a / count + decay * w2).ravel(),
                                      d2.mean(0), d3.mean(0)])

    most = np.sqrt(6 / (inputs + hidden + 1))
    start = np.zeros(cuts[-1] + inputs)
    start[:cuts[1]] = np.random.default_rng(1).uniform(-most, most, cuts[1])
    begin = time.perf_counter()
    found = minimize(loss, start, jac=True, method="L-BFGS-B",
                     options={"maxiter": int(iterations), "maxfun": 10**6, "ftol": 0, "gtol": 0})
    print((time.perf_counter() - begin) / found.nit, found.nit, found.nfev, found.fun)


def planted(count, path):
    """Rows of 20 normal numbers and a label, by the odds of planted weights."""
    draw = np.random.default_rng(3)
    rows = draw.normal(size=(int(count), 20))
    odds = rows @ draw.normal(size=20) * 0.7
    labels = draw.random(int(count)) < 1 / (1 + np.exp(-odds))
    np.save(path, np.column_stack([rows, labels]).astype(np.float32))


def classifier(hidden, epochs, batch, rate, momentum, seed):
    """A hidden layer of max(0, ·), softmax, momentum, in float32 on Fashion-MNIST."""
    x, y = idx("train-images-idx3").reshape(-1, 784) / np.float32(255), idx("train-labels-idx1")
    test, right = idx("t10k-images-idx3").reshape(-1, 784) / np.float32(255), idx("t10k-labels-idx1")
    hidden, batch, rate, momentum = int(hidden), int(batch), np.float32(rate), np.float32(momentum)
    draw = np.random.default_rng(int(seed))

    def layer(inputs, outputs, meet):
        most = math.sqrt(6 / meet)
        return draw.uniform(-most, most, (inputs, outputs)).astype(np.float32)

    weights = [layer(784, hidden, 784), np.zeros(hidden, np.float32),
               layer(hidden, 10, hidden + 10), np.zeros(10, np.float32)]
    velocity = [np.zeros_like(w) for w in weights]
    seconds = []
    for _ in range(int(epochs)):
        begin = time.perf_counter()
        order = draw.permutation(len(x))
        for at in range(0, len(x), batch):
            rows = order[at:at + batch]
            given, w1, w2 = x[rows], weights[0], weights[2]
            a = np.maximum(given @ w1 + weights[1], 0)
            p = a @ w2 + weights[3]
            p = np.exp(p - p.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            p[np.arange(len(rows)), y[rows]] -= 1
            back = p @ w2.T
            back *= a > 0
            step = -rate / np.float32(len(rows))
            for w, v, g in zip(weights, velocity, (given.T @ back, back.sum(0), a.T @ p, p.sum(0))):
                v *= momentum
                g *= step
                v += g
                w += v
        seconds.append(time.perf_counter() - begin)
    scores = np.maximum(test @ weights[0] + weights[1], 0) @ weights[2] + weights[3]
    print(np.median(seconds), np.mean(scores.argmax(1) == right))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
