# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""T9: an argument of another type is a TypeError that says what was expected and found, not the signature of C++."""

from typing import Any, Callable, Dict, Tuple

import numpy as np

import flywheel as fw

TEXT = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}"
variable = fw.Variable(np.zeros(2, np.float32))
variable.numpy()
store: Any = fw.current_store()
module: Any = fw.parse(TEXT)
program = fw.compile(module)
session: Any = fw.Session(program)
untyped: Any = fw


def assign(target: Any, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(target, name, value)


double: Any = fw.function(lambda a: a * 2)
double(np.float32(1))
cases: Dict[str, Tuple[Callable[[], Any], str]] = {
    "seed": (assign(store, "seed", "a"), "expected an integer as seed, found str"),
    "seed of a float": (assign(store, "seed", 1.5), "expected an integer as seed, found float"),
    "set_seed": (lambda: untyped.set_seed([1]), "expected an integer as seed, found list"),
    "initialize": (lambda: session.initialize("a"), "expected an integer as seed, found str"),
    "threads": (assign(session, "threads", "a"), "expected an integer, found str"),
    "seed of none": (lambda: untyped.set_seed(None), "expected an integer as seed, found NoneType"),
    "store[]": (lambda: store[1], "expected the name of a variable, a str, found int"),
    "store[] of none": (lambda: store[None], "expected the name of a variable, a str, found NoneType"),
    "store[] =": (lambda: store.__setitem__(1, 2.0), "expected the name of a variable, a str, found int"),
    "in store": (lambda: 1 in store, "expected the name of a variable, a str, found int"),
    "is_initialized": (lambda: store.is_initialized(variable), "expected the name of a variable, a str, found Var"),
    "reset": (lambda: store.reset([variable]), "expected the name of a variable, a str, found Variable"),
    "session[]": (lambda: session[1], "expected the name of a variable, a str, found int"),
    "session[] =": (lambda: session.__setitem__(1.5, 2.0), "expected the name of a variable, a str, found float"),
    "entry": (lambda: session.entry(1), "expected a str as this argument, found int"),
    "run": (lambda: session.run(1), "expected a str as this argument, found int"),
    "Session": (lambda: untyped.Session(module), "expected a flywheel.Program as program, found"),
    "Session of none": (lambda: untyped.Session(None), "expected a flywheel.Program as program, found NoneType"),
    "share": (lambda: untyped.Session(program, share=1), "expected a flywheel.Session as share, found int"),
    "variables": (lambda: untyped.function(lambda: untyped.grad(lambda: untyped.sum(variable), variables=variable)())(),
                  "expected a list of variables or tensors as variables, found Variable"),
    "parse": (lambda: untyped.parse(1), "expected a str as this argument, found int"),
    "export": (lambda: untyped.export(double, None), "as path, found None"),
    "Function.export": (lambda: double.export("m.o", np.float32(1), freez=True), "did you mean 'freeze'?"),
    "a bool": (lambda: untyped.optimizers.SGD(lr=True), "expected a number as lr, found bool"),
    "a bool to set": (lambda: untyped.optimizers.SGD(0.1).lr.set(True), "found bool"),
    "a flag": (lambda: untyped.optimizers.SGD(0.1, nesterov=2), "expected True or False as nesterov, found 2"),
    "trainable": (lambda: untyped.Variable(1.0, trainable=2), "expected True or False as trainable of variable"),
    "freeze": (lambda: untyped.export(double, "m.o", freeze=2), "True, False or a list of variables, found 2"),
    "keras": (lambda: untyped.keras.optimizers.SGD(lr="0.1"), "expected a number as lr, found str"),
    "v1": (lambda: untyped.v1.train.AdamOptimizer(None)._number(None, variable), "expected a number as"),
    "lower": (lambda: untyped.lower(module, stop_after=1), "expected a str as this argument, found int"),
}
for name, (action, text) in cases.items():
    try:
        action()
    except TypeError as error:
        assert text in str(error) and "incompatible" not in str(error), (name, error)
    else:
        raise AssertionError(f"expected an error: {name}")
try:
    store.seed = -1
except ValueError as error:
    assert "expected a seed from 0 to 2^64 - 1, found -1" in str(error), error
else:
    raise AssertionError("expected an error")
store.seed = np.int64(7)
assert store.seed == 7

# An error of the bindings on purpose passes as it is, whatever its words are.
try:
    fw.export(double, "m.h")
except ValueError as error:
    assert "the header and the manifest need different paths" in str(error), error
else:
    raise AssertionError("expected an error")
assert untyped.Variable(1.0, trainable=1).trainable and not untyped.Variable(1.0, trainable=np.False_).trainable

# Errors that a program acts upon say which they are, and where, in numbers.
HALVES = """
func.func @halves(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divsi %n, %c2 : index
  %k = arith.subi %n, %m : index
  %a = tensor.extract_slice %x[0][%m][1] : tensor<?xf32> to tensor<?xf32>
  %b = tensor.extract_slice %x[0][%k][1] : tensor<?xf32> to tensor<?xf32>
  return %a, %x, %b : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}"""
try:
    fw.compile(fw.parse(HALVES))
except fw.CompileError as error:
    assert error.details == (("unknown-result-size", (0, 0)), ("unknown-result-size", (2, 0))), error.details
    assert str(error).count("to be a dimension size of a feed") == 2, error
else:
    raise AssertionError("expected an error")
try:
    fw.parse("x y")
except fw.CompileError as error:
    assert not error.details, error.details
else:
    raise AssertionError("expected an error")
