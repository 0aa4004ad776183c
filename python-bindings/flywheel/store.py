# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where variables have their values."""

from typing import Any, Dict, Mapping, Optional, Sequence, Union

from . import _flywheel
from ._flywheel import CheckpointManager, Session
from ._types import Array, Path
from .namespace import current_namespace

Names = Union[Sequence[Any], Mapping[str, Any], None]


def _name(variable: Any) -> str:
    return variable if isinstance(variable, str) else str(variable.name)


class Store(_flywheel.Store):
    """The values of variables.

    Calls of traced functions work on the values of the current store, which is a
    default one; `with store:` makes another the current one in this thread. Functions
    that are compiled apart share their variables here, by name: a value that another
    function wrote last is copied when it is needed, and one function that is called
    again and again copies nothing.

    With `initializes` (the default) a variable gets its initial value when it is first
    needed; without, that is an error. `seed` is that of all random numbers.
    """

    def __init__(self, seed: int = 0, initializes: bool = True):
        super().__init__(initializes)
        self.seed = seed
        # Sessions of programs: kept here, as they hold values.
        self._bindings: Dict[int, Any] = {}

    def bind_program(self, program: _flywheel.Program, own: str) -> Any:
        """What calls the entries of a program on these values. Streams of random
        numbers are the program's own, under the name `own`."""
        known = self._bindings.get(id(program))
        if known is None:
            names = [f"{own}/{name}" if _is_stream(name) else name for name in (v.name for v in program.variables)]
            session = Session(program)
            known = self._bindings[id(program)] = (self.bind(session, names), program)
        return known[0]

    def _release(self, program: _flywheel.Program) -> None:
        """Forgets the session of a program; the store has its values then."""
        self._bindings.pop(id(program), None)

    def save(
        self, path: Path, variables: Names = None, *, metadata: Optional[Dict[str, str]] = None, model: str = "model"
    ) -> None:
        """Writes values to a checkpoint (safetensors).

        `variables`: None for all GLOBAL ones, variables or names, or a dict from keys
        in the file to them. Slots, counters and the places of random streams are
        variables as well, so that training goes on from there bit by bit where the same
        programs compute: a function that has seen one size of batch only has one for that
        size, which may round otherwise than the one for all sizes; a signature with a
        dimension of no size chooses the latter from the beginning. Raises
        FailedPreconditionError for a variable without a value, NotFoundError, OSError.
        """
        self._provide(variables)
        super().save(path, _names(variables), metadata=metadata, model=model)

    def restore(
        self, path: Optional[Path], variables: Names = None, *, reshape: bool = False
    ) -> None:
        """Reads values from a checkpoint, after which these variables need no initial
        ones; see `save`. Raises NotFoundError for a missing file or key,
        InvalidArgumentError for another dtype or shape, DataLossError; nothing has
        changed then."""
        self._declare_all()
        super().restore(path, _names(variables), reshape=reshape)

    def restore_latest(
        self, directory: Path, variables: Names = None, *, reshape: bool = False, state_file: str = "checkpoint"
    ) -> bool:
        """Restores the latest checkpoint of a directory; whether there is one."""
        self._declare_all()
        return super().restore_latest(directory, _names(variables), reshape=reshape, state_file=state_file)

    def save_step(
        self, manager: CheckpointManager, prefix: Path, step: Optional[int] = None, variables: Names = None
    ) -> str:
        """Writes PREFIX-STEP by a manager, which keeps the newest ones; returns that
        path."""
        self._provide(variables)
        return manager.save(self, prefix, step, _names(variables))

    def value(self, variable: Any) -> Array:
        """A copy of the value of a variable, initialised now if it has none and the
        store initialises."""
        name = _name(variable)
        if not isinstance(variable, str):
            variable._declare_value(self)
            if self.initializes and not self.is_initialized(name):
                self.initialize([variable])
        return self[name]

    def initialize(self, variables: Optional[Sequence[Any]] = None) -> None:
        """Gives variables, by default all GLOBAL ones of the namespace, their initial
        values, whether they have others or not. The random stream of a variable depends
        on the seed, its name and how often it was initialised before."""
        from .variables import initialize_in

        if variables is None:
            variables = current_namespace().collection("GLOBAL")
        initialize_in(self, list(variables))

    def _declare_all(self) -> None:
        for variable in list(current_namespace().variables.values()):
            variable._declare_value(self)

    def _provide(self, variables: Names) -> None:
        """Initialises what is to be saved and has no value yet."""
        self._declare_all()
        if not self.initializes:
            return
        wanted = None if variables is None else set(_names(variables) or {})
        missing = [
            variable
            for name, variable in list(current_namespace().variables.items())
            if (wanted is None and variable.is_global or wanted is not None and name in wanted)
            and not self.is_initialized(name)
        ]
        if missing:
            self.initialize(missing)


def _is_stream(name: str) -> bool:
    """Whether a variable of a program is where one of its random ops is in its
    stream."""
    base, _, number = name.partition("_")
    return base == "random" and (not number or number.isdigit())


def _names(variables: Names) -> Any:
    if variables is None:
        return None
    if isinstance(variables, Mapping):
        return {key: _name(variable) for key, variable in variables.items()}
    if isinstance(variables, str):
        raise ValueError(f"expected a list of variables or names, found the str '{variables}'")
    return [_name(variable) for variable in variables]


# A thread that never entered a store calls on this one.
_default = Store()
_flywheel._set_default_store(_default)


def current_store() -> Store:
    """The store that calls of this thread work on."""
    return _flywheel._current_store()  # type: ignore[no-any-return]


def set_seed(seed: int) -> None:
    """The seed of the current store: of initial values and of random streams that
    begin from now on."""
    current_store().seed = seed


def save(path: Path, variables: Names = None, *, metadata: Optional[Dict[str, str]] = None) -> None:
    """See `Store.save`, of the current store."""
    current_store().save(path, variables, metadata=metadata)


def restore(path: Optional[Path], variables: Names = None, *, reshape: bool = False) -> None:
    """See `Store.restore`, of the current store."""
    current_store().restore(path, variables, reshape=reshape)
