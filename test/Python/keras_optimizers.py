# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""The backend and the optimizers of Keras: state (S6, S7), functions (R5 to R7, R9, R10), and the numbers of each
optimizer (O1 to O14, O29)."""

from functools import partial
from typing import Any, List

import numpy as np

import flywheel.v1 as tf
from configurations import raises
from flywheel.keras import backend as K
from flywheel.keras import constraints, layers, models, optimizers

# S6, S7: variables have values when they are needed, and are each their own.
a, b = K.zeros((2,)), K.zeros((2,))
assert K.eval(K.zeros((3, 4))).sum() == 0
K.function([], [], [K.update(a, [1.0, 2.0])])([])
assert K.get_value(a).tolist() == [1, 2] and K.get_value(b).tolist() == [0, 0]
assert not isinstance(K.zeros((0, 2)), tf.Variable) and K.dtype(a) == "float32"

# R7: outputs are of before the updates, also one that is a variable.
x, y = K.variable([1.0, 2.0]), K.placeholder(())
f = K.function([y], [K.square(x) + y, x], [(x, x * 2)])
first, second = f([1]), f([0])
np.testing.assert_array_equal(first, [[2, 5], [1, 2]])
np.testing.assert_array_equal(second, [[4, 16], [2, 4]])
assert K.get_value(x).tolist() == [4, 8]
p, q, v, w = K.placeholder(()), K.placeholder(()), K.variable(0.0), K.variable(0.0)
assert K.function([p, q], [p + q], [(v, p + 1)], fetches=[K.update(w, 5.0)])([10, 20]) == [30]
assert K.batch_get_value([v, w]) == [11, 5]
raises(TypeError, "should be a list or tuple", lambda: K.function(p, [q]))
raises(ValueError, "are not supported", lambda: K.function([p], [q], wrong=1))

# R10: an average without bias.
mean, value = K.variable(0.0), K.placeholder(())
move = K.function([value], [], [K.moving_average_update(mean, value, 0.9)])
averages = []
for number in (10, 20):
    move([number])
    averages.append(K.get_value(mean))
np.testing.assert_allclose(averages, [10, 15.2631578947], rtol=1e-5)

# O1 to O8: p0 = [1, -2, 3], loss sum p^2 / 2, in float64.
K.set_floatx("float64")


def train(optimizer: Any, steps: int, start: Any = (1.0, -2.0, 3.0), slope: Any = None) -> Any:
    parameter = K.variable(start)
    loss = 0.5 * K.sum(K.square(parameter)) if slope is None else K.sum(parameter * slope)
    step = K.function([], [loss], optimizer.get_updates(loss, [parameter]))
    for _ in range(steps):
        step([])
    return K.get_value(parameter)


TABLE: Any = [
    (lambda: optimizers.SGD(lr=0.1), [0.9, -1.8, 2.7], [0.729, -1.458, 2.187]),
    (lambda: optimizers.SGD(lr=0.1, momentum=0.9), [0.9, -1.8, 2.7], [0.486, -0.972, 1.458]),
    (lambda: optimizers.SGD(lr=0.1, momentum=0.9, nesterov=True), [0.81, -1.62, 2.43], [0.327321, -0.654642, 0.981963]),
    (lambda: optimizers.SGD(lr=0.1, momentum=0.9, decay=0.5), [0.9, -1.8, 2.7], [0.5775, -1.155, 1.7325]),
    (lambda: optimizers.RMSprop(lr=0.1), [0.6837723340, -1.6837722840, 2.6837722673],
     [0.3691806959, -1.3087179538, 2.2917658489]),
    (lambda: optimizers.Adagrad(lr=0.1), [0.9000000100, -1.9000000050, 2.9000000033],
     [0.7804561988, -1.7758215240, 2.7743593520]),
    (lambda: optimizers.Adadelta(), [0.9985857879, -1.9985857868, 2.9985857866],
     [0.9957124680, -1.9957108020, 2.9957102476]),
    (lambda: optimizers.Adam(lr=0.1), [0.9000003162, -1.9000001581, 2.9000001054],
     [0.7015870149, -1.7006237584, 2.7003817664]),
    (lambda: optimizers.Adam(lr=0.1, decay=0.5), [0.9000003162, -1.9000001581, 2.9000001054],
     [0.7840639758, -1.7836273127, 2.7835147882]),
    (lambda: optimizers.Adamax(lr=0.1), [0.9000000100, -1.9000000050, 2.9000000033],
     [0.7154994990, -1.7076482491, 2.7050095214]),
    (lambda: optimizers.Nadam(lr=0.1), [0.8943548327, -1.8943548274, 2.8943548257],
     [0.7527292898, -1.7475085133, 2.7458760102]),
    # O9, O10: the norm is that of all gradients.
    (lambda: optimizers.SGD(lr=0.1, clipnorm=1.0), [0.9732738758, -1.9465477516, 2.9198216274], None),
    (lambda: optimizers.SGD(lr=0.1, clipvalue=0.5), [0.95, -1.95, 2.95], None),
    (lambda: optimizers.SGD(lr=0.1, clipnorm=2.0, clipvalue=1.0), [0.9465477516, -1.9, 2.9], None),
    (lambda: optimizers.SGD(lr=0.1, clipnorm=-1.0, clipvalue=-1.0), [0.9, -1.8, 2.7], None),
]  # fmt: skip
for make, one, three in TABLE:
    np.testing.assert_allclose(train(make(), 1), one, rtol=1e-9)
    if three is not None:
        np.testing.assert_allclose(train(make(), 3), three, rtol=1e-9)
DEFAULTS = {"sgd": 0.995, "rmsprop": 0.9968377243, "adagrad": 0.9900000020, "adadelta": 0.9985857921,
            "adam": 0.9990000063, "adamax": 0.9980000004, "nadam": 0.9978870969}  # fmt: skip
for name, expected in DEFAULTS.items():
    assert np.isclose(train(optimizers.get(name), 1, 1.0, 0.5), expected, rtol=1e-9), name

# AMSGrad: gradients 10, .1, .1, .1 (O6).
for amsgrad, expected in ((False, 0.7267234953), (True, 0.7428513992)):
    adam = optimizers.Adam(lr=0.1, beta_2=0.9, amsgrad=amsgrad)
    param, slope = K.variable(1.0), K.placeholder(())
    step = K.function([slope], [], adam.get_updates(param * slope, [param]))
    for g in (10, 0.1, 0.1, 0.1):
        step([g])
    assert np.isclose(K.get_value(param), expected, rtol=1e-9)
    assert [np.shape(z) for z in adam.get_weights()] == [(), (), (), () if amsgrad else (1,)]

# R5, R8, R9: slots live on, losses are of before the update, and a rate may be set.
sgd = optimizers.SGD(lr=0.1, momentum=0.9)
param = K.variable(1.0)
loss = 0.5 * K.square(param)
step = K.function([], [loss], sgd.get_updates(loss, [param]))
losses, path, speed = [], [], []
for _ in range(4):
    losses.append(step([])[0])
    path.append(K.get_value(param))
    speed.append(K.get_value(sgd.weights[1]))
np.testing.assert_allclose(losses, [0.5, 0.405, 0.2592, 0.118098], rtol=1e-9)
np.testing.assert_allclose(path, [0.9, 0.72, 0.486, 0.2268], rtol=1e-9)
np.testing.assert_allclose(speed, [-0.1, -0.18, -0.234, -0.2592], rtol=1e-9)
sgd, param = optimizers.SGD(lr=0.1), K.variable(1.0)
step = K.function([], [], sgd.get_updates(0.5 * K.square(param), [param]))
path = []
for i in range(3):
    if i == 2:
        K.set_value(sgd.lr, 0.01)
    step([])
    path.append(K.get_value(param))
np.testing.assert_allclose(path, [0.9, 0.81, 0.8019], rtol=1e-9)
# O1: a decay that was 0 stays out.
K.set_value(sgd.decay, 5.0)
step([])
assert np.isclose(K.get_value(param), 0.8019 * 0.99, rtol=1e-9)

# R6: new updates have new slots; those before keep theirs.
sgd, param = optimizers.SGD(lr=0.1, momentum=0.9), K.variable(1.0)
loss = 0.5 * K.square(param)
old = K.function([], [], sgd.get_updates(loss, [param]))
old([])
first = sgd.weights[1]
new = K.function([], [], sgd.get_updates(loss, [param]))
assert sgd.weights[1] is not first and K.get_value(sgd.weights[1]) == 0 and np.isclose(K.get_value(first), -0.1)
old([])
assert np.isclose(K.get_value(first), -0.18) and K.get_value(sgd.weights[1]) == 0

# O11, O13, O14.
params: List[Any] = [K.variable(np.ones((2, 3))), K.variable([1.0, 2.0])]
raises(ValueError, "An operation has `None` for gradient", lambda: sgd.get_updates(K.sum(params[0]), params))
loss = 0.5 * (K.sum(K.square(params[0])) + K.sum(K.square(params[1])))
WEIGHTS = {"sgd": (True, 1), "rmsprop": (False, 1), "adagrad": (False, 1), "adadelta": (False, 2), "adam": (True, 3),
           "adamax": (True, 2), "nadam": (True, 2)}  # fmt: skip
for name, (counts, slots) in WEIGHTS.items():
    optimizer = optimizers.get(name)
    updates = optimizer.get_updates(loss, params)
    step = K.function([], [], updates)
    step([])
    step([])
    assert K.get_value(optimizer.iterations) == 2 and K.dtype(optimizer.iterations) == "int64"
    assert updates[0].op.fields.writes == [optimizer.iterations]
    values = optimizer.get_weights()
    assert len(values) == int(counts) + 2 * slots, name
    if not (counts and slots == 3):
        assert [np.shape(z) for z in values[int(counts) :]] == [(2, 3), (2,)] * slots
    optimizer.set_weights([z * 0 for z in values])
    assert all(np.all(z == 0) for z in optimizer.get_weights())
    raises(ValueError, "Length of the specified weight list", partial(optimizer.set_weights, []))
    wrong = [*values[:-1], np.zeros((7,))]
    raises(ValueError, "not compatible with provided weight shape", partial(optimizer.set_weights, wrong))
    config = optimizers.serialize(optimizer)
    assert type(optimizers.deserialize(config)) is type(optimizer) and config["config"]["lr"] > 0
raises(TypeError, "Unexpected keyword argument passed to optimizer", lambda: optimizers.Adam(momentum=0.5))
for build in (lambda: optimizers.Adam(beta_1=1.5), lambda: optimizers.RMSprop(rho=-0.1),
              lambda: optimizers.Adadelta(rho=1.0)):  # fmt: skip
    raises(ValueError, "in [0, 1), found", build)
raises(ValueError, "expected a finite epsilon >= 0, found -1", lambda: optimizers.Adam(epsilon=-1.0))
raises(ValueError, "expected a finite lr, found nan", lambda: optimizers.SGD(lr=float("nan")))
raises(ValueError, "expected a finite decay >= 0, found -1", lambda: optimizers.Adagrad(decay=-1.0))
raises(ValueError, "expected a finite momentum >= 0, found -0.5", lambda: optimizers.SGD(momentum=-0.5))
raises(ValueError, "Unknown optimizer", lambda: optimizers.get("sdg"))

# O12: constraints of the new value.
W = np.array([[3, 0.3], [4, 0.4]])
CONSTRAINED: Any = [
    (constraints.max_norm(2), [[1.2, 0.3], [1.6, 0.4]]),
    (constraints.unit_norm(), [[0.6, 0.6], [0.8, 0.8]]),
    (constraints.min_max_norm(1, 2), [[1.2, 0.6], [1.6, 0.8]]),
    (constraints.non_neg(), W),
]
for constraint, wanted in CONSTRAINED:
    param = K.variable(W, constraint=constraint)
    K.function([], [], optimizers.SGD(lr=0.0).get_updates(K.sum(param), [param]))([])
    np.testing.assert_allclose(K.get_value(param), wanted, atol=1e-6)
param = K.variable([-1.0, 2.0], constraint=constraints.get("non_neg"))
K.function([], [], optimizers.SGD(lr=0.5).get_updates(K.sum(param), [param]))([])
assert K.get_value(param).tolist() == [0, 1.5]

# O29: an optimizer of TensorFlow; the counter is its global step.
wrapped = optimizers.TFOptimizer(tf.train.MomentumOptimizer(0.1, 0.9))
np.testing.assert_allclose(train(wrapped, 3), [0.486, -0.972, 1.458], rtol=1e-6)
assert K.get_value(wrapped.iterations) == 3
K.set_floatx("float32")

# R7: calls that are fed arrays as they are, and others: converted, or refused with nothing changed.
K.clear_session()
rows = K.placeholder((None, 2), dtype="float32", name="rows")
numbers = K.placeholder((None,), dtype="int32", name="numbers")
total = K.variable(0.0)
add = K.function([rows, K.learning_phase(), numbers], [K.sum(rows), K.in_train_phase(total * 1.0, total - 1.0)],
                 [K.update_add(total, K.sum(rows) + K.cast(K.sum(numbers), "float32"))])  # fmt: skip
even, count = np.arange(8, dtype=np.float32).reshape(2, 4), np.array([1, 2], np.int32)
expected_total = 0.0
feeds: Any = [even[:, :2].copy(), even[:, ::2], even[:, :2].astype(np.float64), even[:, :2].tolist(),
              np.asfortranarray(even[:, 1:3])]  # fmt: skip
for _ in range(3):
    for given in feeds:
        for phase in (1, 0, True):
            for ints in (count, [1, 2], np.array([1, 2])):
                found = add([given, phase, ints])
                assert found[0] == np.sum(given) and isinstance(found[0], np.float32)
                assert found[1] == (expected_total if phase else expected_total - 1)
                expected_total += float(np.sum(given)) + 3
                assert K.get_value(total) == expected_total
wrongs: Any = (([even, 1, count], ValueError, "Cannot feed value of shape (2, 4) for Tensor 'rows:0'"),
          ([even[:, :2].copy(), 1], ValueError, "expected 3 inputs"),
          (even, TypeError, "should be a list or tuple"))  # fmt: skip
for wrong, kind, words in wrongs:
    try:
        add(wrong)
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)
    assert K.get_value(total) == expected_total
assert add((even[:, :2].copy(), 1, count))[0] == 10.0 and len(add._entries) == 2

# A function that is called in another session runs on its values.
with tf.Session() as other:
    other.run(total.initializer)
    add([even[:, :2].copy(), 1, count])
    assert other.run(total) == 13.0
assert K.get_value(total) == expected_total + 13

# As in Keras, slots of any optimizer that a model trains with are under its name, and those of a call of get_updates
# are not.


class Heavy(optimizers.Optimizer):
    def get_updates(self, loss: Any, params: Any) -> Any:
        self.weights = [K.zeros(K.int_shape(p)) for p in params]
        moments = [0.5 * m + g for m, g in zip(self.weights, self.get_gradients(loss, params))]
        self.updates = [K.update(m, new) for m, new in zip(self.weights, moments)]
        self.updates += [K.update(p, p - 0.1 * new) for p, new in zip(params, moments)]
        return self.updates


K.clear_session()
for number, made in enumerate((Heavy(), optimizers.SGD(momentum=0.9), optimizers.RMSprop())):
    model = models.Sequential([layers.Dense(2, input_shape=(3,))])
    model.compile(made, "mse")
    model.train_on_batch(np.ones((1, 3)), np.ones((1, 2)))
    scope = f"training{f'_{number}' if number else ''}/{type(made).__name__}/"
    named = [w.name for w in made.weights if not w.name.endswith("iterations:0")]
    assert named == [f"{scope}Variable:0", f"{scope}Variable_1:0"], named
x = K.variable(1.0, name="x")
for made in (Heavy(), optimizers.SGD(momentum=0.9)):
    made.get_updates(x * x, [x])
    assert made.weights[-1].name.startswith("Variable"), made.weights[-1].name

# A size of 1 that a call brings repeats, and a program that fits any size is not the one that the next call takes.
left, right = K.placeholder((None, 2)), K.placeholder((None, 2))
both = K.function([left, right], [left + right])
for pair in ((1, 3), (3, 1), (1, 1), (2, 2), (1, 3)):
    parts: Any = [np.ones((n, 2), np.float32) * n for n in pair]
    np.testing.assert_array_equal(both(parts)[0], parts[0] + parts[1])
