# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks for images, as in `keras.applications`. Nothing is downloaded: files of weights are read where Keras has put
them."""

from .._names import Missing
from . import imagenet_utils, resnet50, vgg16, vgg19
from .resnet50 import ResNet50
from .vgg16 import VGG16
from .vgg19 import VGG19

__all__ = ["ResNet50", "VGG16", "VGG19", "imagenet_utils", "resnet50", "vgg16", "vgg19"]

_OTHERS = ("densenet inception_resnet_v2 inception_v3 mobilenet nasnet xception DenseNet121 DenseNet169 DenseNet201 "
           "InceptionResNetV2 InceptionV3 MobileNet NASNetLarge NASNetMobile Xception").split()  # fmt: skip

__getattr__ = Missing("keras.applications", __name__, dict.fromkeys(
    _OTHERS, "VGG16, VGG19 and ResNet50 are there; build it of flywheel.keras.layers, or import one by flywheel.torch "
    "or flywheel.onnx"))  # fmt: skip
