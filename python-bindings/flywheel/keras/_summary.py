# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the layers of a network."""

from typing import Any, Callable, List, Optional, Sequence

from . import backend as K
from .engine.topology import node_of


def show(
    network: Any, line_length: Optional[int], positions: Optional[Sequence[float]], out: Callable[[str], Any]
) -> None:
    """Prints layers, shapes of their outputs, how many parameters they have, and what they are connected to where that
    is not the layer before. `positions` are the ends of columns, as parts of a line."""
    is_chain = all(len(node.inputs) == 1 for node in network._order) and len(network._order) <= len(network.layers)
    is_chain = is_chain and len(network.inputs) == len(network.outputs) == 1
    if is_chain:
        width, ends, titles = 65, [0.45, 0.85, 1.0], ["Layer (type)", "Output Shape", "Param #"]
    else:
        width, ends = 98, [0.33, 0.55, 0.67, 1.0]
        titles = ["Layer (type)", "Output Shape", "Param #", "Connected to"]
    width = line_length or width
    columns = [int(width * p) if p <= 1 else int(p) for p in positions or ends]

    def row(fields: Sequence[Any]) -> None:
        line = ""
        for field, end in zip(fields, columns):
            # Columns are apart by a space at least.
            line = (line[:-1] + " " if line else "") + str(field)
            line = line[:end].ljust(end)
        out(line)

    out("_" * width)
    row(titles)
    out("=" * width)
    for number, layer in enumerate(network.layers):
        sources = [] if is_chain else _sources(network, layer)
        first = [] if is_chain else [*sources, ""][:1]
        row([f"{layer.name} ({type(layer).__name__})", _output_shape(layer), layer.count_params(), *first])
        for source in sources[1:]:
            row(["", "", "", source])
        out(("=" if number == len(network.layers) - 1 else "_") * width)
    # A compiled model trains the weights that `compile` took.
    of_compile = getattr(network, "_collected_trainable_weights", None)
    trained = sum(K.count_params(w) for w in (network.trainable_weights if of_compile is None else of_compile))
    total = trained + sum(K.count_params(w) for w in network.non_trainable_weights)
    out(f"Total params: {total:,}")
    out(f"Trainable params: {trained:,}")
    out(f"Non-trainable params: {total - trained:,}")
    out("_" * width)


def _output_shape(layer: Any) -> Any:
    """Returns the shape of the outputs of a layer; "multiple" of calls with different ones."""
    try:
        return layer.output_shape
    except AttributeError:
        return "multiple"


def _sources(network: Any, layer: Any) -> List[str]:
    """Returns the inputs of the calls of a layer in a network: the layer, its call, and the number of the output."""
    found = []
    for node in network._order:
        if node.layer is layer:
            for x in node.inputs:
                maker = node_of(x).layer
                found.append(f"{maker.name}[{x._keras_history[1]}][{x._keras_history[2]}]")
    return found
