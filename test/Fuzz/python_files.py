# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Damaged files that Python reads (T22): datasets, checkpoints of variables, slots and modules, models and weights of
Keras, and bytecode of StableHLO as JAX exports it.

A file is read, or refused with an error that names it: ValueError, or one of the package's classes. An error changes no
value.
"""

import json
import os
import struct
import tempfile
import warnings
from typing import Any, Callable, Dict, List, NamedTuple

import numpy as np
from files import change_bytes, change_checkpoint, change_json

import harness
from batches import Batches
from harness import Failure, Outcome, Report, Rng, choose


class Damaged(NamedTuple):
    """A file of a kind; its bytes are drawn by `seed`."""

    kind: str
    seed: int

    def __str__(self) -> str:
        return f"{self.kind}, seed {self.seed}"


def change_model(data: bytes, rng: Rng) -> bytes:
    """A field of the JSON that the metadata of a file hold."""
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    metadata = header["__metadata__"]
    key = choose(rng, sorted(metadata))
    try:
        inner = json.loads(metadata[key])
    except ValueError:
        return change_checkpoint(data, rng)
    for _ in range(int(min(4, rng.geometric(0.6)))):
        if isinstance(inner, (dict, list)):
            inner = change_json(inner, rng)
    metadata[key] = json.dumps(inner)
    encoded = json.dumps(header).encode("utf-8", "surrogatepass")
    encoded += b" " * (-len(encoded) % 8)
    return struct.pack("<Q", len(encoded)) + encoded + data[8 + size :]


class PythonFiles(Batches):
    """Damaged files that Python reads."""

    name = "python_files"
    seconds = 60.0
    megabytes = 6144
    count = 20

    def add_options(self, parser: Any) -> None:
        parser.add_argument("--kind", help="files of this kind only")

    def take_options(self, options: Any) -> None:
        self.only = options.kind

    def prepare(self) -> None:
        import flywheel as fw
        import flywheel.v1 as tf
        from flywheel import keras

        self.fw: Any = fw
        self.tf: Any = tf
        self.keras: Any = keras
        warnings.simplefilter("ignore")
        self.folder = tempfile.mkdtemp()
        self.readers: Dict[str, Callable[[str], Any]] = {
            "data": fw.data.load, "store": self.restore_store, "module": self.restore_module,
            "model": self.load_model, "weights": self.load_weights, "v1": self.restore_v1,
            "stablehlo": self.load_module,
        }  # fmt: skip
        self.base = {kind: self.read(self.write(kind)) for kind in self.readers}

    def write(self, kind: str) -> str:
        """A whole file of a kind, and what it is read into."""
        fw, tf, keras, path = self.fw, self.tf, self.keras, os.path.join(self.folder, kind)
        if kind == "data":
            from safetensors.numpy import save_file

            save_file({"x": np.ones((4, 3), np.float32), "label": np.arange(4)}, path)
        elif kind == "store":
            self.variable = fw.Variable(np.ones((2, 3), np.float32), name="w")
            self.adam = fw.optimizers.Adam(lr=0.1)

            def step(x: Any) -> Any:
                loss = fw.sum(fw.square(x * self.variable))
                self.adam.minimize(loss)
                return loss

            self.step = fw.function(step)
            self.step(np.ones((2, 3), np.float32))
            fw.save(path)
        elif kind == "module":
            self.dense = fw.nn.Dense(3, 2)
            fw.function(self.dense)(np.ones((1, 3), np.float32))
            self.dense.save(path)
        elif kind in ("model", "weights"):
            self.model = keras.Sequential([keras.layers.Dense(3, "tanh", input_shape=(2,)), keras.layers.Dense(1)])
            self.model.compile("adam", "mse")
            self.model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
            (self.model.save if kind == "model" else self.model.save_weights)(path)
        elif kind == "v1":
            self.graph = tf.Graph()
            with self.graph.as_default():
                tf.Variable(np.ones((2, 2), np.float32), name="v")
                self.session, self.saver = tf.Session(), tf.train.Saver()
                self.session.run(tf.global_variables_initializer())
                path = self.saver.save(self.session, path)
        else:
            path = os.path.join(harness.FOLDER, "Inputs", "stablehlo.mlirbc")
        return path

    @staticmethod
    def read(path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def make_program(self, rng: Rng) -> Damaged:
        return Damaged(self.only or choose(rng, sorted(self.readers)), int(rng.integers(1 << 40)))

    def bytes_of(self, damaged: Damaged) -> bytes:
        rng, data = np.random.default_rng(damaged.seed), self.base[damaged.kind]
        if damaged.kind == "stablehlo" or rng.integers(4) == 0:
            return change_bytes(data, rng)
        return change_model(data, rng) if damaged.kind == "model" and rng.integers(4) else change_checkpoint(data, rng)

    def check(self, case: harness.Case, report: Report) -> Outcome:
        outcome = Outcome("passed")
        for damaged in self.programs:
            report(str(damaged))
            path = os.path.join(self.folder, f"damaged-{os.getpid()}")
            with open(path, "wb") as file:
                file.write(self.bytes_of(damaged))
            before = self.state(damaged.kind)
            fw = self.fw
            try:
                self.readers[damaged.kind](path)
            except (ValueError, OSError, fw.DataLossError, fw.FailedPreconditionError, fw.NotFoundError,
                    fw.InvalidArgumentError, fw.CompileError) as error:  # fmt: skip
                if os.path.basename(path) not in str(error):
                    raise Failure(f"an error without the file: {type(error).__name__}: {error}: {damaged}") from error
                for old, new in zip(before, self.state(damaged.kind)):
                    if not np.array_equal(old, new, equal_nan=True):
                        raise Failure(f"an error has changed a value: {error}: {damaged}") from error
                outcome = Outcome("refused", str(error))
        return outcome

    def state(self, kind: str) -> List[Any]:
        """Returns the values that a reader of this kind writes."""
        if kind == "store":
            return [self.variable.numpy(), *(np.array(slot) for slot in self.slots())]
        if kind == "module":
            return [np.array(one) for one in self.dense.state_dict().values()]
        if kind == "weights":
            return list(self.model.get_weights())
        if kind == "v1":
            with self.graph.as_default():
                return list(self.session.run(self.tf.global_variables()))
        return []

    def slots(self) -> List[Any]:
        store = self.fw.current_store()
        return [store[name] for name in sorted(store.names) if "Adam" in name]

    def restore_store(self, path: str) -> None:
        self.fw.restore(path)

    def restore_module(self, path: str) -> None:
        self.dense.load(path)

    def load_weights(self, path: str) -> None:
        self.model.load_weights(path)

    def load_model(self, path: str) -> None:
        self.keras.models.load_model(path).predict(np.ones((1, 2)))

    def restore_v1(self, path: str) -> None:
        with self.graph.as_default():
            self.saver.restore(self.session, path)

    def load_module(self, path: str) -> None:
        self.fw.compile(self.fw.load(path), lowering="reference", opt_level=0)


if __name__ == "__main__":
    harness.main(PythonFiles(), cases=80)
