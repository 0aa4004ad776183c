# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t %cc
"""N18: modules are trees of variables, with names, states, copies and gradients by path."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from typing import Any, Callable, Dict, List

import numpy as np

import flywheel as fw
from configurations import run_tests
from refusals import refuses

FOLDER, CC = sys.argv[1], sys.argv[2:]
rng = np.random.default_rng(7)
X = rng.standard_normal((5, 3)).astype(np.float32)


class Block(fw.Module):
    def __init__(self, width: int) -> None:
        self.norm = fw.nn.LayerNorm(width)
        self.wide, self.narrow = fw.nn.Dense(width, 2 * width), fw.nn.Dense(2 * width, width)

    def __call__(self, x: Any) -> Any:
        return x + self.narrow(fw.nn.gelu(self.wide(self.norm(x))))


class Model(fw.Module):
    """A module with a list that grows, a dict, a module in two places, a counter and an attribute that is not a
    member."""

    def __init__(self, blocks: int = 2) -> None:
        self.blocks: List[Any] = []
        for _ in range(blocks):
            self.blocks.append(Block(3))
        self.heads: Dict[Any, Any] = {"mean": fw.nn.Dense(3, 1), 2: (fw.nn.Dense(3, 2, bias=False),)}
        self.drop, self.batch = fw.nn.Dropout(0.5), fw.nn.BatchNorm(3)
        self.same = self.blocks[0].wide
        self.scale = fw.Variable(np.float32(1.5))
        self.count = fw.Variable(0, trainable=False)
        self.rate = 0.1

    def __call__(self, x: Any, *, training: bool) -> Any:
        x = self.drop(self.batch(x, training=training), training=training)
        for block in self.blocks:
            x = block(x)
        return self.heads["mean"](x) * self.scale


BLOCK = ["norm/gamma", "norm/beta", "wide/kernel", "wide/bias", "narrow/kernel", "narrow/bias"]
PATHS = [*[f"blocks/{i}/{path}" for i in (0, 1) for path in BLOCK], "heads/mean/kernel", "heads/mean/bias",
         "heads/2/0/kernel", "batch/gamma", "batch/beta", "batch/mean", "batch/variance", "scale", "count"]  # fmt: skip
FIXED = {"batch/mean", "batch/variance", "count"}


def make_step(model: Any, optimizer: Any) -> Any:
    @fw.function
    def step(x: Any) -> Any:
        loss = fw.mean(model(x, training=True) ** 2)
        optimizer.minimize(loss, model.parameters(), unconnected="skip")
        return loss

    return step


def test_paths_and_names() -> None:
    with fw.Namespace():
        model = Model()
        assert list(model.named_variables()) == PATHS
        assert list(model.named_parameters()) == [path for path in PATHS if path not in FIXED]
        assert [v.name for v in model.variables()] == [f"Model/{path}" for path in PATHS]
        assert model.blocks[1].wide.name == "Model/blocks/1/wide" and model.same is model.blocks[0].wide
        assert list(model.named_modules())[:3] == ["", "blocks/0", "blocks/0/norm"]
        second = Model()
        assert second.scale.name == "Model_1/scale"
        with fw.name_scope("teacher"):
            third = Model(1)
        assert third.scale.name == "teacher/Model/scale"
        fourth = Model(1)
        fourth.name = "critic"
        assert fourth.scale.name == "critic/scale" and fourth.heads["mean"].name == "critic/heads/mean"
        refuses(ValueError, "'critic' is in use", lambda: setattr(fourth, "name", "other"))
        # A name that somebody has chosen stays; what is in no module has the name of before.
        own: Any = fw.nn.Sequential(fw.nn.Dense(2, 2))
        own.extra = fw.Variable(1.0, name="extra")
        assert own.extra.name == "extra" and fw.Variable(1.0).name == "Variable"
        assert own.layers[0].kernel.name == "Sequential/layers/0/kernel"
        # A layer that was used before it was put into a module keeps the name of then.
        early = fw.nn.Dense(2, 2)
        assert early.kernel.name == "Dense/kernel"
        late = fw.nn.Sequential(early, fw.nn.Dense(2, 2))
        assert [v.name for v in late.variables()][::2] == ["Dense/kernel", "Sequential_1/layers/1/kernel"]
        assert list(late.named_variables())[::2] == ["layers/0/kernel", "layers/1/kernel"]


def test_trees_that_grow() -> None:
    """Members that come when others have names already, by an attribute or in a list."""
    with fw.Namespace():
        model: Any = fw.nn.Sequential(fw.nn.Dense(2, 2))
        inner = model.layers[0]
        assert inner.kernel.name == "Sequential/layers/0/kernel"
        model.layers.append(fw.nn.Dense(2, 2))
        inner.scale = fw.Variable(1.0)
        inner.more = (fw.nn.Dense(2, 2), {"deep": []})
        assert [v.name for v in model.variables()][2:] == [
            *[f"Sequential/layers/0/{path}" for path in ("scale", "more/0/kernel", "more/0/bias")],
            *[f"Sequential/layers/1/{path}" for path in ("kernel", "bias")]]  # fmt: skip
        inner.more[1]["deep"].append(fw.Variable(1.0))
        assert inner.more[1]["deep"][0].name == "Sequential/layers/0/more/1/deep/0"

        class Lazy(fw.Module):
            """Makes its layer when it sees how large x is (N17)."""

            inner: Any = None

            def __call__(self, x: Any) -> Any:
                if self.inner is None:
                    self.inner = fw.nn.Dense(x.shape[-1], 4)
                return self.inner(x)

        lazy = Lazy()
        run = fw.function(lambda x: lazy(x))
        assert run(np.ones((2, 3), np.float32)).shape == (2, 4) and run(np.ones((5, 3), np.float32)).shape == (5, 4)
        assert lazy.inner.kernel.name == "Lazy/inner/kernel"


def test_trees_that_are_odd() -> None:
    with fw.Namespace():
        # Parts that are older than the whole, and a cycle.
        parts: List[Any] = [Block(3) for _ in range(2)]
        whole = fw.nn.Sequential(*parts)
        for part in parts:
            part.whole = whole
        assert parts[1].narrow.bias.name.endswith("/narrow/bias") and "_1" not in parts[1].narrow.bias.name
        assert list(whole.named_variables()) == [f"layers/{i}/{path}" for i in (0, 1) for path in BLOCK]
        for keys, text in (({"a/b": 1}, "key 'a/b' of 'parts'"), ({"": 1}, "key '' of"), ({"a b": 1}, "key 'a b'"),
                           ({1: 1, "1": 1}, "keys 1 and '1' of 'parts'")):  # fmt: skip
            odd: Any = fw.Module()
            odd.parts = {key: fw.nn.Dense(1, 1) for key in keys}
            refuses(ValueError, text, odd.state_dict)
        odd.parts = {"a/b": "of no module", "c": {1, 2}}
        assert odd.state_dict() == {}
        odd.parts = [{fw.nn.Dense(1, 1)}]
        refuses(TypeError, "is a set", odd.state_dict)
        odd.parts = None
        setattr(odd, "a b", fw.nn.Dense(1, 1))
        refuses(ValueError, "key 'a b' of a Module", odd.state_dict)


CELL = """
model = Model()
adam = fw.optimizers.Adam(lr=0.1)
step = make_step(model, adam)
losses = [float(step(X)) for _ in range(3)]
names = sorted(fw.current_store().names)
"""


def test_notebook() -> None:
    """N16: the cell that builds the model and its step is executed several times."""
    with fw.Namespace(), fw.Store(seed=3):
        cells: Dict[str, Any] = dict(globals())
        exec(CELL, cells)
        losses, names = cells["losses"], cells["names"]
        for _ in range(3):
            exec(CELL, cells)
            assert cells["losses"] == losses and cells["names"] == names, set(cells["names"]) ^ set(names)
            assert cells["model"].scale.name == "Model/scale"
        assert not any("Model_" in name for name in names), names


def test_collection() -> None:
    """N16: what nothing refers to goes at once, without a search for cycles."""
    with fw.Namespace(), fw.Store(seed=3) as store:
        gc.collect()
        gc.disable()
        try:
            for use in (lambda m: m.scale.name, lambda m: m.state_dict(), copy.deepcopy, repr):
                model = Model()
                held = [weakref.ref(one) for one in (model, model.scale, model.blocks[1].wide.kernel)]
                use(model)
                del model
                assert not any(one() for one in held)
                assert not [name for name in store.names if "scale" in name]
        finally:
            gc.enable()


def test_states() -> None:
    with fw.Namespace(), fw.Store(seed=3):
        model = Model()
        step = make_step(model, fw.optimizers.SGD(lr=0.1))
        step(X)
        state = model.state_dict()
        assert list(state) == PATHS
        kept = {path: value.copy() for path, value in state.items()}
        step(X)
        assert all((state[path] == kept[path]).all() for path in PATHS), "a state is a copy"
        assert (model.scale.numpy() != state["scale"]).any() and (model.batch.mean.numpy() != state["batch/mean"]).any()
        other = Model()
        other.load_state_dict(state)
        path = os.path.join(FOLDER, "state.safetensors")
        other.save(path)
        model.load(path)
        for one in (model, other):
            for key, value in one.state_dict().items():
                np.testing.assert_array_equal(value, state[key])
        # Nothing changes where something is wrong.
        bad: Dict[str, Any] = {**state, "scale": np.zeros(2, np.float32)}
        missing = {key: value for key, value in state.items() if key != "count"}
        refuses(ValueError, "shape () for 'scale', found (2,)", lambda: model.load_state_dict(bad))
        refuses(TypeError, "the value of 'count'", lambda: model.load_state_dict({**state, "count": np.float32(1)}))
        refuses(ValueError, "without count", lambda: model.load_state_dict(missing))
        refuses(ValueError, "with more", lambda: model.load_state_dict({**state, "more": 1}))
        for key, value in model.state_dict().items():
            np.testing.assert_array_equal(value, state[key])
        model.load_state_dict({"scale": np.float32(9), "more": 1}, strict=False)
        assert model.scale.numpy() == 9
        refuses(TypeError, "save", lambda: pickle.dumps(model))


def test_freezing() -> None:
    """C9: a step that was compiled before follows."""
    with fw.Namespace(), fw.Store(seed=3):
        model = Model()
        step = make_step(model, fw.optimizers.SGD(lr=0.1))

        def changed() -> Any:
            before = model.state_dict()
            step(X)
            after = model.state_dict()
            return {path for path in PATHS if (before[path] != after[path]).any()}

        trained = {path for path in PATHS if path != "count" and not path.startswith("heads/2")}
        assert changed() == trained
        model.blocks[0].freeze()
        frozen = {path for path in PATHS if path.startswith("blocks/0")}
        assert not any(path in frozen for path in model.named_parameters())
        assert model.same.kernel not in fw.trainable_variables() and model.scale in fw.trainable_variables()
        assert changed() == trained - frozen
        model.unfreeze()
        assert changed() == trained and not model.batch.mean.trainable
        model.freeze()
        refuses(ValueError, "No variables to optimize", lambda: step(X))
        model.unfreeze()
        # One variable, by hand, and an optimizer's default list.
        w = fw.Variable(np.ones(2, np.float32))
        v = fw.Variable(np.ones(2, np.float32))
        sgd = fw.optimizers.SGD(lr=0.5)
        down = fw.function(lambda: sgd.minimize(fw.sum(w * v)))
        down()
        w.trainable = False
        down()
        assert w.numpy().tolist() == [0.5, 0.5] and v.numpy().tolist() == [0.25, 0.25]
        w.trainable = True
        down()
        assert w.numpy().tolist() == [0.375, 0.375] and v.numpy().tolist() == [0, 0]


def test_set_attributes() -> None:
    """C9: a constraint, a device and collections that are set later are those of steps that were compiled before."""
    with fw.Namespace(), fw.Store():
        v = fw.Variable(np.array([1, -2], np.float32), name="v")
        sgd = fw.optimizers.SGD(lr=0.5)
        step = fw.function(lambda: sgd.minimize(fw.sum(v)))
        once: Any = iter(["GLOBAL", "mine"])
        listed = fw.Variable(0.0, collections=once, trainable=False)
        assert listed.collections == ["GLOBAL", "mine"]
        del listed
        wanted: Any
        for constraint, wanted in ((None, [0.5, -2.5]), (fw.constraints.NonNeg(), [0, 0]), (None, [-0.5, -0.5]),
                                   (fw.constraints.MaxNorm(1.0), [-0.5**0.5, -0.5**0.5])):  # fmt: skip
            v.constraint = constraint
            step()
            np.testing.assert_allclose(v.numpy(), wanted, 1e-6)
        v.device = "/cpu:0"
        assert 'device = "/cpu:0"' in step.mlir()
        twin = copy.copy(v)
        v.collections = ["GLOBAL", "mine", "mine"]
        assert not v.trainable and v.collections == ["GLOBAL", "mine"] and fw.collection("mine") == [v]
        assert twin.trainable and fw.trainable_variables() == [twin]
        refuses(ValueError, "No variables to optimize", step)
        once = iter(["GLOBAL", "TRAINABLE"])
        v.collections = once
        assert v.trainable and fw.collection("mine") == [] and step() is None
        bad: Any = [("constraint", 3, "flywheel.constraints"), ("device", 1, "as device of variable 'v'"),
                    ("collections", "ab", "a list of names"), ("collections", None, "a list of names"),
                    ("trainable", "x", "True or False"), ("trainable", None, "True or False")]  # fmt: skip
        for name, value, words in bad:
            refuses(TypeError, words, lambda name=name, value=value: setattr(v, name, value))
        assert v.trainable and v.device == "/cpu:0" and v.constraint == fw.constraints.MaxNorm(1.0)


def test_copies() -> None:
    with fw.Namespace(), fw.Store(seed=3):
        online = Model()
        step = make_step(online, fw.optimizers.SGD(lr=0.1))
        step(X)
        target = copy.deepcopy(online)
        assert target.same is target.blocks[0].wide and target.rate == 0.1
        assert [v.name for v in target.variables()] == [f"Model_1/{path}" for path in PATHS]
        assert list(target.named_parameters()) == list(online.named_parameters())
        start = online.state_dict()
        for path, value in target.state_dict().items():
            np.testing.assert_array_equal(value, start[path])
        step(X)
        assert (target.scale.numpy() == start["scale"]).all() and (online.scale.numpy() != start["scale"]).any()

        @fw.function
        def follow() -> None:
            for to, of in zip(target.parameters(), online.parameters()):
                to.moving_average(of, 0.75)

        follow()
        wanted = 0.75 * start["scale"] + 0.25 * online.scale.numpy()
        np.testing.assert_allclose(target.scale.numpy(), wanted, 1e-6)
        # In another store too it begins with the values that were copied.
        with fw.Store(seed=99):
            np.testing.assert_array_equal(target.scale.numpy(), start["scale"])
            assert not (online.blocks[0].wide.kernel.numpy() == start["blocks/0/wide/kernel"]).all()
        many = [copy.deepcopy(online) for _ in range(2)]
        # One that was never used before is named and initialised by its copy.
        unused = fw.nn.Sequential(Block(3), Block(3))
        unused.name = "unused"
        other: Any = copy.deepcopy(unused)
        assert [v.name for v in other.variables()] == [
            f"Sequential/layers/{i}/{path}" for i in (0, 1) for path in BLOCK]  # fmt: skip
        np.testing.assert_array_equal(other.layers[1].wide.kernel.numpy(), unused.layers[1].wide.kernel.numpy())
        assert many[1].scale.name == "Model_3/scale" and many[0].scale is not many[1].scale
        shallow = copy.copy(online)
        assert shallow.scale is online.scale and shallow.name != online.name
        refuses(TypeError, "not in it", lambda: fw.function(lambda x: copy.deepcopy(online) and x)(X))
        average = fw.ExponentialMovingAverage(0.5)
        fw.function(lambda: average.apply(online.parameters()))()
        assert average.average_name(online.scale) == "Model/scale/ExponentialMovingAverage"


def test_gradients() -> None:
    """A module among the arguments of derivatives, of transformations and of traced functions."""
    with fw.Namespace(), fw.Store(seed=3):
        model, x = Model(), X

        def loss(model: Any, x: Any) -> Any:
            return fw.mean(model(x, training=False) ** 2)

        @fw.function
        def gradients(model: Any, x: Any) -> Any:
            value, found = fw.value_and_grad(loss)(model, x)
            listed = fw.grad(loss, variables=model.parameters())(model, x)
            both = fw.grad(loss, (0, 1))(model, x)
            parts = fw.microbatch(fw.grad(loss), 5, in_axes=(None, 0))(model, x)
            rows = fw.vmap(fw.grad(loss), in_axes=(None, 0))(model, x[:, None])
            return value, found, listed, both, parts, rows, fw.gradients(loss(model, x), model)

        value, found, listed, both, parts, rows, same = gradients(model, x)
        assert list(found) == list(model.named_parameters()) == list(same)
        for (path, g), one in zip(found.items(), listed):
            np.testing.assert_array_equal(g, one)
            np.testing.assert_allclose(both[0][path], g, 1e-5, 1e-7)
            np.testing.assert_allclose(parts[path], g, 1e-4, 1e-6)
            np.testing.assert_allclose(rows[path].mean(0), g, 1e-4, 1e-6)
            zero = np.zeros_like(g) if same[path] is None else same[path]
            np.testing.assert_allclose(zero, g, 1e-5, 1e-7)
        assert both[1].shape == x.shape
        # A difference along the gradient.
        for path, one in model.named_parameters().items():
            one.set(one.numpy() - np.float32(1e-3) * found[path])
        squares = sum(float((g.astype(np.float64) ** 2).sum()) for g in found.values())
        np.testing.assert_allclose((value - gradients(model, x)[0]) / 1e-3, squares, 2e-2)
        # Another module is another program, and the same one is not.
        other = Model()
        gradients(other, x), gradients(model, x)
        assert len(gradients._traces) == 2
        # One that is gone takes its programs and variables along (N16).
        scale = weakref.ref(other.scale)
        del other
        assert len(gradients._traces) == 1 and scale() is None
        adam = fw.optimizers.Adam(lr=0.01)

        @fw.function
        def step(model: Any, x: Any) -> Any:
            value, found = fw.value_and_grad(loss)(model, x)
            adam.apply_gradients(zip(found.values(), model.parameters()))
            return value

        assert step(model, x) > step(model, x)


def test_errors() -> None:
    with fw.Namespace():
        model = Model()
        layers = fw.nn.Sequential(fw.nn.Conv2D(3, 4, 3), fw.nn.relu, fw.nn.Dense(4, 2), fw.nn.Dropout(0.5))
        attention = fw.nn.MultiHeadAttention(6, 2)
        cache = fw.nn.MultiHeadAttention(6, 3).make_cache(2, 4)
        ids, recurrent = fw.nn.Embedding(4, 2), fw.nn.GRU(2, 3)

        def call(function: Callable[..., Any], *args: Any) -> Callable[[], Any]:
            return lambda: fw.function(function)(*args)

        zeros = np.zeros
        f32 = np.float32
        for kind, text, action in (
            (ValueError, "layer 'Model/blocks/0/wide' (Dense) takes float32[..., 3], found float32(5, 4)",
             call(lambda x: model.blocks[0].wide(x), zeros((5, 4), f32))),
            (TypeError, "layer 'Sequential/layers/0' (Conv2D) takes float32[batch, height, width, 3], found float64",
             call(lambda x: layers(x, training=False), zeros((1, 5, 5, 3)))),
            (ValueError, "found float32(5, 5, 3)", call(lambda x: layers(x, training=False), zeros((5, 5, 3), f32))),
            (TypeError, "training", call(lambda x: layers(x), zeros((1, 5, 5, 3), f32))),
            (TypeError, "found mode", call(lambda x: layers(x, mode=1), zeros((1, 5, 5, 3), f32))),
            (ValueError, "(MultiHeadAttention) takes float32[batch, time, 6]",
             call(lambda x: attention(x), zeros((2, 6), f32))),
            (ValueError, "a mask that broadcasts to (2, 2, 5, 5), found (4, 5)",
             call(lambda x: attention(x, mask=np.ones((4, 5), bool)), zeros((2, 5, 6), f32))),
            (TypeError, "a mask of booleans, found float32",
             call(lambda x: attention(x, mask=np.ones((5, 5), f32)), zeros((2, 5, 6), f32))),
            (ValueError, "takes a cache of float32(2, 2, 4, 3), found float32(2, 3, 4, 2)",
             call(lambda x: attention(x, cache=cache), zeros((2, 1, 6), f32))),
            (ValueError, "a context or a cache, found both",
             call(lambda x: attention(x, x, cache=cache), zeros((2, 1, 6), f32))),
            (TypeError, "layer 'Embedding' (Embedding) takes integers, found float32",
             call(lambda x: ids(x), zeros((2, 1), f32))),
            (ValueError, "layer 'GRU' (GRU) takes float32[batch, 3], found float32(2, 2)",
             call(lambda x: recurrent(x, x[:, 0]), zeros((2, 4, 2), f32))),
            (ValueError, "expected inputs of at least 1, found 0", lambda: fw.nn.Dense(0, 2)),
            (TypeError, "expected an integer as outputs, found 2.0", lambda: fw.nn.Dense(1, 2.0)),  # type: ignore[arg-type]
            (ValueError, "in 3 groups, found 4 and 6", lambda: fw.nn.Conv1D(4, 6, 3, groups=3)),
            (ValueError, "2 of them as window", lambda: fw.nn.Conv2D(1, 1, (1, 2, 3))),
            (ValueError, "found 'same '", lambda: fw.nn.Conv2D(1, 1, 1, padding="same ")),
            (ValueError, "channels in 4 groups, found 6", lambda: fw.nn.GroupNorm(4, 6)),
            (ValueError, "kv_heads that divide 4", lambda: fw.nn.MultiHeadAttention(8, 4, kv_heads=3)),
            (ValueError, "heads that divide the width 7", lambda: fw.nn.MultiHeadAttention(7, 2)),
            (ValueError, "an even width", lambda: fw.nn.MultiHeadAttention(6, 2, rotary=1e4)),
            (ValueError, "a rate within [0, 1)", lambda: fw.nn.Dropout(1.0)),
            (TypeError, "functions as layers, found int", lambda: fw.nn.Sequential(3)),  # type: ignore[arg-type]
            (ValueError, "label_smoothing within [0, 1), found 1",
             call(lambda x: fw.nn.softmax_cross_entropy(x, x, label_smoothing=1), zeros((2, 3), f32))),
            (ValueError, "class_weights of shape [3]", call(
                lambda x: fw.nn.softmax_cross_entropy(x, x, class_weights=[1.0, 2.0]), zeros((2, 3), f32))),
            (ValueError, "an even d", call(lambda x: fw.nn.rotary(x), zeros((2, 3), f32))),
        ):  # fmt: skip
            refuses(kind, text, action)

        def make(x: Any) -> Any:
            return fw.nn.Dense(3, 2)(x)

        refuses(ValueError, "made anew each time", call(make, X))


def test_text() -> None:
    with fw.Namespace():
        model: Any = fw.nn.Sequential(fw.nn.Dense(3, 4), fw.nn.relu, fw.nn.BatchNorm(4))
        model.tied = model.layers[0]
        assert repr(model).splitlines() == [
            "Sequential: 24 parameters, 8 not trainable",
            "  layers/0: Dense: 16 parameters",
            "    kernel: float32[3, 4]",
            "    bias: float32[4]",
            "  layers/2: BatchNorm: 8 parameters, 8 not trainable",
            "    gamma: float32[4]",
            "    beta: float32[4]",
            "    mean: float32[4], not trainable",
            "    variance: float32[4], not trainable",
            "  tied: see above",
        ], repr(model)  # fmt: skip


def test_methods() -> None:
    """A traced method of a module, whose copy has its own."""
    with fw.Namespace(), fw.Store(seed=3):

        class Learner(fw.Module):
            def __init__(self) -> None:
                self.net, self.sgd = fw.nn.Dense(3, 1), fw.optimizers.SGD(lr=0.1)

            @fw.function
            def step(self, x: Any) -> Any:
                loss = fw.mean(self.net(x) ** 2)
                self.sgd.minimize(loss, self.parameters())
                return loss

        learner = Learner()
        first = learner.step(X)
        other = copy.deepcopy(learner)
        kept = other.net.kernel.numpy()
        assert learner.step(X) < first and list(learner.named_variables()) == ["net/kernel", "net/bias"]
        np.testing.assert_array_equal(other.net.kernel.numpy(), kept)
        other.step(X)
        np.testing.assert_allclose(other.net.kernel.numpy(), learner.net.kernel.numpy(), 1e-6)


MAIN = """
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static const float x[] = {%s};
int main(void) {
  char *memory = malloc(MODEL_STATE_BYTES + MODEL_STATE_ALIGN);
  model_state *s = (model_state *)(memory + MODEL_STATE_ALIGN - (size_t)memory %% MODEL_STATE_ALIGN);
  float out[5];
  if (model_init(s, 3) || model_predict(s, x, out)) return 1;
  for (int i = 0; i < 5; ++i) printf("%%a ", out[i]);
  free(memory);
  return 0;
}
"""


def test_arguments() -> None:
    """Positions of samples, numbers of initial values, labels that are ignored, keywords of layers."""
    x = rng.standard_normal((2, 2, 3, 4)).astype(np.float32)

    def turn(positions: Any) -> Any:
        return fw.function(lambda x: fw.nn.rotary(x, positions))(x)

    samples = np.array([[0, 1, 2], [5, 6, 7]], np.int32)
    refuses(ValueError, "are given as [batch, 1, t]", lambda: turn(samples))
    refuses(ValueError, "rotary takes positions", lambda: turn(samples[:, None, None]))
    refuses(ValueError, "rotary takes positions", lambda: turn(np.zeros((4, 1, 1, 3), np.int32)))
    found = turn(samples[:, None])
    for place in range(2):
        np.testing.assert_array_equal(found[place], turn(samples[place])[place])
    np.testing.assert_array_equal(turn(samples[:1]), turn(None))

    for dtype in ("float16", "float32", "float64", "int32", "int64"):
        value = fw.Variable(fw.initializers.Constant(1), shape=(2,), dtype=dtype).numpy()
        assert value.dtype == dtype and value.tolist() == [1, 1]
    assert fw.Variable(fw.initializers.Constant(0.1), shape=(), dtype="float64").numpy() == 0.1
    assert not fw.nn.Dense(2, 2, initializer=fw.initializers.Constant(0)).kernel.numpy().any()

    logits = x[0, 0]
    for kind, index in ((np.uint8, -100), (np.int8, 255)):
        label = np.array([0, 3, 2], kind)
        losses = [fw.function(lambda x, y, i=i: fw.nn.sparse_softmax_cross_entropy(x, y, ignore_index=i))(logits, label)
                  for i in (None, index)]  # fmt: skip
        assert losses[0] == losses[1]

    class Wrapper(fw.Module):
        def __init__(self) -> None:
            self.inner = fw.nn.Dropout(0.5)

        def __call__(self, x: Any, **mode: Any) -> Any:
            return self.inner(x, **mode)

    sequence = fw.nn.Sequential(Wrapper(), fw.nn.relu)
    np.testing.assert_array_equal(fw.function(lambda x: sequence(x, training=False))(x), np.maximum(x, 0))


def test_export() -> None:
    """T6: a module in C computes what it does here, its variables by their names of the tree."""
    with fw.Namespace(), fw.Store(seed=3):
        model = Model()
        make_step(model, fw.optimizers.SGD(lr=0.1))(X)
        predict = fw.function(lambda x: model(x, training=False)[:, 0], name="predict", signature=[fw.spec(5, 3)],
                              results=["out"], threads=1)  # fmt: skip
        predict.export(os.path.join(FOLDER, "model.o"), model_name="model")
        expected = predict(X)
        with open(os.path.join(FOLDER, "model.h")) as header:
            text = header.read()
        for path in model.named_variables():
            # Variables that `predict` does not use are not in it.
            assert f"Model/{path}" in text or path == "count" or path.startswith("heads/2"), path
        main = os.path.join(FOLDER, "main")
        with open(f"{main}.c", "w") as file:
            file.write(MAIN % ", ".join(map(str, map(float, X.reshape(-1)))))
        subprocess.run([*CC, f"{main}.c", os.path.join(FOLDER, "model.o"), "-o", main, "-lm"], check=True)
        output = subprocess.run([main], check=True, capture_output=True, text=True).stdout
        np.testing.assert_allclose([float.fromhex(word) for word in output.split()], expected, 1e-6, 1e-7)


run_tests([
    test_paths_and_names, test_trees_that_grow, test_trees_that_are_odd, test_notebook, test_collection, test_states,
    test_freezing, test_set_attributes, test_copies, test_gradients, test_errors,
    test_text, test_methods, test_arguments, test_export,
])  # fmt: skip
