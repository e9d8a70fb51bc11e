"""The tables and the picture of tools/stragglers."""
import report


def colours(bounds):
    """Grey for 0, orange for async, and blues that grow darker with the bound."""
    found = {"0": "#888888", "async": "#e6550d"}
    numbers = sorted({int(bound) for bound in bounds if bound not in found})
    for place, bound in enumerate(numbers):
        found[str(bound)] = f"hsl(205,65%,{75 - 50 * (place + 1) // len(numbers)}%)"
    return found


def gain(gains):
    """The median over the seeds and, of several, the quartiles."""
    low, middle, high = (report.quantile(gains, q) for q in (0.25, 0.5, 0.75))
    return f"{middle:.2f} ×" + (f" ({low:.2f}–{high:.2f})" if len(gains) > 1 else "")


def markdown(settings, verdicts):
    """Settings and verdicts as delays.py makes them; medians where there are several seeds."""
    lines = ["| program | profile | best bound | gain over 0 | waiting at 0 | waiting at best "
             "| mean lag, lazy | eager |", "|---|---|---|---|---|---|---|---|"]
    for v in verdicts:
        eager = " eager" if v["eager"] else ""
        lags = ["–" if v[k] is None else f"{v[k]:.2f}" for k in ("lag_lazy", "lag_eager")]
        lines.append(f"| {v['program']} | {v['profile']} | {v['bound']}{eager} "
                     f"| {gain(v['gains'])} | {v['waiting_0']:.0%} | {v['waiting']:.1%} "
                     f"| {lags[0]} | {lags[1]} |")
    lines += ["", "| program | profile | bound | seeds | gain over 0 | seconds | rounds | waiting "
              "| of it at the end | mean lag |", "|---|---|---|---|---|---|---|---|---|---|"]
    for s in settings:
        name = s["bound"] + (" eager" if s["eager"] else "")
        seeds = f"{s['reached']} of {s['seeds']}"
        if not s["reached"]:
            lines.append(f"| {s['program']} | {s['profile']} | {name} | {seeds} | not reached "
                         "| | | | | |")
            continue
        lag = "–" if s["staleness"] is None else f"{s['staleness']:.2f}"
        lines.append(f"| {s['program']} | {s['profile']} | {name} | {seeds} | {gain(s['gains'])} "
                     f"| {s['seconds']:.2f} | {s['rounds']:.0f} | {s['waiting']:.1%} "
                     f"| {s['ending']:.1%} | {lag} |")
    return "\n".join(lines) + "\n"


def svg(rows):
    """Bars of the time to the objective, as ratio to staleness 0: a row per program, a group per
    profile, eager ones paler. `rows` are settings as delays.over_seeds makes them."""
    programs = list(dict.fromkeys(r["program"] for r in rows))
    profiles = list(dict.fromkeys(r["profile"] for r in rows))
    bar, gap, height, top, left = 14, 26, 150, 34, 60
    of_bound = colours(r["bound"] for r in rows)
    group = bar * max(sum((r["program"], r["profile"]) == (p, f) for r in rows)
                      for p in programs for f in profiles) + gap
    width = left + group * len(profiles) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{(height + 70) * len(programs) + 40}" font-family="sans-serif" '
           'font-size="11"><rect width="100%" height="100%" fill="white"/>']
    for i, program in enumerate(programs):
        base = top + (height + 70) * i + height
        mine = [r for r in rows if r["program"] == program]
        still = {r["profile"]: r["seconds"] for r in mine if r["bound"] == "0"}
        most = max([1.2] + [r["seconds"] / still[r["profile"]] for r in mine if r["reached"]])
        out.append(f'<text x="{left}" y="{base - height - 10}" font-weight="bold">{program}: time '
                   'to the same objective / that at staleness 0</text>')
        for mark in (0.5, 1.0):
            y = base - height * mark / most
            out.append(f'<line x1="{left}" x2="{width - 10}" y1="{y:.1f}" y2="{y:.1f}" '
                       f'stroke="#cccccc"/><text x="{left - 28}" y="{y + 4:.1f}">{mark}</text>')
        for j, profile in enumerate(profiles):
            x = left + group * j + gap // 2
            out.append(f'<text x="{x}" y="{base + 16}">{profile}</text>')
            for r in (r for r in mine if r["profile"] == profile):
                if r["reached"]:
                    tall = height * r["seconds"] / still[profile] / most
                    out.append(f'<rect x="{x}" y="{base - tall:.1f}" width="{bar - 2}" '
                               f'height="{tall:.1f}" fill="{of_bound[r["bound"]]}" '
                               f'fill-opacity="{0.55 if r["eager"] else 1}"/>')
                x += bar
    x, y = left, (height + 70) * len(programs) + 22
    for bound in dict.fromkeys(r["bound"] for r in rows):
        out.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{of_bound[bound]}"/>'
                   f'<text x="{x + 14}" y="{y}">{bound}</text>')
        x += 62
    out.append(f'<text x="{x}" y="{y}">paler: eager</text></svg>')
    return "\n".join(out) + "\n"
