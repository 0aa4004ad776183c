# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of many classes by a sample of them: noise-contrastive estimation and sampled softmax."""

from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor, make
from .elementwise import TABLE
from .host_calls import host_call
from .nn import embedding_lookup, sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from .operation import Tensor
from .ops import cast, concat, reshape, stop_gradient
from .random_ops import generator_of

_f32 = _dtypes.float32


class Candidates(NamedTuple):
    """Classes that were drawn, and how often the true ones and these are expected in such a sample."""

    sampled_candidates: Any
    true_expected_count: Any
    sampled_expected_count: Any


def _draw(
    kind: str, draw: Callable[[Any, int], Any], num_sampled: int, classes: int, unique: bool, seed: Any, name: Any
) -> Tuple[Tensor, Tensor]:
    """Draws `num_sampled` classes. Returns them, and the number of draws that took."""
    if unique and num_sampled > classes:
        raise about(kind, ValueError(f"{num_sampled} different classes of {classes} are not there"))
    random = generator_of(kind, seed)

    def call(session: Any) -> Any:
        generator = random(session)
        if not unique:
            return draw(generator, num_sampled).astype(np.int64), np.float32(num_sampled)
        chosen: List[int] = []
        seen = set()
        tries = 0
        while len(chosen) < num_sampled:
            for one in draw(generator, 2 * num_sampled).tolist():
                tries += 1
                if one not in seen:
                    seen.add(one)
                    chosen.append(one)
                    if len(chosen) == num_sampled:
                        break
        return np.array(chosen, np.int64), np.float32(tries)

    types = [(_dtypes.int64, (num_sampled,)), (_f32, ())]
    one, other = host_call(kind, call, [], types, name)
    return one.outputs[0], other.outputs[0]


def _expected(probabilities: Any, tries: Tensor, num_sampled: int, unique: bool) -> Any:
    """Returns the expected counts of classes of these probabilities in a sample."""
    if not unique:
        return TABLE["multiply"](probabilities, float(num_sampled))
    log = TABLE["log1p"](TABLE["negative"](probabilities))
    return TABLE["negative"](TABLE["expm1"](TABLE["multiply"](log, tries)))


def _sampler(
    kind: str, draw: Callable[[Any, int], Any], probability: Callable[[Any], Any], true_classes: Any, num_true: int,
    num_sampled: int, unique: bool, classes: int, seed: Any, name: Any,
) -> Candidates:  # fmt: skip
    known = as_tensor(true_classes).static_shape
    if known is not None and (len(known) != 2 or known[1] not in (None, num_true)):
        raise about(kind, ValueError(f"expected true_classes of shape [batch, {num_true}], as num_true={num_true}, "
                                     f"found {as_tensor(true_classes).shape}"))  # fmt: skip
    ids, tries = _draw(kind, draw, num_sampled, classes, unique, seed, name)
    return Candidates(ids, *[_expected(make("probability", probability, as_tensor(c)), tries, num_sampled, unique)
                             for c in (true_classes, ids)])  # fmt: skip


def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None,
    name: Optional[str] = None,
) -> Candidates:  # fmt: skip
    """Classes c of 0 to range_max - 1 by P(c) = log((c + 2) / (c + 1)) / log(range_max + 1): of words in the order of
    their frequency."""
    scale = float(np.log(range_max + 1.0))

    def draw(generator: Any, count: int) -> Any:
        return np.minimum(np.exp(generator.random(count) * scale).astype(np.int64) - 1, range_max - 1)

    def probability(c: Any) -> Any:
        x = _ops.cast(c, _f32)
        return _ops.divide(_ops.log(_ops.divide(_ops.add(x, 2.0), _ops.add(x, 1.0))), scale)

    return _sampler("LogUniformCandidateSampler", draw, probability, true_classes, num_true, num_sampled, unique,
                    range_max, seed, name)  # fmt: skip


def uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None,
    name: Optional[str] = None,
) -> Candidates:  # fmt: skip
    """Classes of 0 to range_max - 1, each as likely as another."""
    return _sampler("UniformCandidateSampler", lambda g, n: g.integers(0, range_max, n),
                    lambda c: _ops.full_like(_ops.cast(c, _f32), 1.0 / range_max), true_classes, num_true, num_sampled,
                    unique, range_max, seed, name)  # fmt: skip


def fixed_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file: str = "",
    distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1, shard: int = 0,
    unigrams: Sequence[float] = (), seed: Any = None, name: Optional[str] = None,
) -> Candidates:  # fmt: skip
    """Classes in proportion to `unigrams`, to the power `distortion`."""
    if vocab_file or num_shards != 1 or shard:
        raise about("flywheel.v1.nn.fixed_unigram_candidate_sampler", NotImplementedError(
            "a file or shards; give unigrams"))  # fmt: skip
    weights = np.concatenate([np.zeros(num_reserved_ids), np.asarray(unigrams, np.float64) ** distortion])
    if len(weights) != range_max:
        raise ValueError(f"expected {range_max} unigrams with the reserved ids, found {len(weights)}")
    weights /= weights.sum()
    table = weights.astype(np.float32)
    return _sampler("FixedUnigramCandidateSampler", lambda g, n: g.choice(range_max, n, p=weights),
                    lambda c: _ops.take(table, c, 0), true_classes, num_true, num_sampled, unique,
                    int(np.count_nonzero(weights)), seed, name)  # fmt: skip


def _logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int,
    sampled_values: Any, remove_accidental_hits: bool, partition_strategy: str, seed: Any,
) -> Tuple[Any, Any]:  # fmt: skip
    """[batch, num_true + num_sampled] scores of the true classes and the sampled ones, less the logarithms of how often
    these are expected, and labels, 1 / num_true for true ones."""
    x, true = as_tensor(inputs), cast(labels, _dtypes.int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(true, num_true, num_sampled, True, num_classes, seed)
    sampled, true_count, sampled_count = (stop_gradient(one) for one in sampled_values)
    sampled = cast(sampled, _dtypes.int64)
    flat = reshape(true, [-1])
    ids = concat([flat, sampled], 0)
    all_w = embedding_lookup(weights, ids, partition_strategy)
    all_b = embedding_lookup(biases, ids, partition_strategy)

    def scores(y: Any, w: Any, b: Any, i: Any) -> Any:
        count = _ops.dim(i, 0)
        true_w, true_b = w[:count], b[:count]
        sampled_w, sampled_b = w[count:], b[count:]
        own = _ops.reshape(true_w, [-1, num_true, w._dims[1]])
        true_scores = _ops.sum(_ops.multiply(_ops.expand_dims(y, 1), own), 2)
        true_scores = _ops.add(true_scores, _ops.reshape(true_b, [-1, num_true]))
        others = _ops.matmul(y, _ops.transpose(sampled_w))
        return true_scores, _ops.add(others, sampled_b)

    true_logits, sampled_logits = make("sampled_logits", scores, x, all_w, all_b, flat)
    if remove_accidental_hits:

        def without_hits(s: Any, t: Any, c: Any) -> Any:
            hits = _ops.any(_ops.equal(_ops.expand_dims(_ops.reshape(t, [-1, num_true]), 2), c), 1)
            # Far below others, and finite after the subtraction of a logarithm.
            return _ops.where(hits, _ops.full_like(s, -0.5 * _dtypes.largest(s.dtype)), s)

        sampled_logits = make("without_accidental_hits", without_hits, sampled_logits, true, sampled)
    true_logits = TABLE["subtract"](true_logits, TABLE["log"](reshape(true_count, [-1, num_true])))
    sampled_logits = TABLE["subtract"](sampled_logits, TABLE["log"](sampled_count))
    wanted = make("sampled_labels", lambda t, s: _ops.concatenate([_ops.full_like(t, 1.0 / num_true),
                                                                   _ops.zeros_like(s)], 1), true_logits,
                  sampled_logits)  # fmt: skip
    return concat([true_logits, sampled_logits], 1), wanted


def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = False, partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Any:  # fmt: skip
    """[batch]: noise-contrastive estimation (Gutmann and Hyvarinen, 2010), of weights [num_classes, n], biases
    [num_classes], labels [batch, num_true] and inputs [batch, n]."""
    logits, wanted = _logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                             remove_accidental_hits, partition_strategy, None)  # fmt: skip
    return TABLE["reduce_sum"](sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits), 1, name=name)


def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = True, partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss", seed: Any = None,
) -> Any:  # fmt: skip
    """[batch]: the cross-entropy of a softmax over the true classes and a sample of the others (Jean et al., 2014)."""
    logits, wanted = _logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                             remove_accidental_hits, partition_strategy, seed)  # fmt: skip
    return softmax_cross_entropy_with_logits(labels=stop_gradient(wanted), logits=logits, name=name)


def multinomial(
    logits: Any, num_samples: int, seed: Any = None, name: Optional[str] = None, output_dtype: Any = _dtypes.int64
) -> Tensor:
    """[batch, num_samples] classes, drawn by the softmax of logits [batch, classes]: where logits with noise of
    Gumbel's distribution are largest."""
    from .random_ops import random_uniform

    x = as_tensor(logits)
    if x.static_shape is None or len(x.static_shape) != 2 or x.static_shape[1] is None:
        raise about("multinomial", ValueError(f"takes logits of [batch, classes], found shape {x.shape}"), " ")
    from .ops import shape

    noise = random_uniform([shape(x)[0], int(num_samples), x.static_shape[1]], dtype=x.dtype, seed=seed)

    def emit(y: Any, u: Any) -> Any:
        gumbel = _ops.negative(_ops.log(_ops.negative(_ops.log(u))))
        return _ops.cast(_ops.argmax(_ops.add(_ops.expand_dims(y, 1), gumbel), 2), output_dtype)

    found: Tensor = make("Multinomial", emit, x, noise, name=name)
    return found


def categorical(
    logits: Any, num_samples: int, dtype: Any = None, seed: Any = None, name: Optional[str] = None
) -> Tensor:
    return multinomial(logits, num_samples, seed, name, _dtypes.int64 if dtype is None else dtype)


def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: Any = None, name: Optional[str] = None
) -> Any:
    """The examples and the places of sampled classes that are the example's own, int32 and int64, and the weights that
    take them out of a softmax, the least float32 for each. `seed` has no effect: nothing is drawn."""
    classes, drawn = as_tensor(true_classes), as_tensor(sampled_candidates)

    def call(_: Any, own: Any, others: Any) -> Any:
        if own.ndim != 2 or own.shape[1] != num_true:
            raise about("compute_accidental_hits", ValueError(f"expected classes of shape [batch, {num_true}], found "
                                                              f"{own.shape}"))  # fmt: skip
        rows, _, places = np.nonzero(own[:, :, None] == others[None, None, :])
        order = np.lexsort((places, rows))
        found = rows[order].astype(np.int32), places[order].astype(np.int64)
        return (*found, np.full(len(rows), np.finfo(np.float32).min, np.float32))

    types = [(_dtypes.int32, (None,)), (_dtypes.int64, (None,)), (_dtypes.float32, (None,))]
    return tuple(op.outputs[0] for op in host_call("ComputeAccidentalHits", call, [classes, drawn], types, name))


# The names of these that `tf.nn` has too.
NN = (
    "compute_accidental_hits", "fixed_unigram_candidate_sampler", "log_uniform_candidate_sampler", "nce_loss",
    "sampled_softmax_loss", "uniform_candidate_sampler",
)  # fmt: skip
