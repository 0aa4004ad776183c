# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of Keras 1: decorators of layers and methods that take them by their old names, and warn."""

import warnings
from functools import wraps
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

Arguments = Tuple[Tuple[Any, ...], Dict[str, Any]]
Change = Callable[[Tuple[Any, ...], Dict[str, Any]], Arguments]

_KERNEL = {"init": "kernel_initializer", "W_regularizer": "kernel_regularizer", "b_regularizer": "bias_regularizer",
           "W_constraint": "kernel_constraint", "b_constraint": "bias_constraint", "bias": "use_bias"}  # fmt: skip
_FORMAT = {"dim_ordering": "data_format"}
_FILTERS = {"nb_filter": "filters", "subsample": "strides", "border_mode": "padding", **_FORMAT, **_KERNEL}
_VALUES: Dict[str, Dict[Any, Any]] = {
    "dim_ordering": {"tf": "channels_last", "th": "channels_first", "default": None},
    "consume_less": {"cpu": 0, "mem": 1, "gpu": 2},
}


def _warn(what: str, changes: List[str]) -> None:
    warnings.warn(f"Update your `{what}` call to the Keras 2 API: {', '.join(changes)}", stacklevel=4)


def renames(
    renamed: Mapping[str, str], change: Optional[Change] = None, method: str = "__init__"
) -> Callable[[type], Any]:
    """Returns a decorator of a class whose `method` takes arguments by the names that are keys of `renamed`.

    `change` gives other positional and keyword arguments, before. Raises TypeError for an argument by both names."""

    def decorate(cls: Any) -> Any:
        function = vars(cls).get(method) or getattr(cls, method)

        @wraps(function)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            if kwargs or args:
                if change is not None:
                    args, kwargs = change(args, kwargs)
                changes: List[str] = []
                for old in [key for key in kwargs if key in renamed]:
                    new = renamed[old]
                    if new in kwargs:
                        raise TypeError(f"{cls.__name__} takes {old} and {new} as one argument, found both")
                    value = kwargs.pop(old)
                    known = _VALUES.get(old)
                    if known is not None and value not in known:
                        raise ValueError(f"expected {old} of {', '.join(map(repr, known))}, found {value!r}")
                    kwargs[new] = value if known is None else known[value]
                    changes.append(f"`{old}` is `{new}`")
                if changes:
                    _warn(cls.__name__ if method == "__init__" else method, changes)
            return function(self, *args, **kwargs)

        setattr(cls, method, call)
        return cls

    return decorate


def _with_input_shape(kwargs: Dict[str, Any]) -> None:
    """Makes `input_shape` of `input_length` and `input_dim`."""
    if "input_dim" in kwargs:
        kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim"))


def _with_kernel_size(names: Tuple[str, ...]) -> Change:
    """Makes `kernel_size` of the sizes that Keras 1 takes one by one, after the filters."""

    def change(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
        given = [name for name in names if name in kwargs]
        own = list(args[1:])
        if not given and len(own) > 1 and isinstance(own[1], int):
            new = [key for key in ("padding", "strides", "data_format", "dilation_rate") if key in kwargs]
            if new:
                raise ValueError("the second number after the filters is a size in Keras 1, and strides in Keras 2: "
                                 f"beside `{new[0]}`, give `strides=` by its name")  # fmt: skip
        sizes: List[Any] = []
        # A second number is another size, unless it is by the name `strides`.
        while own and len(sizes) < len(names) - len(given) and isinstance(own[0], int):
            sizes.append(own.pop(0))
        if len(sizes) + len(given) < len(names) or (not given and len(sizes) != len(names)):
            return args, kwargs
        sizes += [kwargs.pop(name) for name in given]
        _warn("convolution", [f"the sizes {', '.join(map(str, sizes))} are `kernel_size={tuple(sizes)}`"])
        if not own:
            return args[:1], {**kwargs, "kernel_size": tuple(sizes)}
        return (*args[:1], tuple(sizes), *own), kwargs

    return change


def _conv1d(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    _with_input_shape(kwargs)
    return args, kwargs


def _deconv2d(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    own = list(args)
    if len(own) > 3 and isinstance(own[3], (tuple, list)) and isinstance(own[2], int):
        kwargs["output_shape"] = own.pop(3)
    args = tuple(own)
    # The size follows from the input, the strides and the padding.
    kwargs.pop("output_shape", None)
    return _with_kernel_size(("nb_row", "nb_col"))(args, kwargs)


def _separable(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    args, kwargs = _with_kernel_size(("nb_row", "nb_col"))(args, kwargs)
    if "init" in kwargs:
        first = kwargs.pop("init")
        kwargs.setdefault("depthwise_initializer", first)
        kwargs.setdefault("pointwise_initializer", first)
    return args, kwargs


def _recurrent(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    _with_input_shape(kwargs)
    if "forget_bias_init" in kwargs:
        first = kwargs.pop("forget_bias_init")
        kwargs["unit_forget_bias"] = True
        if first != "one":
            warnings.warn("The `forget_bias_init` argument has been ignored. Use `unit_forget_bias=True` instead to "
                          "initialize with ones.", stacklevel=4)  # fmt: skip
    return args, kwargs


def _convolutional_recurrent(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    return _recurrent(*_with_kernel_size(("nb_row", "nb_col"))(args, kwargs))


def _embedding(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    if kwargs.pop("dropout", 0.0):
        warnings.warn("The `dropout` argument is no longer support in `Embedding`. You can apply a "
                      "`keras.layers.SpatialDropout1D` layer right after the `Embedding` layer to get the same "
                      "behavior.", stacklevel=4)  # fmt: skip
    return args, kwargs


def _batch_norm(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    mode = kwargs.pop("mode", 0)
    if mode != 0:
        raise TypeError(f"The `mode` argument of `BatchNormalization` no longer exists, found mode={mode}: "
                        "for mode 2, call the layer with `training=True`")  # fmt: skip
    return args, kwargs


def _padding_2d(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    given = args[0] if args else kwargs.get("padding")
    if isinstance(given, dict):
        names = ("top_pad", "bottom_pad", "left_pad", "right_pad")
        unknown = [key for key in given if key not in names]
        if unknown:
            raise ValueError(f"Unexpected key(s) found in the padding dictionary: {unknown}. Allowed: {names}")
        top, bottom, left, right = (given.get(name, 0) for name in names)
        kwargs["padding"] = ((top, bottom), (left, right))
        args = args[1:]
    return args, kwargs


_RECURRENT = {
    "output_dim": "units", **_KERNEL, "inner_init": "recurrent_initializer",
    "inner_activation": "recurrent_activation", "U_regularizer": "recurrent_regularizer", "dropout_W": "dropout",
    "dropout_U": "recurrent_dropout", "consume_less": "implementation",
}  # fmt: skip

dense = renames({"output_dim": "units", **_KERNEL})
dropout = renames({"p": "rate"})
embedding = renames({"init": "embeddings_initializer", "W_regularizer": "embeddings_regularizer",
                     "W_constraint": "embeddings_constraint"}, _embedding)  # fmt: skip
pooling1d = renames({"pool_length": "pool_size", "stride": "strides", "border_mode": "padding"})
pooling = renames({"border_mode": "padding", **_FORMAT})
global_pooling = data_format = renames(_FORMAT)
prelu = renames({"init": "alpha_initializer"})
gaussian_noise = renames({"sigma": "stddev"})
recurrent = renames(_RECURRENT, _recurrent)
upsampling1d = renames({"length": "size"})
conv1d = renames({**_FILTERS, "filter_length": "kernel_size", "subsample_length": "strides"}, _conv1d)
kernel_size_2d = _with_kernel_size(("nb_row", "nb_col"))
conv2d = renames(_FILTERS, kernel_size_2d)
conv3d = renames(_FILTERS, _with_kernel_size(("kernel_dim1", "kernel_dim2", "kernel_dim3")))
deconv2d = renames(_FILTERS, _deconv2d)
separable_conv2d = renames({key: value for key, value in _FILTERS.items() if key != "init"}, _separable)
convlstm2d = renames({**_FILTERS, **_RECURRENT}, _convolutional_recurrent)
batch_normalization = renames({"beta_init": "beta_initializer", "gamma_init": "gamma_initializer"}, _batch_norm)
zeropadding2d = renames(_FORMAT, _padding_2d)
spatial_dropout = renames({"p": "rate", **_FORMAT})



def get_updates(function: Any) -> Any:
    """Returns a method that also takes the order of Keras 1: the parameters, their constraints and the loss."""

    @wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 3 or "constraints" in kwargs or (args and isinstance(args[0], (list, tuple))):
            given = {**dict(zip(("params", "constraints", "loss"), args)), **kwargs}
            if set(given) != {"params", "constraints", "loss"}:
                raise TypeError("get_updates takes a loss and params, or the params, constraints and loss of Keras 1; "
                                f"found {', '.join(given) or 'nothing'}")  # fmt: skip
            _warn("get_updates", ["`constraints` are those of the variables"])
            args, loss, constraints = (given["params"],), given["loss"], given["constraints"]
            for variable, constraint in constraints.items():
                variable.constraint = constraint
            return function(self, loss, args[0])
        return function(self, *args, **kwargs)

    return call


_DROPPED = ("nb_worker", "max_q_size", "pickle_safe", "workers", "use_multiprocessing", "max_queue_size", "wait_time")


def _generator(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    workers = kwargs.get("workers", kwargs.get("nb_worker", 1))
    if kwargs.get("use_multiprocessing", kwargs.get("pickle_safe")) and workers > 1:
        warnings.warn("Using a generator with `use_multiprocessing=True` and multiple workers may duplicate your data. "
                      "Here one thread reads the generator; please consider the `keras.utils.Sequence` class.",
                      stacklevel=4)  # fmt: skip
    for key in _DROPPED:
        kwargs.pop(key, None)
    source = args[0] if args else kwargs.get("generator")
    for old, new in _SAMPLES.items():
        if old in kwargs:
            # Keras 1 counts samples, and Keras 2 batches.
            of = kwargs.get("validation_data") if old == "nb_val_samples" else source
            size = getattr(of, "batch_size", None)
            count = kwargs.pop(old)
            kwargs[new] = max(1, count // size) if size else count
            _warn("generator", [f"`{old}` is `{new}`, a number of batches" + (
                "" if size else f": {count} of them, since the generator has no `batch_size`")])  # fmt: skip
    return args, kwargs


_SAMPLES = {"samples_per_epoch": "steps_per_epoch", "nb_val_samples": "validation_steps", "val_samples": "steps"}
fit_generator = renames({"nb_epoch": "epochs"}, _generator, "fit_generator")
evaluate_generator = renames({}, _generator, "evaluate_generator")
predict_generator = renames({}, _generator, "predict_generator")
model = renames({"input": "inputs", "output": "outputs"})
