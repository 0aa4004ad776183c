# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Small modules as people write them (attention with masks, graphs, flows, parametrizations, averages, losses of their
own) train as in PyTorch: losses, parameters and buffers of three steps, and inference after them (B11).

usage: import_torch_written.py [WORD], in the names of modules to run; FLYWHEEL_TEST_ALL=1 runs all
"""

import sys
import warnings
from typing import Any, Callable, List

import numpy as np
import torch

import flywheel as fw
import flywheel.torch
from selection import choose
from torch_written_more import ALL_MODELS

# The modules that a run without FLYWHEEL_TEST_ALL takes.
SHARE = 0.25
STEPS, RATE = 3, 0.03
# The largest differences of losses, relative, and of states and results.
TOLERANCES = {torch.float32: (2e-4, 5e-3), torch.float64: (1e-9, 1e-7)}


def build(make: Callable[[], Any], dtype: Any) -> Any:
    """A module, its inputs, loss and targets, in a dtype; the same ones at each call."""
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    module, inputs, loss, targets = make()
    inputs, targets = (tuple(x.to(dtype) if x.is_floating_point() else x for x in part) for part in (inputs, targets))
    torch.set_default_dtype(dtype)
    return module.to(dtype).train(), inputs, loss.to(dtype) if isinstance(loss, torch.nn.Module) else loss, targets


def check(make: Callable[[], Any], dtype: Any) -> None:
    """Raises AssertionError where a loss, a parameter, a buffer or a result differs."""
    of_losses, of_states = TOLERANCES[dtype]
    module, inputs, loss, targets = build(make, dtype)
    theirs = build(make, dtype)[0]
    has_loss = {"loss": lambda output: output} if loss is None else {"loss": loss, "example_targets": targets}
    optimizer = torch.optim.SGD([one for one in theirs.parameters() if one.requires_grad], RATE)
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(module, inputs, optimizer=fw.optimizers.SGD(lr=RATE), **has_loss)
        for step in range(STEPS):
            found = float(ours.step(*inputs, *targets))
            optimizer.zero_grad()
            output = theirs(*inputs)
            wanted = output if loss is None else loss(output, *targets)
            wanted.backward()
            optimizer.step()
            np.testing.assert_allclose(found, float(wanted.detach()), of_losses, of_losses, err_msg=f"loss {step}")
        state = ours.state_dict()
        for name, value in theirs.state_dict().items():
            np.testing.assert_allclose(state[name].numpy(), value.numpy(), 0, of_states, err_msg=name)
        ours.load_state_dict(theirs.state_dict())
        theirs.eval()
        with torch.no_grad():
            expected = theirs(*inputs)
        results = ours(*inputs)
        for one, other in zip(*(x if isinstance(x, (tuple, list)) else [x] for x in (results, expected))):
            np.testing.assert_allclose(np.asarray(one), other.numpy(), 0, of_states, err_msg="inference")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    models = [make for make in ALL_MODELS if sys.argv[1:2] and sys.argv[1] in make.__name__]
    failures: List[str] = []
    for make in models or choose("import_torch_written", ALL_MODELS, SHARE):
        for dtype in TOLERANCES:
            try:
                check(make, dtype)
            except Exception as error:
                failures.append(f"{make.__name__} of {dtype}: {type(error).__name__}: {error}")
                print(failures[-1], flush=True)
    sys.exit(bool(failures))
