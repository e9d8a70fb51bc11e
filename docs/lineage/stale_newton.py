#!/usr/bin/env python3
"""Would Newton's method for logistic regression gain by not waiting for slow ranks? A simulation in
virtual time: each rank holds a share of the examples, and a round takes 1, or 10 with a probability
of 0.1 (transient), or 3 on one rank, every 5 rounds another (rotating). See docs/stragglers.md.

usage: stale_newton.py FILE.svm [C] [l1|l2] [seeds]
       stale_newton.py FILE.svm --curves FILE.svg    of L2 with C = 1
       stale_newton.py --at-most [seeds]             what any method of so many rounds could gain"""
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


def waiting(problem, delay, seen=lambda time, far: None):
    """Newton's method with a line search, where all wait for the slowest: (time, rounds)."""
    w, time = np.zeros(problem.columns), 0.0
    for turn in range(MOST):
        time += max(delay(rank, turn) for rank in range(RANKS))
        w = problem.shorten(w, problem.step(*problem.model(problem.x, w), w) - w)
        far = problem.far(w)
        seen(time, far)
        if far <= ENOUGH:
            return time, turn + 1
    return np.inf, MOST


def stale(problem, delay, bound, sums, seen=lambda time, far: None):
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
        if None not in told:
            far = problem.far(next_point(rank))
            seen(time, far)
            if far <= ENOUGH:
                return time, sum(done) / RANKS
        if min(done) >= MOST:
            return np.inf, MOST


def at_most(seeds):
    """What not waiting gains where it costs no round: each rank makes as many rounds as those that
    wait do, and waits at the end only."""
    for profile in ("transient", "rotating"):
        for rounds in (4, 6, 8, 12, 20, 30, 60, 100):
            gains = []
            for seed in range(seeds):
                delay = delays(profile, seed)
                taken = np.array([[delay(rank, turn) for rank in range(RANKS)]
                                  for turn in range(rounds)])
                gains.append(taken.max(axis=1).sum() / taken.sum(axis=0).max())
            low, middle, high = np.percentile(gains, [25, 50, 75])
            print(f"{profile}, {rounds:3} rounds: {middle:.2f} ({low:.2f}–{high:.2f}), "
                  f"1.5 or more {np.mean(np.array(gains) >= 1.5):.0%}")


def curves(path, svg):
    """Draws how the distance falls with time, a line for each of five seeds."""
    problem = Problem(path, 1.0, False)
    ways = (("waiting", "#888888", waiting),
            ("sums, bound 1", "#4292c6", lambda p, d, s: stale(p, d, 1, True, s)),
            ("sums, bound 4", "#08519c", lambda p, d, s: stale(p, d, 4, True, s)),
            ("own, bound 1", "#fdae6b", lambda p, d, s: stale(p, d, 1, False, s)),
            ("own, bound 4", "#e6550d", lambda p, d, s: stale(p, d, 4, False, s)))
    width, height, most = 420, 260, 30.0
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{height + 80}" '
           'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" '
           'fill="white"/>']
    for panel, profile in enumerate(("transient", "rotating")):
        left, top, wide = panel * width + 50, 30, width - 70
        out.append(f'<text x="{left}" y="{top - 12}" font-weight="bold">{profile}: distance to the '
                   'least objective over time</text>')
        for power in range(4):
            y = top + height * power / 3
            out.append(f'<line x1="{left}" x2="{left + wide}" y1="{y:.0f}" y2="{y:.0f}" '
                       f'stroke="#cccccc"/><text x="{left - 34}" y="{y + 4:.0f}">{10.0 ** -power:g}</text>')
        for time in range(0, int(most) + 1, 10):
            out.append(f'<text x="{left + wide * time / most:.0f}" y="{top + height + 15}">'
                       f'{time}</text>')
        for _, colour, way in ways:
            for seed in range(5):
                points = []
                way(problem, delays(profile, seed), lambda *at, into=points: into.append(at))
                line = " ".join(
                    f"{left + wide * min(time, most) / most:.1f},"
                    f"{top - height * np.clip(np.log10(far), -3.05, 0) / 3:.1f}"
                    for time, far in points if time <= most)
                out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" '
                           'stroke-opacity="0.7"/>')
    for place, (name, colour, _) in enumerate(ways):
        x, y = 50 + place * 120, height + 65
        out.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
                   f'<text x="{x + 14}" y="{y}">{name}</text>')
    with open(svg, "w", encoding="utf-8") as file:
        file.write("\n".join([*out, "</svg>"]) + "\n")


def main():
    if sys.argv[1] == "--at-most":
        return at_most(int((sys.argv[2:] + ["2000"])[0]))
    if "--curves" in sys.argv:
        return curves(sys.argv[1], sys.argv[3])
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
    sys.exit(main())
