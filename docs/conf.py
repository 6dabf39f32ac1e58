"""The site: `pip install ".[docs]" && sphinx-build -W docs build/site`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError

import mstmm
from mstmm.papers.cited import equations
from mstmm.report.documents.document import Formula, place_of
from mstmm.report.documents.html import fragment
from mstmm.report.drawing.mechanism import mechanism
from mstmm.report.drawing.svg import svg
from mstmm.report.drawing.topology import topology
from mstmm.report.state import placed, state_of
from mstmm.symbolic.equations.citations import cited, with_numbers

project = "mstmm"
author = "the mstmm developers"
copyright = author
release = version = mstmm.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build", "representations/figures.md"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}

# The notebooks are kept with what they said, which a test compares with what they say now.
nb_execution_mode = "off"

html_theme = "furo"
html_static_path = ["static", "../templates/fonts"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_title = "mstmm"
html_show_copyright = False

myst_enable_extensions = ["deflist", "dollarmath"]
myst_update_mathjax = False
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
        found.append(re.sub(r"(`[^`]*`)|\|", lambda bar: bar[1] or r"\|", line))
    lines[:] = [*found, ""]


def inline_formula(writer: Any, node: nodes.Element) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def displayed_formula(writer: Any, node: nodes.Element) -> None:
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="math" tabindex="0">{formula}</div>')
    raise nodes.SkipNode


#: A cell of a table that is no longer stays on one line: numbers with units, short names.
WHOLE = 16


def keep_whole(app: Any, tree: nodes.document, name: str) -> None:
    """Mark short cells of tables, so that no number is broken at its sign."""
    for cell in tree.findall(nodes.entry):
        if len(cell.astext()) <= WHOLE:
            cell["classes"].append("whole")


def with_equations(app: Any, tree: nodes.document, name: str) -> None:
    """Let each citation of a paper's equation lead to the ledger's entry, at the page's end."""
    taken = (nodes.literal, nodes.literal_block, nodes.reference, nodes.raw)
    texts = [text for text in tree.findall(nodes.Text) if not isinstance(text.parent, taken)]
    texts = [text for text in texts if [*cited(text)]]
    for section in equations(each for text in texts for each in cited(text)):
        words = fragment(section.blocks)
        title = f'<h2 id="{section.anchor}">{section.title}</h2>'
        tree[-1].append(
            nodes.raw("", f'<section class="cited">{title}{words}</section>', format="html")
        )

    def leading(said: str, paper: str, number: str) -> str:
        return f"\0{place_of(paper, number)}\1{said}\0"

    for text in texts:
        parts = [part.partition("\1") for part in with_numbers(text, leading).split("\0")]
        text.parent.replace(
            text,
            [
                nodes.reference("", said, refid=place) if said else nodes.Text(place)
                for place, _, said in parts
            ],
        )


class FromProgram(Directive):
    """Equations of a model, or its drawing, read off its program while the site is built.

    ```{derived} MODEL
    U[1]
    ```
    sets matrices of ends and bodies; ```{drawn} MODEL``` draws the topology, and the mechanism
    where a state stands below it, such as `theta1=1.3`.
    """

    required_arguments, has_content = 1, True

    def run(self) -> list[nodes.Node]:
        if self.name == "drawn":
            model = mstmm.load(self.arguments[0])
            state = state_of(model, " ".join(self.content))
            scene = mechanism(model, placed(model, state)) if self.content else topology(model)
            return [nodes.raw("", svg(scene), format="html")]
        derived = mstmm.derive(self.arguments[0])
        named = [(line, *re.fullmatch(r"(\w)\[(.+)\]", line).groups()) for line in self.content]
        blocks = [Formula(name, getattr(derived, letter)[end]) for name, letter, end in named]
        return [nodes.raw("", fragment(blocks), format="html")]


#: What a page fetches from another host when it is opened.
FETCHED = re.compile(
    r"""<(?:script|link|img|iframe|source|object)\b[^>]*?\b(?:src|href|data)=["']?(?:https?:)?//"""
    r"""|url\(\s*["']?(?:https?:)?//|@import\s+["'](?:https?:)?//""",
    re.IGNORECASE,
)


def fetches_nothing(app: Any, exception: Exception | None) -> None:
    """Fail where a page of the site needs the network: for a script, a font, a style, a picture."""
    if exception is not None or app.builder.format != "html":
        return
    for page in sorted(Path(app.outdir).rglob("*")):
        if page.suffix in (".html", ".css"):
            found = FETCHED.search(page.read_text(encoding="utf-8"))
            if found:
                raise ExtensionError(f"{page.name} is not readable without a network: {found[0]}")


def setup(app: Any) -> None:
    for name in ("derived", "drawn"):
        app.add_directive(name, FromProgram)
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    app.connect("autodoc-process-docstring", with_sections)
    app.connect("doctree-resolved", keep_whole)
    app.connect("doctree-resolved", with_equations)
    app.connect("build-finished", fetches_nothing)
