"""What a document is written as."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .document import Document
from .html import html
from .latex import latex
from .plain import markdown, notebook, text
from .slides import slides

#: Each format's writer.
WRITERS: Mapping[str, Callable[[Document], str]] = {
    "text": text,
    "latex": latex,
    "html": html,
    "slides": slides,
    "notebook": notebook,
    "markdown": markdown,
}
