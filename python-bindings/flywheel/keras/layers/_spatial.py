# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of layers of sequences, images and volumes."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

from ... import _ops
from ...v1.conversion import as_tensor, make
from .. import backend as K
from ..backend.windows import pads_of
from ..engine.specs import InputSpec
from ..engine.topology import Layer
from ..utils.conv_utils import normalize_data_format, normalize_tuple

__all__ = ["Pairs", "Spatial", "cropped", "moved", "padded", "pads_of", "pairs_of"]

Pairs = List[Tuple[int, int]]


class Spatial(Layer):
    """A layer with `dims` dimensions of space: [batch, space..., channels], or with the data format "channels_first"
    [batch, channels, space...]. Subclasses compute with the channels last, between `inwards` and `outwards`."""

    dims = 2

    def __init__(self, data_format: Optional[str] = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.input_spec = InputSpec(ndim=self.dims + 2)
        # As in Keras, the setting of the backend is of images and volumes.
        is_sequence = data_format is None and self.dims == 1
        self.data_format = normalize_data_format("channels_last" if is_sequence else data_format)

    @property
    def _is_first(self) -> bool:
        return self.data_format == "channels_first"

    def inwards(self, x: Any) -> Any:
        """The inputs with the channels last."""
        return K.permute_dimensions(x, (0, *range(2, self.dims + 2), 1)) if self._is_first else x

    def outwards(self, y: Any) -> Any:
        """Results with the channels last, in the data format."""
        return K.permute_dimensions(y, (0, self.dims + 1, *range(1, self.dims + 1))) if self._is_first else y

    def channels(self, shape: Sequence[Any]) -> Any:
        """The number of channels of an input. Raises ValueError if it is not known."""
        count = shape[1 if self._is_first else -1]
        if count is None:
            raise ValueError(f"The channel dimension of the inputs of layer '{self.name}' should be defined. Found "
                             "`None`.")  # fmt: skip
        return count

    def space(self, shape: Sequence[Any]) -> Tuple[Any, ...]:
        """The sizes of space of an input."""
        return tuple(shape[2:] if self._is_first else shape[1:-1])

    def shape_of(self, batch: Any, space: Sequence[Any], channels: Any) -> Tuple[Any, ...]:
        """The shape of a result in the data format."""
        return (batch, channels, *space) if self._is_first else (batch, *space, channels)

    def several(self, name: str, value: Any) -> Tuple[int, ...]:
        """Returns an integer for each dimension of space, of one for all or one for each."""
        return normalize_tuple(value, self.dims, name)

    def computed(self, kind: str, emit: Callable[[Any], Any], x: Any) -> Any:
        """Returns `emit` of the inputs, with the channels last in between."""
        return self.outwards(make(kind, emit, as_tensor(self.inwards(x))))


def pairs_of(layer: Spatial, name: str, value: Any) -> Pairs:
    """Two integers for each dimension of space: of one integer for all, one for each, or two for each. Raises
    ValueError for others."""
    if isinstance(value, int):
        return [(value, value)] * layer.dims
    listed = list(value) if hasattr(value, "__iter__") else None
    if listed is None or len(listed) != layer.dims:
        raise ValueError(f"`{name}` should be an int, or {layer.dims} ints or pairs of ints. Found: {value}")
    return [normalize_tuple(one, 2, name) for one in listed]  # type: ignore[misc]


def padded(x: Any, pairs: Pairs) -> Any:
    """Zeros around the dimensions of space of a traced tensor with the channels last."""
    return _ops.pad(x, [(0, 0), *pairs, (0, 0)], 0)


def cropped(x: Any, pairs: Pairs) -> Any:
    """A traced tensor with the channels last without its borders."""
    slices = (slice(None), *[slice(low, -high or None) for low, high in pairs])
    return x[slices]


def moved(size: Optional[int], by: int) -> Optional[int]:
    """Returns a size plus `by`, or None for None."""
    return None if size is None else size + by
