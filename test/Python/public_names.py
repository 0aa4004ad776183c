# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %S/../../docs/API
"""T9: modules show what they list and the reference documents, and for an unknown name the nearest one."""

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Set

import numpy as np

import flywheel as fw
from configurations import run_tests

MODULES = ["flywheel", "flywheel.nn", "flywheel.linalg", "flywheel.random", "flywheel.optimizers", "flywheel.schedules",
           "flywheel.initializers", "flywheel.constraints", "flywheel.clauses", "flywheel.data",
           "flywheel.fft"]  # fmt: skip


def documented(folder: Path) -> Dict[str, Set[str]]:
    """Returns the names of each module in the blocks of the reference; an empty block is the whole module."""
    found: Dict[str, Set[str]] = {}
    for page in sorted(folder.glob("*.md")):
        for module, names in re.findall(r"```\{public-names\} (\S+)\n([^`]*)```", page.read_text()):
            if module not in MODULES:
                continue
            found.setdefault(module, set()).update(names.split() or importlib.import_module(module).__all__)
    return found


def test_names() -> None:
    pages = documented(Path(sys.argv[1]))
    submodules = {name for name in fw.__all__ if inspect.ismodule(getattr(fw, name))}
    for name in MODULES:
        module: Any = importlib.import_module(name)
        shown = {one for one in dir(module) if not one.startswith("_")}
        assert shown == {one for one in module.__all__ if not one.startswith("_")}, shown ^ set(module.__all__)
        assert all(hasattr(module, one) for one in dir(module))
        missing = shown - pages.get(name, set()) - (submodules if name == "flywheel" else set())
        assert not missing, (name, missing)
    for module, names in ((fw, "math_ np os sys explained"), (fw.linalg, "cond fori_loop np operator nn"),
                          (fw.nn, "Any Optional Variable as_tensor wrap"), (fw.random, "np zeros Tensor RandomNormal"),
                          (fw.data, "np os operator"), (fw.optimizers, "Optional")):  # fmt: skip
        for one in names.split():
            assert not hasattr(module, one), (module, one)


def test_submodules() -> None:
    # Submodules are attributes, those for other frameworks once they are used; so is what users set.
    for one in "store host averages namespace variables v1 keras math".split():
        assert getattr(fw, one) is importlib.import_module(f"flywheel.{one}"), one
        assert one in fw.__all__ or one not in dir(fw), one
    for one in ("my_helper", "os"):
        setattr(fw, one, 1)
        assert getattr(fw, one) == 1 and one in dir(fw)
        delattr(fw, one)
        assert not hasattr(fw, one)
    assert fw.__version__ == fw._flywheel.__version__ and re.fullmatch(r"\d+\.\d+\.\d+", fw.__version__)


def test_submodules_2() -> None:
    hints: Dict[str, List[str]] = {
        "tensor": ["flywheel.constant"], "jit": ["flywheel.function"], "optim": ["flywheel.optimizers"],
        "Varible": ["did you mean 'Variable'"], "fucntion": ["did you mean 'function'"], "relu": ["flywheel.nn.relu"],
        "Adam": ["flywheel.optimizers.Adam"], "softmax": ["flywheel.nn.softmax"], "concat": ["flywheel.concatenate"],
        "nn.Linear": ["flywheel.nn.Dense"], "nn.rellu": ["did you mean 'relu'"],
        "nn.MultiheadAttention": ["did you mean 'MultiHeadAttention'"],
        "nn.CrossEntropyLoss": ["flywheel.nn.sparse_softmax_cross_entropy"], "random.PRNGKey": ["flywheel.set_seed"],
        "optimizers.Adamw": ["did you mean 'AdamW'"], "schedules.CosineDecay": ["CosineRate"],
        "initializers.zeros": ["did you mean 'Zeros'"], "v1.placehodler": ["did you mean 'placeholder'"],
        "v1.train.AdamOptimiser": ["did you mean 'AdamOptimizer'"],
    }  # fmt: skip
    importlib.import_module("flywheel.v1"), importlib.import_module("flywheel.keras")
    for name, texts in hints.items():
        group, _, last = name.rpartition(".")
        target: Any = importlib.import_module(f"flywheel.{group}" if group else "flywheel")
        try:
            getattr(target, last)
        except AttributeError as error:
            assert all(text in str(error) for text in texts), (name, str(error))
        else:
            raise AssertionError(name)


def test_submodules_3() -> None:
    untyped: Any = fw
    calls: Dict[str, Callable[[], Any]] = {
        "Adam has no argument 'learning_rate'; did you mean 'lr'?": lambda: untyped.optimizers.Adam(learning_rate=0.1),
        "Adam has no argument 'beta1'; did you mean 'beta_1'?": lambda: untyped.optimizers.Adam(beta1=0.1),
        "SGD has no argument 'momentm'; did you mean 'momentum'?": lambda: untyped.optimizers.SGD(0.1, momentm=0.1),
        "CosineRate has no argument 'step'; did you mean 'steps'?": lambda: untyped.schedules.CosineRate(0.1, step=3),
        "flywheel.function has no argument 'thread'; did you mean 'threads'?": lambda: untyped.function(abs, thread=1),
        "flywheel.function has no argument 'static_argnums'; did you mean 'static'?":
            lambda: untyped.function(static_argnums=1),
    }  # fmt: skip
    for text, call in calls.items():
        try:
            call()
        except TypeError as error:
            assert text in str(error), error
        else:
            raise AssertionError(text)
    try:
        fw.optimizers.Adam().learning_rat  # noqa: B018
    except AttributeError as error:
        assert "'Adam' object has no attribute 'learning_rat'" in str(error)


# NumPy's functions of tensors are those of this package.

x = np.array([[0.5, 2.0], [1.5, 4.0]], np.float32)
w = fw.Variable(x, name="w")
unary = "exp log sqrt sin tanh absolute negative square floor sign reciprocal log1p expm1 isfinite rint".split()
for name in unary:
    ufunc: Any = getattr(np, name)
    expected = ufunc(x)
    for action in (lambda a: ufunc(a), lambda a: ufunc(w)):
        np.testing.assert_allclose(fw.function(action)(x), expected, rtol=2e-6)
    np.testing.assert_allclose(ufunc(w), expected, rtol=2e-6)
for name in "add subtract multiply divide maximum minimum power arctan2 hypot greater_equal logaddexp matmul".split():
    ufunc = getattr(np, name)
    for action in (lambda a: ufunc(a, x), lambda a: ufunc(x, a), lambda a: ufunc(a, w), lambda a: ufunc(w, a)):
        np.testing.assert_allclose(fw.function(action)(x), ufunc(x, x), rtol=2e-6)
same: List[Callable[[Any], Any]] = [
    lambda a: np.add.reduce(a), lambda a: np.add.reduce(a, axis=1, keepdims=True), lambda a: np.maximum.reduce(a, 1),
    lambda a: np.multiply.accumulate(a), lambda a: np.sum(a), lambda a: np.mean(a, axis=0), lambda a: np.stack([a, a]),
    lambda a: np.concatenate([a, x], axis=1), lambda a: np.where(a > 1, a, x), lambda a: np.linalg.det(a),
    lambda a: np.linalg.norm(a), lambda a: np.transpose(a), lambda a: np.einsum("ij,jk->ik", a, x),
    lambda a: np.clip(a, 1, 2), lambda a: np.sort(a, axis=0), lambda a: np.abs(-a), lambda a: x - a, lambda a: x @ a,
    lambda a: np.float32(2) * a, lambda a: np.ones_like(a), lambda a: np.argmax(a, axis=1), lambda a: np.dot(a, x),
    lambda a: np.cumsum(a, axis=1), lambda a: np.sum(a, 0, np.float32), lambda a: np.max(a, 0, None, True),
    lambda a: np.cumsum(a, 0, np.float64), lambda a: np.std(a, 0, None, None, 1), lambda a: np.sort(a, 0, None),
    lambda a: np.nan_to_num(a * np.float32("nan"), True, 3.0), lambda a: np.bitwise_not(a > 1, dtype=np.int32),
    lambda a: np.quantile(a, 0.3, 0, None, False, "nearest"), lambda a: np.tril(a, k=-1),
    lambda a: np.clip(a, a_min=1, a_max=2),
]  # fmt: skip
for action in same:
    np.testing.assert_allclose(fw.function(action)(x), action(x), rtol=2e-6)
# None as axis is all dimensions, as NumPy's is, and not the default of the ufunc.
for ufunc in (np.logical_and, np.multiply, np.maximum, np.minimum, np.add):
    for options in ({"axis": None}, {"axis": None, "keepdims": True}, {"axis": -1, "dtype": None}, {"axis": (0, 1)},
                    {"axis": None, "where": True, "out": None}):  # fmt: skip
        reduced = fw.function(lambda a, ufunc=ufunc, options=options: ufunc.reduce(a, **options))(x)
        assert np.shape(reduced) == ufunc.reduce(x, **options).shape, (ufunc, options)
        np.testing.assert_allclose(reduced, ufunc.reduce(x, **options), rtol=2e-6)
assert fw.function(lambda a: a * np.shape(a)[0] * np.ndim(a))(x).tolist() == (x * 4).tolist()


def added_in_place(a: Any) -> Any:
    y = np.zeros((2, 2), np.float32)
    y += a
    return y


def test_none_as_axis_is_all() -> None:
    for action, text in (
        (lambda a: np.frexp(a), "numpy.frexp of a tensor is not there"),
        (lambda a: np.add.outer(a, a), "numpy.add.outer of a tensor is not there"),
        (lambda a: np.exp(a, out=np.zeros((2, 2), np.float32)), "exp of a tensor is another tensor: expected out=None"),
        (added_in_place, "numpy.add of a tensor is another tensor"),
        (lambda a: np.linalg.eig(a), "numpy.linalg.eig of a tensor is not there: flywheel.linalg has no such"),
        (lambda a: np.fft.rfft(a), "numpy.fft.rfft of a tensor is flywheel.fft.rfft, whose complex numbers are pairs"),
        (lambda a: np.sum(a, out=np.zeros(())), "expected out=None, found ndarray"),
        (lambda a: ufunc.accumulate(a, axis=None), "expected an integer as axis, found None"),
        (lambda a: np.exp(a, where=x > 1), "numpy.exp of a tensor does not take where"),
        (lambda a: np.sort(a, 0, "stable"), "numpy.sort of a tensor does not take kind"),
        (lambda a: np.nan_to_num(a, False), "numpy.nan_to_num of a tensor does not take copy"),
        (lambda a: np.sum(a, where=x > 1), "numpy.sum of a tensor does not take where"),
        (lambda a: np.asarray(a), "is not known while it is traced"),
    ):  # fmt: skip
        try:
            fw.function(action)(x)
        except TypeError as error:
            assert text in str(error), error
        else:
            raise AssertionError(text)


def test_outside_of_traced_functions() -> None:
    # Outside of traced functions NumPy reads values of variables. It writes to none, in no way.
    held: Any = w
    writes: List[Callable[[], Any]] = [
        lambda: np.copyto(held, x + 1), lambda: np.add.at(held, 0, 1), lambda: np.put(held, 0, 9),
        lambda: np.place(held, x > 1, [9.0]), lambda: np.putmask(held, x > 1, 9), lambda: np.add(x, 1, out=held),
        lambda: np.sum(x[None], 0, out=held), lambda: np.sum(x[None], 0, None, held), lambda: np.matmul(x, x, held),
        lambda: np.dot(x, x, held), lambda: np.fill_diagonal(held, 9), lambda: np.nan_to_num(held, copy=False),
        lambda: np.add.reduce(x[None], 0, out=held), lambda: np.put_along_axis(held, np.zeros((2, 1), int), 9, 1),
        lambda: np.concatenate([x[:1], x[1:]], 0, held), lambda: np.clip(x, 0, 1, out=held),
    ]  # fmt: skip
    for write in writes:
        try:
            write()
        except TypeError as error:
            assert "writes to a variable" in str(error) and "variable.set(array)" in str(error), error
        else:
            raise AssertionError(inspect.getsource(write))
        assert w.numpy().tolist() == x.tolist()
    target = np.zeros((2, 2), np.float32)
    np.copyto(target, held)
    target += held
    assert target.tolist() == (2 * x).tolist() and np.sum(held, 0).tolist() == x.sum(0).tolist()


run_tests([test_names, test_submodules, test_submodules_2, test_submodules_3, test_none_as_axis_is_all,
           test_outside_of_traced_functions])  # fmt: skip
