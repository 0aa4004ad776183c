# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Runs print tensors, texts and structures, and failed assertions show values, as in TensorFlow 1 (G2)."""

# mypy: disable-error-code="no-untyped-call"

import collections
import contextlib
import io
import re
import tempfile
from pathlib import Path
from typing import Any, Dict, List

import numpy as np

from beside_tensorflow import caught, program, run_all, values

Pair = collections.namedtuple("Pair", "x y")
_RAMP = np.arange(20, dtype=np.float32)


def _printed(tf: Any, *inputs: Any, **options: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "printed.txt"
        values(tf, tf.print(*inputs, output_stream=f"file://{path}", **options))
        return path.read_bytes()


def _numbers(tf: Any) -> List[Any]:
    single = [1.0, 0.1, 1 / 3, 1e10, 1e-10, 1e5, 1e6, 123456.789, 1234567.0, -0.0, 3.4e38, np.inf, -np.inf, np.nan]
    double = [1.0, 0.3, 1 / 3, 1e15, 1e16, 123456789.0, 1e308]
    made: List[Any] = [tf.constant(x) for x in single] + [tf.constant(x, tf.float64) for x in double]
    made += [tf.constant([0.1, 1 / 3, 2], tf.float16), tf.constant([0.1, 1 / 3, 1e5], tf.bfloat16), tf.constant(True)]
    return [*made, tf.constant([True, False]), tf.constant(np.array([1, -2], np.int8)), tf.constant([-1, 10, 100])]


@program
def numbers(tf: Any) -> Any:
    return [_printed(tf, x) for x in _numbers(tf)]


@program
def arrays(tf: Any) -> Any:
    made = [np.zeros(0), _RAMP[:6], _RAMP[:7], _RAMP, np.arange(100).reshape(10, 10), np.arange(8.0).reshape(2, 2, 2),
            np.arange(40).reshape(2, 2, 10), np.arange(512).reshape(8, 8, 8)]  # fmt: skip
    out = [_printed(tf, tf.constant(x)) for x in made]
    return out + [_printed(tf, tf.constant(x), summarize=n) for x in made[3:] for n in (0, 1, 2, -1)]


@program
def texts(tf: Any) -> Any:
    quoted = tf.constant(['a"b', "a'b", "a\nb", "a\\b", "é"])
    out = [_printed(tf, x) for x in (tf.constant("abc"), tf.constant("a\nb"), tf.constant(["abc", "de"]), quoted)]
    out += [_printed(tf, "x", tf.constant("abc")), _printed(tf, 1, tf.constant(2), sep="|", end="!")]
    return [*out, _printed(tf, "only text"), _printed(tf, "{}", "%s", tf.constant(1), ["{}"])]


@program
def structures(tf: Any) -> Any:
    c = tf.constant
    made: Dict[str, Any] = {
        "plain": {"k": 3},
        "one": {"k": c(3)},
        "order": {"z": c(1), "a": c(2)},
        "deep": {"k": c(3), "a": [c(1.0), 2, c([1.0, 2.0])], "n": {"j": c("text"), "i": "text"}},
        "list": [c(1), 2, "s", None],
        "tuple": (c(1),),
        "pair": Pair(c(1), c([2.0])),
        "arrays": [np.array([1.0, 2.0]), c(2.5)],
        "long": [c(i) for i in range(40)],
        "wide": {f"abcdefghijklmnopqrstuvwxyz{i}": c([1.0, 2.0]) for i in range(5)},
    }
    return [[_printed(tf, one), _printed(tf, "a", one, c(7))] for one in made.values()]


@program
def failed(tf: Any) -> Any:
    data = [["abc", "d"], "a", 'd"e\n', [1.0, 2.0, 3.0, 4.0], 2.5, [True], [[1, 2], [3, 4]], np.zeros([2, 0])]
    out = []
    for count in (None, 1, 2, 10, -1):
        try:
            values(tf, tf.Assert(tf.constant(1) > 2, [tf.constant(x) for x in data], summarize=count))
        except tf.errors.InvalidArgumentError as error:
            found = re.search(r"assertion failed: .*", str(error))
            out.append(found.group() if found else str(error))
    return out


@program
def near(tf: Any) -> Any:
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.1])
    tolerance = tf.constant([0.0, 0.1])
    made: List[Any] = [
        lambda: tf.assert_near(x, y, rtol=tolerance), lambda: tf.assert_near(x, y, rtol=tolerance * 0.1),
        lambda: tf.assert_near(x, y, atol=tolerance + 0.01), lambda: tf.assert_near(x, y, rtol=tf.constant([0.1] * 3)),
        lambda: tf.assert_near(x, y, rtol=tf.constant(0.1, tf.float64)), lambda: tf.assert_near(x, x),
        lambda: tf.assert_near(x, y), lambda: tf.assert_near(x * np.nan, x * np.nan), lambda: tf.assert_near([1], [1]),
    ]  # fmt: skip
    return [str(caught(lambda: values(tf, one()))) for one in made]


def texts_alone() -> None:
    """A run that prints no tensor prints its texts, and an OrderedDict keeps its order."""
    import flywheel.v1 as tf

    tf.reset_default_graph()
    assert _printed(tf, {"k": [1, "s"]}) == b"{'k': [1, 's']}\n"
    ordered = collections.OrderedDict([("z", tf.constant(1)), ("a", tf.constant(2))])
    assert _printed(tf, ordered) == f"{collections.OrderedDict([('z', 1), ('a', 2)])!r}\n".encode()
    stream = io.StringIO()
    with contextlib.redirect_stderr(stream):
        values(tf, tf.Print(tf.constant(1), [tf.constant([[1.0, 2.0], [3.5, 4.0]]), tf.constant("a")], "m: "))
    assert stream.getvalue() == "m: [[1 2][3.5...]...][a]\n", stream.getvalue()


if __name__ == "__main__":
    run_all()
    texts_alone()
