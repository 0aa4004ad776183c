# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colors for blocks of MLIR: Pygments has no lexer for it."""

from typing import Any, Dict

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text
from sphinx.application import Sphinx


class MLIRLexer(RegexLexer):
    """Classifies words by their first characters; nothing is parsed."""

    name = "MLIR"
    aliases = ["mlir"]
    tokens = {
        "root": [
            (r"\s+", Text),
            (r"//[^\n]*", Comment.Single),
            (r'"(\\.|[^"\\])*"', String),
            (r"%[\w$.-]+(#\d+)?", Name.Variable),
            (r'@([\w$.-]+|"[^"]*")', Name.Function),
            (r"\^\w+", Name.Label),
            (r"[#!][A-Za-z_][\w$.]*", Name.Attribute),
            (r"(tensor|memref|vector|complex|tuple)(?=<)", Keyword.Type),
            (r"\b(index|none|[su]?i\d+|f\d+|bf16|tf32)\b", Keyword.Type),
            (r"(?<=x)(index|[su]?i\d+|f\d+|bf16)\b", Keyword.Type),
            (r"\b(true|false|dense|unit)\b", Keyword.Constant),
            (r"[A-Za-z_]\w*(\.[A-Za-z_][\w$]*)+", Name.Builtin),
            (r"0x[0-9a-fA-F]+|-?\d+(\.\d*)?([eE][-+]?\d+)?", Number),
            (r"[A-Za-z_]\w*", Name),
            (r"->|[=:*+?&|/-]", Operator),
            (r"[^\w\s]", Punctuation),
        ]
    }


def setup(app: Sphinx) -> Dict[str, Any]:
    app.add_lexer("mlir", MLIRLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
