# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""A step whose optimizer a restored checkpoint does not know says that it begins anew; behind the first call the
restore is refused (P5)."""

import os
import tempfile
import warnings
from typing import Any, Callable, List, Optional

import numpy as np

import flywheel as fw
from configurations import run_tests

EXAMPLES = np.ones((4, 4), np.float32)
folder = tempfile.mkdtemp()


def make_step(optimizer: Any, nets: Optional[List[Any]] = None) -> Any:
    net = fw.nn.Sequential(fw.nn.Dense(4, 1))

    @fw.function
    def step(x: Any) -> Any:
        loss = fw.mean(fw.square(net(x) - 1))
        optimizer.minimize(loss)
        return loss

    if nets is not None:
        nets.append(net)
    return step


def save(optimizer: Any) -> str:
    path = os.path.join(folder, f"{type(optimizer).__name__}.ckpt")
    with fw.Namespace(), fw.Store():
        step = make_step(optimizer)
        for _ in range(3):
            step(EXAMPLES)
        fw.save(path)
    return path


def said(action: Callable[[], Any]) -> List[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        action()
    texts = [str(one.message) for one in found if "begins anew" in str(one.message)]
    assert all(one.filename == __file__ for one in found if "begins anew" in str(one.message))
    return texts


def test_another_optimizer() -> None:
    path = save(fw.optimizers.SGD(lr=0.01))
    with fw.Namespace(), fw.Store():
        step = make_step(fw.optimizers.Adam(lr=0.01))
        fw.restore(path)
        (text,) = said(lambda: step(EXAMPLES))
        assert path in text and "'Sequential/layers/0/kernel/Adam' and of 3 more slots" in text, text
        assert not said(lambda: step(EXAMPLES)) and not said(lambda: step(EXAMPLES[:2]))
        try:
            fw.restore(path)
        except fw.NotFoundError as error:
            assert "Adam" in str(error)
        else:
            raise AssertionError("expected NotFoundError")


def test_silent() -> None:
    path = save(fw.optimizers.Adam(lr=0.01))
    with fw.Namespace(), fw.Store():
        # The same optimizer, and one without slots that the file lacks.
        step = make_step(fw.optimizers.Adam(lr=0.01))
        fw.restore(path)
        assert not said(lambda: step(EXAMPLES))
    with fw.Namespace(), fw.Store():
        # These variables only.
        nets: List[Any] = []
        step = make_step(fw.optimizers.AdamW(lr=0.01), nets)
        fw.restore(path, nets[0].variables())
        assert not said(lambda: step(EXAMPLES))
    with fw.Namespace(), fw.Store():
        # Another model, which the checkpoint does not have, and a function without an optimizer.
        step = make_step(fw.optimizers.Adam(lr=0.01), nets)
        fw.restore(path)
        other = fw.Variable(np.ones(2, np.float32), name="other")
        trained = fw.optimizers.Adam(lr=0.01, name="another")

        @fw.function
        def more() -> None:
            trained.minimize(fw.sum(other * other), var_list=[other])

        assert not said(more) and not said(lambda: fw.function(nets[1])(EXAMPLES))
    with fw.Namespace(), fw.Store():
        # From before the first step.
        step = make_step(fw.optimizers.Adam(lr=0.01))
        fw.save(path)
        fw.restore(path)
        assert not said(lambda: step(EXAMPLES))


def test_latest() -> None:
    manager = fw.CheckpointManager()
    with fw.Namespace(), fw.Store() as store:
        step = make_step(fw.optimizers.SGD(lr=0.01))
        step(EXAMPLES)
        store.save_step(manager, os.path.join(folder, "run/model"), 1)
    with fw.Namespace(), fw.Store() as store:
        step = make_step(fw.optimizers.Adam(lr=0.01))
        assert store.restore_latest(os.path.join(folder, "run"))
        assert len(said(lambda: step(EXAMPLES))) == 1


os.makedirs(os.path.join(folder, "run"))
run_tests([test_another_optimizer, test_silent, test_latest])
