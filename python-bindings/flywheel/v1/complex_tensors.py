# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers of a graph: two tensors, the real and the imaginary parts, which ops compute with and derivatives go
through. Functions of `tf` that take them are listed below; others take `tf.real` and `tf.imag` of one."""

import functools
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .._numerics import complex_pairs as _complex_pairs
from .conversion import as_tensor, constant, make
from .dtypes import DType
from .dtypes import float32 as _f32
from .dtypes import float64 as _f64
from .elementwise import TABLE
from .operation import Tensor, value_in
from .ops import cast as cast_to
from .ops import placeholder


class ComplexDType:
    """The type of complex numbers; `real_dtype` is that of their parts."""

    is_complex = is_numpy_compatible = True
    is_floating = is_integer = is_unsigned = is_bool = is_quantized = False

    def __init__(self, name: str, real_dtype: DType, number: int):
        self.name, self.real_dtype, self.as_datatype_enum = name, real_dtype, number
        self.as_numpy_dtype = np.dtype(name).type
        self.size = np.dtype(name).itemsize

    @property
    def base_dtype(self) -> "ComplexDType":
        return self

    def __eq__(self, other: object) -> bool:
        return complex_dtype(other) is self

    def __hash__(self) -> int:
        return hash(np.dtype(self.name))

    def __repr__(self) -> str:
        return f"tf.{self.name}"


complex64, complex128 = ComplexDType("complex64", _f32, 8), ComplexDType("complex128", _f64, 18)
_OF_PARTS = {"float32": complex64, "float64": complex128}


def complex_dtype(value: Any) -> Optional[ComplexDType]:
    """Returns the complex dtype that a value names, or None."""
    if isinstance(value, ComplexDType):
        return value
    if value is None or isinstance(value, DType):
        return None
    try:
        found = np.dtype(value)
    except (TypeError, ValueError):
        return None
    return {"complex64": complex64, "complex128": complex128}.get(found.name)


def _is_complex(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        # The first one of lists in lists says it.
        return any(isinstance(one, (ComplexTensor, complex)) for one in value) or (
            len(value) > 0 and isinstance(value[0], (list, tuple, np.ndarray)) and _is_complex(value[0]))
    return isinstance(value, (ComplexTensor, complex)) or getattr(getattr(value, "dtype", None), "kind", "") == "c"


def _takes_complex(args: Any, kwargs: Any) -> bool:
    """Returns true if a call has a complex argument."""
    return any(map(_is_complex, args)) or bool(kwargs) and any(map(_is_complex, kwargs.values()))


def _names_complex(place: int) -> Callable[[Any, Any], bool]:
    """Returns a function that returns true if the dtype of a call, the argument at a place, is complex."""
    return lambda args, kwargs: complex_dtype(args[place] if len(args) > place else kwargs.get("dtype")) is not None


class ComplexTensor:
    """A tensor of complex numbers: its real and its imaginary parts, of one shape and dtype."""

    __array_ufunc__ = None

    def __init__(self, real: Tensor, imag: Tensor):
        self._real, self._imag = real, imag

    @property
    def parts(self) -> List[Tensor]:
        """The two tensors that it is made of."""
        return [self._real, self._imag]

    @property
    def dtype(self) -> ComplexDType:
        return _OF_PARTS[self._real.dtype.name]

    @property
    def static_shape(self) -> Any:
        return self._real.static_shape

    @property
    def shape(self) -> Any:
        return self._real.shape

    def get_shape(self) -> Any:
        return self._real.shape

    def set_shape(self, shape: Any) -> None:
        self._real.set_shape(shape)
        self._imag.set_shape(shape)

    @property
    def op(self) -> Any:
        return self._real.op

    @property
    def graph(self) -> Any:
        return self._real.graph

    @property
    def name(self) -> str:
        return str(self._real.name)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, in a session, by default the default one."""
        return value_in(session, self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __getitem__(self, key: Any) -> "ComplexTensor":
        return ComplexTensor(self._real[key], self._imag[key])

    def __add__(self, other: Any) -> "ComplexTensor":
        return _arithmetic("add", self, other)

    def __radd__(self, other: Any) -> "ComplexTensor":
        return _arithmetic("add", other, self)

    def __sub__(self, other: Any) -> "ComplexTensor":
        return _arithmetic("subtract", self, other)

    def __rsub__(self, other: Any) -> "ComplexTensor":
        return _arithmetic("subtract", other, self)

    def __mul__(self, other: Any) -> "ComplexTensor":
        return _arithmetic("multiply", self, other)

    def __rmul__(self, other: Any) -> "ComplexTensor":
        return _arithmetic("multiply", other, self)

    def __truediv__(self, other: Any) -> "ComplexTensor":
        return _arithmetic("divide", self, other)

    def __rtruediv__(self, other: Any) -> "ComplexTensor":
        return _arithmetic("divide", other, self)

    def __neg__(self) -> "ComplexTensor":
        return ComplexTensor(-self._real, -self._imag)

    def __abs__(self) -> Tensor:
        return absolute(self)

    def __bool__(self) -> bool:
        raise TypeError("Using a `tf.Tensor` as a Python `bool` is not allowed.")

    __div__, __rdiv__ = __truediv__, __rtruediv__
    __hash__ = object.__hash__


def as_complex(value: Any, like: Optional[ComplexDType] = None) -> ComplexTensor:
    """Returns a complex tensor of one, of numbers and arrays. Raises TypeError for a tensor of real ones."""
    if isinstance(value, ComplexTensor):
        return value
    if isinstance(value, (list, tuple)) and any(isinstance(one, ComplexTensor) for one in value):
        return ComplexTensor(*[make("Pack", lambda *xs: _ops.stack(list(xs)), *xs)
                               for xs in zip(*[as_complex(one, like).parts for one in value])])  # fmt: skip
    if isinstance(value, Tensor) or hasattr(value, "_as_graph_tensor"):
        raise TypeError(f"expected a complex tensor, found '{value.name}' of {value.dtype.name}: "
                        "tf.cast(x, tf.complex64)")  # fmt: skip
    array = np.asarray(value)
    kind = like or (complex64 if array.dtype == np.complex64 else complex128)
    array = array.astype(kind.as_numpy_dtype)
    return ComplexTensor(constant(array.real.copy()), constant(array.imag.copy()))


def _of_parts(found: Tuple[Tensor, Tensor]) -> ComplexTensor:
    return ComplexTensor(*found)


def _arithmetic(kind: str, a: Any, b: Any, name: Optional[str] = None) -> ComplexTensor:
    """Returns the sum, difference, product or quotient of two, of which one may be numbers."""
    like = a.dtype if isinstance(a, ComplexTensor) else b.dtype
    x, y = as_complex(a, like), as_complex(b, like)
    if x.dtype is not y.dtype:
        raise TypeError(f"Input 'y' of '{kind}' Op has type {y.dtype.name} that does not match type {x.dtype.name} of "
                        "argument 'x': cast one of them")  # fmt: skip

    def emit(c: Any, d: Any, e: Any, f: Any) -> Any:
        if kind in ("add", "subtract"):
            return getattr(_ops, kind)(c, e), getattr(_ops, kind)(d, f)
        if kind == "multiply":
            return _complex_pairs.product((c, d), (e, f))
        wide = _ops.add(_ops.zeros_like(c), _ops.zeros_like(e))
        return _complex_pairs.quotient((_ops.add(c, wide), _ops.add(d, wide)), (_ops.add(e, wide), _ops.add(f, wide)))

    return _of_parts(make(kind, emit, *x.parts, *y.parts, name=name))


def complex_(real: Any, imag: Any, name: Optional[str] = None) -> ComplexTensor:
    """Complex numbers of real and imaginary parts, of float32 or float64."""
    tensor = next((one for one in (real, imag) if hasattr(one, "op")), None)
    a, b = (as_tensor(one, None if tensor is None or hasattr(one, "op") else tensor.dtype) for one in (real, imag))
    if a.dtype != b.dtype or a.dtype not in (_f32, _f64):
        raise TypeError("tf.complex takes a real and an imaginary part of float32, or both of float64, found "
                        f"{a.dtype.name} and {b.dtype.name}: cast them")  # fmt: skip
    both = make("Complex", lambda x, y: (_ops.add(x, _ops.zeros_like(y)), _ops.add(y, _ops.zeros_like(x))), a, b,
                name=name)  # fmt: skip
    return _of_parts(both)


def real(input: Any, name: Optional[str] = None) -> Tensor:
    """The real parts; of real numbers, themselves."""
    return as_complex(input).parts[0] if _is_complex(input) else as_tensor(input)


def imag(input: Any, name: Optional[str] = None) -> Tensor:
    """The imaginary parts; of real numbers, zeros."""
    if _is_complex(input):
        return as_complex(input).parts[1]
    found: Tensor = TABLE["zeros_like"](as_tensor(input), name=name)
    return found


def conj(x: Any, name: Optional[str] = None) -> Any:
    """The complex conjugates; of real numbers, themselves."""
    if not _is_complex(x):
        return as_tensor(x)
    own = as_complex(x)
    return ComplexTensor(own.parts[0], -own.parts[1])


def angle(input: Any, name: Optional[str] = None) -> Tensor:
    """The angles to the positive real numbers, from -pi to pi."""
    if not _is_complex(input):
        x = as_tensor(input)
        of_real: Tensor = TABLE["multiply"](cast_to(TABLE["less"](x, 0), x.dtype), math.pi, name=name)
        return of_real
    found: Tensor = make("Angle", lambda x, y: _complex_pairs.angle((x, y)), *as_complex(input).parts, name=name)
    return found


def absolute(x: ComplexTensor, name: Optional[str] = None) -> Tensor:
    """The distances from 0."""
    found: Tensor = make("ComplexAbs", lambda a, b: _complex_pairs.absolute((a, b)), *x.parts, name=name)
    return found


def cast(x: Any, kind: Any, function: Callable[..., Any], name: Optional[str] = None) -> Any:
    """Returns complex numbers of another dtype, or the real parts."""
    wanted = complex_dtype(kind)
    if wanted is None:
        # As in TensorFlow, with a warning there, the imaginary parts are left out.
        return function(as_complex(x).parts[0], kind, name)
    if _is_complex(x):
        return ComplexTensor(*[function(part, wanted.real_dtype, name) for part in as_complex(x).parts])
    return complex_(function(x, wanted.real_dtype, name), 0.0)


# Functions of `tf` that do to the parts what they do to a tensor.
_EACH = ("expand_dims gather identity negative pad reduce_mean reduce_sum reshape reverse slice squeeze stop_gradient "
         "tile transpose zeros_like cumsum roll matrix_diag matrix_diag_part trace boolean_mask").split()  # fmt: skip
# Functions whose result says nothing of the values.
_SHAPES = ("rank", "shape", "size")
# Functions of lists.
_LISTS = ("add_n", "concat", "stack")
_PAIRS = {"square": lambda x: _complex_pairs.product(x, x), "exp": _complex_pairs.exp, "log": _complex_pairs.log,
          "sqrt": _complex_pairs.sqrt}  # fmt: skip
_OF_TWO = {"add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "truediv": "divide",
           "div": "divide"}  # fmt: skip


def _pieces(found: Sequence[Any]) -> List[ComplexTensor]:
    return [ComplexTensor(a, b) for a, b in zip(*found)]


def also_complex(names: Dict[str, Any]) -> Dict[str, Any]:
    """Returns functions of `tf` that take complex tensors, too."""

    def wrapped(name: str, own: Callable[..., Any], takes: Callable[[Any, Any], bool] = _takes_complex) -> Any:
        function = names[name]

        @functools.wraps(function)
        def op(*args: Any, **kwargs: Any) -> Any:
            if takes(args, kwargs):
                return own(function, *args, **kwargs)
            return function(*args, **kwargs)

        return op

    def split_first(args: Any, kwargs: Any) -> Tuple[Any, Any, Any]:
        if args:
            return args[0], args[1:], kwargs
        key = next(key for key, value in kwargs.items() if _is_complex(value))
        return kwargs[key], (), {k: v for k, v in kwargs.items() if k != key}

    def each(function: Any, *args: Any, **kwargs: Any) -> Any:
        x, rest, named = split_first(args, kwargs)
        return ComplexTensor(*[function(part, *rest, **named) for part in as_complex(x).parts])

    def of_shape(function: Any, *args: Any, **kwargs: Any) -> Any:
        x, rest, named = split_first(args, kwargs)
        return function(as_complex(x).parts[0], *rest, **named)

    def of_list(function: Any, *args: Any, **kwargs: Any) -> Any:
        place = next((k for k, one in enumerate(args) if _is_complex(one)), None)
        key = place if place is not None else next(k for k, one in kwargs.items() if _is_complex(one))
        parts = zip(*[as_complex(one).parts for one in (args if place is not None else kwargs)[key]])  # type: ignore[index]
        made = []
        for part in parts:
            own_args, named = list(args), dict(kwargs)
            (own_args if place is not None else named)[key] = list(part)  # type: ignore[index]
            made.append(function(*own_args, **named))
        return ComplexTensor(*made)

    def pieces(function: Any, *args: Any, **kwargs: Any) -> Any:
        x, rest, named = split_first(args, kwargs)
        return _pieces([function(part, *rest, **named) for part in as_complex(x).parts])

    def of_two(kind: str) -> Callable[..., Any]:
        return lambda _, x, y, name=None: _arithmetic(kind, x, y, name)

    def of_pair(emit: Callable[..., Any], name: str) -> Callable[..., Any]:
        return lambda _, x, name=name: _of_parts(make(name, lambda a, b: emit((a, b)), *as_complex(x).parts))

    def product(
        function: Any, a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
        adjoint_b: bool = False, **_: Any,
    ) -> ComplexTensor:  # fmt: skip
        (c, d), (e, f) = (as_complex(conj(x) if turned else x).parts for x, turned in ((a, adjoint_a), (b, adjoint_b)))
        turns = (transpose_a or adjoint_a, transpose_b or adjoint_b)
        return ComplexTensor(function(c, e, *turns) - function(d, f, *turns),
                             function(c, f, *turns) + function(d, e, *turns))  # fmt: skip

    def placed(_: Any, dtype: Any, shape: Any = None, name: Optional[str] = None) -> ComplexTensor:
        kind = complex_dtype(dtype)
        assert kind is not None
        full = name or "Placeholder"
        return ComplexTensor(*[placeholder(kind.real_dtype, shape, one) for one in (full, f"{full}_imag")])

    def known(function: Any, value: Any, dtype: Any = None, shape: Any = None, name: Any = None, *_: Any,
              **__: Any) -> ComplexTensor:  # fmt: skip
        found = as_complex(value, complex_dtype(dtype))
        return found if shape is None else ComplexTensor(*[constant(part.op.fields.literal, shape=shape)
                                                           for part in found.parts])  # fmt: skip

    def either(args: Any, kwargs: Any) -> bool:
        return _takes_complex(args, kwargs) or _names_complex(1)(args, kwargs)

    return {
        **{name: wrapped(name, each) for name in _EACH if name in names},
        **{name: wrapped(name, of_shape) for name in _SHAPES},
        **{name: wrapped(name, of_list) for name in _LISTS},
        **{name: wrapped(name, of_two(kind)) for name, kind in _OF_TWO.items() if name in names},
        **{name: wrapped(name, of_pair(emit, name)) for name, emit in _PAIRS.items()},
        "abs": wrapped("abs", lambda _, x, name=None: absolute(as_complex(x), name)),
        "matmul": wrapped("matmul", product),
        "cast": wrapped("cast", lambda f, x, dtype, name=None: cast(x, dtype, f, name), either),
        **{f"to_{kind.name}": lambda x, name="ToComplex", kind=kind: cast(x, kind, names["cast"], name)
           for kind in (complex64, complex128)},
        "unstack": wrapped("unstack", pieces), "split": wrapped("split", pieces),
        "placeholder": wrapped("placeholder", placed, _names_complex(0)),
        "constant": wrapped("constant", known, either),
        "convert_to_tensor": wrapped("convert_to_tensor", known, either),
    }  # fmt: skip


def feeds_of(key: ComplexTensor, value: Any) -> List[Tuple[Tensor, Any]]:
    """Returns the feeds of the parts."""
    array = np.asarray(value).astype(key.dtype.as_numpy_dtype)
    return [(key.parts[0], array.real.copy()), (key.parts[1], array.imag.copy())]


def value_of(parts: Sequence[Any]) -> Any:
    """Returns the complex numbers of fetched parts."""
    made = np.empty(np.shape(parts[0]), np.complex64 if parts[0].dtype == np.float32 else np.complex128)
    made.real, made.imag = parts[0], parts[1]
    return made[()] if made.ndim == 0 else made


__all__ = ["angle", "complex128", "complex64", "conj", "imag", "real"]
