# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images at places that a tensor says."""

from .._frontends.layouts import Laid
from .._frontends.sampling import grid_sample
from ._graph import Call, op

# Names of earlier versions.
_MODES = {"bilinear": "linear", "bicubic": "cubic"}


@op("GridSample")
def _grid_sample(call: Call, x: Laid, grid: Laid) -> Laid:
    mode = call.word("mode", "linear", "nearest", "cubic", *_MODES)
    padding = call.word("padding_mode", "zeros", "border", "reflection")
    if x.ndim < 3 or grid.ndim != x.ndim or grid.shape[-1] != x.ndim - 2:
        raise ValueError(f"expected places [batch, space..., {x.ndim - 2}] in {x.shape}, found {grid.shape}")
    if None in x.shape[2:]:
        raise call.unsupported("of images of a size that the call chooses")
    own = _MODES.get(mode, mode)
    return Laid(grid_sample(x.plain(), grid.plain(), own, padding, call.flag("align_corners")))
