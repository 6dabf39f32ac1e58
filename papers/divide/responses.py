"""ξ of a run of bodies by its definition: what one dense system answers to impulses at its ends."""

from __future__ import annotations

from ...symbolic.equations.matrices import Mat, block, diag, hcat, vcat
from ...symbolic.exact.screws import skew
from ...symbolic.exact.series import Series
from .instant import Instant
from .pieces import Piece

#: ξ_gh by g and h: of handle g's velocity the answer to an impulse at handle h, 0 to none at all.
Responses = dict[tuple[int, int], Mat]


def mass_matrix(at: Instant, i: int, about: Series) -> Mat:
    """Of body i about a point, [[m, −m ~l], [m ~l, J − m ~l²]], l to its centre."""
    m, arm = Mat.of(at.mass[i])[0, 0], Mat.of(skew((at.C[i] - about).value))
    lever = arm.times(m)
    J = Mat.of(at.J(i).value) - lever @ arm
    return block([[Mat.eye(3).times(m), -lever], [lever, J]])


def responses(at: Instant, first: int, last: int) -> Responses:
    """Of the bodies `first` to `last`: their momenta, and what each joint between them holds.

    Unknown are the bodies' velocities at their first handles, and the σ of the inner joints.
    """
    bodies = range(first, last + 1)
    inner = [Mat.of(at.D(k).value) for k in bodies[1:]]
    shift = {i: Mat.of(Piece(at, i, i).S12.value) for i in bodies}
    n, held = 6 * len(bodies), sum(D.cols for D in inner)

    def column(k: int, D: Mat) -> Mat:
        """What σ of the k-th inner joint takes from the bodies' momenta."""
        parts = [Mat.zeros(6, D.cols) for _ in bodies]
        parts[k], parts[k + 1] = shift[bodies[k]] @ D, -D
        return vcat(parts)

    system = diag([mass_matrix(at, i, Piece(at, i, i).O1) for i in bodies])
    if inner:
        taken = hcat([column(k, D) for k, D in enumerate(inner)])
        system = block([[system, taken], [taken.T, Mat.zeros(held, held)]])
    given = hcat([_at_ends(bodies, shift), vcat([_momenta(at, i, shift[i]) for i in bodies])])
    found = system.solve(vcat([given, Mat.zeros(held, 13)]) if held else given)
    assert found is not None, "the inner joints' conditions are independent"
    V1 = found.part(range(6), range(13))
    V2 = shift[last].T @ found.part(range(n - 6, n), range(13))
    columns = {1: range(6), 2: range(6, 12), 0: range(12, 13)}
    return {
        (g, h): V.part(range(6), across)
        for g, V in ((1, V1), (2, V2))
        for h, across in columns.items()
    }


def _at_ends(bodies: range, shift: dict[int, Mat]) -> Mat:
    """Unit impulses at both handles."""
    one, two = ([Mat.zeros(6, 6) for _ in bodies] for _ in range(2))
    one[0], two[-1] = Mat.eye(6), shift[bodies[-1]]
    return hcat([vcat(one), vcat(two)])


def _momenta(at: Instant, i: int, shift: Mat) -> Mat:
    """What the joints' own momenta give a body: H p of the one before, −H p of the one behind."""
    found = Mat.of(at.H(i).value * at.p(i).value)
    if i + 1 in at.joints:
        found = found - shift @ Mat.of(at.H(i + 1).value * at.p(i + 1).value)
    return found
