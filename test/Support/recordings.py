# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of other frameworks, from files where the framework is not installed.

A test compares a program of ours with the same program of a framework, whose results it asks `Recordings.expect` for.
If the framework is installed, it computes them; otherwise they are those of a file in test/Python/Inputs/recorded. The
scripts record_*.py in this folder write these files, and need the framework.

A file is JSON: the command that wrote it, the versions of what computed the results, and for each program the leaves of
its result. A leaf is null, a boolean, a string, {"bytes": text}, {"objects": list}, or an array with its dtype:
{"float32": 0.5}, {"float32": [0.5, 1.5]} or {"float32": [...], "shape": [...]}. If an array has more than `MOST`
elements, the file has that many, which `sampled` draws by its size.
"""

import importlib.util
import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

FOLDER = Path(__file__).resolve().parent.parent / "Python/Inputs/recorded"
# A folder in which what a framework computes is recorded: a test that runs writes a file of its own name.
VARIABLE = "FLYWHEEL_RECORD"
# The elements that a file has of an array, and where a program has many of them.
MOST = 24
MOST_OF_MANY = 4
MANY = 40


def sampled(array: Any, most: int) -> Any:
    """Returns the elements of an array that a file records: all of them if there are up to `most`, else `most` elements
    that are drawn with a seed of their number."""
    flat = array.reshape(-1)
    if flat.size <= most:
        return flat
    return flat[np.sort(np.random.RandomState(flat.size % 2**32).permutation(flat.size)[:most])]


class Sample:
    """The shape, dtype and sampled elements of an array."""

    def __init__(self, dtype: Any, shape: Sequence[int], values: Any):
        self.dtype, self.shape, self.values = dtype, tuple(shape), values


def _number(value: Any) -> Any:
    """Returns an element as JSON has it: floating-point numbers with the digits that comparisons can see, of float32
    and narrower ones the shortest decimal number that rounds to it."""
    if isinstance(value, (complex, np.complexfloating)):
        return [_number(value.real), _number(value.imag)]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if value.dtype.itemsize == 8:
        return float(f"{value:.12g}")
    return float(str(np.float32(value)))


def encode(leaf: Any, most: int = MOST) -> Any:
    if leaf is None or isinstance(leaf, (str, bool)):
        return leaf
    if isinstance(leaf, bytes):
        return {"bytes": leaf.decode("latin-1")}
    array = np.asarray(leaf)
    if array.dtype.kind in "OSU":
        return {"objects": _encode_objects(array.tolist())}
    values = [_number(one) for one in sampled(array, most)]
    if array.ndim == 0:
        return {array.dtype.name: values[0]}
    is_whole = array.shape == (len(values),)
    return {array.dtype.name: values} if is_whole else {array.dtype.name: values, "shape": list(array.shape)}


def _encode_objects(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_encode_objects(one) for one in tree]
    return {"bytes": tree.decode("latin-1")} if isinstance(tree, bytes) else tree


def decode(leaf: Any) -> Any:
    """Returns a leaf of a file: an array as a `Sample`."""
    if not isinstance(leaf, dict):
        return leaf
    if "bytes" in leaf:
        return leaf["bytes"].encode("latin-1")
    if "objects" in leaf:
        return _decode_objects(leaf["objects"])
    name, values = next(iter(leaf.items()))
    dtype = np.dtype(name)
    is_number = not isinstance(values, list) or (dtype.kind == "c" and not isinstance(values[0], list))
    shape = leaf.get("shape", [] if is_number else [len(values)])
    values = [values] if is_number else values
    values = [complex(*one) for one in values] if dtype.kind == "c" else values
    return Sample(dtype, shape, np.array(values).astype(dtype) if values else np.zeros(0, dtype))


def _decode_objects(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_decode_objects(one) for one in tree]
    return decode(tree)


def filled(spec: Dict[str, Any], seed: int) -> Any:
    """Returns an array of drawn elements, with the shape and dtype of a spec: integers below `below`, or normal numbers
    times `scale` (0.5), of which `positive` takes the absolute values, plus a half."""
    rng, shape = np.random.RandomState(seed + 11), tuple(spec["shape"])
    if "below" in spec:
        return rng.randint(0, spec["below"], shape).astype(spec["dtype"])
    drawn = rng.standard_normal(shape) * spec.get("scale", 0.5)
    return (np.abs(drawn) + 0.5 if spec.get("positive") else drawn).astype(spec["dtype"])


def _format(tree: Any, indent: int) -> str:
    """Returns JSON, with a line for what fits into one, for each array and for each node of a graph."""
    line = json.dumps(tree)
    if not isinstance(tree, (dict, list)) or len(line) + indent <= 118:
        return line
    if isinstance(tree, dict) and {"shape", "values", "name"} & set(tree):
        return line
    if isinstance(tree, dict):
        parts = [f"{json.dumps(key)}: {_format(value, indent + 1)}" for key, value in tree.items()]
    else:
        parts = [_format(value, indent + 1) for value in tree]
    inside = (",\n" + " " * (indent + 1)).join(parts)
    return f"{'{['[isinstance(tree, list)]}\n{' ' * (indent + 1)}{inside}\n{' ' * indent}{'}]'[isinstance(tree, list)]}"


def write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_format(content, 0) + "\n", encoding="utf-8")


def versions_of(*packages: str) -> Dict[str, str]:
    """Returns the versions of Python, of NumPy and of packages."""
    return {"python": platform.python_version(), "numpy": np.__version__, **{one: version(one) for one in packages}}


def compare(own: Any, other: Any, what: str, rtol: float, atol: float) -> None:
    """Compares a result with one of the framework, or with a leaf of a file. Raises AssertionError."""
    if other is None or isinstance(other, (str, bytes, bool)):
        assert np.shape(own) == () and type(own) is type(other), f"{what}: {own!r}, expected {other!r}"
        assert own == other, f"{what}: {own!r}, expected {other!r}"
        return
    a = np.asarray(own)
    b: Any = other if isinstance(other, (Sample, list)) else np.asarray(other)
    if isinstance(b, list) or b.dtype.kind in "OSU":
        expected = b if isinstance(b, list) else b.tolist()
        assert a.tolist() == expected, f"{what}: {a}, expected {b}"
        return
    assert a.shape == b.shape, f"{what}: shape {a.shape}, expected {b.shape}"
    assert a.dtype == b.dtype, f"{what}: {a.dtype}, expected {b.dtype}"
    found, wanted = (sampled(a, b.values.size), b.values) if isinstance(b, Sample) else (a, b)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=what)


class Recordings:
    """The results of a framework, a package, for the programs of one test: `name` is that of the file."""

    def __init__(self, name: str, package: str):
        self._name = name
        self._package = package
        self.is_live = importlib.util.find_spec(package) is not None
        self._folder = os.environ.get(VARIABLE, "")
        self._known: Dict[str, Any] = {}
        if not self.is_live:
            path = FOLDER / f"{name}.json"
            self._known = json.loads(path.read_text(encoding="utf-8"))["programs"]

    def __contains__(self, program: str) -> bool:
        """Returns true if there are results for a program."""
        return self.is_live or program in self._known

    def expect(self, program: str, compute: Callable[[], List[Any]]) -> List[Any]:
        """Returns the leaves of the framework's result of a program, which `compute` returns if it is installed."""
        if not self.is_live:
            assert program in self._known, f"{self._name}.json has no {program}: record it (test/Support/record_*.py)"
            return [decode(leaf) for leaf in self._known[program]]
        found = compute()
        if self._folder:
            assert program not in self._known, f"two programs are named {program}"
            most = MOST if len(found) <= MANY else MOST_OF_MANY
            self._known[program] = [encode(leaf, most) for leaf in found]
            self._write()
        return found

    def _write(self) -> None:
        write_json(Path(self._folder) / f"{self._name}.json", {
            "command": f"test/Support/record_tensorflow.py {self._name}",
            "versions": versions_of("tensorflow", "tf_keras"), "programs": self._known})  # fmt: skip
