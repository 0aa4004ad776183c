# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T9: Python objects of every kind as arguments of the public functions and classes: of the package, `nn`, `linalg`,
`random`, optimizers and initializers, and of `flywheel.v1` and `flywheel.keras`.

A call gives a result or raises an error that names what is wrong: TypeError, ValueError and the like, in words of the
user. One that Python raises by itself inside, such as an AttributeError, is a failure, and so is a signal.
"""

import array
import collections
import dataclasses
import datetime
import decimal
import dis
import enum
import fractions
import inspect
import os
import random
import re
import tempfile
import traceback
import types
import warnings
from typing import Any, Callable, Dict, List, Tuple

import ml_dtypes
import numpy as np

import harness
from batches import Batches
from harness import Failure, Outcome, Report, Rng, choose

# The errors that a user may get; others are Python's, of a mistake inside.
ALLOWED = (TypeError, ValueError, NotImplementedError, LookupError, ZeroDivisionError, MemoryError, OverflowError,
           OSError, Warning)  # fmt: skip
# Files that call the bindings, which say themselves what is wrong.
CALLS_BINDINGS = ("_native.py", "_core/trace.py", "store.py")
# The instruction of a `raise` statement: somebody chose the error.
RAISE = dis.opmap["RAISE_VARARGS"]
# Words in texts of errors that no user has: names inside of the package, ops of MLIR and the types of their operands,
# texts of Python about code that is not the user's, and addresses.
INTERNAL = re.compile(
    r"(?<![\w.'/-])_[a-z]\w+|\bop (operand|result|attribute)\b|tensor<"
    r"|'(arith|math|tensor|linalg|scf|func|nn|train)\.\w+' op"
    r"|has no attribute|object is not|not subscriptable|index out of range|unsupported operand|<locals>|\b0x[0-9a-f]{6}"
    r"|(Attribute|Index|Key|ZeroDivision|Assertion)Error"
)
# Functions with effects on files, devices, processes or the terminal, and those that are slow.
EXCLUDED = re.compile(
    r"^(save|load|restore|export|set_seed|device|profile|lower|compile|cost|parse|data|Session|Store|Program|Module"
    r"|CheckpointManager|get_checkpoint_state|latest_checkpoint|app|flags|gfile|logging|summary|test|train|py_func"
    r"|read_file|write_file|matching_files|InteractiveSession|FIFOQueue|.*Queue|.*Reader|while_loop|fori_loop|scan"
    r"|switch|cond|case|foldl|foldr|map_fn|map|update_checkpoint_state|spec|Function|.*Error|.*Warning|.*Remark"
    r"|import_graph_def|load_.*|get_session_handle|print_.*|Print|user_ops|estimator|contrib|datasets|plot_model|Traced|Operation"
    r"|transposed|clear_session|reset_default_graph|DirectoryIterator|list_pictures)$"
)


# The modules whose names others have, too.
PARTS = {"flywheel.v1.images": ("flywheel.v1.image_",), "flywheel.v1.layers": ("flywheel.v1.layers_volumes",),
         "flywheel.v1.metrics": ("flywheel.v1.metrics_thresholds",),
         "flywheel.v1.contrib.seq2seq": ("flywheel.v1.contrib.",)}  # fmt: skip


class Sized:
    """Says that it has three elements, and has none."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, key: Any) -> Any:
        raise RuntimeError("no element")


class Indexed:
    def __index__(self) -> int:
        return 2


class Floating:
    def __float__(self) -> float:
        return 0.5


class Exploding:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __repr__(self) -> str:
        return "Exploding()"


class Wide(np.ndarray[Any, Any]):
    """A subclass of arrays."""


class Color(enum.Enum):
    RED = 1


class Number(enum.IntEnum):
    ONE = 1


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Holder:
    x: int = 1


def usual(rng: random.Random) -> Any:
    """An argument that many functions take."""
    shape = rng.choice([(2, 3), (2, 3), (3, 3), (3,), (4,), (2, 3, 3), (1, 4, 4, 2), ()])
    values = np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape) * 0.37 - 1
    return rng.choice([
        values.astype(np.float32), values.astype(np.float32), values, values.astype(np.int32), values > 0, 1, 2, 0, -1,
        0.5, (2, 3), [0, 1], True, "float32", "same", None, [values.astype(np.float32)] * 2,
    ])  # fmt: skip


# Expressions; `one` is a matrix of ones.
ODD = """
None; True; 0; -1; 1 << 31; 1 << 63; -(1 << 70); 10**400; 0.0; -0.0; float("nan"); float("inf"); 1e308; 1.5; 1j; ""; "a"
"\\0"; "é"; "a" * 1000; b""; b"\\xff\\0"; bytearray(b"ab"); []; (); {}; set(); [[]]; [1, [2]]; [[1, 2], [3]]; [None]
[1, "a"]; {"a": 1}; {1: 2}; {1, 2}; frozenset("a"); range(3); (i for i in range(3)); iter([1]); slice(None)
slice(1, "a"); ...; NotImplemented; int; type; len; lambda: 1; lambda x: x; np; os; object(); Sized(); Indexed()
Floating(); Exploding(); Color.RED; Number.ONE; Point(1, 2); Holder(); fractions.Fraction(1, 2); decimal.Decimal("0.5")
datetime.datetime(2020, 1, 1); types.SimpleNamespace(shape=(2,), dtype="float32"); memoryview(b"abcd")
array.array("f", [1, 2]); one.view(Wide); np.float32(1); np.int8(3); np.bool_(True); np.str_("a"); np.datetime64("2020")
np.array(["a", "b"]); np.array([b"a"]); np.array([None, 1], object); np.array([1j, 2]); np.zeros(2, "datetime64[s]")
np.zeros(2, "timedelta64[s]"); np.zeros(2, [("a", "f4"), ("b", "i4")]); np.zeros(2, "V4"); np.ones(3, ">f4")
np.ones(3, np.float16); np.ones(3, np.longdouble); np.ones(2, ml_dtypes.bfloat16); np.ones(2, ml_dtypes.float8_e4m3fn)
np.ones(2, ml_dtypes.int4); np.ones((0, 3), np.float32); np.ones((2, 0)); np.float64(2).reshape(()); one[::-1, ::2]
one.T; np.ma.masked_array(one, one > 2); np.ma.masked; np.asmatrix(one); np.broadcast_to(np.float32(1), (2, 3))
np.ones((1,) * 20, np.float32); np.frombuffer(b"0" * 13, np.uint8)[1:].view(np.float32); np.dtype("f4")
np.dtype([("a", "f4")]); np.add; np.random.default_rng(1); fw.float32; "float33"; "int4"; fw.Variable; fw.Tensor
fw.nn.relu; fw.function(lambda x: x); [one, one[:1]]; [one, 1]; (one, "a"); [one] * 2; {"a": one}; np.uint64(1 << 63)
[1 << 70]; [-1, -1]; (1.5, 2); (True, False); [0, 0]; (-3,); (7,); "ij,jk->ik"; "i->"; "valid"; "reflect"; "mean"
"""
# The names that the expressions use.
NAMES: Dict[str, Any] = {
    module.__name__: module for module in (array, datetime, decimal, fractions, ml_dtypes, os, types)
}
NAMES.update({one.__name__: one for one in (Sized, Indexed, Floating, Exploding, Wide, Color, Number, Point, Holder)})
ODD_OBJECTS = [text for line in ODD.strip().splitlines() for text in line.split("; ")]


def odd(rng: random.Random) -> Any:
    """Any object of Python."""
    import flywheel as fw

    return eval(rng.choice(ODD_OBJECTS), {**NAMES, "np": np, "fw": fw, "one": np.ones((2, 3), np.float32)})


@dataclasses.dataclass
class Call:
    """A call; what it is made of is drawn by `seed`, anew when it is made, as objects may be used up."""

    name: str
    seed: int

    def __str__(self) -> str:
        return f"{self.name}, seed {self.seed}"


def describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{type(value).__name__} {value.dtype}{list(value.shape)}>"
    try:
        return repr(value)[:80]
    except Exception:
        return f"<{type(value).__name__}>"


class Arguments(Batches):
    """Objects of Python as arguments."""

    name = "arguments"
    seconds = 120.0
    count = 150

    def add_options(self, parser: Any) -> None:
        parser.add_argument("--function", help="calls of those whose names have this only")

    def take_options(self, options: Any) -> None:
        self.only = options.function or ""

    def prepare(self) -> None:
        import flywheel as fw
        import flywheel.keras as keras
        import flywheel.v1 as tf
        from flywheel.keras import backend

        self.fw: Any = fw
        self.tf: Any = tf
        self.functions: Dict[str, Callable[..., Any]] = {}
        spaces = {
            "fw": fw, "fw.nn": fw.nn, "fw.linalg": fw.linalg, "fw.random": fw.random, "fw.optimizers": fw.optimizers,
            "fw.initializers": fw.initializers, "fw.schedules": fw.schedules, "fw.constraints": fw.constraints,
            "tf": tf, "tf.nn": tf.nn, "tf.math": tf.math, "tf.linalg": tf.linalg, "tf.losses": tf.losses,
            "tf.layers": tf.layers, **self.more_spaces(tf),
            "keras.layers": keras.layers, "keras.losses": keras.losses, "keras.initializers": keras.initializers,
            "keras.regularizers": keras.regularizers, "keras.optimizers": keras.optimizers,
            "keras.activations": keras.activations, "keras.metrics": keras.metrics, "K": backend,
        }  # fmt: skip
        for space, module in spaces.items():
            listed = getattr(module, "__all__", None)
            for name in listed or dir(module):
                found = getattr(module, name, None)
                home = str(getattr(found, "__module__", ""))
                # If a module has no list, names that it imports are not its own.
                own = "flywheel" if listed else vars(module).get("__name__", "flywheel")
                is_own = home.startswith((own, *PARTS.get(own, ())))
                if callable(found) and is_own and not name.startswith("_") and not EXCLUDED.match(name):
                    self.functions[f"{space}.{name}"] = found

    def more_spaces(self, tf: Any) -> Dict[str, Any]:
        from flywheel.keras.preprocessing import image
        from flywheel.v1.contrib import losses, seq2seq

        names = "bitwise compat debugging distributions image initializers manip metrics nest random".split()
        found = {f"tf.{name}": getattr(tf, name) for name in names}
        return {**found, "contrib.losses": losses, "contrib.seq2seq": seq2seq, "tf.contrib.layers": tf.contrib.layers,
                "keras.preprocessing.image": image}  # fmt: skip

    def make_program(self, rng: Rng) -> Call:
        names = [name for name in self.functions if self.only in name]
        return Call(choose(rng, names), int(rng.integers(1 << 40)))

    def draw(self, call: Call) -> Tuple[List[Any], Dict[str, Any]]:
        rng = random.Random(call.seed)
        function = self.functions[call.name]
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (ValueError, TypeError):
            parameters = []
        share = rng.choice([0.15, 0.4, 1.0])
        args: List[Any] = []
        kwargs: Dict[str, Any] = {}

        def value() -> Any:
            return odd(rng) if rng.random() < share else usual(rng)

        for parameter in parameters:
            is_needed = parameter.default is parameter.empty
            if parameter.kind == parameter.VAR_POSITIONAL:
                args += [value() for _ in range(rng.randrange(3))] if not kwargs else []
            elif parameter.kind == parameter.VAR_KEYWORD:
                continue
            elif parameter.kind == parameter.KEYWORD_ONLY or kwargs:
                if is_needed or rng.random() < 0.2:
                    kwargs[parameter.name] = value()
            elif is_needed:
                args.append(value())
            elif rng.random() < 0.3:
                kwargs[parameter.name] = value()
        return args, kwargs

    def check(self, case: harness.Case, report: Report) -> Outcome:
        warnings.simplefilter("ignore")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for call in self.programs:
                self.try_call(call, report)
            os.chdir("/")
        return Outcome("passed")

    def try_call(self, call: Call, report: Report) -> None:
        args, kwargs = self.draw(call)
        text = ", ".join([*map(describe, args), *(f"{name}={describe(value)}" for name, value in kwargs.items())])
        shown = f"{call.name}({text})"
        report(shown[:300])
        function = self.functions[call.name]
        fw, tf = self.fw, self.tf
        try:
            if call.name.startswith(("tf", "K")):
                with tf.Graph().as_default():
                    function(*args, **kwargs)
            elif call.name.startswith("keras"):
                function(*args, **kwargs)
            else:
                fw.function(lambda: self.as_tensors(function(*args, **kwargs))).trace()
        except ALLOWED as error:
            if is_raw(error) or self.has_internal_words(error, shown):
                raise Failure(self.complain(error, shown)) from None
        except RuntimeError as error:
            # Objects and functions that are arguments raise what they like: here one of tensors, called with a shape.
            is_of_argument = str(error) in ("no element", "no array") or (
                "in traced functions" in str(error) and "<function relu" in shown
            )
            if not is_of_argument and not type(error).__module__.startswith("flywheel"):
                raise Failure(self.complain(error, shown)) from None
        except Exception as error:
            if not type(error).__module__.startswith("flywheel"):
                raise Failure(self.complain(error, shown)) from None

    def has_internal_words(self, error: BaseException, shown: str) -> bool:
        """Returns true if the text of an error of the package has words that are not the user's."""
        if isinstance(error, (MemoryError, OSError)) or not is_of_package(error):
            return False
        found = INTERNAL.search(str(error))
        return found is not None and found.group() not in shown

    def as_tensors(self, result: Any) -> Any:
        """Returns the part of a result that a traced function may return."""
        return result if isinstance(result, self.fw.Tensor) else None

    def complain(self, error: BaseException, shown: str) -> str:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "Fuzz" not in frame.filename]
        where = "; ".join(f"{os.path.basename(frame.filename)}:{frame.name}: {frame.line}" for frame in frames[-2:])
        return f"{type(error).__name__} in {where}\n{error}\n{shown}"


def is_of_package(error: BaseException) -> bool:
    """Returns true if the package has raised the error, which a call or an object of a user raises as it likes."""
    trace = error.__traceback__
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(trace)]
    return os.sep + "flywheel" + os.sep in files[-1] and os.path.basename(files[-1]) not in CALLS_BINDINGS


def is_raw(error: BaseException) -> bool:
    """Returns true for an error that Python or NumPy raised in the package, which nobody has written down: it does not
    say which argument of which function it is about. Objects of a user raise what they like."""
    if isinstance(error, MemoryError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    places = [place for _, place in instructions(error)]
    file = frames[-1].f_code.co_filename
    # Python itself says which arguments a function does not have.
    if file == __file__ or file.endswith("/_errors/contracts.py"):
        return False
    if os.sep + "flywheel" + os.sep not in file:
        # Libraries say what is wrong with arrays, and not whose.
        return any(os.sep + name + os.sep in file for name in ("numpy", "ml_dtypes"))
    if file.endswith(CALLS_BINDINGS):
        return "incompatible function arguments" in str(error)
    is_own = type(error).__module__ != "builtins"
    return frames[-1].f_code.co_code[places[-1]] != RAISE and not is_own


def instructions(error: BaseException) -> List[Tuple[Any, int]]:
    """The frames of an error, and where in their code they are."""
    found, trace = [], error.__traceback__
    while trace is not None:
        found.append((trace.tb_frame, trace.tb_lasti))
        trace = trace.tb_next
    return found


if __name__ == "__main__":
    harness.main(Arguments(), cases=20)
