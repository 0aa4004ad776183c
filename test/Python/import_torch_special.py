# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch, expecttest, mpmath
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Special functions and factors of matrices of PyTorch, with their derivatives, at seeded numbers, at poles, at the
ends of domains and on matrices of several shapes (B7). The special functions also beside mpmath, to the last digits."""

from typing import Any, Callable, Dict, List, Sequence, Tuple

import mpmath
import numpy as np
import torch
from torch.testing._internal.opinfo.core import SampleInput

import flywheel as fw
from flywheel._numerics import special as _special
from import_torch_samples import compare

special = torch.special
# Each with its domain, and numbers at which something changes: signs, ends, and where series meet.
FUNCTIONS: Dict[Callable[..., Any], Tuple[float, float, List[float]]] = {
    torch.digamma: (-8.7, 30.0, [0.5, 1.4616321]),
    torch.erfinv: (-0.999, 0.999, [0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 0.9999999]),
    special.ndtri: (0.001, 0.999, [0.5, 1e-30, 0.0, 1.0, -0.5]),
    special.erfcx: (-4.0, 30.0, [0.0, 26.0]),
    special.log_ndtr: (-30.0, 6.0, [-1.0, 0.0, -300.0]),
    special.i0: (-12.0, 12.0, [0.0, 8.0]),
    special.i0e: (-60.0, 60.0, [0.0, 8.0, -8.0]),
    special.i1: (-12.0, 12.0, [0.0, 8.0]),
    special.i1e: (-60.0, 60.0, [0.0, 8.0, -8.0]),
    # From 5 on those of PyTorch have only 6 digits.
    special.bessel_j0: (-4.9, 4.9, [0.0]),
    special.bessel_j1: (-4.9, 4.9, [0.0]),
    special.bessel_y0: (0.1, 4.9, [1.0]),
    special.bessel_y1: (0.1, 4.9, [1.0]),
    special.modified_bessel_k0: (0.1, 15.0, [2.0]),
    special.modified_bessel_k1: (0.1, 15.0, [2.0]),
}
# The exact functions of the same arguments.
EXACT: Dict[str, Tuple[Callable[..., Any], Callable[..., Any], Tuple[float, float]]] = {
    "digamma": (_special.digamma, mpmath.digamma, (-9.7, 40.0)),
    "erfinv": (_special.erfinv, mpmath.erfinv, (-0.9999, 0.9999)),
    "ndtri": (_special.ndtri, lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1), (1e-7, 0.9999)),
    "erfcx": (_special.erfcx, lambda x: mpmath.exp(x * x) * mpmath.erfc(x), (-3.0, 40.0)),
    "log_ndtr": (_special.log_ndtr, lambda x: mpmath.log(mpmath.ncdf(x)), (-30.0, 5.0)),
    "i0": (_special.i0, lambda x: mpmath.besseli(0, x), (-20.0, 20.0)),
    "i1e": (_special.i1e, lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), (-60.0, 60.0)),
    "k0": (_special.k0, lambda x: mpmath.besselk(0, x), (0.01, 30.0)),
    "k1": (_special.k1, lambda x: mpmath.besselk(1, x), (0.01, 30.0)),
    "j0": (_special.j0, lambda x: mpmath.besselj(0, x), (-60.0, 60.0)),
    "j1": (_special.j1, lambda x: mpmath.besselj(1, x), (-60.0, 60.0)),
    "y0": (_special.y0, lambda x: mpmath.bessely(0, x), (0.01, 60.0)),
    "y1": (_special.y1, lambda x: mpmath.bessely(1, x), (0.01, 60.0)),
    "polygamma 3": (lambda x: _special.polygamma(3, x), lambda x: mpmath.polygamma(3, x), (-5.7, 30.0)),
}


def check_exact() -> None:
    """B7: to 13 digits of float64, of 12 numbers in each domain."""
    draws = np.random.default_rng(3)
    points = {name: draws.uniform(*domain, 12) for name, (_, _, domain) in EXACT.items()}
    with mpmath.workdps(30):
        wanted = {name: np.array([float(exact(mpmath.mpf(float(x)))) for x in points[name]])
                  for name, (_, exact, _) in EXACT.items()}  # fmt: skip

    @fw.function
    def run(numbers: Any) -> Any:
        return {name: function(numbers[name]) for name, (function, _, _) in EXACT.items()}

    for name, found in run(points).items():
        np.testing.assert_allclose(found, wanted[name], 1e-13, 1e-13, err_msg=name)


def sample(*tensors: Any, **kwargs: Any) -> SampleInput:
    return SampleInput(tensors[0], args=tensors[1:], kwargs=kwargs)


def check_functions(dtype: Any) -> None:
    draws = torch.Generator().manual_seed(3)

    def points(low: float, high: float, others: Sequence[float]) -> Any:
        drawn = torch.rand(16, generator=draws, dtype=torch.float64) * (high - low) + low
        return torch.cat([drawn, torch.tensor(others, dtype=torch.float64)]).to(dtype)

    given = [points(*domain).requires_grad_() for domain in FUNCTIONS.values()]

    def all_of(first: Any, *others: Any) -> Any:
        orders = [torch.polygamma(n, first) for n in range(5)]
        return [*(function(x) for function, x in zip(FUNCTIONS, (first, *others))), *orders]

    compare(all_of, [sample(*given)], dtype)
    # At poles and infinities a value is defined; derivatives are NaN or infinite there.
    ends = torch.tensor([0.0, -0.0, -1.0, float("inf"), float("nan")], dtype=dtype)
    compare(lambda x: [torch.digamma(x), special.bessel_y0(x[:2]), special.modified_bessel_k1(x[:2]),
                       torch.i0(x[:2]), special.erfcx(x), special.log_ndtr(x[:3])], [sample(ends)], dtype)  # fmt: skip


def check_matrices(dtype: Any) -> None:
    draws = torch.Generator().manual_seed(5)

    def matrix(*shape: int) -> Any:
        return torch.randn(shape, generator=draws, dtype=torch.float64).to(dtype).requires_grad_()

    for shape in ((3, 3), (2, 4), (5, 3), (2, 1, 3, 2)):
        a = matrix(*shape)
        compare(lambda x: [*torch.linalg.lu(x), *torch.linalg.lu_factor(x), *torch.lu_unpack(*torch.lu(x))],
                [sample(a)], dtype)  # fmt: skip
        compare(lambda x: [torch.linalg.pinv(x), torch.linalg.pinv(x, rtol=0.3), torch.linalg.pinv(x, atol=0.5)],
                [sample(a)], dtype)  # fmt: skip
    # The same factors solve with a system of any side, transposed or not, and of several right sides.
    for left in (True, False):
        for adjoint in (True, False):
            b = matrix(4, 3, 2) if left else matrix(4, 2, 3)
            compare(lambda x, y, left=left, adjoint=adjoint: torch.linalg.lu_solve(
                *torch.linalg.lu_factor(x), y, left=left, adjoint=adjoint), [sample(matrix(3, 3), b)],
                dtype)  # fmt: skip
    compare(lambda v, t: torch.linalg.householder_product(v, t), [sample(matrix(2, 4, 3), matrix(2, 3))], dtype)
    for left, transpose in ((True, False), (True, True), (False, False), (False, True)):
        other = matrix(4, 2) if left else matrix(2, 4)
        compare(lambda v, t, x, left=left, transpose=transpose: torch.ormqr(v, t, x, left, transpose),
                [sample(matrix(4, 3), matrix(3), other)], dtype)  # fmt: skip
    # Norms from less than the least that is scaled to several squares, and numbers that are not.
    scales = torch.tensor([1e-3, 1.0, 6.0], dtype=dtype)[:, None, None]
    compare(torch.linalg.matrix_exp, [sample((matrix(3, 4, 4).detach() * scales).requires_grad_())], dtype)
    compare(torch.linalg.matrix_exp, [sample(torch.full((2, 2), float("nan"), dtype=dtype))], dtype)


def check_floats(dtype: Any) -> None:
    """Exponents, neighbours and signs of numbers of all sizes; equal ones share a derivative, and of two NaN the first
    one has it."""
    large = 1e300 if dtype == torch.float64 else 1e38
    numbers = [0.0, -0.0, 1.0, -1.5, 0.1, large, -large, 1 / large, 5e-324 if dtype == torch.float64 else 1e-44]
    x = torch.tensor(numbers, dtype=dtype)
    y = torch.tensor([1.0, 0.0, 1.0, -2.0, float("inf"), 0.0, 0.0, -1.0, 0.0], dtype=dtype)
    compare(lambda a, b: [*torch.frexp(a), torch.nextafter(a, b)], [sample(x, y)], dtype)
    compare(lambda a: torch.frexp(a), [sample(x[2:5].clone().requires_grad_())], dtype)
    first = torch.tensor([1.0, 2.0, float("nan"), float("nan"), 3.0], dtype=dtype)
    second = torch.tensor([1.0, 3.0, float("nan"), 4.0, float("nan")], dtype=dtype)
    compare(lambda a, b: [torch.fmax(a, b), torch.fmin(a, b), torch.copysign(a, -2.0)],
            [sample(first[:2].clone().requires_grad_(), second[:2].clone().requires_grad_())], dtype)  # fmt: skip

    class Pair(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = (torch.nn.Parameter(torch.ones(5, dtype=dtype)) for _ in range(2))

        def forward(self, one: Any) -> Any:
            # NaN, of which the derivative by the parameter is 1.
            a, b = self.a + (first - 1), self.b + (second - 1)
            return torch.fmax(a, b) + 2 * torch.fmin(a, b)

    module = Pair()
    module(torch.ones((), dtype=dtype)).sum().backward()
    with fw.Namespace(), fw.Store():
        ours = fw.torch.from_module(module, (torch.ones((), dtype=dtype),), loss=lambda out: fw.sum(out),
                                    optimizer=fw.optimizers.SGD(lr=1.0))  # fmt: skip
        ours.step(torch.ones((), dtype=dtype))
        state = ours.state_dict()
        for name, parameter in module.named_parameters():
            np.testing.assert_array_equal(1.0 - state[name].numpy(), parameter.grad.numpy(), err_msg=name)


if __name__ == "__main__":
    check_exact()
    for number in (torch.float64, torch.float32):
        check_functions(number)
        check_floats(number)
    check_matrices(torch.float64)
