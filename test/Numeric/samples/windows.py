# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of convolutions and pools."""

from samples.sampling import apart, arg, sample

# Attributes; the height and width of image, filter and output; channels of
# image, filter and output.
CONVOLUTIONS = (
    ("", (4, 5), (2, 3), (3, 3), (2, 2, 3)),
    ("strides [2, 1] padding same", (5, 4), (3, 2), (3, 4), (2, 2, 2)),
    ("strides [2, 3] padding explicit [[1, 2], [0, 1]]", (4, 6), (3, 2), (3, 2), (1, 1, 2)),
    ("padding same dilations [2, 1]", (4, 4), (2, 2), (4, 4), (4, 2, 4)),
    ("padding same", (3, 3), (2, 2), (3, 3), (3, 1, 3)),
    ("strides [3, 3]", (5, 4), (1, 1), (2, 2), (2, 2, 2)),
)
for attributes, image, kernel, output, (channels, group, outputs) in CONVOLUTIONS:
    x = f"tensor<?x{image[0]}x{image[1]}x{channels}xf64>"
    w = f"tensor<{kernel[0]}x{kernel[1]}x{group}x{outputs}xf64>"
    y = f"tensor<?x{output[0]}x{output[1]}x{outputs}xf64>"
    for op, operands, result in (("conv2d", (x, w), y), ("conv2d_transpose", (y, w), x),
                                 ("conv2d_filter_grad", (x, y), w)):
        sample(f"nn.{op}", [arg(kind, extents=(2,)) for kind in operands],
               f"%y = nn.{op} %a0, %a1 {attributes} : ({', '.join(operands)}) -> {result}", result)

# Attributes; the height and width of image and output.
POOLS = (
    ("window [2, 2]", (4, 5), (2, 2)),
    ("window [3, 2] strides [2, 1] padding same", (4, 3), (2, 3)),
    ("window [2, 3] strides [1, 2] padding explicit [[1, 0], [1, 1]]", (3, 4), (3, 2)),
)
for attributes, image, output in POOLS:
    x, y = f"tensor<?x{image[0]}x{image[1]}x3xf64>", f"tensor<?x{output[0]}x{output[1]}x3xf64>"
    sample("nn.max_pool2d", [arg(x, apart(0.3), (2,))], f"%y = nn.max_pool2d %a0 {attributes} : ({x}) -> {y}", y)
    sample("nn.max_pool2d_grad", [arg(x, apart(0.3), (2,), wrt=False), arg(y, extents=(2,))],
           f"%y = nn.max_pool2d_grad %a0, %a1 {attributes} : ({x}, {y}) -> {x}", x)
    sample("nn.max_pool2d_select", [arg(x, apart(0.3), (2,), wrt=False), arg(x, extents=(2,))],
           f"%y = nn.max_pool2d_select %a0, %a1 {attributes} : ({x}, {x}) -> {y}", y)
    sample("nn.avg_pool2d", [arg(x, extents=(2,))], f"%y = nn.avg_pool2d %a0 {attributes} : ({x}) -> {y}", y)
    sample("nn.avg_pool2d_grad", [arg(y, extents=(2,))], f"%y = nn.avg_pool2d_grad %a0 {attributes} : ({y}) -> {x}", x)
