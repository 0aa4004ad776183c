# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mypy: disable-error-code="func-returns-value, arg-type"
# REQUIRES: python
# RUN: rm -rf %t && env FLYWHEEL_CACHE=%t %python %s
"""M6: functions of the host in running steps: print, callback and breakpoint."""

import contextlib
import io
import os
import subprocess
import sys
import textwrap
import threading
import warnings
import weakref
from typing import Any, Callable, Iterator, List, Optional

import numpy as np

import flywheel as fw
from configurations import run_tests

f32 = np.float32
# That a step holds a new value back until its calls have run is what it should do.
warnings.filterwarnings("ignore", category=fw.CompileRemark)


@contextlib.contextmanager
def printed() -> Iterator[List[str]]:
    lines: List[str] = []
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        yield lines
    lines.extend(out.getvalue().splitlines())


def raises(kind: Any, text: str, function: Callable[[], Any]) -> BaseException:
    try:
        function()
    except kind as error:
        assert text in str(error), f"expected {text!r}, found {str(error)!r}"
        return error  # type: ignore[no-any-return]
    raise AssertionError(f"expected {kind.__name__} with {text!r}")


def test_prints_values_in_order() -> None:
    @fw.function
    def step(x: Any) -> Any:
        fw.print("first {} and {:.2f}", x, fw.sum(x))
        y = x * 2.0
        fw.print("named {y:.1f} of {n}", y=y, n=3)
        fw.print(fw.sum(y), "plain", sep="|")
        return fw.sum(y)

    with printed() as lines:
        assert step(np.array([1, 2], f32)) == 6.0
        step(np.array([3, 4], f32))
    assert lines == ["first [1. 2.] and 3.00", "named [2.0 4.0] of 3", "6.0|plain",
                     "first [3. 4.] and 7.00", "named [6.0 8.0] of 3", "14.0|plain"], lines  # fmt: skip
    with printed() as lines:
        fw.print("now {}", np.arange(2))
    assert lines == ["now [0 1]"]


def test_formats_are_checked_when_a_function_is_traced() -> None:
    @fw.function
    def wrong(x: Any, text: str) -> Any:
        fw.print(text, x)
        return x

    one = np.ones(2, f32)
    raises(ValueError, "expected a field in the format for each value", lambda: wrong(one, "no field {{}}"))
    raises(ValueError, "the field {1} of the format, found 1 values: write {{ and }}", lambda: wrong(one, "{} {}"))
    raises(ValueError, "the field {y} of the format, found 1 values", lambda: wrong(one, "{y} {}"))
    raises(ValueError, "the field {1,2} of", lambda: wrong(one, "the set {1,2} and {}"))
    raises(ValueError, "write {{ and }} for braces", lambda: wrong(one, "{ {}"))
    raises(ValueError, "found '} {}': Single '}' encountered", lambda: wrong(one, "} {}"))
    raises(ValueError, "found 0 values and the names z", lambda: fw.print("{y}", z=1))
    raises(ValueError, "", lambda: wrong(one, "{:s}"))


def test_all_dtypes_reach_the_host_as_they_are() -> None:
    seen: List[Any] = []
    dtypes: List[Any] = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
                         np.float16, f32, np.float64]  # fmt: skip
    if fw.bfloat16 is not None:
        dtypes.append(fw.bfloat16)

    @fw.function
    def show(*xs: Any) -> Any:
        fw.callback(lambda *arrays: seen.append(arrays), *xs)
        made = fw.callback(lambda *arrays: arrays, *xs, result=tuple(fw.spec(*x.shape, dtype=x.dtype) for x in xs))
        return made

    values = [np.array([[1, 0, 3], [1, 1, 250]]).astype(np.uint8).astype(dtype) for dtype in dtypes]
    found = show(*values)
    for value, got, back in zip(values, seen[0], found):
        assert got.dtype == value.dtype == back.dtype, (value.dtype, got.dtype, back.dtype)
        np.testing.assert_array_equal(got, value)
        np.testing.assert_array_equal(back, value)


def test_views_and_sizes_of_a_call() -> None:
    seen: List[Any] = []

    @fw.function(dynamic=True)
    def step(x: Any) -> Any:
        fw.callback(seen.append, x[:, 1:3])
        fw.callback(seen.append, fw.transpose(x))
        fw.callback(seen.append, x[0, 0])
        return fw.sum(x)

    for rows in (2, 5, 1):
        x = np.arange(rows * 4, dtype=f32).reshape(rows, 4)
        step(x)
        a, b, c = seen[-3:]
        np.testing.assert_array_equal(a, x[:, 1:3])
        np.testing.assert_array_equal(b, x.T)
        assert c == x[0, 0] and np.ndim(c) == 0
    # Copies, which a later step does not write.
    np.testing.assert_array_equal(seen[0], np.arange(8, dtype=f32).reshape(2, 4)[:, 1:3])
    empty = fw.function(lambda x: (fw.callback(seen.append, x), fw.sum(x))[1])
    empty(np.zeros((0, 3), f32))
    assert seen[-1].shape == (0, 3)


def test_loops_and_branches() -> None:
    @fw.function
    def loops(x: Any, n: Any) -> Any:
        def body(i: Any, total: Any) -> Any:
            fw.print("i {} total {}", i, total)
            return fw.cond(total > 2.0, lambda: shout(total), lambda: total + x)

        def shout(total: Any) -> Any:
            fw.print("large {}", total)
            return total * 0.5

        total = fw.fori_loop(0, n, body, fw.as_tensor(0.0))
        last = fw.while_loop(lambda s: fw.callback(lambda v: bool(v < 4), s, result=fw.spec(dtype="bool_")),
                             lambda s: s + 1.5, total)  # fmt: skip
        fw.print("end {}", last)
        return last

    with printed() as lines:
        loops(np.float32(1.5), np.int32(4))
    expected = []
    total = 0.0
    for i in range(4):
        expected.append(f"i {i} total {total}")
        if total > 2:
            expected.append(f"large {total}")
            total *= 0.5
        else:
            total += 1.5
    while total < 4:
        total += 1.5
    assert lines == [*expected, f"end {total}"], (lines, expected)

    @fw.function
    def scanned(xs: Any) -> Any:
        def body(state: Any, x: Any) -> Any:
            fw.print("{} {}", state, x)
            return state + x, state * x

        return fw.scan(body, fw.as_tensor(0.0), xs)[1]

    with printed() as lines:
        scanned(np.array([1, 2, 3], f32))
    # The body is traced more than once, and printed once an iteration.
    assert lines == ["0.0 1.0", "1.0 2.0", "3.0 3.0"], lines


def test_derivatives() -> None:
    w = fw.Variable(np.array([2.0, 1.0], f32), name="host_w")
    sgd = fw.optimizers.SGD(lr=0.5)

    @fw.function
    def step(x: Any) -> Any:
        def body(s: Any, row: Any) -> Any:
            s = fw.tanh(s * 0.5 + row @ w)
            fw.print("s {:.4f}", s)
            return s, None

        last, _ = fw.scan(body, fw.as_tensor(0.0), x)
        loss = fw.square(last)
        sgd.minimize(loss)
        fw.print("w {}", w)
        return loss

    x = np.array([[0.1, 0.2], [0.3, -0.1], [0.05, 0.4]], f32)
    with printed() as lines:
        step(x)
    s, expected = 0.0, []
    for row in x:
        s = np.tanh(s * 0.5 + row @ np.array([2.0, 1.0]))
        expected.append(f"s {s:.4f}")
    assert lines[:3] == expected and len(lines) == 4, lines
    # A value that is assigned before is printed as it is assigned.
    assert lines[3] == f"w {w.numpy()}", lines

    plain = fw.Variable(np.array([2.0, 1.0], f32), name="host_plain")
    other = fw.optimizers.SGD(lr=0.5)

    @fw.function
    def silent(x: Any) -> Any:
        last, _ = fw.scan(lambda s, row: (fw.tanh(s * 0.5 + row @ plain), None), fw.as_tensor(0.0), x)
        loss = fw.square(last)
        other.minimize(loss)
        return loss

    silent(x)
    np.testing.assert_array_equal(w.numpy(), plain.numpy())

    @fw.function
    def grads(x: Any) -> Any:
        def inner(y: Any) -> Any:
            fw.print("y {}", y)
            return fw.sum(y * y)

        return fw.grad(inner)(x)

    with printed() as lines:
        np.testing.assert_array_equal(grads(np.array([1, 2], f32)), [2, 4])
    assert lines == ["y [1. 2.]"], lines

    @fw.function
    def through(x: Any) -> Any:
        return fw.grad(lambda y: fw.callback(np.sum, y, result=fw.spec()))(x)

    raises(fw.CompileError, "callback", lambda: through(np.ones(2, f32)))

    @fw.function
    def constant(x: Any) -> Any:
        def inner(y: Any) -> Any:
            return fw.sum(y * fw.callback(lambda a: f32(3.0), fw.stop_gradient(y), result=fw.spec()))

        return fw.grad(inner)(x)

    np.testing.assert_array_equal(constant(np.ones(2, f32)), [3, 3])

    @fw.function
    def again(x: Any) -> Any:
        def body(s: Any, row: Any) -> Any:
            scale = fw.callback(lambda a: f32(2.0), fw.stop_gradient(row), result=fw.spec())
            return s * scale * row, None

        return fw.grad(lambda y: fw.scan(body, fw.as_tensor(1.0), y)[0])(x)

    raises(fw.CompileError, "would run twice", lambda: again(np.ones(3, f32)))


def test_rules_of_its_own() -> None:
    @fw.custom_vjp
    def clipped(x: Any) -> Any:
        fw.print("{}", x)
        return x

    clipped.defvjp(lambda x, dy: dy)
    step = fw.function(lambda x: clipped(x))
    raises(ValueError, "must not call functions of the host", lambda: step(np.ones(2, f32)))
    raises(ValueError, "an initial value",
           lambda: fw.Variable(lambda: (fw.print("{}", fw.ones([2])), fw.ones([2]))[1]))  # fmt: skip


def test_vmap_calls_for_each_position() -> None:
    @fw.function
    def batched(x: Any) -> Any:
        def one(row: Any) -> Any:
            fw.print("{}", row)
            total = fw.callback(lambda a: f32(a.sum()), row, result=fw.spec())
            fw.print("total {}", total)
            return total * 2.0

        return fw.vmap(one)(x)

    x = np.array([[1, 2], [3, 4], [5, 6]], f32)
    with printed() as lines:
        np.testing.assert_array_equal(batched(x), [6, 14, 22])
    assert lines == ["[1. 2.]", "[3. 4.]", "[5. 6.]", "total 3.0", "total 7.0", "total 11.0"], lines


def test_vmap_calls_once_without_mapped_values() -> None:
    count: List[int] = []

    @fw.function
    def batched(x: Any, y: Any) -> Any:
        def one(row: Any) -> Any:
            fw.print("none")
            fw.print("y {}", y)
            fw.callback(lambda: count.append(1))
            fw.print("row {} of {}", row, y)
            return row * y

        return fw.vmap(one)(x)

    with printed() as lines:
        batched(np.array([1, 2], f32), np.float32(3))
    assert lines == ["none", "y 3.0", "row 1.0 of 3.0", "row 2.0 of 3.0"] and count == [1], (lines, count)


def test_threads() -> None:
    w = fw.Variable(np.zeros((256, 256), f32), name="host_threads")
    sgd = fw.optimizers.SGD(lr=0.1)
    where: List[Any] = []

    @fw.function(threads=2)
    def step(x: Any) -> Any:
        y = fw.tanh(x @ w + 0.5)
        fw.print("sum {:.3f}", fw.sum(y))

        def note(a: Any) -> Any:
            where.append(threading.get_ident())
            return f32(1.0 + a[0, 0])

        scale = fw.callback(note, y, result=fw.spec())

        def body(i: Any, z: Any) -> Any:
            z = fw.tanh(z @ w + scale)
            fw.print("{} {:.3f}", i, fw.sum(z))
            return z

        loss = fw.mean(fw.square(fw.fori_loop(0, 3, body, y)))
        sgd.minimize(fw.mean(fw.square(y)))
        return loss

    x = np.random.default_rng(0).standard_normal((256, 256)).astype(f32)
    with printed() as lines:
        for _ in range(3):
            step(x)
    assert [line.split()[0] for line in lines] == ["sum", "0", "1", "2"] * 3, lines
    assert set(where) == {threading.get_ident()}
    y = np.tanh(np.full((256, 256), 0.5))
    assert lines[0] == f"sum {y.sum():.3f}" or abs(float(lines[0].split()[1]) - y.sum()) < 0.1, lines[0]


class Own(Exception):
    pass


def test_an_exception_ends_the_step() -> None:
    w = fw.Variable(np.array([1.0, 2.0], f32), name="host_error")
    count = fw.Variable(np.int32(0), name="host_count")
    adam = fw.optimizers.Adam(lr=0.1)
    bad: List[Optional[BaseException]] = [None]
    seen: List[str] = []

    def check(value: Any) -> None:
        seen.append("check")
        if bad[0] is not None:
            raise bad[0]

    @fw.function
    def step(x: Any) -> Any:
        count.assign_add(1)
        loss = fw.sum(fw.square(x * w))

        def body(i: Any, s: Any) -> Any:
            fw.callback(check, s)
            return s + loss

        total = fw.fori_loop(0, 3, body, loss)
        noise = fw.random.normal([2])
        adam.minimize(loss)
        fw.callback(lambda v: seen.append("after"), w)
        return total + fw.sum(noise) * 0.0

    x = np.ones(2, f32)
    step(x)
    before, slots, steps = w.numpy(), fw.current_store()["host_error/Adam"], count.numpy()
    assert seen == ["check"] * 3 + ["after"]
    for error in (Own("mine"), KeyboardInterrupt(), SystemExit(3), ZeroDivisionError("z")):
        seen.clear()
        bad[0] = error
        try:
            step(x)
        except BaseException as found:
            assert found is error
            names = []
            trace = found.__traceback__
            while trace is not None:
                names.append(trace.tb_frame.f_code.co_name)
                trace = trace.tb_next
            # The trace shows the line that raised it.
            assert "check" in names, names
        else:
            raise AssertionError("expected the exception")
        # Nothing is called after it, and nothing has changed.
        assert seen == ["check"], seen
        np.testing.assert_array_equal(w.numpy(), before)
        np.testing.assert_array_equal(fw.current_store()["host_error/Adam"], slots)
        assert count.numpy() == steps
    bad[0] = None
    step(x)
    assert count.numpy() == steps + 1 and not np.array_equal(w.numpy(), before)


def test_results_are_checked() -> None:
    made: List[Any] = [None]

    @fw.function
    def step(x: Any) -> Any:
        return fw.callback(lambda a: made[0], x, result=fw.spec(2, dtype="float32"))

    x = np.ones(2, f32)
    for value, kind, text in (
        (np.ones(2), TypeError, "is float32 by its spec, found an array of float64"),
        (np.ones(3, f32), ValueError, "has the shape (2,) by its spec, found (3,)"),
        ((x, x), ValueError, "returns * by its spec, found (*, *)"),
        (None, ValueError, "by its spec, found None"),
    ):
        made[0] = value
        raises(kind, text, lambda: step(x))
    # A generator of numbers, and Python's numbers, are of the dtype of the spec.
    made[0] = x[::-1]
    np.testing.assert_array_equal(step(x), x)
    number = fw.function(lambda x: fw.callback(lambda a: 3, x, result=fw.spec(dtype="float32")))
    assert number(x) == 3.0
    raises(TypeError, "expected a flywheel.spec", lambda: fw.function(
        lambda x: fw.callback(np.sum, x, result="float32"))(x))  # fmt: skip
    raises(ValueError, "sizes that are known", lambda: fw.function(
        lambda x: fw.callback(np.negative, x, result=fw.spec("batch")))(x))  # fmt: skip
    raises(TypeError, "expected a function", lambda: fw.function(lambda x: fw.callback(3, x))(x))
    raises(TypeError, "found strings", lambda: fw.function(lambda x: fw.print("{}", fw.constant("a")))(x))


def test_loops_that_depend_on_a_failed_call_end() -> None:
    @fw.function
    def forever(x: Any) -> Any:
        def test(s: Any) -> Any:
            return fw.callback(lambda a: 1 // int(a < 3), s, result=fw.spec(dtype="int32")) >= 0

        return fw.while_loop(test, lambda s: s + 1.0, x)

    raises(ZeroDivisionError, "", lambda: forever(np.float32(0)))


def test_programs_and_functions() -> None:
    """One program of the cache, and each trace's own functions."""

    def make(tag: str, out: List[str]) -> Any:
        @fw.function
        def step(x: Any) -> Any:
            fw.callback(lambda a: out.append(f"{tag} {a.sum():.0f}"), x)
            return fw.sum(x)

        return step

    first: List[str] = []
    second: List[str] = []
    one, two = make("one", first), make("two", second)
    x = np.ones(3, f32)
    one(x), two(x), one(x)
    assert first == ["one 3", "one 3"] and second == ["two 3"]
    assert one.trace().program is two.trace().program

    # A cell that is executed again: the new function, and nothing keeps the old one.
    class Old:
        def __call__(self, a: Any) -> None:
            first.append("old")

    old = Old()
    kept = weakref.ref(old)

    def build(function: Any) -> Any:
        return fw.function(lambda x: (fw.callback(function, x), fw.sum(x))[1], name="cell")

    cell = build(old)
    cell(x)
    del old
    cell = build(lambda a: first.append("new"))
    import gc

    gc.collect()
    assert kept() is None, gc.get_referrers(kept())
    cell(x)
    assert first[-2:] == ["old", "new"]
    # Another process has the program of the folder, and its own function.
    code = textwrap.dedent("""
        import numpy as np, flywheel as fw
        step = fw.function(lambda x: (fw.callback(lambda a: print("here", a.sum()), x), fw.sum(x))[1], name="cell")
        step(np.ones(3, np.float32))
    """)
    for _ in range(2):
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert found.stdout == "here 3.0\n", found


def test_stores_threads_and_calls_in_calls() -> None:
    w = fw.Variable(np.float32(1), name="host_store")
    got: List[Any] = []

    @fw.function
    def inner(x: Any) -> Any:
        fw.callback(lambda a: got.append(("inner", float(a))), x)
        return x + 1.0

    @fw.function
    def outer(x: Any) -> Any:
        def call(a: Any) -> Any:
            with fw.Store():
                return f32(inner(a))

        y = fw.callback(call, x, result=fw.spec())
        fw.callback(lambda a: got.append(("outer", float(a))), y)
        w.assign(y)
        return y

    assert outer(np.float32(4)) == 5.0
    assert got == [("inner", 4.0), ("outer", 5.0)], got

    @fw.function
    def locked(x: Any) -> Any:
        fw.callback(lambda a: w.numpy(), x)
        w.assign_add(x)
        return x

    raises(RuntimeError, "uses the store of that step", lambda: locked(np.float32(1)))
    assert w.numpy() == 5.0
    # The lock is free again.
    w.set(np.float32(2))

    # A function without variables also takes the store, unless it has its own.
    double = fw.function(lambda a: a * 2.0)
    fails = fw.function(lambda x: (fw.callback(lambda a: double(a), x), x)[1])
    raises(RuntimeError, "a function that a step calls", lambda: fails(np.float32(1)))

    def apart(a: Any) -> Any:
        with fw.Store():
            return np.asarray(double(a))

    assert fw.function(lambda x: fw.callback(apart, x, result=fw.spec()))(np.float32(3)) == 6.0

    @fw.function
    def slow(x: Any) -> Any:
        fw.callback(lambda a: [np.sum(np.ones(1000)) for _ in range(50)], x)
        w.assign_add(x)
        return w

    workers = [threading.Thread(target=lambda: [slow(np.float32(1)) for _ in range(20)]) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert w.numpy() == 82.0


def test_arithmetic_of_the_host() -> None:
    """Denormal numbers, which steps flush."""

    @fw.function
    def step(x: Any) -> Any:
        return fw.callback(lambda a: np.float32((a * f32(0.5)) > 0), x, result=fw.spec())

    assert step(np.float32(1.5e-38)) == 1.0


def test_what_refuses_it() -> None:
    import tempfile

    @fw.function
    def step(x: Any) -> Any:
        fw.print("{}", x)
        return fw.sum(x)

    x = np.ones(3, f32)
    with tempfile.TemporaryDirectory() as folder:
        error = raises(fw.CompileError, "in an object file", lambda: step.export(os.path.join(folder, "m.o"), x))
        assert "print" in str(error) and "host_functions.py" in str(error), error
    gpu = fw.function(step._function, target="cuda:sm_90a")
    raises(fw.CompileError, "on the device 'cuda:sm_90a'", lambda: gpu.trace(x).program)
    # A program without functions: the call says so, and changes nothing.
    session = fw.Session(fw.compile(step.trace(x).module))
    raises(fw.InvalidArgumentError, "has none", lambda: session.run("step", x))
    assert "print" in step.mlir(x)
    cost = step.cost(x)
    assert cost["before"]["entries"][0]["once"]["total"]["flops"] == 2


def test_breakpoint() -> None:
    code = textwrap.dedent("""
        import numpy as np, flywheel as fw
        w = fw.Variable(np.array([2.0, 3.0], np.float32), name="w")

        @fw.function
        def step(x):
            scale = 4
            y = x * w
            fw.breakpoint()
            w.assign(y)
            return fw.sum(y)

        try:
            print("result", step(np.ones(2, np.float32)))
        except BaseException as error:
            print("error", type(error).__name__)
        print("w", w.numpy())
    """)

    def run(commands: str, text: str = code) -> str:
        path = os.path.join(os.environ["FLYWHEEL_CACHE"], "stopped.py")
        with open(path, "w") as file:
            file.write(text)
        found = subprocess.run([sys.executable, path], input=commands, capture_output=True, text=True)
        assert found.returncode == 0, found
        return found.stdout

    out = run("p y, type(y).__name__\np scale, x.sum(), w\nc\n")
    assert "(array([2., 3.], dtype=float32), 'ndarray')" in out, out
    assert "(4, " in out and "result 5.0" in out and "w [2. 3.]" in out, out
    assert "fw.breakpoint()" in out, out  # The line of it.
    out = run("q\n")
    assert "error BdbQuit" in out and "w [2. 3.]" in out, out
    chosen = code.replace("fw.breakpoint()", "fw.breakpoint(y, total=fw.sum(y))")
    out = run("p total, y\np 'x' in locals()\nc\n", chosen)
    assert "5.0" in out and "False" in out, out


run_tests([test for name, test in list(globals().items()) if name.startswith("test_")])
