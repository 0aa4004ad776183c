# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Smooth functions, as this package and as mpmath compute them: what `odd_points.py` tests, and what
scripts/generate-odd-points writes the numbers of."""

from typing import Dict, List, NamedTuple, Tuple

# Numbers that functions treat differently, and near to them; large ones, at which exponentials are 0 or infinite.
ODD = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e-4, -1e-4, 1e-8, 2.0, -3.0, 20.0, -20.0, 50.0, -60.0, 700.0, 1e-30]
POSITIVE = [1e-30, 1e-8, 0.5, 1.0, 2.0, 20.0, 700.0]
POWERS = [0.0, 1.0, -1.0, 0.5, 2.0, -3.0]


class Case(NamedTuple):
    """A function of `x`, or of `x` and `y`, element by element; points are numbers or pairs."""

    ours: str
    exact: str
    points: List[float] = ODD


CASES: Dict[str, Case] = {
    name: Case(f"fw.{name}(x)", exact, points)
    for name, exact, points in [
        ("arctan", "mp.atan(x)", ODD), ("arcsinh", "mp.asinh(x)", ODD), ("cbrt", "mp.cbrt(x)", POSITIVE),
        ("cos", "mp.cos(x)", ODD), ("cosh", "mp.cosh(x)", ODD), ("erf", "mp.erf(x)", ODD), ("erfc", "mp.erfc(x)", ODD),
        ("exp", "mp.exp(x)", ODD), ("exp2", "mp.mpf(2) ** x", ODD), ("expm1", "mp.expm1(x)", ODD),
        ("lgamma", "mp.loggamma(x)", POSITIVE[2:]), ("log", "mp.log(x)", POSITIVE), ("log1p", "mp.log1p(x)", POSITIVE),
        ("log2", "mp.log(x) / mp.log(2)", POSITIVE), ("log10", "mp.log10(x)", POSITIVE),
        ("reciprocal", "1 / x", POSITIVE[1:]), ("rsqrt", "1 / mp.sqrt(x)", POSITIVE[1:]),
        ("sigmoid", "1 / (1 + mp.exp(-x))", ODD), ("sin", "mp.sin(x)", ODD), ("sinc", "mp.sincpi(x)", ODD),
        ("sinh", "mp.sinh(x)", ODD), ("sqrt", "mp.sqrt(x)", POSITIVE), ("square", "x * x", ODD),
        ("tan", "mp.tan(x)", ODD), ("tanh", "mp.tanh(x)", ODD),
    ]
}  # fmt: skip
CASES.update({
    name: Case(f"fw.nn.{name}(x)", exact)
    for name, exact in [
        ("softplus", "mp.log1p(mp.exp(x))"), ("silu", "x / (1 + mp.exp(-x))"),
        ("gelu", "x * (1 + mp.erf(x / mp.sqrt(2))) / 2"),
    ]
})  # fmt: skip
CASES.update({
    "gelu_tanh": Case("fw.nn.gelu(x, approximate=True)",
                      "x * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf(0.044715) * x**3))) / 2"),
    "log_cosh": Case("row(fw.nn.log_cosh, x, x * 0)", "mp.log(mp.cosh(x))"),
    "squared": Case("row(fw.nn.mean_squared_error, x, x * 0 + 1)", "(x - 1) ** 2"),
    "huber_inside": Case("row(fw.nn.huber, x, x * 0)", "x * x / 2", [0.0, -0.0, 0.5, -0.5, 1e-8]),
    "bce_logits": Case("fw.nn.sigmoid_cross_entropy(x, x * 0 + 0.25, reduction='none')",
                       "mp.log1p(mp.exp(x)) - x / 4"),
    "cross_entropy": Case("fw.nn.softmax_cross_entropy(fw.stack([x, x * 0], 1), fw.stack([x * 0 + 1, x * 0], 1), "
                          "reduction='none')", "mp.log1p(mp.exp(-x))"),
    "sparse_cross_entropy": Case("fw.nn.sparse_softmax_cross_entropy(fw.stack([x, x * 0], 1), "
                                 "fw.zeros(x.shape, 'int32'), reduction='none')", "mp.log1p(mp.exp(-x))"),
    "softmax": Case("fw.nn.softmax(fw.stack([x, x * 0], 1))[:, 0]", "1 / (1 + mp.exp(-x))"),
    "log_softmax": Case("fw.nn.log_softmax(fw.stack([x, x * 0], 1))[:, 0]", "-mp.log1p(mp.exp(-x))"),
    "logsumexp": Case("fw.logsumexp(fw.stack([x, x * 0]), 0)", "mp.log1p(mp.exp(x))"),
    "logcumsumexp": Case("fw.nn.logcumsumexp(fw.stack([x, x * 0], 1), 1)[:, 1]", "mp.log1p(mp.exp(x))"),
    "norm": Case("fw.norm(fw.stack([x, x * 0 + 1]), 0)", "mp.sqrt(x * x + 1)"),
    "norm_3": Case("fw.linalg.norm(fw.stack([x, x * 0 + 1]), 4, 0)", "(x**4 + 1) ** (mp.mpf(1) / 4)"),
    "std": Case("fw.std(fw.stack([x, -x, x * 0 + 3, x * 0]), 0)", "mp.sqrt((2 * x * x + 9) / 4 - mp.mpf(9) / 16)"),
    "layer_norm": Case("fw.nn.layer_norm(fw.stack([x, -x], 1), axes=[1], epsilon=1e-3)[:, 0]",
                       "x / mp.sqrt(x * x + mp.mpf(1e-3))"),
    "prod": Case("fw.prod(fw.stack([x, x, x * 0 + 2]), 0)", "2 * x * x"),
    "cumprod": Case("fw.cumprod(fw.stack([x, x, x]), 0)[2]", "x**3"),
    "det_2": Case("fw.linalg.det(matrix([[x, 2 * x], [x * x, x]]))", "x * x - 2 * x**3"),
    "det_3": Case("fw.linalg.det(matrix([[x, 1, 2], [x * x, x, x], [1, 1, x * 2]]))",
                  "x * (2 * x * x - x) - (2 * x**3 - x) + 2 * (x * x - x)"),
    "det_4": Case("fw.linalg.det(matrix([[x, 1, 2, 0], [x * x, x, x, 1], [1, 1, x * 2, x], [x, 0, 1, x]]))",
                  "mp.det(mp.matrix([[x, 1, 2, 0], [x * x, x, x, 1], [1, 1, x * 2, x], [x, 0, 1, x]]))", POWERS),
    "det_zero_rows": Case("fw.linalg.det(matrix([[x, 0, 0, 0], [0, x, 0, 0], [0, 0, 0, x], [0, 0, x, x]]))", "-x**4",
                          POWERS),
    **{f"power_{k}": Case(f"fw.power(x, fw.ones_like(x) * {k}.0)", f"x ** {k}", POWERS) for k in range(11)},
    **{f"by_constant_{k}": Case(f"x ** {k}.0", f"x ** {k}", POWERS) for k in range(5)},
    "sum_of_powers": Case("sum(fw.power(x, fw.ones_like(x) * float(k)) for k in (1, 2, 3, 4))",
                          "x + x**2 + x**3 + x**4", POWERS),
})  # fmt: skip

_NEAR = [x for x in ODD if abs(x) < 40]
# flywheel._numerics.special, which flywheel.v1 and imports have names for.
CASES.update({
    name: Case(f"special.{name}(x)", exact, points)
    for name, exact, points in [
        ("log_ndtr", "mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)", _NEAR), ("erfcx", "mp.exp(x * x) * mp.erfc(x)", _NEAR),
        ("i0", "mp.besseli(0, x)", _NEAR), ("i1", "mp.besseli(1, x)", _NEAR),
        ("j0", "mp.besselj(0, x)", _NEAR), ("j1", "mp.besselj(1, x)", _NEAR),
        ("i0e", "mp.exp(-abs(x)) * mp.besseli(0, x)", [0.5, -0.5, 2.0, -3.0, 20.0, -20.0]),
        ("i1e", "mp.exp(-abs(x)) * mp.besseli(1, x)", [0.5, -0.5, 2.0, -3.0, 20.0, -20.0]),
        ("digamma", "mp.psi(0, x)", [*POSITIVE[1:6], -0.5, -1.5, 0.25]),
    ]
})  # fmt: skip

PAIRS: List[Tuple[float, float]] = [
    (0.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (0.5, 0.5), (1e-4, 1e-4), (2.0, 2.0), (3.0, -2.0), (20.0, 20.0),
    (-50.0, 50.0), (700.0, 0.0), (0.0, -700.0), (1e-8, -1e-8)]  # fmt: skip

# Functions of two arguments, element by element.
BINARY: Dict[str, Tuple[str, str, List[Tuple[float, float]]]] = {
    "logaddexp": ("fw.logaddexp(x, y)", "mp.log(mp.exp(x) + mp.exp(y))", [(0.0, 0.0), *PAIRS]),
    "hypot": ("fw.hypot(x, y)", "mp.sqrt(x * x + y * y)", PAIRS),
    # But for its cut, the negative numbers.
    "arctan2": ("fw.arctan2(x, y)", "mp.atan2(x, y)",
                [*(pair for pair in PAIRS if pair[0] or pair[1] > 0), (1e-30, 1e-30), (1e30, 1e30)]),
    "power": ("fw.power(x, y)", "x ** y", [(2.0, 0.0), (2.0, 1.0), (1.0, 0.0), (0.5, 2.0), (3.0, -1.0), (2.0, 3.0)]),
    "log_softmax_2": ("fw.nn.log_softmax(fw.stack([x, y], 1))[:, 0]", "x - mp.log(mp.exp(x) + mp.exp(y))",
                      [(0.0, 0.0), *PAIRS]),
    "det_of_2": ("fw.linalg.det(matrix([[x, 2], [y, 4]]))", "4 * x - 2 * y", [(1.0, 2.0), (0.0, 0.0), (2.0, 4.0)]),
    "det_of_3": ("fw.linalg.det(matrix([[x, 1, y], [2, 2, 2], [x, y, 1]]))",
                 "x * (2 - 2 * y) - (2 - 2 * x) + y * (2 * y - 2 * x)", [(1.0, 1.0), (0.0, 1.0), (2.0, -1.0)]),
    "huber_2": ("row(fw.nn.huber, x, y)", "(x - y) ** 2 / 2", [(1.0, 1.0), (0.5, 0.0), (-1e-8, 0.0)]),
    "log_cosh_2": ("row(fw.nn.log_cosh, x, y)", "mp.log(mp.cosh(x - y))", [(0.0, 0.0), *PAIRS]),
}  # fmt: skip
