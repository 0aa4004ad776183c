# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X53: `flywheel.fft` against `numpy.fft`, in float64: elements for even, odd, prime and long sequences, lengths that
cut and fill, axes and norms, and derivatives against those of the linear maps."""

import functools
from typing import Any, Callable, Dict, Tuple, Type

import numpy as np

import flywheel as fw
from configurations import run_tests

rng = np.random.default_rng(3)


def complex_of(pair: Any) -> Any:
    return pair.numpy() if isinstance(pair, fw.fft.Complex) else pair


def compare(name: str, x: Any, **given: Any) -> None:
    """Compares a transform of an array with NumPy's."""
    own, wanted = getattr(fw.fft, name), getattr(np.fft, name)(x, **given)

    def of_real(y: Any) -> Any:
        return own(y, **given)

    def of_pair(real: Any, imag: Any) -> Any:
        return own((real, imag), **given)

    found = fw.function(of_pair)(x.real.copy(), x.imag.copy()) if np.iscomplexobj(x) else fw.function(of_real)(x)
    made = complex_of(found)
    np.testing.assert_allclose(made, wanted, 1e-9, 1e-9 * max(1, np.abs(wanted).max()), err_msg=f"{name} {given}")
    assert made.shape == wanted.shape and made.dtype == wanted.dtype


def numbers(*shape: int, is_complex: bool = False) -> Any:
    made: Any = rng.standard_normal(shape)
    return made + 1j * rng.standard_normal(shape) if is_complex else made


def test_lengths() -> None:
    for n in (1, 2, 3, 7, 8, 15, 31, 100, 131, 243, 360):
        x, z = numbers(2, n), numbers(2, n, is_complex=True)
        compare("fft", x)
        compare("fft", z)
        compare("ifft", z)
        compare("ifft", x)
        compare("rfft", x)
        compare("irfft", z, n=2 * n - 1)
        if n > 1:
            compare("irfft", z)


def test_arguments() -> None:
    x, z = numbers(4, 9, 5), numbers(4, 9, 5, is_complex=True)
    for norm in (None, "backward", "ortho", "forward"):
        for axis in (0, 1, -1):
            for n in (None, 4, 12):
                compare("fft", z, n=n, axis=axis, norm=norm)
                compare("ifft", x, n=n, axis=axis, norm=norm)
                compare("rfft", x, n=n, axis=axis, norm=norm)
                compare("irfft", z, n=n, axis=axis, norm=norm)
        for name, y in (("fftn", z), ("ifftn", z), ("rfftn", x), ("irfftn", z), ("fft2", x), ("rfft2", x),
                        ("irfft2", z)):  # fmt: skip
            compare(name, y, norm=norm)
        compare("fftn", x, s=(6, 4), axes=(0, 2), norm=norm)
        compare("rfftn", x, s=(3, 11), axes=(2, 1), norm=norm)
        compare("irfftn", z, s=(3, 7), axes=(2, 0), norm=norm)
    compare("ifft2", z)


def jacobian_of(function: Callable[[Any], Any], x: Any) -> Any:
    """The matrix of a linear function of a vector of real numbers, from its columns."""
    return np.stack([function(column) for column in np.eye(len(x))], -1)


def test_derivatives() -> None:
    """The parts are linear functions of the parts: their Jacobians have the columns that NumPy makes of unit
    vectors."""
    for n in (1, 2, 5, 6, 9):
        x = numbers(n)
        real, imag = fw.function(fw.jacobian(lambda v: tuple(fw.fft.rfft(v))))(x)
        wanted = jacobian_of(np.fft.rfft, x)
        np.testing.assert_allclose(real, wanted.real, 1e-9, 1e-9)
        np.testing.assert_allclose(imag, wanted.imag, 1e-9, 1e-9)
        y = numbers(n // 2 + 1)
        both = fw.function(fw.jacobian(lambda a, b, n=n: fw.fft.irfft((a, b), n), (0, 1)))(y, y[::-1].copy())
        np.testing.assert_allclose(both[0], jacobian_of(functools.partial(np.fft.irfft, n=n), y), 1e-9, 1e-9)
        np.testing.assert_allclose(both[1], jacobian_of(lambda v: np.fft.irfft(1j * v, n), y), 1e-9, 1e-9)
        # Parseval: the sum of |fft(x)|^2 is n times that of x^2.
        found = fw.function(fw.grad(lambda v: fw.sum(abs(fw.fft.fft(v)) ** 2)))(x)
        np.testing.assert_allclose(found, 2 * n * x, 1e-9)


def test_arithmetic() -> None:
    z, w = numbers(6, is_complex=True), numbers(6, is_complex=True)
    parts = [np.ascontiguousarray(part) for part in (z.real, z.imag, w.real, w.imag)]
    cases: Dict[str, Tuple[Callable[..., Any], Callable[..., Any]]] = {
        "add": (lambda a, b: a + b, lambda a, b: a + b), "subtract": (lambda a, b: a - b, lambda a, b: a - b),
        "multiply": (lambda a, b: a * b, lambda a, b: a * b), "divide": (lambda a, b: a / b, lambda a, b: a / b),
        "numbers": (lambda a, b: 2.0 - (3 * a + 1) / 2, lambda a, b: 2.0 - (3 * a + 1) / 2),
        "complex numbers": (lambda a, b: 2j * a + 1 - 1j / b, lambda a, b: 2j * a + 1 - 1j / b),
        "arrays": (lambda a, b: a * w - w, lambda a, b: a * w - w),
        "negative": (lambda a, b: -a, lambda a, b: -a), "conj": (lambda a, b: a.conj(), lambda a, b: a.conj()),
        "absolute": (lambda a, b: abs(a), lambda a, b: abs(a)),
        "angle": (lambda a, b: a.angle(), lambda a, b: np.angle(a)),
        "shift": (lambda a, b: fw.fft.fftshift(a), lambda a, b: np.fft.fftshift(a)),
    }  # fmt: skip
    for name, (own, wanted) in cases.items():
        found = fw.function(lambda a, b, c, d, own=own: own(fw.fft.Complex(a, b), fw.fft.Complex(c, d)))(*parts)
        np.testing.assert_allclose(complex_of(found), wanted(z, w), 1e-12, err_msg=name)
    for n in (5, 6):
        x = numbers(3, n)
        for name in ("fftshift", "ifftshift"):
            for axes in (None, 1, (0,)):
                found = fw.function(lambda v, name=name, axes=axes: getattr(fw.fft, name)(v, axes))(x)
                np.testing.assert_array_equal(found, getattr(np.fft, name)(x, axes))
        np.testing.assert_allclose(fw.fft.fftfreq(n, 0.1), np.fft.fftfreq(n, 0.1), 1e-6)
        np.testing.assert_allclose(fw.fft.rfftfreq(n, 0.1, "float64"), np.fft.rfftfreq(n, 0.1))


def test_dtypes_and_batches() -> None:
    x = rng.standard_normal((3, 10)).astype(np.float32)
    found = fw.function(fw.fft.rfft)(x)
    assert found.real.dtype == np.float32
    np.testing.assert_allclose(found.numpy(), np.fft.rfft(x), 1e-4, 1e-4)
    np.testing.assert_allclose(fw.function(fw.fft.fft)(np.arange(6)).numpy(), np.fft.fft(np.arange(6)), 1e-5, 1e-5)
    # The batch is dynamic; a filter is a product of spectra.
    kernel = np.hanning(10).astype(np.float32)
    smooth = fw.function(lambda v: fw.fft.irfft(fw.fft.rfft(v) * fw.fft.rfft(kernel), 10), dynamic=True)
    for count in (3, 2, 5):
        x = rng.standard_normal((count, 10)).astype(np.float32)
        np.testing.assert_allclose(smooth(x), np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(kernel), 10), 1e-4, 1e-4)
    # One that only the call knows has a length all the same, if one is given.
    cut = fw.function(lambda v: fw.fft.rfft(v, 8, axis=0), dynamic=True)
    for count in (3, 8, 12):
        x = rng.standard_normal((count, 2)).astype(np.float32)
        np.testing.assert_allclose(cut(x).numpy(), np.fft.rfft(x, 8, axis=0), 1e-4, 1e-4)
    mapped = fw.function(fw.vmap(lambda row: tuple(fw.fft.rfft(row))))(x.T.copy())
    np.testing.assert_allclose(mapped[0] + 1j * mapped[1], np.fft.rfft(x.T), 1e-4, 1e-4)


def test_errors() -> None:
    x = np.ones((2, 6), np.float32)
    cases: Dict[str, Tuple[Callable[[Any], Any], Type[Exception]]] = {
        "fft: expected a length of at least 1 as n, found 0": (lambda v: fw.fft.fft(v, 0), ValueError),
        "without a prime factor above 2048 as n, found 2053": (lambda v: fw.fft.fft(v, 2053), ValueError),
        "'ortho', 'forward' or None as norm, found 'both'": (lambda v: fw.fft.fft(v, norm="both"), ValueError),
        "rfft: expected real numbers as x, found complex ones: fft": (lambda v: fw.fft.rfft((v, v)), TypeError),
        "a tuple of 3": (lambda v: fw.fft.fft((v, v, v)), TypeError),
        "axis": (lambda v: fw.fft.fft(v, axis=2), Exception),
        "index of z.real": (lambda v: fw.fft.fft(v)[0], TypeError),
        "a length for each of 2 axes as s, found 1": (lambda v: fw.fft.fftn(v, (4,), (0, 1)), ValueError),
    }  # fmt: skip
    for text, (function, kind) in cases.items():
        try:
            fw.function(function)(x)
            raise AssertionError(f"expected {kind.__name__}: {text}")
        except kind as error:
            assert text in str(error), error
    try:
        fw.function(fw.fft.fft, dynamic=True)(np.ones(6, np.float32))
        raise AssertionError("expected a ValueError")
    except ValueError as error:
        assert "static sizes to transform" in str(error), error


if __name__ == "__main__":
    run_tests([test_lengths, test_arguments, test_derivatives, test_arithmetic, test_dtypes_and_batches, test_errors])
