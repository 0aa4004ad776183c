# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dtypes, shapes and ranks that layers expect of their inputs."""

from typing import Any, Dict, List, Optional, Sequence

from .. import backend as K


class InputSpec:
    """The dtype, shape and rank that a layer expects of an input; None is any. `axes` maps axes, which may be
    negative, to dimension sizes. Layers have one, or a list of them, as the attribute `input_spec`."""

    def __init__(
        self, dtype: Optional[str] = None, shape: Any = None, ndim: Optional[int] = None,
        max_ndim: Optional[int] = None, min_ndim: Optional[int] = None, axes: Optional[Dict[int, Any]] = None,
    ) -> None:  # fmt: skip
        self.dtype = dtype
        self.shape = None if shape is None else tuple(shape)
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes: Dict[int, Any] = dict(axes or {})

    def __repr__(self) -> str:
        parts = [f"{key}={value}" for key, value in vars(self).items() if value]
        return f"InputSpec({', '.join(parts)})"

    def problem(self, x: Any) -> Optional[str]:
        """Returns what is expected and found of a tensor that does not fit, or None."""
        shape = K.int_shape(x)
        if self.dtype is not None and K.dtype(x) != self.dtype:
            return f"expected dtype={self.dtype}, found dtype={K.dtype(x)}"
        if shape is None:
            return None
        rank = len(shape)
        if self.ndim is not None and rank != self.ndim:
            return f"expected ndim={self.ndim}, found ndim={rank}, of shape {shape}"
        if self.max_ndim is not None and rank > self.max_ndim:
            return f"expected max_ndim={self.max_ndim}, found ndim={rank}, of shape {shape}"
        if self.min_ndim is not None and rank < self.min_ndim:
            return f"expected min_ndim={self.min_ndim}, found ndim={rank}, of shape {shape}"
        for axis, size in self.axes.items():
            if not -rank <= int(axis) < rank or size is not None and shape[int(axis)] not in (int(size), None):
                return f"expected axis {axis} of input shape to have value {size} but got shape {shape}"
        if self.shape is not None and any(a is not None and n not in (a, None) for a, n in zip(self.shape, shape)):
            return f"expected shape={self.shape}, found shape={shape}"
        return None


def check_inputs(name: str, specs: Sequence[Optional[InputSpec]], inputs: List[Any]) -> None:
    """Raises ValueError if the inputs of the layer `name` are not those of its specs."""
    if len(inputs) != len(specs):
        raise ValueError(f"Layer {name} expects {len(specs)} inputs, but it received {len(inputs)} input tensors. "
                         f"Input received: {inputs}")  # fmt: skip
    for i, (spec, x) in enumerate(zip(specs, inputs)):
        problem = None if spec is None else spec.problem(x)
        if problem is not None:
            raise ValueError(f"Input {i} is incompatible with layer {name}: {problem}")
