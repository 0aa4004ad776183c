#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures that benchmarks/peers wrote with --json as an SVG picture.

A row is a train step; a mark is how many times Flywheel's time a peer takes, on a logarithmic
axis: marks to the right of 1 are slower peers. The machine, the date, the versions and the
command are under the picture, as they are in the file. The picture follows the reader's choice
of light or dark.

usage: python benchmarks/peers/chart.py FIGURES.json PICTURE.svg
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import textwrap
from typing import Any
from xml.sax.saxutils import escape

# The colours of Okabe and Ito, which people who confuse colours tell apart, and a shape each.
MARKS = {
    "jax": ("JAX", "#0072b2", "circle"),
    "torch": ("PyTorch", "#d55e00", "square"),
    "torch-compile": ("torch.compile", "#cc79a7", "diamond"),
    "tf": ("TensorFlow", "#e69f00", "triangle"),
    "tf-xla": ("TensorFlow with XLA", "#009e73", "cross"),
}
LEFT, RIGHT, TOP, ROW, WIDTH = 236, 30, 84, 26, 860
TICKS = (0.5, 1, 2, 5, 10, 20)

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 16px; font-weight: 600 }
  .note, .tick { font-size: 11px; fill: #57606a }
  .grid { stroke: #d0d7de } .one { stroke: #24292f; stroke-width: 1.5 }
  .back { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .note, .tick { fill: #9198a1 }
    .grid { stroke: #3d444d } .one { stroke: #e6edf3 } .back { fill: #0d1117 }
  }
"""


def draw_mark(shape: str, colour: str, x: float, y: float, title: str) -> str:
    shapes = {
        "circle": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"',
        "square": f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9"',
        "diamond": f'<path d="M{x:.1f} {y - 6:.1f} l6 6 l-6 6 l-6 -6 z"',
        "triangle": f'<path d="M{x:.1f} {y - 6:.1f} l6 10.5 l-12 0 z"',
        "cross": f'<path d="M{x - 2:.1f} {y - 6:.1f} h4 v4 h4 v4 h-4 v4 h-4 v-4 h-4 v-4 h4 z"',
    }
    return f'{shapes[shape]} fill="{colour}"><title>{escape(title)}</title></{shapes[shape][1:].split()[0]}>'


def format_time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1e-2 else f"{seconds * 1e3:.0f} ms"


def draw(figures: dict[str, Any]) -> str:
    """Returns the picture of a file of figures."""
    rows = {name: row for name, row in figures["rows"].items() if "flywheel" in row}
    found = [ratio["ratio"] for row in rows.values() for name, ratio in row.items() if name in MARKS]
    if not found:
        raise ValueError("expected figures of Flywheel and of a peer, found none")
    low = max((tick for tick in TICKS if tick <= min([*found, 1.0])), default=TICKS[0])
    high = min((tick for tick in TICKS if tick >= max(found)), default=TICKS[-1])
    # A peer that is slower than the axis is long has its mark at the end, with the number.
    end = TOP + ROW * len(rows)
    notes = textwrap.wrap(figures["command"], 130, break_long_words=False, break_on_hyphens=False)
    notes = [
        "Left: Flywheel's time of a step. The line at 1× is Flywheel; a mark to the right of it is a slower peer.",
        f"{figures['machine']}; {figures['date']}; {', '.join(figures['versions'])}",
        *notes,
    ]
    height = end + 22 + 16 * len(notes)

    def place(ratio: float) -> float:
        part = math.log(min(max(ratio, low), high) / low) / math.log(high / low)
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    title = f"Time of a train step, as a multiple of Flywheel's ({figures['threads']} threads)"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{height}" rx="6"/>',
        f'<text class="title" x="16" y="26">{escape(title)}</text>',
    ]
    x = 16.0
    for label, colour, shape in MARKS.values():
        lines.append(draw_mark(shape, colour, x + 6, 48, label))
        lines.append(f'<text x="{x + 18:.0f}" y="52.5">{escape(label)}</text>')
        x += 36 + 7.2 * len(label)
    for tick in TICKS:
        if low <= tick <= high:
            kind, at = "one" if tick == 1 else "grid", f"{place(tick):.1f}"
            lines.append(f'<line class="{kind}" x1="{at}" x2="{at}" y1="{TOP}" y2="{end}"/>')
            lines.append(f'<text class="tick" text-anchor="middle" x="{at}" y="{TOP - 6}">{tick:g}×</text>')
    for index, (name, row) in enumerate(rows.items()):
        y = TOP + ROW * (index + 0.5)
        time = format_time(row["flywheel"]["median"])
        lines.append(f'<text x="16" y="{y + 4.5:.1f}">{escape(name)}</text>')
        lines.append(f'<text class="tick" text-anchor="end" x="{LEFT - 12}" y="{y + 4:.1f}">{time}</text>')
        for peer, (label, colour, shape) in MARKS.items():
            if peer in row:
                ratio = row[peer]["ratio"]
                lines.append(draw_mark(shape, colour, place(ratio), y, f"{name}, {label}: {ratio:.2f}"))
                if ratio > high:
                    beside = f'text-anchor="end" x="{place(ratio) - 10:.1f}" y="{y + 4:.1f}"'
                    lines.append(f'<text class="tick" {beside}>{ratio:.0f}×</text>')
    for index, note in enumerate(notes):
        lines.append(f'<text class="note" x="16" y="{end + 22 + 16 * index}">{escape(note)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("figures", help="a file that benchmarks/peers --json wrote")
    parser.add_argument("picture", help="the SVG file to write")
    arguments = parser.parse_args()
    with open(arguments.figures, encoding="utf-8") as file:
        figures = json.load(file)
    try:
        picture = draw(figures)
    except ValueError as error:
        sys.exit(f"error: {arguments.figures}: {error}")
    with open(arguments.picture, "w", encoding="utf-8") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
