# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, tensorflow
# RUN: env FLYWHEEL_CACHE= TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""G20, X16: values of `flywheel.v1.distributions` and derivatives by all parameters, first and second, in tails, at
ends of the support, at saturated and equal parameters, are TensorFlow's wherever TensorFlow has numbers."""

import warnings
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

import flywheel.v1
from beside_tensorflow import tensorflow

REAL = [-1e3, -40.0, -6.0, -1.0, -0.0, 0.0, 1e-8, 0.5, 1.0, 2.0, 6.0, 40.0, 1e3]
POSITIVE = [1e-8, 0.5, 1.0, 2.0, 3.0, 40.0, 1e3]
SHARES = [0.0, 1e-8, 0.25, 0.5, 1 - 1e-8, 1.0]
LOGITS = [-1e3, -40.0, -1.0, 0.0, 1.0, 40.0, 1e3]
TAILS = "log_prob prob cdf log_cdf survival_function log_survival_function"
MOMENTS = "entropy mean variance stddev mode"

# A distribution of parameters a, b and c, their values, those of what is asked, and the functions with and without it.
CASES: Dict[str, Tuple[Sequence[Sequence[float]], Sequence[float], str, str]] = {
    "Normal(a, b)": ([[0.0, 1.0, -2.0], [0.5, 1.0, 3.0]], REAL, TAILS, MOMENTS),
    "Laplace(a, b)": ([[0.0, 1.0, -2.0], [0.5, 1.0, 3.0]], REAL, TAILS, "entropy mean variance stddev"),
    "StudentT(a, b, c)": ([[0.5, 1.0, 2.0, 3.0], [0.0, 1.0], [0.5, 2.0]], REAL, "log_prob prob", "entropy mean"),
    "Uniform(a, b)": ([[0.0, -1.0], [1.0, 2.0]], REAL, "log_prob prob cdf log_cdf", "entropy mean variance stddev"),
    "Exponential(a)": ([[0.5, 1.0, 3.0]], [0.0, *POSITIVE], TAILS, "entropy mean variance mode"),
    "Gamma(a, b)": ([[0.5, 1.0, 2.0, 3.0], [0.5, 1.0, 3.0]], [0.0, *POSITIVE], "log_prob prob",
                    "entropy mean variance mode"),
    "Beta(a, b)": ([[0.5, 1.0, 2.0], [0.5, 1.0, 3.0]], SHARES, "log_prob prob", "entropy mean variance mode"),
    "Bernoulli(logits=a, dtype=tf.float64)": ([LOGITS], [0.0, 1.0], "log_prob prob", "entropy mean variance"),
    "Bernoulli(probs=a, dtype=tf.float64)": ([SHARES], [0.0, 1.0], "log_prob prob", "entropy mean variance"),
}  # fmt: skip
# Intended differences: TensorFlow takes 0 at the corner of a Laplace distribution and at the end of a uniform one, and
# has a number for the density of a beta distribution where its logarithm is NaN.
DIFFERENT = {("Laplace", "log_cdf"), ("Laplace", "log_survival_function"), ("Uniform", "cdf"), ("Uniform", "log_cdf"),
             ("Beta", "log_prob"), ("Beta", "prob")}  # fmt: skip


def derivatives(tf: Any, text: str, method: str, arguments: Sequence[Any], count: int) -> Dict[str, Any]:
    """Returns the value and the derivatives that there are, by the places of the arguments."""
    tf.reset_default_graph()
    given = [tf.placeholder(tf.float64, [None]) for _ in arguments]
    made = eval(f"tf.distributions.{text}", {"tf": tf, **dict(zip("abc", given[:count]))})
    value = tf.convert_to_tensor(getattr(made, method)(*given[count:]))
    fetches = {"": value}
    for i, first in enumerate(tf.gradients(value, given)):
        if first is None:
            continue
        fetches[str(i)] = first
        try:
            seconds = tf.gradients(first, given)
        except LookupError:
            # TensorFlow has no derivative of that one.
            continue
        fetches.update({f"{i}{j}": second for j, second in enumerate(seconds) if second is not None})
    with tf.Session() as session:
        found = session.run(fetches, dict(zip(given, arguments)))
    return {word: np.broadcast_to(one, arguments[0].shape) for word, one in found.items()}


def check(text: str, method: str, arguments: Sequence[Any], count: int) -> List[str]:
    try:
        theirs = derivatives(tensorflow, text, method, arguments, count)
    except (TypeError, NotImplementedError):
        # TensorFlow mixes its dtypes there.
        return []
    ours = derivatives(flywheel.v1, text, method, arguments, count)
    wrong = []
    for word, other in theirs.items():
        own = ours.get(word, np.zeros_like(other))
        if word and (text.partition("(")[0], method) in DIFFERENT:
            continue
        with np.errstate(all="ignore"):
            bad = ~((np.abs(own - other) <= 1e-6 * np.abs(other) + 1e-7) | (own == other) | np.isnan(other))
        wrong += [f"{text}.{method}, {word!r} at {[float(x[i]) for x in arguments]}: {own[i]}, TensorFlow {other[i]}"
                  for i in np.flatnonzero(bad)[:2]]  # fmt: skip
    return wrong


def main() -> None:
    wrong: List[str] = []
    for text, (parameters, points, with_point, without) in CASES.items():
        for method in [*with_point.split(), *without.split()]:
            lists = [*parameters, *([points] if method in with_point.split() else [])]
            arguments = [grid.ravel() for grid in np.meshgrid(*lists)]
            wrong += check(text, method, arguments, len(parameters))
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    tensorflow.disable_eager_execution()
    tensorflow.logging.set_verbosity(tensorflow.logging.FATAL)
    warnings.simplefilter("ignore")
    main()
