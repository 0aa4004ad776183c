# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keras as of 2.1: `from flywheel import keras`. See docs/Keras.md for what is there and what differs."""

from . import backend, constraints, optimizers

__all__ = ["backend", "constraints", "optimizers"]
