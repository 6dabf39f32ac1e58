"""A function of CasADi, with its Jacobian: `casadi.external` loads it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...codegen.generate import Generated
from ...codegen.toolchain import LIBRARY_SUFFIX
from .filled import render
from .instance import Instance, built

#: Names that arguments of a function of CasADi cannot have, or that are taken.
_TAKEN = frozenset({"null", "jac", "hess", "q", "v", "tau", "t"})


@dataclass(frozen=True)
class _Input:
    """An argument: where it begins among an instance's values (-1: the time), and its length."""

    name: str
    place: str
    length: int
    default: str = "0.0"


def external(made: Generated) -> Mapping[str, bytes]:
    """The library and its sources by path.

    The function is called `PREFIX_dynamics`. It takes the coordinates `q`, the speeds `v`, the
    forces `tau` along the speeds, each parameter and each input of the model as a scalar by its
    name (left out it has its default), and the time `t` where a law depends on it. It returns
    `rates`, those of the coordinates, and `accelerations`, those of the speeds; all but `t` may be
    differentiated by. A unit quaternion changes along a motion: what would change its length
    changes nothing.

    Raises
        CodegenError: the model has nothing that moves in time.
        ToolchainError: there is no working C compiler.
    Source
        CasADi 3.7 user guide, "The external function interface".
    """
    instance = Instance(made)
    prefix = made.sources.interface.prefix
    context = {
        **instance.context,
        "function": f"{prefix}_dynamics",
        "inputs": list(_inputs(made)),
    }
    sources = {**instance.library, "casadi.c": render("casadi.c.jinja", context)}
    library = prefix + LIBRARY_SUFFIX
    found = {f"{prefix}/sources/{name}": text.encode() for name, text in sources.items()}
    return {f"{prefix}/{library}": built(sources, library), **found}


def _inputs(made: Generated) -> Iterator[_Input]:
    interface = made.sources.interface
    yield _Input("q", "Q", interface.sizes["q"])
    yield _Input("v", "V", interface.sizes["v"])
    yield _Input("tau", "TAU", interface.sizes["v"])
    for k, (name, value) in enumerate(zip(interface.parameters, interface.defaults, strict=True)):
        yield _Input(_argument(name), f"P + {k}", 1, repr(value))
    if "t" in interface.moving:
        yield _Input("t", "-1", 1)


def _argument(name: str) -> str:
    """A name that CasADi takes: letters first, and no two underscores in a row."""
    plain = re.sub("_+", "_", name).strip("_")
    return f"p_{plain}" if plain.lower() in _TAKEN or not plain[:1].isalpha() else plain
