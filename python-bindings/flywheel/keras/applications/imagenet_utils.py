# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images as networks for ImageNet take them, and their predictions by name."""

import json
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .. import backend as K

# By mode, the means and the deviations of the channels of ImageNet's images: of BGR for "caffe", of RGB for "torch".
_CHANNELS: Dict[str, Tuple[List[float], Optional[List[float]]]] = {
    "caffe": ([103.939, 116.779, 123.68], None),
    "torch": ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
}


def preprocess_input(x: Any, data_format: Optional[str] = None, mode: str = "caffe") -> Any:
    """Images of 0 to 255, an array or a tensor, as a network was trained with: "caffe" is BGR without its mean, "tf" -1
    to 1, "torch" RGB by its mean and deviation. Arrays are changed in place, as in Keras."""
    form = K.image_data_format() if data_format is None else data_format
    if form not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format {form}")
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(f"expected a mode of 'caffe', 'tf' or 'torch', found {mode!r}")
    if isinstance(x, np.ndarray):
        return _of_array(x, form, mode)
    if mode == "tf":
        return x / 127.5 - 1.0
    mean, deviation = _CHANNELS[mode]
    if mode == "torch":
        x = x / 255.0
    else:
        rank = K.ndim(x)
        turned = [slice(None)] * rank
        turned[rank - 3 if form == "channels_first" else rank - 1] = slice(None, None, -1)
        x = x[tuple(turned)]
    shape = (-1, 1, 1) if form == "channels_first" else (-1,)
    y = x - K.constant(np.array(mean).reshape(shape), K.dtype(x))
    return y if deviation is None else y / K.constant(np.array(deviation).reshape(shape), K.dtype(x))


def _of_array(x: Any, form: str, mode: str) -> Any:
    if mode == "tf":
        x /= 127.5
        x -= 1.0
        return x
    mean, deviation = _CHANNELS[mode]
    if mode == "torch":
        x /= 255.0
    else:
        x = x[..., ::-1, :, :] if form == "channels_first" else x[..., ::-1]
    shape = (-1, 1, 1) if form == "channels_first" else (-1,)
    x -= np.array(mean, x.dtype).reshape(shape)
    if deviation is not None:
        x /= np.array(deviation, x.dtype).reshape(shape)
    return x


def decode_predictions(preds: Any, top: int = 5) -> List[List[Tuple[str, str, float]]]:
    """For each row of 1,000 probabilities the `top` largest ones, as tuples of the number in WordNet, the name and the
    probability. The names are those of the file ~/.keras/models/imagenet_class_index.json. Raises FileNotFoundError if
    it is not there: nothing is downloaded."""
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError("`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, "
                         f"1000)). Found array with shape: {preds.shape}")  # fmt: skip
    path = file_of("imagenet_class_index.json")
    if not path.exists():
        raise FileNotFoundError(f"decode_predictions takes the names of classes from {path}, which is not there: "
                                "nothing is downloaded")  # fmt: skip
    names = json.loads(path.read_text(encoding="utf-8"))
    return [[(*names[str(i)], row[i]) for i in np.argsort(-row, kind="stable")[:top]] for row in np.asarray(preds)]


def file_of(name: str) -> Path:
    """Returns where Keras keeps a file of its applications."""
    return Path("~/.keras/models").expanduser() / name


def _obtain_input_shape(
    input_shape: Any, default_size: Optional[int], min_size: int, data_format: str, require_flatten: bool,
    weights: Any = None,
) -> Any:  # fmt: skip
    """Returns the shape of the images that a network takes. Raises ValueError for one that it does not."""
    is_first = data_format == "channels_first"
    given = None if input_shape is None else tuple(input_shape)
    if given and len(given) != 3:
        raise ValueError("`input_shape` must be a tuple of three integers.")
    channels = 3
    if given and weights != "imagenet":
        channels = given[0 if is_first else 2]
        if channels not in (1, 3):
            warnings.warn("This model usually expects 1 or 3 input channels. However, it was passed an input_shape "
                          f"with {channels} input channels.", stacklevel=3)  # fmt: skip
    default = (channels, default_size, default_size) if is_first else (default_size, default_size, channels)
    if weights == "imagenet" and require_flatten:
        if given not in (None, default):
            raise ValueError("When setting `include_top=True` and loading `imagenet` weights, `input_shape` should be "
                             f"{default}.")  # fmt: skip
        return default
    if given:
        if weights == "imagenet" and given[0 if is_first else 2] != 3:
            raise ValueError(f"The input must have 3 channels; got `input_shape={given}`")
        if any(n is not None and n < min_size for n in (given[1:] if is_first else given[:2])):
            raise ValueError(f"Input size must be at least {min_size}x{min_size}; got `input_shape={given}`")
        found: Any = given
    else:
        found = default if require_flatten else (3, None, None) if is_first else (None, None, 3)
    if require_flatten and None in found:
        raise ValueError("If `include_top` is True, you should specify a static `input_shape`. Got "
                         f"`input_shape={found}`")  # fmt: skip
    return found
