# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's modules as programs of this compiler.

    model = flywheel.torch.from_module(module, (images,), loss=loss, optimizer=fw.optimizers.SGD(lr=0.1))
    for images, labels in batches:
        print(model.step(images, labels))
    module.load_state_dict(model.state_dict())

Parameters and buffers are variables under the names that the module has for them.
"""

from .._frontends.missing_ops import needs

try:
    import torch as _torch  # noqa: F401
except ImportError as _error:
    raise needs("torch", "torch") from _error

from .._frontends.missing_ops import MissingOp, UnsupportedOpError
from . import (  # noqa: F401
    _decompositions,
    _derivatives,
    _elementwise,
    _floats,
    _images,
    _indexing,
    _layers,
    _linalg,
    _losses,
    _order,
    _random,
    _shapes,
    _special,
    _spectra,
)
from ._module import ImportedModule, from_module

__all__ = ["ImportedModule", "MissingOp", "UnsupportedOpError", "from_module"]
