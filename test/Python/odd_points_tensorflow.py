# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, tensorflow
# RUN: env FLYWHEEL_CACHE= TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""G20, X16: values and derivatives up to the second order of every function of `flywheel.v1` at kinks, ties, bounds,
zeros, saturated, large and tiny numbers are TensorFlow's own, wherever TensorFlow has numbers. A derivative may instead
be the one limit of those beside the point, of which TensorFlow has the same; DIFFERENT has what differs by intention.
"""

import re
import sys
import warnings
from typing import Any, Dict, List, Optional

import numpy as np

import flywheel.keras as flywheel_keras
import flywheel.v1
from beside_tensorflow import tensorflow
from odd_limits import TIMES, Beside, directions, points, steps_of
from odd_point_graph_cases import CASES
from odd_points_graphs import MATRIX, names_of
from selection import choose

LABELS = ("value", "first", "second")
# Functions, the lowest order that differs, and why, as docs/Guides/Derivatives.md has it.
DIFFERENT: Dict[str, Any] = {
    # Infinite in TensorFlow at a pole, and NaN here, as there is no derivative.
    "lgamma": 2, "polygamma": 2,
    # Zero in TensorFlow where the probability of a path rounds to 0.
    "ctc_loss(tf.SparseTensor": 1,
    # The derivative by the divisor, from the rounded quotient instead of the exact one.
    "mod": 1, "floormod": 1,
    # A negative base: here the second derivative is symmetric, 0 wherever the exponent takes part.
    "pow(x, tf.reverse": 2,
    # Labels that do not sum to 1: TensorFlow subtracts them from the softmax, whatever they are.
    "softmax_cross_entropy_with_logits_v2(labels=m": 1,
    # TensorFlow takes the sign of the rounded result, 0 at tiny numbers.
    "elu(x) at tiny": 2, "selu(x) at tiny": 1,
    # TensorFlow divides the product by each element, which rounds: by tiny ones to anything.
    "cumprod": 2, "unsorted_segment_prod": 2,
    # The mean is a constant in TensorFlow's gradient, which holds for the first order.
    "moments": 2,
}  # fmt: skip
# Functions that TensorFlow computes in f32, or has for f32 alone.
NARROW = ("losses", "image", "clip_by_average_norm", "fused_batch_norm", "local_response", "lrn", "avg_pool",
          "max_pool", "normalize_moments", "psnr", "to_float")  # fmt: skip


def all_points() -> Dict[str, Any]:
    odd = np.array([-1.0, 0.0, 1.0, 2.0])
    return {**points(), "the other operand": MATRIX, "pairs": odd[:, None] * np.array([1.0, 1.0, -1.0, 1.0])}


def plain_config() -> Any:
    """Returns options with which TensorFlow computes what the program says: its optimizer adds in another order."""
    config = tensorflow.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


class Derivatives:
    """A function in one of the frameworks: its value, its gradient, and that along a direction, where there is one."""

    def __init__(self, tf: Any, text: str, dtype: Any, count: Optional[int] = None):
        tf.reset_default_graph()
        self.x, self.along = tf.placeholder(dtype, [4, 4]), tf.placeholder(dtype, [4, 4])
        # Keras is not compared here.
        names = {**names_of(tf, flywheel_keras, self.x), "K": None, "keras": None}
        y = tf.convert_to_tensor(eval(text, names))
        flat = tf.reshape(tf.cast(y, dtype), [-1])
        self.count = int(np.prod(y.shape.as_list(), dtype=int)) if count is None else count
        first = tf.gradients(flat, self.x, tf.constant(np.linspace(1, 1.5, self.count).astype(dtype)))[0]
        self.fetches = [flat, tf.zeros_like(self.x) if first is None else tf.convert_to_tensor(first)]
        try:
            second = tf.gradients(tf.reduce_sum(self.fetches[1] * self.along), self.x)[0]
            self.fetches.append(tf.zeros_like(self.x) if second is None else tf.convert_to_tensor(second))
        except LookupError:
            # TensorFlow has no derivative of that one.
            pass
        self.dtype = dtype
        self.session = tf.Session(config=plain_config() if tf is tensorflow else None)
        self.session.run(tf.global_variables_initializer())

    def at(self, point: Any) -> List[Any]:
        feed = {self.x: point.astype(self.dtype), self.along: directions().astype(self.dtype)}
        return [np.asarray(one, np.float64).reshape(-1) for one in self.session.run(self.fetches, feed)]


def differs(own: Any, other: Any, eps: float) -> Any:
    """Returns true where a number of TensorFlow is another one."""
    with np.errstate(all="ignore"):
        size = np.max(np.abs(other), initial=0.0, where=np.isfinite(other))
        near = np.abs(own - other) <= eps * np.abs(other) + 1e-3 * eps * size + 1e-12
        found: Any = ~(near | (own == other) | np.isnan(other))
    return found


def is_limit(ours: Derivatives, theirs: Derivatives, point: Any, place: int, where: Any, eps: float) -> bool:
    """Returns true if the derivatives beside the point are those of TensorFlow, and have one limit, which ours is."""
    rows = [ours.at(point if time == 0 else point + time * steps_of(point)) for time in TIMES]
    beside = Beside(rows[0][place], np.stack([row[place] for row in rows[1:]]), 1e-6)
    if not np.all((beside.is_known & ~beside.jumps & ~beside.is_off())[where]):
        return False
    if theirs.dtype == np.float32:
        # Its roundings are as large as these steps.
        return True
    for time, own in zip(TIMES[1:3], rows[1:3]):
        other = theirs.at(point + time * steps_of(point))
        if np.any(differs(own[place], other[place], 1e-3)[where] & (np.abs(own[place][where]) > 1e-9)):
            return False
    return True


def check(text: str) -> List[str]:
    dtype = np.dtype("float32" if any(word in text for word in NARROW) else "float64")
    eps = 1e-6 if dtype == np.float64 else 5e-4
    ours = Derivatives(flywheel.v1, text, dtype)
    try:
        theirs = Derivatives(tensorflow, text, dtype, ours.count)
    except (AttributeError, TypeError, LookupError) as error:
        # A function that TensorFlow has for other arguments, under another name or without a gradient.
        assert is_missing(text), f"{text}: TensorFlow: {type(error).__name__}: {str(error)[:200]}"
        return []
    wide = ours if dtype == np.float64 else None
    wrong = []
    for name, point in all_points().items():
        try:
            expected = theirs.at(point)
        except tensorflow.errors.InvalidArgumentError:
            # A singular matrix, whose determinant has derivatives.
            continue
        for place, (own, other) in enumerate(zip(ours.at(point), expected)):
            assert own.shape == other.shape, f"{text} at {name}: shapes {own.shape} and {other.shape}"
            bad = differs(own, other, eps)
            if not np.any(bad) or is_intended(f"{text} at {name}", place):
                continue
            wide = wide or Derivatives(flywheel.v1, text, np.dtype("float64"))
            if place and is_limit(wide, theirs, point, place, bad, eps):
                continue
            i = np.flatnonzero(bad)[:4]
            at = f" where x is {point.reshape(-1)[i].tolist()}" if own.size == point.size else ""
            wrong.append(f"{text} at {name}, {LABELS[place]}: {own[i].tolist()}, TensorFlow {other[i].tolist()}{at}")
    return wrong


def is_intended(text: str, place: int) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}", text) and place >= order for name, order in DIFFERENT.items())


def is_missing(text: str) -> bool:
    """Returns true for what TensorFlow 2.21 has not, or not with these arguments or this gradient."""
    return any(word in text for word in (
        "div_no_nan", "nth_element", "adjust_contrast", "sampled_softmax", "nce_loss", "clip_by_average_norm",
        "normalize_moments", "tf.maximum(0.0", "rnn(", "resize_area", "ctc_loss_v2", "contrib",
    ))  # fmt: skip


if __name__ == "__main__":
    tensorflow.disable_eager_execution()
    tensorflow.logging.set_verbosity(tensorflow.logging.FATAL)
    warnings.simplefilter("ignore")
    texts = [text for text in dict.fromkeys(text for forms in CASES.values() for text in forms)
             if not re.search(r"keras\.|\bK\.", text) and (len(sys.argv) < 2 or sys.argv[1] in text)]  # fmt: skip
    errors: List[str] = []
    for one in choose("odd points beside TensorFlow", texts, 0.2) if len(sys.argv) < 2 else texts:
        found = check(one)
        print("\n".join(found), end="\n" if found else "", flush=True)
        errors += found
    assert not errors, f"{len(errors)} differ"
