# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors and texts that a run prints at its end, and the texts of arrays."""

import copy
import pprint
import re
import sys
from typing import Any, List, Optional, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor
from .graph import get_default_graph
from .operation import Fields, Operation, Tensor

# The escapes of a string between quotation marks.
_ESCAPES = {"\\": "\\\\", '"': '\\"', "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Stands for a tensor in the text of a structure, and is as wide as TensorFlow's "'{}'", which decides about new lines.
_HOLE = "\0{}\0\0"
_FIRST = 0xF0000


def text_of_number(value: Any, single: bool) -> str:
    """Returns the shortest of the texts of 6 and 9 digits, of 15 and 17 for double precision, that is read as the same
    number."""
    kind = np.float32 if single else np.float64
    number = float(value)
    short = f"{number:.{6 if single else 15}g}"
    return short if kind(short) == kind(number) or number != number else f"{number:.{9 if single else 17}g}"


def _text_of(value: Any, quotes: bool) -> str:
    if isinstance(value, (bytes, str)):
        text = value.decode(errors="surrogateescape") if isinstance(value, bytes) else value
        mark = '"' if quotes else ""
        return mark + "".join(_ESCAPES.get(c, c) for c in text) + mark
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    dtype = np.asarray(value).dtype
    return text_of_number(value, dtype != np.float64) if _dtypes.is_floating(dtype) else str(value)


def text_of_array(array: Any, count: int) -> str:
    """Returns the elements in rows, as `tf.print` does: of each dimension the first and the last `count`, or all of
    them if it is negative."""
    array = np.asarray(array)

    def show(part: Any, axis: int) -> str:
        if axis == array.ndim:
            return _text_of(part, True)
        size = len(part)
        ends = size if count < 0 else count
        shown = [show(part[i], axis + 1) for i in range(min(ends, size))]
        if size > 2 * ends:
            shown = [*shown, "..."] if shown else ["", "..."]
        shown += [show(part[i], axis + 1) for i in range(max(size - ends, ends), size)]
        inner = array.ndim - 1 - axis
        return "[" + ("\n" * inner + " " * (axis + 1) if inner else " ").join(shown) + "]"

    return show(array if array.ndim else array[()], 0)


def summary_of_array(array: Any, count: int) -> str:
    """Returns the first `count` elements, or all if it is negative, as `tf.Print` and `tf.Assert` show them."""
    array = np.asarray(array)
    limit = array.size if count < 0 or not array.size else count
    left = [limit]

    def show(part: Any, axis: int) -> str:
        if axis == array.ndim:
            left[0] -= 1
            return _text_of(part, False)
        if axis < array.ndim - 1:
            rows = []
            for row in part:
                if left[0] > 0:
                    rows.append(f"[{show(row, axis + 1)}]")
            return "".join(rows)
        shown = [show(one, axis + 1) for one in part[: left[0]]]
        return " ".join(shown) + ("..." if axis and len(part) > len(shown) else "")

    shown = show(array if array.ndim else array[()], 0) if limit else ""
    return f"[{shown}{'...' if array.size > limit else ''}]"


def Print(  # noqa: N802
    input_: Any, data: Any, message: Optional[str] = None, first_n: Optional[int] = None,
    summarize: Optional[int] = None, name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The same tensor; a run that needs it prints `data` at its end, to the standard error."""
    graph = get_default_graph()
    if graph._open.contexts:
        raise about("flywheel.v1.Print", NotImplementedError("is not implemented in a branch or the body of a loop: "
                                                             "use it outside"), " ")  # fmt: skip
    x, tensors = as_tensor(input_), [as_tensor(one) for one in data]
    left, count = [-1 if first_n is None else first_n], 3 if summarize is None else summarize

    def show(values: List[Any]) -> None:
        if left[0] != 0:
            left[0] -= 1
            print((message or "") + "".join(summary_of_array(v, count) for v in values), file=sys.stderr)

    op = graph.create("Print", [x], lambda y: y, [(x.dtype, x.static_shape)], name,
                      Fields(prints=(tensors, show)))  # fmt: skip
    return op.outputs[0]


def _plain(value: Any) -> str:
    """Returns the text of a string as it is, without quotation marks, or that of a number."""
    one = np.asarray(value)[()]
    return one.decode(errors="surrogateescape") if isinstance(one, bytes) else _text_of(one, False)


class _Hole:
    """The place of a tensor in a structure that is printed."""

    def __init__(self, place: int):
        self._place = place

    def __repr__(self) -> str:
        return _HOLE.format(chr(_FIRST + self._place))


def _with_holes(value: Any, tensors: List[Tensor]) -> Any:
    """Returns a structure with a hole for each tensor, and appends the tensors."""
    if hasattr(value, "op"):
        tensors.append(as_tensor(value))
        return _Hole(len(tensors) - 1)
    if isinstance(value, dict):
        made = copy.copy(value)
        made.update({key: _with_holes(one, tensors) for key, one in value.items()})
        return made
    if isinstance(value, (list, tuple)):
        parts = [_with_holes(one, tensors) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _template(value: Any, tensors: List[Tensor]) -> Tuple[str, bool]:
    """Returns the text of an input, and true if its tensors are to be written in place of holes."""
    if isinstance(value, str):
        return value, False
    made = _with_holes(value, tensors)
    return repr(made) if isinstance(made, _Hole) else pprint.pformat(made), True


def print_(
    *inputs: Any, output_stream: Any = sys.stderr, summarize: Optional[int] = None, sep: str = " ", end: str = "\n",
    name: Optional[str] = None,
) -> Operation:  # fmt: skip
    """An op after which a run prints tensors, texts and structures of them, at its end: to a stream, or to the file of
    "file://NAME"."""
    graph = get_default_graph()
    if graph._open.contexts:
        raise about("flywheel.v1.print", NotImplementedError("is not implemented in a branch or the body of a loop: "
                                                             "use it outside"), " ")  # fmt: skip
    tensors: List[Tensor] = []
    parts = [_template(one, tensors) for one in inputs]
    count = 3 if summarize is None else summarize
    # A string alone has no quotation marks.
    is_plain = len(inputs) == 1 and hasattr(inputs[0], "op") and tensors[0].static_shape == ()

    def show(values: List[Any]) -> None:
        texts = [_plain(value) if is_plain else text_of_array(value, count) for value in values]

        def filled(hole: Any) -> str:
            return texts[ord(hole[1]) - _FIRST]

        text = sep.join(re.sub("\0(.)\0\0", filled, part) if has_holes else part for part, has_holes in parts) + end
        if isinstance(output_stream, str):
            with open(output_stream[len("file://") :], "a", errors="surrogateescape") as file:
                file.write(text)
        else:
            output_stream.write(text)

    return graph.create("PrintV2", tensors, lambda *_: (), [], name,
                      Fields(prints=(tensors, show)))  # fmt: skip


__all__ = ["Print"]
