# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""I7, N16: `set_seed` begins all random streams again; functions that are made again draw on, unless they are of
variables or of other code; orders of batches follow from the seed."""

from typing import Any, List

import numpy as np

import flywheel as fw
from configurations import run_tests


def seeds_begin_streams_again() -> None:
    @fw.function
    def draw() -> Any:
        return fw.random.uniform((2,))

    @fw.function
    def draw_with_seed() -> Any:
        return fw.random.uniform((2,), seed=5), fw.random.normal((2,))

    def numbers() -> List[Any]:
        return [[draw().tolist(), [x.tolist() for x in draw_with_seed()]] for _ in range(3)]

    w = fw.Variable(np.ones(2, np.float32), name="random")
    fw.function(lambda: w.assign_add(fw.ones((2,))))()
    fw.set_seed(3)
    first = numbers()
    assert first[0] != first[1] != first[2]
    fw.set_seed(4)
    assert numbers() != first
    fw.set_seed(3)
    assert numbers() == first
    # A variable with the name of a stream has kept its value.
    assert w.numpy().tolist() == [2.0, 2.0]
    with fw.Store(seed=3):
        assert numbers() == first


def objects_made_again_draw_on() -> None:
    class Sampler:
        @fw.function
        def sample(self) -> Any:
            return fw.random.normal((3,))

    class Other:
        @fw.function
        def sample(self) -> Any:
            return fw.random.normal((3,))

    def noisy(x: Any) -> Any:
        return fw.function(lambda x: x + fw.random.normal((3,)))(x)

    zeros = np.zeros(3, np.float32)

    def numbers() -> List[Any]:
        return [one.tolist() for _ in range(4) for one in (Sampler().sample(), Other().sample(), noisy(zeros))]

    found = numbers()
    assert len({tuple(one) for one in found}) == len(found), found


def models_and_other_code_begin_again() -> None:
    def make() -> Any:
        w = fw.Variable(np.ones(3, np.float32), name="w")
        return fw.function(lambda: w + fw.random.normal((3,)))

    assert make()().tolist() == make()().tolist()
    code = "import flywheel as fw\n@fw.function\ndef draw(): return fw.random.normal((3,))\n"
    found = []
    for _ in range(2):
        names: Any = {}
        exec(code, names)
        found.append(names["draw"]().tolist())
        names.clear()
    assert found[0] == found[1]


def batches_follow_the_seed() -> None:
    data = np.arange(12)

    def orders(**given: Any) -> List[Any]:
        batches = fw.data.Batches(data, 4, **given)
        return [batch.tolist() for _ in range(2) for batch in batches]

    fw.set_seed(3)
    first = orders()
    assert first[:3] != first[3:] and sorted(sum(first[:3], [])) == data.tolist()
    second = orders()
    fw.set_seed(3)
    assert orders() == first and orders() == second != first
    fw.set_seed(4)
    assert orders() != first
    assert orders(seed=1) == orders(seed=1)


def batches_are_copies() -> None:
    for shuffle in (False, True):
        data = np.arange(8.0)
        for batch in fw.data.Batches(data, 4, shuffle=shuffle):
            batch += 100
        assert data.tolist() == list(range(8))


def dropout_draws_for_each_use() -> None:
    ones = np.ones((64,), np.float32)

    def masks() -> Any:
        fw.set_seed(1)
        layer = fw.nn.Dropout(0.5, seed=1)
        found = fw.function(lambda x: (layer(x, training=True), layer(x, training=True)))(ones)
        return [one.tolist() for one in found]

    a, b = masks()
    assert a != b
    assert masks() == [a, b]


run_tests([seeds_begin_streams_again, objects_made_again_draw_on, models_and_other_code_begin_again,
           batches_follow_the_seed, batches_are_copies, dropout_draws_for_each_use])  # fmt: skip
