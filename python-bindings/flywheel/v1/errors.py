# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.errors`: errors of runs, and the codes that TensorFlow gives them. Runs here raise some of them only."""

from typing import Any, Dict, Optional

from .. import _flywheel

_CODES = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)
_NUMBERS: Dict[str, Any] = {code: number for number, code in enumerate(_CODES)}


class _OpError(Exception):
    """An error of an op: the op, if it is known, a message, and a code."""

    _code = _NUMBERS["UNKNOWN"]

    def __init__(self, node_def: Any = None, op: Any = None, message: str = "", error_code: Optional[int] = None):
        super().__init__(message)
        self.node_def, self.op, self.message = node_def, op, message
        self.error_code = self._code if error_code is None else error_code


class OutOfRangeError(_OpError):
    """The end of the data of an iterator."""

    _code = _NUMBERS["OUT_OF_RANGE"]

    def __init__(self, node_def: Any = None, op: Any = None, message: str = "End of sequence"):
        super().__init__(node_def, op, message)


def _error(code: str) -> Any:
    name = "".join(word.title() for word in code.split("_")) + "Error"

    def __init__(self: Any, node_def: Any = None, op: Any = None, message: str = "") -> None:  # noqa: N807
        _OpError.__init__(self, node_def, op, message)

    words = code.lower().replace("_", " ")
    return name, type(name, (_OpError,), {"__init__": __init__, "_code": _NUMBERS[code], "__doc__": f"Code {words}."})


_OF_RUNS = (
    _flywheel.FailedPreconditionError,
    _flywheel.InvalidArgumentError,
    _flywheel.NotFoundError,
    _flywheel.DataLossError,
)
_CLASSES: Dict[str, Any] = dict(
    _error(code)
    for code in _CODES
    if code not in ("OK", "INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "DATA_LOSS", "OUT_OF_RANGE")
)
_CLASSES.update(
    OutOfRangeError=OutOfRangeError,
    FailedPreconditionError=_flywheel.FailedPreconditionError,
    InvalidArgumentError=_flywheel.InvalidArgumentError,
    NotFoundError=_flywheel.NotFoundError,
    DataLossError=_flywheel.DataLossError,
)
_CODE_OF: Dict[Any, int] = {
    _flywheel.FailedPreconditionError: _NUMBERS["FAILED_PRECONDITION"],
    _flywheel.InvalidArgumentError: _NUMBERS["INVALID_ARGUMENT"],
    _flywheel.NotFoundError: _NUMBERS["NOT_FOUND"],
    _flywheel.DataLossError: _NUMBERS["DATA_LOSS"],
    **{kind: kind._code for kind in _CLASSES.values() if issubclass(kind, _OpError)},
}


def exception_type_from_error_code(error_code: int) -> Any:
    """The class of errors of a code."""
    return next(kind for kind, code in _CODE_OF.items() if code == error_code)


def error_code_from_exception_type(cls: Any) -> int:
    """The code of a class of errors."""
    return _CODE_OF[cls]


# In `except`, the classes that runs raise are among them.
OpError = (_OpError, *_OF_RUNS)
FailedPreconditionError = _flywheel.FailedPreconditionError
InvalidArgumentError = _flywheel.InvalidArgumentError
NotFoundError = _flywheel.NotFoundError
DataLossError = _flywheel.DataLossError
globals().update(_NUMBERS)
globals().update(_CLASSES)


def __getattr__(name: str) -> Any:
    from .namespaces import missing

    raise missing(f"errors.{name}")
