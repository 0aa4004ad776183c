# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.data.experimental`, and `tf.contrib.data`: functions that `Dataset.apply` takes."""

from typing import Any, Callable, Optional

AUTOTUNE = -1

# From a data set, another one.
Transformation = Callable[[Any], Any]


def map_and_batch(
    map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: Optional[int] = None,
    drop_remainder: bool = False, num_parallel_calls: Optional[int] = None,
) -> Transformation:  # fmt: skip
    """`map`, and then `batch`. `num_parallel_batches` has no effect."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`shuffle`, and then `repeat`: each pass has another order."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def unbatch() -> Transformation:
    """An element for each slice of the first dimension of each element."""

    def of(dataset: Any) -> Any:
        def slices(*parts: Any) -> Any:
            return type(dataset).from_tensor_slices(parts if len(parts) > 1 else parts[0])

        return dataset.flat_map(slices)

    return of


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1, sloppy: bool = False,
    buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
) -> Transformation:  # fmt: skip
    """`interleave`, in its order also if it is `sloppy`. `buffer_output_elements` and `prefetch_input_elements` have no
    effect."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Pairs of a number from `start` on, int64, and an element."""
    return lambda dataset: type(dataset).zip((type(dataset).range(start, 2**63 - 1), dataset))


__all__ = ["AUTOTUNE", "enumerate_dataset", "map_and_batch", "parallel_interleave", "shuffle_and_repeat", "unbatch"]
