# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""`tf.signal` of real signals, and images of another size by all methods, and incomplete gamma functions, as in
TensorFlow (X49)."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any, List

import numpy as np

from beside_tensorflow import caught, draw, program, run_all, values


@program
def transforms(tf: Any) -> Any:
    x = tf.Variable(draw(2, 3, 8))
    found: List[Any] = []
    for kind in (1, 2, 3, 4):
        found += [tf.signal.dct(x, kind), tf.signal.idct(x, kind)]
        found += [tf.signal.dct(x, kind, n=5), tf.signal.dct(x, kind, n=11)]
        if kind > 1:
            found += [tf.signal.dct(x, kind, norm="ortho"), tf.signal.idct(x, kind, norm="ortho")]
    found += tf.gradients(tf.reduce_sum(found[4] ** 2), x)
    found.append(tf.signal.mfccs_from_log_mel_spectrograms(x))
    wrong = [lambda: tf.signal.dct(x, 5), lambda: tf.signal.dct(x, 2, norm="unit"),
             lambda: tf.signal.dct(x, 1, norm="ortho"), lambda: tf.signal.dct(x, 2, axis=0),
             lambda: tf.signal.dct(x, 2, n=0)]  # fmt: skip
    return [*values(tf, found), *map(caught, wrong)]


@program
def frames(tf: Any) -> Any:
    x, y = tf.Variable(draw(2, 20)), tf.placeholder(tf.float32, [None, None])
    found: List[Any] = []
    for one in (x, y):
        found += [tf.signal.frame(one, 6, 3), tf.signal.frame(one, 5, 7), tf.signal.frame(one, 6, 4, pad_end=True),
                  tf.signal.frame(one, 7, 3, pad_end=True, pad_value=2.0), tf.signal.frame(one, 2, 1, axis=0),
                  tf.signal.frame(one, 25, 3)]  # fmt: skip
    found += tf.gradients(tf.reduce_sum(found[0] ** 2), x)
    z, open_ = tf.constant(draw(2, 4, 6)), tf.placeholder(tf.float32, [None, None, None])
    found += [tf.signal.overlap_and_add(z, 3), tf.signal.overlap_and_add(z, 6), tf.signal.overlap_and_add(z[0], 2),
              tf.signal.overlap_and_add(open_, 3), *tf.gradients(tf.signal.overlap_and_add(z, 2) ** 2, z)]  # fmt: skip
    return values(tf, found, {y: draw(2, 21), open_: draw(2, 3, 5)})


@program
def windows(tf: Any) -> Any:
    found: List[Any] = []
    for one in (tf.signal.hann_window, tf.signal.hamming_window):
        found += [one(n, periodic) for n in (1, 2, 7, 8) for periodic in (True, False)] + [one(6, dtype=tf.float64)]
    mel = tf.signal.linear_to_mel_weight_matrix
    found += [mel(), mel(10, 33, 16000, 80.0, 7600.0)]
    return [*values(tf, found), caught(lambda: tf.signal.hann_window(4, dtype=tf.int32))]


@program
def sizes(tf: Any) -> Any:
    """Images of other sizes."""
    x, found = tf.Variable(draw(2, 5, 7, 2)), []
    for method in range(4):
        for align in (False, True) if method < 3 else (False,):
            found += [tf.image.resize_images(x, size, method, align_corners=align)
                      for size in ([10, 14], [3, 4], [5, 7], [7, 3], [1, 1])]  # fmt: skip
    found += [tf.image.resize_bicubic(x, [4, 9]), tf.image.resize_area(x, [2, 3]),
              tf.image.resize_images(x, [20, 20], preserve_aspect_ratio=True),
              tf.image.resize_images(x, [4, 30], 2, preserve_aspect_ratio=True)]  # fmt: skip
    found += tf.gradients(tf.reduce_sum(tf.image.resize_bicubic(x, [4, 9]) ** 2), x)
    fed = tf.placeholder(tf.int32, [2])
    found += [tf.image.resize_bicubic(x, fed), tf.image.resize_area(np.arange(12).reshape(1, 3, 4, 1), fed)]
    return values(tf, found, {fed: [4, 3]})


@program
def incomplete_gammas(tf: Any) -> Any:
    rng = np.random.RandomState(0)
    a = np.concatenate([10.0 ** rng.uniform(-2, 4, 300), [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 1e5]])
    x = np.concatenate([a[:150] * 10.0 ** rng.uniform(-1, 1, 150), 10.0 ** rng.uniform(-3, 3, 150),
                        [0.0, 0.0, 1.0, np.inf, -1.0, 1e-30, 1e5]])  # fmt: skip
    found: List[Any] = []
    for kind, count in ((np.float64, 307), (np.float32, 306)):
        # TensorFlow's float32 is off by 2 % at the last one.
        b, y = tf.constant(a[:count].astype(kind)), tf.constant(x[:count].astype(kind))
        found += [tf.igamma(b, y), tf.math.igammac(b, y), tf.gradients(tf.igamma(b, y)[:300], y)[0][:300],
                  tf.gradients(tf.igammac(b, y)[:300], y)[0][:300], tf.igamma(b[:3], 2.0)]  # fmt: skip
    return values(tf, found)


if __name__ == "__main__":
    run_all()
