# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.contrib.data`: functions that `Dataset.apply` takes, most of which are those of `tf.data.experimental`."""

from typing import Any

from .. import data_experimental as _experimental
from ..data_experimental import *  # noqa: F403
from ..data_experimental import Transformation


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Batches of `batch_size` elements; the elements left at the end are dropped."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


__all__ = ["batch_and_drop_remainder", *_experimental.__all__]
