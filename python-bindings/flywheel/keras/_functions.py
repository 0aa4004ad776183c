# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of functions of labels and predictions: those of losses and of metrics."""

from typing import Any, Callable, Dict, Mapping, Sequence

from .._errors.messages import about
from ._serialization import Configured


class OfFunction(Configured):
    """An object of a function of labels and predictions, whose other arguments are attributes."""

    function: Callable[..., Any]
    # Its other arguments, in order, and their default values.
    defaults: Mapping[str, Any] = {}

    def set_arguments(self, values: Sequence[Any], given: Mapping[str, Any], others: Sequence[str]) -> Dict[str, Any]:
        """Sets the attributes to `values` by position and `given` by name, and returns all of them. Raises TypeError
        for arguments that the class has not; `others` are the names of its further ones."""
        kind, names = type(self).__name__, list(self.defaults)
        if len(values) > len(names):
            raise about(kind, TypeError(f"takes {', '.join(names) or 'no argument by position'}, found {len(values)} "
                                        "arguments"), " ")  # fmt: skip
        for key in given:
            if key not in names:
                raise about(kind, TypeError(f"has no argument '{key}': it takes {', '.join([*names, *others])}"), " ")
            if key in names[: len(values)]:
                raise about(kind, TypeError(f"takes '{key}' once, found it by position and by name"), " ")
        chosen = {**self.defaults, **dict(zip(names, values)), **given}
        for key, value in chosen.items():
            setattr(self, key, value)
        return chosen

    def value_of(self, y_true: Any, y_pred: Any) -> Any:
        """Returns the value of the function for each sample."""
        return type(self).function(y_true, y_pred, **{key: getattr(self, key) for key in self.defaults})


def class_of(base: type, name: str, function: Callable[..., Any], doc: str, module: str,
             defaults: Mapping[str, Any]) -> Any:  # fmt: skip
    """Returns a class that is derived from `base`, an `OfFunction`, for a function."""
    body = {"function": staticmethod(function), "defaults": defaults, "arguments": tuple(defaults), "__doc__": doc,
            "__module__": module}  # fmt: skip
    return type(name, (base,), body)
