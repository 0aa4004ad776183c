# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of convolutions and pools."""

from samples.sampling import apart, arg, sample

# Attributes, and the same for JAX; the height and width of image, filter and
# output; channels of image, filter and output.
CONVOLUTIONS = (
    ("", "(1, 1), 'VALID'", (4, 5), (2, 3), (3, 3), (2, 2, 3)),
    ("strides [2, 1] padding same", "(2, 1), 'SAME'", (5, 4), (3, 2), (3, 4), (2, 2, 2)),
    ("strides [2, 3] padding explicit [[1, 2], [0, 1]]", "(2, 3), [(1, 2), (0, 1)]", (4, 6), (3, 2), (3, 2), (1, 1, 2)),
    ("padding same dilations [2, 1]", "(1, 1), 'SAME', rhs_dilation=(2, 1)", (4, 4), (2, 2), (4, 4), (4, 2, 4)),
    ("padding same", "(1, 1), 'SAME'", (3, 3), (2, 2), (3, 3), (3, 1, 3)),
    ("strides [3, 3]", "(3, 3), 'VALID'", (5, 4), (1, 1), (2, 2), (2, 2, 2)),
)
for attributes, options, image, kernel, output, (channels, group, outputs) in CONVOLUTIONS:
    x = f"tensor<?x{image[0]}x{image[1]}x{channels}xf64>"
    w = f"tensor<{kernel[0]}x{kernel[1]}x{group}x{outputs}xf64>"
    y = f"tensor<?x{output[0]}x{output[1]}x{outputs}xf64>"
    options += f", dimension_numbers=('NHWC', 'HWIO', 'NHWC'), feature_group_count={channels // group}"
    x_zeros = f"jnp.zeros((2, {image[0]}, {image[1]}, {channels}))"
    w_zeros = f"jnp.zeros(({kernel[0]}, {kernel[1]}, {group}, {outputs}))"
    for op, operands, result, jax in (
            ("conv2d", (x, w), y, f"lax.conv_general_dilated(a0, a1, {options})"),
            ("conv2d_transpose", (y, w), x,
             f"jax.vjp(lambda x: lax.conv_general_dilated(x, a1, {options}), {x_zeros})[1](a0)[0]"),
            ("conv2d_filter_grad", (x, y), w,
             f"jax.vjp(lambda w: lax.conv_general_dilated(a0, w, {options}), {w_zeros})[1](a1)[0]")):
        sample(f"nn.{op}", [arg(kind, dim_sizes=(2,)) for kind in operands],
               f"%y = nn.{op} %a0, %a1 {attributes} : ({', '.join(operands)}) -> {result}", result, jax=jax)

# Attributes, and the same for JAX; the height and width of image and output.
POOLS = (
    ("window [2, 2]", "(1, 2, 2, 1), (1, 2, 2, 1), 'VALID'", (4, 5), (2, 2)),
    ("window [3, 2] strides [2, 1] padding same", "(1, 3, 2, 1), (1, 2, 1, 1), 'SAME'", (4, 3), (2, 3)),
    ("window [2, 3] strides [1, 2] padding explicit [[1, 0], [1, 1]]",
     "(1, 2, 3, 1), (1, 1, 2, 1), [(0, 0), (1, 0), (1, 1), (0, 0)]", (3, 4), (3, 2)),
)
for attributes, options, image, output in POOLS:
    x, y = f"tensor<?x{image[0]}x{image[1]}x3xf64>", f"tensor<?x{output[0]}x{output[1]}x3xf64>"
    pool_max = f"lambda x: lax.reduce_window(x, -jnp.inf, lax.max, {options})"
    pool_sum = f"lambda x: lax.reduce_window(x, 0.0, lax.add, {options})"
    mean = f"lambda x: ({pool_sum})(x) / ({pool_sum})(jnp.ones(x.shape))"
    zeros = f"jnp.zeros((2, {image[0]}, {image[1]}, 3))"
    sample("nn.max_pool2d", [arg(x, apart(0.3), (2,))], f"%y = nn.max_pool2d %a0 {attributes} : ({x}) -> {y}", y,
           jax=f"({pool_max})(a0)")
    sample("nn.max_pool2d_grad", [arg(x, apart(0.3), (2,), wrt=False), arg(y, dim_sizes=(2,))],
           f"%y = nn.max_pool2d_grad %a0, %a1 {attributes} : ({x}, {y}) -> {x}", x,
           jax=f"jax.vjp({pool_max}, a0)[1](a1)[0]")
    sample("nn.max_pool2d_select", [arg(x, apart(0.3), (2,), wrt=False), arg(x, dim_sizes=(2,))],
           f"%y = nn.max_pool2d_select %a0, %a1 {attributes} : ({x}, {x}) -> {y}", y,
           jax=f"jax.vjp(lambda dy: jax.vjp({pool_max}, a0)[1](dy)[0], ({pool_max})(a0))[1](a1)[0]")
    sample("nn.avg_pool2d", [arg(x, dim_sizes=(2,))], f"%y = nn.avg_pool2d %a0 {attributes} : ({x}) -> {y}", y,
           jax=f"({mean})(a0)")
    sample("nn.avg_pool2d_grad", [arg(y, dim_sizes=(2,))],
           f"%y = nn.avg_pool2d_grad %a0 {attributes} : ({y}) -> {x}", x,
           jax=f"jax.vjp({mean}, {zeros})[1](a0)[0]")
