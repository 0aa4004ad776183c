# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G20: whole steps on zeros, equal rows, rows of zeros, tiny and saturated numbers, and behind masks that hide all:
weights stay numbers, in f32 and in mixed precision with a scaled loss and clipped gradients; so do losses, unless an
activation is beyond f16."""

import itertools
from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw
from selection import choose

nn = fw.nn
DATA: Dict[str, Any] = {
    "zeros": np.zeros((4, 6)), "equal numbers": np.full((4, 6), 0.75), "tiny numbers": np.full((4, 6), 1e-7),
    "saturated numbers": np.tile(np.array([[1e4], [-1e4], [6e4], [0.0]]), (1, 6)),
    "rows of zeros": np.array([[0] * 6, [1, 2, 3, 4, 5, 6], [0] * 6, [-1, 0, 1, 0, -1, 0]]),
    "equal rows": np.tile(np.linspace(-1, 1, 6), (4, 1)),
}  # fmt: skip
LABELS = np.array([0, 1, 2, 0], np.int32)
ONE_HOT = np.eye(3, dtype=np.float32)[LABELS]
HIDDEN, ROWS = np.zeros((4, 8), bool), np.zeros((4, 1), np.float32)


def wide(x: Any) -> Any:
    return fw.cast(x, "float32")


# A loss of hidden numbers [4, 8], and of the last layer, which gives [4, 3].
LOSSES: Dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "tanh": lambda h, o: nn.sparse_softmax_cross_entropy(wide(o(fw.tanh(h))), LABELS),
    "gelu": lambda h, o: nn.sparse_softmax_cross_entropy(wide(o(nn.gelu(h, approximate=True))), LABELS),
    "sigmoid": lambda h, o: nn.binary_crossentropy(wide(fw.sigmoid(o(nn.silu(h)))), ONE_HOT),
    "softmax": lambda h, o: nn.categorical_crossentropy(wide(nn.softmax(o(nn.relu(h)))), ONE_HOT),
    "kl_divergence": lambda h, o: nn.kl_divergence(wide(nn.softmax(o(nn.elu(h)))), ONE_HOT),
    "layer_norm": lambda h, o: nn.mean_squared_error(wide(o(nn.layer_norm(h, axes=[1]))), ONE_HOT),
    "rms_norm": lambda h, o: nn.mean_squared_error(wide(o(nn.rms_norm(h, axes=[1]))), ONE_HOT),
    "batch_norm": lambda h, o: nn.mean_squared_error(wide(o(nn.batch_norm_training(
        h, fw.ones(8, h.dtype), fw.zeros(8, h.dtype))[0])), ONE_HOT),
    "norm": lambda h, o: fw.mean(fw.norm(wide(o(h)), 1)), "std": lambda h, o: fw.mean(fw.std(wide(o(h)), 0)),
    "cosine": lambda h, o: nn.cosine_proximity(wide(o(h)), ONE_HOT),
    "unit rows": lambda h, o: nn.mean_squared_error(wide(o(h / fw.maximum(fw.norm(h, 1)[:, None], 1e-3))), ONE_HOT),
    "logsumexp": lambda h, o: fw.mean(fw.logsumexp(wide(o(h)), 1)),
    "attention": lambda h, o: nn.mean_squared_error(wide(o(nn.attention(h[None], h[None], h[None])[0])), ONE_HOT),
    "masked softmax": lambda h, o: nn.mean_squared_error(wide(o(nn.softmax(fw.where(HIDDEN, h, -1e4)))), ONE_HOT),
    "masked mean": lambda h, o: fw.sum(wide(o(h)) * ROWS) / fw.maximum(fw.sum(ROWS), 1.0),
    "select": lambda h, o: nn.mean_squared_error(wide(o(fw.select([HIDDEN], [h], 0.5))), ONE_HOT),
    "poisson": lambda h, o: nn.poisson(wide(nn.softplus(o(h))), ONE_HOT),
    "huber": lambda h, o: nn.huber(wide(o(h)), ONE_HOT), "log_cosh": lambda h, o: nn.log_cosh(wide(o(h)), ONE_HOT),
    "prod": lambda h, o: fw.mean(fw.prod(wide(o(h)), 1)), "max": lambda h, o: fw.mean(fw.max(wide(o(h)), 1)),
}  # fmt: skip
OPTIMIZERS: Dict[str, Callable[[], Any]] = {
    "SGD": lambda: fw.optimizers.SGD(lr=0.01, momentum=0.9), "Adam": lambda: fw.optimizers.Adam(lr=0.01),
    "RMSprop": lambda: fw.optimizers.RMSprop(lr=0.01), "Adagrad": lambda: fw.optimizers.Adagrad(lr=0.01),
    "Lion": lambda: fw.optimizers.Lion(lr=0.01), "LAMB": lambda: fw.optimizers.LAMB(lr=0.01),
    "Adafactor": lambda: fw.optimizers.Adafactor(lr=0.01), "Muon": lambda: fw.optimizers.Muon(lr=0.01),
    "TFRMSProp": lambda: fw.optimizers.TFRMSProp(lr=0.01, centered=True),
}  # fmt: skip
# The first scale of the loss.
KINDS = {np.dtype("float32"): 0.0, np.dtype("float16"): 65536.0, fw.bfloat16: 16.0}


def check(name: str, dtype: Any, optimizer: str) -> None:
    rng = np.random.default_rng(0)
    variables = [fw.Variable((rng.normal(size=shape) * 0.5).astype(dtype), name=label)
                 for label, shape in (("w", (6, 8)), ("v", (8, 3)), ("z", (3,)))]  # fmt: skip
    w, v, z = variables
    made, scale = OPTIMIZERS[optimizer](), KINDS[dtype]
    more = {"loss_scale": fw.clauses.LossScale(initial=scale), "master_weights": True} if scale else {}

    @fw.function
    def step(x: Any) -> Any:
        loss = LOSSES[name](fw.cast(x, w.dtype) @ w, lambda h: h @ v + z)
        made.minimize(loss, clip_global_norm=1.0, **more)
        return loss

    for what, x in DATA.items():
        for _ in range(3):
            loss = float(step(x.astype(np.float32)))
            text = f"{name} of {dtype}, {optimizer}, {what}"
            assert np.isfinite(loss) or (dtype == np.float16 and what == "saturated numbers"), f"{text}: loss {loss}"
            for one in variables:
                found = np.asarray(fw.current_store()[one.name], np.float64)
                assert np.all(np.isfinite(found)), f"{text}: {one.name}"


def check_hidden() -> None:
    """A mask that hides all of what a variable gives: its gradient is 0, and other variables are trained."""
    w, z = fw.Variable(np.ones((3, 4), np.float32), name="w"), fw.Variable(np.ones(4, np.float32), name="z")
    sgd, x = fw.optimizers.SGD(lr=0.125), np.ones((2, 3), np.float32)
    hidden, before = np.zeros((2, 4), bool), np.ones(4, np.float32)
    for mask in (lambda h: fw.where(hidden, h, 2.0), lambda h: fw.select([hidden], [h], 2.0), lambda h: h * 0.0,
                 lambda h: fw.where(hidden, h, 0.0) * 2):  # fmt: skip

        @fw.function
        def step(x: Any, mask: Any = mask) -> Any:
            loss = fw.sum(fw.square(mask(x @ w) + z))
            sgd.minimize(loss)
            return loss

        step(x)
        np.testing.assert_array_equal(np.asarray(fw.current_store()["w"]), 1)
        found = np.array(fw.current_store()["z"])
        assert np.all(found != before)
        before = found


if __name__ == "__main__":
    optimizers = itertools.cycle(OPTIMIZERS)
    cases = [(name, kind, next(optimizers)) for name in LOSSES for kind in KINDS]
    for case in choose("odd training", cases, 0.4):
        with fw.Namespace(), fw.Store():
            check(*case)
    with fw.Namespace(), fw.Store():
        check_hidden()
