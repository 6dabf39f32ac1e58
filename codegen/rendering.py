"""The templates filled in, and the files that they make whose bytes no model changes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import jinja2

from ..symbolic.language.tolerances import (
    AROUND,
    CUT_OFF,
    FAINT,
    FAR,
    FIRM,
    LONGEST_STEP,
    LOST,
    MOST_PASSES,
    MOST_PIECES,
    NEAREST,
    SECTIONS,
    SINGULAR,
    WIDENINGS,
)
from .integrators import collocation_view, method_views
from .solves.elimination import BOUNDED
from .tableaus import KEPT, MOST_ITERATIONS, MOST_STEPS, PATIENCE, STAGES
from .targets.c_batch.language import BATCH

#: What the templates of the shared files are filled with.
SHARED: dict[str, object] = {
    "cut_off": repr(CUT_OFF),
    "firm": repr(FIRM),
    "faint": repr(FAINT),
    "lost": repr(LOST),
    "bounded": repr(BOUNDED),
    "most_passes": MOST_PASSES,
    "longest_step": repr(LONGEST_STEP),
    "singular": repr(SINGULAR),
    "nearest": repr(NEAREST),
    "widenings": WIDENINGS,
    "around": repr(AROUND),
    "far": repr(FAR),
    "most_pieces": MOST_PIECES,
    "sections": SECTIONS,
    "most_steps": MOST_STEPS,
    "patience": PATIENCE,
    "methods": method_views(),
    "stages": STAGES,
    "collocation": collocation_view(),
    "most_iterations": MOST_ITERATIONS,
    "kept": KEPT,
    "functions": sorted(BATCH.functions),
    "turned": "1e-36",
    # what stands before functions and tables of C
    "inline": "static inline",
    "apart": "",
    "table": "static const ",
    "cuda": False,
}


@cache
def same_for_all(name: str) -> str:
    """A file whose bytes no model changes."""
    return render(f"shared/{name}.jinja", SHARED)


@cache
def environment(*rooms: tuple[str, str]) -> jinja2.Environment:
    """How templates are read that lie in folders of packages, each under its path in there."""
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(*room) for room in rooms]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(template: str, context: Mapping[str, object]) -> str:
    """A template filled in: of `mstmm.templates`, or of a target: `c/module.h.jinja`."""
    rooms = ("mstmm.templates", ""), ("mstmm.codegen.targets", "")
    return environment(*rooms).get_template(template).render(context)
