"""Beams beside a ground that shakes: loads at ends of cells that stand for their inertia."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from ....errors import UsageError
from ....model import Hinge, Model
from ....symbolic.methods.linear.fields import Links
from ...evaluation.arrays import Floats
from ..coded.changing import only_spins
from ..coded.small import SmallMotions
from ..inside import POINTS, WEIGHTS, transfer
from ..stiffness import Complex


class EndLoads(NamedTuple):
    """Loads at the ends of a cell in inertial axes, a force and a moment: (frequency, n)."""

    cell: str
    near: Complex
    far: Complex


def end_loads(motions: SmallMotions, links: Links, axis: int, omegas: Floats) -> Iterator[EndLoads]:
    """What a ground that moves by 1 m along an axis does to cells: ω² ρA all along them.

    Between held ends that load asks λ_I = −B⁻¹ u_p and λ_O = D λ_I + λ_p of them, whose opposite
    act there; z_p is what it makes of z = 0 at I, ∫ T(l) T(x)⁻¹ g dx of T from I to x.

    Source
        own
    """
    model, d = motions.model, motions.model.dimension
    frames = dict(zip(motions.moving, motions.placed(), strict=True))
    laden = {name: x for name, x in motions.laden().items() if name in ("NI", "NS")}
    for k, cell in enumerate(links.cells.values()):
        R, of = frames[cell.name][:d, :d], cell.section.values
        given = {name: x[k] for name, x in laden.items()} | _relaxed(model, cell.beam, of, omegas)
        T = transfer(cell.section, d, np.append(POINTS, 1.0), omegas**2, given)
        n = T.shape[-1] // 2
        g = np.zeros((len(omegas), 1, 2 * n, 1), dtype=T.dtype)
        g[:, 0, n : n + d, 0] = -np.multiply.outer(of["rhoA"] * omegas**2, R[axis])
        parts = np.linalg.solve(T[:, :-1], np.broadcast_to(g, (*T[:, :-1].shape[:2], 2 * n, 1)))
        whole = T[:, -1]
        z = whole @ np.einsum("k,mkij->mij", WEIGHTS * of["l"], parts)
        at_I = -np.linalg.solve(whole[:, :n, n:], z[:, :n])
        at_O = whole[:, n:, n:] @ at_I + z[:, n:]
        yield EndLoads(cell.name, *(_shown(x[..., 0], R) for x in (-at_O, at_I)))


def see_beams_alike(model: Model, parameters: Sequence[str], rows: Floats) -> None:
    """See that beams on a ground that moves are the same at all frequencies.

    Shape
        `rows` (frequency, parameter).
    Raises
        UsageError: they are not.
    """
    changing = [x for x, y in zip(parameters, rows.T, strict=True) if np.ptp(y)]
    if not only_spins(model, changing, apart=[x.name for x in fields(Hinge)]):
        raise UsageError(
            "beside beams on a ground that moves only laws of hinges change with the frequency, "
            f"and {', '.join(changing)} changes more"
        )


def _relaxed(
    model: Model, beam: str, of: Mapping[str, float], omegas: Floats
) -> dict[str, Complex]:
    """The stiffnesses of a section that are complex at s = iω, by what kernels call them."""
    own = next(x for x in model.beams if x.name == beam)
    visc, loss = model.value(own.damping), model.value(own.loss)
    if not visc and not loss:
        return {}
    e = (1 + 1j * (visc * omegas + loss))[:, np.newaxis]
    powers = {"EA": 1, "GJ": 1, "EIy": 1, "EIz": 1, "gy": -1, "gz": -1}
    return {x: np.asarray(of[x] * e**power) for x, power in powers.items() if x in of}


def _shown(x: Complex, R: Floats) -> Complex:
    """A load in inertial axes."""
    d = len(R)
    moment = x[:, d:] if d == 2 else x[:, d:] @ R.T
    return np.hstack([x[:, :d] @ R.T, moment])
