# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models: networks that are compiled, trained, evaluated."""

import inspect
import warnings
from typing import Any, Dict, List, Optional, Set, Tuple

import numpy as np

from ..._core.annotations import Path
from ..._errors.hints import name_methods, nearest
from ...train.callbacks import listed
from ...train.loop import Means, run_epochs
from ...v1.conversion import as_tensor
from ...watching import watch
from .. import _batches, losses, metrics, optimizers
from .. import backend as K
from .. import callbacks as _callbacks
from ..legacy import interfaces as _legacy
from ..utils import Sequence
from . import _outputs
from ._outputs import by_output, metric_of, metrics_of, targets_by_output, term_of, weighted
from .network import Network
from .topology import one_or_list, to_list

# Names by which programs import functions of this module.
_check_array_lengths = _batches.check_array_lengths
_check_loss_and_target_compatibility = _outputs.check_loss_and_target_compatibility
_make_batches, _slice_arrays = _batches.make_batches, _batches.slice_arrays
_weighted_masked_objective = _outputs.weighted_masked_objective


@_legacy.model
@_legacy.fit_generator
@_legacy.evaluate_generator
@_legacy.predict_generator
class Model(Network):
    """Layers between `inputs` and `outputs`, and how they are trained."""

    def __init__(self, inputs: Any, outputs: Any, name: Optional[str] = None):
        self._init_graph(inputs, outputs, name)
        self._reset()

    def _reset(self) -> None:
        self.optimizer: Any = None
        self.loss: Any = None
        self.stop_training = False
        self.history: Any = None
        self._forget_functions()

    def _forget_functions(self) -> None:
        self.train_function: Any = None
        self.test_function: Any = None
        self.predict_function: Any = None
        # By a function that trains and a dashboard, the function that does both.
        self._watching: Dict[Any, Any] = {}

    # Compile

    def compile(
        self, optimizer: Any, loss: Any = None, metrics: Any = None, loss_weights: Any = None,
        sample_weight_mode: Any = None, weighted_metrics: Any = None, target_tensors: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        """Says how the model is trained; the code is made at the first step."""
        given_targets = targets_by_output(target_tensors, self.output_names)
        self.optimizer = optimizers.get(optimizer)
        self.loss = loss
        self.metrics, self.weighted_metrics = metrics or [], weighted_metrics or []
        self.loss_weights, self.sample_weight_mode = loss_weights, sample_weight_mode
        self._forget_functions()
        self._function_kwargs = kwargs
        names = self.output_names
        self._losses_of = [None if x is None else losses.get(x) for x in by_output(loss, names, "loss")]
        if not isinstance(loss_weights, (list, dict, type(None))):
            raise TypeError(f"Could not interpret loss_weights argument: {loss_weights} - expected a list or a dict.")
        scales = by_output(loss_weights, names, "loss_weights") if loss_weights is not None else [1.0] * len(names)
        self._scales = scales
        modes = by_output(sample_weight_mode, names, "sample_weight_mode")
        left = [name for name in names if isinstance(sample_weight_mode, dict) and name not in sample_weight_mode]
        if left:
            raise ValueError(f'Output "{left[0]}" missing from `sample_weight_mode` dictionary')
        for mode in modes:
            if mode not in (None, "temporal"):
                raise ValueError(f"expected a sample_weight_mode of None or 'temporal', found {mode!r}")
        targets, weights, terms, total = [], [], [], None
        self.target_names: List[str] = []
        for y, function, scale, name, mode, given in zip(self.outputs, self._losses_of, scales, names, modes,
                                                         given_targets):  # fmt: skip
            if function is None:
                if isinstance(loss, dict):
                    warnings.warn(f'Output "{name}" missing from loss dictionary. We assume this was done on purpose, '
                                  "and we will not be expecting any data to be passed to it during training.",
                                  stacklevel=2)  # fmt: skip
                continue
            self.target_names.append(name)
            shape = K.int_shape(y)
            is_sparse = losses.is_like(function, "sparse_categorical_crossentropy")
            # A loss of the program may take targets of any size.
            fed = (None,) * len(shape) if losses.is_of_program(function) else (*shape[:-1], 1) if is_sparse else shape
            target = as_tensor(given) if given is not None else K.placeholder(fed, name=f"{name}_target")
            weight = K.placeholder((None, None) if mode == "temporal" else (None,), name=f"{name}_sample_weights")
            term = term_of(function, target, y, weight)
            targets.append(target)
            weights.append(weight)
            terms.append(term)
            part = term if scale == 1.0 else term * scale
            total = part if total is None else total + part
        for penalty in self.losses:
            one = K.mean(penalty) if K.is_tensor(penalty) and K.ndim(penalty) else penalty
            total = one if total is None else total + one
        if total is None or not K.is_tensor(total):
            raise RuntimeError("The model cannot be compiled because it has no loss to optimize: expected a loss, or "
                               "add_loss")  # fmt: skip
        self.total_loss, self.targets, self.sample_weights = total, targets, weights
        self.metrics_names = ["loss"] + ([f"{n}_loss" for n in self.target_names] if len(names) > 1 else [])
        self._values = [total, *(terms if len(names) > 1 else [])]
        self._metric_updates: List[Any] = []
        self.stateful_metrics: List[Any] = []
        self.stateful_metric_names: List[str] = []
        self._add_metrics(metrics, weighted_metrics, targets)
        self._collected_trainable_weights = self.trainable_weights

    def _add_metrics(self, given: Any, given_weighted: Any, targets: Any) -> None:
        """Adds the metrics of each output, and then those by the weights of its samples."""
        names = self.output_names
        used = [(n, y, loss) for n, y, loss in zip(names, self.outputs, self._losses_of) if loss is not None]
        for (name, y, loss), t, w in zip(used, targets, self.sample_weights):
            prefix = f"{name}_" if len(names) > 1 else ""
            for metric in metrics_of(given, name):
                self._add_metric(metric, prefix, t, y, loss, None)
            for metric in metrics_of(given_weighted, name):
                self._add_metric(metric, f"{prefix}weighted_", t, y, loss, w)

    def _add_metric(self, metric: Any, prefix: str, t: Any, y: Any, loss: Any, weight: Any) -> None:
        function, title = metric_of(metric, y, loss)
        mask = getattr(y, "_keras_mask", None)
        if getattr(function, "stateful", False):
            parts = [] if mask is None else [K.cast(mask, K.floatx())]
            parts += [] if weight is None else [weight]
            if len(parts) == 2:
                parts = [parts[0] * (K.expand_dims(weight) if K.ndim(weight) < K.ndim(mask) else weight)]
            value = function(t, y, *parts) if isinstance(function, metrics.Metric) else function(t, y)
            self.stateful_metrics.append(function)
            self.stateful_metric_names.append(prefix + title)
            self._metric_updates += function.updates
        else:
            value = weighted(function(t, y), weight, mask)
        self.metrics_names.append(prefix + title)
        self._values.append(value)

    # Functions: a subclass may make others, as programs of Keras 2.1 do

    @property
    def uses_learning_phase(self) -> bool:
        """Returns true if an output differs between training and a test."""
        return any(getattr(y, "_uses_learning_phase", False) for y in self.outputs)

    @property
    def _feed_inputs(self) -> List[Any]:
        """The inputs that calls are fed: not those that `Input(tensor=)` gave a value."""
        return [x for x in self.inputs if K.is_placeholder(x)]

    @property
    def _feed_input_names(self) -> List[str]:
        return [name for name, x in zip(self.input_names, self.inputs) if K.is_placeholder(x)]

    @property
    def _feed_targets(self) -> List[Any]:
        """The targets that calls are fed: not those that are among the `target_tensors` of `compile`."""
        return [x for x in self.targets if K.is_placeholder(x)]

    @property
    def _feed_target_names(self) -> List[str]:
        return [name for name, x in zip(self.target_names, self.targets) if K.is_placeholder(x)]

    @property
    def _has_tensors(self) -> bool:
        """Returns true if there are inputs or targets that calls are not fed."""
        return len(self._feed_inputs) < len(self.inputs) or len(self._feed_targets) < len(getattr(self, "targets", []))

    @property
    def _feed_sample_weights(self) -> List[Any]:
        return list(self.sample_weights)

    @property
    def metrics_tensors(self) -> List[Any]:
        """The metrics, which functions return after the loss."""
        return self._values[1:]

    @property
    def metrics_updates(self) -> List[Any]:
        return list(self._metric_updates)

    def _check_trainable_weights_consistency(self) -> None:
        """Warns if other weights are trainable than those that `compile` took (C8)."""
        collected = getattr(self, "_collected_trainable_weights", None)
        if collected is not None and len(self.trainable_weights) != len(collected):
            warnings.warn("Discrepancy between trainable weights and collected trainable weights, did you set "
                          "`model.trainable` without calling `model.compile` after? Those of `compile` are trained",
                          stacklevel=5)  # fmt: skip

    def _make_train_function(self) -> None:
        """Sets `train_function`, unless it is set: of inputs, targets, weights and the phase, the loss and the metrics
        before a step."""
        self._check_compiled()
        self._check_trainable_weights_consistency()
        if self.train_function is None:
            with K.name_scope("training"), K.name_scope(type(self.optimizer).__name__):
                params = self._collected_trainable_weights
                if isinstance(self.optimizer, optimizers.LevenbergMarquardt):
                    steps = self.optimizer.get_updates_of(self._residuals(), params)
                else:
                    steps = _legacy.updates_of(self.optimizer, self.total_loss, params)
            self.train_function = K.function(self._fed(), self._values, [*self._metric_updates, *self.updates, *steps],
                                             **self._function_kwargs)  # fmt: skip

    def _residuals(self) -> List[Any]:
        """Returns the differences of outputs and targets, times the square roots of weights. Raises ValueError for
        losses that are not sums of squares."""
        if self.losses:
            raise ValueError("LevenbergMarquardt lowers squares of residuals: expected no penalties of layers")
        used = [(y, function, scale) for y, function, scale in zip(self.outputs, self._losses_of, self._scales)
                if function is not None]  # fmt: skip
        found = []
        for (y, function, scale), target, weight in zip(used, self.targets, self.sample_weights):
            if function is not losses.mean_squared_error or getattr(y, "_keras_mask", None) is not None:
                raise ValueError("LevenbergMarquardt lowers squares of residuals: expected the loss 'mse' of outputs "
                                 "without masks")  # fmt: skip
            root = K.sqrt(weight * scale)
            for _ in range(K.ndim(y) - K.ndim(weight)):
                root = K.expand_dims(root)
            found.append((y - target) * root)
        return found

    def _make_test_function(self) -> None:
        """Sets `test_function`, unless it is set."""
        self._check_compiled()
        if self.test_function is None:
            updates = [*self._metric_updates, *self._own(self.state_updates)]
            self.test_function = K.function(self._fed(), self._values, updates, **self._function_kwargs)

    def _make_predict_function(self) -> None:
        """Sets `predict_function`, unless it is set."""
        if self.predict_function is None:
            self.predict_function = K.function([*self._feed_inputs, K.learning_phase()], self.outputs,
                                               self._own(self.state_updates))  # fmt: skip

    def _fed(self) -> List[Any]:
        return [*self._feed_inputs, *self._feed_targets, *self._feed_sample_weights, K.learning_phase()]

    def _function(self, what: str) -> Any:
        """Returns `train_function`, `test_function` or `predict_function`, and makes it if it is not there."""
        getattr(self, f"_make_{what}_function")()
        return getattr(self, f"{what}_function")

    def _call(self, function: Any, values: List[Any], phase: int) -> List[Any]:
        """Calls a function, which has the phase as its last input unless a subclass made it without."""
        inputs = getattr(function, "inputs", None)
        found: List[Any] = function(values if inputs is not None and len(inputs) == len(values) else [*values, phase])
        return found

    def _check_compiled(self) -> None:
        if self.optimizer is None:
            raise RuntimeError("You must compile your model before using it.")

    def export(self, path: Path, *, entries: Any = None, **options: Any) -> None:
        """Writes the model as an object file; `flywheel.export` has the options and the errors.

        `entries` lists what to export of "predict", "train" and "test", or is a dict from names in C to these; by
        default "predict", and "train" of a compiled model. "train" and "test" take inputs and targets, and give the
        loss and the metrics; each sample has the weight 1. Raises NotImplementedError for a model a part of which
        Python computes.
        """
        from .._exporting import export

        export(self, path, entries, options)

    def cost(self, what: str = "train", bindings: Optional[Dict[str, int]] = None) -> Dict[str, Any]:
        """Returns the operations and bytes of a step of "train", "test" or "predict": see `flywheel.cost`. The batch is
        an open size, which `bindings` may give: {"batch": 32}."""
        if what not in ("train", "test", "predict"):
            raise ValueError(f"expected 'train', 'test' or 'predict', found {what!r}")
        found: Dict[str, Any] = self._function(what).cost(int(what == "train"), bindings)
        return found

    # Batches

    def _prepare(self, x: Any, y: Any, sample_weight: Any, class_weight: Any = None) -> Tuple[List[Any], int]:
        self._check_compiled()
        xs = self._inputs_of(x)
        names = self._feed_target_names
        if y is None and names:
            raise ValueError(f"expected targets of {names}, found None")
        if not names and y is not None and len(to_list(y)):
            why = "all of them are tensors" if self.targets else "no output has a loss"
            raise ValueError(f"expected no targets, since {why}, found some")
        shapes = [K.int_shape(t) for t in self._feed_targets]
        ys = _batches.arrays(y, names, shapes, "target", check=self._check_targets) if shapes else []
        count = _batches.rows_of([*xs, *ys][0]) if xs or ys else self._rows()
        _check_array_lengths(xs, ys, [])
        if not count:
            raise ValueError("expected at least 1 sample, found 0")
        ranks = [K.ndim(w) for w in self.sample_weights]
        fed = dict(zip(names, ys))
        # The weights of targets that are tensors need no more than their shape.
        every = [fed[name] if name in fed else np.broadcast_to(np.float32(0), [count, *K.int_shape(t)[1:]])
                 for name, t in zip(self.target_names, self.targets)]  # fmt: skip
        ws = _batches.weights(sample_weight, class_weight, every, self.target_names, ranks)
        return [*xs, *ys, *ws], count

    def _check_targets(self, arrays: List[Any]) -> None:
        """Raises ValueError for targets of another size than the loss takes."""
        used = {name: (loss, y) for name, loss, y in zip(self.output_names, self._losses_of, self.outputs)}
        losses_of, shapes = zip(*[(used[name][0], K.int_shape(used[name][1])) for name in self._feed_target_names])
        _check_loss_and_target_compatibility(arrays, losses_of, shapes)

    def _inputs_of(self, x: Any) -> List[Any]:
        """Returns the arrays of the inputs that calls are fed."""
        names = self._feed_input_names
        if not names:
            if x is not None and (hasattr(x, "__array__") or len(x)):
                raise ValueError("expected no inputs, since all of them are tensors, found some")
            return []
        return _batches.arrays(x, names, [K.int_shape(t) for t in self._feed_inputs], "input")

    def _rows(self) -> int:
        """Returns the rows of a batch that is not fed. Raises ValueError if no tensor says it."""
        for x in [*self.inputs, *self.targets]:
            if x.static_shape and x.static_shape[0] is not None:
                return int(x.static_shape[0])
        raise ValueError("the model is fed nothing, and no tensor of it has a number of rows that is known")

    def train_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None) -> Any:
        """One step; the loss (and metrics) of before it."""
        values, _ = self._prepare(x, y, sample_weight, class_weight)
        return one_or_list(self._call(self._function("train"), values, 1))

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None) -> Any:
        values, _ = self._prepare(x, y, sample_weight)
        return one_or_list(self._call(self._function("test"), values, 0))

    def predict_on_batch(self, x: Any) -> Any:
        return one_or_list(self._call(self._function("predict"), self._inputs_of(x), 0))

    # Epochs

    def fit(
        self, x: Any = None, y: Any = None, batch_size: Optional[int] = None, epochs: int = 1, verbose: int = 1,
        callbacks: Any = None, validation_split: float = 0.0, validation_data: Any = None, shuffle: bool = True,
        class_weight: Any = None, sample_weight: Any = None, initial_epoch: int = 0,
        steps_per_epoch: Optional[int] = None, validation_steps: Optional[int] = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Trains for some epochs. `x` is arrays, or what gives batches (x, y) in each epoch: a generator with
        `steps_per_epoch`, a DataLoader, a data set of TensorFlow's."""
        if "nb_epoch" in kwargs:
            epochs = kwargs.pop("nb_epoch")
        if kwargs:
            hint = nearest(next(iter(kwargs)), inspect.signature(Model.fit).parameters)
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}{hint}")
        if y is None and _batches.is_stream(x):
            if validation_split:
                raise ValueError("`validation_split` is only supported for arrays: give `validation_data`")
            if steps_per_epoch is None and isinstance(x, Sequence):
                steps_per_epoch = len(x)
            stream = _batches.stream(x, steps_per_epoch, shuffle)
            return self._fit(lambda: (self._prepare(*b, class_weight) for b in stream()), epochs, verbose, callbacks,
                             validation_data, initial_epoch, steps_per_epoch, validation_steps,
                             _batches.size_of(batch_size),
                             None)  # fmt: skip
        for name, steps in (("steps_per_epoch", steps_per_epoch), ("validation_steps", validation_steps)):
            if steps is not None and not self._has_tensors and not (
                    name == "validation_steps" and _batches.is_stream(validation_data)):  # fmt: skip
                raise ValueError(f"`{name}` applies to iterators of batches; for arrays, give `batch_size`")
        values, count = self._prepare(x, y, sample_weight, class_weight)
        if steps_per_epoch is not None or not self._feed_inputs and not self._feed_targets:
            # The same batch in each step: it is the tensors that change.
            again = self._repeated(values, count, steps_per_epoch, "steps_per_epoch")
            return self._fit(again, epochs, verbose, callbacks, validation_data, initial_epoch, steps_per_epoch,
                             validation_steps, count, count)  # fmt: skip
        size = _batches.size_of(batch_size)
        tests: Any = validation_data
        if tests is None and validation_split:
            at = _batches.split(count, validation_split)
            n, m = len(self._feed_inputs), len(self._feed_targets)
            late = [v[at:] for v in values]
            tests = (late[:n], late[n : n + m], late[n + m :])
            values, count = [v[:at] for v in values], at
        order = (lambda: np.random.permutation(count)) if shuffle else None
        return self._fit(lambda: _batches.slices(values, count, size, order), epochs, verbose, callbacks, tests,
                         initial_epoch, None, validation_steps, size, count)  # fmt: skip

    def _repeated(self, values: List[Any], count: int, steps: Optional[int], what: str) -> Any:
        """Returns what gives a batch for each of `steps` steps. Raises ValueError if no number of them is given."""
        if steps is None:
            raise ValueError(f"If your data is in the form of symbolic tensors, you should specify the `{what}` "
                             "argument (instead of the `batch_size` argument).")  # fmt: skip
        return lambda: ((values, count) for _ in range(steps))

    def _fit(
        self, batches: Any, epochs: int, verbose: int, given: Any, tests: Any, first: int, steps: Optional[int],
        test_steps: Optional[int], batch_size: int, samples: Optional[int],
    ) -> Any:  # fmt: skip
        self._check_compiled()
        if not isinstance(epochs, (int, np.integer)):
            raise TypeError(f"expected a number of epochs, found {epochs!r}")
        given = listed(given)
        self._function("train")
        self.history = _callbacks.History()
        # The history comes last, and has what the others add.
        every = _callbacks.CallbackList([*given, self.history])
        every.set_model(self)
        step = self._watched([c.board for c in given if isinstance(c, _callbacks.Watch)])
        if isinstance(tests, (list, tuple)):
            arrays = self._tested(tests)
            for callback in every.callbacks:
                callback.validation_data = arrays
        names = self.metrics_names
        every.set_params({"batch_size": batch_size, "epochs": epochs, "steps": steps, "samples": samples,
                          "verbose": verbose, "do_validation": tests is not None,
                          "metrics": names + ([f"val_{n}" for n in names] if tests is not None else [])})  # fmt: skip

        # Batches of arrays have no number of steps of their own.
        length = steps if steps is not None or samples is None else -(-samples // batch_size)

        def begin() -> Means:
            self._reset_metrics()
            return Means(names, self.stateful_metric_names)

        def validate() -> Dict[str, float]:
            if tests is None:
                return {}
            return {f"val_{n}": v for n, v in zip(names, self._validate(tests, batch_size, test_steps))}

        run_epochs(self, every, begin, batches, lambda batch: self._call(step, batch, 1), validate, epochs,
                   initial_epoch=first, steps=length, verbose=verbose)  # fmt: skip
        return self.history

    def _watched(self, boards: List[Any]) -> Any:
        """Returns the function that trains, and adds weights and outputs of layers to these dashboards."""
        found = self._function("train")
        for board in boards:
            if not isinstance(found, K.Function):
                raise ValueError("Watch adds to the train_function of a model: expected one that K.function made, "
                                 f"found {found!r}")  # fmt: skip
            key = (found, board)
            if key not in self._watching:
                # A model that is compiled again has another function.
                board._owner = None
                variables = self._collected_trainable_weights
                op = watch(self.total_loss, self._activations({v.op.name for v in variables}), to=board,
                           variables=variables)  # fmt: skip
                self._watching[key] = found.also(op)
            found = self._watching[key]
        return found

    def _activations(self, taken: Set[str]) -> Dict[str, Any]:
        """Returns the results of calls of layers that are floating-point numbers, by the name of the layer: `name_1`
        for its next call, `name:1` for its next result. Names in `taken` are those of others."""
        found: Dict[str, Any] = {}
        numbers: Dict[str, int] = {}
        for node in self._order:
            if _is_input(node.layer):
                continue
            number = numbers[node.layer.name] = numbers.get(node.layer.name, -1) + 1
            for place, y in enumerate(node.outputs):
                name = node.layer.name + (f"_{number}" if number else "") + (f":{place}" if place else "")
                while name in found or name in taken:
                    name += "/output"
                if y.dtype.is_floating:
                    found[name] = y
        return found

    # For callbacks

    def weight_values(self) -> Dict[str, Any]:
        """The values of the weights, by their names in the graph."""
        return {weight.op_name: np.asarray(K.get_value(weight)) for weight in self.weights}

    def learning_rate(self) -> float:
        """The rate of the optimizer. Raises ValueError for one without."""
        return float(K.get_value(self._rate()))

    def set_learning_rate(self, rate: float) -> None:
        """Changes the rate of the optimizer, for the next step."""
        K.set_value(self._rate(), rate)

    def _rate(self) -> Any:
        if not hasattr(self.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        return self.optimizer.lr

    def _tested(self, tests: Any) -> List[Any]:
        """Returns the arrays of a validation for callbacks: inputs, targets and weights, as they were given, and the
        phase where an output depends on it."""
        x, y, w = tests if len(tests) == 3 else (*tests, None)
        values, _ = self._prepare(x, y, w)
        count = len(self._feed_inputs) + len(self._feed_targets)
        listed = [[given[name] for name in names] if isinstance(given, dict) else to_list(given)
                  for given, names in ((x, self._feed_input_names), (y, self._feed_target_names))]  # fmt: skip
        given = [*(listed[0] if self._feed_inputs else []), *(listed[1] if self._feed_targets else [])]
        own = given if len(given) == count else values[:count]
        arrays = [a if _batches.is_sparse(a) else np.asarray(a) for a in own]
        return [*arrays, *values[count:], *([0.0] if self.uses_learning_phase else [])]

    def _validate(self, tests: Any, size: int, steps: Optional[int]) -> List[Any]:
        if isinstance(tests, (list, tuple)):
            x, y, w = tests if len(tests) == 3 else (*tests, None)
            return to_list(self.evaluate(x, y, size, 0, w))
        return [float(value) for value in to_list(self.evaluate(tests, steps=steps))]

    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: Optional[int] = None, verbose: int = 1,
        sample_weight: Any = None, steps: Optional[int] = None,
    ) -> Any:  # fmt: skip
        """The loss and the metrics over all samples. Nothing is printed, whatever `verbose` is."""
        self._check_compiled()
        test = self._function("test")
        if y is None and _batches.is_stream(x):
            made: Any = (self._prepare(*b) for b in _batches.stream(x, steps)())
        elif self._has_tensors and (steps is not None or not self._feed_inputs and not self._feed_targets):
            made = self._repeated(*self._prepare(x, y, sample_weight), steps, "steps")()
        else:
            _no_steps(steps)
            values, count = self._prepare(x, y, sample_weight)
            made = _batches.slices(values, count, _batches.size_of(batch_size), None)
        self._reset_metrics()
        mean = Means(self.metrics_names, self.stateful_metric_names)
        for batch, size in made:
            mean.add(self._call(test, batch, 0), size)
        values = mean.values()
        # One value has a shape, as all numbers of Keras.
        return np.float64(values[0]) if len(values) == 1 else values

    def predict(self, x: Any, batch_size: Optional[int] = None, verbose: int = 0, steps: Optional[int] = None) -> Any:
        """The outputs for all samples. Nothing is printed, whatever `verbose` is."""
        run = self._function("predict")
        if _batches.is_stream(x):
            inputs = (b[0] for b in _batches.stream(x, steps)())
            parts = [self._call(run, self._inputs_of(one), 0) for one in inputs]
        elif len(self._feed_inputs) < len(self.inputs) and (steps is not None or not self._feed_inputs):
            xs = self._inputs_of(x)
            parts = [self._call(run, batch, 0) for batch, _ in self._repeated(xs, 0, steps, "steps")()]
        else:
            _no_steps(steps)
            xs = self._inputs_of(x)
            size = _batches.size_of(batch_size)
            parts = [self._call(run, batch, 0) for batch, _ in _batches.slices(xs, _batches.rows_of(xs[0]), size, None)]
        return one_or_list([np.concatenate(made) for made in zip(*parts)])

    def _reset_metrics(self) -> None:
        for metric in self.stateful_metrics:
            metric.reset_states()

    def fit_generator(
        self, generator: Any, steps_per_epoch: Optional[int] = None, epochs: int = 1, **kwargs: Any
    ) -> Any:
        """Trains on what a generator gives."""
        return self.fit(generator, steps_per_epoch=steps_per_epoch, epochs=epochs, **kwargs)

    def evaluate_generator(self, generator: Any, steps: Optional[int] = None, verbose: int = 0) -> Any:
        """The loss and the metrics over batches; `verbose` has no effect."""
        return self.evaluate(generator, steps=steps)

    def predict_generator(self, generator: Any, steps: Optional[int] = None, verbose: int = 0) -> Any:
        """The outputs for batches; `verbose` has no effect."""
        return self.predict(generator, steps=steps)


name_methods(Model, ["evaluate", "predict", "train_on_batch", "test_on_batch"])


def _is_input(layer: Any) -> bool:
    """Returns true for what gives the inputs of a model."""
    return type(layer).__name__ == "InputLayer"


def _no_steps(steps: Optional[int]) -> None:
    if steps is not None:
        raise ValueError("`steps` applies to iterators of batches; for arrays, give `batch_size`")
