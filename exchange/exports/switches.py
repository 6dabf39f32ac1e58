"""Where laws step or have a corner: what a tool that integrates must know of them."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ...model import Model
from ...model.expressions.functions import step
from ...model.expressions.quantities import TIME, exact_expression, hinge_symbol
from ...symbolic.mechanics.laws import half_rounds


def switches(model: Model) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """Functions that are zero where a law steps or has a corner, and the times of other steps.

    The functions are of the model's coordinates, speeds, parameters, inputs and the time. What
    depends on the time alone and grows evenly with it gives a time. Left out is what depends on
    more than the state: on the coordinates of a cut hinge, or the distance of two points.
    """
    functions, times = [], []
    state = {*model.coordinates, *model.speeds}
    known = state | {*model.parameters, TIME.name}
    for function in dict.fromkeys(x for law in _laws(model) for x in _jumps(law)):
        rate = sp.diff(function, TIME)
        varies = {symbol.name for symbol in function.free_symbols}
        if not varies <= known:
            continue
        moving = varies & {*state, *(x.name for x in model.inputs)}
        if TIME in function.free_symbols and not moving and TIME not in rate.free_symbols:
            times.append(TIME - function / rate)
        elif moving or TIME in function.free_symbols:
            functions.append(function)
    return functions, times


def _laws(model: Model) -> Iterator[sp.Expr]:
    """All laws, in the names of the model's coordinates and speeds."""
    for hinge in model.tree_hinges:
        names = {}
        for letter, own in (
            ("q", model.hinge_coordinates(hinge)),
            ("u", model.hinge_speeds(hinge)),
        ):
            for k, name in enumerate(own, start=1):
                names[hinge_symbol(letter, k)] = sp.Symbol(name, real=True)
        for law in (*hinge.force, hinge.potential, *half_rounds(model.dimension, hinge)):
            yield exact_expression(law).subs(names, simultaneous=True)
    for force in model.forces:
        yield from map(exact_expression, (force.law, force.potential, *force.medium))
    for load in model.loads:
        yield from map(exact_expression, (*load.force, *load.moment))


def _jumps(law: sp.Expr) -> list[sp.Expr]:
    found = {atom.args[0] for atom in law.atoms(step, sp.sign, sp.Abs)}
    return sorted(found, key=sp.default_sort_key)
