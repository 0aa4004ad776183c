# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of Sphinx for the documentation site; `scripts/build-site` builds it.

The sources are the Markdown pages where they lie, from the root of the repository, so that a link that a reader of the
repository can follow is one that Sphinx can.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "_extensions"))

import api_pages  # noqa: E402

project = "Flywheel"
author = "The Flywheel authors"
project_copyright = "the Flywheel authors; Apache License 2.0 with LLVM exceptions"
_version = re.search(r"project\(flywheel VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
assert _version is not None
version = release = _version.group(1)

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "api_pages",
    "markdown_docstrings",
    "mlir_lexer",
    "navigation_titles",
]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md", "docs/**.ipynb", "examples/**.md", "benchmarks/*.md", "test/Fuzz/README.md", "CHANGELOG.md",
    "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "RELEASING.md", "ROADMAP.md", "SECURITY.md",
]  # fmt: skip
# Folders that are not even looked into.
exclude_patterns = ["build*", ".*", "lib", "include", "python-bindings", "tools", "cmake", "dist", "out"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}

# Markdown as hosts of repositories read it.
myst_heading_anchors = 6
# Generated reference pages skip levels of headings.
suppress_warnings = ["myst.header"]
# Notebooks are kept without outputs: each build executes them.
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_show_tb = True

autodoc_mock_imports = api_pages.MOCKED
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
# Classes of the compiled module say what they are in their docstrings.
autodoc_inherit_docstrings = False
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "Flywheel"
html_copy_source = False
html_show_sourcelink = False
pygments_style = "default"
pygments_dark_style = "monokai"
