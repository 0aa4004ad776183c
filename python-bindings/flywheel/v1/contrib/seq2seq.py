# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.contrib.seq2seq`: attention, helpers and decoders, and the loss of sequences."""

from typing import Any, Optional

from ... import _ops
from ..._errors.contracts import explain_all
from .. import nn as _nn
from ..conversion import as_tensor, make
from ..elementwise import TABLE
from ..namespaces import missing
from ..ops import reshape, shape
from ..structures import flatten, pack
from ..tensor_arrays import TensorArray
from .attention import AttentionMechanism as AttentionMechanism
from .attention import BahdanauAttention as BahdanauAttention
from .attention import BahdanauMonotonicAttention as BahdanauMonotonicAttention
from .attention import LuongAttention as LuongAttention
from .attention import LuongMonotonicAttention as LuongMonotonicAttention
from .attention import hardmax as hardmax
from .attention import monotonic_attention as monotonic_attention
from .attention import safe_cumprod as safe_cumprod
from .attention_wrapper import AttentionWrapper as AttentionWrapper
from .attention_wrapper import AttentionWrapperState as AttentionWrapperState
from .beam_search import BeamSearchDecoder as BeamSearchDecoder
from .beam_search import BeamSearchDecoderOutput as BeamSearchDecoderOutput
from .beam_search import BeamSearchDecoderState as BeamSearchDecoderState
from .beam_search import FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput
from .beam_search import gather_tree as gather_tree
from .decoding import BasicDecoder as BasicDecoder
from .decoding import BasicDecoderOutput as BasicDecoderOutput
from .decoding import Decoder as Decoder
from .decoding import dynamic_decode as dynamic_decode
from .helpers import CustomHelper as CustomHelper
from .helpers import GreedyEmbeddingHelper as GreedyEmbeddingHelper
from .helpers import Helper as Helper
from .helpers import InferenceHelper as InferenceHelper
from .helpers import SampleEmbeddingHelper as SampleEmbeddingHelper
from .helpers import ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper
from .helpers import ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper
from .helpers import TrainingHelper as TrainingHelper


def tile_batch(t: Any, multiplier: int, name: Optional[str] = None) -> Any:
    """Each example `multiplier` times, one after the other, in tensors of any nest."""

    def tiled(x: Any) -> Any:
        if isinstance(x, TensorArray):
            return x
        if as_tensor(x).static_shape == ():
            raise ValueError("t must have statically known rank of 1 or more: tile_batch of a scalar")

        def emit(v: Any) -> Any:
            rest = [_ops.dim(v, place) for place in range(1, len(v._dims))]
            wide = _ops.add(_ops.zeros([_ops.dim(v, 0), multiplier, *rest], v.dtype), _ops.expand_dims(v, 1))
            return _ops.reshape(wide, [-1, *rest])

        x = as_tensor(x)
        sizes = x.static_shape
        types = None
        if sizes is not None:
            types = [(x.dtype, (None if sizes[0] is None else sizes[0] * multiplier, *sizes[1:]))]
        return make("tile_batch", emit, x, types=types)

    return pack(t, [tiled(x) for x in flatten(t)])


def sequence_loss(
    logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True, average_across_batch: bool = True,
    sum_over_timesteps: bool = False, sum_over_batch: bool = False, softmax_loss_function: Any = None,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Cross-entropies [batch, time] of logits [batch, time, classes], times weights: their means by the weights over
    steps, examples or both, or their sums over the number of weights that are not 0."""
    x, y, w = as_tensor(logits), as_tensor(targets), as_tensor(weights)
    for what, value, rank in (("Logits", x, 3), ("Targets", y, 2), ("Weights", w, 2)):
        if value.static_shape is not None and len(value.static_shape) != rank:
            raise ValueError(f"{what} must be a {rank}-dimensional tensor, found shape {value.shape}")
    for words, averages, sums in (("timesteps", average_across_timesteps, sum_over_timesteps),
                                  ("batch", average_across_batch, sum_over_batch)):  # fmt: skip
        if averages and sums:
            raise ValueError(f"average_across_{words} and sum_over_{words} cannot be set to True at same time.")
    flat = reshape(x, [-1, x.shape[-1].value])
    loss = softmax_loss_function or _nn.sparse_softmax_cross_entropy_with_logits
    losses = loss(labels=reshape(y, [-1]), logits=flat) * reshape(w, [-1])
    ones = make("NotZero", lambda v: _ops.cast(_ops.not_equal(v, 0), v.dtype), w)
    for by_time, by_batch, each in ((average_across_timesteps, average_across_batch, w),
                                    (sum_over_timesteps, sum_over_batch, ones)):  # fmt: skip
        if by_time and by_batch:
            return TABLE["div_no_nan"](TABLE["reduce_sum"](losses), TABLE["reduce_sum"](each), name=name)
    table = reshape(losses, shape(w))
    for by_time, by_batch, each in ((average_across_timesteps, average_across_batch, w),
                                    (sum_over_timesteps, sum_over_batch, ones)):  # fmt: skip
        if by_time or by_batch:
            axis = 0 if by_batch else 1
            return TABLE["div_no_nan"](TABLE["reduce_sum"](table, axis), TABLE["reduce_sum"](each, axis), name=name)
    return table


# Names of the modules of this package are those of this one, too.
explain_all(globals(), [name for name, value in globals().items()
                        if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith(__package__)])


def __getattr__(name: str) -> Any:
    raise missing(f"contrib.seq2seq.{name}")
