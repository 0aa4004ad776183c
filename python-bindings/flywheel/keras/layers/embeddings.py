# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of tables."""

from typing import Any

from .. import backend as K
from .. import constraints, initializers, regularizers
from ..engine import Layer
from ..legacy import interfaces as _legacy


@_legacy.embedding
class Embedding(Layer):
    """Rows of a table, by their numbers."""

    arguments = (
        "input_dim", "output_dim", "embeddings_initializer", "embeddings_regularizer", "activity_regularizer",
        "embeddings_constraint", "mask_zero", "input_length",
    )  # fmt: skip

    def __init__(
        self, input_dim: int, output_dim: int, embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None, activity_regularizer: Any = None, embeddings_constraint: Any = None,
        mask_zero: bool = False, input_length: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        kwargs["dtype"] = kwargs.get("dtype") or K.floatx()
        super().__init__(**kwargs)
        self.input_dim, self.output_dim = input_dim, output_dim
        self.mask_zero, self.input_length = mask_zero, input_length
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)

    def build(self, input_shape: Any) -> None:
        self.embeddings = self.add_weight("embeddings", (self.input_dim, self.output_dim), None,
                                          self.embeddings_initializer, self.embeddings_regularizer, True,
                                          self.embeddings_constraint)  # fmt: skip
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        y = K.gather(self.embeddings, K.cast(inputs, "int32"))
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(y), inputs)
        return y

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """With `mask_zero`, where the number is not 0."""
        return K.not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape, self.output_dim)
