# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numerical methods, made of ops: special functions, matrices, complex numbers, spectra."""
