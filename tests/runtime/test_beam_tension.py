"""Exact beams under tension that shear: against Reissner's energy, Haringx' columns, 50 digits."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import cell_models as models
import mpmath as mp
import pytest
import sympy as sp
from test_linear_beams import below, see, solver, zeros

import mstmm
from mstmm.model.files.toml import from_text

#: A pillar that shears as much as it bends.
SECTION = {**models.THICK, "foundation": 3.0, "axial_stiffness": 1e6}


@cache
def second_variation() -> Any:
    """Of the energy of a slice by (v′, θ), of a beam of any displacements pulled by N at rest.

    Reissner 1972: ½ EA (Γ₁ − 1)² + ½ kGA Γ₂², with strains in axes of the section, less the work of
    N at the end. Strains at rest are small: EA → ∞.
    """
    du, dv, theta, EA, kGA, N = sp.symbols("du dv theta EA kGA N", positive=True)
    along = (1 + du) * sp.cos(theta) + dv * sp.sin(theta) - 1
    across = -(1 + du) * sp.sin(theta) + dv * sp.cos(theta)
    energy = EA * along**2 / 2 + kGA * across**2 / 2 - N * du
    at = {du: N / EA, dv: 0, theta: 0}
    assert sp.diff(energy, du).subs(at) == 0
    found = sp.hessian(energy, (dv, theta)).subs(at).applyfunc(lambda x: sp.limit(x, EA, sp.oo))
    return sp.lambdify([kGA, N], list(found), "mpmath")


def free_end(w: Any, of: dict[str, float]) -> Any:
    """det of (f, m) at the free end of a clamped beam, by (v, v′, θ, θ′) and the energy's slopes.

    (∂V/∂v′)′ + a v = 0 and EI θ″ − ∂V/∂θ + b θ = 0.
    """
    kGA, N, EI = (mp.mpf(of[x]) for x in ("shear_stiffness", "tension", "bending_stiffness"))
    A, B, _, C = second_variation()(kGA, N)
    a, b = of["density"] * w - of["foundation"], of["rotary_inertia"] * w
    G = mp.zeros(4)
    G[0, 1], G[2, 3] = 1, 1
    G[1, 0], G[1, 3] = -a / A, -B / A
    G[3, 1], G[3, 2] = B / EI, (C - b) / EI
    T = mp.expm(G, method="taylor")
    force, moment = A * T[1, :] + B * T[2, :], T[3, :]
    return force[1] * moment[3] - force[3] * moment[1]


@pytest.mark.parametrize("tension", [9.0, -1.3, 30.0])
def test_tension_and_shear(tension: float) -> None:
    """Eigenvalues of a cantilever are those of the energy's own equations, to 1e-12."""
    section = {**SECTION, "tension": tension}
    see(solver(models.cantilever(section)), zeros(lambda w: free_end(w, section), 40))


@pytest.mark.parametrize(("dimension", "kGA"), [(2, 4.0), (3, 25.0)])
def test_a_pillar_that_shears_buckles_as_haringx_says(dimension: int, kGA: float) -> None:
    """P (1 + P/kGA) = π² EI/4L²: half a unit in the eleventh digit below it stands, above not."""
    section = {**models.SLENDER, "shear_stiffness": kGA}
    if dimension == 3:
        section = {**models.SPATIAL, "shear_stiffness": [kGA, 1e9]}
    euler = math.pi**2 / 4  # of EI = 1, in space about the second axis
    thrust = kGA / 2 * (math.sqrt(1 + 4 * euler / kGA) - 1)
    for way in (-1, 1):
        tension = -thrust * (1 + way * 1e-11)
        of = solver(models.cantilever({**section, "tension": tension}, dimension), 4)
        assert below(of, [0.0]) == [way > 0]


def test_what_hardly_shears_is_euler_and_bernoullis_beam() -> None:
    """As far as kGA L²/EI says."""
    section = {**models.SLENDER, "tension": 7.5}
    slender = solver(models.cantilever(section)).modes(count=4).squares
    stiff = solver(models.cantilever({**section, "shear_stiffness": 1e11})).modes(count=4).squares
    assert stiff == pytest.approx(slender, rel=1e-7)


@pytest.mark.parametrize("dimension", [2, 3])
def test_strain_energies_are_all_there(dimension: int) -> None:
    """Of bending, shear and tension, which add up to ω² M/2: nothing is left for loads at rest."""
    section: dict[str, object] = {**SECTION, "tension": 12.0}
    if dimension == 3:
        section = {**models.SPATIAL, "shear_stiffness": [30.0, 50.0], "tension": 12.0}
    strains = solver(models.cantilever(section, dimension)).modes(count=6).strains
    assert abs(strains.shares[:, -1]).max() < 1e-9
    assert "arm: tension" in strains.names["part"]


def test_damped_motions_have_the_same_tension() -> None:
    """Without damping their frequencies are the natural ones."""
    text = models.cantilever({**SECTION, "tension": 9.0})
    natural = solver(text).modes(count=2).frequencies
    found = mstmm.compile(from_text(text), algorithm="damped", target="numpy").damped(count=2)
    assert found.frequencies == pytest.approx(natural, rel=1e-9)
