# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The walk over the nodes of an imported graph, and the tables of translations of ops, that all importers share."""

from typing import Any, Callable, ClassVar, Dict, Generic, Iterable, List, Optional, TypeVar

from .missing_ops import Frame, MissingOp, UnsupportedOpError, at_line, refuse

Node = TypeVar("Node")
Results = TypeVar("Results")
Outputs = TypeVar("Outputs")
Handler = TypeVar("Handler")
Function = TypeVar("Function", bound=Callable[..., Any])


class Handlers(Dict[str, Handler]):
    """The translations of ops by their names."""

    def register(
        self, names: Iterable[str], make: Callable[[Callable[..., Any]], Handler]
    ) -> Callable[[Function], Function]:
        """Returns a decorator, which puts what `make` makes of a function into the table under each of these names.
        The decorator raises ValueError for a name that the table has."""

        def register(function: Function) -> Function:
            handler = make(function)
            for name in names:
                if name in self:
                    raise ValueError(f"{name} has two translations")
                self[name] = handler
            return function

        return register


class GraphInterpreter(Generic[Node, Results]):
    """Emits the ops of the nodes of a model's graph into the current trace.

    A node whose form is not imported does not end the walk: its results are stand-ins, so that one error lists all of
    these nodes. The class of an importer has the values, and defines the methods that raise NotImplementedError.
    """

    # The name of the framework in errors.
    framework: ClassVar[str]

    def __init__(self) -> None:
        self._missing: List[MissingOp] = []
        # The model's line of the node that is being translated.
        self.frame: Optional[Frame] = None

    def find_frame(self, node: Node) -> Optional[Frame]:
        """Returns the line of the model that a node is from; None for that of the node around it."""
        raise NotImplementedError

    def translate(self, node: Node) -> Results:
        """Emits the ops of a node and returns its results. Raises UnsupportedOpError for a form that is not
        imported."""
        raise NotImplementedError

    def stand_in(self, node: Node) -> Results:
        """Returns values in place of the results of a node that is not imported."""
        raise NotImplementedError

    def run_node(self, node: Node) -> Results:
        """Translates a node as if the model's line did. If its form is not imported, records that and returns
        stand-ins."""
        outer, self.frame = self.frame, self.find_frame(node) or self.frame
        try:
            results: Results = at_line(self.frame, lambda: self.translate(node))
            return results
        except UnsupportedOpError as error:
            if not error.missing:
                raise
            self._missing += error.missing
            return self.stand_in(node)
        finally:
            self.frame = outer

    def run_all(self, walk: Callable[[], Outputs]) -> Outputs:
        """Returns what `walk`, which runs all nodes, returns. Raises UnsupportedOpError with all that is missing."""
        try:
            outputs = walk()
        except Exception:
            if not self._missing:
                raise
            # An error about a value that stands in for the result of a missing op is not reported.
            raise refuse(self.framework, self._missing) from None
        if self._missing:
            raise refuse(self.framework, self._missing)
        return outputs
