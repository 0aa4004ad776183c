# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The session that functions run in."""

from typing import Optional

from ..._core.argument_checks import instance
from ...v1.graph import GraphKeys, get_default_graph, reset_default_graph
from ...v1.initialization import is_initialized_in
from ...v1.session import Session, get_default_session, others
from .. import _phase
from .settings import reset_uids

_manual = False
_session: Optional[Session] = None


def get_session() -> Session:
    """The session that functions run in: the default one, or one of Keras's own, with a value for each
    variable (S6)."""
    session = current_session()
    if not _manual:
        initialize(session)
    return session


def current_session() -> Session:
    """The session of functions, without giving variables values."""
    global _session
    default = get_default_session()
    if default is not None:
        return default
    if _session is None or _session.graph is not get_default_graph():
        _session = Session()
    return _session


def set_session(session: Session) -> None:
    global _session
    _session = instance("session", session, (Session, type(None)), "a Session")


def clear_session() -> None:
    """Starts anew, with an empty graph."""
    global _session
    reset_default_graph()
    reset_uids()
    _phase.placeholders.clear()
    _session = None


def manual_variable_initialization(value: bool) -> None:
    """Sets if the program initializes variables itself."""
    global _manual
    _manual = value


def initializes() -> bool:
    """Returns true if functions give variables their initial values."""
    return not _manual


def initialize(session: Session) -> None:
    """Gives variables that have no value their initial one."""
    instance("session", session, Session, "a Session")
    done = session._keras_initialized
    rest = []
    for v in session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
        if v in done:
            continue
        done.add(v)
        if is_initialized_in(v, session):
            continue
        literal = v.initial_value.op.fields.literal
        if literal is None:
            rest.append(v.initializer)
        else:
            v._store(literal, session)
    if rest:
        session.run(rest)


def _prepare(session: Session) -> None:
    if not _manual:
        initialize(session)


others.append((current_session, _prepare))
