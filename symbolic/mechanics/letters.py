"""What kernels in joint coordinates may say of a link, and what they may ask of it.

Of what is said one name has one letter and one meaning.

A link's axes and origin are those of its output point. Accelerations are those of points,
(r̈, Ω̇); gravity is an acceleration of the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..language.letters import letters
from .space import POINT
from .traced import Facts, tracing

BALANCE = "balance about the output end: Riccati paper (4)"
INERTIA, DEMAND = f"{BALANCE}, (29)", f"{BALANCE}, (30)"
HINGE = "own: what a hinge's freedoms demand"
YIELDED, LEFT, REST = (
    f"Hᵀ λ = τ at the hinge: Riccati paper ({number}), completed" for number in (24, 29, 30)
)
RICCATI = "Riccati paper (31): z_a = S z_b + e"
MOVED = "IA, pA moved to the parent's origin: deduction paper, sums at bodies"
BACK = "back-substitution: Riccati paper (33), completed"
SPIN = "ω = Cᵀ ω_parent + relative spin"
BIAS = "deduction paper: bias of the hinge"

LETTERS = letters(f"""
    m    | m   | 1       | | mass, kg
    h    | h   | d       | | first moment of mass about the link's origin, kg m
    J    | J   | s s sym | | moment of inertia about the link's origin, kg m²
    Sg   | Σ   | d d sym | | second moment of mass about the link's origin, ∫ r rᵀ dm, kg m²
    rC   | r_C | d       | | centre of mass, from the link's origin, m
    q    | q   | 1       | | coordinate
    u    | u   | 1       | | speed
    t    | t   | 1       | | time, s
    qn   | q′  | 1       | own | coordinate, of a quaternion of length 1
    pitch  | pitch  | 1  | | shift of a helical hinge along its axis per angle, m/rad
    radius | radius | 1  | | radius of a rack's pinion, m; negative on the other side
    ratio  | n   | 1     | | how far a hinge turns or slides with the one that it follows
    offset | q₀  | 1     | | where it is if that one is at zero
    K    | K   | d d rot | | rotation from the hinge's axes to the parent's
    C    | C   | d d rot | | rotation from the link's axes to the parent's
    cz   | c   | 1 cos   | | cosine of the angle that the hinge turns by
    sz   | s   | 1 sin   | | sine of the angle that the hinge turns by
    R    | R   | d d     | | rotation of a hinge: from the child's axes to the hinge's
    p    | p   | d       | | position of the child's point from the parent's, in the hinge's axes, m
    rk   | r_k | d       | | the hinge's place, from the parent's origin and in the parent's axes, m
    r    | r   | d       | | from the parent's origin to the link's, in the parent's axes, m
    vr   | v_r | d       | | velocity in the hinge, m/s
    wr   | ω_r | s       | | angular velocity in the hinge, rad/s
    br   | b_r | d       | | the part of the acceleration in the hinge that speeds alone give, m/s²
    bw   | b_ω | s       | | the part of the angular acceleration that its speeds alone give, rad/s²
    H_   | H   | n f sub | | motion subspace of the hinge: a column for each of its freedoms
    rho  | ρ   | f       | | inertia of the hinge's rotor along each of its freedoms
    T_   | τ   | f       | | force along each freedom of the hinge, by its law
    A    | A   | d d rot | own | direction cosines: from the link's axes to inertial ones
    x    | x   | d       | own | position of the link's origin, m
    w    | Ω   | s       | own | angular velocity, in the link's axes, rad/s
    vl   | v   | d       | own | velocity of the link's origin, m/s
    vP   | v_P | d       | own | velocity of the parent at the hinge, m/s
    Ebefore | E₀ | 1     | | energy of the links before, J
    E    | E   | 1       | own | kinetic and potential energy of the links up to this one, J
    Erotor | E | 1       | own | the same with the energy of a hinge's rotor, J
    qd   | q̇   | f       | q̇(q, u) | rates of the hinge's coordinates
    tau  | τ_a | 1       | | force applied along a freedom of the hinge
    V    | V   | 1       | the hinge's potential | energy stored in a hinge, J
    vC   | v_C | d       | own | velocity of the centre of mass, m/s
    JC   | J_C | s s sym | | moment of inertia about the centre of mass, kg m²
    g    | g   | d       | | gravity, m/s²
    Kb   | K_b | d d rot | | rotation from the body's own axes to the link's
    ob   | o_b | d       | | origin of the body's own axes, from the link's, m
    Ab   | A_b | d d rot | own | from the body's own axes to inertial ones
    o    | o   | d       | own | position of the body's own origin, m
    pose | pose | 4 4    | own | pose of the body
    f    | f   | n       | | external force and couple, in inertial axes
    fl   | f_l | d       | own | external force, in link axes, N
    W    | W   | n       | | wrench of a cut hinge, a load or a force on the body
    w2   | w2  | 1       | {POINT} | square of the angular velocity, rad²/s²
    Jw   | L   | s       | Riccati paper (5): E9 | moment of momentum, kg m²/s
    IA   | IA  | n n sym | {INERTIA} | inertia of a link and all that hangs on it: λ = IA a + pA
    pA   | pA  | n       | {DEMAND} | the part of λ that does not depend on a
    gam  | γ   | n       | {BIAS} | acceleration behind the hinge that speeds alone give
    held | p_γ | n       | {HINGE} | pA with the acceleration γ
    U    | U   | n f     | {HINGE} | wrench that unit accelerations of the hinge demand
    D    | D   | f f sym | {HINGE} | inertia along the freedoms of the hinge
    G_   | G   | f n     | {YIELDED} | what the parent's acceleration takes from u̇
    k_   | k   | f       | {YIELDED} | rates of the hinge's speeds at a₀ = 0: a parent that falls
    IAc  | IA_c | n n sym | | what a shared coordinate that ends at the link adds to IA
    pAc  | p_c | n       | | what a shared coordinate that ends at the link adds to pA
    IAh  | IAh | n n sym | {LEFT} | IA behind the hinge, whose own freedoms are eliminated
    pAh  | pAh | n       | {REST} | pA behind the hinge
    IAt  | IAt | n n sym | {MOVED} | IAh about the parent's origin and in its axes
    pAt  | pAt | n       | {MOVED} | pAh about the parent's origin and in its axes
    acc  | a   | n       | own | acceleration (r̈ − g, Ω̇) of the origin, in link axes; weightless: r̈
    a0   | a₀  | n       | {POINT} | the same of the parent at the link's origin
    ud   | u̇   | f       | {BACK} | rates of the hinge's speeds
    a    | u̇   | 1       | {BACK} | rate of a hinge's speed
    lam  | λ   | n       | {RICCATI} | wrench that the hinge exerts on the link
    load | (m, q) | 6    | Riccati paper (2) | moment and force at the hinge, inertial axes
    drive | Q  | 1       | own | force that drives a hinge
    aP   | a_P | d       | {POINT} | acceleration r̈ − g of the parent at the hinge, m/s²
""")

#: Values of what a link, or a part of a beam, moves relative to, by the name of the array.
PARENTS: Mapping[str, str] = {"Ap": "A", "xp": "x", "vp": "vl", "wp": "w", "ap": "acc", "Bp": "B"}

FACTS: Facts = {
    "dimension": lambda tree, _: tree.dimension,
    "count": lambda tree, link: tree.count(link),
    "freedom": lambda tree, link: tree.freedom(link),
    "input_count": lambda _, link: len(link.inputs),
    "push_count": lambda tree, link: len(tree.pushes(link)),
    "ending_count": lambda tree, link: len(tree.shared.closings(link)) // 2,
    "loaded": lambda tree, _: tree.loaded,
    "acting": lambda tree, link: tree.acting(link),
    "pushed": lambda tree, link: tree.pushed(link),
    "rotor": lambda tree, link: tree.rotor(link) is not None,
    "way": lambda tree, link: tree.turn(link),
    "cuts": lambda tree, link: tree.loops.holding(link)[0],
    "couplings": lambda tree, link: sum(x.startswith("mu_") for x in tree.loops.coupling(link)),
    "projected": lambda tree, _: tree.of != "body",
    "kind": lambda tree, link: tree.attachment(link).hinge.kind,
    "backward": lambda tree, link: tree.attachment(link).backward,
}

#: What the parent's values are called in kernels.
OF_PARENT: Mapping[str, str] = MappingProxyType({array: port for port, array in PARENTS.items()})

#: Makes kernels of functions over these letters.
traced = tracing(LETTERS, FACTS, OF_PARENT)
