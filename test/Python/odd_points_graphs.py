# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G20, X16: derivatives of every public function of `flywheel.v1` and `flywheel.keras` up to the third order, at zeros,
ties, equal rows, saturated, large and tiny numbers, beside those near these points (odd_limits.py); of f16 and bf16
beside f32; and of no rows. A function without a case in odd_point_graph_cases.py fails."""

import math
import re
import sys
from typing import Any, Callable, Dict, List, NamedTuple

import ml_dtypes
import numpy as np

import flywheel as fw
import flywheel.keras as keras
import flywheel.v1 as tf
from flywheel.keras import backend as K
from odd_limits import TIMES, compare, differences, directions, points, steps_of
from odd_point_graph_cases import CASES, COMPOSED, NOT_CONTINUOUS, NOT_DIFFERENTIATED, SELECTS
from selection import choose

LABELS = ["value", "directional derivative", "first", "second", "third"]
MATRIX = np.random.default_rng(2).uniform(0.3, 1.7, (4, 4))
# Units in the last place of the largest number of a value and of a derivative, which elements are within of f32's.
ULPS = 8


def names_of(tf: Any, keras: Any, x: Any) -> Dict[str, Any]:
    """Returns the names that an expression may use."""
    m = MATRIX.astype(x.dtype if isinstance(x.dtype, np.dtype) else x.dtype.as_numpy_dtype)

    def rnn(make: Callable[[], Any]) -> Any:
        with tf.variable_scope("rnn", initializer=tf.ones_initializer(), dtype=x.dtype):
            return make()

    return {"tf": tf, "K": keras.backend, "keras": keras, "np": np, "x": x, "m": m, "im": tf.reshape(x, [1, 4, 4, 1]),
            "eye": np.eye(4, dtype=m.dtype), "p": (m * 0.3).astype(m.dtype),
            "cell": lambda: tf.nn.rnn_cell.BasicRNNCell(2), "seq": tf.reshape(x, [2, 4, 2]), "rnn": rnn,
            "spd": tf.matmul(x, x, transpose_b=True) + 4 * np.eye(4, dtype=m.dtype)}  # fmt: skip


class Graph(NamedTuple):
    """A function and its derivatives."""

    x: Any
    along: Any
    # The value, the directional derivative, and gradients up to the third order along the direction.
    fetches: List[Any]
    # The second order, as rows of second derivatives.
    hessian: List[Any]
    noise: float


def build(text: str, dtype: Any, orders: int = 3) -> Graph:
    K.clear_session()
    # Keras 2 has no bfloat16 by default; its functions take tensors of it.
    K.set_floatx("float32" if np.dtype(dtype) == fw.bfloat16 else np.dtype(dtype).name)
    tf.reset_default_graph()
    x, along = tf.placeholder(dtype, [4, 4]), tf.placeholder(dtype, [4, 4])
    y = tf.convert_to_tensor(eval(text, names_of(tf, keras, x)))
    noise = 1e-8 if y.dtype == tf.float64 else 1e-5
    flat = tf.reshape(y if y.dtype == dtype else tf.cast(y, dtype), [-1])
    size = math.prod(int(n or 0) for n in y.shape.as_list())
    cotangent = tf.placeholder_with_default(np.linspace(1, 1.5, size).astype(dtype), [size])
    slope = tf.gradients(flat, x, cotangent)[0]
    if slope is None:
        # Rounding, for one, has no gradient (G2).
        return Graph(x, along, [flat, tf.zeros_like(flat), tf.zeros_like(x)], [], noise)
    forward = tf.gradients(tf.reduce_sum(slope * along), cotangent)[0]
    fetches, hessian = [flat, forward, slope], []
    for order in range(2, orders + 1):
        slope = tf.gradients(tf.reduce_sum(slope * along), x)[0]
        if slope is None:
            break
        fetches.append(slope)
        if order == 2:
            rows = tf.hessians(tf.reduce_sum(flat * cotangent), x)[0]
            hessian = [tf.tensordot(rows, along, 2)]
    return Graph(x, along, fetches, hessian, noise)


def is_one_of(words: List[str], text: str) -> bool:
    return any(re.search(rf"\b{word}\b", text) for word in words)


def check(text: str) -> List[str]:
    """Beside what is near, of f64."""
    graph = build(text, np.dtype("float64"))
    wrong: List[str] = []
    selects, jumps = is_one_of(SELECTS, text), is_one_of(NOT_CONTINUOUS, text)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())

        def run(point: Any, *more: Any) -> Any:
            fed = session.run([*graph.fetches, *more], {graph.x: point, graph.along: directions()})
            return [np.asarray(one, np.float64) for one in fed]

        for name, point in points().items():
            # The sign of a zero is the point's.
            rows = [run(point if time == 0 else point + time * steps_of(point)) for time in TIMES]
            by_element = np.size(rows[0][0]) == point.size and not selects
            found, is_smooth = compare(rows, LABELS, by_element, selects, graph.noise)
            found = [] if jumps else found
            if is_smooth and not jumps:
                found += agree(run(point, *graph.hessian), len(graph.fetches), graph.noise)
            wrong += [f"{text} at {name}, {line}" for line in found]
        if graph.noise < 1e-6:
            wrong += [f"{text}: {line}" for line in differences(run, LABELS)]
    return wrong


def agree(results: List[Any], count: int, noise: float) -> List[str]:
    """Returns the differences between modes."""
    value, forward, first, *rest = results
    with np.errstate(all="ignore"):
        weights, along = np.linspace(1, 1.5, value.size), directions()
        pairs = [("forward and reverse", np.sum(weights * forward), np.sum(first * along),
                  np.sum(np.abs(first * along)) + np.sum(np.abs(forward)))]  # fmt: skip
        if count > 3:
            size = np.max(np.abs(rest[0]), initial=0.0)
            pairs.append(("hessians and gradients of gradients", results[count], rest[0], size))
        return [f"{what}: {np.ravel(a).tolist()} and {np.ravel(b).tolist()}" for what, a, b, size in pairs
                if np.isfinite(size) and np.any((np.abs(a - b) > noise * (1 + size)) & np.isfinite(b))]  # fmt: skip


def check_narrow(text: str, dtype: Any) -> List[str]:
    """Beside f32 at the same points."""
    found: Dict[str, List[Any]] = {}
    wide = np.dtype("float32")
    near = {name: point.astype(dtype) for name, point in points().items() if name not in WIDE_POINTS}
    for kind in (dtype, wide):
        graph = build(text, kind, 1)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            way = directions().astype(dtype).astype(kind)
            found[kind.name] = [session.run(graph.fetches[:3], {graph.x: point.astype(kind), graph.along: way})
                                for point in near.values()]  # fmt: skip
    info, wrong = ml_dtypes.finfo(dtype), []
    for name, narrow, exact in zip(near, found[dtype.name], found["float32"]):
        most = np.max(np.abs(exact[0]), initial=0.0, where=np.isfinite(exact[0]))
        for label, a, b in zip(LABELS, narrow, exact):
            a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
            with np.errstate(all="ignore"):
                size = max(most, 1e-3, np.max(np.abs(b), initial=0.0, where=np.isfinite(b)))
                is_wrong = np.isfinite(b) & ~(np.abs(a - b) <= ULPS * (float(info.eps) * size + float(info.tiny)))
            if size < float(info.max) / 4 and np.any(is_wrong):
                i = np.flatnonzero(is_wrong.reshape(-1))[0]
                wrong.append(f"{text} of {dtype} at {name}, {label}: {a.reshape(-1)[i]}, f32 {b.reshape(-1)[i]}")
    return wrong


def takes_narrow(text: str, dtype: Any) -> bool:
    """Returns false for what rounds between functions, for complex numbers, of which none is narrow, and for layers of
    bf16, of which Keras 2 has no weights."""
    if any(inner in text for inner in ("tf.sigmoid(x)", "tf.nn.softmax(x))", "tf.complex(")):
        return False
    return not is_one_of(COMPOSED, text) and not (dtype == fw.bfloat16 and "layers" in text)


# Points at which f16 has no numbers, or a step as large as the number.
WIDE_POINTS = ("large numbers", "tiny numbers", "small numbers", "tiny and saturated numbers")


def check_empty(text: str) -> List[str]:
    """The derivative of no numbers: it has their shape, or the function refuses them in words of its own."""
    shape = (0, 4)
    K.clear_session()
    K.set_floatx("float64")
    tf.reset_default_graph()
    x = tf.placeholder(tf.float64, [None, 4])
    try:
        y = eval(text, names_of(tf, keras, x))
        total = tf.reduce_sum(tf.convert_to_tensor(y))
        first = tf.gradients(total, x)[0]
        if first is None:
            return []
        second = tf.gradients(tf.reduce_sum(first), x)[0]
        fetches = [first] if second is None else [first, second]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = session.run(fetches, {x: np.zeros(shape)})
    except (ValueError, NotImplementedError, tf.errors.InvalidArgumentError, TypeError) as error:
        return [] if not isinstance(error, TypeError) else [f"{text} of no rows: TypeError: {error}"]
    return [f"{text} of no rows: shape {one.shape}" for one in found if np.shape(one) != shape]


def find_missing() -> List[str]:
    """Public functions of tensors without a case."""
    spaces = {"tf": tf, "nn": tf.nn, "math": tf.math, "linalg": tf.linalg, "losses": tf.losses, "image": tf.image,
              "crf": tf.contrib.crf, "K": K, "activations": keras.activations, "keras.losses": keras.losses,
              "layers": keras.layers,
              "constraints": keras.constraints, "regularizers": keras.regularizers}  # fmt: skip
    functions = {name: getattr(spaces[name.rpartition(".")[0]], name.rpartition(".")[2]) for name in CASES}
    missing = []
    for space, module in spaces.items():
        left_out = NOT_DIFFERENTIATED.get(space, "").split()
        for name in getattr(module, "__all__", None) or dir(module):
            value = getattr(module, name, None)
            is_ours = str(getattr(value, "__module__", "")).startswith("flywheel")
            if name.startswith("_") or not callable(value) or not is_ours or name in left_out:
                continue
            # Another name of a function that has a case, or which may not have one.
            if not any(value is one for one in functions.values()) and name not in NOT_DIFFERENTIATED["tf"].split():
                missing.append(f"{space}.{name}")
    return missing


def main() -> None:
    missing = find_missing()
    assert not missing, f"no case in odd_point_graph_cases.py: {', '.join(missing)}"
    assert set(SELECTS) | set(NOT_CONTINUOUS) <= set(re.findall(r"\w+", str(CASES))), "words of no case"
    checks: List[Any] = []
    narrow = [np.dtype("float16"), fw.bfloat16]
    for text in dict.fromkeys(text for forms in CASES.values() for text in forms):
        checks.append((text, check, ()))
        checks += [(text, check_narrow, (dtype,)) for dtype in narrow if takes_narrow(text, dtype)]
        checks.append((text, check_empty, ()))
    chosen = [one for one in checks if len(sys.argv) < 2 or sys.argv[1] in f"{one[1].__name__} {one[0]}"]
    wrong: List[str] = []
    for text, function, more in choose("odd points of graphs", chosen, 0.06):
        try:
            found = function(text, *more)
        except Exception as error:
            found = [f"{function.__name__} {more} of {text}: {type(error).__name__}: {str(error)[:300]}"]
        if found:
            print("\n".join(found), flush=True)
        wrong += found
    assert not wrong, f"{len(wrong)} wrong"


if __name__ == "__main__":
    main()
