# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drawings of models. They need the package pydot, and files of them the program graphviz."""

import importlib
import os
from typing import Any

__all__ = ["model_to_dot", "plot_model"]

_NEEDS = "Failed to import pydot. You must install pydot and graphviz for `pydotprint` to work."


def _pydot() -> Any:
    """Returns pydot, or a package that is used as it is. Raises ImportError without one."""
    for name in ("pydot", "pydotplus", "pydot_ng"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise ImportError(_NEEDS)


def _shapes(layer: Any, name: str) -> str:
    try:
        return str(getattr(layer, name))
    except AttributeError:
        return "multiple"


def _label(layer: Any, show_shapes: bool, show_layer_names: bool) -> str:
    kind, name = type(layer).__name__, layer.name
    if isinstance(layer, importlib.import_module("..layers.wrappers", __package__).Wrapper):
        # The layer inside is shown, too.
        name, kind = f"{name}({layer.layer.name})", f"{kind}({type(layer.layer).__name__})"
    label = f"{name}: {kind}" if show_layer_names else kind
    if not show_shapes:
        return label
    return f"{label}\n|{{input:|output:}}|{{{{{_shapes(layer, 'input_shape')}}}|{{{_shapes(layer, 'output_shape')}}}}}"


def model_to_dot(model: Any, show_shapes: bool = False, show_layer_names: bool = True, rankdir: str = "TB") -> Any:
    """Returns a drawing of a model as a `pydot.Dot`: a box for each layer, and an arrow to each that takes its outputs.
    `rankdir` is "TB" from top to bottom, or "LR" from left to right. Raises ImportError without pydot."""
    pydot = _pydot()
    dot = pydot.Dot()
    dot.set("rankdir", rankdir)
    dot.set("concentrate", True)
    dot.set_node_defaults(shape="record")
    made = {id(node) for node in model._order}
    # The layers of a `Sequential` are without its input.
    inputs = [one for one in model.input_layers if all(one is not layer for layer in model.layers)]
    layers = [*inputs, *model.layers]
    for layer in layers:
        dot.add_node(pydot.Node(str(id(layer)), label=_label(layer, show_shapes, show_layer_names)))
    for layer in layers:
        for node in layer._inbound_nodes:
            if id(node) not in made:
                continue
            for source in node.inbound_layers:
                dot.add_edge(pydot.Edge(str(id(source)), str(id(layer))))
    return dot


def plot_model(
    model: Any, to_file: str = "model.png", show_shapes: bool = False, show_layer_names: bool = True,
    rankdir: str = "TB",
) -> None:  # fmt: skip
    """Writes a drawing of a model to a file, in the format that its name ends with: see `model_to_dot`. Raises
    ImportError without pydot or graphviz."""
    dot = model_to_dot(model, show_shapes, show_layer_names, rankdir)
    ending = os.path.splitext(to_file)[1].lstrip(".") or "png"
    try:
        dot.write(to_file, format=ending)
    except (FileNotFoundError, OSError) as error:
        if os.path.isdir(os.path.dirname(os.path.abspath(to_file))):
            raise ImportError(_NEEDS) from error
        raise


