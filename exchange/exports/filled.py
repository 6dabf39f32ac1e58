"""The templates of what lies around emitted code, filled in."""

from __future__ import annotations

from collections.abc import Mapping

from ...codegen.rendering import environment


def render(template: str, context: Mapping[str, object]) -> str:
    """A template filled in."""
    return environment(("mstmm.exchange", "templates")).get_template(template).render(context)
