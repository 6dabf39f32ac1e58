"""Modes by contour integrals: what responses around an eigenvalue have in common."""

from __future__ import annotations

import numpy as np

from ....errors import NumericsError
from ...evaluation.arrays import Floats
from ..refinement import ALIKE
from ..stiffness import Complex, ComplexStiffness, Whole
from .winding import Logarithm
from .zeros import power_sums

#: Points on a circle around one eigenvalue, and around several that are equal, and its radius as a
#: part of that within which no others are: these are off by (1/1024)⁴ and (1/8)¹⁶ of what they are.
ONE, SEVERAL = (4, 1 / 256), (16, 1 / 2)

#: So often a circle becomes smaller until no others lie within.
ROUNDS = 9

#: Equal eigenvalues may have fewer modes than they are: what keeps the others apart from a mode is
#: of the size of the circle, and rounding much less.
DEFECTIVE = 1e-3

#: Rounding of what a circle tells of an eigenvalue, as a part of it.
ROUNDING = 1e-14


def shapes(
    stiffness: ComplexStiffness,
    values: Complex,
    multiplicity: Whole,
    radii: Floats,
    parameters: Floats | None = None,
) -> list[Complex]:
    """The independent modes of each eigenvalue; the largest entry of each is 1.

    Within four times these `radii` there are no others. Of
    several modes of one eigenvalue the first moves most an entry that the others leave at rest,
    and so on.

    Shape
        Of each (modes, length).
    Source
        Beyn (2012), with as many moments as defective eigenvalues need.
    """
    found: list[Complex] = [np.zeros((0, stiffness.length), complex)] * len(values)
    for count in sorted({*multiplicity.tolist()}):
        own = np.flatnonzero(multiplicity == count)
        given = None if parameters is None else parameters[own]
        moments = _moments(stiffness, values[own], count, radii[own], given)
        for k, moment in zip(own, moments, strict=True):
            found[k] = settled(moment[0].T if count == 1 else _several(moment, count))
    return found


def told_apart(
    stiffness: ComplexStiffness, s: complex, count: int, radius: float
) -> tuple[Complex, float]:
    """The eigenvalues that a list has as one, and by how much rounding may move them.

    Source
        Beyn (2012); by Bauer and Fike they move by the rounding of the pencil, times the condition
        of its eigenvectors: of equal ones with as many modes by hardly more than one alone.
    """
    (moment,) = _moments(stiffness, np.array([s]), count, np.array([radius]), None)
    (_, part), (_, sizes, step) = ONE if count == 1 else SEVERAL, _pencil(moment, count)
    offsets, vectors = np.linalg.eig(step)
    condition = float(np.linalg.cond(vectors) * sizes[0] / sizes[count - 1])
    values: Complex = np.asarray(s + part * radius * offsets, dtype=np.complex128)
    return values, ROUNDING * condition * abs(s)


def _moments(
    stiffness: ComplexStiffness,
    values: Complex,
    count: int,
    radii: Floats,
    parameters: Floats | None,
) -> Complex:
    """Moments ∮ zᵏ A⁻¹ p dz about each value, of as many loads p as there are eigenvalues.

    Shape
        (values, 4, length, count).
    """
    random = np.random.default_rng(0)
    loads = random.standard_normal((count, stiffness.length)) + 0j
    around, part = ONE if count == 1 else SEVERAL
    angles = np.exp(2j * np.pi * np.arange(around) / around)
    s = values[:, np.newaxis] + part * radii[:, np.newaxis] * angles
    u = stiffness.responses(
        np.repeat(s.ravel(), count),
        np.tile(loads, (s.size, 1)),
        None if parameters is None else np.repeat(parameters, around * count, axis=0),
    ).reshape(len(values), around, count, -1)
    powers = angles ** np.arange(1, 5)[:, np.newaxis]
    moments: Complex = np.einsum("ka,nacl->nklc", powers, u) / around
    return moments


def clear(
    logarithm: Logarithm, s: Complex, multiplicity: Whole, radii: Floats, lanes: Whole
) -> Floats:
    """Radii, at most these, such that within four times each lie no others than those at s.

    Raises
        NumericsError: there are none, as the determinant has other zeros than was thought.
    """
    radii, left = radii.copy(), np.arange(len(s))
    for _ in range(ROUNDS):
        number, _ = power_sums(logarithm, s[left], 4 * radii[left], lanes[left], 1)
        left = left[number != multiplicity[left]]
        if not left.size:
            return radii
        radii[left] /= 8
    raise NumericsError(
        f"near s = {s[left[0]]:.9g} the determinant has other zeros than {multiplicity[left[0]]}"
    )


def _pencil(moments: Complex, count: int) -> tuple[Complex, Floats, Complex]:
    """What spans the moments, their sizes, and the matrix whose eigenvalues are the offsets."""
    first, second = (
        np.block([[moments[k], moments[k + 1]], [moments[k + 1], moments[k + 2]]]) for k in (0, 1)
    )
    left, sizes, right = np.linalg.svd(first)
    left, right = left[:, :count], right[:count].conj().T
    return left, sizes, left.conj().T @ second @ right / sizes[:count]


def _several(moments: Complex, count: int) -> Complex:
    """Modes of `count` eigenvalues that are equal, fewer if they are defective."""
    left, _, step = _pencil(moments, count)
    _, apart, kinds = np.linalg.svd(step)
    null = kinds[apart < DEFECTIVE].conj().T
    modes: Complex = (left[: moments.shape[1]] @ null).T
    return modes


def settled(modes: Complex) -> Complex:
    """Modes of one eigenvalue in a basis that rounding does not choose, largest entries 1.

    Shape
        (count, length).
    """
    left, chosen = modes, []
    while len(left):
        sizes = np.linalg.norm(left, axis=0)
        entry = int(np.flatnonzero(sizes > (1 - ALIKE) * sizes.max())[0])
        # The first row takes all of this entry, the others none.
        left = np.linalg.qr(left[:, [entry]], mode="complete")[0].conj().T @ left
        chosen.append(left[0] / left[0, entry])
        left = left[1:]
    sizes = np.abs(chosen)
    largest = (sizes > (1 - ALIKE) * sizes.max(axis=1, keepdims=True)).argmax(axis=1)
    return np.array([mode / mode[k] for mode, k in zip(chosen, largest, strict=True)])
