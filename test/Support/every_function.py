# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of every public function on tensors, whose dimensions are letters, and what NumPy computes for it.

A call is a function of ours, one of NumPy's (None if NumPy has none: then only the shape is compared, with that for
other sizes), and its arguments: `f ab` is a float32 matrix of a by b, `i` are integers, `p` booleans, `s` symmetric
positive matrices, and `x<a` are indices of a dimension of size a.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

import flywheel as fw

nn, linalg = fw.nn, fw.linalg


class Call(NamedTuple):
    """One call."""

    ours: Callable[..., Any]
    theirs: Optional[Callable[..., Any]]
    arguments: List[str]


def _same(name: str) -> Any:
    """A function of ours, and NumPy's of that name."""
    return getattr(fw, name), getattr(np, name)


calls: Dict[str, Call] = {}
# Loops below have values of several types.
_axis: Any
_mode: Any
_label: Any
_key: Any
_kind: Any
_how: Any
_axes: Any
_ord: Any


def _add(name: str, ours: Any, theirs: Any, *arguments: str) -> None:
    assert name not in calls, name
    calls[name] = Call(ours, theirs, list(arguments))


def _methods(name: str, how: Any, *arguments: str, label: str = "") -> None:
    """Adds `how` applied to our module, and to NumPy."""
    _add(name + (f" {label}" if label else ""), how(fw), how(np), *arguments)


def _of_filter(x: Any, w: Any) -> Any:
    """A filter without elements is refused."""
    return None if w.size else _refuse()


def _refuse() -> Any:
    raise ValueError("refused")


# Element by element.
for _name in ("abs absolute arctan arcsinh cbrt ceil cos cosh deg2rad degrees exp exp2 expm1 fabs floor negative "
              "positive rad2deg radians rint sign signbit sin sinc sinh square tan tanh trunc isfinite isinf isnan "
              "logical_not nan_to_num").split():  # fmt: skip
    _add(_name, *_same(_name), "f ab")
for _name in "arccosh log log10 log1p log2 reciprocal sqrt".split():
    _methods(_name, lambda m, name=_name: lambda x: getattr(m, name)(m.abs(x) + 1.5), "f ab")
for _name in "arccos arcsin arctanh".split():
    _methods(_name, lambda m, name=_name: lambda x: getattr(m, name)(x * 0.1), "f ab")
for _name in ("add subtract multiply divide true_divide maximum minimum fmax fmin arctan2 hypot logaddexp copysign "
              "heaviside equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
              "isclose").split():  # fmt: skip
    _add(_name, *_same(_name), "f ab", "f b")
    _add(f"{_name} column", *_same(_name), "f ab", "f a1")
for _name in "floor_divide mod remainder fmod power float_power divmod".split():
    _methods(_name, lambda m, name=_name: lambda x, y: getattr(m, name)(m.abs(x), m.abs(y) + 1.0), "f ab", "f b")
for _name in "bitwise_and bitwise_or bitwise_xor left_shift right_shift".split():
    _methods(_name, lambda m, name=_name: lambda x, y: getattr(m, name)(x, abs(y)), "i ab", "i b")
_methods("bitwise_not", lambda m: lambda x: ~x, "i ab")
_add("invert", *_same("invert"), "i ab")
_add("cast", lambda x: fw.cast(x, "int32"), lambda x: x.astype(np.int32), "f ab")
_add("erf", fw.erf, None, "f ab")
_add("erfc", fw.erfc, None, "f ab")
_add("lgamma", fw.lgamma, None, "f ab")
_add("rsqrt", lambda x: fw.rsqrt(x * x + 1.0), lambda x: 1 / np.sqrt(x * x + 1), "f ab")
_add("sigmoid", fw.sigmoid, lambda x: 1 / (1 + np.exp(-x)), "f ab")
_methods("clip", lambda m: lambda x: m.clip(x, -0.5, 0.5), "f ab")
_methods("round", lambda m: lambda x: m.round(x, 1), "f ab")
_methods("where", lambda m: lambda p, x, y: m.where(p, x, y), "p ab", "f ab", "f b")
_methods("select", lambda m: lambda x, y: m.select([x > 0, x > -1], [x, y], 2.0), "f ab", "f ab")
_add("stop_gradient", fw.stop_gradient, lambda x: x, "f ab")
_methods("cross", lambda m: m.cross, "f a3", "f a3")

# Shapes.
_add("ravel", *_same("ravel"), "f ab")
_methods("reshape", lambda m: lambda x: m.reshape(x, (x.shape[1], x.shape[0])), "f ab")
_methods("reshape", lambda m: lambda x: m.reshape(x, (-1, 2)), "f ab", label="rest")
_methods("reshape", lambda m: lambda x: m.reshape(x, (-1,)), "f abc", label="flat")
_methods("expand_dims", lambda m: lambda x: m.expand_dims(x, (0, 2)), "f ab")
_methods("squeeze", lambda m: lambda x: m.squeeze(x, 1), "f a1b")
_methods("squeeze", lambda m: lambda x: m.squeeze(m.squeeze(x[:1], 0)), "f ab", label="all")
_add("transpose", *_same("transpose"), "f abc")
_methods("swapaxes", lambda m: lambda x: m.swapaxes(x, 0, 1), "f abc")
_methods("moveaxis", lambda m: lambda x: m.moveaxis(x, 0, -1), "f abc")
_methods("broadcast_to", lambda m: lambda x: m.broadcast_to(x, (2, *x.shape)), "f ab")
_methods("broadcast_to", lambda m: lambda x: m.broadcast_to(x, (0, *x.shape)), "f ab", label="none")
_methods("broadcast_to", lambda m: lambda x: m.broadcast_to(x, (x.shape[0], 0)), "f a1", label="row")
_methods("broadcast_arrays", lambda m: lambda x, y: m.broadcast_arrays(x, y), "f ab", "f b")
_methods("concatenate", lambda m: lambda x, y: m.concatenate([x, y, x], 0), "f ab", "f cb")
_methods("concatenate", lambda m: lambda x, y: m.concatenate([x, y], 1), "f ab", "f ac", label="columns")
_methods("concatenate", lambda m: lambda x, y: m.concatenate([x, y], None), "f ab", "f cd", label="flat")
for _axis in (0, 1, 2):
    _methods("stack", lambda m, axis=_axis: lambda x, y: m.stack([x, y], axis), "f ab", "f ab", label=str(_axis))
_methods("append", lambda m: lambda x, y: m.append(x, y, 0), "f ab", "f cb")
for _name in "vstack hstack dstack column_stack".split():
    _methods(_name, lambda m, name=_name: lambda x, y: getattr(m, name)([x, y]), "f ab", "f ab")
    _methods(_name, lambda m, name=_name: lambda x, y: getattr(m, name)([x, y]), "f a", "f a", label="vectors")
_methods("block", lambda m: lambda x, y: m.block([[x, y], [x, y]]), "f ab", "f ac")
_methods("split", lambda m: lambda x: m.split(x, 2, 0), "f eb")
_methods("split", lambda m: lambda x: m.split(x, [1, 1, 5], 1), "f ab", label="places")
_methods("array_split", lambda m: lambda x: m.array_split(x, 3, 1), "f ab")
_methods("vsplit", lambda m: lambda x: m.vsplit(x, 2), "f eb")
_methods("hsplit", lambda m: lambda x: m.hsplit(x, [1]), "f ab")
_add("unstack", fw.unstack, lambda x: [*x], "f ab")
_methods("tile", lambda m: lambda x: m.tile(x, (2, 1, 3)), "f ab")
_methods("tile", lambda m: lambda x: m.tile(x, (0, 2)), "f ab", label="none")
_methods("repeat", lambda m: lambda x: m.repeat(x, 2, 1), "f ab")
_methods("repeat", lambda m: lambda x: m.repeat(x, 0, 0), "f ab", label="none")
_methods("repeat", lambda m: lambda x: m.repeat(x, 3), "f ab", label="flat")
_methods("roll", lambda m: lambda x: m.roll(x, 1, 0), "f ab")
_methods("roll", lambda m: lambda x: m.roll(x, -2), "f ab", label="flat")
_methods("roll", lambda m: lambda x: m.roll(x, (1, 2), (0, 1)), "f ab", label="both")
for _mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
    _methods("pad", lambda m, mode=_mode: lambda x: m.pad(x, ((1, 2), (0, 1)), mode), "f ab", label=_mode)
_methods("pad", lambda m: lambda x: m.pad(x, 0), "f ab", label="none")
for _name in "flip fliplr flipud atleast_1d atleast_2d atleast_3d".split():
    _add(_name, *_same(_name), "f ab")
_methods("flip", lambda m: lambda x: m.flip(x, 1), "f abc", label="one")
for _turns in range(4):
    _methods("rot90", lambda m, turns=_turns: lambda x: m.rot90(x, turns), "f ab", label=str(_turns))
_methods("meshgrid", lambda m: lambda x, y: m.meshgrid(x, y), "f a", "f b")
_add("shape", fw.shape, lambda x: np.array(x.shape, np.int32), "f ab")
_add("dim", lambda x: fw.as_tensor(fw.dim(x, 1)), lambda x: np.int64(x.shape[1]), "f ab")

# Indices.
for _label, _key in {
    "rest": slice(1, None), "front": slice(None, -1), "steps": slice(None, None, 2), "back": slice(None, None, -1),
    "back steps": slice(None, None, -2), "none": slice(0, 0), "far": slice(5, 9), "first": slice(0, 1),
    "columns": (slice(None), slice(1, None)), "both": (slice(1, None), slice(None, 1)), "int": (..., 0),
    "last": -1, "new": (None, ..., None), "list": [0, -1], "lists": ([0, 0], [-1, 0]), "empty": (..., []),
}.items():  # fmt: skip
    _methods("getitem", lambda m, key=_key: lambda x: x[key], "f ab", label=_label)
    _kinds: Any = {"set": lambda x, k: _assigned(x, k, 2.0), "add": lambda x, k: _assigned(x, k, x[k] + 2)}
    for _kind, _how in _kinds.items():
        if not (_kind == "add" and "list" in _label):
            _add(f"at {_kind} {_label}", lambda x, key=_key, kind=_kind: getattr(x.at[key], kind)(2.0),
                 lambda x, key=_key, how=_how: how(x, key), "f ab")  # fmt: skip
    if "list" not in _label:
        _add(f"at multiply {_label}", lambda x, key=_key: x.at[key].multiply(2.0),
             lambda x, key=_key: _assigned(x, key, x[key] * 2), "f ab")  # fmt: skip


def _assigned(x: Any, key: Any, value: Any) -> Any:
    result = x.copy()
    result[tuple(key) if isinstance(key, tuple) else key] = value
    return result


def _added(x: Any, key: Any, value: Any) -> Any:
    result = x.copy()
    np.add.at(result, key, value)
    return result


_methods("take", lambda m: lambda x, k: m.take(x, k, 0), "f ab", "x<a c")
_methods("take", lambda m: lambda x, k: m.take(x, k, 1), "f ab", "x<b cd", label="columns")
_methods("getitem", lambda m: lambda x, k: x[k], "f ab", "x<a c", label="tensor")
_methods("getitem", lambda m: lambda x, k, n: x[k, n], "f ab", "x<a c", "x<b c", label="tensors")
_methods("take_along_axis", lambda m: lambda x, k: m.take_along_axis(x, k, 1), "f ab", "x<b ac")
_add("at tensor", lambda x, k, y: x.at[k].add(y), lambda x, k, y: _added(x, k, y), "f ab", "x<a c", "f cb")
_add("at tensors", lambda x, k, n: x.at[k, n].set(2.0), lambda x, k, n: _assigned(x, (k, n), 2.0),
     "f ab", "x<a c", "x<b c")  # fmt: skip
_add("at where", lambda x: x.at[x > 0].set(1.0), lambda x: np.where(x > 0, np.float32(1), x), "f ab")

# Along dimensions.
for _name in ("sum prod mean std var all any count_nonzero nansum nanprod nanmean nanstd nanvar max min nanmax nanmin "
              "ptp median").split():  # fmt: skip
    for _axis in (None, 0, 1, (0, 1)):
        _methods(_name, lambda m, name=_name, axis=_axis: lambda x: getattr(m, name)(x, axis), "f ab", label=str(_axis))
for _name in ("sum", "prod", "max", "mean"):
    _methods(_name, lambda m, name=_name: lambda x: getattr(m, name)(x, 1), "i ab", label="integers")
for _name in "argmax argmin cumsum cumprod".split():
    for _axis in (None, 0, 1):
        _methods(_name, lambda m, name=_name, axis=_axis: lambda x: getattr(m, name)(x, axis), "f ab", label=str(_axis))
for _axis in (None, 0):
    _add(f"logsumexp {_axis}", lambda x, axis=_axis: fw.logsumexp(x, axis),
         lambda x, axis=_axis: np.log(np.sum(np.exp(x), axis)), "f ab")  # fmt: skip
    _add(f"norm {_axis}", lambda x, axis=_axis: fw.norm(x, axis),
         lambda x, axis=_axis: np.sqrt(np.sum(x * x, axis)), "f ab")  # fmt: skip
_methods("average", lambda m: lambda x, w: m.average(x, 0, m.abs(w) + 1.0), "f ab", "f a")
for _name in "sort argsort".split():
    for _axis in (None, 0, 1):
        _methods(_name, lambda m, name=_name, axis=_axis: lambda x: getattr(m, name)(x, axis), "f ab", label=str(_axis))
for _many in (0, 1):
    _add(f"top_k {_many}", lambda x, k=_many: fw.top_k(x, k),
         lambda x, k=_many: [-np.sort(-x, 1)[:, :k], np.argsort(-x, 1)[:, :k]] if x.shape[1] >= k else _refuse(),
         "f ab")  # fmt: skip
_methods("quantile", lambda m: lambda x: m.quantile(x, [0.25, 0.5], 1), "f ab")
_methods("percentile", lambda m: lambda x: m.percentile(x, 30, 0), "f ab")
_methods("searchsorted", lambda m: lambda x, v: m.searchsorted(m.sort(x), v), "f a", "f bc")
_methods("digitize", lambda m: lambda v, x: m.digitize(v, m.sort(x)), "f bc", "f a")
for _axis in (0, 1):
    _methods("diff", lambda m, axis=_axis: lambda x: m.diff(x, axis=axis), "f ab", label=str(_axis))
    _methods("trapezoid", lambda m, axis=_axis: lambda x: m.trapezoid(x, axis=axis), "f ab", label=str(_axis))
_methods("diff", lambda m: lambda x: m.diff(x, 3, 0), "f ab", label="thrice")
_add("allclose", *_same("allclose"), "f ab", "f ab")
_add("array_equal", *_same("array_equal"), "f ab", "f ab")
_add("bincount", lambda k: fw.bincount(k, length=4), lambda k: np.bincount(k, minlength=4), "x<a c")
_methods("histogram", lambda m: lambda x: m.histogram(x, 3, (-1.0, 1.0)), "f ab")
_methods("histogram", lambda m: lambda x: m.histogram(x, 3), "f ab", label="own range")
_methods("histogram", lambda m: lambda x, e: m.histogram(x, m.sort(e)), "f ab", "f c", label="edges")
_methods("interp", lambda m: lambda x, y, z: m.interp(x, m.sort(y), z), "f ab", "f c", "f c")
_methods("polyval", lambda m: m.polyval, "f a", "f b")
for _mode in ("full", "same", "valid"):
    _methods("convolve", lambda m, mode=_mode: lambda x, y: m.convolve(x, y, mode), "f a", "f b", label=_mode)
_add("cov", *_same("cov"), "f ab")
_methods("cov", lambda m: lambda x: m.cov(x), "f a", label="vector")
_methods("cov", lambda m: lambda x: m.cov(x, rowvar=False), "f ab", label="columns")
_add("corrcoef", *_same("corrcoef"), "f ab")

# Products.
for _name, _forms in {
    "matmul": ("f ab|f bc", "f a|f a", "f ab|f b", "f a|f ab", "f dab|f dbc", "f dab|f bc", "f ab|f dbc", "i ab|i bc",
               "f d1ab|f ebc"),
    "dot": ("f ab|f bc", "f a|f a", "f ab|f b", "f dab|f cbe", "f ab|f"),
    "inner": ("f ab|f cb", "f a|f a", "f dab|f b"),
    "outer": ("f a|f b",), "vdot": ("f ab|f ab",), "kron": ("f ab|f cd", "f a|f cd"), "vecdot": ("f ab|f ab",),
}.items():  # fmt: skip
    for _form in _forms:
        if _name == "vecdot":
            _add(f"vecdot {_form}", fw.vecdot, lambda x, y: (x * y).sum(-1), *_form.split("|"))
        else:
            _add(f"{_name} {_form}", *_same(_name), *_form.split("|"))
for _axes in (0, 1, 2, ([0], [1])):
    _methods("tensordot", lambda m, axes=_axes: lambda x, y: m.tensordot(x, y, axes),
             *{"0": ("f ab", "f cd"), "1": ("f ab", "f bc"), "2": ("f abc", "f bcd")}.get(str(_axes), ("f ab", "f ca")),
             label=str(_axes))  # fmt: skip
for _equation in ("ab,bc->ac", "ab,ab->", "ab->ba", "ab->", "ab,bc,cd->ad", "dab,dbc->dac", "ab,b->a", "a,b->ab",
                  "ab,cb->abc", "aab->ab", "aa->", "abc->b", "ab,ac->bc"):  # fmt: skip
    _methods("einsum", lambda m, equation=_equation: lambda *x: m.einsum(equation, *x),
             *[f"f {letters}" for letters in _equation.partition("->")[0].split(",")], label=_equation)  # fmt: skip
for _name, _label, _how in (
    ("diag", "vector", lambda m: lambda x: m.diag(x[:, 0] if x.ndim > 1 else x)),
    ("diag", "above", lambda m: lambda x: m.diag(x, 1)), ("trace", "", lambda m: lambda x: m.trace(x)),
    ("tril", "", lambda m: lambda x: m.tril(x)), ("triu", "above", lambda m: lambda x: m.triu(x, 1)),
    ("diagonal", "", lambda m: lambda x: m.diagonal(x)), ("diagonal", "below", lambda m: lambda x: m.diagonal(x, -1)),
):  # fmt: skip
    _methods(_name, _how, "f a" if _label == "vector" else "f ab", label=_label)
_methods("diagonal", lambda m: lambda x: m.diagonal(x, 0, 1, 2), "f abc", label="of three")

# Made of nothing.
for _name in "zeros ones".split():
    _methods(_name, lambda m, name=_name: lambda x: getattr(m, name)(x.shape, "float32"), "f ab")
_methods("full", lambda m: lambda x: m.full(x.shape, 2.0, "float32"), "f ab")
for _name in "zeros_like ones_like".split():
    _add(_name, *_same(_name), "f ab")
_methods("full_like", lambda m: lambda x: m.full_like(x, 3.0), "f ab")
_methods("arange", lambda m: lambda x: m.arange(x.shape[0], dtype="float32"), "f a")
_methods("eye", lambda m: lambda x: m.eye(*x.shape, dtype="float32"), "f ab")
_methods("identity", lambda m: lambda x: m.identity(x.shape[0], "float32"), "f a")
_methods("linspace", lambda m: lambda x: m.linspace(0, 1, x.shape[0], dtype="float32"), "f a")
_methods("logspace", lambda m: lambda x: m.logspace(0, 1, x.shape[0], dtype="float32"), "f a")
_methods("tri", lambda m: lambda x: m.tri(*x.shape, dtype=np.float32), "f ab")
_add("one_hot", lambda k: fw.one_hot(k, 4), lambda k: np.eye(4, dtype=np.float32)[k], "x<c ab")
_add("one_hot none", lambda k: fw.one_hot(k, 0), lambda k: np.zeros((*k.shape, 0), np.float32), "x<e ab")

# Matrices.
for _name in "inv det cholesky".split():
    for _form in ("s aa", "s baa"):
        _add(f"linalg.{_name} {_form}", getattr(linalg, _name), getattr(np.linalg, _name), _form)
_add("linalg.slogdet", linalg.slogdet, lambda x: [*np.linalg.slogdet(x)], "s baa")
_add("linalg.lu_factor", lambda x: linalg.lu_factor(x)[0], None, "s baa")
_add("linalg.solve", linalg.solve, np.linalg.solve, "s aa", "f ab")
_add("linalg.solve batch", linalg.solve, np.linalg.solve, "s baa", "f bac")
_add("linalg.solve_triangular", lambda a, b: linalg.solve_triangular(a, b, lower=True),
     lambda a, b: np.linalg.solve(np.tril(a), b), "s aa", "f ab")  # fmt: skip
for _power in (0, 2, -1):
    _add(f"linalg.matrix_power {_power}", lambda x, n=_power: linalg.matrix_power(x, n),
         lambda x, n=_power: np.linalg.matrix_power(x, n), "s aa")  # fmt: skip
_add("linalg.multi_dot", lambda *x: linalg.multi_dot(x), lambda *x: np.linalg.multi_dot(x), "f ab", "f bc", "f cd")
_add("linalg.pinv", linalg.pinv, np.linalg.pinv, "s aa")
for _form in ("f ab", "f ba", "f cab"):
    _add(f"linalg.qr {_form}", lambda x: [*linalg.qr(x)], lambda x: [*np.linalg.qr(x)], _form)
    # Vectors but for their signs.
    _add(f"linalg.svd {_form}", lambda x: [fw.abs(y) for y in linalg.svd(x)],
         lambda x: [np.abs(y) for y in np.linalg.svd(x, full_matrices=False)], _form)  # fmt: skip
    _add(f"linalg.svdvals {_form}", linalg.svdvals, np.linalg.svdvals, _form)
_add("linalg.eigh", lambda x: [fw.abs(y) for y in linalg.eigh(x)],
     lambda x: [np.abs(y) for y in np.linalg.eigh(x)], "s baa")  # fmt: skip
_add("linalg.eigvalsh", linalg.eigvalsh, np.linalg.eigvalsh, "s baa")
for _ord in (None, 1, 2, 3, np.inf, 0):
    _add(f"linalg.norm {_ord}", lambda x, o=_ord: linalg.norm(x, o, 1), lambda x, o=_ord: np.linalg.norm(x, o, 1),
         "f ab")  # fmt: skip
for _ord in ("fro", 1, -1, np.inf):
    _add(f"linalg.norm of matrices {_ord}", lambda x, o=_ord: linalg.norm(x, o, (0, 1)),
         lambda x, o=_ord: np.linalg.norm(x, o, (0, 1)), "f ab")  # fmt: skip


# Layers: activations, products, norms, windows and losses of no rows; a mean of nothing is NaN.
_activations: Any = {
    "relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)), "silu": lambda x: x / (1 + np.exp(-x)),
    "softplus": lambda x: np.log1p(np.exp(x)), "softsign": lambda x: x / (1 + np.abs(x)),
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1), "gelu": None, "selu": None, "l2_loss":
    lambda x: (x * x).sum() / 2, "stop_gradient": lambda x: x,
    "softmax": lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
    "log_softmax": lambda x: x - np.log(np.exp(x).sum(-1, keepdims=True)),
}
for _name, _theirs in _activations.items():
    _add(f"nn.{_name}", getattr(nn, _name), _theirs, "f ab")
_add("nn.leaky_relu", lambda x: nn.leaky_relu(x, 0.1), lambda x: np.where(x > 0, x, 0.1 * x), "f ab")
_losses: Any = {
    "mean_squared_error": lambda p, y: (p - y) ** 2, "mean_absolute_error": lambda p, y: np.abs(p - y),
    "hinge": lambda p, y: np.maximum(1 - p * y, 0), "squared_hinge": lambda p, y: np.maximum(1 - p * y, 0) ** 2,
    "mean_absolute_percentage_error": None, "mean_squared_logarithmic_error": None, "huber": None, "log_cosh": None,
    "poisson": None, "kl_divergence": None, "cosine_proximity": None, "categorical_hinge": None,
    "binary_crossentropy": None, "categorical_crossentropy": None, "sigmoid_cross_entropy": None,
    "softmax_cross_entropy": None,
}
for _name, _theirs in _losses.items():
    for _kind in ("mean", "sum", "none"):
        _add(f"nn.{_name} {_kind}", lambda p, y, name=_name, kind=_kind: getattr(nn, name)(p, y, reduction=kind),
             None if _theirs is None or _kind == "none" else
             lambda p, y, f=_theirs, kind=_kind: getattr(f(p, y).mean(-1), kind)(), "f ab", "f ab")  # fmt: skip
_add("nn.sparse_softmax_cross_entropy", nn.sparse_softmax_cross_entropy,
     lambda x, k: None if x.shape[1] else _refuse(), "f ab", "x<b a")  # fmt: skip
_add("nn.dense", nn.dense, lambda x, w, b: x @ w + b, "f ab", "f bc", "f c")
_add("nn.matmul", nn.matmul, np.matmul, "f dab", "f dbc")
_add("nn.matmul transposed", lambda x, y: nn.matmul(x, y, transpose_a=True, transpose_b=True),
     lambda x, y: np.matmul(np.swapaxes(x, 1, 2), np.swapaxes(y, 1, 2)), "f dba", "f dcb")  # fmt: skip
_add("nn.attention", nn.attention, None, "f dab", "f dcb", "f dcb")
_add("nn.embedding", nn.embedding, lambda t, k: t[k], "f ab", "x<a cd")
_add("nn.gather", lambda t, k: nn.gather(t, k, 1), lambda t, k: np.take(t, k, 1), "f ab", "x<b cd")
_add("nn.layer_norm", lambda x, g, b: nn.layer_norm(x, g, b, axes=[1]), None, "f ab", "f b", "f b")
_add("nn.rms_norm", lambda x, g: nn.rms_norm(x, g, axes=[1]), None, "f ab", "f b")
_add("nn.group_norm", lambda x: nn.group_norm(x, 2), None, "f ab4")
_add("nn.rotary", nn.rotary, None, "f ab4")
_add("nn.batch_norm_training", lambda x, g, b: nn.batch_norm_training(x, g, b), None, "f ab", "f b", "f b")
_add("nn.batch_norm_inference", lambda x, m, v: nn.batch_norm_inference(x, m, fw.abs(v)), None, "f ab", "f b", "f b")
_add("nn.dropout", lambda x: nn.dropout(x, 0.5, training=False), lambda x: x, "f ab")
_add("nn.one_hot", lambda k: nn.one_hot(k, 4), lambda k: np.eye(4, dtype=np.float32)[k], "x<c ab")
_add("nn.logcumsumexp", lambda x: nn.logcumsumexp(x, 0), lambda x: np.log(np.cumsum(np.exp(x), 0)), "f ab")
_add("nn.scatter_add", lambda x, k, u: nn.scatter_add(x, k, u, 0), lambda x, k, u: _added(x, k, u), "f ab", "x<a c",
     "f cb")  # fmt: skip
_add("nn.triangle", lambda x: nn.triangle(x, "lower"), lambda x: np.tril(x), "f dab")
_add("nn.conv2d", lambda x, w: nn.conv2d(x, w, padding="same"), _of_filter, "f a54b", "f 32bc")
_add("nn.conv2d valid", nn.conv2d, _of_filter, "f a54b", "f 32bc")
_add("nn.conv2d_transpose", nn.conv2d_transpose, _of_filter, "f a54c", "f 32bc")
for _name in ("avg_pool2d", "max_pool2d"):
    _add(f"nn.{_name}", lambda x, name=_name: getattr(nn, name)(x, [2, 2]), None, "f a64b")
_add("nn.lstsq", lambda a, b: nn.lstsq(a, b, l2=0.5), None, "f ab", "f ac")
