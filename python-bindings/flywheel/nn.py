# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of neural networks: the ops of the nn dialect, a few more, and layers, which are modules.

Images are [batch, height, width, channels] and filters [height, width, channels,
outputs]. Arguments are tensors, variables, arrays or numbers.
"""

from . import _nn, _ops
from ._nn import *  # noqa: F403
from ._nn import functions as _functions
from ._nn.functions import *  # noqa: F403
from ._ops import nn_ops as _nn_ops
from ._ops import one_hot
from ._ops.nn_ops import *  # noqa: F403

__all__ = [*_nn_ops.__all__, *_functions.__all__, *_nn.__all__, "one_hot", "stop_gradient"]

stop_gradient = _ops.stop_gradient
