# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints in errors about unknown names: the nearest known name, and the name here of another framework's function."""

import difflib
import functools
import inspect
import sys
from typing import Any, Callable, Iterable, Mapping, Sequence, Tuple, TypeVar

from .messages import about

Function = TypeVar("Function", bound=Callable[..., Any])
_PACKAGE = __name__.split(".", 1)[0] + "."

# Names of arguments elsewhere.
_KEYWORDS = {
    "learning_rate": "lr", "rate": "lr", "step_size": "lr", "b1": "beta_1", "b2": "beta_2", "beta1": "beta_1",
    "beta2": "beta_2", "eps": "epsilon", "alpha": "rho", "betas": "beta_1, beta_2", "clipnorm": "clip_norm",
    "clipvalue": "clip_value", "global_clipnorm": "clip_global_norm", "max_norm": "clip_global_norm",
    "static_argnums": "static", "static_argnames": "static", "input_signature": "signature",
    "num_threads": "threads", "dim": "axis", "dims": "axis", "keepdim": "keepdims", "kernel_size": "window",
    "pool_size": "window", "window_shape": "window", "stride": "strides", "dilation": "dilations",
    "in_features": "inputs", "out_features": "outputs", "in_channels": "inputs", "out_channels": "outputs",
    "filters": "outputs", "num_heads": "heads", "embed_dim": "width", "hidden_size": "units", "use_bias": "bias",
    "num_embeddings": "count", "embedding_dim": "width", "kernel_init": "initializer", "base": "rotary",
    "initializer": "initial_value", "a_min": "low", "a_max": "high", "min": "low", "max": "high",
    "keep": "max_to_keep", "keep_n": "max_to_keep",
    "num_features": "channels", "normalized_shape": "size", "p": "rate", "negative_slope": "alpha",
}  # fmt: skip


# Arguments elsewhere that stand in other places here.
_INSTEAD = {
    "weight_decay": "flywheel.optimizers.AdamW(weight_decay=), or minimize(loss, weight_decay=)",
    **dict.fromkeys(["clip_norm", "clip_global_norm", "clip_value"],
                    "minimize(loss, clip_norm=, clip_global_norm=, clip_value=)"),
    "threads": "flywheel.function(threads=), as a function is compiled and exported for its number of threads",
}  # fmt: skip


def attribute_error(text: str, name: str, hint: str) -> AttributeError:
    """An error of the attribute `name`, whose text has this hint. Python 3.10 and later would add one of its own when
    they print it, from the attributes of the object that the error is of: only if there is no other one."""
    error: Any = AttributeError(text)
    if hint:
        error.name, error.obj = name, None
    return error  # type: ignore[no-any-return]


class ConstructorSignature:
    """The `__signature__` of classes whose `__new__`, which is one of the package, takes any arguments: that of their
    `__init__`."""

    def __get__(self, thing: Any, kind: type) -> inspect.Signature:
        if thing is not None:
            raise AttributeError("__signature__")
        for base in kind.__mro__:
            method = vars(base).get("__init__")
            if "__new__" in vars(base) and not base.__module__.startswith(_PACKAGE):
                method = vars(base)["__new__"]
            if base is not object and method is not None:
                function = method.__func__ if isinstance(method, staticmethod) else method
                return inspect.Signature(list(inspect.signature(function).parameters.values())[1:])
        return inspect.Signature()


def shows_keywords(source: Callable[..., Any], skip: int) -> Callable[[Function], Function]:
    """A decorator of a function that hands arguments by keyword on to `source`, whose parameters but the first `skip`
    its signature shows."""

    def mark(function: Function) -> Function:
        own = [one for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        shown: Any = function
        shown.__signature__ = inspect.Signature([*own, *list(inspect.signature(source).parameters.values())[skip:]])
        return function

    return mark


def explain_attribute(thing: Any, name: str, elsewhere: Mapping[str, str]) -> None:
    """Raises AttributeError with what does the same here, if objects of other frameworks have the attribute."""
    if name in elsewhere:
        hint = f"; instead: {elsewhere[name]}"
        raise attribute_error(f"'{type(thing).__name__}' object has no attribute '{name}'{hint}", name, hint)


def is_own_attribute(thing: Any, name: str) -> bool:
    """Returns true if an attribute of an object is a program's own: a private one, or one that the object or a class of
    the program has, or sets in its `__init__`."""
    if name.startswith("_") or name in vars(thing) or hasattr(type(thing), name):
        return True
    frame = None if type(thing).__module__.startswith(_PACKAGE) else sys._getframe()
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__init__" and code.co_argcount and frame.f_locals.get(code.co_varnames[0]) is thing:
            return True
        frame = frame.f_back
    return False


def nearest(name: str, names: Iterable[str]) -> str:
    """`; did you mean 'x'?` of the name that is most like `name`, or nothing."""
    known = list(names)
    # If two names differ by case, as conv2d and Conv2D do, the last one stays: one that begins as `name` does.
    plain = {one.lower().replace("_", ""): one for one in sorted(known, key=lambda one: one[:1] == name[:1])}
    own = name.lower().replace("_", "")
    found = [plain[own]] if own in plain else difflib.get_close_matches(name, known, 1, 0.75)
    found = found or [plain[one] for one in difflib.get_close_matches(own, plain, 1, 0.75)]
    return f"; did you mean '{found[0]}'?" if found else ""


def nearest_argument(name: str, names: Iterable[str]) -> str:
    """As `nearest`, for names of arguments: another framework's name counts as the one here."""
    known, ours = list(names), _KEYWORDS.get(name, "")
    return f"; did you mean '{ours}'?" if ours.split(", ")[0] in known else nearest(name, known)


def check_keywords(function: Callable[..., Any], called: str, given: Mapping[str, Any], skip: int = 0) -> None:
    """Raises TypeError for an argument by keyword that `function` does not have, with the nearest one that it has.
    `skip` is the number of leading parameters that no caller gives."""
    _check_names(list(inspect.signature(function).parameters.values())[skip:], called, given)


def _check_names(parameters: Sequence[inspect.Parameter], called: str, given: Mapping[str, Any]) -> None:
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for key in given:
        if key in names:
            continue
        hint = nearest_argument(key, names)
        elsewhere = difflib.get_close_matches(key, _INSTEAD, 1, 0.85)
        if not hint and elsewhere:
            hint = f"; instead: {_INSTEAD[elsewhere[0]]}"
        raise about(called, TypeError(f"has no argument '{key}'{hint or ', only ' + ', '.join(names)}"), " ")


def bind_arguments(
    signature: inspect.Signature, called: str, args: Tuple[Any, ...], given: Mapping[str, Any]
) -> inspect.BoundArguments:
    """Binds the arguments of a call. Raises TypeError that names the function for arguments that it does not have, and
    for those that are missing."""
    try:
        return signature.bind(*args, **given)
    except TypeError as error:
        _check_names(list(signature.parameters.values()), called, given)
        raise about(called, TypeError(*error.args)) from None


def name_methods(kind: type, names: Iterable[str]) -> None:
    """Has methods of a class name the nearest argument for one by keyword that they do not have."""
    for name in names:
        setattr(kind, name, name_keywords(vars(kind)[name], skip=1))


def name_keywords(function: Callable[..., Any], skip: int = 0) -> Callable[..., Any]:
    """The function, whose errors for an argument by keyword that it does not have are those of `check_keywords`."""

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        try:
            return function(*args, **given)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                check_keywords(function, function.__name__, given, skip)
            raise

    return call
