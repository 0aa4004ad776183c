# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N21: values that code reads through the dict of an object, of a class or of a module; modules and classes that it
reaches by any name; and settings that classes of installed packages have. Plain Python says what the results are."""

import functools
import os
import sys
import sysconfig
import types
from typing import Any, Callable, List

import numpy as np

import flywheel as fw
from configurations import run_tests

x = np.float32(1)


def check(name: str, read: Callable[[], float], *changes: Callable[[], Any]) -> None:
    """Checks the result behind each change, and that it is traced once for each."""
    traces: List[int] = []

    def traced(x: Any) -> Any:
        traces.append(1)
        return x * read()

    f = fw.function(traced)
    assert f(x) == read() and f(x) == read(), name
    for count, change in enumerate(changes):
        old = read()
        change()
        assert read() != old, f"{name}: a change that is none tests nothing"
        assert f(x) == read() and f(x) == read(), f"{name}: {f(x)}, expected {read()}"
        assert len(traces) <= count + 2, name


class Plain:
    def __init__(self) -> None:
        self.a = 1.0


class Stored:
    """A property over the dict."""

    @property
    def k(self) -> float:
        found: float = self.__dict__.get("_k", 1.0)
        return found

    @k.setter
    def k(self, value: float) -> None:
        self.__dict__["_k"] = value


class Field:
    """A descriptor that keeps values in the dict of the object."""

    def __init__(self, name: str, default: float) -> None:
        self.name, self.default = name, default

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return instance.__dict__.get(self.name, self.default)

    def __set__(self, instance: Any, value: float) -> None:
        instance.__dict__[self.name] = value


class Described:
    rate = Field("rate", 1.0)
    hidden = Field("<hidden", 1.0)


class Counted(Plain):
    """Tracing adds an attribute, which is no change."""

    @functools.cached_property
    def kept(self) -> float:
        return self.a

    def total(self) -> float:
        return self.kept + float(len(vars(self)))


def test_dicts_of_objects() -> None:
    o = Plain()
    check("in vars", lambda: 2.0 if "w" in vars(o) else 1.0, lambda: setattr(o, "w", 1), lambda: delattr(o, "w"))
    check("in dict", lambda: 2.0 if "w2" in o.__dict__ else 1.0, lambda: setattr(o, "w2", 1))
    check("get", lambda: o.__dict__.get("q", 1.0), lambda: setattr(o, "q", 3.0), lambda: setattr(o, "q", 4.0))
    check("vars get", lambda: vars(o).get("q2", 1.0), lambda: setattr(o, "q2", 3.0), lambda: vars(o).pop("q2"))
    check("item", lambda: o.__dict__["a"], lambda: setattr(o, "a", 3.0), lambda: o.__dict__.update(a=5.0))
    check("len", lambda: float(len(vars(o))), lambda: setattr(o, "n", 3.0), lambda: delattr(o, "n"))
    check("iterated", lambda: float(len([k for k in o.__dict__])), lambda: setattr(o, "n2", 3.0))
    check("values", lambda: float(sum(one for one in vars(o).values())), lambda: setattr(o, "n3", 4.0))
    check("dir", lambda: 2.0 if "n4" in dir(o) else 1.0, lambda: setattr(o, "n4", 3.0))
    check("dir of the class", lambda: 2.0 if "n5" in dir(Plain) else 1.0, lambda: setattr(Plain, "n5", 3.0))

    def rename() -> None:
        del o.n4  # type: ignore[attr-defined]
        o.n6 = 1  # type: ignore[attr-defined]

    check("renamed", lambda: 2.0 if "n6" in vars(o) else 1.0, rename)

    def helper(one: Any) -> float:
        found: float = vars(one).get("late", 1.0)
        return found

    check("in a helper", lambda: helper(o), lambda: setattr(o, "late", 3.0))


def test_properties() -> None:
    p = Stored()
    check("property", lambda: p.k, lambda: setattr(p, "k", 3.0), lambda: setattr(p, "k", 4.0))
    d = Described()
    check("descriptor", lambda: d.rate, lambda: setattr(d, "rate", 3.0), lambda: setattr(d, "rate", 4.0))
    check("default of a descriptor", lambda: Described().rate, lambda: setattr(vars(Described)["rate"], "default", 5.0))


def test_own_attributes() -> None:
    """An attribute that a trace adds itself has nothing traced again; one that comes later is seen."""
    c = Counted()
    traces: List[int] = []

    @fw.function
    def f(x: Any) -> Any:
        traces.append(1)
        return x * c.total()

    assert f(x) == 3 and f(x) == 3 and len(traces) <= 2
    known = len(traces)
    c.more = 1  # type: ignore[attr-defined]
    assert f(x) == 4 and f(x) == 4 and len(traces) == known + 1


def test_modules_of_variables() -> None:
    """A `fw.Module` that reads its own dict."""

    class Scaled(fw.Module):
        def __init__(self) -> None:
            self.dense = fw.nn.Dense(1, 1, initializer=fw.initializers.Ones())

        def __call__(self, x: Any) -> Any:
            return self.dense(x) * self.__dict__.get("scale", 1.0)

    m = Scaled()
    row = np.ones((1, 1), np.float32)
    f = fw.function(lambda x: m(x))
    g = fw.function(lambda m, x: m(x))
    assert f(row) == 1 and g(m, row) == 1
    m.scale = 3.0
    assert f(row) == 3 and g(m, row) == 3
    m.scale = 4.0
    assert f(row) == 4 and g(m, row) == 4


def make_module() -> Any:
    made = types.ModuleType("made")
    exec("K = 1.0\nclass C:\n    k = 1.0\n    L = [1.0]\nclass O: pass\no = O()\no.k = 1.0\n", made.__dict__)
    return made


def test_dicts_of_modules() -> None:
    m = make_module()
    check("item", lambda: m.__dict__["K"], lambda: setattr(m, "K", 5.0), lambda: m.__dict__.update(K=6.0))
    check("get", lambda: m.__dict__.get("late", 1.0), lambda: setattr(m, "late", 5.0))
    check("vars", lambda: vars(m)["K"], lambda: setattr(m, "K", 7.0))
    check("in", lambda: 2.0 if "late2" in vars(m) else 1.0, lambda: setattr(m, "late2", 1))
    global made_here
    made_here = make_module()
    check("global", lambda: made_here.__dict__["K"], lambda: setattr(made_here, "K", 5.0))


made_here: Any = None


def test_closures() -> None:
    """A module as a variable of a closure, in a list and as an attribute is one as a global name is."""
    from os import environ

    name = "FLYWHEEL_TEST_OF_CLOSURES"
    inner, m = os, make_module()

    def put(value: str) -> None:
        os.environ[name] = value

    reads = {"closure": lambda: float(inner.environ[name]), "get": lambda: float(inner.environ.get(name, "0")),
             "getenv": lambda: float(inner.getenv(name, "0")), "environ": lambda: float(environ[name])}  # fmt: skip
    for read_name, read in reads.items():
        put("1")
        check(read_name, read, lambda: put("2"), lambda: put("3"))
    holder, listed = types.SimpleNamespace(m=m, os=os), [m, os]
    put("1")
    check("attribute", lambda: float(holder.os.environ[name]), lambda: put("2"))
    put("1")
    check("in a list", lambda: float(listed[1].environ[name]), lambda: put("2"))
    check("its name", lambda: m.K, lambda: setattr(m, "K", 2.0))
    check("its class", lambda: m.C.k, lambda: setattr(m.C, "k", 3.0))
    check("its list", lambda: m.C.L[0], lambda: m.C.L.__setitem__(0, 3.0))
    check("its object", lambda: holder.m.o.k, lambda: setattr(m.o, "k", 3.0))
    check("in a list, its class", lambda: listed[0].C.k, lambda: setattr(m.C, "k", 4.0))
    del os.environ[name]


def make_installed(name: str) -> Any:
    """Returns a module that looks like one of an installed package."""
    made = types.ModuleType(name)
    path = os.path.join(sysconfig.get_paths()["purelib"], f"{name}.py")
    made.__file__ = path
    made.__spec__ = types.SimpleNamespace(name=name)  # type: ignore[assignment]
    text = ("K = 1.0\nclass C:\n    k = 1.0\n    n = None\n    L = [1.0]\n    D = {'a': 1.0}\nclass Sub(C): pass\n"
            "class O: pass\no = O()\no.k = 1.0\nE = C()\ndef scaled(x): return x\n")  # fmt: skip
    exec(compile(text, path, "exec"), made.__dict__)
    sys.modules[name] = made
    return made


def test_installed() -> None:
    q = make_installed("flywheel_test_settings")
    check("name", lambda: q.K, lambda: setattr(q, "K", 2.0))
    check("class", lambda: q.C.k, lambda: setattr(q.C, "k", 3.0), lambda: setattr(q.C, "k", 4.0))
    check("of a base", lambda: q.Sub.k, lambda: setattr(q.C, "k", 5.0), lambda: setattr(q.Sub, "k", 6.0))
    check("None", lambda: 1.0 if q.C.n is None else q.C.n, lambda: setattr(q.C, "n", 3.0))
    check("list", lambda: q.C.L[0], lambda: q.C.L.__setitem__(0, 3.0))
    check("dict", lambda: q.C.D["a"], lambda: q.C.D.update(a=3.0))
    check("object", lambda: q.o.k, lambda: setattr(q.o, "k", 3.0))
    check("class of an object", lambda: q.E.k, lambda: setattr(q.C, "k", 7.0), lambda: setattr(q.E, "k", 8.0))

    def helper(settings: Any) -> float:
        found: float = settings.k
        return found

    check("handed on", lambda: helper(q.C), lambda: setattr(q.C, "k", 9.0))
    kind = q.C
    check("closure", lambda: kind.k, lambda: setattr(q.C, "k", 10.0))

    def imported() -> float:
        from flywheel_test_settings import C  # type: ignore[import-not-found]

        found: float = C.k
        return found

    check("imported in the step", imported, lambda: setattr(q.C, "k", 11.0))


run_tests([
    test_dicts_of_objects, test_properties, test_own_attributes, test_modules_of_variables,
    test_dicts_of_modules, test_closures, test_installed,
])  # fmt: skip
