# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for JAX, from files that record_jax.py wrote: the parts of `jax` and `jaxlib` that the importer uses.

`install` makes them what `import jax` finds. Their `jax.export.export` returns the modules of a `RecordedFunction`, one
after the other: text of StableHLO in MLIR's generic form, in which the recorder found the importer's own marks already.
So a function's jaxpr has no equations here, and functions with derivatives of their own are not recorded. The module is
read by `replayed_stablehlo`. An attribute of `jax` that is not here raises AttributeError, and is added where the
importer asks for more.
"""

import contextlib
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

import replayed_stablehlo
from stand_in_modules import make_module

#
# Trees
#


class TreeDef:
    """The form of a tree: the kind of each node, its keys, and the forms of its parts."""

    def __init__(self, kind: Any, keys: Sequence[Any] = (), parts: Sequence["TreeDef"] = ()):
        self.kind, self.keys, self.parts = kind, tuple(keys), tuple(parts)

    @property
    def num_leaves(self) -> int:
        return 1 if self.kind is None else sum(part.num_leaves for part in self.parts)

    def children(self) -> List["TreeDef"]:
        return list(self.parts)

    def build(self, leaves: List[Any]) -> Any:
        if self.kind is None:
            return leaves.pop(0)
        found = [part.build(leaves) for part in self.parts]
        if self.kind is dict:
            return dict(zip(self.keys, found))
        return None if self.kind is type(None) else self.kind(found)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, TreeDef) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.kind, self.keys, self.parts))


def tree_flatten(tree: Any) -> Tuple[List[Any], TreeDef]:
    found, form = tree_flatten_with_path(tree)
    return [leaf for _, leaf in found], form


def tree_flatten_with_path(tree: Any) -> Tuple[List[Any], TreeDef]:
    if isinstance(tree, dict):
        keys: Sequence[Any] = sorted(tree)
        values: Sequence[Any] = [tree[key] for key in keys]
    elif isinstance(tree, (list, tuple)):
        keys, values = range(len(tree)), tree
    elif tree is None:
        return [], TreeDef(type(None))
    else:
        return [((), tree)], TreeDef(None)
    leaves, parts = [], []
    for key, value in zip(keys, values):
        found, part = tree_flatten_with_path(value)
        leaves += [((key, *path), leaf) for path, leaf in found]
        parts.append(part)
    return leaves, TreeDef(type(tree), keys, parts)


def tree_map(function: Callable[..., Any], tree: Any) -> Any:
    leaves, form = tree_flatten(tree)
    return form.build([function(leaf) for leaf in leaves])


def tree_unflatten(form: TreeDef, leaves: Sequence[Any]) -> Any:
    return form.build(list(leaves))


#
# Functions
#


class ShapeDtypeStruct:
    def __init__(self, shape: Sequence[Any], dtype: Any):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)


class InconclusiveDimensionOperation(Exception):
    """A comparison of sizes that JAX cannot tell."""


class Size(str):
    """A size that a call chooses: in comparisons, nothing is known of it but that it is positive."""

    def __le__(self, other: Any) -> bool:
        raise InconclusiveDimensionOperation("inconclusive")

    def __ge__(self, other: Any) -> bool:
        if other <= 1:
            return True
        raise InconclusiveDimensionOperation("inconclusive")


class RecordedFunction:
    """A function of files of record_jax.py: what JAX exported of it, in the order in which the importer asks."""

    def __init__(self, exports: List[Dict[str, Any]], modules: List[str]):
        self.exports = list(zip(exports, modules))

    def __call__(self, *arguments: Any) -> Any:
        raise AssertionError("a recorded function is exported, not run")


_CURRENT: List[RecordedFunction] = []


@contextlib.contextmanager
def replaying(function: RecordedFunction) -> Any:
    """Within this, what is exported is this function."""
    _CURRENT.append(function)
    yield
    _CURRENT.pop()


def _struct_tree(recorded: Any) -> Any:
    """Returns the result of a function: a leaf is {"dtype", "shape"}."""
    if isinstance(recorded, dict) and set(recorded) == {"dtype", "shape"}:
        return ShapeDtypeStruct([Size(one) if isinstance(one, str) else one for one in recorded["shape"]],
                                recorded["dtype"])  # fmt: skip
    if isinstance(recorded, dict) and "tuple" in recorded:
        return tuple(_struct_tree(one) for one in recorded["tuple"])
    if isinstance(recorded, list):
        return [_struct_tree(one) for one in recorded]
    return {key: _struct_tree(one) for key, one in recorded.items()}


class _Jaxpr(SimpleNamespace):
    def replace(self, **changes: Any) -> "_Jaxpr":
        return _Jaxpr(**{**vars(self), **changes})


def _make_jaxpr(function: Any, return_shape: bool) -> Callable[..., Any]:
    def trace(*arguments: Any) -> Any:
        recorded, _ = _CURRENT[-1].exports[0]
        return SimpleNamespace(jaxpr=_Jaxpr(eqns=[]), consts=[]), _struct_tree(recorded["result"])

    return trace


def _export(function: Any, disabled_checks: Any, platforms: Any) -> Callable[..., Any]:
    def run(*leaves: Any) -> Any:
        recorded, text = _CURRENT[-1].exports.pop(0)
        return SimpleNamespace(out_avals=tree_flatten(_struct_tree(recorded["result"]))[0],
                               module_kept_var_idx=recorded["kept"], mlir_module=lambda: text)  # fmt: skip

    return run


class _Primitive:
    """A primitive: nothing calls it here."""

    def __init__(self, name: str):
        self.name = name

    def _define(self, *rule: Any) -> None:
        """Defines nothing."""

    def_abstract_eval = def_effectful_abstract_eval = abstract_eval = bind = _define


def install() -> None:
    """Makes `import jax` find what is here."""
    primitive = _Primitive("")
    make_module("jax", __file__="/jax/__init__.py", __path__=[], Array=type("Array", (), {}),
            jit=lambda function: function,
            ShapeDtypeStruct=ShapeDtypeStruct, make_jaxpr=_make_jaxpr)  # fmt: skip
    make_module("jax.tree_util", tree_flatten=tree_flatten, tree_flatten_with_path=tree_flatten_with_path,
            tree_leaves=lambda tree: tree_flatten(tree)[0], tree_structure=lambda tree: tree_flatten(tree)[1],
            tree_map=tree_map, tree_unflatten=tree_unflatten,
            keystr=lambda keys, simple, separator: separator.join(str(key) for key in keys))  # fmt: skip
    make_module("jax.export", export=_export, DisabledSafetyCheck=SimpleNamespace(custom_call=str))
    make_module("jax.errors", InconclusiveDimensionOperation=InconclusiveDimensionOperation)
    make_module("jax.dtypes", extended="extended", canonicalize_dtype=np.dtype,
            issubdtype=lambda dtype, kind: kind != "extended" and np.issubdtype(dtype, kind))  # fmt: skip
    make_module("jax.numpy", asarray=np.asarray, iscomplexobj=np.iscomplexobj, inexact=np.inexact)
    make_module("jax.lax", gather_p=primitive,
            linalg=SimpleNamespace(eigh_p=primitive, lu_p=primitive, qr_p=primitive, svd_p=primitive))  # fmt: skip
    make_module("jax.extend", __path__=[])
    make_module("jax.extend.core", Primitive=_Primitive, ClosedJaxpr=lambda jaxpr, consts: SimpleNamespace(jaxpr=jaxpr),
            Jaxpr=_Jaxpr, Literal=type("Literal", (), {}), jaxpr_as_fun=lambda closed: closed)  # fmt: skip
    make_module("jax.interpreters", __path__=[])
    make_module("jax.interpreters.mlir", register_lowering=lambda *what: None, lower_fun=lambda *what, **named: None,
            make_ir_context=contextlib.nullcontext)  # fmt: skip
    make_module("jaxlib", __path__=[])
    make_module("jaxlib.mlir", __path__=[])
    ir = make_module("jaxlib.mlir.ir")
    vars(ir).update({name: one for name, one in vars(replayed_stablehlo).items() if not name.startswith("_")})
    make_module("jaxlib.mlir.dialects", __path__=[])
    numbers = {f"{name}DimensionNumbers": replayed_stablehlo.DimensionNumbers
               for name in ("Dot", "Conv", "Gather", "Scatter")}  # fmt: skip
    make_module("jaxlib.mlir.dialects.stablehlo", **numbers)
