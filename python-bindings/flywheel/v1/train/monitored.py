# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions that initialise or restore variables, call hooks, and save."""

from typing import Any, Callable, Dict, List, Optional

from ..._errors.messages import about
from ..errors import OutOfRangeError
from ..graph import GraphKeys, get_default_graph
from ..initialization import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from ..session import Session
from ..step_stats import RunMetadata, RunOptions
from .coordination import Coordinator
from .hooks import (
    CheckpointSaverHook,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    SummarySaverHook,
)
from .saver import Saver, get_checkpoint_state, latest_checkpoint
from .steps import get_global_step


class Scaffold:
    """The ops and functions with which a monitored session starts, or those of `copy_from_scaffold` that are not given.
    `ready_op` and `ready_for_local_init_op` give the names of variables that are not ready yet."""

    def __init__(
        self, init_op: Any = None, init_feed_dict: Optional[Dict[Any, Any]] = None, init_fn: Any = None,
        ready_op: Any = None, ready_for_local_init_op: Any = None, local_init_op: Any = None, summary_op: Any = None,
        saver: Any = None, copy_from_scaffold: Any = None,
    ):  # fmt: skip
        given = {"init_op": init_op, "init_feed_dict": init_feed_dict, "init_fn": init_fn, "ready_op": ready_op,
                 "ready_for_local_init_op": ready_for_local_init_op, "local_init_op": local_init_op,
                 "summary_op": summary_op, "saver": saver}  # fmt: skip
        own = {key: getattr(copy_from_scaffold, key, None) if value is None else value for key, value in given.items()}
        self.init_op, self.init_feed_dict, self.init_fn = own["init_op"], own["init_feed_dict"], own["init_fn"]
        self.ready_op, self.ready_for_local_init_op = own["ready_op"], own["ready_for_local_init_op"]
        self.local_init_op, self.summary_op, self.saver = own["local_init_op"], own["summary_op"], own["saver"]

    def finalize(self) -> "Scaffold":
        """Makes what was not given, or takes what an earlier session on the graph made: the graph may be finalized."""
        if self.init_op is None:
            self.init_op = _once(GraphKeys.INIT_OP, global_variables_initializer)
        if self.local_init_op is None:
            self.local_init_op = _once(GraphKeys.LOCAL_INIT_OP, local_variables_initializer)
        if self.ready_op is None:
            self.ready_op = _once(GraphKeys.READY_OP, report_uninitialized_variables)
        if self.saver is None and get_default_graph().get_collection("variables"):
            self.saver = _once(GraphKeys.SAVERS, Saver)
        return self


def _once(key: str, make: Callable[[], Any]) -> Any:
    """Returns the member of a collection, made if there is none."""
    known = get_default_graph().get_collection_ref(key)
    if not known:
        known.append(make())
    return known[0]


class ChiefSessionCreator:
    """A session whose variables have the values of the latest checkpoint of a folder, or their initial ones."""

    def __init__(
        self, scaffold: Any = None, master: str = "", config: Any = None, checkpoint_dir: Optional[str] = None,
        checkpoint_filename_with_path: Optional[str] = None,
    ):  # fmt: skip
        self.scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Session:
        scaffold = self.scaffold.finalize()
        session = Session(self._master, get_default_graph(), self._config)
        path = self._path or (latest_checkpoint(self._folder) if self._folder else None)
        if path is not None and scaffold.saver is not None:
            scaffold.saver.restore(session, path)
            if self._path is None and self._folder:
                kept = get_checkpoint_state(self._folder).all_model_checkpoint_paths
                scaffold.saver.recover_last_checkpoints(kept)
        else:
            session.run(scaffold.init_op, scaffold.init_feed_dict)
            if scaffold.init_fn is not None:
                scaffold.init_fn(scaffold, session)
        if scaffold.ready_for_local_init_op is not None:
            _expect_ready("for local_init", session.run(scaffold.ready_for_local_init_op))
        session.run(scaffold.local_init_op)
        _expect_ready("", session.run(scaffold.ready_op))
        return session


def _expect_ready(what: str, left: Any) -> None:
    """Raises RuntimeError if there are names of variables that are not ready."""
    if len(left):
        names = ", ".join(name.decode() for name in left)
        raise RuntimeError(f"Init operations did not make model ready{' ' + what if what else ''}: variables not "
                           f"initialized: {names}")  # fmt: skip


class MonitoredSession:
    """A session with hooks. An end of the data ends it, other errors leave it. `stop_grace_period_secs` has no
    effect: no thread is waited for."""

    def __init__(
        self, session_creator: Any = None, hooks: Any = None, stop_grace_period_secs: float = 120
    ):
        self._hooks: List[SessionRunHook] = list(hooks or ())
        self.graph = get_default_graph()
        for hook in self._hooks:
            hook.begin()
        self._coord = Coordinator()
        self._session = (session_creator or ChiefSessionCreator()).create_session()
        self.graph.finalize()
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coord)
        self._is_closed = False

    def should_stop(self) -> bool:
        return self._is_closed or self._coord.should_stop()

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """A run with what the hooks add to it."""
        if self._is_closed:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._session)
        wanted: Dict[Any, Any] = {"caller": fetches}
        feeds = dict(feed_dict or {})
        options, run_metadata = options or RunOptions(), run_metadata or RunMetadata()
        for i, hook in enumerate(self._hooks):
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[i] = request.fetches
            level = getattr(request.options, "trace_level", 0)
            if level > options.trace_level:
                options = RunOptions(level)
            both = set(request.feed_dict or {}) & set(feeds)
            if both:
                raise RuntimeError(f"Same tensor is fed by two hooks or by a hook and the caller: {both.pop()!r}")
            feeds.update(request.feed_dict or {})
        keys = [key for key in wanted if wanted[key] is not None]
        values = dict(zip(keys, self._session.run([wanted[key] for key in keys], feeds, options,
                                                  run_metadata)))  # fmt: skip
        for i, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(values.get(i), options, run_metadata))
        if context.stop_requested:
            self._coord.request_stop()
        return values.get("caller")

    def run_step_fn(self, step_fn: Any) -> Any:
        raise about("flywheel.v1.train.MonitoredSession.run_step_fn", NotImplementedError("use run"))

    @property
    def store(self) -> Any:
        return self._session.store

    def close(self) -> None:
        """Calls the ends of the hooks."""
        self._close(True)

    def _close(self, calls_ends: bool) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        if calls_ends:
            for hook in self._hooks:
                hook.end(self._session)
        self._session.close()

    def __enter__(self) -> "MonitoredSession":
        from .. import session as sessions

        self._default = self._session.as_default()
        self._default.__enter__()
        assert sessions.get_default_session() is self._session
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self._default.__exit__(kind, error, trace)
        is_end = kind is not None and issubclass(kind, OutOfRangeError)
        self._close(kind is None or is_end)
        return is_end


class SingularMonitoredSession(MonitoredSession):
    """A session with hooks, for one process, which makes its own creator."""

    def __init__(
        self, hooks: Any = None, scaffold: Any = None, master: str = "", config: Any = None,
        checkpoint_dir: Optional[str] = None, stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: Optional[str] = None,
    ):  # fmt: skip
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, stop_grace_period_secs)


def MonitoredTrainingSession(  # noqa: N802
    master: str = "", is_chief: bool = True, checkpoint_dir: Optional[str] = None, scaffold: Any = None,
    hooks: Any = None, chief_only_hooks: Any = None, save_checkpoint_secs: Any = "default",
    save_summaries_steps: Any = "default", save_summaries_secs: Any = "default", config: Any = None,
    stop_grace_period_secs: float = 120, log_step_count_steps: Optional[int] = 100, max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = "default", summary_dir: Optional[str] = None,
) -> MonitoredSession:  # fmt: skip
    """A session for training: it restores the latest checkpoint of a folder, and saves there, every 600 s and at the
    end by default. Raises NotImplementedError for `is_chief=False`, a session that waits, up to `max_wait_secs`, until
    another process has initialized the variables."""
    if not is_chief:
        raise about("flywheel.v1.train.MonitoredTrainingSession", NotImplementedError(
            "is_chief=False; variables are those of one process"))  # fmt: skip
    own = scaffold or Scaffold()
    every: List[SessionRunHook] = [*(hooks or ()), *(chief_only_hooks or ())]
    if checkpoint_dir:
        if get_global_step() is not None and log_step_count_steps:
            every.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir or checkpoint_dir))
        if save_checkpoint_secs == "default" and save_checkpoint_steps == "default":
            save_checkpoint_secs = 600
        seconds, steps = (None if x == "default" else x for x in (save_checkpoint_secs, save_checkpoint_steps))
        if seconds or steps:
            every.append(CheckpointSaverHook(checkpoint_dir, seconds, steps, scaffold=own))
        summaries, pause = (None if x == "default" else x for x in (save_summaries_steps, save_summaries_secs))
        if save_summaries_steps == "default" and save_summaries_secs == "default":
            summaries = 100
        if (summaries or pause) and (own.summary_op is not None or get_default_graph().get_collection("summaries")):
            every.append(SummarySaverHook(summaries, pause, summary_dir or checkpoint_dir, scaffold=own))
    return MonitoredSession(ChiefSessionCreator(own, master, config, checkpoint_dir), every, stop_grace_period_secs)
