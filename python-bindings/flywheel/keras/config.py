# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings, by their names in Keras 3."""

from ._serialization import trust_files
from .backend import epsilon, floatx, image_data_format, set_epsilon, set_floatx, set_image_data_format

__all__ = [
    "enable_unsafe_deserialization", "epsilon", "floatx", "image_data_format", "set_epsilon", "set_floatx",
    "set_image_data_format",
]  # fmt: skip


def enable_unsafe_deserialization() -> None:
    """Lets `load_model` and `model_from_json` load code in files, such as that of a `Lambda`, for the whole process.
    Calling such a model executes the code: call this only if all files are from sources that you trust."""
    trust_files()
