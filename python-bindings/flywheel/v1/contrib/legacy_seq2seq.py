# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.contrib.legacy_seq2seq`: decoders of lists of inputs, one a step, and their losses."""

import copy
from typing import Any, Callable, List, Optional, Sequence, Tuple

from ..._errors.contracts import explain_all
from .. import nn as _nn
from ..control_flow import cond
from ..conversion import as_tensor
from ..elementwise import TABLE
from ..namespaces import missing
from ..ops import add_n, argmax, cast, concat, identity, matmul, reshape, shape, stop_gradient, zeros
from ..random_ops import zeros_initializer
from ..rnn import static_rnn
from ..rnn_cell import CellWrapper, RNNCell
from ..scopes import get_variable, get_variable_scope, variable_scope
from ..structures import flatten, pack

# A list of outputs, and the last state.
Decoded = Tuple[List[Any], Any]


def _fresh(cell: Any) -> Any:
    """Returns a cell of the same options that has no variables yet."""
    if not isinstance(cell, RNNCell):
        return cell
    made = copy.copy(cell)
    for key, value in vars(cell).items():
        if isinstance(value, RNNCell):
            setattr(made, key, _fresh(value))
        elif isinstance(value, (list, tuple)):
            setattr(made, key, type(value)([_fresh(one) for one in value]) if not hasattr(value, "_fields") else value)
    made._weights = None
    return made


class EmbeddingWrapper(CellWrapper):
    """A cell whose inputs are numbers of rows of a table, which is a variable "embedding"."""

    def __init__(
        self, cell: Any, embedding_classes: int, embedding_size: int, initializer: Any = None, reuse: Any = None
    ):
        super().__init__(cell, reuse)
        self._shape, self._initializer = [int(embedding_classes), int(embedding_size)], initializer

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        with variable_scope(scope or "embedding_wrapper", reuse=self._reuse):
            if self._weights is None:
                self._weights = {"embedding": get_variable("embedding", self._shape, initializer=self._initializer)}
            rows = _nn.embedding_lookup(self._weights["embedding"], reshape(inputs, [-1]))
            found: Tuple[Any, Any] = self._cell(rows, state)
            return found


class OutputProjectionWrapper(CellWrapper):
    """A cell with a layer on its outputs."""

    def __init__(self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None):
        super().__init__(cell, reuse)
        self._size, self._activation = int(output_size), activation

    @property
    def output_size(self) -> int:
        return self._size

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        with variable_scope(scope or "output_projection_wrapper", reuse=self._reuse):
            output, new = self._cell(inputs, state)
            found = _linear(self, [output], self._size)
            return (found if self._activation is None else self._activation(found)), new


def _linear(own: Any, parts: Sequence[Any], size: int) -> Any:
    """Returns a product of the parts side by side with a variable "kernel", plus "bias", of the scope; `own` keeps
    them."""
    x = parts[0] if len(parts) == 1 else concat(list(parts), 1)
    if own._weights is None:
        count = x.shape[1].value
        if count is None:
            raise ValueError(f"expected inputs of a known size, found shape {x.shape}")
        own._weights = {"kernel": get_variable("kernel", [count, size], x.dtype),
                        "bias": get_variable("bias", [size], x.dtype, zeros_initializer())}  # fmt: skip
    return _nn.bias_add(matmul(x, own._weights["kernel"]), own._weights["bias"])


class _Linear:
    """A product with variables of the scope in which it is called first."""

    def __init__(self) -> None:
        self._weights: Any = None

    def __call__(self, parts: Sequence[Any], size: int) -> Any:
        return _linear(self, parts, size)


def rnn_decoder(
    decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: Optional[Callable[..., Any]] = None,
    scope: Any = None,
) -> Decoded:  # fmt: skip
    """A cell at each of the inputs [batch, n]. After the first step `loop_function` of the last output and the number
    of the step, if there is one, gives the input."""
    with variable_scope(scope or "rnn_decoder"):
        state, outputs, last = initial_state, [], None
        for i, x in enumerate(decoder_inputs):
            if loop_function is not None and last is not None:
                with variable_scope("loop_function", reuse=True):
                    x = loop_function(last, i)
            if i > 0:
                get_variable_scope().reuse_variables()
            last, state = cell(x, state)
            outputs.append(last)
        return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, dtype: Any = "float32", scope: Any = None
) -> Decoded:
    """A cell reads the inputs of the encoder, and another one of its kind goes on from its state with those of the
    decoder."""
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(_fresh(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, loop_function: Any = None, dtype: Any = "float32",
    scope: Any = None,
) -> Decoded:  # fmt: skip
    """See `basic_rnn_seq2seq`; both have the same variables."""
    with variable_scope("combined_tied_rnn_seq2seq"):
        own = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=own)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, own)


def _likeliest(table: Any, output_projection: Any, has_gradient: bool) -> Callable[[Any, Any], Any]:
    """Returns a function that looks up the likeliest symbol of an output."""

    def loop(last: Any, _: Any) -> Any:
        if output_projection is not None:
            last = _nn.xw_plus_b(last, output_projection[0], output_projection[1])
        rows = _nn.embedding_lookup(table, argmax(last, 1))
        return rows if has_gradient else stop_gradient(rows)

    return loop


def embedding_rnn_decoder(
    decoder_inputs: Any, initial_state: Any, cell: Any, num_symbols: int, embedding_size: int,
    output_projection: Any = None, feed_previous: bool = False, update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> Decoded:  # fmt: skip
    """See `rnn_decoder`; inputs are numbers of symbols [batch]. With `feed_previous` only the first one is read, and
    the likeliest symbol of each output is the next one."""
    with variable_scope(scope or "embedding_rnn_decoder"):
        table = get_variable("embedding", [num_symbols, embedding_size])
        loop = _likeliest(table, output_projection, update_embedding_for_previous) if feed_previous else None
        return rnn_decoder([_nn.embedding_lookup(table, x) for x in decoder_inputs], initial_state, cell, loop)


def _chosen(feed_previous: Any, decoder: Callable[[bool], Decoded]) -> Decoded:
    """Returns what a decoder of a boolean gives, which may be a tensor: both are computed then."""
    if isinstance(feed_previous, bool):
        return decoder(feed_previous)
    first, state = decoder(True)
    with variable_scope(get_variable_scope(), reuse=True):
        second, other = decoder(False)
    ours, theirs = [*first, *flatten(state)], [*second, *flatten(other)]
    found = cond(as_tensor(feed_previous), lambda: [identity(x) for x in ours],
                 lambda: [identity(x) for x in theirs])  # fmt: skip
    return list(found[: len(first)]), pack(state, list(found[len(first) :]))


def embedding_rnn_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, num_encoder_symbols: int, num_decoder_symbols: int,
    embedding_size: int, output_projection: Any = None, feed_previous: Any = False, dtype: Any = None,
    scope: Any = None,
) -> Decoded:  # fmt: skip
    """See `basic_rnn_seq2seq` and `embedding_rnn_decoder`; outputs are logits, unless there is an
    `output_projection`."""
    with variable_scope(scope or "embedding_rnn_seq2seq"):
        encoder = EmbeddingWrapper(_fresh(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=dtype or "float32")
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
        return _chosen(feed_previous, lambda feeds: embedding_rnn_decoder(
            decoder_inputs, state, cell, num_decoder_symbols, embedding_size, output_projection, feeds,
            isinstance(feed_previous, bool)))  # fmt: skip


def attention_decoder(
    decoder_inputs: Any, initial_state: Any, attention_states: Any, cell: Any, output_size: Optional[int] = None,
    num_heads: int = 1, loop_function: Optional[Callable[..., Any]] = None, dtype: Any = None, scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:  # fmt: skip
    """See `rnn_decoder`; each step also takes means of the attention states [batch, time, n], by the softmax of
    <v, tanh(W memory + U state)> (Vinyals et al., 2015), of each head."""
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    memory = as_tensor(attention_states)
    if memory.shape[2].value is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {memory.shape}")
    size = int(memory.shape[2])
    count = cell.output_size if output_size is None else output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype):
        features, vectors = [], []
        for head in range(num_heads):
            kernel = get_variable(f"AttnW_{head}", [1, 1, size, size], memory.dtype)
            product = matmul(reshape(memory, [-1, size]), reshape(kernel, [size, size]))
            features.append(reshape(product, [-1, shape(memory)[1], size]))
            vectors.append(get_variable(f"AttnV_{head}", [size], memory.dtype))
        queries, inputs_of, projection = [_Linear() for _ in range(num_heads)], _Linear(), _Linear()

        def attend(state: Any) -> List[Any]:
            means = []
            for head in range(num_heads):
                with variable_scope(f"Attention_{head}"):
                    query = reshape(queries[head](flatten(state), size), [-1, 1, size])
                    scores = TABLE["reduce_sum"](vectors[head] * TABLE["tanh"](features[head] + query), 2)
                    shares = reshape(_nn.softmax(scores), [-1, shape(memory)[1], 1])
                    means.append(TABLE["reduce_sum"](shares * memory, 1))
            return means

        inputs = [as_tensor(x) for x in decoder_inputs]
        state, outputs, last = initial_state, [], None
        seen = [zeros([shape(inputs[0])[0], size], memory.dtype) for _ in range(num_heads)]
        if initial_state_attention:
            seen = attend(initial_state)
        for i, x in enumerate(inputs):
            if i > 0:
                get_variable_scope().reuse_variables()
            if loop_function is not None and last is not None:
                with variable_scope("loop_function", reuse=True):
                    x = loop_function(last, i)
            width = x.shape[1].value
            if width is None:
                raise ValueError(f"Could not infer input size from input: {x.name}")
            y, state = cell(inputs_of([x, *seen], width), state)
            seen = attend(state)
            with variable_scope("AttnOutputProjection"):
                last = projection([y, *seen], count)
            outputs.append(last)
        return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Any, initial_state: Any, attention_states: Any, cell: Any, num_symbols: int, embedding_size: int,
    num_heads: int = 1, output_size: Optional[int] = None, output_projection: Any = None, feed_previous: bool = False,
    update_embedding_for_previous: bool = True, dtype: Any = None, scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:  # fmt: skip
    """See `attention_decoder` and `embedding_rnn_decoder`."""
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        table = get_variable("embedding", [num_symbols, embedding_size])
        loop = _likeliest(table, output_projection, update_embedding_for_previous) if feed_previous else None
        return attention_decoder(
            [_nn.embedding_lookup(table, x) for x in decoder_inputs], initial_state, attention_states, cell,
            cell.output_size if output_size is None else output_size, num_heads, loop,
            initial_state_attention=initial_state_attention)  # fmt: skip


def embedding_attention_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, num_encoder_symbols: int, num_decoder_symbols: int,
    embedding_size: int, num_heads: int = 1, output_projection: Any = None, feed_previous: Any = False,
    dtype: Any = None, scope: Any = None, initial_state_attention: bool = False,
) -> Decoded:  # fmt: skip
    """See `embedding_rnn_seq2seq` and `attention_decoder`, whose memory has the outputs of the encoder."""
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype):
        encoder = EmbeddingWrapper(_fresh(cell), num_encoder_symbols, embedding_size)
        outputs, state = static_rnn(encoder, encoder_inputs, dtype=dtype or "float32")
        memory = concat([reshape(x, [-1, 1, cell.output_size]) for x in outputs], 1)
        size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            size = num_decoder_symbols
        return _chosen(feed_previous, lambda feeds: embedding_attention_decoder(
            decoder_inputs, state, memory, cell, num_decoder_symbols, embedding_size, num_heads, size,
            output_projection, feeds, isinstance(feed_previous, bool),
            initial_state_attention=initial_state_attention))  # fmt: skip


def sequence_loss_by_example(
    logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True, softmax_loss_function: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """[batch]: cross-entropies of lists of logits [batch, classes], one a step, times weights."""
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, "
                         f"{len(targets)}.")  # fmt: skip
    losses = []
    for x, y, w in zip(logits, targets, weights):
        own = (_nn.sparse_softmax_cross_entropy_with_logits(labels=reshape(y, [-1]), logits=x)
               if softmax_loss_function is None else softmax_loss_function(labels=y, logits=x))  # fmt: skip
        losses.append(TABLE["multiply"](own, w))
    total = add_n(losses)
    if not average_across_timesteps:
        return total
    return TABLE["divide"](total, TABLE["add"](add_n([as_tensor(w) for w in weights]), 1e-12))


def sequence_loss(
    logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True, average_across_batch: bool = True,
    softmax_loss_function: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """The sum, or by default the mean over the batch, of `sequence_loss_by_example`."""
    each = sequence_loss_by_example(logits, targets, weights, average_across_timesteps, softmax_loss_function)
    total = TABLE["reduce_sum"](each)
    if not average_across_batch:
        return total
    return TABLE["divide"](total, cast(shape(targets[0])[0], total.dtype))


def model_with_buckets(
    encoder_inputs: Any, decoder_inputs: Any, targets: Any, weights: Any, buckets: Any, seq2seq: Callable[..., Any],
    softmax_loss_function: Any = None, per_example_loss: bool = False, name: Any = None,
) -> Tuple[List[Any], List[Any]]:  # fmt: skip
    """The outputs and losses of a model for each pair of lengths, of which the last one is the longest; all have the
    same variables."""
    for what, given, place in (("encoder_inputs", encoder_inputs, 0), ("targets", targets, 1), ("weights", weights, 1)):
        if len(given) < buckets[-1][place]:
            raise ValueError(f"Length of {what} ({len(given)}) must be at least that of last bucket "
                             f"({buckets[-1][place]}).")  # fmt: skip
    outputs, losses = [], []
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    for j, (first, second) in enumerate(buckets):
        with variable_scope(get_variable_scope(), reuse=True if j > 0 else None):
            found, _ = seq2seq(encoder_inputs[:first], decoder_inputs[:second])
            outputs.append(found)
            losses.append(loss(found, targets[:second], weights[:second], softmax_loss_function=softmax_loss_function))
    return outputs, losses


explain_all(globals(), [name for name, value in globals().items() if getattr(value, "__module__", "") == __name__
                        and not name.startswith("_")])  # fmt: skip


def __getattr__(name: str) -> Any:
    raise missing(f"contrib.legacy_seq2seq.{name}")
