# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that use a size `n`, that of the first dimension of `x` [n, 3], 3 to 8: see `sizes_of_calls.py`."""

import copy
import math
from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw

Case = Callable[[Any, Any], Any]

TABLE = np.arange(40, dtype=np.float32)
VARIABLE = fw.Variable(TABLE, name="table")
CASES: Dict[str, Case] = {}
# Python has to know the size: each size has a program of its own, or it is an error.
REFUSED: Dict[str, Case] = {}
# The compiler finds no bound of a buffer: an error for all sizes, a program for each.
UNBOUNDED: Dict[str, Case] = {}


def table() -> Any:
    return fw.constant(TABLE)


def of_number(function: Callable[[Any], Any]) -> Case:
    return lambda x, n: function(n)


def rolled(k: int, is_moved: bool) -> Case:
    return (lambda x, n: fw.roll(x, k - n)) if is_moved else (lambda x, n: fw.roll(x, n + k, 0))


def sliced(source: Any, part: Callable[[Any], slice]) -> Case:
    return lambda x, n: (x if source is None else fw.as_tensor(source))[part(n)]


# Tensors that are made.

CASES.update(
    {
        "arange": lambda x, n: fw.arange(n),
        "arange from": lambda x, n: fw.arange(1, n),
        "arange down": lambda x, n: fw.arange(n, 0, -1),
        "arange n - 6": lambda x, n: fw.arange(n - 6),
        "arange 5 - n": lambda x, n: fw.arange(5 - n),
        "arange n - 6 down": lambda x, n: fw.arange(n - 6, 0, -1),
        "arange float": lambda x, n: fw.arange(n, dtype="float32"),
        "arange by 2": lambda x, n: fw.arange(0, 2 * n, 2),
        "arange n + 2": lambda x, n: fw.arange(n, n + 2),
        "linspace": lambda x, n: fw.linspace(0, 1, n),
        "linspace open": lambda x, n: fw.linspace(0, 1, n, endpoint=False),
        "linspace to n": lambda x, n: fw.linspace(0, n, 5),
        "linspace n + 1": lambda x, n: fw.linspace(-1.0, 1.0, n + 1),
        "linspace f64": lambda x, n: fw.linspace(-n, n, n, "float64"),
        "logspace": lambda x, n: fw.logspace(0, 1, n),
        "logspace open": lambda x, n: fw.logspace(0, n, 4, endpoint=False),
        "zeros": lambda x, n: fw.zeros((n, 2)),
        "zeros n": lambda x, n: fw.zeros(n),
        "ones": lambda x, n: fw.ones((2, n + 1), "int32"),
        "full": lambda x, n: fw.full((n, n), n),
        "full bool": lambda x, n: fw.full([n], True),
        "full_like": lambda x, n: fw.full_like(x, n),
        "constant shape": lambda x, n: fw.constant(1.5, shape=(n, 2)),
        "eye": lambda x, n: fw.eye(n),
        "eye n 4": lambda x, n: fw.eye(n, 4, k=1),
        "eye k": lambda x, n: fw.eye(4, n, k=n - 4),
        "identity": lambda x, n: fw.identity(n),
        "tri": lambda x, n: fw.tri(n),
        "tri n": lambda x, n: fw.tri(3, n, k=-1),
        "one_hot": lambda x, n: fw.one_hot(fw.arange(3), n),
        "one_hot out": lambda x, n: fw.one_hot(fw.constant([0, 4, -1, 2]), n, "int32"),
        "meshgrid": lambda x, n: fw.meshgrid(fw.arange(n), fw.arange(2)),
        "outer": lambda x, n: fw.outer(fw.arange(n), fw.arange(n)),
        "constant": lambda x, n: fw.constant(n),
        "constant float": lambda x, n: fw.constant(n, "float32"),
        "array": lambda x, n: fw.array(n),
        "as_tensor list": lambda x, n: fw.as_tensor([n, 2]),
        "stack": lambda x, n: fw.stack([n, n + 1]),
        "cast": lambda x, n: fw.cast(n, "int64"),
    }
)

# Shapes.

CASES.update(
    {
        "broadcast_to": lambda x, n: fw.broadcast_to(fw.constant([1.0, 2.0]), (n, 2)),
        "tile": lambda x, n: fw.tile(x, (2, n)),
        "tile n": lambda x, n: fw.tile(fw.constant([1, 2]), n),
        "tile list": lambda x, n: fw.tile(fw.constant([[1, 2]]), [n, n + 1]),
        "repeat": lambda x, n: fw.repeat(x, n, 0),
        "repeat flat": lambda x, n: fw.repeat(fw.constant([1, 2]), n),
        "repeat 1": lambda x, n: x.repeat(n, 1),
        "pad": lambda x, n: fw.pad(x, n),
        "pad one side": lambda x, n: fw.pad(x, ((0, n), (1, 0))),
        "pad value": lambda x, n: fw.pad(table(), (n, 1), constant_values=2),
        "pad to 8": lambda x, n: fw.pad(x, [[8 - n, 0], [0, 0]]),
        "pad number": lambda x, n: fw.pad(fw.constant([1, 2]), [(n, n)], 3),
        "split": lambda x, n: fw.split(table(), [n, n + 2]),
        "split n - 1": lambda x, n: fw.split(x, [1, n - 1]),
        "split places": lambda x, n: fw.split(x, [1, 2]),
        "array_split": lambda x, n: fw.array_split(x, 2),
        "array_split n": lambda x, n: fw.array_split(table(), [n]),
        "reshape": lambda x, n: x.reshape(3, n),
        "reshape n * 3": lambda x, n: x.reshape(n * 3),
        "reshape -1": lambda x, n: fw.reshape(x, (n, -1)),
        "reshape size": lambda x, n: x.reshape(x.size),
        "reshape -1 n": lambda x, n: x.reshape(-1, n),
        "reshape prod": lambda x, n: x.reshape(math.prod(x.shape)),
        "reshape ones": lambda x, n: x.reshape(1, n, 3, 1),
        "reshape two": lambda x, n: fw.concatenate([x, x]).reshape(2, n, 3),
        "reshape shape": lambda x, n: x.reshape(x.shape),
        "reshape turned": lambda x, n: x.reshape(*x.shape[::-1]),
        "shape": lambda x, n: fw.shape(fw.zeros((n, 4))),
        "dim": lambda x, n: fw.dim(x, 0),
        "x.shape": lambda x, n: x.shape,
        "x.size": lambda x, n: x.size,
        "tree": lambda x, n: {"a": n, "b": [n, x.size]},
        "flip": lambda x, n: fw.flip(x)[:n],
        "moveaxis": lambda x, n: fw.moveaxis(x, 0, 1) * n,
    }
)
for _k in (0, 1, -2):
    CASES[f"roll n + {_k}"] = rolled(_k, False)
    CASES[f"roll -n + {_k}"] = rolled(_k, True)
CASES["roll both"] = lambda x, n: fw.roll(x, (n // 2, 1), (0, 1))

# Parts.

_SLICES: Dict[str, Callable[[Any], slice]] = {
    "[:n]": lambda n: slice(None, n),
    "[n:]": lambda n: slice(n, None),
    "[-n:]": lambda n: slice(-n, None),
    "[:-n]": lambda n: slice(None, -n),
    "[1:n+1]": lambda n: slice(1, n + 1),
    "[n-1:n+2]": lambda n: slice(n - 1, n + 2),
    "[n::-1]": lambda n: slice(n, None, -1),
    "[:n:2]": lambda n: slice(None, n, 2),
    "[n//2:2*n:3]": lambda n: slice(n // 2, 2 * n, 3),
    "[n:0:-2]": lambda n: slice(n, 0, -2),
}
for _name, _slice in _SLICES.items():
    CASES[f"table{_name}"] = sliced(TABLE, _slice)
    CASES[f"x{_name}"] = sliced(None, _slice)
    CASES[f"variable{_name}"] = sliced(VARIABLE, _slice)
CASES.update(
    {
        "index": lambda x, n: table()[n],
        "index n - 1": lambda x, n: x[n - 1],
        "index -n": lambda x, n: x[-n],
        "index list": lambda x, n: table()[[0, n]],
        "index two": lambda x, n: x[n - 1, 1],
        "index tensor": lambda x, n: x[fw.arange(n) % 2],
        "take": lambda x, n: fw.take(table(), n),
        "take n - 1": lambda x, n: fw.take(x, n - 1, 0),
        "take -n": lambda x, n: fw.take(x, -n, 0),
        "take n - 6": lambda x, n: fw.take(table(), n - 6),
        "take [n - 6]": lambda x, n: fw.take(table(), [n - 6, -1]),
        "take list": lambda x, n: fw.take(table(), [n, n + 1]),
        "at": lambda x, n: x.at[n - 1].set(5.0),
        "at[:n]": lambda x, n: table().at[:n].add(1.0),
        "at[n//2:]": lambda x, n: x.at[n // 2 :].multiply(2.0),
        "at tensor": lambda x, n: x.at[fw.arange(n - 1)].set(1.0),
        "take_along_axis": lambda x, n: fw.take_along_axis(x, fw.full((n, 1), 1), 1),
        "searchsorted": lambda x, n: fw.searchsorted(table(), n),
        "sort": lambda x, n: fw.sort(x, 0),
        "sort descending": lambda x, n: fw.sort(x.T, descending=True),
        "argsort": lambda x, n: fw.argsort(x * x, 0),
        "top_k": lambda x, n: fw.top_k(table(), n)[0],
        "top_k 2": lambda x, n: fw.top_k(x.T, 2),
        "median": lambda x, n: fw.median(x, 0),
        "quantiles": lambda x, n: fw.quantile(x, [0.0, 0.3, 0.5, 1.0]),
        "quantile nearest": lambda x, n: fw.quantile(x, 0.4, 0, method="nearest"),
        "cov": lambda x, n: fw.cov(x),
        "cov of columns": lambda x, n: fw.cov(x, rowvar=False, ddof=0),
        "corrcoef": lambda x, n: fw.corrcoef(x.T * [[1.0], [2.0], [-1.0]]),
        "kron": lambda x, n: fw.kron(x, fw.ones((2, 2))),
        "permutation": lambda x, n: fw.sort(fw.random.permutation(n)),
        "permutation of x": lambda x, n: fw.sort(fw.random.permutation(x), 0),
        "choice": lambda x, n: fw.random.choice(n, (2,), replace=False) >= n,
        "grad sort": lambda x, n: fw.grad(lambda v: (fw.sort(v, 0) * table()[:n, None]).sum())(x),
    }
)

# Arithmetic: the dtype is that of the tensor, as beside a number of Python, and no digit is lost.

CASES.update(
    {
        "x / n": lambda x, n: x / n,
        "x * n": lambda x, n: x * n,
        "n - x": lambda x, n: n - x,
        "x ** n": lambda x, n: x**n,
        "n ** x": lambda x, n: n**x,
        "mean": lambda x, n: x.sum() / n,
        "t % n": lambda x, n: fw.arange(10) % n,
        "t // n": lambda x, n: fw.arange(10) // n,
        "float16": lambda x, n: fw.cast(x, "float16") * n,
        "float64": lambda x, n: fw.cast(x, "float64") * (1 / n),
        "uint8": lambda x, n: fw.cast(fw.arange(4), "uint8") + n,
        "bool": lambda x, n: (x > 0) * n,
        "float64 root": lambda x, n: fw.cast(x, "float64") / n**0.5,
        "int8": lambda x, n: fw.cast(fw.arange(4), "int8") * n,
        "where": lambda x, n: fw.where(fw.arange(10) < n, 1.0, n),
        "clip": lambda x, n: fw.clip(fw.arange(10), 0, n - 1),
        "clip n": lambda x, n: fw.clip(n, 2, 6),
        "cumsum": lambda x, n: fw.cumsum(x, 0) / n,
        "einsum": lambda x, n: fw.einsum("ij,kj->ik", x, x) / n,
        "interp": lambda x, n: fw.interp(n / 3, table(), table()),
    }
)
_NUMBERS: Dict[str, Callable[[Any], Any]] = {
    "n + 1": lambda n: n + 1,
    "1 + n": lambda n: 1 + n,
    "n - 1": lambda n: n - 1,
    "10 - n": lambda n: 10 - n,
    "n * 2": lambda n: n * 2,
    "n / 4": lambda n: n / 4,
    "1 / n": lambda n: 1 / n,
    "n // 2": lambda n: n // 2,
    "17 // n": lambda n: 17 // n,
    "n % 3": lambda n: n % 3,
    "17 % n": lambda n: 17 % n,
    "-n": lambda n: -n,
    "abs": lambda n: abs(n - 6),
    "+n": lambda n: +n,
    "n ** 2": lambda n: n**2,
    "n ** 0.5": lambda n: n**0.5,
    "n ** -1": lambda n: n**-1,
    "~n": lambda n: ~n,
    "n * n - n": lambda n: n * n - n,
    "n << 2": lambda n: n << 2,
    "n >> 1": lambda n: n >> 1,
    "divmod": lambda n: divmod(n, 3),
    "rdivmod": lambda n: divmod(17, n),
    "ceil": lambda n: math.ceil(n / 2),
    "floor": lambda n: math.floor(n / 2),
    "trunc": lambda n: math.trunc(n / 2),
    "round": lambda n: round(n),
    "ceil n": lambda n: math.ceil(n),
    "n * 0.5": lambda n: n * 0.5,
    "0.5 + n": lambda n: 0.5 + n,
    "n % 2.5": lambda n: n % 2.5,
    "n // 0.3": lambda n: n // 0.3,
    "-n // 3": lambda n: (-n) // 3,
    "-n % 3": lambda n: (-n) % 3,
    "(n - 6) // (n + 1)": lambda n: (n - 6) // (n + 1),
    "True + n": lambda n: True + n,
    "sum": lambda n: sum([n, n]),
    "prod": lambda n: math.prod([n, 2, n]),
    "n + int32": lambda n: n + np.int32(2),
    "n * float32": lambda n: n * np.float32(0.5),
    "float32 * n": lambda n: np.float32(0.5) * n,
    "n * int64": lambda n: n * np.int64(3),
    "n * array": lambda n: n * np.arange(3),
    "array * n": lambda n: np.arange(3.0) * n,
    "maximum": lambda n: fw.maximum(n, 4),
    "minimum": lambda n: fw.minimum(4, n),
    "sqrt": lambda n: fw.sqrt(n),
    "log": lambda n: fw.log(n),
    "exp": lambda n: fw.exp(n / 10),
    "==": lambda n: n == 5,
    "!=": lambda n: n != 5,
    "<": lambda n: n < 5,
    "<=": lambda n: n <= 5,
    ">": lambda n: n > 5,
    ">=": lambda n: n >= 5,
    "== 5.0": lambda n: n == 5.0,
    "> 4.5": lambda n: n > 4.5,
    "== text": lambda n: n == "a",
    "== None": lambda n: n == None,  # noqa: E711
    "== -1": lambda n: n == -1,
    ">= 0": lambda n: n >= 0,
    "< 0": lambda n: n < 0,  # noqa: E711
    "int64 ==": lambda n: np.int64(5) == n,
    "float32 <": lambda n: np.float32(4.5) < n,
    "n < n + 1": lambda n: 1 if n < n + 1 else 2,
    "n * 2 == n + n": lambda n: 1 if n * 2 == n + n else 2,
    "(n + 1) * n": lambda n: 1 if (n + 1) * n == n * n + n else 2,
    "tensor ==": lambda n: fw.arange(3) == n,
    "is int": lambda n: isinstance(n, bool),
    "2.0 ** n": lambda n: 2.0**n,
    "list +": lambda n: fw.constant([1, 2]) + n,
    "repr": lambda n: len(f"{(n,)}") * 0,
    "c + c": lambda n: (n > 2) + (n > 4),
    "c + 1": lambda n: (n > 2) + 1,
    "1 - c": lambda n: 1 - (n > 4),
    "n * c": lambda n: n * (n > 4),
    "c / 2": lambda n: (n > 4) / 2,
    "c // 2": lambda n: (n > 4) // 2,
    "c ** 2": lambda n: (n > 4) ** 2,
    "c % 2": lambda n: (n > 4) % 2,
    "c << 2": lambda n: (n > 4) << 2,
    "~c": lambda n: ~(n > 4),
    "-c": lambda n: -(n > 4),
    "+c": lambda n: +(n > 4),
    "abs(c)": lambda n: abs(n > 4),
    "divmod(c, 2)": lambda n: divmod(n > 4, 2),
    "sum of c": lambda n: sum([n > 2, n > 4, n / 2 > 4]),
    "c & c": lambda n: (n > 4) & (n < 6),
    "c | True": lambda n: (n > 4) | True,
    "(c & c) + 1": lambda n: ((n > 4) & (n < 6)) + 1,
    "c == c": lambda n: (n > 2) == (n > 4),
    "c == True": lambda n: (n > 4) == True,  # noqa: E712
    "n % 2 == c": lambda n: n % 2 == (n > 4),
    "c * float32": lambda n: (n > 4) * np.float32(0.5),
    "c * array": lambda n: (n > 4) * np.arange(3),
    "c as int8": lambda n: fw.cast(n > 4, "int8") + (n > 2),
    "n ** 3 % 10 ** 11": lambda n: n**3 % 10**11,
    "floor(n ** 3 / 1)": lambda n: math.floor(n**3 / 1),
    "n + 2 ** 31 in int64": lambda n: fw.cast(n + 2**31, "int64"),
    "n + 2 ** 31 - 2 ** 31": lambda n: n + 2**31 - 2**31,
    "copy": lambda n: copy.copy(n) + copy.deepcopy({"a": (n, n > 4)})["a"][0],
    "np.sqrt": lambda n: np.sqrt(n),
    "np.maximum": lambda n: np.maximum(n, 4),
    "np.ceil": lambda n: np.ceil(n / 2),
    "np.power": lambda n: np.power(2.0, n),
    "np.add": lambda n: np.add(n, 1),
    "np.greater": lambda n: np.greater(n, 4),
    "np.zeros of np.maximum": lambda n: fw.zeros(np.maximum(n, 4)),
    "(n / 3 - 0.1) // 1": lambda n: (n / 3 - 0.1) // 1,
}
for _name, _number in _NUMBERS.items():
    CASES[_name] = of_number(_number)

# Loops, branches, batches and gradients.

CASES.update(
    {
        "fori_loop": lambda x, n: fw.fori_loop(0, n, lambda i, s: s + x[i], fw.zeros(3)),
        "fori_loop n - 1": lambda x, n: fw.fori_loop(1, n - 1, lambda i, s: s + i * n, 0),
        "scan length": lambda x, n: fw.scan(lambda s, _: (s + 1, s * 2), 0, None, length=n),
        "scan": lambda x, n: fw.scan(lambda s, r: (s + r.sum() / n, r * n), 0.0, x),
        "scan both": lambda x, n: fw.scan(lambda s, r: (s + r.sum(), r[0]), 0.0, x, length=n),
        "while": lambda x, n: fw.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] + n), (0, 0)),
        "max_iterations": lambda x, n: fw.while_loop(lambda s: s < 100, lambda s: s + 1, 0, max_iterations=n),
        "cond": lambda x, n: fw.cond(n > 4, lambda: x.sum() * n, lambda: x.sum()),
        "switch": lambda x, n: fw.switch(n - 4, [lambda: 1, lambda: 2, lambda: 3]),
        "map": lambda x, n: fw.map(lambda r: r * n, x),
        "vmap": lambda x, n: fw.vmap(lambda r: r * n + r.shape[0])(x),
        "vmap size": lambda x, n: fw.vmap(lambda c: c.sum() / c.shape[0] + table()[: c.shape[0]].sum(), in_axes=1)(x),
        "vmap reshape": lambda x, n: fw.vmap(lambda c: c.reshape(1, c.shape[0]), in_axes=1)(x),
        "grad": lambda x, n: fw.grad(lambda v: (v * v).sum() / v.shape[0] * n)(x),
        "grad slice": lambda x, n: fw.grad(lambda v: (v * table()[: v.shape[0], None]).sum())(x),
        "grad pad": lambda x, n: fw.grad(lambda v: (fw.pad(v, ((n, 0), (0, 1))) ** 2).sum())(x),
        "grad roll": lambda x, n: fw.grad(lambda v: (fw.roll(v, 2, 0) * v * n).sum())(x),
        "grad tile": lambda x, n: fw.grad(lambda v: (fw.tile(v, (n, 1)) ** 2).sum())(x),
        "grad repeat": lambda x, n: fw.grad(lambda v: (fw.repeat(v, n, 1) ** 2).sum())(x),
        "grad reshape": lambda x, n: fw.grad(lambda v: (v.reshape(3, n) @ fw.ones((n, 2))).sum())(x),
        "grad fori_loop": lambda x, n: fw.grad(lambda v: fw.fori_loop(0, n, lambda i, s: s * 0.5 + v[i].sum(), 0.0))(x),
        "grad broadcast_to": lambda x, n: fw.grad(lambda v: (fw.broadcast_to(v[0], (n, 3)) * v).sum())(x),
        "grad variable": lambda x, n: fw.gradients((VARIABLE[:n] * x[:, 0]).sum(), [VARIABLE])[0],
        "grad cond": lambda x, n: fw.grad(lambda v: fw.cond(n == 5, lambda: v.sum() / n, lambda: (v * v).sum()))(x),
        "grad scan": lambda x, n: fw.grad(lambda v: fw.scan(lambda s, r: (s * 0.9 + (r * r).sum() / n, s), 0.0, v)[0])(
            x
        ),
    }
)
CASES["grad roll n // 2"] = lambda x, n: fw.grad(lambda v: (fw.roll(v, n // 2, 0) * v).sum())(x)
UNBOUNDED["linspace of 1"] = lambda x, n: fw.linspace(2.0, 3.0, n // n)

_PYTHON: Dict[str, Callable[[Any], Any]] = {
    "n & 1": lambda n: n & 1,
    "n | 1": lambda n: n | 1,
    "3 ^ n": lambda n: 3 ^ n,
    "max": lambda n: max(n, 4),
    "min": lambda n: min(n, 4),
    "int": lambda n: int(n),
    "float": lambda n: float(n),
    "math.sqrt": lambda n: math.sqrt(n),
    "np.prod": lambda n: int(np.prod((n, 2))),
    "list * n": lambda n: [1, 2] * n,
    "n * tuple": lambda n: n * (1,),
    "chain": lambda n: 1 if 3 < n < 6 else 2,
    "in tuple": lambda n: 1 if n in (5, 8) else 2,
    "in set": lambda n: 1 if n in {5, 8} else 2,
    "dict": lambda n: {5: 1}.get(n, 2),
    "if": lambda n: 1 if n == 5 else 2,
    "truth": lambda n: 1 if n else 2,
    "or": lambda n: n or 1,
    "range": lambda n: list(range(n)),
    "sum of range": lambda n: sum(range(1, n)),
    "list[n]": lambda n: list(range(18))[n],
    "list[:n]": lambda n: list(range(18))[:n],
    "f-string": lambda n: len(f"{n}"),
    "str": lambda n: len(str(n)),
    "str of c": lambda n: len(f"{n > 4}"),
    "n + 2 ** 31": lambda n: n + 2**31,
    "n - 2 ** 32": lambda n: n - 2**32,
    "n * 2 ** 62": lambda n: n * 2**62 // 2**62,
    "n ** 22": lambda n: n**22 // 3**30,
    "hex": lambda n: int(hex(n), 16),
    "format": lambda n: int(f"{n:03d}"),
    "complex": lambda n: complex(n).real,
    "round(n / 2)": lambda n: round(n / 2),
    "int(n / 2)": lambda n: int(n / 2),
    "math.log": lambda n: math.log(n),
    "gcd": lambda n: math.gcd(n, 6),
    "isclose": lambda n: 1 if math.isclose(n, 5) else 2,
    "np.array": lambda n: np.array([n, 1], np.int32),
    "array[:n]": lambda n: TABLE[:n],
    "2 ** n": lambda n: 2**n,
    "text * n": lambda n: len("a" * n),
    "chr": lambda n: ord(chr(n)),
}
for _name, _number in _PYTHON.items():
    REFUSED[_name] = of_number(_number)
REFUSED.update(
    {
        "constant list": lambda x, n: fw.constant([n, 2]),
        "len": lambda x, n: len(x),
        "iter": lambda x, n: [r.sum() for r in x],
        "unstack": lambda x, n: fw.unstack(x),
        "parts": lambda x, n: fw.array_split(table(), n),
        "step": lambda x, n: table()[::n],
        "rot90": lambda x, n: fw.rot90(x, n),
        "assert": lambda x, n: x if n != 7 else None,
        "matrix_power": lambda x, n: fw.linalg.matrix_power(fw.constant(np.eye(2) * 0.5), n),
        "diff": lambda x, n: fw.diff(table(), n),
    }
)
