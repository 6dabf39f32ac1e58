"""WebAssembly: a module with the JavaScript that calls it."""

from __future__ import annotations

from collections.abc import Mapping

from ...codegen.generate import Generated
from ...codegen.targets.c.webassembly import compiled
from .filled import render
from .wheel import seen

_NEW_WORK = """#include "{prefix}.h"

#include <stdlib.h>

/* A workspace, for callers who do not know its size. */
{prefix}_work *{prefix}_new_work(void)
{{
    return malloc(sizeof({prefix}_work));
}}
"""


def wasm(made: Generated) -> Mapping[str, bytes]:
    """The module and its script by path.

    Raises
        ToolchainError: the extra `cc` (the `ziglang` wheel) is not installed, or fails.
    Source
        own
    """
    prefix = made.sources.interface.prefix
    context = seen(made) | {"parameter_names": list(made.sources.interface.parameters)}
    script = render("wasm.mjs.jinja", context)
    entries = [x for x in ("accelerations", "energy") if x in made.sources.interface.arguments]
    sources = {**made.sources.library, "new_work.c": _NEW_WORK.format(prefix=prefix)}
    exported = ("malloc", *(f"{prefix}_{x}" for x in ("new_work", *entries)))
    return {f"{prefix}.mjs": script.encode(), f"{prefix}.wasm": compiled(sources, exported)}
