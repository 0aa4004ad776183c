# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One or more numeric samples of every derivative rule.

`test/Autodiff/rules-covered.test` fails where a rule has no sample.
`python -m samples` prints the names of the ops that have one.
"""

from samples import (
    activations,
    attention,
    elementwise,
    indexing,
    linalg,
    linear_algebra,
    losses,
    nn,
    normalization,
    scf,
    tensor,
    train,
    windows,
)
from samples.sampling import SAMPLES, Arg, Sample, as_list, draw

__all__ = ["SAMPLES", "Arg", "Sample", "activations", "as_list", "attention", "draw", "elementwise", "indexing",
           "linalg", "linear_algebra", "losses", "nn", "normalization", "scf", "tensor", "train", "windows"]
