# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Every parameter of a function of `flywheel.v1` and `flywheel.keras` is read, or is said to have no effect (T9).

A parameter that a body never reads is one of `GENERAL`, which docs/Guides/v1.md lists, belongs to a method that
others call or override with these parameters, or is named in backticks by the docstring of its function or class.
"""

import ast
import re
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import flywheel

# Parameters that choose how TensorFlow computes something, not its value, in whatever function.
GENERAL = {
    "a_is_sparse", "aggregation_method", "b_is_sparse", "caching_device", "colocate_gradients_with_ops",
    "gate_gradients", "infer_shape", "num_parallel_calls", "optimize", "parallel_iterations", "shared_name",
    "swap_memory", "use_cudnn_on_gpu", "use_locking", "use_resource", "validate_indices",
}  # fmt: skip
page = (Path(__file__).parents[2] / "docs/Guides/v1.md").read_text(encoding="utf-8").partition("## ")[0]
assert not [name for name in GENERAL if f"`{name}`" not in page], "docs/Guides/v1.md does not list all"
# Names alone.
GENERAL |= {"name", "self", "cls"}
# Methods whose parameters are those of the ones that call them, or of their base class: hooks, helpers and decoders of
# seq2seq, layers, regularizers, initializers.
METHODS = {
    "after_create_session", "after_run", "after_save", "before_run", "end", "sample", "next_inputs", "finalize", "step",
    "initial_alignments", "call", "build", "compute_mask", "__call__", "get_params", "on_train_end",
}  # fmt: skip


def unread(function: ast.FunctionDef) -> List[str]:
    """Returns the parameters whose values the body never reads."""
    given = function.args
    names = [a.arg for a in [*given.posonlyargs, *given.args, *given.kwonlyargs]]
    names += [a.arg for a in (given.vararg, given.kwarg) if a is not None]
    nodes = [node for part in function.body for node in ast.walk(part)]
    # `_ = x` reads nothing.
    dropped = {id(node.value) for node in nodes if isinstance(node, ast.Assign)
               and all(isinstance(t, ast.Name) and t.id == "_" for t in node.targets)}  # fmt: skip
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            and id(node) not in dropped}  # fmt: skip
    return [name for name in names if name not in read and not name.startswith("_")]


def only_raises(function: ast.FunctionDef) -> bool:
    body = [part for part in function.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    return not body or len(body) == 1 and isinstance(body[0], (ast.Raise, ast.Pass))


def is_private(name: str, in_class: bool) -> bool:
    return in_class and name.startswith("_") and not name.startswith("__")


def functions(nodes: List[ast.stmt], path: str, doc: str, in_class: bool) -> Iterator[Tuple[str, ast.FunctionDef, str]]:
    """Yields the functions of a module, by their names, with the docstrings of these and of their classes."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, f"{path}{node.name}.", ast.get_docstring(node) or "", True)
        elif isinstance(node, ast.FunctionDef):
            own = ast.get_docstring(node) or ""
            if not is_private(node.name, in_class):
                yield path + node.name, node, own + (doc if node.name == "__init__" else "")
        elif isinstance(node, (ast.If, ast.With, ast.Try)):
            yield from functions(node.body, path, doc, in_class)


def silent(source: str) -> List[str]:
    """Returns the parameters of a module that are not read, and not said to have no effect."""
    found = []
    for name, function, doc in functions(ast.parse(source).body, "", "", False):
        if only_raises(function) or function.name in METHODS and "." in name:
            continue
        said = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", doc))))
        found += [f"{name}({one})" for one in unread(function) if one not in GENERAL and one not in said]
    return found


# The test finds what it is for.
assert silent("def f(x, y, z, use_locking): return x") == ["f(y)", "f(z)"]
assert silent("def f(x, **kwargs):\n  _ = kwargs\n  del x") == ["f(x)", "f(kwargs)"]
assert silent("def f(x, y):\n  '''`y` has no effect.'''\n  return x") == []
assert silent("class C:\n  'x'\n  def __init__(self, x): pass\n  def g(self, x): return 1") == ["C.g(x)"]

root = Path(flywheel.__file__).parent
paths = [path for part in ("v1", "keras") for path in sorted((root / part).rglob("*.py"))]
pages = {path: path.read_text(encoding="utf-8") for path in paths}
assert len(pages) > 100
wrong: Dict[str, List[str]] = {str(path.relative_to(root)): silent(text) for path, text in pages.items()}
lines = [f"{path}: {one}" for path, names in wrong.items() for one in names]
assert not lines, "no effect, and nothing says so:\n" + "\n".join(lines)
