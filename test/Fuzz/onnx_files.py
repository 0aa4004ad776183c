# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Files of ONNX with fields that are missing, there twice, of another type or with odd values (B4, B8).

Each is one of the models that ONNX tests its back ends with, changed field by field as protobuf has them, or byte by
byte. A file is imported, or refused with a ValueError or an UnsupportedOpError that names it; a data file that is not
there is a FileNotFoundError. A model that is imported runs, or says why it does not.
"""

import os
import tempfile
import warnings
from typing import Any, Iterator, List, Tuple

import numpy as np
from files import change_bytes

import harness
from harness import Case, Failure, Fuzzer, Outcome, Report, Rng, choose

INTEGERS: List[int] = [
    0, 1, -1, 2, 3, 5, 7, 16, 23, 28, 64, 255, 1000, 65536, 10**6, 2**31 - 1, -(2**31), 2**31, 2**32, 2**33, 2**40,
    2**62, 2**63 - 1, -(2**63)]  # fmt: skip
FLOATS: List[float] = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 3e38, float("inf"), -float("inf"), float("nan")]
TEXTS: List[str] = ["", "x", "y", "NOTSET", "SAME_UPPER", "nearest", "none", "\x00", "é" * 40, "a/b", "../x",
                    "a" * 3000, "Relu", "Loop", "Constant", "%s", "{}", "ai.onnx", "ai.onnx.ml", "location",
                    "offset"]  # fmt: skip
# Elements that a model is fed.
MOST_FED = 1 << 16


def messages(message: Any, depth: int = 0) -> Iterator[Any]:
    """A message of protobuf and those in it."""
    yield message
    if depth > 12:
        return
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in value if field.is_repeated else [value]:
                yield from messages(one, depth + 1)


def names_in(model: Any) -> List[str]:
    found = {"", "x"}
    for node in model.graph.node:
        found.update([*node.input, *node.output])
    found.update(one.name for one in [*model.graph.input, *model.graph.initializer, *model.graph.output])
    return sorted(found)


def odd_value(field: Any, rng: Rng, names: List[str]) -> Any:
    """A value of the field's type."""
    kind = field.cpp_type
    if kind in (field.CPPTYPE_INT32, field.CPPTYPE_INT64, field.CPPTYPE_UINT32, field.CPPTYPE_UINT64):
        bits, is_signed = (32 if "32" in str(kind) else 64), kind in (field.CPPTYPE_INT32, field.CPPTYPE_INT64)
        if kind in (field.CPPTYPE_INT32, field.CPPTYPE_UINT32):
            bits = 32
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
        return min(max(choose(rng, INTEGERS), low), high)
    if kind == field.CPPTYPE_ENUM:
        return choose(rng, list(field.enum_type.values)).number
    if kind in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return choose(rng, FLOATS)
    if kind == field.CPPTYPE_BOOL:
        return bool(rng.integers(2))
    text = choose(rng, names if rng.integers(2) else TEXTS)
    if field.type == field.TYPE_BYTES:
        return rng.bytes(int(rng.integers(20))) if rng.integers(2) else text.encode()
    return text


def change_field(message: Any, rng: Rng, names: List[str]) -> None:
    """One field is cleared, repeated, cut, set or exchanged."""
    present = [field for field, _ in message.ListFields()]
    fields = present if present and rng.integers(4) else list(message.DESCRIPTOR.fields)
    field, action = choose(rng, fields), int(rng.integers(6))
    if action == 0:
        message.ClearField(field.name)
    elif field.is_repeated:
        change_list(getattr(message, field.name), field, action, rng, names)
    elif field.message_type is not None:
        if action == 1:
            getattr(message, field.name).SetInParent()
        else:
            change_field(getattr(message, field.name), rng, names)
    else:
        setattr(message, field.name, odd_value(field, rng, names))


def change_list(items: Any, field: Any, action: int, rng: Rng, names: List[str]) -> None:
    place = int(rng.integers(len(items))) if len(items) else -1
    is_message = field.message_type is not None
    if action == 1 and place >= 0:
        del items[place]
    elif action == 2 and place >= 0:
        for _ in range(int(choose(rng, [1, 1, 2, 100]))):
            if is_message:
                items.add().CopyFrom(items[place])
            else:
                items.append(items[place])
    elif action == 3 and place >= 0 and len(items) > 1:
        other = int(rng.integers(len(items)))
        if is_message:
            one = type(items[place])()
            one.CopyFrom(items[place])
            items[place].CopyFrom(items[other])
            items[other].CopyFrom(one)
        else:
            items[place], items[other] = items[other], items[place]
    elif is_message:
        change_field(items[place] if place >= 0 else items.add(), rng, names)
    elif place >= 0 and rng.integers(2):
        items[place] = odd_value(field, rng, names)
    else:
        items.append(odd_value(field, rng, names))


def change(model: Any, rng: Rng) -> None:
    """Changes fields somewhere, more often where the graph is."""
    names = names_in(model)
    for _ in range(int(min(4, rng.geometric(0.6)))):
        every = list(messages(model))
        kinds = sorted({type(one).__name__ for one in every})
        kind = choose(rng, kinds)
        change_field(choose(rng, [one for one in every if type(one).__name__ == kind]), rng, names)
    if rng.integers(40) == 0:
        nest(model, int(choose(rng, [3, 40, 90, 200])))


def nest(model: Any, depth: int) -> None:
    """Branches in branches."""
    import onnx

    for _ in range(depth):
        graph = onnx.GraphProto()
        graph.CopyFrom(model.graph)
        del graph.input[:]
        del model.graph.node[:]
        outputs = [one.name for one in graph.output]
        node = model.graph.node.add(op_type="If", input=["condition"], output=outputs)
        for name in ("then_branch", "else_branch"):
            attribute = node.attribute.add(name=name, type=onnx.AttributeProto.GRAPH)
            if name == "then_branch" or depth < 5:
                attribute.g.CopyFrom(graph)


class OnnxFiles(Fuzzer):
    """Damaged files of ONNX."""

    name = "onnx_files"
    seconds = 20.0
    megabytes = 6144
    can_minimize = False

    def prepare(self) -> None:
        warnings.simplefilter("ignore")
        import onnx
        from onnx.backend.test.loader import load_model_tests

        import flywheel
        import flywheel.onnx

        self.flywheel: Any = flywheel
        self.onnx: Any = onnx
        known = flywheel.onnx._graph.HANDLERS
        self.models: List[Tuple[str, bytes]] = []
        for case in load_model_tests(kind="node"):
            ops = {node.op_type for node in case.model.graph.node}
            if ops <= set(known) or case.name.endswith("_expanded"):
                self.models.append((case.name, self.with_constants(case)))
        self.folder = tempfile.mkdtemp()

    def with_constants(self, case: Any) -> bytes:
        """The model of a case, in which operands but the first are initializers."""
        model = self.onnx.ModelProto()
        model.CopyFrom(case.model)
        inputs = case.data_sets[0][0]
        for info, array in list(zip(case.model.graph.input, inputs))[1:]:
            if isinstance(array, np.ndarray) and array.size < 1000:
                model.graph.initializer.append(self.onnx.numpy_helper.from_array(array, info.name))
                model.graph.input.remove(info)
        return bytes(model.SerializeToString())

    def make(self, rng: Rng) -> Case:
        name, data = choose(rng, self.models)
        return Case(f"{name} {int(rng.integers(2**62))}")

    def file_of(self, case: Case) -> bytes:
        name, seed = case.text.split()
        data, rng = dict(self.models)[name], np.random.default_rng(int(seed))
        if rng.integers(12) == 0:
            return change_bytes(data, rng)
        model = self.onnx.ModelProto()
        model.ParseFromString(data)
        change(model, rng)
        return bytes(model.SerializeToString())

    def check(self, case: Case, report: Report) -> Outcome:
        report("make")
        try:
            data = self.file_of(case)
        except (ValueError, TypeError, UnicodeError):
            # A model that protobuf itself cannot hold.
            return Outcome("passed", "not made")
        path = os.path.join(self.folder, f"{os.getpid()}.onnx")
        with open(path, "wb") as file:
            file.write(data)
        try:
            return self.load(path, case, report)
        finally:
            os.remove(path)

    def load(self, path: str, case: Case, report: Report) -> Outcome:
        flywheel = self.flywheel
        report("load")
        try:
            model = flywheel.onnx.load(path)
        except (ValueError, flywheel.onnx.UnsupportedOpError, OSError) as error:
            if isinstance(error, ValueError) and os.path.basename(path) not in str(error):
                raise Failure(f"an error without the file: {type(error).__name__}: {error}") from error
            if isinstance(error.__cause__, (AttributeError, KeyError)):
                raise Failure(f"an error that tells nothing: {error}") from error
            return Outcome("refused", f"{type(error).__name__}: {str(error)[:300]}")
        report("run")
        shapes = [tuple(2 if not isinstance(dim, int) else dim for dim in spec.shape) for spec in model._specs]
        if sum(int(np.prod(shape, dtype=np.float64)) for shape in shapes) > MOST_FED:
            return Outcome("passed", "not run")
        try:
            model(*[np.ones(shape, spec.dtype) for shape, spec in zip(shapes, model._specs)])
        except (
            flywheel.CompileError,
            ValueError,
            flywheel.onnx.UnsupportedOpError,
            RuntimeError,
            MemoryError,
        ) as error:
            return Outcome("refused", f"{type(error).__name__}: {str(error)[:300]}")
        return Outcome("passed")


if __name__ == "__main__":
    harness.main(OnnxFiles(), cases=500)
