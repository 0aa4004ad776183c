# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""`flywheel.math.optimizer.levenberg_marquardt` with the numbers of TensorFlow Graphics' method (L1 to L11)."""

from typing import Any, List

import numpy as np

import flywheel as fw
from configurations import raises
from flywheel.math.optimizer import levenberg_marquardt

T = np.arange(4.0)
Y = 2 * np.exp(-T / 2)


def curve(a: Any, b: Any) -> Any:
    return a * fw.exp(b * T) - Y


# L1, L4, L11: the worked example; the objective of each iteration.
start = [np.array(1.0), np.array(0.0)]
seen: List[Any] = []
objective, (a, b) = levenberg_marquardt.minimize(
    curve, start, 3, callback=lambda i, o, v: seen.append((i, float(o), float(v[0]), float(v[1])))
)
np.testing.assert_allclose([s[1] for s in seen], [0.0162869903, 3.7871248e-06, 5.67e-12], rtol=1e-3)
np.testing.assert_allclose([s[2:] for s in seen], [[1.8695483519, -0.5138521476], [1.9999548480, -0.4988073709],
                                                   [1.9999996551, -0.4999984628]], rtol=1e-9)  # fmt: skip
assert [s[0] for s in seen] == [1, 2, 3] and start[0] == 1
objective, (a, b) = levenberg_marquardt.minimize([curve], start, max_iterations=3)
np.testing.assert_allclose([a, b], [1.9999996551, -0.4999984628], rtol=1e-9)
raises(ValueError, "'max_iterations' needs to be at least 1", lambda: levenberg_marquardt.minimize(curve, start, 0))



def halved_squares(residuals: Any) -> float:
    return float(fw.function(lambda: 0.5 * fw.sum(residuals() * residuals()))())


assert np.isclose(halved_squares(lambda: curve(1.0, fw.constant(np.zeros(())))), 0.7109230635, rtol=1e-9)

# L5: rejections. A candidate is where the linear residual at x is least, which one iteration finds.
for damping, worse in ((1e-3, 0.8253589025), (1e-2, 0.6964273828)):
    _, (c,) = levenberg_marquardt.minimize(lambda x: np.arctan(2.0) + 0.2 * (x - 2.0), np.array(2.0), 1, damping)
    assert np.isclose(halved_squares(lambda c=c: fw.arctan(fw.constant(c))), worse, rtol=1e-9)
path: List[Any] = []
levenberg_marquardt.minimize(fw.arctan, np.array(2.0), 5, 1e-3, 10.0, lambda i, o, v: path.append((float(o), v[0])))
np.testing.assert_allclose([o for o, _ in path[:3]], [0.6128891417, 0.6128891417, 0.0784999858], rtol=1e-9)
np.testing.assert_allclose([x for _, x in path], [2, 2, 0.4183589746, 0.0092600635, 0.0008414740], rtol=1e-7)

# L6, L7: linear, over- and underdetermined; x of any shape.
V = np.array([1.0, 3, 4, 8])


def line(c: Any) -> Any:
    return c[0] + c[1] * T - V


for damping, expected, value in ((1e-20, [0.7, 2.2], 0.9), (1.0, [0.76923077, 2.02564103], 1.0499671269)):
    objective, (c,) = levenberg_marquardt.minimize(line, np.zeros(2), 1, damping)
    np.testing.assert_allclose(c, expected, rtol=1e-7)
    assert np.isclose(objective, value)


def under(x: Any) -> Any:
    return x[0, 0] + 2.0 * x[0, 1] - 3.0


for damping, found in ((1e-20, [[0.6, 1.2]]), (0.5, [[0.5454545455, 1.0909090909]])):
    _, (c,) = levenberg_marquardt.minimize(under, np.zeros((1, 2)), 1, damping)
    np.testing.assert_allclose(c, found, rtol=1e-9)

# L2, L8, L9, L10: one iteration for each batch, over variables; they are assigned.
p, q = fw.Variable(np.array(1.0), name="a"), fw.Variable(np.array(0.0), name="b")


@fw.function
def step(t: Any, y: Any) -> Any:
    loss, _ = levenberg_marquardt.minimize(lambda a, b: p * fw.exp(b * t) - y, [p, q], 1, 0.1)
    return loss


for rows, old, value, x in (((0, 1, 3), 0.6760113794, 0.0202129353, (1.8133102182, -0.4654850091)),
                            ((0, 2, 3), 0.0176502132, 0.0001565533, (1.9824401373, -0.4970750855)),
                            ((0, 1, 3), 0.0001795823, 0.0000012985, (1.9984597619, -0.4994526114))):  # fmt: skip
    part = np.array(rows)
    at: Any = lambda part=part: p * fw.exp(q * T[part]) - Y[part]  # noqa: E731
    assert np.isclose(halved_squares(at), old, rtol=1e-6)
    assert np.isclose(step(T[part], Y[part]), value, rtol=1e-4)
    np.testing.assert_allclose([p.numpy(), q.numpy()], x, rtol=1e-9)

# L3: a matrix without a factor is an error of a traced step, else a rejected iteration.
objective, (c,) = levenberg_marquardt.minimize(lambda x: x[0] * 0.0 + V, np.ones(2), 2, 0.0)
assert c.tolist() == [1, 1]


@fw.function
def fails(x: Any) -> Any:
    return levenberg_marquardt.minimize(lambda z: z[0] * 0.0 + V, x, 2, 0.0)[0]


raises(Exception, "Cholesky decomposition was not successful", lambda: fails(np.ones(2)))

# L1: numbers that the op refuses are refused where they are fed, too, and a start that is not of real numbers.
for number in (-0.5, np.nan, np.inf):
    raises(ValueError, "expected a regularizer of at least 0",
           lambda number=number: levenberg_marquardt.minimize(curve, start, 1, number))  # type: ignore[misc]
    raises(ValueError, "expected a regularizer_multiplier of at least 1",
           lambda number=number: levenberg_marquardt.minimize(curve, start, 1, 0.1, number))  # type: ignore[misc]
raises(ValueError, "expected max_iterations of at most", lambda: levenberg_marquardt.minimize(curve, start, 2**63))
raises(TypeError, "expected real numbers to start from, found an array of dtype complex128",
       lambda: levenberg_marquardt.minimize(fw.sin, np.ones(2, np.complex128), 1))
raises(ValueError, "expected a function of residuals, found none", lambda: levenberg_marquardt.minimize([], start, 1))
raises(ValueError, "expected values with elements to minimize over, found 'tensor<0xf64>'",
       lambda: levenberg_marquardt.minimize(fw.sin, np.zeros(0), 1))
called = fw.function(lambda x: levenberg_marquardt.minimize(fw.sin, x, 1, callback=print))
raises(ValueError, "outside of traced functions only", lambda: called(np.ones(2)))
