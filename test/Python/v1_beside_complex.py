# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Complex numbers and Fourier transforms as in TensorFlow 1 (X49)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, List

import numpy as np

from beside_tensorflow import caught, draw, program, run_all


def _numbers(*shape: int) -> Any:
    return (draw(*shape) + 1j * draw(*shape, 2)[..., 1]).astype(np.complex64)


def _real(values: Any) -> List[Any]:
    """Complex arrays as their parts, with their dtype."""
    found: List[Any] = []
    for one in values:
        array = np.asarray(one)
        found += [str(array.dtype), array.real, array.imag] if array.dtype.kind == "c" else [one]
    return found


def _run(tf: Any, fetches: List[Any], feed: Any = None) -> List[Any]:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return _real(session.run(fetches, feed))


@program
def arithmetic(tf: Any) -> Any:
    a, b = tf.constant(_numbers(2, 3)), tf.placeholder(tf.complex64, [None, 3])
    z = tf.complex(tf.constant([1.0, -2.0, 0.0]), [0.5, 0.0, 0.0])
    made = [
        a + b, a - b, a * b, a / b, -a, a * (2.0 - 1.0j), 3.0 * b, tf.add(a, b), tf.multiply(a, z), tf.conj(a),
        tf.abs(b), tf.angle(b), tf.real(a), tf.imag(a), tf.square(b), tf.exp(a), tf.log(b), tf.sqrt(b), tf.abs(z),
        tf.angle(z), tf.matmul(a, tf.transpose(b)), tf.matmul(a, b, adjoint_b=True),
        tf.matmul(a, b, transpose_a=True),
        tf.reduce_sum(a), tf.reduce_mean(b, 1), tf.reshape(a, [3, 2]), tf.concat([a, b], 0), tf.stack([a, b]),
        tf.expand_dims(z, 0), a[1, ::2], tf.transpose(a), tf.cast([1.0, 2.0], tf.complex64), tf.identity(b),
        *tf.unstack(a), *tf.split(a, 3, 1), tf.shape(b), tf.size(a), tf.rank(a), tf.gather(a, [1, 0]), tf.real([1.0]),
        tf.conj([2.0]), tf.cast(a, tf.complex128), tf.squeeze(tf.reshape(a, [1, 6, 1])), tf.zeros_like(a),
    ]  # fmt: skip
    return [*_run(tf, made, {b: _numbers(2, 3)[::-1]}), a.dtype.name, b.dtype.is_complex, a.dtype.real_dtype.name,
            a.shape.as_list(), b.get_shape().as_list()[1:], tf.complex64 == np.complex64]  # fmt: skip


@program
def transforms(tf: Any) -> Any:
    found: List[Any] = []
    for n in (1, 2, 5, 8, 12, 150):
        z, x = tf.constant(_numbers(2, n)), tf.constant(draw(3, n))
        made = [tf.fft(z), tf.ifft(z), tf.spectral.rfft(x), tf.signal.rfft(x, [n + 3]),
                tf.signal.fft(tf.signal.ifft(z))]  # fmt: skip
        if n > 1:
            made += [tf.spectral.irfft(z), tf.spectral.irfft(tf.spectral.rfft(x), [n])]
        found += _run(tf, made)
    z, x = tf.constant(_numbers(2, 3, 4)), tf.placeholder(tf.float32, [None, None, None])
    made = [tf.fft2d(z), tf.ifft2d(z), tf.signal.fft3d(z), tf.signal.ifft3d(z), tf.signal.rfft2d(x), tf.signal.rfft(x),
            tf.signal.irfft2d(tf.signal.rfft2d(x)),
            tf.signal.rfft2d(x, [6, 5]), tf.signal.irfft2d(z, [3, 7])]  # fmt: skip
    return found + _run(tf, made, {x: draw(2, 4, 6)}) + _run(tf, made[4:6], {x: draw(1, 3, 5)})


@program
def gradients(tf: Any) -> Any:
    x = tf.Variable(draw(2, 10))
    spectrum = tf.signal.rfft(x)
    power = tf.square(tf.abs(spectrum))
    smooth = tf.signal.irfft(spectrum * tf.cast(tf.exp(-tf.range(6.0)), tf.complex64))
    z = tf.complex(x, tf.sin(x))
    losses = [tf.reduce_sum(tf.log(power + 1.0)), tf.reduce_sum(smooth**3), tf.reduce_sum(tf.abs(tf.fft(z)) ** 1.5),
              tf.reduce_sum(tf.real(z / (z + 2.0)) + tf.imag(tf.exp(z) * tf.conj(z))),
              tf.reduce_sum(tf.abs(tf.fft2d(z)))]
    step = tf.train.GradientDescentOptimizer(0.01).minimize(losses[0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([*losses, *[tf.convert_to_tensor(tf.gradients(one, x)[0]) for one in losses]])
        return [*found, *[session.run([losses[0], step])[0] for _ in range(5)]]


@program
def spectrograms(tf: Any) -> Any:
    found: List[Any] = []
    x = tf.placeholder(tf.float32, [None, 50])
    for length, step, count, pads in ((16, 8, None, False), (10, 5, 16, True), (12, 4, None, False)):
        stfts = tf.signal.stft(x, length, step, count, pad_end=pads)
        window = tf.signal.inverse_stft_window_fn(step)
        made = [tf.abs(stfts), tf.real(stfts), tf.signal.inverse_stft(stfts, length, step, count),
                tf.signal.inverse_stft(stfts, length, step, count, window_fn=window)]  # fmt: skip
        found += _run(tf, made, {x: draw(2, 50)})
        found.append(stfts.shape.as_list()[1:])
    return found


@program
def names(tf: Any) -> Any:
    """Texts that NumPy takes for complex dtypes are names and values."""
    made = [tf.placeholder_with_default(1.0, [], "D"), tf.constant(2.0, name="F"), tf.cast([1, 2], tf.float32, "c8"),
            tf.constant("complex64"), tf.constant(["D"])]  # fmt: skip
    return [*_run(tf, made), tf.placeholder(tf.float32, [2], "D").op.name, tf.placeholder(tf.float32, name="F").op.name]


@program
def refused(tf: Any) -> Any:
    a, b = tf.constant(_numbers(2, 3)), tf.constant(draw(2, 3))
    actions = [lambda: a + b, lambda: b * a, lambda: tf.complex(b, tf.constant(1.0, tf.float64)), lambda: tf.fft(b),
               lambda: tf.signal.rfft(a), lambda: bool(a), lambda: tf.nn.relu(a), lambda: tf.fft2d(a[0])]  # fmt: skip
    return [isinstance(caught(one), str) for one in actions]


if __name__ == "__main__":
    run_all()
