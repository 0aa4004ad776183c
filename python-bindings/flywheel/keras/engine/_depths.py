# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of the layers of a network: that of Keras 2.1, by the distance to the outputs."""

from typing import Any, Dict, List, Tuple

from .topology import Node, node_of


def by_depth(order: List[Node], inputs: List[Node], found: List[Any]) -> Tuple[Dict[int, List[Any]], List[Any]]:
    """Returns the layers of each depth, and all layers, the deepest first.

    `order` has the calls of the network, each after those that it takes tensors of; `inputs` are those of its inputs,
    and `found` the layers in the order in which a search from the outputs comes to them. The depth of a layer is the
    largest number of calls from one of its own to an output."""
    depth_of: Dict[int, int] = {}
    layers: Dict[int, int] = {}
    ends = {id(node) for node in inputs}
    every = [*reversed(order), *inputs]
    for node in every:
        depth = max(depth_of.get(id(node), 0), layers.get(id(node.layer), 0))
        layers[id(node.layer)] = depth_of[id(node)] = depth
        if id(node) in ends:
            continue
        for x in node.inputs:
            if hasattr(x, "_keras_history"):
                maker = id(node_of(x))
                depth_of[maker] = max(depth + 1, depth_of.get(maker, 0))
    known = {id(node.layer): node.layer for node in every}
    places = {id(layer): place for place, layer in enumerate(found)}
    deepest = sorted(known, key=lambda key: (-layers[key], places.get(key, len(places))))
    ordered = [known[key] for key in deepest]
    grouped: Dict[int, List[Any]] = {}
    for layer in ordered:
        grouped.setdefault(layers[id(layer)], []).append(layer)
    return grouped, ordered
