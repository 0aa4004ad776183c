# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as pictures: what `Function.picture` gives, for notebooks."""

import html
import os
import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple, Union

__all__ = ["Node", "Picture", "picture"]

_COLORS = {"feed": "#dce9f7", "variable": "#fdf0c8", "op": "#ffffff", "update": "#f8dcd8", "result": "#dff2dc"}
_VALUE = re.compile(r"%[\w$.-]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_RESULTS = re.compile(r"(%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)*) = ")
# Ops whose one type is that of operands and results.
_SAME_TYPE = re.compile(
    r"(math\.(?!is)\w+|arith\.(add|sub|mul|div|rem|max|min|and|x?or|neg)\w*|nn\.\w+|train\.(read|initialized_value))$"
)
_ONE = r"(?:(?:tensor|memref|vector)<[^<>]*>|[us]?i\d+|b?f\d+|index)"
_TYPES = re.compile(rf"(?:{_ONE}|\({_ONE}(?:, {_ONE})*\))$")
# Pictures with more nodes than this are tables.
_MOST_NODES = 300


@dataclass(frozen=True)
class Node:
    """An op of a program, a feed or a result. `type` is that of what it computes, as MLIR writes it, or empty where
    its text does not say; `inputs` are numbers of nodes. Kinds are "feed", "variable" (its value is read), "op",
    "update" (something is assigned) and "result"."""

    name: str
    kind: str
    type: str
    inputs: Tuple[int, ...]


class Picture:
    """The ops of a function and what they compute from what. A notebook shows it as a graph, or as a table where it
    is too large; constants are left out."""

    def __init__(self, name: str, nodes: Sequence[Node]):
        self.name = name
        self.nodes = list(nodes)

    def __repr__(self) -> str:
        return f"<flywheel.Picture of {self.name}: {len(self.nodes)} nodes>"

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the graph as SVG. Raises OSError."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    @property
    def svg(self) -> str:
        """The graph: a box for each node, an arrow for each use."""
        return _draw(self.nodes)

    @property
    def table(self) -> str:
        """The nodes as a table of HTML."""
        rows = [f"<tr><th></th><th>{html.escape(self.name)}</th><th>type</th><th>of</th></tr>"]
        for number, node in enumerate(self.nodes):
            inputs = ", ".join(map(str, node.inputs))
            rows.append(
                f'<tr style="background:{_COLORS[node.kind]}"><td>{number}</td><td>{html.escape(node.name)}</td>'
                f"<td>{html.escape(node.type)}</td><td>{inputs}</td></tr>"
            )
        return "<table>" + "".join(rows) + "</table>"

    # Not `_repr_svg_`: where there are both, notebooks show this one.
    def _repr_html_(self) -> str:
        return self.svg if len(self.nodes) <= _MOST_NODES else self.table


def picture(text: str, entry: str = "") -> Picture:
    """The picture of a function of a module's text (`str` of a `ModuleOp`, at any stage that has functions), by default
    of the first public one. Raises ValueError if the module has none, or if it has several blocks."""
    lines = text.split("\n")
    for start, line in enumerate(lines):
        match = re.match(r'( *)func\.func (private )?@(?:"([^"]*)"|([\w$.-]+))\((.*)$', line)
        if not match:
            continue
        name = match.group(3) or match.group(4)
        if name == entry or not entry and not match.group(2):
            indent = len(match.group(1))
            end = next(i for i in range(start, len(lines)) if lines[i].rstrip() == " " * indent + "}")
            return Picture(name, _read(name, match.group(5), lines[start + 1 : end], indent + 2))
    raise ValueError(f"expected a module with {'a function ' + entry if entry else 'a public function'}, found none")


def _read(name: str, arguments: str, lines: Sequence[str], indent: int) -> List[Node]:
    nodes: List[Node] = []
    # The node of each value; None for a constant.
    places: Dict[str, Optional[int]] = {}
    header = arguments[: _closing(arguments)]
    for argument in re.finditer(r"(%[\w$.-]+): ([^{%]*?)(?: (\{[^}]*\}))?(?:, (?=%)|$)", header):
        value, type_, attributes = argument.groups()
        given = re.search(r'train\.name = "([^"]*)"', attributes or "")
        places[value] = len(nodes)
        nodes.append(Node(given.group(1) if given else value, "feed", type_.strip(), ()))
    for op in _split(name, lines, indent):
        _add(nodes, places, op)
    return nodes


def _split(name: str, lines: Sequence[str], indent: int) -> List[str]:
    """Splits a block into its ops, each with its regions: a line that is indented more, or closes something, belongs to
    the op before."""
    ops: List[str] = []
    for line in lines:
        depth = len(line) - len(line.lstrip(" "))
        if line.strip() and depth < indent:
            # A label of the function itself; those of regions are where their ops are.
            raise ValueError(f"expected a function of one block, found several in '{name}'")
        if depth == indent and line[indent] not in "}^":
            ops.append(line.strip())
        elif ops and line.strip():
            ops[-1] += "\n" + line
    return ops


def _add(nodes: List[Node], places: Dict[str, Optional[int]], op: str) -> None:
    """Adds the node of an op, if it has one."""
    results = _RESULTS.match(op)
    rest = op[results.end() :] if results else op
    found = re.match(r'"?([\w.$-]+)"?', rest)
    kind_name = found.group(1) if found else rest.split(" ")[0]
    symbol = re.search(r'@(?:"([^"]*)"|([\w$./-]+))', rest)
    plain = _STRING.sub('""', rest)
    used = [places.get(value) for value in _VALUE.findall(plain)]
    inputs = tuple(dict.fromkeys(place for place in used if place is not None))
    place: Optional[int] = len(nodes)
    if kind_name in ("arith.constant", "constant"):
        place = None
    elif kind_name in ("return", "func.return"):
        for number in inputs:
            nodes.append(Node("result", "result", nodes[number].type, (number,)))
        return
    else:
        kind, label = "op", kind_name
        if kind_name == "train.read":
            kind = "variable"
        elif kind_name.startswith("train.") and not results or kind_name.startswith("train.assign"):
            kind = "update"
        optimizer = re.search(r"with #train\.(\w+)", plain)
        if optimizer:
            label += f" {optimizer.group(1)}"
        elif symbol and (kind_name.startswith("train.") or kind_name in ("call", "func.call")):
            label += f" {symbol.group(1) or symbol.group(2)}"
        nodes.append(Node(label, kind, _type(kind_name, plain) if results else "", inputs))
    if results:
        for value in results.group(1).split(", "):
            places[value.split(":")[0]] = place


def _type(name: str, text: str) -> str:
    """Returns the types of an op's results, if its text has them; empty if it may have others."""
    lines = text.split("\n")
    line = re.sub(r" (\{[^{}]*\}|loc\(.*\))$", "", lines[-1] if lines[-1].lstrip().startswith("}") else lines[0])
    colon = line.rfind(" : ")
    if name == "tensor.dim":
        return "index"
    if " -> " in line:
        found = line[line.rfind(" -> ") + 4 :]
    elif " to " in line[colon:]:
        found = line[line.rfind(" to ") + 4 :]
    elif name == "arith.select":
        found = line[line.rfind(", ") + 2 :]
    else:
        found = line[colon + 3 :] if _SAME_TYPE.match(name) and colon >= 0 else ""
    return found if _TYPES.match(found) else ""


def _closing(text: str) -> int:
    """Returns the position of the bracket that closes the one open before the text."""
    depth, inside = 1, False
    for place, character in enumerate(text):
        if character == '"':
            inside = not inside
        elif not inside and character in "([{":
            depth += 1
        elif not inside and character in ")]}":
            depth -= 1
            if depth == 0:
                return place
    return len(text)


#
# Layout: a node is a layer below all that it is computed from; in a layer, nodes are near their inputs.
#

_ROW, _HEIGHT, _GAP = 64, 36, 16


def _layers(nodes: Sequence[Node]) -> List[List[int]]:
    depth: List[int] = []
    users: Dict[int, List[int]] = {}
    for number, node in enumerate(nodes):
        depth.append(1 + max((depth[i] for i in node.inputs), default=-1))
        for i in node.inputs:
            users.setdefault(i, []).append(number)
    for number in reversed(range(len(nodes))):
        # A node without inputs is in the layer before its first user.
        if not nodes[number].inputs and number in users:
            depth[number] = max(0, min(depth[user] for user in users[number]) - 1)
    layers: List[List[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for number, layer in enumerate(depth):
        layers[layer].append(number)
    return layers


def _place(nodes: Sequence[Node], layers: Sequence[Sequence[int]], widths: Sequence[int]) -> Dict[int, float]:
    """Returns the middle of each node: that of its inputs, moved to the right if another node is there."""
    middles: Dict[int, float] = {}
    for layer in layers:
        wanted = {
            i: sum(middles[j] for j in nodes[i].inputs) / len(nodes[i].inputs) if nodes[i].inputs else 0.0
            for i in layer
        }
        right = None
        for i in sorted(layer, key=lambda i: (not nodes[i].inputs, wanted[i], i)):
            left = wanted[i] - widths[i] / 2
            if right is not None:
                left = max(left, right + _GAP)
            middles[i] = left + widths[i] / 2
            right = left + widths[i]
    return middles


def _draw(nodes: Sequence[Node]) -> str:
    layers = _layers(nodes)
    widths = [round(7 * max(len(node.name), len(node.type))) + 16 for node in nodes]
    middles = _place(nodes, layers, widths)
    left = min((middles[i] - widths[i] / 2 for i in middles), default=0.0)
    width = max((middles[i] + widths[i] / 2 for i in middles), default=0.0) - left
    rows = {i: row for row, layer in enumerate(layers) for i in layer}
    height = len(layers) * _ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 8:.0f}" height="{height}" '
        f'viewBox="{left - 4:.0f} 0 {width + 8:.0f} {height}" font-family="sans-serif" font-size="12">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#707070"/></marker></defs>',
    ]
    for number, node in enumerate(nodes):
        for i in node.inputs:
            x1, y1 = middles[i], rows[i] * _ROW + 8 + _HEIGHT
            x2, y2 = middles[number], rows[number] * _ROW + 8
            bend = (y2 - y1) / 2
            parts.append(
                f'<path d="M{x1:.0f},{y1} C{x1:.0f},{y1 + bend:.0f} {x2:.0f},{y2 - bend:.0f} {x2:.0f},{y2}" '
                'fill="none" stroke="#707070" marker-end="url(#tip)"/>'
            )
    for number, node in enumerate(nodes):
        x, y = middles[number], rows[number] * _ROW + 8
        parts.append(
            f'<rect x="{x - widths[number] / 2:.0f}" y="{y}" width="{widths[number]}" height="{_HEIGHT}" rx="4" '
            f'fill="{_COLORS[node.kind]}" stroke="#707070"/>'
        )
        texts = [(node.name, y + 15, "#000000"), (node.type, y + 30, "#505050")] if node.type else [
            (node.name, y + 22, "#000000")]  # fmt: skip
        for text, baseline, color in texts:
            parts.append(
                f'<text x="{x:.0f}" y="{baseline}" text-anchor="middle" fill="{color}">{html.escape(text)}</text>'
            )
    return "".join(parts) + "</svg>"
