# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X16: a first step on no examples trains nothing, and is no error, though the compiler folds ops on tensors without
elements away: in loops, scans, maps and `vmap`, in layers, of each mode; a step on examples follows."""

from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw

EMPTY, FULL = np.zeros((0, 5, 3), np.float32), np.ones((2, 5, 3), np.float32)
Step = Callable[[Any, Any], Any]
# Functions of x [n, 5, 3] and a variable w [3, 4].
CASES: Dict[str, Step] = {
    "product": lambda x, w: x @ w,
    "scan": lambda x, w: fw.scan(lambda s, u: (s, u @ w), 0.0, fw.swapaxes(x, 0, 1))[1],
    "scan of a state": lambda x, w: fw.scan(lambda s, u: (s + u @ w, s), fw.zeros((x.shape[0], 4)),
                                            fw.swapaxes(x, 0, 1))[1],
    "fori_loop": lambda x, w: fw.fori_loop(0, 3, lambda i, s: s + x[:, 0] @ w, fw.zeros((x.shape[0], 4))),
    "while_loop": lambda x, w: fw.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + x[:, 0] @ w),
                                             (0, fw.zeros((x.shape[0], 4))), max_iterations=5)[1],
    "cond": lambda x, w: fw.cond(fw.sum(w) > 0, lambda: x @ w, lambda: x @ w * 2),
    "vmap": lambda x, w: fw.vmap(lambda row: row @ w)(x),
    "vmap of columns": lambda x, w: fw.vmap(lambda column: x[:, 0] @ column, in_axes=1)(w),
    "map": lambda x, w: fw.map(lambda row: row @ w, x), "concatenate": lambda x, w: fw.concatenate([x @ w, x @ w]),
    "softmax": lambda x, w: fw.nn.softmax(x @ w), "norm": lambda x, w: fw.norm(x @ w, 1),
    "gather": lambda x, w: fw.take(w, fw.zeros((x.shape[0],), "int32"), 0),
    "einsum": lambda x, w: fw.einsum("abc,cd->abd", x, w), "cumsum": lambda x, w: fw.cumsum(x @ w, 0),
}  # fmt: skip
LAYERS: Dict[str, Callable[[], Any]] = {
    "LSTM": lambda: fw.nn.LSTM(3, 4), "GRU": lambda: fw.nn.GRU(3, 4), "Dense": lambda: fw.nn.Dense(3, 4),
    "Conv1D": lambda: fw.nn.Conv1D(3, 4, 2), "MultiHeadAttention": lambda: fw.nn.MultiHeadAttention(3, 1),
}  # fmt: skip


def check(name: str, predict: Callable[[Any], Any]) -> None:
    sgd = fw.optimizers.SGD(lr=0.125)

    @fw.function
    def step(x: Any) -> Any:
        found = predict(x)
        loss = fw.sum(fw.square(found[0] if isinstance(found, tuple) else found))
        sgd.minimize(loss)
        return loss

    names = [variable.name for variable in fw.trainable_variables()]
    store = fw.current_store()
    assert float(step(EMPTY)) == 0, name
    before = [np.array(store[one]) for one in names]
    assert float(step(FULL)) > 0, name
    assert all(np.all(np.isfinite(old)) for old in before), name
    assert any(np.any(np.array(store[one]) != old) for one, old in zip(names, before)), name


def check_parts() -> None:
    """If a part of a loss is on no examples, what only this part reads, and what is not trained, stays."""
    for is_partly_empty in (False, True):
        with fw.Namespace(), fw.Store():
            w, teacher, other = (fw.Variable(np.ones((3, 4), np.float32), name=name) for name in "wto")
            adam = fw.optimizers.AdamW(lr=0.1, weight_decay=0.5)

            @fw.function
            def step(x: Any) -> Any:
                loss = fw.mean(fw.square(x @ w - fw.stop_gradient(x @ teacher))) + fw.sum(fw.mean(x @ w))
                if is_partly_empty:
                    loss = loss + fw.sum(fw.square((x @ w)[:0]))
                adam.minimize(loss)
                return loss, fw.sum(other)

            for _ in range(2):
                step(FULL[0])
            store = fw.current_store()
            assert np.all(np.array(store["t"]) == 1) and np.all(np.array(store["o"]) == 1), is_partly_empty
            assert np.all(np.array(store["w"]) != 1), is_partly_empty


def check_no_dependence() -> None:
    """A loss that no variable is in is an error, also if a part of it is on no examples (G2)."""
    w = fw.Variable(np.ones((3, 4), np.float32), name="w")
    teacher = fw.Variable(np.ones((3, 4), np.float32), name="t", trainable=False)
    others: Dict[str, Callable[[Any], Any]] = {
        "feed": lambda x: fw.mean(x), "frozen": lambda x: fw.mean(x @ teacher),
        "stopped": lambda x: fw.mean(fw.stop_gradient(x @ w)), "floor": lambda x: fw.mean(fw.floor(x @ w)),
        "numbers": lambda x: fw.cast(fw.sum(fw.cast(x * 3, "int32")), "float32"),
        "loop": lambda x: fw.fori_loop(0, 3, lambda i, s: s + fw.mean(x), 0.0),
    }  # fmt: skip
    for name, other in others.items():
        for make in (fw.optimizers.SGD, fw.optimizers.AdamW):
            optimizer = make(lr=0.1)

            @fw.function
            def step(x: Any) -> Any:
                used = fw.sum(w)
                optimizer.minimize(other(x) + fw.sum(fw.square(x[:0])))
                return used

            try:
                step(FULL[0])
            except (ValueError, fw.CompileError) as error:
                assert "No gradients provided for any variable" in str(error), (name, str(error))
            else:
                raise AssertionError(f"{name}: expected an error")
            assert np.all(np.asarray(w.numpy()) == 1), name


def with_weights(function: Step, w: Any) -> Callable[[Any], Any]:
    return lambda x: function(x, w)


def check_modes(name: str, function: Step) -> None:
    """Derivatives of a sum over nothing, which are 0, and of nothing, which have no elements."""
    w = np.linspace(0.5, 1, 12, dtype=np.float32).reshape(3, 4)

    @fw.function
    def program(x: Any, w: Any) -> Any:
        def loss(w: Any) -> Any:
            return fw.sum(fw.square(function(x, w)))

        return (fw.grad(loss)(w), fw.grad(lambda v: fw.sum(fw.grad(loss)(v)))(w), fw.jvp(loss, (w,), (w,))[1],
                fw.jacobian(loss)(w), fw.jacobian(lambda v: fw.sum(function(x, v), 0))(w),
                fw.jvp(lambda v: function(x, v), (w,), (w,))[1])  # fmt: skip

    *sums, moved = program(EMPTY, w)
    for one in sums:
        np.testing.assert_array_equal(np.asarray(one), 0, err_msg=name)
    assert np.asarray(moved).size == 0, name


if __name__ == "__main__":
    for name, function in CASES.items():
        with fw.Namespace(), fw.Store():
            w = fw.Variable(np.linspace(0.5, 1, 12, dtype=np.float32).reshape(3, 4), name="w")
            check(name, with_weights(function, w))
        check_modes(name, function)
    check_parts()
    with fw.Namespace(), fw.Store():
        check_no_dependence()
    for name, make in LAYERS.items():
        with fw.Namespace(), fw.Store():
            check(name, make())
