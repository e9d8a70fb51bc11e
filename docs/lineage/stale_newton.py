#!/usr/bin/env python3
"""Would Newton's method for logistic regression gain by not waiting for slow ranks? A simulation in
virtual time: each rank holds a share of the examples, and a round takes 1, or 10 with a probability
of 0.1 (transient), or 3 on one rank, every 5 rounds another (rotating). See docs/stragglers.md.

usage: stale_newton.py FILE.svm [C] [l1|l2] [seeds]"""
import heapq
import sys

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

RANKS, ENOUGH, MOST = 4, 1e-3, 60  # ranks; the relative distance to reach; rounds


class Problem:
    def __init__(self, path, cost, l1):
        x, y = load_svmlight_file(path)
        x = x.tocsr()[:, np.flatnonzero(np.diff(x.tocsc().indptr))]
        self.x = sparse.diags(np.where(y > np.unique(y).mean(), 1.0, -1.0)) @ x
        self.cost, self.l1, self.columns = cost, l1, x.shape[1]
        order = np.random.RandomState(0).permutation(x.shape[0])
        self.shares = [self.x[rows] for rows in np.array_split(order, RANKS)]
        self.least = self.optimum()

    def objective(self, w):
        penalty = np.abs(w).sum() if self.l1 else w @ w / 2
        return self.cost * np.logaddexp(0, -(self.x @ w)).sum() + penalty

    def far(self, w):
        return (self.objective(w) - self.least) / self.least

    def model(self, share, at):
        """Gradient and Hessian of a share's loss."""
        miss = 1 / (1 + np.exp(share @ at))
        bend = sparse.diags(self.cost * miss * (1 - miss))
        return -self.cost * (share.T @ miss), (share.T @ bend @ share).toarray()

    def step(self, slope, bend, at):
        """The least of R(w) + slope·(w − at) + ½ (w − at)·bend (w − at)."""
        if not self.l1:
            return np.linalg.solve(bend + np.eye(self.columns), bend @ at - slope)
        w, left, own = at.copy(), slope.copy(), np.diag(bend)
        for _ in range(50):
            moved = 0.0
            for j in np.flatnonzero(own):
                to = w[j] - left[j] / own[j]
                to = np.sign(to) * max(abs(to) - 1 / own[j], 0)
                if to != w[j]:
                    left += (to - w[j]) * bend[j]
                    moved = max(moved, abs(to - w[j]) * np.sqrt(own[j]))
                    w[j] = to
            if moved < 1e-3:
                break
        return w

    def optimum(self):
        w = np.zeros(self.columns)
        for _ in range(40):
            w = self.shorten(w, self.step(*self.model(self.x, w), w) - w)
        return self.objective(w)

    def shorten(self, w, d):
        length, before = 1.0, self.objective(w)
        while self.objective(w + length * d) > before and length > 1e-6:
            length /= 2
        return w + length * d


def delays(profile, seed):
    draws = [np.random.RandomState(1000 * seed + rank) for rank in range(RANKS)]

    def of(rank, turn):
        if profile == "transient":
            return 10.0 if draws[rank].rand() < 0.1 else 1.0
        return 3.0 if profile == "rotating" and turn // 5 % RANKS == (rank + seed) % RANKS else 1.0
    return of


def waiting(problem, delay):
    """Newton's method with a line search, where all wait for the slowest: (time, rounds)."""
    w, time = np.zeros(problem.columns), 0.0
    for turn in range(MOST):
        time += max(delay(rank, turn) for rank in range(RANKS))
        w = problem.shorten(w, problem.step(*problem.model(problem.x, w), w) - w)
        if problem.far(w) <= ENOUGH:
            return time, turn + 1
    return np.inf, MOST


def stale(problem, delay, bound, sums):
    """Each rank steps by what is there. With `sums` ranks know each other's Hessians, and add up
    Taylor models round different points; else a rank takes its own Hessian for all, at the mean of
    these points, with a tenth more of its diagonal, without which it diverges. (time, rounds)"""
    def combine(known):
        if not known:
            return None
        scale = RANKS / len(known)
        slope = scale * sum(g for g, _, _ in known)
        bend = scale * sum(h for _, h, _ in known)
        middle = sum(at for _, _, at in known) / len(known)
        return slope, bend, middle, scale * sum(h @ (middle - at) for _, h, at in known)

    def next_point(rank):
        found = combine([it for it in told if it is not None])
        if found is None or (sums and None in told):
            return points[rank]
        slope, bend, middle, drift = found
        if sums:
            return problem.step(slope + drift, bend, middle)
        own = told[rank][1] if told[rank] is not None else bend / RANKS
        share = np.sqrt(np.diag(bend) / np.maximum(np.diag(own), 1e-300))
        own = share[:, None] * own * share
        return problem.step(slope, own + 0.1 * np.diag(np.diag(bend)), middle)

    told, done = [None] * RANKS, [0] * RANKS
    points = [np.zeros(problem.columns)] * RANKS
    at_work, idle = [], set(range(RANKS))
    time = 0.0
    while True:
        for rank in sorted(idle):
            if done[rank] - min(done) <= bound:
                idle.remove(rank)
                points[rank] = next_point(rank)
                end = time + delay(rank, done[rank])
                heapq.heappush(at_work, (end, rank, points[rank]))
        time, rank, at = heapq.heappop(at_work)
        told[rank] = (*problem.model(problem.shares[rank], at), at)
        done[rank] += 1
        idle.add(rank)
        if None not in told and problem.far(next_point(rank)) <= ENOUGH:
            return time, sum(done) / RANKS
        if min(done) >= MOST:
            return np.inf, MOST


def main():
    path, cost, penalty, seeds = (sys.argv[1:] + ["1", "l2", "11"][len(sys.argv) - 2:])[:4]
    problem = Problem(path, float(cost), penalty == "l1")
    print(f"least objective {problem.least:.6f}; rounds, and gain in time over waiting: median "
          "(quartiles)")
    for profile in ("none", "transient", "rotating"):
        base = [waiting(problem, delays(profile, s)) for s in range(int(seeds))]
        print(f"{profile}: waiting takes {np.median([r for _, r in base]):g} rounds")
        for sums in (True, False):
            for bound in (1, 2, 4, 16):
                runs = [stale(problem, delays(profile, s), bound, sums) for s in range(int(seeds))]
                gain = [b[0] / r[0] for b, r in zip(base, runs)]
                low, middle, high = np.percentile(gain, [25, 50, 75])
                print(f"  {'sums of Hessians' if sums else 'own Hessians':16} bound {bound:2}: "
                      f"{np.median([r for _, r in runs]):5.1f} rounds, gain {middle:.2f} "
                      f"({low:.2f}–{high:.2f})", flush=True)


if __name__ == "__main__":
    main()
