# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of a model whose elements the translation has to know: shapes, axes, pads, numbers of repeats. Each of their
values is a program of its own."""

from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

import onnx

from ._attributes import name_of
from ._file import Input
from ._graph import HANDLERS
from ._known import FOLDS

# An input with more elements is data, of which no program for each value is made.
_MOST_ELEMENTS = 64
# Ops that know their results whatever the elements of their operands are.
_OF_SHAPES = ("Shape", "Size")


class _Reads:
    """The inputs from which the values of a graph, and of the graphs in it, are computed."""

    def __init__(self, graph: Any, inputs: Sequence[Input]):
        self._makers: Dict[str, Any] = {}
        self._known: Set[str] = set()
        self._small = {one.name for one in inputs if _is_small(one)}
        self._collect(graph)

    def _collect(self, graph: Any) -> None:
        self._known |= {tensor.name for tensor in graph.initializer}
        for node in graph.node:
            for name in node.output:
                self._makers[name] = node
            for inner in _graphs(node):
                self._collect(inner)

    def find(self, name: str) -> Optional[FrozenSet[str]]:
        """The inputs that a value is computed from; None if no translation can know it."""
        found: Set[str] = set()
        left, seen = [name], set()
        while left:
            one = left.pop()
            if one in seen or not one or one in self._known:
                continue
            seen.add(one)
            maker = self._makers.get(one)
            if maker is None:
                if one not in self._small:
                    return None
                found.add(one)
            elif name_of(maker) not in _OF_SHAPES:
                if name_of(maker) not in FOLDS and name_of(maker) != "Constant":
                    return None
                left += maker.input
        return frozenset(found)


def _is_small(one: Input) -> bool:
    count = 1
    for dim in one.dims:
        count *= dim if isinstance(dim, int) else 1
    return len(one.dims) <= 1 and count <= _MOST_ELEMENTS


def _graphs(node: Any) -> Iterator[Any]:
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g


def _early_operands(graph: Any) -> Iterator[str]:
    """Yields the operands that translations have to know, in this graph and those in it."""
    for node in graph.node:
        handler = HANDLERS.get(name_of(node))
        places: Tuple[int, ...] = () if handler is None else handler.known
        if name_of(node) == "Loop" and len(node.output) > len(node.input) - 2:
            # Room for what it collects is set aside before the step runs.
            places = (0, 1)
        for place in places:
            if place < len(node.input):
                yield node.input[place]
        for inner in _graphs(node):
            yield from _early_operands(inner)


def find_early_inputs(graph: Any, inputs: Sequence[Input]) -> List[str]:
    """The names of inputs that the translation of a graph has to know, in the order of the graph."""
    reads = _Reads(graph, inputs)
    found: Set[str] = set()
    for name in _early_operands(graph):
        found |= reads.find(name) or frozenset()
    return [one.name for one in inputs if one.name in found]
