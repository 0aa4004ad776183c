# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The cost of large steps (F3): the numbers of one layer, as often as there are layers."""

from typing import Any, Dict

import flywheel

WIDTH = 16


def make_net(layers: int) -> str:
    """A net of `layers` dense layers of one width."""
    lines = []
    for i in range(layers):
        lines.append(f"train.variable @w{i} : tensor<{WIDTH}x{WIDTH}xf32>")
        lines.append(f"train.variable @b{i} : tensor<{WIDTH}xf32> = #train.zeros")
    lines.append(f"func.func @step(%h0: tensor<?x{WIDTH}xf32>) -> tensor<f32> {{")
    for i in range(layers):
        lines.append(f"  %w{i} = train.read @w{i} : tensor<{WIDTH}x{WIDTH}xf32>")
        lines.append(f"  %b{i} = train.read @b{i} : tensor<{WIDTH}xf32>")
        lines.append(f"  %z{i} = nn.dense %h{i}, %w{i}, %b{i} : (tensor<?x{WIDTH}xf32>, "
                     f"tensor<{WIDTH}x{WIDTH}xf32>, tensor<{WIDTH}xf32>) -> tensor<?x{WIDTH}xf32>")
        lines.append(f"  %h{i + 1} = nn.relu %z{i} : tensor<?x{WIDTH}xf32>")
    lines.append(f"  %loss = nn.l2_loss %h{layers} : tensor<?x{WIDTH}xf32> -> tensor<f32>")
    lines.append("  train.minimize %loss : tensor<f32> with #train.adam")
    lines.append("  return %loss : tensor<f32>\n}")
    return "\n".join(lines)


def count(layers: int) -> Dict[str, Any]:
    entry: Dict[str, Any] = flywheel.cost(make_net(layers), bindings={"batch": 8})["before"]["entries"][0]
    assert entry["name"] == "step" and not entry["unknown"] and entry["symbols"] == {
        "batch": "dimension 0 of 'h0'"}, entry["unknown"]
    return entry


def test_layers() -> None:
    """F3: each layer adds the same."""
    products, elements = 2 * 8 * WIDTH * WIDTH, 8 * WIDTH
    small, large = count(1), count(200)
    forward = products + 2 * elements
    assert small["once"]["forward"]["flops"] == forward + 3 * elements - 1
    assert large["once"]["forward"]["flops"] == 200 * forward + 3 * elements - 1
    # The first layer has no gradient of its input.
    backward = 2 * products + elements + elements - WIDTH
    added = large["once"]["backward"]["flops"] - small["once"]["backward"]["flops"]
    assert added == 199 * backward, (added, backward)
    assert sum(op["flops"] for op in large["ops"]) == large["once"]["total"]["flops"]


def test_symbols() -> None:
    """F6: a size without a number is a symbol; numbers are then strings."""
    cost = flywheel.cost(make_net(1))
    forward = cost["before"]["entries"][0]["once"]["forward"]["flops"]
    assert forward == f"{2 * WIDTH * WIDTH + 2 * WIDTH + 3 * WIDTH}*batch - 1", forward
    assert cost["after"]["title"] == "after optimization"
    for arguments in ({"bindings": {"none": 3}}, {"entries": ["none"]}, {"fetches": ["none"]}):
        try:
            flywheel.cost(make_net(1), **arguments)
        except flywheel.CompileError as error:
            assert "found 'none'" in str(error), error
        else:
            raise AssertionError(arguments)
    try:
        flywheel.cost(make_net(1), bindings={"batch": -1})
    except ValueError as error:
        assert "expected a size" in str(error), error
    else:
        raise AssertionError("a negative size")


test_layers()
test_symbols()
