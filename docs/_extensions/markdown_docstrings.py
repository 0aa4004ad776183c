# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Docstrings are Markdown, as the descriptions of TableGen are that many of them are written from.

autodoc hands docstrings to a parser of reStructuredText. This wraps each in a directive whose content is parsed as
Markdown.
"""

from typing import Any, Dict, List

from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Docstring(SphinxDirective):
    """`.. docstring::` with Markdown as its content."""

    has_content = True

    def run(self) -> List[nodes.Node]:
        document = new_document(self.get_source_info()[0], self.state.document.settings)
        MystParser().parse("\n".join(self.content), document)
        return list(document.children)


def _wrap(_app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: List[str]) -> None:
    if any(line.strip() for line in lines):
        lines[:] = [".. docstring::", "", *("   " + line for line in lines), ""]


def setup(app: Sphinx) -> Dict[str, Any]:
    app.add_directive("docstring", Docstring)
    app.connect("autodoc-process-docstring", _wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
