"""Where the pages' templates come from."""

from __future__ import annotations

from functools import cache

import jinja2


@cache
def environment() -> jinja2.Environment:
    """The environment of all pages: nothing undefined, everything escaped.

    Source
        own
    """
    return jinja2.Environment(
        loader=jinja2.PackageLoader("mstmm.templates", ""),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
