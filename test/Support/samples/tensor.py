# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of the tensor dialect."""

from samples.sampling import arg, sample

# If dimension sizes are computed from others, the arguments are static.
sample("tensor.cast", [arg("tensor<3x3xf64>")],
       "%d = tensor.cast %a0 : tensor<3x3xf64> to tensor<?x3xf64>\n"
       "%y = tensor.cast %d : tensor<?x3xf64> to tensor<3x?xf64>",
       "tensor<3x?xf64>",
       static_result="tensor<3x3xf64>",
       jax="a0")
sample("tensor.expand_shape", [arg("tensor<4x3xf64>")],
       "%d = tensor.cast %a0 : tensor<4x3xf64> to tensor<?x3xf64>\n"
       "%zero = arith.constant 0 : index\n%two = arith.constant 2 : index\n"
       "%n = tensor.dim %d, %zero : tensor<?x3xf64>\n%m = arith.divui %n, %two : index\n"
       "%y = tensor.expand_shape %d [[0, 1], [2]] output_shape [%m, 2, 3] : "
       "tensor<?x3xf64> into tensor<?x2x3xf64>", "tensor<?x2x3xf64>",
       static_result="tensor<2x2x3xf64>",
       jax="a0.reshape(2, 2, 3)")
sample("tensor.collapse_shape", [arg("tensor<3x3x2xf64>")],
       "%d = tensor.cast %a0 : tensor<3x3x2xf64> to tensor<?x3x2xf64>\n"
       "%y = tensor.collapse_shape %d [[0, 1], [2]] : tensor<?x3x2xf64> into tensor<?x2xf64>", "tensor<?x2xf64>",
       static_result="tensor<9x2xf64>",
       jax="a0.reshape(9, 2)")
sample("tensor.reshape", [arg("tensor<4x3xf64>")],
       "%s = arith.constant dense<[2, 6]> : tensor<2xindex>\n"
       "%y = tensor.reshape %a0(%s) : (tensor<4x3xf64>, tensor<2xindex>) -> tensor<2x6xf64>", "tensor<2x6xf64>",
       jax="a0.reshape(2, 6)")
sample("tensor.extract_slice", [arg("tensor<?x5xf64>")],
       "%y = tensor.extract_slice %a0[1, 0] [2, 3] [1, 2] : tensor<?x5xf64> to tensor<2x3xf64>", "tensor<2x3xf64>",
       jax="a0[1:3, 0:5:2]")
sample("tensor.extract_slice", [arg("tensor<?x5xf64>")],
       "%n = arith.constant 2 : index\n"
       "%y = tensor.extract_slice %a0[%n, 1] [1, %n] [1, 1] : tensor<?x5xf64> to tensor<?xf64>", "tensor<?xf64>",
       static_result="tensor<2xf64>",
       jax="a0[2, 1:3]")
sample("tensor.insert_slice", [arg("tensor<2x3xf64>"), arg("tensor<?x5xf64>")],
       "%y = tensor.insert_slice %a0 into %a1[1, 0] [2, 3] [1, 2] : tensor<2x3xf64> into tensor<?x5xf64>",
       "tensor<?x5xf64>",
       jax="a1.at[1:3, 0:5:2].set(a0)")
sample("tensor.insert_slice", [arg("tensor<2xf64>"), arg("tensor<?x5xf64>")],
       "%n = arith.constant 2 : index\n%d = tensor.cast %a0 : tensor<2xf64> to tensor<?xf64>\n"
       "%y = tensor.insert_slice %d into %a1[%n, 1] [1, %n] [1, 1] : tensor<?xf64> into tensor<?x5xf64>",
       "tensor<?x5xf64>",
       jax="a1.at[2, 1:3].set(a0)")
sample("tensor.concat", [arg("tensor<?x3xf64>"), arg("tensor<2x3xf64>"), arg("tensor<?x3xf64>", dim_sizes=(1,))],
       "%y = tensor.concat dim(0) %a0, %a1, %a2 : (tensor<?x3xf64>, tensor<2x3xf64>, tensor<?x3xf64>) -> "
       "tensor<?x3xf64>", "tensor<?x3xf64>",
       static_result="tensor<6x3xf64>",
       jax="jnp.concatenate([a0, a1, a2])")
sample("tensor.concat", [arg("tensor<?x3xf64>"), arg("tensor<?x2xf64>")],
       "%y = tensor.concat dim(1) %a0, %a1 : (tensor<?x3xf64>, tensor<?x2xf64>) -> tensor<?x5xf64>",
       "tensor<?x5xf64>",
       jax="jnp.concatenate([a0, a1], axis=1)")
sample("tensor.pad", [arg("tensor<2x3xf64>"), arg("tensor<f64>")],
       "%p = tensor.extract %a1[] : tensor<f64>\n%y = tensor.pad %a0 low[1, 0] high[2, 1] {\n"
       "^bb0(%i: index, %j: index):\n  tensor.yield %p : f64\n} : tensor<2x3xf64> to tensor<5x4xf64>",
       "tensor<5x4xf64>", jax="jnp.pad(a0, ((1, 2), (0, 1)), constant_values=a1)")
sample("tensor.pad", [arg("tensor<?x3xf64>")],
       "%p = arith.constant 7.0 : f64\n%y = tensor.pad %a0 low[1, 0] high[2, 1] {\n^bb0(%i: index, %j: index):\n"
       "tensor.yield %p : f64\n} : tensor<?x3xf64> to tensor<?x4xf64>", "tensor<?x4xf64>",
       static_result="tensor<6x4xf64>",
       jax="jnp.pad(a0, ((1, 2), (0, 1)), constant_values=7.0)")
sample("tensor.splat", [arg("tensor<f64>")],
       "%n = arith.constant 3 : index\n%s = tensor.extract %a0[] : tensor<f64>\n"
       "%y = tensor.splat %s[%n] : tensor<2x?xf64>", "tensor<2x?xf64>",
       static_result="tensor<2x3xf64>",
       jax="jnp.full((2, 3), a0)")
sample("tensor.extract", [arg("tensor<?x3xf64>")],
       "%i = arith.constant 1 : index\n%s = tensor.extract %a0[%i, %i] : tensor<?x3xf64>\n"
       "%t = arith.mulf %s, %s : f64\n%y = tensor.from_elements %t, %s : tensor<2xf64>", "tensor<2xf64>",
       jax="jnp.stack([a0[1, 1] ** 2, a0[1, 1]])")
sample("tensor.from_elements", [arg("tensor<4xf64>")],
       "%i = arith.constant 1 : index\n%j = arith.constant 3 : index\n"
       "%s = tensor.extract %a0[%i] : tensor<4xf64>\n%t = tensor.extract %a0[%j] : tensor<4xf64>\n"
       "%y = tensor.from_elements %s, %t, %s, %s, %s, %t : tensor<2x3xf64>", "tensor<2x3xf64>",
       jax="a0[jnp.array([[1, 3, 1], [1, 1, 3]])]")
sample("tensor.insert", [arg("tensor<f64>"), arg("tensor<?x3xf64>")],
       "%i = arith.constant 1 : index\n%s = tensor.extract %a0[] : tensor<f64>\n"
       "%y = tensor.insert %s into %a1[%i, %i] : tensor<?x3xf64>", "tensor<?x3xf64>",
       jax="a1.at[1, 1].set(a0)")
