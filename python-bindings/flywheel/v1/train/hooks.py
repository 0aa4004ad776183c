# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks, which a monitored session calls around its runs."""

import os
import time
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

from ..._errors.messages import about
from ..._training import events as _events
from ..graph import get_default_graph
from ..platform import logging
from ..python.client.timeline import Timeline
from ..step_stats import RunOptions
from .saver import Saver
from .steps import get_global_step


class SessionRunArgs:
    """The fetches and feeds that a hook adds to a run."""

    def __init__(self, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None, options: Any = None):
        self.fetches, self.feed_dict, self.options = fetches, feed_dict, options


class SessionRunValues(NamedTuple):
    """The results of a run for a hook."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A run, which a hook may make the last one."""

    def __init__(self, original_args: SessionRunArgs, session: Any):
        self.original_args, self.session = original_args, session
        self.stop_requested = False

    def request_stop(self) -> None:
        self.stop_requested = True


class SessionRunHook:
    """Is called around the runs of a monitored session."""

    def begin(self) -> None:
        """Before the session: the graph may still grow."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """When variables have their values."""

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        """Before a run: what is to be fetched in addition."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """After a run."""

    def end(self, session: Any) -> None:
        """At the end, unless a run failed."""


class _Timer:
    """A timer that fires every N steps or seconds."""

    def __init__(self, steps: Optional[int], seconds: Optional[float], what: str):
        if (steps is None) == (seconds is None):
            raise ValueError(f"exactly one of the number of steps and of seconds of {what} should be provided")
        self._steps, self._seconds = steps, seconds
        self._last: Optional[int] = None
        self._at = 0.0

    def is_due(self, step: int) -> bool:
        if self._last is None:
            return True
        if self._last == step:
            return False
        if self._steps is not None:
            return step >= self._last + self._steps
        return time.monotonic() >= self._at + (self._seconds or 0.0)

    def since(self, step: int) -> Any:
        """Seconds and steps since the last time, which is now; None the first time."""
        now, last, at = time.monotonic(), self._last, self._at
        self._last, self._at = step, now
        return (None, None) if last is None else (now - at, step - last)


def _step(hook: Any) -> Any:
    found = get_global_step()
    if found is None:
        raise RuntimeError(f"Global step should be created to use {type(hook).__name__}.")
    return found


class StopAtStepHook(SessionRunHook):
    """Stops after N steps, or at a step."""

    def __init__(self, num_steps: Optional[int] = None, last_step: Optional[int] = None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("One of num_steps or last_step must be specified.")
        self._count, self._last = num_steps, last_step

    def begin(self) -> None:
        self._global_step = _step(self)

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last is None:
            self._last = int(session.run(self._global_step)) + (self._count or 0)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if run_values.results >= (self._last or 0):
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs tensors every N runs or seconds."""

    def __init__(
        self, tensors: Any, every_n_iter: Optional[int] = None, every_n_secs: Optional[float] = None,
        at_end: bool = False, formatter: Any = None,
    ):  # fmt: skip
        self._tensors = tensors if isinstance(tensors, dict) else {getattr(t, "name", t): t for t in tensors}
        self._timer = None if at_end and every_n_iter is None and every_n_secs is None else _Timer(
            every_n_iter, every_n_secs, "LoggingTensorHook")  # fmt: skip
        self._at_end, self._formatter, self._runs = at_end, formatter, 0

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        self._due = self._timer is not None and self._timer.is_due(self._runs)
        return SessionRunArgs(dict(self._tensors)) if self._due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._due and self._timer is not None:
            seconds, _ = self._timer.since(self._runs)
            self._log(run_values.results, seconds)
        self._runs += 1

    def _log(self, values: Dict[Any, Any], seconds: Optional[float]) -> None:
        if self._formatter is not None:
            logging.info(self._formatter(values))
            return
        text = ", ".join(f"{key} = {value}" for key, value in values.items())
        logging.info(text if seconds is None else f"{text} ({seconds:.3f} sec)")

    def end(self, session: Any) -> None:
        if self._at_end:
            self._log(session.run(dict(self._tensors)), None)


class NanLossDuringTrainingError(RuntimeError):
    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Fails, or stops, where a loss is NaN."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True):
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if np.isnan(run_values.results).any():
            logging.error("Model diverged with loss = NaN.")
            if self._fails:
                raise NanLossDuringTrainingError
            run_context.request_stop()


class CheckpointSaverListener:
    """Is called around the checkpoints that a `CheckpointSaverHook` saves."""

    def begin(self) -> None:
        """Before the session: the graph may still grow."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> Optional[bool]:
        """Once it is written; True stops the session."""
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """At the end, after the last checkpoint."""


class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints every N steps or seconds, at the first run and at the end."""

    def __init__(
        self, checkpoint_dir: str, save_secs: Optional[float] = None, save_steps: Optional[int] = None,
        saver: Any = None, checkpoint_basename: str = "model.ckpt", scaffold: Any = None, listeners: Any = None,
    ):  # fmt: skip
        self._timer = _Timer(save_steps, save_secs, "CheckpointSaverHook")
        self._folder, self._prefix = checkpoint_dir, os.path.join(checkpoint_dir, checkpoint_basename)
        self._saver: Any = saver or getattr(scaffold, "saver", None)
        self._listeners: List[CheckpointSaverListener] = list(listeners or ())

    def begin(self) -> None:
        self._global_step = _step(self)
        for listener in self._listeners:
            listener.begin()
        self._saver = self._saver or Saver()

    def after_create_session(self, session: Any, coord: Any) -> None:
        os.makedirs(self._folder, exist_ok=True)
        self._save(session, int(session.run(self._global_step)))

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_context.session.run(self._global_step))
        if self._timer.is_due(step) and self._save(run_context.session, step):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._global_step))
        if self._timer._last != step:
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Saves a checkpoint. Returns true if a listener requests to stop."""
        self._timer.since(step)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._saver.save(session, self._prefix, global_step=step)
        return any([listener.after_save(session, step) for listener in self._listeners])


class SummarySaverHook(SessionRunHook):
    """Writes summaries every N steps or seconds: `summary_op`, or that of `scaffold`, or by default all of the
    graph."""

    def __init__(
        self, save_steps: Optional[int] = None, save_secs: Optional[float] = None, output_dir: Optional[str] = None,
        summary_writer: Any = None, scaffold: Any = None, summary_op: Any = None,
    ):  # fmt: skip
        if scaffold is not None and summary_op is not None:
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._timer = _Timer(save_steps, save_secs, "SummarySaverHook")
        self._scaffold = scaffold
        self._folder, self._writer, self._op = output_dir, summary_writer, summary_op

    def begin(self) -> None:
        from ..summary import FileWriter, merge_all

        self._global_step = _step(self)
        if self._op is None:
            own = None if self._scaffold is None else self._scaffold.summary_op
            self._op = merge_all() if own is None else own
        if self._writer is None and self._op is not None and self._folder:
            self._writer = FileWriter(self._folder, get_default_graph())

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        if self._op is None or self._writer is None:
            return None
        self._step = int(run_context.session.run(self._global_step))
        self._due = self._timer.is_due(self._step)
        return SessionRunArgs(self._op) if self._due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if run_values.results is not None:
            self._timer.since(self._step)
            made = run_values.results
            for one in made if isinstance(made, list) else [made]:
                self._writer.add_summary(one, self._step)

    def end(self, session: Any) -> None:
        if self._writer is not None:
            self._writer.flush()


class StepCounterHook(SessionRunHook):
    """Logs how many steps there are a second, and writes that as a summary, STEP/sec, by `summary_writer`, or into the
    folder `output_dir`."""

    def __init__(
        self, every_n_steps: Optional[int] = 100, every_n_secs: Optional[float] = None,
        output_dir: Optional[str] = None, summary_writer: Any = None,
    ):  # fmt: skip
        self._timer = _Timer(every_n_steps, every_n_secs, "StepCounterHook")
        self._writer, self._folder = summary_writer, output_dir

    def begin(self) -> None:
        from ..summary import FileWriter

        self._global_step = _step(self)
        if self._writer is None and self._folder:
            self._writer = FileWriter(self._folder)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_context.session.run(self._global_step))
        if self._timer.is_due(step):
            seconds, steps = self._timer.since(step)
            if seconds:
                logging.info(f"global_step/sec: {steps / seconds:g}")
                if self._writer is not None:
                    name = f"{self._global_step.op.name}/sec"
                    self._writer.add_summary(_events.scalar_value(name, steps / seconds), step)

    def end(self, session: Any) -> None:
        if self._writer is not None:
            self._writer.flush()


class ProfilerHook(SessionRunHook):
    """Measures a run every N steps or seconds, and writes its trace as `timeline-STEP.json` into a folder. Raises
    NotImplementedError for `show_memory`."""

    def __init__(
        self, save_steps: Optional[int] = None, save_secs: Optional[float] = None, output_dir: str = "",
        show_dataflow: bool = True, show_memory: bool = False,
    ):  # fmt: skip
        if show_memory:
            raise about("flywheel.v1.train.ProfilerHook", NotImplementedError(
                "show_memory=True; a step allocates nothing"))  # fmt: skip
        self._timer = _Timer(save_steps, save_secs, "ProfilerHook")
        self._folder, self._shows_flow = output_dir, show_dataflow

    def begin(self) -> None:
        self._global_step = _step(self)
        self._next: Optional[int] = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        # As in TensorFlow, the first run is not measured.
        self._due = self._next is not None and self._timer.is_due(self._next)
        level = RunOptions.FULL_TRACE if self._due else RunOptions.NO_TRACE
        return SessionRunArgs(self._global_step, options=RunOptions(level))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._next is None:
            self._timer.since(int(run_values.results))
        step = int(run_values.results)
        if self._due:
            step = int(run_context.session.run(self._global_step))
            self._timer.since(step)
            os.makedirs(self._folder or ".", exist_ok=True)
            trace = Timeline(run_values.run_metadata.step_stats).generate_chrome_trace_format(self._shows_flow)
            with open(os.path.join(self._folder, f"timeline-{step}.json"), "w", encoding="utf-8") as file:
                file.write(trace)
        self._next = step + 1


class FinalOpsHook(SessionRunHook):
    """Runs ops at the end."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Optional[Dict[Any, Any]] = None):
        self._ops, self._feeds = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        if self._ops is not None:
            self.final_ops_values = session.run(self._ops, self._feeds)


class FeedFnHook(SessionRunHook):
    """Feeds what a function gives."""

    def __init__(self, feed_fn: Any):
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(None, self.feed_fn())
