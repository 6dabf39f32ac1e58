"""The site: `pip install ".[docs]" && sphinx-build -W docs build/site`."""

from __future__ import annotations

import mstmm

project = "mstmm"
author = "the mstmm developers"
copyright = author  # noqa: A001
release = version = mstmm.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build", "**/README.md.in"]
source_suffix = {".md": "markdown"}

html_theme = "furo"
html_title = "mstmm"
html_show_copyright = False

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
# Pages also link to folders and files of the repository, which are no pages of the site.
suppress_warnings = ["myst.xref_missing"]

autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
