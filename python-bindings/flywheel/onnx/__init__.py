# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of ONNX as programs of this compiler.

    model = flywheel.onnx.load("model.onnx", loss="sparse_softmax_cross_entropy", optimizer=fw.optimizers.Adam(lr=1e-3))
    for images, labels in batches:
        print(model.step(images, labels))
    model.export_weights("trained.onnx")

Initializers are variables under their names.
"""

from .._frontends.missing_ops import needs

try:
    import onnx as _onnx  # noqa: F401
except ImportError as _error:
    raise needs("onnx", "onnx") from _error

from .._frontends.missing_ops import MissingOp, UnsupportedOpError
from . import (  # noqa: F401
    _control,
    _elementwise,
    _indexing,
    _layers,
    _learning,
    _norms,
    _optimizers,
    _quantized,
    _recurrent,
    _reductions,
    _resize,
    _sampling,
    _shapes,
    _spectra,
    _trees,
    _windows,
)
from ._model import OnnxModel, load

__all__ = ["MissingOp", "OnnxModel", "UnsupportedOpError", "load"]
