# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regularizers: what weights add to the loss."""

from typing import Any

from .._errors.contracts import public_form
from ..v1.precision import rounds_once
from . import backend as K
from ._serialization import Configured, build, find, serializers


class Regularizer(Configured):
    """A function of weights."""

    def __call__(self, x: Any) -> Any:
        return 0.0


class L1L2(Regularizer):
    """l1 sum |x| + l2 sum x^2."""

    arguments = ("l1", "l2")

    def __init__(self, l1: float = 0.0, l2: float = 0.0):
        self.l1, self.l2 = l1, l2

    def __call__(self, x: Any) -> Any:
        return rounds_once(self._penalty)(x)

    def _penalty(self, x: Any) -> Any:
        terms = [K.sum(K.abs(x)) * self.l1] if self.l1 else []
        terms += [K.sum(K.square(x)) * self.l2] if self.l2 else []
        return terms[0] if len(terms) == 1 else terms[0] + terms[1] if terms else K.sum(x) * 0.0


def l1(l: float = 0.01) -> L1L2:  # noqa: E741
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741
    return L1L2(l2=l)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    return L1L2(l1, l2)


_NAMES = {"L1L2": L1L2, "l1": l1, "l2": l2, "l1_l2": l1_l2}


serialize, deserialize = serializers(_NAMES, "a regularizer")


def get(identifier: Any) -> Any:
    """A regularizer, by its name, its configuration, or as it is."""
    if identifier is None or callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        return build(identifier, _NAMES, "regularizer")
    found = find(str(identifier), _NAMES, "regularizer")
    return found() if found is public_form(_NAMES.get(str(identifier))) or isinstance(found, type) else found
