# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Gradients that exist and those that do not, gradients that programs write, and those of loops whose length a run
chooses, as in TensorFlow 1 (G1, G2, G15)."""

# mypy: disable-error-code="no-untyped-call"

import contextlib
import inspect
from typing import Any, Iterator, List, Tuple

import flywheel.v1
from beside_tensorflow import draw, program, run_all, tensorflow, values

# Arguments of functions, of which "x" stands for a tensor of floating-point numbers.
_ARGUMENTS: Tuple[List[Any], ...] = (
    ["x"], ["x", "x"], ["x", 2.0], ["x", 2], ["x", [2, 3]], ["x", "x", "x"], ["x", 0.0, 1.0], ["x", [0, 1]],
)  # fmt: skip
# Functions whose results have another gradient here: a permutation that is drawn has that of its elements,
# the gradient of x with respect to itself is made of its size, and incomplete gamma functions have one of x alone.
_OTHER = ("igamma", "igammac", "gradients", "hessians", "random_shuffle", "shuffle", "unique_with_counts", "unique")


def _has_gradients(tf: Any, function: Any, arguments: List[Any]) -> List[Any]:
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [2, 3])
    made = function(*[x if one == "x" else one for one in arguments])
    found = []
    for y in made if isinstance(made, (list, tuple)) else [made]:
        is_floating = "float" in str(getattr(y, "dtype", ""))
        found.append(is_floating and tf.gradients(y, x)[0] is not None)
    return found


def _refuses_in_run(function: Any, arguments: List[Any]) -> bool:
    """Returns true if TensorFlow takes these arguments, and every run of the result fails."""
    tensorflow.reset_default_graph()
    x = tensorflow.placeholder(tensorflow.float32, [2, 3])
    made = function(*[x if one == "x" else one for one in arguments])
    try:
        with tensorflow.Session() as session:
            session.run(made, {x: [[0.0, 1.0, 2.0], [1.0, 1.0, 0.0]]})
    except tensorflow.errors.InvalidArgumentError:
        return True
    return False


def _functions() -> Iterator[Tuple[str, Any, Any]]:
    for space in ("", "math", "nn", "metrics", "linalg"):
        one, other = (getattr(tf, space) if space else tf for tf in (flywheel.v1, tensorflow))
        for name in sorted(set(dir(one)) & set(dir(other)) - set(_OTHER)):
            own, theirs = getattr(one, name), getattr(other, name)
            if not name.startswith("_") and callable(own) and not inspect.isclass(own) and not inspect.isclass(theirs):
                yield f"{space}.{name}", own, theirs


# Functions that TensorFlow takes some of these arguments for, and flywheel.v1 does not.
_REFUSING = set((
    "assert_equal boolean_mask cast concat convert_to_tensor_or_indexed_slices cumprod cumsum custom_gradient diag "
    "diag_part get_collection global_variables local_variables matrix_diag_part matrix_transpose meshgrid "
    "model_variables moving_average_variables ones_like qr sequence_mask sigmoid_cross_entropy_with_logits "
    "softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2 stack svd swish tensor_diag to_float "
    "trace trainable_variables transpose unstack zeros_like"
).split())


def every_function() -> None:
    """Each function of tensors that both have gives a gradient in both, or in none (G2)."""
    compared, wrong = 0, []
    for name, own, theirs in _functions():
        for arguments in _ARGUMENTS:
            try:
                expected = _has_gradients(tensorflow, theirs, arguments)
            except Exception:  # noqa: BLE001, S112  # Not for these arguments.
                continue
            try:
                found = _has_gradients(flywheel.v1, own, arguments)
            except Exception as error:  # noqa: BLE001
                # Errors that TensorFlow finds in a run, such as weights of another shape, are errors of the graph here.
                if name.rpartition(".")[2] not in _REFUSING and not _refuses_in_run(theirs, arguments):
                    wrong.append(f"{name}{tuple(arguments)}: {type(error).__name__}: {error}")
                continue
            compared += 1
            if found != expected:
                wrong.append(f"{name}{tuple(arguments)}: {found}, expected {expected}")
    assert compared > 300, compared
    assert not wrong, "\n".join(wrong)


@program
def rounding(tf: Any) -> Any:
    w = tf.Variable([1.5, 2.5])
    made = [tf.round(w), tf.floor(w), tf.ceil(w), tf.rint(w), w // 2.0, 7.0 // w, tf.zeros_like(w), tf.ones_like(w),
            tf.py_func(lambda a: a * 2, [w], tf.float32), tf.nn.zero_fraction(w)]  # fmt: skip
    out: List[Any] = [tf.gradients(y, w)[0] is None for y in made]
    x = tf.constant([1.0, 2.0])
    out.append(tf.gradients(tf.assign_add(w, x * x), x)[0] is None)
    for y in made[:4]:
        try:
            tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
            out.append("no error")
        except ValueError as error:
            out.append(str(error).partition(",")[0])
    return [*out, values(tf, tf.gradients(tf.round(w) * w, w))]


@program
def weights_of_other_static_shapes(tf: Any) -> Any:
    x, w = tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.float32, [None, 1])
    own, none = tf.constant([[1.0], [2.0]]), tf.placeholder(tf.float32)
    made = [tf.gradients(x * x, x, grad_ys=own), tf.gradients(own * own, own, grad_ys=w),
            tf.gradients(x * x, x, grad_ys=none), tf.gradients(own * own, own, grad_ys=none)]  # fmt: skip
    found = values(tf, made, {x: [[3.0], [4.0]], w: [[5.0], [6.0]], none: [[7.0], [8.0]]})
    try:
        tf.gradients(own * own, own, grad_ys=tf.constant([[1.0, 2.0, 3.0]]))
        found.append("no error")
    except ValueError:
        found.append("ValueError")
    return found


@program
def selu_at_zero(tf: Any) -> Any:
    x = tf.constant([0.0, -1.0, 1.0, -30.0])
    return values(tf, [tf.nn.selu(x), tf.gradients(tf.nn.selu(x), x)[0]])


def _register(tf: Any, name: str, function: Any) -> str:
    with contextlib.suppress(KeyError):
        tf.RegisterGradient(name)(function)
    return name


@program
def registered(tf: Any) -> Any:
    graph, out = tf.get_default_graph(), []
    straight = _register(tf, "Straight", lambda op, grad: grad)
    scaled = _register(tf, "Scaled", lambda op, grad: grad * 10 * op.outputs[0] + op.inputs[0])
    guided = _register(tf, "Guided", lambda op, grad: tf.where(
        grad > 0.0, tf.where(op.outputs[0] > 0.0, grad, tf.zeros_like(grad)), tf.zeros_like(grad)))
    swapped = _register(tf, "Swapped", lambda op, grad: (grad * op.inputs[1] * 3.0, None))
    x, w = tf.placeholder(tf.float32, [None, 3]), tf.Variable(draw(3, 2))
    with graph.gradient_override_map({"Round": straight, "Sign": straight, "Square": scaled, "Mul": swapped}):
        out += [tf.gradients(f(x), x) for f in (tf.round, tf.sign, tf.square, lambda y: tf.square(tf.square(y)))]
        y = tf.multiply(x, 2.0 + x)
        out += [y, tf.gradients(y, x)]
    with graph.gradient_override_map({"Relu": guided}):
        out.append(tf.gradients(tf.nn.relu(tf.matmul(x, w)) * [1.0, -1.0], [x, w]))
    # Outside of the block, ops have their own.
    out += [tf.gradients(tf.square(x), x), tf.gradients(tf.round(x), x)[0] is None]
    found = values(tf, [one for one in out if not isinstance(one, bool)], {x: draw(2, 3) * 3})
    return [*found, [one for one in out if isinstance(one, bool)]]


@program
def overridden_identity(tf: Any) -> Any:
    """An identity with another gradient, as where a domain classifier reverses that of its features."""
    x, w = tf.constant(draw(2, 3)), tf.Variable(draw(3, 1))
    found = []
    for number, scale in enumerate((-0.5, 3.0)):
        name = f"Scaled{number}{tf.__name__}"
        tf.RegisterGradient(name)(lambda op, grad, scale=scale: grad * scale)
        with tf.get_default_graph().gradient_override_map({"Identity": name}):
            y = tf.identity(x * 2.0)
        found += [y, *tf.gradients(tf.matmul(tf.tanh(y), w), [x, w])]
    return values(tf, found)


@program
def own_functions(tf: Any) -> Any:
    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def log1pexp(x: Any) -> Any:
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def two(x: Any, y: Any) -> Any:
        def gradient(da: Any, db: Any) -> Any:
            return da * 2.0 + y, db * x

        return [x * y, x + y], gradient

    x, y = tf.constant([100.0, -1.0]), tf.constant([2.0, 3.0])
    a, b = two(x, y)
    return values(tf, [log1pexp(x), tf.gradients(log1pexp(x), x), a, b, tf.gradients([a, b * b], [x, y])])


@program
def loops_of_fed_lengths(tf: Any) -> Any:
    n, top, w = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, []), tf.Variable([2.0, 0.5])
    counted = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * w + 1.0), [0, w])[1]
    grown = tf.while_loop(lambda y: y < top, lambda y: y * w[0], [1.0])
    both = [counted, grown, *tf.gradients(counted, w), *tf.gradients(grown, w)]
    return [values(tf, both, {n: a, top: b}) for a, b in ((5, 20.0), (0, 0.0), (1, 3000.0))]


if __name__ == "__main__":
    run_all()
    if tensorflow is not None:
        every_function()
