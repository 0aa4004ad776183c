# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model on the simulator of a GPU and on the CPU, side by side."""

import functools
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

import numpy as np

import flywheel
from simulator_counters import counted

TARGET = "cuda:sm_90a:bitcode"
GIVEN_ORDER = os.environ.get("FLYWHEEL_SIM_ORDER") or "forward"

# As many halvings as it takes: the host decides when to end.
HALVE = """
func.func @NAME(%x: tensor<f32>) -> tensor<f32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %0 = scf.while (%y = %x) : (tensor<f32>) -> tensor<f32> {
    %1 = arith.cmpf ogt, %y, %one : tensor<f32>
    %2 = tensor.extract %1[] : tensor<i1>
    scf.condition(%2) %y : tensor<f32>
  } do {
  ^bb0(%y: tensor<f32>):
    %3 = arith.mulf %y, %half : tensor<f32>
    scf.yield %3 : tensor<f32>
  }
  return %0 : tensor<f32>
}
"""


@functools.lru_cache(None)
def program_of(source: str, target: Optional[str] = None) -> flywheel.Program:
    return flywheel.compile(source, target=target)


def orders() -> Iterator[str]:
    """Sets the order in which the simulator executes blocks and threads: that of the environment or one after the
    other, and the last one first."""
    for order in (GIVEN_ORDER, "reversed"):
        os.environ["FLYWHEEL_SIM_ORDER"] = order
        yield order


def run_in_each_order(tests: Sequence[Callable[[], None]]) -> None:
    """Runs each test in each order of the simulator, with programs that are compiled once."""
    for test in tests:
        for order in orders():
            test()
            print("ok", test.__name__, order, flush=True)
        program_of.cache_clear()


class Both:
    """A session on the device and one of the CPU, which do the same."""

    def __init__(self, source: str, atol: float = 1e-6) -> None:
        self.atol = atol
        self.device = flywheel.Session(program_of(source, TARGET))
        self.host = flywheel.Session(program_of(source))
        for session in (self.device, self.host):
            session.initialize(3)

    def run(self, *feeds: Any, exact: bool = False) -> Dict[str, int]:
        found, counts = counted(lambda: self.device.run("step", *feeds))
        expected = self.host.run("step", *feeds)
        found, expected = ([r] if isinstance(r, np.ndarray) or np.isscalar(r) else r for r in (found, expected))
        for one, other in zip(found, expected):
            if exact:
                np.testing.assert_array_equal(one, other)
            else:
                np.testing.assert_allclose(np.float64(one), np.float64(other), rtol=3e-5, atol=self.atol)
        return counts

    def repeat(self, *feeds: Any, exact: bool = False) -> int:
        """Runs a step twice; returns how many kernels there are in one. The second time is one
        graph, or the only launch, and one wait."""
        self.run(*feeds, exact=exact)
        counts = self.run(*feeds, exact=exact)
        is_graph = counts["kernels"] > 1
        assert counts["graphs"] == is_graph and counts["launches"] == (not is_graph), counts
        assert counts["synchronizations"] == 1 and counts["allocations"] == 0, counts
        return counts["kernels"]

    def compare(self, exact: bool = False) -> None:
        for name in self.host.variables:
            one, other = self.device[name], self.host[name]
            if exact:
                np.testing.assert_array_equal(one, other, err_msg=name)
            else:
                np.testing.assert_allclose(np.float64(one), np.float64(other), rtol=3e-5, atol=self.atol, err_msg=name)

    def fail(self, *feeds: Any, message: str) -> None:
        """Both fail with one message, and change nothing."""
        before = {name: self.device[name].copy() for name in self.device.variables}
        texts: List[str] = []
        for session in (self.host, self.device):
            try:
                session.run("step", *feeds)
            except flywheel.InvalidArgumentError as error:
                texts.append(str(error))
            else:
                raise AssertionError("expected an error")
        assert texts[0] == texts[1] and message in texts[0], texts
        for name, value in before.items():
            np.testing.assert_array_equal(self.device[name], value, err_msg=name)
