# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's functions as programs of this compiler.

    model = flywheel.jax.from_function(loss_fn, params, (images, labels), optimizer=fw.optimizers.SGD(lr=0.1))
    for images, labels in batches:
        print(model.step(images, labels))
    params = model.params()

Leaves of the params are variables under their paths in the tree.
"""

from .._frontends.missing_ops import needs

try:
    import jax as _jax  # noqa: F401
    import jax.export  # noqa: F401
except ImportError as _error:
    raise needs("jax", "jax") from _error

from .._frontends.missing_ops import MissingOp, UnsupportedOpError
from . import _complex, _control, _elementwise, _indexing, _layers, _linalg, _shapes, _sorting  # noqa: F401
from ._function import ImportedFunction, from_function

__all__ = ["ImportedFunction", "MissingOp", "UnsupportedOpError", "from_function"]
