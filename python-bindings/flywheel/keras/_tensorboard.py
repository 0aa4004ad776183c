# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The callback that writes event files for TensorBoard."""

import os
from typing import Any, Dict, List, Optional

import numpy as np

from .._core.annotations import Path
from .._training import events as _events
from ..train.callbacks import Callback
from ..v1 import ops as _v1
from ..v1 import summary as _summary
from ..v1.graph import get_default_graph
from . import backend as K


class TensorBoard(Callback):
    """Writes event files for TensorBoard in the folder `log_dir`: the scalars of each epoch, and with `write_graph` the
    graph.

    Each `histogram_freq` epochs histograms of the weights and of the outputs of layers, with `write_grads` of the
    gradients of the loss by the weights, and with `write_images` the weights as images, of validation data in batches
    of `batch_size`. Each `embeddings_freq` epochs the weights of the layers `embeddings_layer_names`, by default of all
    `Embedding`s, as tables for the projector, with labels of the files in `embeddings_metadata`: one for all layers, or
    a dict by their names. Raises ValueError for histograms without validation data of arrays.
    """

    def __init__(
        self, log_dir: Path = "./logs", histogram_freq: int = 0, batch_size: int = 32, write_graph: bool = True,
        write_grads: bool = False, write_images: bool = False, embeddings_freq: int = 0,
        embeddings_layer_names: Optional[List[str]] = None, embeddings_metadata: Any = None,
    ) -> None:  # fmt: skip
        self.log_dir = str(log_dir)
        self.histogram_freq, self.batch_size = histogram_freq, batch_size
        self.write_graph, self.write_grads, self.write_images = write_graph, write_grads, write_images
        self.embeddings_freq, self.embeddings_layer_names = embeddings_freq, embeddings_layer_names
        self.embeddings_metadata = embeddings_metadata or {}
        self.merged: Any = None

    def set_model(self, model: Any) -> None:
        self.model = model
        if self.histogram_freq and self.merged is None:
            self.merged = _summary.merge(self._summaries())
            fed = [*model._feed_inputs, *model._feed_targets, *model._feed_sample_weights, K.learning_phase()]
            self._run = K.function(fed, [self.merged])
        graph = get_default_graph() if self.write_graph else None
        self.writer = _summary.FileWriter(self.log_dir, graph)
        if self.embeddings_freq:
            self._write_config()

    def _summaries(self) -> List[Any]:
        """Returns the summaries of the weights and the outputs of layers."""
        found = []
        for layer in self.model.layers:
            for weight in layer.weights:
                name = weight.name.replace(":", "_")
                found.append(_summary.histogram(name, weight))
                if self.write_grads:
                    (gradient,) = K.gradients(self.model.total_loss, [weight])
                    if gradient is not None:
                        found.append(_summary.histogram(f"{name}_grad", gradient))
                picture = _picture(weight) if self.write_images else None
                if picture is not None:
                    found.append(_summary.image(name, picture))
            if len(layer._nodes) == 1:
                outputs = layer.output if isinstance(layer.output, list) else [layer.output]
                found += [_summary.histogram(f"{layer.name}_out" + (f"_{i}" if i else ""), y)
                          for i, y in enumerate(outputs)]  # fmt: skip
        return found

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.histogram_freq:
            if not self.validation_data:
                raise ValueError("If printing histograms, validation_data must be provided, and cannot be a generator.")
            if epoch % self.histogram_freq == 0:
                self._write_histograms(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            for name, weight in self._embeddings().items():
                np.savetxt(os.path.join(self.log_dir, _table(name)), K.get_value(weight), delimiter="\t")
        for name, value in (logs or {}).items():
            if name not in ("batch", "size"):
                self.writer.add_summary(_events.scalar_value(name, float(value)), epoch)
        self.writer.flush()

    def _write_histograms(self, epoch: int) -> None:
        arrays = self.validation_data[: len(self._run.inputs) - 1]
        for start in range(0, len(arrays[0]), self.batch_size):
            batch = [a[start : start + self.batch_size] for a in arrays]
            self.writer.add_summary(self._run([*batch, 0])[0], epoch)

    def on_train_end(self, logs: Any = None) -> None:
        self.writer.close()

    # Embeddings

    def _embeddings(self) -> Dict[str, Any]:
        """Returns the weights for the projector, by the names of their layers."""
        names = self.embeddings_layer_names or [
            layer.name for layer in self.model.layers if type(layer).__name__ == "Embedding"]  # fmt: skip
        return {layer.name: layer.weights[0] for layer in self.model.layers if layer.name in names}

    def _write_config(self) -> None:
        """Writes which tables the projector shows."""
        of_all = self.embeddings_metadata if isinstance(self.embeddings_metadata, str) else None
        lines = []
        for name in self._embeddings():
            labels = of_all or (self.embeddings_metadata or {}).get(name)
            path = f'  metadata_path: "{labels}"\n' if labels else ""
            lines.append(f'embeddings {{\n  tensor_name: "{name}"\n  tensor_path: "{_table(name)}"\n{path}}}\n')
        with open(os.path.join(self.log_dir, "projector_config.pbtxt"), "w") as file:
            file.write("".join(lines))


def _table(name: str) -> str:
    """Returns the name of the file with the weights of an embedding."""
    return name.replace("/", "_") + ".tsv"


def _picture(weight: Any) -> Any:
    """Returns a weight as images [count, rows, columns, 1], with the longer dimension along the columns; None of one
    with more than three dimensions larger than 1."""
    sizes = [n for n in K.int_shape(weight) if n != 1]
    squeezed = K.reshape(weight, sizes) if sizes else None
    if len(sizes) == 1:
        return K.reshape(squeezed, (1, sizes[0], 1, 1))
    if len(sizes) == 2:
        wide = sizes[0] > sizes[1]
        rows, columns = sorted(sizes)
        return K.reshape(_v1.transpose(squeezed) if wide else squeezed, (1, rows, columns, 1))
    if len(sizes) == 3:
        # Filters: an image for each channel of the result.
        return K.reshape(_v1.transpose(squeezed, [2, 0, 1]), (sizes[2], sizes[0], sizes[1], 1))
    return None
