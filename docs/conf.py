"""The site: `pip install ".[docs]" && sphinx-build -W docs build/site`."""

from __future__ import annotations

import re
from typing import Any

import mstmm

project = "mstmm"
author = "the mstmm developers"
copyright = author
release = version = mstmm.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build", "representations/figures.md"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}

# The notebooks are kept without outputs: building the site runs them, each in a folder of its own.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 600
nb_execution_raise_on_error = True
# Kernels say on standard error what pipes they use, compilations how long they take.
nb_output_stderr = "remove"

html_theme = "furo"
html_title = "mstmm"
html_show_copyright = False

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
# Pages also link to folders and files of the repository, which are no pages of the site.
suppress_warnings = ["myst.xref_missing", "mystnb.mime_priority"]

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
maximum_signature_line_length = 90
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
default_role = "code"

#: The sections of a docstring.
SECTIONS = ("Shape", "Units", "Frame", "Sign", "Raises", "Source")


def with_sections(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Set a docstring's sections as a definition list, each error on a line of its own."""
    found: list[str] = []
    section = ""
    for line in lines:
        if line in SECTIONS:
            section = line
            found += ["", section]
            continue
        if line and not line.startswith(" "):
            section = ""
            found += [""] if found and found[-1].startswith(" ") else []
        if section == "Raises" and re.match(r"    \w+Error: |    \w+Warning: ", line):
            error, _, why = line.strip().partition(": ")
            line = f"    * `{error}`: {why}"
        elif section == "Raises" and line.strip():
            line = f"      {line.strip()}"
        found.append(re.sub(r"(`[^`]*`)|\\|", lambda bar: bar[1] or r"\|", line))
    lines[:] = [*found, ""]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", with_sections)
