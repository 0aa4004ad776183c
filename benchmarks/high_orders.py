# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the seconds until the first result of nested gradients of functions of one number, by order.

usage: benchmarks/high_orders.py [ORDER]

Orders from 6 to ORDER, 10 by default; a function that took 10 s goes no further.
"""

import sys
import time
from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw


def stacked(x: Any) -> Any:
    return fw.stack([x, x + 1.0, x + 2.0, x + 3.0])


FUNCTIONS: Dict[str, Callable[[Any], Any]] = {
    "prod": lambda x: fw.prod(stacked(x)),
    "exp(prod)": lambda x: fw.exp(fw.prod(stacked(x))),
    "exp of a product": lambda x: fw.exp(x * (x + 1.0) * (x + 2.0) * (x + 3.0)),
    "logsumexp": lambda x: fw.logsumexp(fw.stack([x, x + 1.0, x * 2.0])),
    "log of a sum": lambda x: fw.log(fw.exp(x) + fw.exp(x + 1.0) + fw.exp(x * 2.0)),
}


def main() -> None:
    last = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for name, function in FUNCTIONS.items():
        seconds = 0.0
        for order in range(6, last + 1):
            derivative = function
            for _ in range(order):
                derivative = fw.grad(derivative)
            start = time.perf_counter()
            fw.function(derivative)(np.float64(0.1))
            seconds = time.perf_counter() - start
            print(f"{name:17} order {order:2} {seconds:6.2f} s", flush=True)
            if seconds > 10:
                break


if __name__ == "__main__":
    main()
