# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sizes that each call of a traced function chooses, and those that a program is for."""

from typing import TYPE_CHECKING, Dict, Hashable, List, Optional, Sequence, Set, Tuple, Union

from .. import _flywheel
from .arguments import Dims, Leaf

if TYPE_CHECKING:
    from .traced import Traced

__all__ = ["DynamicSizes", "Key"]

# The form of the arguments, without sizes, and their sizes: what there is a trace for.
Key = Tuple[Hashable, Tuple[Dims, ...]]


class DynamicSizes:
    """Decides for one function which sizes are those of a program, and which are the call's choice.

    Without a signature, and with `dynamic` "auto", the first call's sizes are a program's own. Leading sizes that
    differ in a later call are the call's choice from then on. A form whose function needs a size that is known has a
    program for each size, and so has a call that the program for all sizes refuses, unless its values are wrong."""

    def __init__(self, dynamic: Union[bool, str], given: Optional[Sequence[Leaf]]) -> None:
        self.dynamic = dynamic
        # The arguments of a signature, which says what varies.
        self._given = given
        # The sizes that were seen, where they may vary, by the form of the arguments.
        self._seen: Dict[Hashable, List[Dims]] = {}
        # The forms whose varying sizes were not one number.
        self._unequal: Set[Hashable] = set()
        # The forms that the compiler does not take with sizes that vary: each size is a program.
        self._fixed: Set[Hashable] = set()
        # The keys of calls that the program for all sizes refuses, and one for their sizes does not.
        self._specialized: Set[Key] = set()

    @property
    def vary(self) -> bool:
        """True if the sizes that vary are those that differ between calls. Then 1 is not among them, as it does what
        no other size does: it is broadcast and squeezed."""
        return self.dynamic == "auto" and self._given is None

    def kind_of(self, leaf: Leaf) -> str:
        """Returns the kind of a leaf as cases have it."""
        return "v" if self.vary and any(not isinstance(d, int) for d in leaf.dims) else leaf.kind

    def choose(self, form: Hashable, leaves: List[Leaf], is_for_sizes: bool) -> List[Leaf]:
        """Returns the arguments with None or a name for each size that the call chooses; as they are, if the program
        is to be for their sizes."""
        if is_for_sizes or key_of(form, leaves) in self._specialized:
            return leaves
        return self._generalize(form, leaves)

    def fix(self, form: Hashable) -> None:
        """Has a program for each size, as the function needs sizes that are known."""
        self._fixed.add(form)

    def specialize(self, key: Key) -> None:
        """Has a program of their own for calls with these sizes."""
        self._specialized.add(key)

    def unspecialize(self, key: Key) -> None:
        self._specialized.discard(key)

    def may_fix(self, error: _flywheel.CompileError) -> bool:
        """Returns true if a program for the sizes of a call may compile where one for all sizes has not: the sizes of
        results are computed, and the caller allocates results by those of arguments."""
        codes = [code for code, _ in getattr(error, "details", ())]
        return self.dynamic is True and self._given is None and "unknown-result-size" in codes

    def forget(self, key: Key) -> None:
        """Forgets what was decided for the form of a key."""
        self._specialized.discard(key)
        self._seen.pop(key[0], None)
        self._fixed.discard(key[0])

    def may_specialize(self, traced: "Traced") -> bool:
        """Returns true if a program for the sizes of a call may take what this one has refused for their sake, or
        refuse it in other words. A step that calls Python is not called again."""
        dims = [dim for leaf in traced.leaves for dim in leaf.dims]
        return self.vary and not all(isinstance(dim, int) for dim in dims) and not len(traced.host_functions)

    def _generalize(self, form: Hashable, leaves: List[Leaf]) -> List[Leaf]:
        """Leading dimensions that differ between calls are ones that a call chooses: the second size of the batch is
        the last that makes a trace."""
        if self._given is not None:
            return list(self._given)
        if self.dynamic is False or form in self._fixed:
            return leaves
        dims = [leaf.dims for leaf in leaves]
        seen = self._seen.get(form)
        if self.dynamic is True:
            varying = {i for i, leaf in enumerate(leaves) if leaf.dims and leaf.kind == "a"}
        elif seen is None:
            self._seen[form] = dims
            return leaves
        else:
            varying = {
                i
                for i, (old, new) in enumerate(zip(seen, dims))
                if new and old and (old[0] is None or old[0] != new[0])
            }
            if any(old[1:] != new[1:] for old, new in zip(seen, dims)):
                # Another shape altogether.
                self._seen[form] = dims
                return leaves
            self._seen[form] = [(None, *d[1:]) if i in varying else d for i, d in enumerate(dims)]
        sizes = {dims[i][0] for i in varying}
        # One size of all is one number, the batch; several are each their own.
        name = "batch" if len(sizes) == 1 and None not in sizes else None
        if self.dynamic == "auto":
            name = self._batch_name((form, tuple(sorted(varying))), name)
        return [leaf._replace(dims=(name, *leaf.dims[1:])) if i in varying else leaf for i, leaf in enumerate(leaves)]

    def _batch_name(self, form: Hashable, name: Optional[str]) -> Optional[str]:
        """Once sizes were not one number, they are not taken for one again."""
        if name is None:
            self._unequal.add(form)
        return None if form in self._unequal else name


def key_of(form: Hashable, leaves: Sequence[Leaf]) -> Key:
    return form, tuple(leaf.dims for leaf in leaves)
