# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of neural networks: the ops of the nn dialect, a few more, and layers, which are modules.

Images are [batch, height, width, channels] and filters [height, width, channels,
outputs]. Arguments are tensors, variables, arrays or numbers.
"""

from . import _layers, _nn_functions, _ops
from . import _nn_ops as _generated
from ._layers import *  # noqa: F403
from ._nn_functions import *  # noqa: F403
from ._nn_ops import *  # noqa: F403
from ._ops import one_hot

__all__ = [*_generated.__all__, *_nn_functions.__all__, *_layers.__all__, "one_hot", "stop_gradient"]

stop_gradient = _ops.stop_gradient
