"""Does something with inertia resist every motion that the hinges allow?

That is, is the mass matrix definite? It is a matter of the bodies that resist not every motion
of their own, as those without mass: of another one, whatever hangs on it, only itself matters.
Decided in rational numbers, at the parameters' values and a state without symmetry: what is
regular there is regular almost everywhere, and what is singular there is singular everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import numpy.typing as npt

from ...errors import ModelError
from ..expressions.quantities import shorten
from ..parts.bodies import Beam, Body, End
from ..parts.hinges import GROUND, Hinge
from ..parts.placed import Number, Numbers, Reader
from ..parts.system import System
from .unresisted import UnresistedError, refused, resisted

Floats = npt.NDArray[np.float64]

#: A least principal moment below this part of the largest may be the rounding of none.
DEPENDENT = 1e-10
#: What resists below this part of what moves is lost in double precision. Here nothing is lost
#: by computing, and given directions that are off by their rounding count with its square.
NOTHING = 1e-15
#: What resists above this part of it is seen in floating point numbers already.
SOMETHING = 1e-9

#: So many bodies and hinges are named where a model has no dynamics.
NAMED = 20


def check_inertia(model: System) -> None:
    """See that the mass matrix of the tree is definite, if the model has dynamics.

    Raises
        UnresistedError: gives the motions, and all hinges that take part in them.
    """
    error = None if model.kinematic else unresisted(model)
    if error:
        raise error


def kinematics_alone(model: System) -> str:
    """Why a kinematic model has no dynamics: the bodies without inertia, and the remedy."""
    error = unresisted(model)
    if error is None:
        return f"{model.name} has kinematics alone, as it says itself (kinematic = true)"
    bodies = [model.body(name) for name in error.light]
    heavy = any(isinstance(body, Body) and model.value(body.mass) for body in bodies)
    held, light = (shorten(names, limit=NAMED) for names in (error.held, error.light))
    some = len(error.held) < sum(bool(model.hinge_speeds(hinge)) for hinge in model.tree_hinges)
    return (
        f"{model.name} has kinematics alone, for these bodies have no mass{' or inertia' * heavy}: "
        f"{light}; give them mass and inertia (in a robot's file <inertial>)"
        + f", or hold the hinges {held} (of a robot's file hold_massless=True)"
        * some
    )


def unresisted(model: System) -> UnresistedError | None:
    """The motions that nothing resists, if the mass matrix of the tree is not definite.

    The hinges' rotors are in it.

    Where an inertia is negative about some axis, this may depend on the state: it is decided at
    one, with all bodies and 60 digits, for what hangs on a body matters then far inwards.

    Source
        Own: D = Hᵀ IA H of the articulated inertia, definite at every hinge; on a body that
        resists every motion IA H D⁻¹ Hᵀ IA leaves nothing in the directions of H alone.
    """
    signs = _signs(model)
    if all(sign > 0 for sign in signs.values()):
        return None
    links = _links(model)
    if min(signs.values()) >= 0 and not _Tree(model, links, signs, Random(1), float).unresisted():
        return None
    # A state may happen to be singular, but hardly two.
    for seed in (1, 2):
        motions = _Tree(model, links, signs, Random(seed), Fraction).unresisted()
        if not motions:
            return None
    light = tuple(x for x, sign in signs.items() if sign <= 0 and any(x in m for m in motions))
    hinges = {link.far.body: link.hinge for link in links}
    if min(signs.values()) >= 0 and resisted(model, hinges, motions):
        return None
    return refused(model, hinges, motions, light)


@dataclass(frozen=True)
class _Link:
    """A body, and the hinge that it hangs on: at `near` of another body, at its own `far`."""

    hinge: Hinge
    near: End
    far: End


#: By link of a motion (its body's name) the speeds of its hinge.
Motion = dict[str, Numbers]


@dataclass
class _Swept:
    """What the sweep leaves at a link, all in the frame of the body's point on its hinge.

    `H`: velocity and spin for each speed that is resisted, `which` of the hinge's. `X`: from
    the parent's velocity and spin to those here, the hinge at rest. `gain`: −D⁻¹ Hᵀ IA, how
    the hinge gives way. `size`: the inertia of all that moves with the body, hinges at rest.
    """

    X: Numbers
    H: Numbers
    which: list[int]
    speeds: int
    gain: Numbers
    IA: Numbers
    size: Floats


class _Tree:
    """The articulated inertias of a tree at one state, as far as its light bodies need them.

    In floating point numbers, fast, or in fractions where those cannot tell.
    """

    def __init__(
        self,
        model: System,
        links: list[_Link],
        signs: Mapping[str, int],
        chooser: Random,
        number: Number,
    ) -> None:
        self.model = model
        self.of = Reader(model, number)
        self.nothing = NOTHING if number is Fraction else SOMETHING
        self.links = links
        self.signs = signs
        self.every = min(signs.values()) < 0
        self.chooser = chooser
        self.below: dict[str, list[str]] = {}
        self.swept: dict[str, _Swept] = {}
        self.far = {link.far.body: link.far for link in links}

    def unresisted(self) -> list[Motion]:
        """A basis of the motions that nothing resists: of each hinge those that it adds."""
        found: list[Motion] = []
        for link in reversed(self.links):
            name, parent = link.far.body, link.near.body
            if self._counts(name) or (parent != GROUND and self._counts(parent)):
                with np.errstate(over="ignore", invalid="ignore"):
                    found += self._hinge(link)
                self.below.setdefault(parent, []).append(name)
        return found

    def _counts(self, name: str) -> bool:
        """Does it matter what hangs on the body?"""
        return self.every or self.signs[name] <= 0

    def _hinge(self, link: _Link) -> list[Motion]:
        """The step at a link; the motions that it adds to those that nothing resists."""
        name = link.far.body
        IA = self._own(link)
        size = IA.astype(float)
        if self._counts(name):
            for child in self.below.get(name, ()):
                swept = self.swept[child]
                IA = IA + swept.X.T @ swept.IA @ swept.X
                X = swept.X.astype(float)
                size = size + X.T @ swept.size @ X
        X, H = self._hung(link)
        rotor = link.hinge.rotor if H.shape[1] else ()
        D = H.T @ IA @ H + np.diag(self.of.values(rotor or [0] * H.shape[1]))
        scale = np.abs(size).max() * (H.astype(float) ** 2).sum(axis=0)
        if not np.isfinite(scale).all():
            raise ModelError(f"body {name}: its mass times a length squared is no finite number")
        which, inverse, ways = _definite_part(D, [Fraction(self.nothing * x) for x in scale])
        kept = H[:, which]
        gain = -inverse @ kept.T @ IA
        left = IA + IA @ kept @ gain
        left = _rounded(left) if self.every else left
        self.swept[name] = _Swept(X, kept, which, len(D), gain, left, size)
        return [{name: way, **self._given_way(name, H @ way)} for way in ways]

    def _given_way(self, name: str, moved: Numbers) -> Motion:
        """How the hinges beyond a body give way to its motion, so that nothing resists it."""
        motion: Motion = {}
        waiting = [(name, moved)]
        for body, V in waiting:
            if not self._counts(body):
                continue
            for child in self.below.get(body, ()):
                swept = self.swept[child]
                arriving = swept.X @ V
                given = swept.gain @ arriving
                motion[child] = self.of.array([0] * swept.speeds)
                motion[child][swept.which] = given
                waiting.append((child, arriving + swept.H @ given))
        return motion

    def _own(self, link: _Link) -> Numbers:
        """A body's own inertia, of the velocity and spin in its point's frame."""
        of, body = self.of, _undeformed(self.model.body(link.far.body))
        own = of.array(np.zeros((6, 6)))
        own[:3, :3] = of.value(body.mass) * of.array(np.eye(3))
        if isinstance(body.inertia, tuple):
            own[3:, 3:] = [[of.value(x) for x in row] for row in body.inertia]
        else:
            own[5, 5] = of.value(body.inertia)
        centre = of.place(body.centre)
        X = _seen(of.array(np.eye(3)), centre) @ _back(*of.frame(link.far))
        return np.asarray(X.T @ own @ X)

    def _hung(self, link: _Link) -> tuple[Numbers, Numbers]:
        """X and H of a link, see `_Swept`; a driven hinge moves as it is told."""
        R, p, twists = self.of.posed(link.hinge, self.chooser)
        v, w = twists[:3], twists[3:]
        if link.near == link.hinge.ends[0]:
            H = np.vstack([R.T @ v, R.T @ w])
        else:  # described from the other body, as seen from this one
            H = -np.vstack([v + _cross(p) @ w, w])
            R, p = R.T, -R.T @ p
        if link.hinge.motion:
            H = H[:, :0]
        X = _seen(R, p)
        if link.near.body != GROUND:
            X = X @ _seen(*self.of.frame(link.near))
            X = X @ _back(*self.of.frame(self.far[link.near.body]))
        return X, H


def _definite_part(D: Numbers, least: list[Fraction]) -> tuple[list[int], Numbers, list[Numbers]]:
    """The speeds that are resisted, their D⁻¹, and a motion for each of the others.

    By the sweep operator, which leaves −D⁻¹ where it was and D⁻¹ D beside it.
    """
    A, which, others = D.copy(), [], []
    for k in range(len(D)):
        d = A[k, k]
        if d <= least[k]:
            others.append(k)
            continue
        which.append(k)
        row, column = A[k] / d, A[:, k] / d
        A = A - np.outer(column, row) * d
        A[k], A[:, k], A[k, k] = row, column, -1 / d
    ways = []
    for k in others:
        way = 0 * D[k]
        way[k] += 1
        way[which] = -A[which, k]
        ways.append(way)
    return which, -A[np.ix_(which, which)], ways


def _signs(model: System) -> dict[str, int]:
    """By body: 1 if it resists every motion of its own, 0 if none drives it, −1 if one may.

    Equal bodies share their data; each is looked at once.
    """
    known: dict[tuple[int, int], int] = {}
    signs = {}
    for each in model.bodies:
        if isinstance(each, Beam):
            signs[each.name] = 1
            continue
        data = id(each.mass), id(each.inertia)
        if data not in known:
            known[data] = _sign(model, each)
        signs[each.name] = known[data]
    return signs


def _sign(model: System, body: Body) -> int:
    given = body.inertia if isinstance(body.inertia, tuple) else ((body.inertia,),)
    tensor = np.array([[model.value(x) for x in row] for row in given])
    principal = np.linalg.eigvalsh(tensor)
    if principal[0] < -DEPENDENT * np.abs(principal).max():
        return -1
    return int(model.value(body.mass) > 0 and principal[0] > DEPENDENT * principal[-1])


def _undeformed(body: Body | Beam) -> Body:
    """A beam as the rigid rod that it is without strain."""
    if isinstance(body, Body):
        return body
    mass, half = body.density * body.length, body.length / 2
    across = mass * body.length**2 / 12
    if not isinstance(body.bending_stiffness, tuple):
        return Body(body.name, mass, across, (half, 0), body.points)
    about = body.polar_inertia * body.length
    tensor = ((about, 0, 0), (0, across, 0), (0, 0, across))
    return Body(body.name, mass, tensor, (half, 0, 0), body.points)


def _links(model: System) -> list[_Link]:
    """The tree's links, each behind its parent."""
    at: dict[str, list[Hinge]] = {GROUND: [], **{body.name: [] for body in model.bodies}}
    for hinge in model.tree_hinges:
        for end in hinge.ends:
            at[end.body].append(hinge)
    found: list[_Link] = []
    reached, known = [GROUND], {GROUND}
    for name in reached:
        for hinge in at[name]:
            near, far = hinge.ends if hinge.ends[0].body == name else hinge.ends[::-1]
            if far.body not in known:
                known.add(far.body)
                found.append(_Link(hinge, near, far))
                reached.append(far.body)
    return found


def _seen(R: Numbers, p: Numbers) -> Numbers:
    """Velocity and spin to those at a place p, in axes R."""
    return np.block([[R.T, -R.T @ _cross(p)], [0 * R, R.T]])


def _back(R: Numbers, p: Numbers) -> Numbers:
    """The inverse of `_seen`."""
    return np.block([[R, _cross(p) @ R], [0 * R, R]])


def _cross(p: Numbers) -> Numbers:
    x, y, z = p
    zero = 0 * x
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]], dtype=p.dtype)


def _rounded(IA: Numbers) -> Numbers:
    """To 60 digits: what is handed on along a whole chain would grow with every link."""
    numbers: list[Fraction] = IA.ravel().tolist()
    most = max(map(abs, numbers))
    step = Fraction(2) ** (round(np.log2(float(most))) - 200 if most else 0)
    return np.array([round(x / step) * step for x in numbers], dtype=object).reshape(IA.shape)
