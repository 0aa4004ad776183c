# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts as numbers."""

import warnings
from collections import Counter
from hashlib import md5
from typing import Any, Dict, Iterable, Iterator, List, Optional

import numpy as np

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(text: str, filters: str = FILTERS, lower: bool = True, split: str = " ") -> List[str]:
    """The words of a text, without the characters of `filters`."""
    plain = text.lower() if lower else text
    return [word for word in plain.translate({ord(c): split for c in filters}).split(split) if word]


def _md5(word: str) -> int:
    return int(md5(word.encode()).hexdigest(), 16)


def hashing_trick(
    text: str, n: int, hash_function: Any = None, filters: str = FILTERS, lower: bool = True, split: str = " "
) -> List[int]:
    """The words of a text as numbers from 1 to n - 1, by a hash: "md5", which is the same in all processes, or a
    function of a word; by default Python's `hash`. Two words may get one number."""
    by: Any = hash if hash_function is None else _md5 if hash_function == "md5" else hash_function
    return [by(word) % (n - 1) + 1 for word in text_to_word_sequence(text, filters, lower, split)]


def one_hot(text: str, n: int, filters: str = FILTERS, lower: bool = True, split: str = " ") -> List[int]:
    """The words of a text as numbers from 1 to n - 1, by a hash that is the same in all processes."""
    return hashing_trick(text, n, "md5", filters, lower, split)


class Tokenizer:
    """Words as numbers from 1 on, the most frequent ones first."""

    def __init__(
        self, num_words: Optional[int] = None, filters: str = FILTERS, lower: bool = True, split: str = " ",
        char_level: bool = False, oov_token: Optional[str] = None, **kwargs: Any,
    ):  # fmt: skip
        if "nb_words" in kwargs:
            warnings.warn("The `nb_words` argument in `Tokenizer` has been renamed `num_words`.", stacklevel=2)
            num_words = kwargs.pop("nb_words")
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token = char_level, oov_token
        self.word_counts: Dict[str, int] = {}
        self.word_docs: Dict[str, int] = {}
        self.word_index: Dict[str, int] = {}
        self.index_word: Dict[int, str] = {}
        self.index_docs: Dict[int, int] = {}
        self.document_count = 0

    def _words(self, text: Any) -> List[str]:
        if self.char_level or isinstance(text, list):
            return [word.lower() if self.lower else word for word in text]
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Counts the words of texts, and numbers them."""
        for text in texts:
            words = self._words(text)
            self.document_count += 1
            for word in set(words):
                self.word_docs[word] = self.word_docs.get(word, 0) + 1
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
        ordered = sorted(self.word_counts, key=lambda word: -self.word_counts[word])
        if self.oov_token is not None:
            ordered = [self.oov_token, *[word for word in ordered if word != self.oov_token]]
        self.word_index = {word: i + 1 for i, word in enumerate(ordered)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        self.index_docs = {self.word_index[word]: count for word, count in self.word_docs.items()}

    def fit_on_sequences(self, sequences: Iterable[List[int]]) -> None:
        """Counts in how many texts each number is, for "tfidf"."""
        self.document_count = 0
        self.index_docs = {}
        for sequence in sequences:
            self.document_count += 1
            for number in set(sequence):
                self.index_docs[number] = self.index_docs.get(number, 0) + 1

    def texts_to_sequences(self, texts: Iterable[Any]) -> List[List[int]]:
        """The numbers of the words, without those that are not known or not among the first `num_words`."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[List[int]]:
        """Yields what `texts_to_sequences` lists."""
        known = self.word_index if self.num_words is None else {
            word: i for word, i in self.word_index.items() if i < self.num_words}  # fmt: skip
        other = None if self.oov_token is None else self.word_index.get(self.oov_token)
        for text in texts:
            numbers = [known.get(word, other) for word in self._words(text)]
            yield [n for n in numbers if n is not None]

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> Any:
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Iterable[List[int]], mode: str = "binary") -> Any:
        """[texts, words]: whether, how often ("count"), in which share ("freq") or by which weight ("tfidf") a word is
        in a text."""
        if mode not in ("binary", "count", "freq", "tfidf"):
            raise ValueError(f"Unknown vectorization mode: {mode}")
        columns = self.num_words or len(self.word_index) + 1
        rows = list(sequences)
        made = np.zeros((len(rows), columns))
        for row, sequence in zip(made, rows):
            for number, count in Counter(n for n in sequence if n < columns).items():
                if mode == "tfidf":
                    weight = np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
                    row[number] = (1 + np.log(count)) * weight
                else:
                    row[number] = {"binary": 1, "count": count, "freq": count / len(sequence)}[mode]
        return made
