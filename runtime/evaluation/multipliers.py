"""Which of the forces that keep given accelerations in closed loops: passive ones zero, least."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import NumericsError, UsageError
from ...model import Model
from .arrays import Floats

#: Singular values of the Jacobian below this part of its norm are taken for zero.
NEGLIGIBLE = 1e-9

#: Passive forces may be this part of the largest force: the rounding of an ill-conditioned loop.
VANISHED = 1e-8


def choose(model: Model, forces: Floats, jacobian: Floats, passive: Sequence[str] = ()) -> Floats:
    """The multipliers μ with which τ = `forces` + Jᵀ μ is least and zero along `passive`.

    Shape
        `forces` (…, nv), `jacobian` (…, nc, nv); (…, nc).
    Raises
        UsageError: a passive speed that there is not.
        NumericsError: the forces along passive speeds cannot all vanish.
    Source
        Own: least squares in the null space of the passive rows.
    """
    passive = (passive,) if isinstance(passive, str) else passive  # inverse dynamics is quick
    if not isinstance(passive, Sequence):
        raise UsageError(f"passive = {passive!r} must be a sequence of names")
    for name in passive:
        if name not in model.speeds:
            known = ", ".join(model.speeds)
            raise UsageError(f"passive: there is no speed {name!r}; there are: {known}")
    rows = [model.speeds.index(name) for name in passive]
    columns = np.swapaxes(jacobian, -1, -2)
    own, wanted = columns[..., rows, :], -forces[..., rows]
    least = NEGLIGIBLE * np.sqrt((jacobian**2).sum(axis=(-2, -1)))
    inverse = _pseudo_inverse(own, least)
    mu = _times(inverse, wanted)
    left = np.abs(_times(own, mu) - wanted).max(axis=-1, initial=0.0)
    if np.any(left > VANISHED * np.abs(forces).max(axis=-1, initial=1.0)):
        raise NumericsError(
            f"{model.name}: the forces along {', '.join(passive)} cannot all vanish at "
            f"these accelerations, {left.max():.3g} is left; name fewer passive speeds"
        )
    free = np.eye(jacobian.shape[-2]) - inverse @ own
    rest = _pseudo_inverse(columns @ free, least)
    return np.asarray(mu - _times(free @ rest, forces + _times(columns, mu)))


def _pseudo_inverse(matrix: Floats, least: Floats) -> Floats:
    """Moore and Penrose's, singular values up to `least` taken for zero."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    kept = values > least[..., np.newaxis]
    inverse = np.where(kept, 1.0, 0.0) / np.where(kept, values, 1.0)
    turned = np.swapaxes(right, -1, -2) * inverse[..., np.newaxis, :]
    return np.asarray(turned @ np.swapaxes(left, -1, -2))


def _times(matrix: Floats, vector: Floats) -> Floats:
    return np.asarray((matrix @ vector[..., np.newaxis])[..., 0])
