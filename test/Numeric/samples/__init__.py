# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One or more numeric samples of every derivative rule.

`test/Autodiff/rules-covered.test` fails where a rule has no sample.
`python -m samples` prints the names of the ops that have one.
"""

from samples import elementwise, linalg, nn, scf, tensor, train
from samples.sampling import SAMPLES, Arg, Sample, as_list, draw

__all__ = ["SAMPLES", "Arg", "Sample", "as_list", "draw", "elementwise", "linalg", "nn", "scf", "tensor", "train"]
