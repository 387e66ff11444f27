"""What the drivers of packings share: running `tumble`, reading its tables, drawing curves. Standard library only."""

import csv
import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path


def tumble(*arguments, watch=None):
    """Runs the program and returns its exit code. `watch` is called with its process every so often while it runs."""
    program = os.environ.get("TUMBLE", "tumble")
    try:
        with subprocess.Popen([program, *map(str, arguments)]) as process:
            while watch and process.poll() is None:
                watch(process)
                time.sleep(0.1)
            return process.wait()
    except FileNotFoundError:
        sys.exit(f"{program} was not found: build it (cargo build --release) and put it in PATH, or set TUMBLE")
    except KeyboardInterrupt:
        sys.exit(130)


def has_begun(run):
    """Whether there is a run to go on with."""
    return any((run / "checkpoints").glob("*.checkpoint"))


def simulate(run, scene, threads=None, watch=None, may_fail=False):
    """Runs a scene into a directory, or goes on with the run that is there."""
    arguments = ["--threads", threads] if threads else []
    if has_begun(run):
        code = tumble("resume", run, *arguments, watch=watch)
    else:
        if run.exists():
            shutil.rmtree(run)
        code = tumble("run", scene, "-o", run, *arguments, watch=watch)
    if code and not (may_fail and (run / "series.csv").exists()):
        sys.exit(code)


def read_table(path):
    """A CSV file with comments as columns of numbers; a row that is cut off is left out."""
    with open(path) as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    return {name: [float(row[k]) for row in rows[1:] if len(row) == len(rows[0])] for k, name in enumerate(rows[0])}


def write_table(path, columns):
    """Columns of numbers as a CSV file, with six digits."""
    with open(path, "w") as file:
        file.write(",".join(columns) + "\n")
        for row in zip(*columns.values()):
            file.write(",".join(f"{value:.6g}" for value in row) + "\n")


def number(value):
    return value if isinstance(value, str) else f"{value:.9g}"


COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"]


def curves_in_panels(path, label, panels):
    """Draws panels one below the other over the same axis. A panel is a label and curves, each a name, x, y and a colour; a
    colour that ends with a minus is dashed."""
    left, top, width, height, space = 90, 20, 560, 170, 36
    everything = [x for _, curves in panels for _, xs, _, _ in curves for x in xs]
    if not everything:
        return
    last = max(everything) or 1.0

    def ticks(largest):
        step = 10 ** math.floor(math.log10(largest / 2))
        step *= next(k for k in (1, 2, 5, 10) if largest / (k * step) <= 6)
        return [k * step for k in range(int(largest / step * (1 + 1e-9)) + 1)]

    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 20}" '
             f'height="{top + len(panels) * (height + space) + 20}" font-family="sans-serif" font-size="13">'
             '<rect width="100%" height="100%" fill="white"/>']
    base = top
    for panel, (name, curves) in enumerate(panels):
        base = top + height + panel * (height + space)
        highest = 1.05 * max((y for _, _, ys, _ in curves for y in ys if math.isfinite(y)), default=1.0) or 1.0

        def x_of(x):
            return left + width * x / last

        def y_of(y, base=base, highest=highest):
            return base - height * y / highest

        for x in ticks(last):
            drawn.append(f'<path d="M{x_of(x):.1f} {base}v-{height}" stroke="#ddd"/>'
                         f'<text x="{x_of(x):.1f}" y="{base + 16}" text-anchor="middle">{x:g}</text>')
        for y in ticks(highest):
            drawn.append(f'<path d="M{left} {y_of(y):.1f}h{width}" stroke="#ddd"/>'
                         f'<text x="{left - 6}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
        for k, (title, xs, ys, colour) in enumerate(curves):
            dashes = ' stroke-dasharray="5 3"' if colour.endswith("-") else ""
            colour = colour.rstrip("-")
            points = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in zip(xs, ys) if math.isfinite(y))
            drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>'
                         f'<text x="{left + 8}" y="{base - height + 16 + 15 * k}" fill="{colour}">'
                         f'{title}{" (dashed)" if dashes else ""}</text>')
        drawn.append(f'<rect x="{left}" y="{base - height}" width="{width}" height="{height}" fill="none" stroke="black"/>'
                     f'<text transform="translate(16 {base - height / 2}) rotate(-90)" text-anchor="middle">{name}</text>')
    drawn.append(f'<text x="{left + width / 2}" y="{base + 34}" text-anchor="middle">{label}</text></svg>')
    Path(path).write_text("\n".join(drawn) + "\n")


def told_checks(checks):
    """Prints checks, and whether all of them hold."""
    for check, holds in checks.items():
        print(f"  {'ok  ' if holds else 'FAIL'} {check}")
    return all(checks.values())
