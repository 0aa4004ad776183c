# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints."""

import os
from typing import Any, Dict, List, Optional

import numpy as np

from ..._errors.messages import about
from ..._flywheel import CheckpointManager, NotFoundError
from ..._flywheel import Store as RuntimeStore
from ..._flywheel import get_checkpoint_state as _state
from ..._flywheel import latest_checkpoint as _latest
from ...data import load
from ..variables import global_variables, model_of


class NotValid(NotFoundError, ValueError):
    """A path without a checkpoint: ValueError in TensorFlow 1.15, and NotFoundError before."""


class Saver:
    """Writes variables to checkpoints, and reads them (P3, P7, P8).

    A checkpoint is one file, so `sharded`, `restore_sequentially`, `defer_build`, `write_version`, `filename` and
    `save_relative_paths` have no effect. Raises NotImplementedError for `saver_def` and `builder`.
    """

    def __init__(
        self, var_list: Any = None, reshape: bool = False, sharded: bool = False, max_to_keep: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000.0, name: Any = None, restore_sequentially: bool = False,
        saver_def: Any = None, builder: Any = None, defer_build: bool = False, allow_empty: bool = False,
        write_version: Any = None, pad_step_number: bool = False, save_relative_paths: bool = False,
        filename: Any = None,
    ):  # fmt: skip
        if saver_def is not None or builder is not None:
            raise about("flywheel.v1.train.Saver", NotImplementedError("saver_def and builder; give var_list"))
        variables = global_variables() if var_list is None else var_list
        if not variables and not allow_empty:
            raise ValueError("No variables to save")
        self._names = model_of(variables)
        self._variables = list(variables.values() if isinstance(variables, dict) else variables)
        self._reshape = reshape
        self._max_to_keep, self._hours, self._pads = max_to_keep, float(keep_checkpoint_every_n_hours), pad_step_number
        self._managers: Dict[str, CheckpointManager] = {}
        # Others may save to the same folder, and what they save is theirs to delete.
        self._continues = False
        # The checkpoints that still exist, the newest one last.
        self.last_checkpoints: List[str] = []

    def save(
        self, sess: Any, save_path: str, global_step: Any = None, latest_filename: Optional[str] = None,
        meta_graph_suffix: str = "meta", write_meta_graph: bool = True, write_state: bool = True,
    ) -> str:  # fmt: skip
        """Writes a checkpoint, and returns its path. The graph is not written, so that
        `write_meta_graph` and `meta_graph_suffix` have no effect."""
        folder = os.path.dirname(save_path)
        if folder and not os.path.isdir(folder):
            raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.")
        step = global_step
        if step is not None and not isinstance(step, (int, np.integer)):
            step = sess.run(step)
        self._declare(sess)
        if not write_state:
            # Nothing is known of it afterwards, and nothing is deleted for it.
            path = save_path if step is None else f"{save_path}-{int(step):{'08' if self._pads else ''}d}"
            sess.store.save(path, self._names)
            return path
        file = latest_filename or "checkpoint"
        manager = self._managers.get(file)
        if manager is None:
            manager = self._managers[file] = CheckpointManager(
                max_to_keep=self._max_to_keep, keep_checkpoint_every_n_hours=self._hours, pad_step_number=self._pads,
                state_file=file, continues=self._continues)  # fmt: skip
        path = manager.save(sess.store, save_path, None if step is None else int(step), self._names)
        if self._max_to_keep:
            kept = [p for p in self.last_checkpoints if p != path] + [path]
            self.last_checkpoints = kept[-self._max_to_keep :]
        return path

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Makes checkpoints that an earlier saver kept those of this one, which has not saved yet: it deletes them as
        newer ones come. They are those that the state file of their folder lists."""
        self.last_checkpoints = [str(path) for path in checkpoint_paths if os.path.exists(path)]
        self._continues = True
        self._managers.clear()

    def restore(self, sess: Any, save_path: Optional[str]) -> None:
        """Reads a checkpoint; its variables need no initializer then."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not checkpoint_exists(save_path):
            raise NotValid(f"The passed save_path is not a valid checkpoint: {save_path}")
        self._declare(sess)
        RuntimeStore.restore(sess.store, save_path, self._names, reshape=self._reshape)

    def _declare(self, sess: Any) -> None:
        for variable in self._variables:
            variable.implementation._declare_value(sess.store)


def get_checkpoint_state(checkpoint_dir: str, latest_filename: Optional[str] = None) -> Any:
    """Returns the contents of a folder's state file, None if the folder has no such file (P7)."""
    return _state(checkpoint_dir, latest_filename or "checkpoint")


def latest_checkpoint(checkpoint_dir: str, latest_filename: Optional[str] = None) -> Optional[str]:
    """The path of the latest checkpoint of a folder, None if it has none."""
    return _latest(checkpoint_dir, latest_filename or "checkpoint")


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    folder, base = os.path.split(checkpoint_prefix)
    return os.path.isdir(folder or ".") and any(
        name == base or name.startswith(base + ".") for name in os.listdir(folder or "."))  # fmt: skip


class CheckpointReader:
    """Reads the tensors of a checkpoint, without variables."""

    def __init__(self, path: str):
        if not os.path.isfile(path):
            raise NotFoundError(f"'{path}' is not a valid checkpoint: there is no such file")
        self._arrays = load(path)

    def get_variable_to_shape_map(self) -> Dict[str, List[int]]:
        return {name: list(array.shape) for name, array in self._arrays.items()}

    def get_variable_to_dtype_map(self) -> Dict[str, Any]:
        return {name: array.dtype for name, array in self._arrays.items()}

    def has_tensor(self, name: str) -> bool:
        return name in self._arrays

    def get_tensor(self, name: str) -> Any:
        if name not in self._arrays:
            raise NotFoundError(f"Key {name} not found in checkpoint")
        return self._arrays[name]


NewCheckpointReader = CheckpointReader


def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """A checkpoint by its path, or the latest one of a folder."""
    path = latest_checkpoint(ckpt_dir_or_file) if os.path.isdir(ckpt_dir_or_file) else ckpt_dir_or_file
    if path is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
    return CheckpointReader(path)


def list_variables(ckpt_dir_or_file: str) -> List[Any]:
    """Pairs of a name and a shape, in the order of names."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """The value of a variable, whose name may end in `:0`."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
