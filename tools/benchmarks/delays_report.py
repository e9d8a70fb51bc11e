"""The tables and the picture of tools/stragglers."""

COLOURS = {"0": "#888888", "1": "#9ecae1", "4": "#4292c6", "16": "#08519c", "async": "#e6550d"}


def markdown(rows, verdicts):
    lines = ["| program | profile | best bound | gain over 0 | waiting at 0 | waiting at best "
             "| mean lag, lazy | eager |", "|---|---|---|---|---|---|---|---|"]
    for v in verdicts:
        eager = " eager" if v["eager"] else ""
        lags = ["–" if v[k] is None else f"{v[k]:.2f}" for k in ("lag_lazy", "lag_eager")]
        lines.append(f"| {v['program']} | {v['profile']} | {v['bound']}{eager} "
                     f"| {v['gain']:.2f} × | {v['waiting_0']:.0%} | {v['waiting']:.1%} "
                     f"| {lags[0]} | {lags[1]} |")
    lines += ["", "| program | profile | bound | seconds | rounds | waiting | at the end "
              "| mean lag |", "|---|---|---|---|---|---|---|---|"]
    for r in rows:
        name = r["bound"] + (" eager" if r["eager"] else "")
        if not r["reached"]:
            lines.append(f"| {r['program']} | {r['profile']} | {name} | not reached | | | | |")
            continue
        lag = "–" if r["staleness"] is None else f"{r['staleness']:.2f}"
        lines.append(f"| {r['program']} | {r['profile']} | {name} | {r['seconds']:.2f} "
                     f"| {r['rounds']:.0f} | {r['waiting']:.1%} | {r['ending']:.1%} | {lag} |")
    return "\n".join(lines) + "\n"


def svg(rows):
    """Bars of the time to the objective, as ratio to staleness 0: a row per program, a group per
    profile, eager ones hatched lighter."""
    programs = list(dict.fromkeys(r["program"] for r in rows))
    profiles = list(dict.fromkeys(r["profile"] for r in rows))
    bar, gap, height, top, left = 14, 26, 150, 34, 60
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
                               f'height="{tall:.1f}" fill="{COLOURS[r["bound"]]}" '
                               f'fill-opacity="{0.55 if r["eager"] else 1}"/>')
                x += bar
    x, y = left, (height + 70) * len(programs) + 22
    for bound in dict.fromkeys(r["bound"] for r in rows):
        out.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLOURS[bound]}"/>'
                   f'<text x="{x + 14}" y="{y}">{bound}</text>')
        x += 62
    out.append(f'<text x="{x}" y="{y}">paler: eager</text></svg>')
    return "\n".join(out) + "\n"
