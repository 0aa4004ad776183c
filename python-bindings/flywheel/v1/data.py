# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.data`: data sets that Python goes through, and iterators, from which each run that needs it takes an element."""

import builtins
import copy
import itertools
import operator
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple
from typing import Iterator as Iterable

import numpy as np

from .. import _flywheel
from .._core import dtypes as _dtypes
from .._errors.messages import about
from . import data_experimental as experimental  # noqa: F401
from .conversion import as_tensor, constant, dtype_of, static_of
from .dtypes import as_dtype
from .emission import ancestors, tensors_needed
from .errors import OutOfRangeError
from .graph import get_default_graph
from .host_calls import host_call
from .operation import Tensor
from .ops import placeholder
from .random_ops import generator_of
from .shapes import TensorShape, plain_shape
from .structures import flatten, pack

# The leaves of an element, as arrays.
Leaves = Tuple[Any, ...]
Type = Tuple[Any, Optional[Tuple[Optional[int], ...]]]
# From a session and the values of tensors, what goes through a data set.
Start = Callable[[Any, Dict[Tensor, Any]], Iterable[Leaves]]


class Dataset:
    """Elements, each a tensor or a nest of tensors. Methods give other data sets."""

    def __init__(self, form: Any, types: List[Type], sources: List[Tensor], start: Start):
        self._form, self._types, self._sources, self._start = form, types, sources, start

    # Sources

    @staticmethod
    def from_tensor_slices(tensors: Any) -> "Dataset":
        """An element for each slice of the first dimension."""
        return _of_tensors(tensors, lambda n: n[1:], lambda arrays: zip(*arrays), True)

    @staticmethod
    def from_tensors(tensors: Any) -> "Dataset":
        """One element."""
        return _of_tensors(tensors, lambda n: n, lambda arrays: iter([tuple(arrays)]), False)

    @staticmethod
    def from_generator(generator: Any, output_types: Any, output_shapes: Any = None, args: Any = None) -> "Dataset":
        """An element for each value that a generator yields: a function of `args`, tensors, as arrays."""
        given = [as_tensor(x) for x in args or ()]
        kinds = [dtype_of(t) for t in flatten(output_types)]
        shapes: List[Any] = [None] * len(kinds)
        if output_shapes is not None:
            shapes = [None if s is None else _plain(s) for s in _parts_like(output_shapes, output_types)]

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            for element in generator(*[values[x][()] for x in given]):
                leaves = _parts_like(element, output_types)
                if len(leaves) != len(kinds):
                    raise TypeError(f"the generator is to give {len(kinds)} parts, found {len(leaves)}")
                yield tuple(_dtypes.as_numpy(x, kind) for x, kind in zip(leaves, kinds))

        return Dataset(output_types, list(zip(kinds, shapes)), given, start)

    @staticmethod
    def range(*args: Any) -> "Dataset":
        """The numbers from the first one, by default 0, to below the second one, in steps of the third one."""
        sources, bounds = _counts(*args)
        return Dataset(0, [(_dtypes.int64, ())], sources,
                       lambda s, v: ((np.int64(i),) for i in builtins.range(*bounds(v))))  # fmt: skip

    @staticmethod
    def zip(datasets: Any) -> "Dataset":
        """Elements of several data sets together."""
        parts: List[Dataset] = flatten(datasets)

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            for row in builtins.zip(*[part._start(session, values) for part in parts]):
                yield tuple(x for leaves in row for x in leaves)

        return Dataset(pack(datasets, [p._form for p in parts]), [t for p in parts for t in p._types],
                       [x for p in parts for x in p._sources], start)  # fmt: skip

    # Transformations

    def _like(
        self, start: Start, types: Optional[List[Type]] = None, sources: Optional[List[Tensor]] = None
    ) -> "Dataset":
        """Returns a data set of the same form, which needs more tensors."""
        return Dataset(self._form, self._types if types is None else types, [*self._sources, *(sources or ())], start)

    def repeat(self, count: Any = None) -> "Dataset":
        """Repeats all elements `count` times, by default, and for a negative number, without an end."""
        sources, given = _counts(-1 if count is None else count)

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            (times,) = given(values)
            rounds = itertools.count() if times < 0 else builtins.range(times)
            for _ in rounds:
                is_empty = True
                for leaves in self._start(session, values):
                    is_empty = False
                    yield leaves
                if is_empty:
                    return

        return self._like(start, None, sources)

    def shuffle(self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: Any = None) -> "Dataset":
        """In an order that is drawn, each element out of the next `buffer_size`."""
        sources, given = _counts(buffer_size)
        if not sources and buffer_size <= 0:
            raise ValueError(f"buffer_size must be greater than zero, found {buffer_size}")
        draw = generator_of("Shuffle", seed)
        # The state of the generator in the first pass, by session, for passes that repeat its order.
        first: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            (size,) = given(values)
            if size <= 0:
                raise _invalid(f"buffer_size must be greater than zero, found {size}")
            random = draw(session)
            if reshuffle_each_iteration is not None and not reshuffle_each_iteration:
                kept = first.setdefault(session, copy.deepcopy(random.bit_generator))
                random = np.random.Generator(copy.deepcopy(kept))
            held: List[Leaves] = []
            for leaves in self._start(session, values):
                if len(held) < size:
                    held.append(leaves)
                    continue
                place = int(random.integers(len(held)))
                yield held[place]
                held[place] = leaves
            for place in random.permutation(len(held)):
                yield held[place]

        return self._like(start, None, sources)

    def batch(self, batch_size: Any, drop_remainder: bool = False) -> "Dataset":
        """Joins `batch_size` elements to one, with a new first dimension."""
        lead, rows_of = self._rows(batch_size, drop_remainder)
        types: List[Type] = [(t, None if s is None else (lead, *s)) for t, s in self._types]

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            for rows in rows_of(session, values):
                shapes = [{np.shape(x) for x in column} for column in zip(*rows)]
                if any(len(own) > 1 for own in shapes):
                    raise _invalid(f"Cannot batch tensors with different shapes: {[sorted(own) for own in shapes]}; "
                                   "padded_batch makes them equal")  # fmt: skip
                yield tuple(np.stack(column) for column in zip(*rows))

        return self._like(start, types, _counts(batch_size)[0])

    def _rows(self, batch_size: Any, drop_remainder: bool) -> Tuple[Optional[int], Callable[..., Any]]:
        """Returns the number of elements of each batch, if it is known, and a function that goes through batches."""
        known = getattr(batch_size, "op", None) is None or batch_size.op.fields.literal is not None
        size = _number(batch_size, "batch_size") if known else None
        _, given = _counts(batch_size)

        def rows_of(session: Any, values: Any) -> Any:
            (count,) = given(values)
            if count <= 0:
                raise _invalid(f"batch_size must be greater than zero, found {count}")
            rest = self._start(session, values)
            while True:
                rows = list(itertools.islice(rest, count))
                if not rows or (drop_remainder and len(rows) < count):
                    return
                yield rows

        return size if drop_remainder else None, rows_of

    def window(self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False) -> "Dataset":
        """Data sets of `size` elements, `stride` apart, each `shift` elements behind the one before, by default `size`.
        The last ones have fewer elements, unless `drop_remainder` leaves them out."""
        from .data_windows import window

        return window(self, size, shift, stride, drop_remainder)

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: bool = False
    ) -> "Dataset":
        """As `batch`, of elements that are made as large as the largest one, or as `padded_shapes`."""
        lead, rows_of = self._rows(batch_size, drop_remainder)
        goals = ([s or () for _, s in self._types] if padded_shapes is None
                 else [_plain(s) for s in _parts_like(padded_shapes, self._form)])  # fmt: skip
        fills = [0] * len(goals) if padding_values is None else flatten(padding_values)
        sources = [x for x in fills if isinstance(x, Tensor)]

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            for rows in rows_of(session, values):
                yield tuple(_padded(column, goal, values[fill] if isinstance(fill, Tensor) else fill)
                            for column, goal, fill in zip(zip(*rows), goals, fills))  # fmt: skip

        types: List[Type] = [(t, (lead, *goal)) for (t, _), goal in zip(self._types, goals)]
        return self._like(start, types, [*_counts(batch_size)[0], *sources])

    def _traced(self, function: Callable[..., Any]) -> Tuple[Any, List[Tensor]]:
        """Returns what a function makes of an element, and the placeholders of this element."""
        feeds = [placeholder(t, s) for t, s in self._types]
        return _applied(function, pack(self._form, list(feeds))), feeds

    def _call(self, function: Callable[..., Any]) -> Tuple[Any, List[Tensor], List[Tensor], Callable[..., List[Any]]]:
        """Returns the results of a function of tensors for an element, these as tensors, the tensors from outside that
        they need, and a function of a session, of arrays and of the values of tensors, which computes the results."""
        made, feeds = self._traced(function)
        results = [as_tensor(x) for x in flatten(made)]
        return made, results, *_computed(results, feeds)

    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any = None) -> "Dataset":
        """Replaces each element by the result of a function of tensors."""
        made, results, captured, call = self._call(map_func)

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            for leaves in self._start(session, values):
                yield tuple(np.asarray(x) for x in call(session, leaves, values))

        types: List[Type] = [(x.dtype, x.static_shape) for x in results]
        return Dataset(made, types, [*self._sources, *captured], start)

    def filter(self, predicate: Callable[..., Any]) -> "Dataset":
        """The elements for which a function holds."""
        _, results, captured, call = self._call(predicate)
        if len(results) != 1 or not results[0].dtype.is_bool:
            raise ValueError("`predicate` must return a scalar boolean tensor.")

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            for leaves in self._start(session, values):
                if call(session, leaves, values)[0]:
                    yield leaves

        return self._like(start, None, captured)

    def _inner(
        self, kind: str, map_func: Callable[..., Any]
    ) -> Tuple["Dataset", List[Tensor], Callable[..., Iterable[Leaves]]]:
        """Returns the data set that a function makes of an element, the tensors from outside that it needs, and a
        function of a session, of arrays and of the values of tensors, which goes through the data set of these. Raises
        TypeError for a function that returns something else."""
        made, feeds = self._traced(map_func)
        if not isinstance(made, Dataset):
            raise TypeError(f"`map_func` of {kind} must return a `Dataset` object, found {type(made).__name__}")
        sources = list(dict.fromkeys(made._sources))
        captured, call = _computed(sources, feeds)

        def inner(session: Any, leaves: Leaves, values: Any) -> Iterable[Leaves]:
            own = call(session, leaves, values) if sources else []
            return made._start(session, dict(zip(sources, own)))

        return made, captured, inner

    def flat_map(self, map_func: Callable[..., Any]) -> "Dataset":
        """The elements of the data sets that a function makes of elements, one data set after the other."""
        made, captured, inner = self._inner("flat_map", map_func)

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            for leaves in self._start(session, values):
                yield from inner(session, leaves, values)

        return Dataset(made._form, made._types, [*self._sources, *captured], start)

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1, num_parallel_calls: Any = None
    ) -> "Dataset":
        """The elements of the data sets that a function makes of elements, in turn `block_length` of each of
        `cycle_length` data sets. The next element takes the turn of a data set that has ended."""
        sources, given = _counts(cycle_length, block_length)

        def checked(numbers: List[int], error: Callable[[str], Exception]) -> Tuple[int, int]:
            cycle, block = numbers
            if cycle < 1 or block < 1:
                raise error(f"interleave: expected a cycle_length and a block_length of at least 1, found {cycle} and "
                            f"{block}")  # fmt: skip
            return cycle, block

        if not sources:
            checked([cycle_length, block_length], ValueError)
        made, captured, inner = self._inner("interleave", map_func)

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            cycle, block = checked(given(values), _invalid)
            rest, place, count = self._start(session, values), 0, 0
            opened: List[Optional[Iterable[Leaves]]] = [None] * cycle
            has_more = True
            while has_more or any(one is not None for one in opened):
                own = opened[place]
                if own is None and has_more:
                    leaves = next(rest, None)
                    has_more = leaves is not None
                    if leaves is not None:
                        opened[place] = inner(session, leaves, values)
                        continue
                found = None if own is None else next(own, None)
                if found is not None:
                    yield found
                    count += 1
                elif own is not None:
                    opened[place] = None
                if found is None or count == block:
                    place, count = (place + 1) % cycle, 0

        return Dataset(made._form, made._types, [*self._sources, *sources, *captured], start)

    def _slice(self, numbers: Sequence[Any], bounds: Callable[..., Any]) -> "Dataset":
        """Returns the elements from a number on to below another one, in steps: `bounds` makes these of `numbers`."""
        sources, given = _counts(*numbers)

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            return itertools.islice(self._start(session, values), *bounds(*given(values)))

        return self._like(start, None, sources)

    def take(self, count: Any) -> "Dataset":
        """The first `count` elements, or all if it is negative."""
        return self._slice([count], lambda n: (None if n < 0 else n,))

    def skip(self, count: Any) -> "Dataset":
        """The elements behind the first `count`: none if it is negative."""
        return self._slice([count], lambda n: (0, 0) if n < 0 else (n, None))

    def shard(self, num_shards: Any, index: Any) -> "Dataset":
        """Every element whose number, divided by `num_shards`, leaves `index`."""
        return self._slice([num_shards, index], lambda n, i: (i, None, n))

    def concatenate(self, dataset: "Dataset") -> "Dataset":
        """These elements, and then those of another data set."""
        if [t for t, _ in self._types] != [t for t, _ in dataset._types]:
            raise TypeError("Two datasets to concatenate have different types")
        types: List[Type] = [(t, _both(a, b)) for (t, a), (_, b) in zip(self._types, dataset._types)]
        return Dataset(self._form, types, [*self._sources, *dataset._sources],
                       lambda s, v: itertools.chain(self._start(s, v), dataset._start(s, v)))  # fmt: skip

    def prefetch(self, buffer_size: Any) -> "Dataset":
        """The same data set: elements are made when they are asked for, so `buffer_size` has no effect."""
        return self

    def cache(self, filename: Any = "") -> "Dataset":
        """Keeps the elements of the first whole pass in memory; later ones of the iterator have these. Raises
        NotImplementedError for a file."""
        if filename:
            raise about("flywheel.v1.data", NotImplementedError("elements are kept in memory, expected no filename"))
        kept: weakref.WeakKeyDictionary[Any, Tuple[Any, List[Leaves]]] = weakref.WeakKeyDictionary()

        def start(session: Any, values: Any) -> Iterable[Leaves]:
            of, elements = kept.get(session, (None, []))
            if session in kept and of is values:
                yield from elements
                return
            seen: List[Leaves] = []
            for leaves in self._start(session, values):
                seen.append(leaves)
                yield leaves
            kept[session] = (values, seen)

        return self._like(start)

    def apply(self, transformation_func: Callable[["Dataset"], "Dataset"]) -> "Dataset":
        return transformation_func(self)

    # Types and iterators

    @property
    def output_types(self) -> Any:
        return pack(self._form, [as_dtype(t) for t, _ in self._types])

    @property
    def output_shapes(self) -> Any:
        return pack(self._form, [TensorShape(s) for _, s in self._types])

    def make_one_shot_iterator(self) -> "Iterator":
        """An iterator that begins by itself, in each session."""
        for op in ancestors([x.op for x in self._sources], (), True):
            if op.type == "Placeholder":
                raise ValueError("Cannot capture a placeholder in a one-shot iterator: use make_initializable_iterator")
            if op.fields.host_call is not None:
                raise ValueError(f"Cannot capture '{op.name}', which Python computes, in a one-shot iterator: use "
                                 "make_initializable_iterator")  # fmt: skip
        return Iterator(self._form, self._types, self)

    def make_initializable_iterator(self, shared_name: Any = None) -> "Iterator":
        """An iterator that begins where its `initializer` runs."""
        made = Iterator(self._form, self._types, None)
        made.initializer = made.make_initializer(self)
        return made


class Iterator:
    """The positions of sessions in a data set."""

    def __init__(self, form: Any, types: List[Type], dataset: Optional[Dataset]):
        self._form, self._types, self._dataset = form, types, dataset
        self.initializer: Any = None
        # The tensor that says which iterator's elements these are.
        self._handle: Any = None

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: Any = None, output_classes: Any = None
    ) -> "Iterator":
        """An iterator of whatever data set has these types. `output_classes` has no effect: all are tensors."""
        kinds = [dtype_of(t) for t in flatten(output_types)]
        shapes: List[Any] = [None] * len(kinds)
        if output_shapes is not None:
            shapes = [_plain(s) for s in _parts_like(output_shapes, output_types)]
        return Iterator(output_types, list(zip(kinds, shapes)), None)

    def make_initializer(self, dataset: Dataset, name: Optional[str] = None) -> Any:
        """An op that begins with a data set."""
        if [t for t, _ in dataset._types] != [t for t, _ in self._types]:
            raise TypeError(f"Expected output types {self.output_types} but got dataset with output types "
                            f"{dataset.output_types}.")  # fmt: skip
        sources = list(dict.fromkeys(dataset._sources))

        def begin(session: Any, *arrays: Any) -> None:
            session._iterators[self] = dataset._start(session, dict(zip(sources, arrays)))

        return host_call("MakeIterator", begin, sources, [], name)[0]

    def get_next(self, name: Optional[str] = None) -> Any:
        """The parts of the next element: a run that needs some of them takes one element."""

        if self._handle is None:
            ops = host_call("IteratorGetNext", self._take, [], self._types, name)
        else:
            ops = host_call("IteratorGetNext", self._take_of_handle, [self._handle], self._types, name)
        return pack(self._form, [op.outputs[0] for op in ops])

    def _take(self, session: Any) -> Leaves:
        rest = session._iterators.get(self)
        if rest is None:
            if self._dataset is None:
                raise _flywheel.FailedPreconditionError(
                    "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                    "initializer operation for this iterator before getting the next element.")  # fmt: skip
            sources = list(dict.fromkeys(self._dataset._sources))
            values = dict(zip(sources, session._run_wanted(sources, []))) if sources else {}
            rest = session._iterators[self] = self._dataset._start(session, values)
        try:
            return next(rest)
        except StopIteration:
            raise OutOfRangeError() from None

    def string_handle(self, name: Optional[str] = None) -> Tensor:
        """A text that stands for this iterator: see `from_string_handle`."""
        known = get_default_graph()._handles
        if self not in known:
            known.append(self)
        return constant(f"iterator {known.index(self)}", name=name or "IteratorToStringHandle")

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> "Iterator":
        """An iterator that takes the elements of the one whose `string_handle` each run is fed. `output_classes` has no
        effect: all are tensors."""
        made = Iterator.from_structure(output_types, output_shapes)
        made._handle = as_tensor(string_handle)
        if made._handle.dtype != _dtypes.string:
            raise TypeError(f"expected a text as string_handle, found {_dtypes.name_of(made._handle.dtype)}")
        return made

    def _take_of_handle(self, session: Any, handle: Any) -> Leaves:
        found = handle.reshape(-1)[0] if isinstance(handle, np.ndarray) else handle
        text = found.decode() if isinstance(found, bytes) else str(found)
        source = next((one for i, one in enumerate(session.graph._handles) if text == f"iterator {i}"), None)
        if source is None:
            raise _invalid(f"'{text}' is not the string_handle of an iterator of this graph")
        if [t for t, _ in source._types] != [t for t, _ in self._types]:
            raise _invalid(f"Expected output types {self.output_types}, and the iterator of '{text}' has "
                           f"{source.output_types}")  # fmt: skip
        found_leaves: Leaves = source._take(session)
        return found_leaves

    @property
    def output_types(self) -> Any:
        return pack(self._form, [as_dtype(t) for t, _ in self._types])

    @property
    def output_shapes(self) -> Any:
        return pack(self._form, [TensorShape(s) for _, s in self._types])


def _computed(results: List[Tensor], feeds: List[Tensor]) -> Tuple[List[Tensor], Callable[..., List[Any]]]:
    """Returns the tensors from outside that results of the function with these feeds need, and a function of a session,
    of the values of the feeds and of those of tensors, which computes the results. A tensor from outside has the value
    that it had where the iterator began, if another run could give it another one."""
    # Everything that is older than the feeds is from outside.
    first = min([x.op.id for x in feeds], default=0)
    captured: List[Tensor] = []
    seen, left = set(results), list(results)
    while left:
        x = left.pop()
        inputs = tensors_needed(x.op)
        if x.op.id < first:
            if _varies(x.op):
                captured.append(x)
            continue
        left += [y for y in inputs if y not in seen]
        seen.update(inputs)
    captured.sort(key=lambda x: x.op.id)

    def call(session: Any, leaves: Leaves, values: Dict[Tensor, Any]) -> Any:
        return session.run(results, {**{x: values[x] for x in captured}, **dict(zip(feeds, leaves))})

    return captured, call


def _varies(op: Any) -> bool:
    """Returns true for an op that needs what is fed, drawn or computed by Python: not for one of variables alone."""
    return any(
        a.type in ("Placeholder", "PlaceholderWithDefault") or a.fields.is_random or a.fields.host_call is not None
        for a in ancestors([op], (), True)
    )


def _of_tensors(tensors: Any, inner: Callable[[Any], Any], rows: Callable[[Any], Any], has_rows: bool) -> Dataset:
    leaves = flatten(tensors) if not isinstance(tensors, list) else [tensors]
    form = tensors if not isinstance(tensors, list) else 0
    parts = [as_tensor(x) if isinstance(x, Tensor) or hasattr(x, "_as_graph_tensor") else _array(x) for x in leaves]
    shapes = [x.static_shape if isinstance(x, Tensor) else x.shape for x in parts]
    if has_rows:
        if any(s is not None and not s for s in shapes):
            raise ValueError("from_tensor_slices takes slices along the first dimension, and a scalar has none")
        lengths = {s[0] for s in shapes if s is not None and s[0] is not None}
        if len(lengths) > 1:
            raise ValueError(f"Dimensions {sorted(lengths)} of the first dimension are not equal")
    sources = [x for x in parts if isinstance(x, Tensor)]
    types: List[Type] = [(x.dtype, None if s is None else tuple(inner(s))) for x, s in zip(parts, shapes)]

    def start(session: Any, values: Dict[Tensor, Any]) -> Iterable[Leaves]:
        found: Iterable[Leaves] = rows([np.asarray(values[x]) if isinstance(x, Tensor) else x for x in parts])
        return found

    return Dataset(form, types, sources, start)


def _array(value: Any) -> Any:
    return _dtypes.kept(value)


def _padded(column: Any, goal: Any, fill: Any) -> Any:
    """Arrays as one, each filled up."""
    sizes = [max([np.shape(x)[i] for x in column]) if n is None else n for i, n in enumerate(goal)]
    first = np.asarray(column[0])
    whole = np.full((len(column), *sizes), fill, first.dtype)
    for place, x in enumerate(column):
        if any(m > n for m, n in zip(np.shape(x), sizes)):
            raise _invalid(f"Attempted to pad to a smaller size than the input element: {np.shape(x)} to {sizes}")
        box: Any = (place, *[slice(0, m) for m in np.shape(x)])
        whole[box] = x
    return whole


def _plain(shape: Any) -> Any:
    return None if isinstance(shape, TensorShape) and shape._dims is None else plain_shape(shape)


def _parts_like(value: Any, form: Any) -> List[Any]:
    """Returns the parts of an element, or of shapes of one, whose own lists are not part of the form."""
    if isinstance(form, dict):
        return [s for key in sorted(form) for s in _parts_like(value[key], form[key])]
    if isinstance(form, tuple):
        return [s for one, part in zip(value, form) for s in _parts_like(one, part)]
    return [value]


def _both(a: Any, b: Any) -> Any:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(n if n == m else None for n, m in zip(a, b))


def _number(value: Any, what: str) -> int:
    count = int(static_of(value))
    if count <= 0:
        raise ValueError(f"{what} must be greater than zero, found {count}")
    return count


def _invalid(text: str) -> Exception:
    return _flywheel.InvalidArgumentError(text)


def _counts(*numbers: Any) -> Tuple[List[Tensor], Callable[[Dict[Tensor, Any]], List[int]]]:
    """Returns the tensors among numbers, and a function of their values that gives all numbers."""
    parts = [as_tensor(n) if hasattr(n, "op") else operator.index(n) for n in numbers]
    sources = [n for n in parts if isinstance(n, Tensor)]
    return sources, lambda values: [int(values[n]) if isinstance(n, Tensor) else n for n in parts]


def _applied(function: Callable[..., Any], element: Any) -> Any:
    """Calls a function with the parts of an element."""
    is_tuple = isinstance(element, tuple) and not hasattr(element, "_fields")
    return function(*element) if is_tuple else function(element)


def make_one_shot_iterator(dataset: Dataset) -> Iterator:
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset: Dataset, shared_name: Any = None) -> Iterator:
    return dataset.make_initializable_iterator(shared_name)


def __getattr__(name: str) -> Any:
    from .namespaces import missing

    raise missing(f"data.{name}")
