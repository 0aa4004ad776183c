# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences of several lengths."""

from typing import Any, List, Optional, Tuple

import numpy as np

from ..utils import Sequence


def pad_sequences(
    sequences: Any, maxlen: Optional[int] = None, dtype: Any = "int32", padding: str = "pre", truncating: str = "pre",
    value: Any = 0.0,
) -> Any:  # fmt: skip
    """An array [samples, maxlen, ...] of sequences, which are cut or filled up with `value`, at their begin ("pre") or
    end ("post"). Raises ValueError for another place, or elements of several shapes."""
    for place in (padding, truncating):
        if place not in ("pre", "post"):
            raise ValueError(f"expected 'pre' or 'post', found '{place}'")
    rows = [np.asarray(row, dtype=dtype) for row in sequences]
    width = max((len(row) for row in rows), default=0) if maxlen is None else maxlen
    shape = next((row.shape[1:] for row in rows if len(row)), ())
    result = np.full((len(rows), width, *shape), value, dtype=dtype)
    for i, row in enumerate(rows):
        if not len(row):
            continue
        if row.shape[1:] != shape:
            raise ValueError(f"Shape of sample {row.shape[1:]} of sequence at position {i} is different from {shape}")
        kept = row[len(row) - width if len(row) > width else 0 :] if truncating == "pre" else row[:width]
        if padding == "pre":
            result[i, width - len(kept) :] = kept
        else:
            result[i, : len(kept)] = kept
    return result


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> Any:
    """The probability [size] with which `skipgrams` takes the word of each rank, for words that follow Zipf's law: a
    word of the frequency f is taken with min(1, sqrt(sampling_factor / f)) (Mikolov et al., 2013), where
    1 / f = r (ln r + 0.577) + 1/2 - 1 / (12 r) for the rank r."""
    rank = np.arange(size, dtype=np.float64)
    rank[:1] = 1
    inverse = rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank)
    return np.minimum(1.0, np.sqrt(sampling_factor * inverse))


def skipgrams(
    sequence: Any, vocabulary_size: int, window_size: int = 4, negative_samples: float = 1.0, shuffle: bool = True,
    categorical: bool = False, sampling_table: Any = None, seed: Optional[int] = None,
) -> Tuple[List[List[int]], List[Any]]:  # fmt: skip
    """Pairs of a word and one of its context, with the label 1, and of a word and a random one, with the label 0.

    `sequence` is words as numbers, of which 0 is none; `window_size` is how far context reaches; there are
    `negative_samples` random pairs for each of the others. With `categorical` the labels are [0, 1] and [1, 0].
    `sampling_table` is what `make_sampling_table` returned. The draws are NumPy's; `seed` is that of the order.
    """
    couples: List[List[int]] = []
    for place, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < np.random.random()):
            continue
        for other in range(max(0, place - window_size), min(len(sequence), place + window_size + 1)):
            if other != place and sequence[other]:
                couples.append([word, sequence[other]])
    labels: List[Any] = [[0, 1] if categorical else 1] * len(couples)
    if negative_samples > 0 and couples:
        count = int(len(couples) * negative_samples)
        words = np.random.permutation([word for word, _ in couples])
        couples += [[words[i % len(words)], np.random.randint(1, vocabulary_size)] for i in range(count)]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        order = np.random.RandomState(seed).permutation(len(couples))
        couples, labels = [couples[i] for i in order], [labels[i] for i in order]
    return couples, labels


def _remove_long_seq(maxlen: int, seq: Any, label: Any) -> Tuple[List[Any], List[Any]]:
    """The sequences that are shorter than `maxlen`, and their labels."""
    kept = [(x, y) for x, y in zip(seq, label) if len(x) < maxlen]
    return [x for x, _ in kept], [y for _, y in kept]


class TimeseriesGenerator(Sequence):
    """Batches of parts of a series: part r has the steps r - length, r - length + sampling_rate, ... before r, and the
    target of r. Parts are `stride` apart, and r is at least `start_index + length` and at most `end_index`. With
    `shuffle` they are drawn; with `reverse` the steps of each part are in reverse order."""

    def __init__(
        self, data: Any, targets: Any, length: int, sampling_rate: int = 1, stride: int = 1, start_index: int = 0,
        end_index: Optional[int] = None, shuffle: bool = False, reverse: bool = False, batch_size: int = 128,
    ) -> None:  # fmt: skip
        self.data, self.targets, self.length, self.sampling_rate = data, targets, length, sampling_rate
        self.stride, self.shuffle, self.reverse, self.batch_size = stride, shuffle, reverse, batch_size
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        if self.start_index > self.end_index:
            raise ValueError(f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as "
                             "no part of the sequence would be left to be used as current step.")  # fmt: skip

    def __len__(self) -> int:
        span = self.batch_size * self.stride
        return (self.end_index - self.start_index + span) // span

    def __getitem__(self, index: int) -> Any:
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            rows = np.arange(first, min(first + self.batch_size * self.stride, self.end_index + 1), self.stride)
        parts = np.array([self.data[row - self.length : row : self.sampling_rate] for row in rows])
        return parts[:, ::-1] if self.reverse else parts, np.array([self.targets[row] for row in rows])
