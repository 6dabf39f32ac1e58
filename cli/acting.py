"""What acts in a model, in words: drives, springs, dampers, friction, rotors, laws, loads.

Model files and robots' files say springs, dampers and friction by numbers, and a model has them as
laws; here they are told apart again. Hinges that say the same share a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from ..model import Force, Hinge, Load, Model
from ..model.expressions.quantities import (
    TIME,
    Quantity,
    hinge_symbol,
    shorten,
    shown,
)
from ..model.parts.hinge_kinds import ANGLE, HINGE_KINDS, QUATERNION
from ..symbolic.language.decimals import text

#: What acts, what of it in words, and where.
Said = tuple[str, str, str]

#: What may act, in the order in which it is said.
KINDS = (
    *("driven by", "spring", "stiffness", "potential", "damping", "friction", "armature"),
    *("law", "force", "load", "sensor", "base moving in"),
)

#: What acts in inverse dynamics as in forward dynamics, and is often not looked for there.
RESISTING = ("damping", "friction", "armature")


@dataclass(frozen=True)
class Freedoms:
    """Degrees of freedom: of the tree, and what drives, loops and couplings take of them."""

    tree: int
    driven: int
    taken: int

    @classmethod
    def of(cls, model: Model, taken: int) -> Freedoms:
        """Those of a model whose loops and couplings take so many."""
        if model.absolute:
            return cls(len(model.speeds), 0, taken)
        kinds = HINGE_KINDS[model.dimension]
        driven = sum(kinds[hinge.kind].speeds for hinge in model.tree_hinges if hinge.motion)
        return cls(len(model.speeds) + driven, driven, taken)

    @property
    def left(self) -> int:
        """How many are left."""
        return self.tree - self.driven - self.taken

    def __str__(self) -> str:
        parts = [f"{self.tree} of the tree"]
        parts += [f"{self.driven} driven"] if self.driven else []
        parts += [f"{self.taken} taken by loops and couplings at the start"] if self.taken else []
        found = f"degrees of freedom: {self.left}"
        return f"{found} ({', '.join(parts)})" if len(parts) > 1 else found


def acting(model: Model) -> dict[str, dict[str, list[str]]]:
    """Of each thing that acts (`spring`, `damping`, `law` …) what is said, and of which names.

    Units
        SI, rad: written beside the numbers.
    """
    found: dict[str, dict[str, list[str]]] = {what: {} for what in KINDS}
    for what, said, name in _all(model):
        found[what].setdefault(said, []).append(name)
    return {what: by_text for what, by_text in found.items() if by_text}


def acting_lines(model: Model) -> Iterator[str]:
    """A line for each; at the end what that means for inverse dynamics, where something resists."""
    found = acting(model)
    for what, by_text in found.items():
        for said, names in by_text.items():
            yield f"{what} {said}: {shorten(names)}"
    resisting = [what for what in RESISTING if what in found]
    if resisting:
        *most, last = resisting
        both = f"{', '.join(most)} and {last} act" if most else f"{last} acts"
        yield f"{both} in inverse dynamics too: the efforts that it gives overcome them"


def _all(model: Model) -> Iterator[Said]:
    for hinge in model.hinges:
        yield from _of_hinge(model, hinge)
    for force in model.forces:
        yield from _of_force(force)
    for load in model.loads:
        yield from _of_load(load)
    for sensor in model.sensors:
        along = f" along {_vector(sensor.along)}" if sensor.along else ""
        yield "sensor", f"at {' and '.join(map(_end, sensor.ends))}{along}", sensor.name
    if model.base:
        for field in ("position", "angles"):
            if given := getattr(model.base, field):
                yield "base moving in", f"{field} {_vector(given)}", "the ground"


def _of_hinge(model: Model, hinge: Hinge) -> Iterator[Said]:
    kind = HINGE_KINDS[model.dimension][hinge.kind]
    turning = [slot == ANGLE for slot in kind.slots]
    if kind.has_quaternion:
        turning = [k >= kind.speeds - 3 for k in range(kind.speeds)]
    if hinge.motion:
        yield "driven by", _vector(hinge.motion), hinge.name
    if hinge.potential != 0:
        straight = QUATERNION not in kind.slots
        yield from _potential(hinge, turning if straight else [])
    for field, what in (("stiffness", "stiffness"), ("damping", "damping")):
        if given := getattr(hinge, field):
            yield what, f"{_vector(given)} along and about the axes", hinge.name
    for k, law in enumerate(hinge.force):
        name = f"{hinge.name} ({k + 1})" if len(hinge.force) > 1 else hinge.name
        yield from _force(sp.sympify(law, strict=True), k + 1, turning[k], name)
    for k, inertia in enumerate(hinge.rotor):
        if inertia != 0:
            unit = "kg m²" if turning[k] else "kg"
            yield "armature", f"{_number(inertia)} {unit}", hinge.name


def _potential(hinge: Hinge, turning: Sequence[bool]) -> Iterator[Said]:
    """A spring for each coordinate, if the energy is the sum of their squares; else the energy."""
    energy, springs = sp.sympify(hinge.potential, strict=True), []
    q = [hinge_symbol("q", k + 1) for k in range(len(turning))]
    varies = {*q, TIME}
    for x, turns in zip(q, turning, strict=True):
        slope = energy.diff(x)
        rate = sp.expand(slope.diff(x))
        if rate != 0 and not rate.free_symbols & varies:
            rest = sp.expand(-slope.subs(x, 0) / rate)
            unit = "N m/rad" if turns else "N/m"
            at = f", at rest at {_number(rest)} {'rad' if turns else 'm'}" if rest != 0 else ""
            springs.append(("spring", f"{_number(rate)} {unit}{at}", hinge.name))
            energy -= rate * (x - rest) ** 2 / 2
    if sp.expand(energy).free_symbols & varies:
        springs = [("potential", f"{_text(hinge.potential)} (J)", hinge.name)]
    yield from springs


def _force(law: sp.Expr, number: int, turns: bool, name: str) -> Iterator[Said]:
    """Dampers, −c u, and friction, −f tanh(u/w), along a speed; and what is left of its law."""
    u = hinge_symbol("u", number)
    force = "N m" if turns else "N"
    left: list[sp.Expr] = []
    for term in sp.Add.make_args(law):
        rate, smooth = term.as_independent(u)
        kept = {x.name for x in rate.free_symbols}
        own = any(x[0] in "qu" and x[1:].isdigit() for x in kept) or TIME.name in kept
        if own or rate == 0 or rate.could_extract_minus_sign() is False:
            left.append(term)
        elif smooth == u:
            yield "damping", f"{_number(-rate)} {force} s/{'rad' if turns else 'm'}", name
        elif isinstance(smooth, sp.tanh) and not smooth.args[0].diff(u).has(u):
            yield "friction", f"{_number(-rate)} {force}, smooth: {_text(smooth)}", name
        else:
            left.append(term)
    if sp.Add(*left) != 0:
        yield "law", f"{_text(sp.Add(*left))} ({force})", name


def _of_force(force: Force) -> Iterator[Said]:
    between = ("between " if len(force.ends) == 2 else "on ") + " and ".join(map(_end, force.ends))
    units = {"stiffness": " N/m", "rest": " m", "damping": " N s/m", "law": " N", "potential": " J"}
    parts = [
        f"{field} {_number(value)}{units.get(field, '')}"
        for field in ("stiffness", "rest", "damping", "law", "potential", "mu", "drag", "quadratic")
        if (value := getattr(force, field)) != 0
    ]
    parts += [f"medium {_vector(force.medium)}"] if force.medium else []
    yield "force", f"{between}, {', '.join(parts)}", force.name


def _of_load(load: Load) -> Iterator[Said]:
    parts = [f"{x} {_vector(getattr(load, x))}" for x in ("force", "moment") if getattr(load, x)]
    where = f"{load.body}:{load.point}" if load.point else load.body
    yield "load", f"on {where}, {', '.join(parts)} in {load.frame} axes", load.name


def _end(end: object) -> str:
    return str(end).rstrip(":")


def _vector(given: Sequence[Quantity]) -> str:
    return f"({', '.join(map(_number, given))})" if len(given) > 1 else _number(given[0])


def _number(x: Quantity) -> str:
    """A number in short, an expression as it is."""
    expression = sp.sympify(x, strict=True)
    return f"{float(expression):g}" if expression.is_number else _text(x)


def _text(x: Quantity) -> str:
    """An expression whose exact doubles are shown as decimals."""
    return shown(text(sp.sympify(x, strict=True)))
