"""What the kernels of the overall transfer equation may say of ends, bodies and hinges.

A body's places are from its first input; r₂ and so on are those of its further inputs. With
λ = (−q, m), a state's load is what an output exerts.
"""

from __future__ import annotations

from ...language.letters import letters
from ...mechanics.letters import FACTS, LETTERS
from ...mechanics.space import POINT
from ...mechanics.traced import tracing

BODY = "deduction paper (13), (19), (20): U of a body"
BEAM = "deduction paper: extended state of a beam, its balance seen from the first input"
HINGE = "own: U of a hinge, with its open accelerations in s"
PLACE = "deduction paper (16), (17): geometry of the body"
TIP = "deduction paper: boundary conditions, what is not known of an end"

OVERALL = LETTERS | letters(f"""
    c    | c    | 1 cos   | | cosine of the body's angle
    s    | s    | 1 sin   | | sine of the body's angle
    omega | ω   | s       | | angular velocity, in the body's own axes
    Omega | Ω   | s       | own | angular velocity, in inertial axes
    Omegap | Ω  | s       | own | angular velocity at the hinge's other side, in inertial axes
    rO   | r_O  | d       | | from the first input to the output, in the body's axes
    rC   | r_C  | d       | | from the first input to the centre of mass, in the body's axes
    rL   | r_L  | d       | | from the first input to the link's origin, in the body's axes
    rIO  | r_IO | d       | {PLACE} | from the first input to the output
    rIC  | r_IC | d       | {PLACE} | from the first input to the centre of mass
    rIL  | r_IL | d       | {PLACE} | from the first input to the link's origin
    rK   | r_I  | d       | {PLACE} | from the first input to a further one
    h    | h    | d       | {BODY} | first moment of mass about the first input
    JI   | J_I  | s s sym | {BODY} | moment of inertia about the first input
    tau  | τ    | s       | | applied moment, in the body's axes; force along a hinge
    gO   | g_O  | d       | {POINT} | acceleration of the output that speeds alone give
    gK   | g_I  | d       | {POINT} | acceleration of a further input that speeds alone give
    P    | P    | d       | own | force of a load
    fq   | f_q  | d       | {BODY} | force on the body, less what its speeds demand
    fm   | f_m  | s       | {BODY} | moment about the first input that speeds demand, less what acts
    N    | N    | d d     | {HINGE} | rotation from the hinge's axes to inertial ones
    rk   | r_k  | d       | | from the parent's origin to the hinge
    arm  | ℓ    | d       | {HINGE} | from one point of the hinge to the other
    dh   | d    | d       | {HINGE} | from the hinge's input to its output
    gs   | γ_s  | n       | {HINGE} | the output's acceleration that speeds in the hinge alone give
    Hi   | H_i  | n f     | {HINGE} | motion subspace of the hinge, in inertial axes
    Hs_  | H_s  | n f     | {HINGE} | what speeds in the hinge give to the output's acceleration
    a    | a    | n       | | acceleration (r̈, Ω̇) of an end
    m    | m    | s       | {TIP} | moment at an end
    q    | q    | d       | | force at an end
    ao   | a_O  | n       | {BODY} | acceleration of the output
    mo   | m_O  | s       | {BODY} | moment at the output
    qo   | q_O  | d       | {BODY} | force at the output
    a0   | a_K  | n       | | acceleration that is known of a root, or that the column begins with
    m0   | m_K  | s       | | moment that is known there
    q0   | q_K  | d       | | force that is known there
    mass | m    | 1       | | mass, kg
    Y_   | Y    | n f     | {BEAM} | motion of an end per unit modal acceleration
    Me_  | M_e  | n f     | {BEAM} | inertia between the first input's acceleration and the modes
    Mee_ | M_ee | f f sym | {BEAM} | inertia of the modes
    pe_  | p_e  | f       | {BEAM} | what speeds and stiffness demand of the modes
    u    | u̇    | 1       | | an element's own acceleration
    x    | x    | f       | | unknowns, or given entries
    unit | e    | f       | | a unit vector
    row  | row  | 1       | | entry of a row, or of its right-hand side
    ag   | a_g  | n       | {POINT} | acceleration of the ground, and of gravity
    Ag   | A_g  | d d rot | | from the ground's axes to inertial ones
    accg | α_g  | n       | | acceleration of the ground's origin, in its axes
    Bg   | B_g  | d d     | | ~Ω̇ + ~Ω ~Ω of the ground
    AO   | A_O  | d d rot | | from the axes of the section at the output to inertial ones
    rOL  | r_OL | d       | | from the body's output to the hinge, in the body's axes
    rate | ω̇    | s       | own | angular acceleration, in the body's axes
    y    | y    | 1       | | entry of the overall equation
    load | (m, q) | 6     | deduction paper (1) | moment and force at an end
    drive | τ   | 1       | own: Hᵀ λ + τ = 0 at the output of a hinge | driving force
""")

#: Where elements are placed m is the body's mass.
PLACED = OVERALL | letters("m | m | 1 | | mass")

traced = tracing(OVERALL, FACTS, {"A": "Ap", "w": "wp"})
placing = tracing(PLACED, FACTS, {})
