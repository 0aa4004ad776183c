# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of layers one after another."""

from typing import Any, Dict, List, Optional

from . import backend as K
from ._serialization import plain
from .engine import Input, InputLayer, Layer
from .engine.network import Network
from .engine.training import Model


class Sequential(Model):
    """Layers one after another."""

    def __init__(self, layers: Any = None, name: Optional[str] = None):
        Layer.__init__(self, name=name)
        self._reset()
        self._stack: List[Any] = []
        self.layers: List[Any] = []
        for layer in layers or []:
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Adds a layer at the end; the first one has an `input_shape`."""
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        if not self._stack:
            if isinstance(layer, InputLayer):
                self._connect([layer.output], [layer.output])
                self._stack, self.layers = [layer], []
                return
            if isinstance(layer, Network):
                shape = K.int_shape(layer.inputs[0])
            elif hasattr(layer, "batch_input_shape"):
                shape = layer.batch_input_shape
            else:
                raise ValueError("The first layer in a Sequential model must get an `input_shape` or "
                                 "`batch_input_shape` argument.")  # fmt: skip
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
            raise AttributeError("Sequential model cannot be built: model is empty. Add some layers first.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def model(self) -> "Sequential":
        """The model itself, which Keras 2.1 keeps one inside."""
        return self

    def build(self, input_shape: Any = None) -> None:
        """Does nothing: layers are built when they are added."""

    def pop(self) -> None:
        """Takes the last layer away."""
        if not self._stack:
            raise TypeError("There are no layers in the model.")
        layer = self._stack.pop()
        node = layer._nodes.pop()
        self._relink(node.inputs[0])

    def get_config(self) -> Dict[str, Any]:
        """The layers, in their order."""
        return {"name": self.name, "layers": [plain(layer) for layer in self._stack]}

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """The model of what `get_config` gave, or of a list of layers, as Keras 2.1 has it."""
        from .layers import deserialize

        is_list = isinstance(config, list)
        model = cls(name=None if is_list else config.get("name"))
        for data in config if is_list else config["layers"]:
            model.add(deserialize(data, custom_objects))
        return model

    def predict_classes(self, x: Any, batch_size: Optional[int] = None, verbose: int = 0) -> Any:
        """The class of each sample."""
        p = self.predict(x, batch_size)
        return p.argmax(-1) if p.shape[-1] > 1 else (p > 0.5).astype("int32")

    def predict_proba(self, x: Any, batch_size: Optional[int] = None, verbose: int = 0) -> Any:
        return self.predict(x, batch_size)
