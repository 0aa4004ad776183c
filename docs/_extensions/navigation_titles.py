# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the theme's navigation of titles of pages alone, which is all that it shows.

The theme asks for every entry of every page, also the thousands of the reference, and drops them: most of the time of a
build. While it asks, there are titles alone.
"""

from typing import Any, Dict

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx


def _title_alone(toc: nodes.bullet_list) -> nodes.bullet_list:
    """The entry of a page, with the pages below it."""
    short = nodes.bullet_list()
    for item in list(toc.children)[:1]:
        if not item.children:
            continue
        entry = nodes.list_item("", item.children[0].deepcopy())
        below = [tree.deepcopy() for tree in item.findall(addnodes.toctree)]
        if below:
            entry += nodes.bullet_list("", *below)
        short += entry
    return short


def _shorten(app: Sphinx, *_: Any) -> None:
    if not hasattr(app, "flywheel_titles"):
        app.flywheel_titles = {name: _title_alone(toc) for name, toc in app.env.tocs.items()}  # type: ignore[attr-defined]
    app.flywheel_tocs = app.env.tocs  # type: ignore[attr-defined]
    app.env.tocs = app.flywheel_titles  # type: ignore[attr-defined]


def _restore(app: Sphinx, *_: Any) -> None:
    app.env.tocs = app.flywheel_tocs  # type: ignore[attr-defined]


def setup(app: Sphinx) -> Dict[str, Any]:
    # The theme's own handler has priority 500.
    app.connect("html-page-context", _shorten, priority=499)
    app.connect("html-page-context", _restore, priority=501)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
