"""Where the pages' templates come from, and the fonts that their formulas are set in."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from importlib.resources import files

import jinja2


@cache
def environment() -> jinja2.Environment:
    """The environment of all pages: nothing undefined, everything escaped.

    Source
        own
    """
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("mstmm.templates", ""),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    found.globals["fonts"] = {
        "regular": _font("stix-two-math"),
        "bold": _font("stix-two-math-bold-italic"),
    }
    return found


def _font(name: str) -> str:
    """A font in base64: pages carry those of their formulas, which few machines have."""
    font = files("mstmm.templates") / "fonts" / f"{name}.woff2"
    return b64encode(font.read_bytes()).decode("ascii")
