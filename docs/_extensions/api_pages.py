# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of the reference of the Python package, and a check that they have every public name.

    ```{public-names} flywheel.nn
    relu softmax
    ```

documents these names of a module from their docstrings; without any, all of its `__all__` in alphabetical order, or
where it has none, the public classes and functions that it defines.
"""

import importlib
import inspect
import pkgutil
from types import ModuleType
from typing import Any, Dict, Iterator, List, Set

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import flywheel

LOGGER = logging.getLogger(__name__)

# The pages are built without the frameworks that models come from.
MOCKED = ["jax", "jaxlib", "onnx", "torch"]


def load(path: str) -> ModuleType:
    """A module of the package; the packages that its importers need may be missing."""
    with mock(MOCKED):
        return importlib.import_module(path)


def public_names(module: ModuleType) -> List[str]:
    """Names of the objects that a module gives its users; modules have pages of their own."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        ]
    return sorted(name for name in listed if not inspect.ismodule(getattr(module, name)))


def entry(module: str, name: str, value: Any) -> List[str]:
    """The directive that documents an object."""
    path = f"{module}.{name}"
    if inspect.isclass(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
        # A class that is an attribute of another one, too, has its own entry.
        others = [
            attribute
            for attribute, member in vars(value).items()
            if inspect.isclass(member) and member.__qualname__ != f"{value.__qualname__}.{attribute}"
        ]
        exclude = [f"   :exclude-members: {', '.join(others)}"] if others else []
        members = ["   :members:", "   :undoc-members:", *exclude, "   :show-inheritance:"]
        return [f".. auto{kind}:: {path}", *members, ""]
    if callable(value):
        return [f".. autofunction:: {path}", ""]
    return [f".. py:data:: {name}", ""]


class PublicNames(SphinxDirective):
    """`public-names`, as above."""

    required_arguments = 1
    has_content = True

    def run(self) -> List[nodes.Node]:
        path = self.arguments[0]
        module = load(path)
        lines = [f".. py:currentmodule:: {path}", ""]
        names = " ".join(self.content).split() or public_names(module)
        for name in names:
            if not hasattr(module, name):
                raise self.error(f"{path} has no '{name}'")
            lines += entry(path, name, getattr(module, name))
        # The pages are Markdown; what documents objects is reStructuredText.
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def public_modules() -> Iterator[str]:
    yield flywheel.__name__
    for module in pkgutil.walk_packages(flywheel.__path__, f"{flywheel.__name__}."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            yield module.name


def check_names(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warns of public names that no page has."""
    documented = {path for path, *_ in env.get_domain("py").get_objects()}
    for path in public_modules():
        module = load(path)
        # A module without a list is one that others take names from.
        names = public_names(module) if hasattr(module, "__all__") else []
        missing = [name for name in names if f"{path}.{name}" not in documented]
        missing = [name for name in missing if not is_documented_elsewhere(module, name, documented)]
        if missing:
            LOGGER.warning("no page documents %s of %s", ", ".join(missing), path)


def is_documented_elsewhere(module: ModuleType, name: str, documented: Set[str]) -> bool:
    """Returns true if the object has an entry in another public module, whose name it has there."""
    value = own(getattr(module, name))
    # Not `getattr`: what a module makes when it is asked may need a package.
    return any(
        own(vars(load(path)).get(name)) is value and f"{path}.{name}" in documented
        for path in public_modules()
    )


def own(value: Any) -> Any:
    """The function of a module, which the package wraps; anything else as it is."""
    return inspect.unwrap(value) if inspect.isfunction(value) else value


def setup(app: Sphinx) -> Dict[str, Any]:
    app.add_directive("public-names", PublicNames)
    app.connect("env-check-consistency", check_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
