# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t %cc
"""N19: a transformer that goes on from a cache of keys and values computes what it does of the whole text, by one
program for prompts of all lengths and one for the steps."""

import os
import subprocess
import sys
import tempfile
from typing import Any, List

import numpy as np

import flywheel as fw
from configurations import run_tests

WORDS, WIDTH, CAPACITY = 23, 24, 19
FOLDER, CC = sys.argv[1], sys.argv[2:]
rng = np.random.default_rng(6)


class Block(fw.Module):
    def __init__(self, **options: Any) -> None:
        self.norm, self.attention = fw.nn.RMSNorm(WIDTH), fw.nn.MultiHeadAttention(WIDTH, 4, **options)
        self.wide, self.narrow = fw.nn.Dense(WIDTH, 50), fw.nn.Dense(50, WIDTH)

    def __call__(self, x: Any, cache: Any) -> Any:
        x = x + self.attention(self.norm(x), cache=cache)
        return x + self.narrow(fw.nn.silu(self.wide(x)))


class Model(fw.Module):
    def __init__(self, **options: Any) -> None:
        self.words, self.blocks = fw.nn.Embedding(WORDS, WIDTH), [Block(**options) for _ in range(3)]

    def __call__(self, words: Any, caches: Any = None) -> Any:
        x = self.words(words)
        for place, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[place])
        return self.words.attend(x)

    def make_caches(self, batch: int) -> List[fw.nn.KeyValueCache]:
        return [block.attention.make_cache(batch, CAPACITY) for block in self.blocks]


def reset(caches: Any) -> None:
    for cache in caches:
        cache.reset()


def test_steps() -> None:
    """The scores of each position, for prompts of all lengths, in several parts, and of several texts at once."""
    for batch, options in ((1, {"rotary": 1e4, "kv_heads": 2, "bias": False}), (3, {}), (2, {"kv_heads": 1})):
        with fw.Namespace(), fw.Store(seed=4):
            model = Model(causal=True, **options)
            caches = model.make_caches(batch)
            full = fw.function(lambda words: model(words))  # noqa: B023
            extend = fw.function(lambda words: model(words, caches),  # noqa: B023
                                 signature=[fw.spec(batch, "length", dtype="int32")])  # fmt: skip
            step = fw.function(lambda word: model(word, caches)[:, 0])  # noqa: B023
            words = rng.integers(0, WORDS, (batch, CAPACITY)).astype(np.int32)
            wanted = full(words)
            for first, second in ((1, 3), (2, 9), (7, 1), (12, 4), (18, 1), (19, 0)):
                reset(caches)
                parts = [extend(words[:, :first])]
                if second:
                    parts.append(extend(words[:, first : first + second]))
                for place in range(first + second, CAPACITY):
                    parts.append(step(words[:, place : place + 1])[:, None])
                assert int(caches[2].length.numpy()) == CAPACITY
                np.testing.assert_allclose(np.concatenate(parts, 1), wanted, 2e-4, 2e-5, err_msg=str(options))
            # One program for prompts of all lengths, and one for steps.
            assert len(extend._traces) == 1 and len(step._traces) == 1
            # A position too many is an error, and changes nothing.
            kept = [cache.keys.numpy() for cache in caches]
            for function, more in ((step, words[:, :1]), (extend, words[:, :4])):
                try:
                    function(more)
                    raise AssertionError("expected an InvalidArgumentError")
                except fw.InvalidArgumentError as error:
                    assert "is full: its capacity is 19 positions; call its reset()" in str(error), error
            for cache, keys in zip(caches, kept):
                np.testing.assert_array_equal(cache.keys.numpy(), keys)
                assert int(cache.length.numpy()) == CAPACITY
            caches[0].reset()
            try:
                fw.function(lambda words: model(words, caches))(np.zeros((batch, CAPACITY + 1), np.int32))  # noqa: B023
                raise AssertionError("expected a ValueError")
            except ValueError as error:
                assert "has a capacity of 19 positions, found 20 in one call" in str(error), error


def test_loop_in_a_program() -> None:
    """Steps in a loop of one program, greedy and drawn, beside the whole text again for each word."""
    with fw.Namespace(), fw.Store(seed=4):
        model = Model(causal=True, rotary=1e4)
        caches = model.make_caches(2)
        full = fw.function(lambda words: fw.argmax(model(words)[:, -1], -1), dynamic=False)

        @fw.function(signature=[fw.spec(2, "length", dtype="int32")])
        def generate(prompt: Any) -> Any:
            for cache in caches:
                cache.reset()

            def next_word(scores: Any) -> Any:
                return fw.cast(fw.argmax(scores[:, -1], -1), "int32")

            def step(word: Any, _: Any) -> Any:
                new = next_word(model(fw.expand_dims(word, 1), caches))
                return new, new

            first = next_word(model(prompt, caches))
            _, words = fw.scan(step, first, length=5)
            return fw.concatenate([fw.expand_dims(first, 1), fw.swapaxes(words, 0, 1)], 1)

        for length in (1, 4, 11):
            prompt = rng.integers(0, WORDS, (2, length)).astype(np.int32)
            found, text = generate(prompt), prompt
            for place in range(6):
                new = full(text)
                np.testing.assert_array_equal(found[:, place], new)
                text = np.concatenate([text, new[:, None].astype(np.int32)], 1)
        assert len(generate._traces) == 1

        @fw.function
        def draw(word: Any) -> Any:
            return fw.random.categorical(model(word, caches)[:, -1] / 0.7)

        fw.function(lambda: reset(caches))()
        drawn = {tuple(draw(np.array([[3], [4]], np.int32)).tolist()) for _ in range(6)}
        assert len(drawn) > 1 and all(0 <= word < WORDS for pair in drawn for word in pair)


def test_without_order() -> None:
    """Attention that is not causal sees the positions so far; a mask leaves some of them out."""
    with fw.Namespace(), fw.Store(seed=4):
        attention = fw.nn.MultiHeadAttention(WIDTH, 2)
        cache = attention.make_cache(2, 8)
        x = rng.standard_normal((2, 6, WIDTH)).astype(np.float32)
        seen = np.arange(8) != 1
        full = fw.function(lambda x: attention(x))
        masked = fw.function(lambda x: attention(x, mask=seen[:6]))
        extend = fw.function(lambda x: attention(x, cache=cache), dynamic=False)
        extend_masked = fw.function(lambda x: attention(x, mask=seen, cache=cache), dynamic=False)
        for one, other in ((full, extend), (masked, extend_masked)):
            cache.reset()
            other(x[:, :4])
            np.testing.assert_allclose(other(x[:, 4:]), one(x)[:, 4:], 1e-5, 1e-6)


def test_state() -> None:
    """Caches are in no checkpoint, no state and no list of parameters; a copy of one is another one."""
    with fw.Namespace(), fw.Store(seed=4) as store:
        model: Any = Model(causal=True)
        model.caches = model.make_caches(1)
        step = fw.function(lambda word: model(word, model.caches))
        step(np.zeros((1, 1), np.int32))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            model.save(path)
            step(np.zeros((1, 1), np.int32))
            model.load(path)
            assert int(model.caches[0].length.numpy()) == 2
        assert not any("caches" in path for path in [*model.state_dict(), *model.named_parameters()])
        assert model.caches[1].keys.name == "Model/caches/1/keys" and "Model/caches/1/keys" in store.names


MAIN = """
#include "writer.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char *memory = malloc(WRITER_STATE_BYTES + WRITER_STATE_ALIGN);
  writer_state *s = (writer_state *)(memory + WRITER_STATE_ALIGN - (size_t)memory % WRITER_STATE_ALIGN);
  int32_t prompt[] = {3, 1, 4}, word, next;
  if (writer_init(s, 3)) return 1;
  for (int turn = 0; turn < 2; ++turn) {
    if (writer_begin(s, prompt, 3, &next)) return 2;
    for (int i = 0; i < 8; ++i) {
      printf("%d ", (int)(word = next));
      if (writer_go_on(s, &word, &next)) return 3;
    }
  }
  free(memory);
  return 0;
}
"""


def test_c() -> None:
    """T6: a program in C that begins with `reset` writes what this one does, twice."""
    with fw.Namespace(), fw.Store(seed=4):
        model = Model(causal=True, rotary=1e4)
        caches = model.make_caches(1)

        def next_word(words: Any) -> Any:
            return fw.cast(fw.argmax(model(words, caches)[:, -1], -1), "int32")

        @fw.function(signature=[fw.spec(1, "length", dtype="int32")], results=["next"], threads=1)
        def begin(prompt: Any) -> Any:
            reset(caches)
            return next_word(prompt)

        @fw.function(signature=[fw.spec(1, dtype="int32")], results=["next"], threads=1)
        def go_on(word: Any) -> Any:
            return next_word(fw.expand_dims(word, 1))

        words = [begin(np.array([[3, 1, 4]], np.int32))]
        for _ in range(7):
            words.append(go_on(words[-1]))
        fw.export([begin, go_on], os.path.join(FOLDER, "writer.o"), model_name="writer")
        main = os.path.join(FOLDER, "main")
        with open(f"{main}.c", "w") as file:
            file.write(MAIN)
        subprocess.run([*CC, f"{main}.c", os.path.join(FOLDER, "writer.o"), "-o", main, "-lm"], check=True)
        output = subprocess.run([main], check=True, capture_output=True, text=True).stdout
        assert [int(word) for word in output.split()] == 2 * [int(word[0]) for word in words], output


run_tests([test_steps, test_loop_in_a_program, test_without_order, test_state, test_c])
