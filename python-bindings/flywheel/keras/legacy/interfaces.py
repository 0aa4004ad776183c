# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of Keras 1: decorators of layers and methods that take them by their old names, and warn."""

import inspect
import warnings
from functools import wraps
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ..._errors.messages import about

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


def _warn(what: str, changes: List[str], level: int = 5) -> None:
    warnings.warn(f"Update your `{what}` call to the Keras 2 API: {', '.join(changes)}", stacklevel=level)


class Renames:
    """A decorator of a class whose `method` takes arguments by the names that are keys of `renamed`; the attribute
    `method_decorator` decorates a method itself.

    `change` gives other positional and keyword arguments, before. Raises TypeError for an argument by both names."""

    def __init__(self, renamed: Mapping[str, str], change: Optional[Change] = None, method: str = "__init__") -> None:
        self._renamed, self._change, self._method = renamed, change, method

    def __call__(self, cls: Any) -> Any:
        function = vars(cls).get(self._method) or getattr(cls, self._method)
        setattr(cls, self._method, self._decorated(function, cls.__name__))
        return cls

    def method_decorator(self, function: Any) -> Any:
        """Returns a method that takes the old names, too."""
        return self._decorated(function, None)

    def _decorated(self, function: Any, owner: Optional[str]) -> Any:
        @wraps(function)
        def call(own: Any, *args: Any, **kwargs: Any) -> Any:
            if args or kwargs:
                args, kwargs = self._new(owner or type(own).__name__, args, kwargs)
            return function(own, *args, **kwargs)

        return call

    def _new(self, owner: str, args: Any, kwargs: Any) -> Arguments:
        """Returns the arguments by their new names, and warns if they had others."""
        if self._change is not None:
            args, kwargs = self._change(args, kwargs)
        changes: List[str] = []
        for old in [key for key in kwargs if key in self._renamed]:
            new = self._renamed[old]
            if new in kwargs:
                raise about(owner, TypeError(f"takes {old} and {new} as one argument, found both"), " ")
            value = kwargs.pop(old)
            known = _VALUES.get(old)
            if known is not None and value not in known:
                raise ValueError(f"expected {old} of {', '.join(map(repr, known))}, found {value!r}")
            kwargs[new] = value if known is None else known[value]
            changes.append(f"`{old}` is `{new}`")
        if changes:
            _warn(owner if self._method == "__init__" else self._method, changes)
        return args, kwargs


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
                          "initialize with ones.", stacklevel=5)  # fmt: skip
    return args, kwargs


def _convolutional_recurrent(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    return _recurrent(*_with_kernel_size(("nb_row", "nb_col"))(args, kwargs))


def _embedding(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    if kwargs.pop("dropout", 0.0):
        warnings.warn("The `dropout` argument is no longer support in `Embedding`. You can apply a "
                      "`keras.layers.SpatialDropout1D` layer right after the `Embedding` layer to get the same "
                      "behavior.", stacklevel=5)  # fmt: skip
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

dense = Renames({"output_dim": "units", **_KERNEL})
dropout = Renames({"p": "rate"})
embedding = Renames({"init": "embeddings_initializer", "W_regularizer": "embeddings_regularizer",
                     "W_constraint": "embeddings_constraint"}, _embedding)  # fmt: skip
pooling1d = Renames({"pool_length": "pool_size", "stride": "strides", "border_mode": "padding"})
pooling = Renames({"border_mode": "padding", **_FORMAT})
global_pooling = data_format = Renames(_FORMAT)
prelu = Renames({"init": "alpha_initializer"})
gaussian_noise = Renames({"sigma": "stddev"})
recurrent = Renames(_RECURRENT, _recurrent)
upsampling1d = Renames({"length": "size"})
conv1d = Renames({**_FILTERS, "filter_length": "kernel_size", "subsample_length": "strides"}, _conv1d)
kernel_size_2d = _with_kernel_size(("nb_row", "nb_col"))
conv2d = Renames(_FILTERS, kernel_size_2d)
conv3d = Renames(_FILTERS, _with_kernel_size(("kernel_dim1", "kernel_dim2", "kernel_dim3")))
deconv2d = Renames(_FILTERS, _deconv2d)
separable_conv2d = Renames({key: value for key, value in _FILTERS.items() if key != "init"}, _separable)
convlstm2d = Renames({**_FILTERS, **_RECURRENT}, _convolutional_recurrent)
batch_normalization = Renames({"beta_init": "beta_initializer", "gamma_init": "gamma_initializer"}, _batch_norm)
zeropadding2d = Renames(_FORMAT, _padding_2d)
spatial_dropout = Renames({"p": "rate", **_FORMAT})



def get_updates(function: Any) -> Any:
    """Returns a method that also takes the order of Keras 1: the parameters, their constraints and the loss."""

    @wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 3 or "constraints" in kwargs or (args and isinstance(args[0], (list, tuple))):
            given = {**dict(zip(("params", "constraints", "loss"), args)), **kwargs}
            if set(given) != {"params", "constraints", "loss"}:
                raise TypeError("get_updates takes a loss and params, or the params, constraints and loss of Keras 1; "
                                f"found {', '.join(given) or 'nothing'}")  # fmt: skip
            _warn("get_updates", ["`constraints` are those of the variables"], 3)
            # An empty list says that there are none.
            for variable, constraint in dict(given["constraints"] or {}).items():
                variable.constraint = constraint
            return function(self, given["loss"], given["params"])
        return function(self, *args, **kwargs)

    return call


def updates_of(optimizer: Any, loss: Any, params: List[Any]) -> List[Any]:
    """Returns the updates of a step, by `get_updates(loss, params)`, or by that of a class which Keras 1 has:
    `get_updates(params, constraints, loss)`."""
    if "constraints" not in inspect.signature(optimizer.get_updates).parameters:
        found: List[Any] = optimizer.get_updates(loss=loss, params=params)
        return found
    held = {p: p.constraint for p in params if getattr(p, "constraint", None) is not None}
    old: List[Any] = optimizer.get_updates(params, held, loss)
    return old


_DROPPED = ("nb_worker", "max_q_size", "pickle_safe", "workers", "use_multiprocessing", "max_queue_size", "wait_time")


def _generator(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    workers = kwargs.get("workers", kwargs.get("nb_worker", 1))
    if kwargs.get("use_multiprocessing", kwargs.get("pickle_safe")) and workers > 1:
        warnings.warn("Using a generator with `use_multiprocessing=True` and multiple workers may duplicate your data. "
                      "Here one thread reads the generator; please consider the `keras.utils.Sequence` class.",
                      stacklevel=5)  # fmt: skip
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
fit_generator = Renames({"nb_epoch": "epochs"}, _generator, "fit_generator")
evaluate_generator = Renames({}, _generator, "evaluate_generator")
predict_generator = Renames({}, _generator, "predict_generator")
model = Renames({"input": "inputs", "output": "outputs"})


def _add_weight(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Arguments:
    """Names a shape that comes first, as in Keras 1, and the name behind it."""
    if args and isinstance(args[0], (tuple, list)):
        kwargs["shape"], args = args[0], args[1:]
        if args and isinstance(args[0], str):
            kwargs["name"], args = args[0], args[1:]
    return args, kwargs


add_weight = Renames({}, _add_weight, "add_weight")
# The decorators of methods, by the names that programs with layers and optimizers of their own import.
legacy_add_weight_support = add_weight.method_decorator
legacy_batchnorm_support = batch_normalization.method_decorator
legacy_conv1d_support = conv1d.method_decorator
legacy_conv2d_support = conv2d.method_decorator
legacy_conv3d_support = conv3d.method_decorator
legacy_convlstm2d_support = convlstm2d.method_decorator
legacy_cropping2d_support = legacy_cropping3d_support = data_format.method_decorator
legacy_deconv2d_support = deconv2d.method_decorator
legacy_dense_support = dense.method_decorator
legacy_dropout_support = legacy_gaussiandropout_support = dropout.method_decorator
legacy_embedding_support = embedding.method_decorator
legacy_gaussiannoise_support = gaussian_noise.method_decorator
legacy_get_updates_support = get_updates
legacy_global_pooling_support = global_pooling.method_decorator
legacy_input_support = Renames({"input_dtype": "dtype"}).method_decorator
legacy_lambda_support = Renames({}).method_decorator
legacy_model_constructor_support = model.method_decorator
legacy_pooling1d_support = pooling1d.method_decorator
legacy_pooling2d_support = legacy_pooling3d_support = pooling.method_decorator
legacy_prelu_support = prelu.method_decorator
legacy_recurrent_support = recurrent.method_decorator
legacy_separable_conv2d_support = separable_conv2d.method_decorator
legacy_spatialdropout1d_support = legacy_spatialdropoutNd_support = spatial_dropout.method_decorator
legacy_upsampling1d_support = upsampling1d.method_decorator
legacy_upsampling2d_support = legacy_upsampling3d_support = data_format.method_decorator
legacy_zeropadding2d_support = zeropadding2d.method_decorator
legacy_zeropadding3d_support = data_format.method_decorator
