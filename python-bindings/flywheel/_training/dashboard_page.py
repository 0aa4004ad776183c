# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a dashboard: one file, whose script draws SVG of the records that it contains."""

import html
import json
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

__all__ = ["page"]


def _number(x: Any) -> Any:
    """Returns a number as JSON has it, rounded: NaN and infinities are strings."""
    x = float(x)
    return float(f"{x:.6g}") if np.isfinite(x) else str(x)


def _tensor(numbers: Any) -> Optional[Dict[str, Any]]:
    if numbers is None:
        return None
    return {
        "norm": _number(numbers.norm), "zeros": _number(numbers.zeros), "nonfinite": _number(numbers.nonfinite),
        "saturated": None if numbers.saturated is None else _number(numbers.saturated),
        "low": _number(numbers.low), "high": _number(numbers.high), "mean": _number(numbers.mean),
        "size": int(numbers.size), "counts": [int(n) for n in numbers.counts],
    }  # fmt: skip


def page(title: str, records: Sequence[Any], flags: List[Any], thresholds: Dict[str, Any]) -> str:
    """Returns the page of records and flags: tuples of name, problem, value, threshold and units."""
    data = {
        "records": [
            {"step": r.step, "loss": _number(r.loss),
             "tensors": {name: {"kind": w.kind, "value": _tensor(w.value), "gradient": _tensor(w.gradient)}
                         for name, w in r.tensors.items()}}
            for r in records
        ],
        "flags": [{"name": n, "problem": p, "value": _number(v), "threshold": _number(t), "units": u}
                  for n, p, v, t, u in flags],
        "thresholds": thresholds,
    }  # fmt: skip
    # No text of the data ends the script.
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return _PAGE.replace("@TITLE@", html.escape(title)).replace("@DATA@", text)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>
:root { color-scheme: light dark; --back: #ffffff; --card: #f6f7f9; --text: #1c1f24; --dim: #667080; --line: #d5d9e0;
  --value: #2f6fd0; --gradient: #c2410c; --third: #15803d; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --back: #15171c; --card: #1e2128; --text: #e6e8ec; --dim: #98a2b3;
  --line: #343944; --value: #7fb0ff; --gradient: #ff9a5c; --third: #5fd08a; --bad: #ff7b72; } }
body { margin: 0 auto; max-width: 1200px; padding: 16px; background: var(--back); color: var(--text);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 20px; } h2 { font-size: 16px; margin: 24px 0 8px; } h3 { font-size: 14px; margin: 0 0 4px;
  overflow-wrap: anywhere; }
.dim { color: var(--dim); } .bad { color: var(--bad); font-weight: 600; }
table { border-collapse: collapse; } td, th { text-align: left; padding: 3px 14px 3px 0;
  border-bottom: 1px solid var(--line); vertical-align: top; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(360px, 100%), 1fr)); gap: 12px; }
#loss { max-width: 600px; } #flags { overflow-x: auto; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
.card.flagged { border-color: var(--bad); }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--dim); font-size: 10px; }
input[type=range] { width: 260px; vertical-align: middle; }
.v { stroke: var(--value); } .g { stroke: var(--gradient); } .s { stroke: var(--third); }
.v, .g, .s { fill: none; stroke-width: 1.5; } .axis { stroke: var(--line); }
.bv { fill: var(--value); opacity: .75; } .bg { fill: var(--gradient); opacity: .75; }
.kv { color: var(--value); } .kg { color: var(--gradient); } .ks { color: var(--third); }
</style>
</head>
<body>
<h1>@TITLE@</h1>
<p class="dim" id="about"></p>
<h2>Dead or oversaturated nodes, and other findings</h2>
<div id="flags"></div>
<h2>Loss</h2>
<div class="card" id="loss"></div>
<p>Step of the histograms: <input type="range" id="at" min="0" value="0" aria-label="step"> <b id="step"></b></p>
<div id="groups"></div>
<script type="application/json" id="data">@DATA@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const records = data.records, limits = data.thresholds, NS = "http://www.w3.org/2000/svg";
const number = (x) => typeof x === "number" ? (Math.abs(x) >= 1e5 || (x && Math.abs(x) < 1e-2) ? x.toExponential(2)
  : String(+x.toPrecision(4))) : x === null || x === undefined ? "\\u2013" : String(x);
function make(tag, attributes, text) {
  const e = document.createElementNS(NS, tag);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  return e;
}
function html(tag, name, text) {
  const e = document.createElement(tag);
  if (name) e.className = name;
  if (text !== undefined) e.textContent = text;
  return e;
}
// Lines over the steps; with `log`, of the logarithms of positive numbers.
function chart(lines, log, range) {
  const W = 360, H = 96, L = 50, R = 6, T = 8, B = 16, svg = make("svg", {viewBox: `0 0 ${W} ${H}`, role: "img"});
  const xs = records.map((r) => r.step), f = (y) => log ? Math.log10(y) : y;
  const fits = (y) => typeof y === "number" && (!log || y > 0);
  const ys = lines.flatMap((l) => l.values.filter(fits).map(f));
  let low = range ? range[0] : Math.min(...ys), high = range ? range[1] : Math.max(...ys);
  if (!ys.length) { low = 0; high = 1; }
  if (low === high) { low -= .5; high += .5; }
  const x0 = xs[0], x1 = xs[xs.length - 1];
  const px = (x) => L + (W - L - R) * (x1 > x0 ? (x - x0) / (x1 - x0) : .5);
  const py = (y) => T + (H - T - B) * (1 - (y - low) / (high - low));
  svg.append(make("line", {x1: L, y1: H - B, x2: W - R, y2: H - B, class: "axis"}));
  const back = (y) => number(log ? Math.pow(10, y) : y);
  svg.append(make("text", {x: L - 4, y: T + 6, "text-anchor": "end"}, back(high)));
  svg.append(make("text", {x: L - 4, y: H - B, "text-anchor": "end"}, back(low)));
  svg.append(make("text", {x: L, y: H - 4}, number(x0)));
  svg.append(make("text", {x: W - R, y: H - 4, "text-anchor": "end"}, number(x1)));
  for (const l of lines) {
    let d = "", pen = "M";
    l.values.forEach((y, i) => {
      if (!fits(y)) { pen = "M"; return; }
      const p = `${px(xs[i]).toFixed(1)} ${py(f(y)).toFixed(1)}`;
      d += pen + p + (pen === "M" ? "h.01" : "");
      pen = "L";
    });
    svg.append(make("path", {d, class: l.style, "stroke-linecap": "round"}));
  }
  return svg;
}
function bars(t, style) {
  const W = 360, H = 76, L = 6, B = 16, svg = make("svg", {viewBox: `0 0 ${W} ${H}`, role: "img"});
  if (!t) { svg.append(make("text", {x: L, y: 30}, "no gradient")); return svg; }
  const most = Math.max(1, ...t.counts), w = (W - 2 * L) / t.counts.length;
  t.counts.forEach((n, i) => {
    const h = (H - B - 4) * n / most, bar = make("rect", {x: L + i * w, y: H - B - h, width: Math.max(w - 1, .5),
      height: h, class: style});
    bar.append(make("title", {}, String(n)));
    svg.append(bar);
  });
  svg.append(make("line", {x1: L, y1: H - B, x2: W - L, y2: H - B, class: "axis"}));
  svg.append(make("text", {x: L, y: H - 4}, number(t.low)));
  svg.append(make("text", {x: W - L, y: H - 4, "text-anchor": "end"}, number(t.high)));
  return svg;
}
const redraw = [];
function card(name, kind) {
  const all = records.map((r) => r.tensors[name]), own = data.flags.filter((f) => f.name === name
    || f.name === "gradient of " + name);
  const box = html("div", "card" + (own.length ? " flagged" : ""));
  box.append(html("h3", "", name));
  for (const f of own) box.append(html("div", "bad", f.problem));
  const of = (part, key) => all.map((t) => t && t[part] ? t[part][key] : null);
  const legend = html("div", "dim");
  legend.append("norm of the ", html("span", "kv", "value"), " and the ", html("span", "kg", "gradient"),
    ", logarithmic");
  box.append(legend, chart([{values: of("value", "norm"), style: "v"},
    {values: of("gradient", "norm"), style: "g"}], true));
  const shares = html("div", "dim");
  shares.append("share of zeros of the ", html("span", "kv", "value"), " and the ", html("span", "kg", "gradient"));
  if (of("value", "saturated").some((x) => x !== null)) shares.append(", ", html("span", "ks", "saturated share"));
  box.append(shares, chart([{values: of("value", "zeros"), style: "v"}, {values: of("gradient", "zeros"), style: "g"},
    {values: of("value", "saturated"), style: "s"}], false, [0, 1]));
  const place = html("div");
  box.append(place);
  redraw.push((i) => {
    const t = all[i];
    place.replaceChildren();
    if (!t) return;
    const line = (what, x) => x ? `${what}: norm ${number(x.norm)}, mean ${number(x.mean)}, zeros ${number(x.zeros)}`
      + (x.saturated === null ? "" : `, saturated ${number(x.saturated)}`)
      + (x.nonfinite ? `, not finite ${number(x.nonfinite)}` : "") + `, ${x.size} elements` : `${what}: none`;
    place.append(html("div", "dim", line("value", t.value)), bars(t.value, "bv"),
      html("div", "dim", line("gradient", t.gradient)), bars(t.gradient, "bg"));
  });
  return box;
}
document.getElementById("about").textContent = records.length
  ? `${records.length} records of steps ${records[0].step} to ${records[records.length - 1].step}, `
  + `${limits.every === 1 ? "of each step" : `one of every ${limits.every} steps`}. Thresholds: a unit is dead if it `
  + `is 0 for all examples, and saturated if it is for a `
  + `share of ${limits.saturated} of them, in ${limits.patience} records; a gradient vanishes below `
  + `${limits.vanishing} and explodes above ${limits.exploding}.` : "No step was watched yet.";
const flags = document.getElementById("flags");
if (data.flags.length) {
  const table = html("table"), head = html("tr");
  for (const t of ["name", "finding", "units", "found", "threshold"]) head.append(html("th", "", t));
  table.append(head);
  for (const f of data.flags) {
    const row = html("tr");
    const units = f.units.slice(0, 20).join(", ") + (f.units.length > 20 ? " \\u2026" : "");
    row.append(html("td", "", f.name), html("td", "bad", f.problem),
      html("td", "", f.units.length ? `${f.units.length}: ${units}` : ""), html("td", "", number(f.value)),
      html("td", "", number(f.threshold)));
    table.append(row);
  }
  flags.append(table);
} else flags.append(html("p", "dim", "None."));
if (records.length) {
  document.getElementById("loss").append(chart([{values: records.map((r) => r.loss), style: "v"}], false));
  const last = records[records.length - 1].tensors;
  for (const kind of ["activation", "variable"]) {
    const names = Object.keys(last).filter((n) => last[n].kind === kind);
    if (!names.length) continue;
    const cards = html("div", "cards");
    for (const n of names) cards.append(card(n, kind));
    const title = kind === "activation" ? "Activations" : "Variables";
    document.getElementById("groups").append(html("h2", "", title), cards);
  }
  const at = document.getElementById("at");
  at.max = records.length - 1;
  at.value = records.length - 1;
  const show = () => { document.getElementById("step").textContent = records[at.value].step;
    redraw.forEach((f) => f(+at.value)); };
  at.addEventListener("input", show);
  show();
}
</script>
</body>
</html>
"""
