"""What of a model parameters change."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ....model import Model
from ....model.expressions.quantities import parameter as symbol

#: What may change with the speed besides spins.
LAWS = ("force", "potential", "stiffness", "damping")


def only_spins(model: Model, names: Collection[str], apart: Collection[str] = ()) -> bool:
    """Are parameters in nothing but spins, and in these fields of hinges?"""
    bodies = [replace(body, spin=0) for body in model.bodies]
    hinges = [
        [getattr(hinge, x.name) for x in fields(hinge) if x.name not in apart]
        for hinge in model.hinges
    ]
    others = (x.name for x in fields(model) if x.name not in ("bodies", "hinges"))
    everything = [bodies, hinges, [getattr(model, name) for name in others]]
    return not {symbol(name) for name in names} & _symbols(everything)


def _symbols(thing: Any) -> set[Any]:
    """All symbols in what a model is made of."""
    return set().union(*_each(thing))


def _each(thing: Any) -> Iterator[set[Any]]:
    if isinstance(thing, tuple | list):
        for x in thing:
            yield from _each(x)
    elif is_dataclass(thing):
        yield from _each([getattr(thing, field.name) for field in fields(thing)])
    else:
        yield set(getattr(thing, "free_symbols", ()))
