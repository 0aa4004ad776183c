# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Ops of PyTorch on images, of one to three dimensions, one by one: results and derivatives."""

from typing import Dict

import torch
from torch.nn import functional

from import_torch_ops import Function, compare

F = torch.float64
LINE = torch.linspace(-1, 1, 3 * 4 * 3, dtype=F).sin().view(3, 4, 3)
SQUARE = torch.linspace(-2, 2, 4 * 3 * 3 * 3, dtype=F).cos().view(4, 3, 3, 3)
CUBE = torch.linspace(-2, 2, 2 * 3 * 2 * 3 * 2, dtype=F).cos().view(2, 3, 2, 3, 2)


def line(x: torch.Tensor) -> torch.Tensor:
    """[batch, channels, width] of an image."""
    return x.flatten(2)


def cube(x: torch.Tensor) -> torch.Tensor:
    """[batch, channels, depth, height, width] of an image."""
    return x.reshape(1, 3, 2, 5, 4)


def _resize(mode: str, **how: object) -> Function:
    return lambda x: functional.interpolate(x, mode=mode, **how)


# Functions of a parameter [2, 3, 5, 4].
CASES: Dict[str, Function] = {
    "conv_1": lambda x: functional.conv1d(line(x), LINE.transpose(0, 1)[:, :, :2], None, 2, 1),
    "conv_1_same": lambda x: functional.conv1d(line(x), LINE.transpose(0, 1), padding="same", dilation=2),
    "conv_3": lambda x: functional.conv3d(cube(x), CUBE, x[0, 0, 0, :2], (1, 2, 1), 1, (1, 1, 2)),
    "conv_one_image": lambda x: functional.conv2d(x[0], SQUARE, padding=1),
    "transpose_padding": lambda x: functional.conv_transpose2d(
        x, SQUARE.transpose(0, 1), None, (2, 3), 1, output_padding=(1, 2)),
    "transpose_groups": lambda x: functional.conv_transpose2d(x, SQUARE[:3, :2], x[0, :, 0, :2].flatten(), 2, groups=3),
    "transpose_1": lambda x: functional.conv_transpose1d(line(x), LINE, None, 2, 1, 1),
    "max_ceil": lambda x: functional.max_pool2d(x, 3, 2, ceil_mode=True),
    "max_ceil_pad": lambda x: functional.max_pool2d(x, 2, 3, 1, ceil_mode=True),
    "max_dilated": lambda x: functional.max_pool2d(x, 2, 1, 1, dilation=2),
    "max_1": lambda x: functional.max_pool1d(line(x), 3, 2, 1), "max_3": lambda x: functional.max_pool3d(cube(x), 2),
    "max_ties": lambda x: functional.max_pool3d(cube(x).round(), (2, 3, 2), (1, 2, 2)) + x.sum() * 0,
    "avg_1": lambda x: functional.avg_pool1d(line(x), 3, 2, 1),
    "avg_ceil": lambda x: functional.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "avg_ceil_inside": lambda x: functional.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
    "avg_divisor": lambda x: functional.avg_pool2d(x, 3, 2, 1, divisor_override=5),
    "avg_3": lambda x: functional.avg_pool3d(cube(x), 2, 1, 1),
    "adaptive": lambda x: functional.adaptive_avg_pool2d(x, (3, 3)),
    "adaptive_kept": lambda x: functional.adaptive_avg_pool2d(x, (None, 9)),
    "adaptive_1": lambda x: functional.adaptive_avg_pool1d(line(x), 7),
    "adaptive_3": lambda x: functional.adaptive_avg_pool3d(cube(x), (1, 3, 2)),
    "adaptive_max": lambda x: functional.adaptive_max_pool2d(x, (3, 3)),
    "adaptive_max_1": lambda x: functional.adaptive_max_pool1d(line(x), 3),
    "global_max": lambda x: functional.adaptive_max_pool2d(x, 1),
    "nearest_size": _resize("nearest", size=(7, 3)), "nearest_1": lambda x: functional.interpolate(line(x), 31),
    "nearest_exact": _resize("nearest-exact", size=(8, 3)),
    "nearest_3": lambda x: functional.interpolate(cube(x), scale_factor=2),
    "bilinear": _resize("bilinear", scale_factor=2), "bilinear_scale": _resize("bilinear", scale_factor=1.3),
    "bilinear_corners": _resize("bilinear", size=(9, 7), align_corners=True),
    "bilinear_smooth": _resize("bilinear", size=(3, 3), antialias=True),
    "bicubic_smooth": _resize("bicubic", size=(3, 7), antialias=True),
    "bilinear_smaller": _resize("bilinear", size=(3, 3)), "bicubic": _resize("bicubic", scale_factor=2),
    "bicubic_corners": _resize("bicubic", size=(3, 9), align_corners=True),
    "linear": lambda x: functional.interpolate(line(x), scale_factor=2, mode="linear"),
    "trilinear": lambda x: functional.interpolate(cube(x), scale_factor=2, mode="trilinear"),
    "reflect": lambda x: functional.pad(x, (1, 2, 3, 0), mode="reflect"),
    "replicate": lambda x: functional.pad(x, (1, 0, 2, 1), mode="replicate"),
    "circular": lambda x: functional.pad(x, (1, 2, 2, 1), mode="circular"),
    "local_response": lambda x: functional.local_response_norm(x, 3),
    "shuffle": lambda x: functional.pixel_shuffle(x.reshape(2, 12, 5, 1), 2),
    "unfold": lambda x: functional.unfold(x, 2),
}  # fmt: skip

if __name__ == "__main__":
    compare(CASES, (2, 3, 5, 4))
