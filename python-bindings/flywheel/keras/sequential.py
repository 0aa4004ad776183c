# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of layers one after another."""

import inspect
import itertools
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _batches
from . import backend as K
from ._serialization import plain
from .engine import Input, InputLayer, Layer
from .engine.network import Network, get_source_inputs
from .engine.training import Model

_NOT_BUILT = (
    "this model has not been built: give the first layer an `input_shape`, call `build((None, ...))`, or fit the model"
    " first"
)


class Sequential(Model):
    """Layers one after another.

    A first layer without an `input_shape` is built, with those after it, for the first data that `fit`, `evaluate` or
    `predict` get, the first tensor that the model is called on, or the shape that `build` gets.
    """

    def __init__(self, layers: Any = None, name: Optional[str] = None):
        Layer.__init__(self, name=name)
        self._reset()
        self._stack: List[Any] = []
        # Layers without an input yet, and the arguments of `compile` for then.
        self._waiting: List[Any] = []
        self._compilation: Optional[Tuple[Any, Any]] = None
        self.layers: List[Any] = []
        for layer in layers or []:
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Adds a layer at the end."""
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        if self._waiting:
            self._wait_with(layer)
            return
        if not self._stack:
            if isinstance(layer, InputLayer):
                self._connect([layer.output], [layer.output])
                self._stack, self.layers = [layer], []
                return
            if isinstance(layer, Sequential) and layer._waiting:
                self._wait_with(layer)
                return
            if getattr(layer, "branches", None):
                # It has been called on the outputs of its branches.
                self.inputs, self._stack = get_source_inputs(layer.output), [layer]
                self._relink(layer.output)
                return
            if isinstance(layer, Network):
                shape = K.int_shape(layer.inputs[0])
            elif hasattr(layer, "batch_input_shape"):
                shape = layer.batch_input_shape
            else:
                self._wait_with(layer)
                return
            self.inputs = [Input(batch_shape=shape, dtype=layer.dtype, name=f"{layer.name}_input")]
            self.outputs = list(self.inputs)
        y = layer(self.outputs[0])
        self._stack.append(layer)
        self._relink(y)

    def _relink(self, y: Any) -> None:
        self._connect(self.inputs, [y])
        self.layers = [layer for layer in self.layers if not isinstance(layer, InputLayer)]
        self._forget_functions()

    def __getattr__(self, name: str) -> Any:
        if name in ("inputs", "outputs", "_order") and not self.__dict__.get("_stack"):
            if self.__dict__.get("_waiting"):
                raise AttributeError(_NOT_BUILT)
            raise AttributeError("Sequential model cannot be built: model is empty. Add some layers first.")
        # A property that reads one of these comes here, too, after its error.
        own = getattr(type(self), name, None)
        if isinstance(own, property) and own.fget is not None:
            return own.fget(self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def model(self) -> "Sequential":
        """The model itself, which Keras 2.1 keeps one inside."""
        return self

    def _wait_with(self, layer: Any) -> None:
        self._waiting.append(layer)
        self.layers = list(self._waiting)

    def build(self, input_shape: Any = None) -> None:
        """Builds layers that wait for the shape of their input, [batch, ...] with None for the batch; others are built
        when they are added."""
        if not self._waiting:
            return
        if input_shape is None:
            raise ValueError(_NOT_BUILT)
        waiting, self._waiting, self.layers = self._waiting, [], []
        try:
            first = waiting[0]
            if isinstance(first, Sequential):
                first.build(input_shape)
            else:
                first.batch_input_shape = tuple(input_shape)
            for layer in waiting:
                self.add(layer)
        except Exception:
            # As before: the next data may fit.
            for layer in waiting:
                if not isinstance(layer, Network):
                    layer._forget_build()
            waiting[0].__dict__.pop("batch_input_shape", None)
            self._reset()
            self._stack, self._waiting, self.layers = [], waiting, list(waiting)
            raise
        if self._compilation is not None:
            (args, kwargs), self._compilation = self._compilation, None
            super().compile(*args, **kwargs)

    def _built_for(self, x: Any) -> Any:
        """Builds waiting layers for the first data, and returns the data: a generator's first batch is among them."""
        if not self._waiting or x is None:
            return x
        first = x
        if _batches.is_stream(x):
            batches = iter(x)
            first = next(batches)
            if batches is x:
                x = itertools.chain([first], batches)
            first = first[0] if isinstance(first, (list, tuple)) else first
        if isinstance(first, dict) and len(first) == 1:
            (first,) = first.values()
        if isinstance(first, (list, tuple)) and len(first) == 1 and np.ndim(first[0]):
            first = first[0]
        self.build((None, *(np.shape(first)[1:] or (1,))))
        return x

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """See `Model.compile`; of a model that waits for its data, the losses and metrics are checked then."""
        if not self._waiting:
            super().compile(*args, **kwargs)
            return
        self._compilation = (args, kwargs)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if self._waiting:
            self.build(K.int_shape(inputs))
        return super().__call__(inputs, *args, **kwargs)

    def fit(self, x: Any = None, *args: Any, **kwargs: Any) -> Any:
        """See `Model.fit`."""
        return super().fit(self._built_for(x), *args, **kwargs)

    def evaluate(self, x: Any = None, *args: Any, **kwargs: Any) -> Any:
        """See `Model.evaluate`."""
        return super().evaluate(self._built_for(x), *args, **kwargs)

    def predict(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """See `Model.predict`."""
        return super().predict(self._built_for(x), *args, **kwargs)

    def train_on_batch(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """See `Model.train_on_batch`."""
        return super().train_on_batch(self._built_for(x), *args, **kwargs)

    def test_on_batch(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """See `Model.test_on_batch`."""
        return super().test_on_batch(self._built_for(x), *args, **kwargs)

    def predict_on_batch(self, x: Any) -> Any:
        """See `Model.predict_on_batch`."""
        return super().predict_on_batch(self._built_for(x))

    @property
    def trainable_weights(self) -> List[Any]:
        """Those of the layers; raises ValueError for a model that waits for its data."""
        self._expect_built()
        return super().trainable_weights

    @property
    def non_trainable_weights(self) -> List[Any]:
        """Those of the layers; raises ValueError for a model that waits for its data."""
        self._expect_built()
        return super().non_trainable_weights

    @property
    def weights(self) -> List[Any]:
        """Those of the layers; raises ValueError for a model that waits for its data."""
        self._expect_built()
        return super().weights

    def _ordered_weights(self) -> List[Any]:
        self._expect_built()
        return super()._ordered_weights()

    def _named_weights(self) -> List[Tuple[str, Any]]:
        self._expect_built()
        return super()._named_weights()

    def _expect_built(self) -> None:
        if self._waiting:
            raise ValueError(_NOT_BUILT)

    def pop(self) -> None:
        """Takes the last layer away."""
        if self._waiting:
            self._waiting.pop()
            self.layers = list(self._waiting)
            return
        if not self._stack:
            raise TypeError("There are no layers in the model.")
        layer = self._stack.pop()
        node = layer._nodes.pop()
        self._relink(node.inputs[0])

    def get_config(self) -> Dict[str, Any]:
        """The layers, in their order."""
        return {"name": self.name, "layers": [plain(layer) for layer in self._stack or self._waiting],
                **self._frozen_config()}  # fmt: skip

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """The model of what `get_config` gave, or of a list of layers, as Keras 2.1 has it."""
        from .layers import deserialize

        is_list = isinstance(config, list)
        model = cls(name=None if is_list else config.get("name"))
        for data in config if is_list else config["layers"]:
            model.add(deserialize(data, custom_objects))
        model.trainable = is_list or config.get("trainable", True)
        return model

    def predict_classes(self, x: Any, batch_size: Optional[int] = None, verbose: int = 0) -> Any:
        """The class of each sample. `verbose` has no effect."""
        p = self.predict(x, batch_size)
        return p.argmax(-1) if p.shape[-1] > 1 else (p > 0.5).astype("int32")

    def predict_proba(self, x: Any, batch_size: Optional[int] = None, verbose: int = 0) -> Any:
        """The outputs for all samples; `verbose` has no effect."""
        return self.predict(x, batch_size)


# Programs that ask for the arguments of these methods, as wrappers for scikit-learn do, find those of a model.
for _name in ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch"):
    setattr(Sequential.__dict__[_name], "__signature__", inspect.signature(getattr(Model, _name)))  # noqa: B010
