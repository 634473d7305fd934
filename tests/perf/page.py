"""The page of a run: one HTML file that needs nothing else. Ratios by group, rooflines as SVG, and every operation."""

from html import escape
from math import log10

import report
from report import BY_ID, duration, rows

STYLE = """
:root { --ink: #1d2330; --soft: #667085; --line: #e4e7ec; --back: #ffffff; --panel: #f8f9fb; --ours: #1f6feb; --theirs: #d9822b; --good: #2da44e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #2c3340; --back: #12161d; --panel: #191f29; --ours: #58a6ff;
  --theirs: #f0a35e; --good: #3fb950; } }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--ink); background: var(--back); margin: 2.5rem auto; max-width: 1120px; padding: 0 1.5rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; } p { margin: .3rem 0; } .soft { color: var(--soft); }
.cards { display: flex; gap: 1rem; flex-wrap: wrap; margin: 1.2rem 0; } .card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1.1rem; }
.card b { display: block; font-size: 1.5rem; } .plots { display: flex; gap: 1.5rem; flex-wrap: wrap; } figure { margin: 0; flex: 1 1 500px; }
svg { width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 11px; stroke: var(--back); stroke-width: 3px; paint-order: stroke; } .grid { stroke: var(--line); } .roof { stroke: var(--ink); fill: none; stroke-width: 1.4; }
.level { stroke: var(--soft); fill: none; stroke-dasharray: 4 3; } .ours { fill: var(--ours); } .theirs { fill: none; stroke: var(--theirs); stroke-width: 1.6; }
.between { stroke: var(--soft); stroke-opacity: .45; } .even { stroke: var(--good); stroke-width: 1.4; } .dot { fill: var(--ours); fill-opacity: .6; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; } th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .22rem .5rem; border-bottom: 1px solid var(--line); white-space: nowrap; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: inline-block; height: .7rem; border-radius: 2px; background: var(--ours); vertical-align: middle; } td.wide { width: 22%; }
.key { display: inline-block; width: .7rem; height: .7rem; border-radius: 50%; margin: 0 .3rem 0 .9rem; } details { margin: .6rem 0; }
"""


class Axes:
    """A plot with two axes in tenfolds; `x` and `y` give the place of a number."""

    def __init__(self, width, height, x_range, y_range, left=52, bottom=34):
        self.width, self.height, self.left, self.bottom = width, height, left, bottom
        self.x_range, self.y_range, self.parts = x_range, y_range, []

    def x(self, value):
        low, high = map(log10, self.x_range)
        return self.left + (log10(value) - low) / (high - low) * (self.width - self.left - 14)

    def y(self, value):
        low, high = map(log10, self.y_range)
        return self.height - self.bottom - (log10(value) - low) / (high - low) * (self.height - self.bottom - 12)

    def line(self, style, points):
        places = " ".join(f"{self.x(a):.1f},{self.y(b):.1f}" for a, b in points)
        self.parts.append(f'<polyline class="{style}" points="{places}"/>')

    def text(self, x, y, words, anchor="middle"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>')

    def svg(self):
        return f'<svg viewBox="0 0 {self.width} {self.height}" role="img">{"".join(self.parts)}</svg>'


def tenfolds(low, high):
    return [10.0**n for n in range(-3, 7) if low <= 10.0**n <= high]


def plain(number):
    return f"{number:g}"


def frame(axes, x_title, y_title):
    for value in tenfolds(*axes.x_range):
        axes.line("grid", [(value, axes.y_range[0]), (value, axes.y_range[1])])
        axes.text(axes.x(value), axes.height - axes.bottom + 14, plain(value))
    for value in tenfolds(*axes.y_range):
        axes.line("grid", [(axes.x_range[0], value), (axes.x_range[1], value)])
        axes.text(axes.left - 6, axes.y(value) + 4, plain(value), "end")
    axes.text((axes.left + axes.width) / 2, axes.height - 4, x_title)
    axes.parts.append(f'<text transform="translate(12 {axes.height / 2}) rotate(-90)" text-anchor="middle">{y_title}</text>')


def roofs(axes, peak, levels):
    """The peak, and for each level of the memory the rate that its bandwidth allows."""
    low, high = axes.x_range
    told = 0
    for name, bandwidth in levels:
        bend = min(peak / bandwidth, high)
        first = max(low, axes.y_range[0] / bandwidth)
        axes.line("level", [(first, first * bandwidth), (bend, bend * bandwidth)])
        if not 0.8 < bandwidth / (told or 1e9) < 1.25:  # two levels as fast as each other have one label
            at, told = min(max(first, low) * 1.15, bend), bandwidth
            axes.text(axes.x(at), axes.y(at * bandwidth) - 7, f"{name} {bandwidth:.0f} GB/s", "start")
    bend = max(low, min(peak / max(b for _, b in levels), high)) if levels else low
    axes.line("roof", [(bend, peak), (high, peak)])
    axes.text(axes.width - 16, axes.y(peak) - 6, f"{peak:.0f} GFLOP/s", "end")


def roofline(table, peaks, type, threads):
    """Operations of one type: ours as a dot, the best peer's as a ring above or below."""
    shown = [r for r in table if BY_ID[r.id].flops and report.RATE[BY_ID[r.id].inputs[0].type] == type]
    if not shown or type not in peaks:
        return ""
    levels = [(name, value) for name, (value, size) in peaks.items() if size]
    axes = Axes(560, 400, (0.05, 1000), (0.5, 3 * peaks[type][0]))
    frame(axes, "operations for each byte that has to move", "10⁹ operations a second")
    roofs(axes, peaks[type][0], levels)
    for row in shown:
        operation = BY_ID[row.id]
        x, ours = axes.x(operation.flops / operation.bytes), axes.y(operation.flops / row.ours)
        words = f"{row.id}: Halogen {duration(row.ours)}, {operation.flops / row.ours:.3g} GFLOP/s"
        if row.theirs:
            theirs = axes.y(operation.flops / row.theirs)
            words += f"; {row.peer} {duration(row.theirs)}; ratio {row.ratio:.2f}"
            axes.parts.append(f'<line class="between" x1="{x:.1f}" x2="{x:.1f}" y1="{ours:.1f}" y2="{theirs:.1f}"/>'
                              f'<circle class="theirs" cx="{x:.1f}" cy="{theirs:.1f}" r="3.6"/>')
        axes.parts.append(f'<circle class="ours" cx="{x:.1f}" cy="{ours:.1f}" r="3.4"><title>{escape(words)}</title></circle>')
    return f"<figure><figcaption><b>{type}, {report.threads_of(threads)}</b></figcaption>{axes.svg()}</figure>"


def strips(table):
    """A line for each group, a dot for each operation at its ratio."""
    groups = list(dict.fromkeys(o.group for o in report.OPERATIONS if any(r.group == o.group and r.ratio for r in table)))
    shown = [r for r in table if r.ratio]
    if not shown:
        return ""
    low, high = min(0.1, 0.9 * min(r.ratio for r in shown)), max(2.5, 1.1 * max(r.ratio for r in shown))
    axes = Axes(1060, 26 * len(groups) + 44, (low, high), (0.1, 10), left=76)
    for value in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5):
        if low <= value <= high:
            axes.line("even" if value == 1 else "grid", [(value, 0.1), (value, 10)])
            axes.text(axes.x(value), axes.height - 18, plain(value))
    axes.text((axes.left + axes.width) / 2, axes.height - 3, "the best peer's time over Halogen's: right of 1 Halogen is faster")
    for number, group in enumerate(groups):
        y = 22 + 26 * number
        axes.text(axes.left - 8, y + 4, group, "end")
        for row in (r for r in shown if r.group == group):
            words = f"{row.id}: {row.ratio:.2f}, {row.peer}"
            axes.parts.append(f'<circle class="dot" cx="{axes.x(row.ratio):.1f}" cy="{y}" r="5"><title>{escape(words)}</title></circle>')
    return axes.svg()


def cell(text, style=""):
    return f"<td class='{style}'>{escape(str(text))}</td>"


def table_of(table, other):
    heads = ["operation", "ratio", "", "Halogen", "form", "best peer", "which", "rate", "of roof", *([f"{other} / now"] if other else [])]
    lines = ["<table><tr>" + "".join(f"<th class='{'number' if h in ('ratio', 'Halogen', 'best peer', 'rate', 'of roof') else ''}'>"
                                     f"{escape(h)}</th>" for h in heads) + "</tr>"]
    for row in table:
        operation = BY_ID[row.id]
        rate = f"{operation.bytes / row.ours:.3g} GB/s" if operation.counts_bytes else f"{operation.flops / row.ours:.3g} GFLOP/s"
        form = row.form if row.best_ours > 0.97 * row.ours else f"{row.form or 'natural'} ({row.best_form}: {duration(row.best_ours)})"
        bar = f"<td class='wide'><span class='bar' style='width:{min(row.ratio, 1.6) / 1.6:.0%}'></span></td>"
        cells = [cell(row.id), cell(f"{row.ratio:.2f}" if row.ratio else "", "number"), bar, cell(duration(row.ours), "number"),
                 cell(form), cell(duration(row.theirs) if row.theirs else "", "number"), cell(row.peer), cell(rate, "number"),
                 cell(f"{row.roof / row.ours:.0%}", "number")]
        if other:
            cells.append(cell(f"{row.against_ratio:.2f}" if row.against else "", "number"))
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "\n".join(lines) + "</table>"


def card(value, words):
    return f"<div class='card'><b>{escape(value)}</b><span class='soft'>{escape(words)}</span></div>"


def cards(table, threads):
    ratios = [r.ratio for r in table if r.ratio]
    if not ratios:
        return ""
    some = [card(f"{report.geometric_mean(ratios):.2f}", f"geometric mean of {len(ratios)} ratios"),
            card(str(sum(r >= 0.9 for r in ratios)), "at least 0.9"), card(str(sum(r < 0.5 for r in ratios)), "below 0.5")]
    return f"<h2>{report.threads_of(threads)}</h2><div class='cards'>{''.join(some)}</div>"


def of_threads(results, threads):
    table, peaks = rows(results, threads), results["peaks"][str(threads)]
    plots = "".join(roofline(table, peaks, type, threads) for type in ("f32", "f64"))
    legend = ("<p class='soft'><span class='key' style='background:var(--ours)'></span>Halogen, natural form"
              "<span class='key' style='border:2px solid var(--theirs)'></span>the best peer, joined to it"
              "; the roofs were measured in the same run</p>")
    return f"{cards(table, threads)}{strips(table)}{legend}<div class='plots'>{plots}</div>{table_of(table, report.against_name(results))}"


def html(results):
    machine = results["machine"]
    parts = [f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Halogen beside other libraries</title><style>{STYLE}</style>"
             "<h1>Halogen beside other libraries</h1>"
             f"<p>Halogen {escape(machine['commit'])}, leg {escape(machine['leg'])}, on {escape(machine['processor'])}, "
             f"{machine['processors']} processors; {escape(machine['date'])}.</p>"
             "<p class='soft'>Each result was checked; batches of all peers took turns; the fastest batch of each counts. "
             "Ratio: the best peer's time over that of Halogen's natural form, the text a user writes first.</p>"]
    parts += [of_threads(results, threads) for threads in report.thread_counts(results)]
    peers = "".join(f"<li>{escape(n)}: {escape(v)}</li>" for n, v in results["peers"].items())
    out = "".join(f"<li>{escape(n)}: left out, {escape(v)}</li>" for n, v in results["missing"].items())
    out += "".join(f"<li>not computed by Halogen: {i}</li>" for i in report.without_ours(results))
    out += "".join(f"<li>wrong and not timed: {escape(line)}</li>" for line in report.wrong(results))
    return "\n".join(parts) + f"<h2>Peers</h2><ul>{peers}{out}</ul></html>\n"
