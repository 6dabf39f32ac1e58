"""Andrews' squeezer against the literature: where the two agree, and whose rounding is left."""

from __future__ import annotations

from math import cos, hypot, sin
from pathlib import Path

import numpy as np

import mstmm

FILE = Path(__file__).parents[2] / "benchmarks" / "stiff" / "squeezer.toml"

#: Hairer and Wanner, Solving Ordinary Differential Equations II, Sect. VII.7, and the IVP test set:
#: accelerations at the start, places and speeds after 0.03 s.
START = {"qbeta": 14222.4439199541138705911625887, "qtheta": -10666.8329399655854029433719415}
PLACES = {
    "qbeta": 15.81077119629904,
    "qtheta": -15.75637105984298,
    "qgamma": 0.04082224013073101,
    "qphi": -0.5347301163226948,
    "qdelta": 0.5244099658805304,
    "qomega": 0.5347301163226948,
    "qepsilon": 1.048080741042263,
}
SPEEDS = {
    "qbeta": 1139.920302151208,
    "qtheta": -1424.379294994111,
    "qgamma": 11.03291221937134,
    "qphi": 19.29337464421385,
    "qdelta": 0.5735699284790808,
    "qomega": -19.29337464421385,
    "qepsilon": 0.3231791658026955,
}


def spring(model: mstmm.Model, angle: float) -> float:
    """The energy of the spring, which the file states by its force."""
    p, s, c = model.parameters, sin(angle), cos(angle)
    across = p["xb"] - p["xc"] + p["sd"] * c + p["sc"] * s
    up = p["yb"] - p["yc"] + p["sd"] * s - p["sc"] * c
    return p["c0"] * (hypot(across, up) - p["l0"]) ** 2 / 2


def test_the_literature_is_our_motion_a_picosecond_later() -> None:
    """The published state is off by the error of its own integration, not by another system."""
    solver = mstmm.compile(mstmm.load(FILE))
    names, start = solver.coordinates, solver.assemble()
    known = np.array([START.get(name, 0.0) for name in names])
    found = solver.accelerations(start.q, start.v)
    np.testing.assert_allclose(found, known, rtol=0, atol=1e-12 * np.abs(known).max())

    run = solver.simulate(start.q, start.v, t_end=0.03, record=0.03, method="dopri5",
                          rtol=1e-12, atol=1e-12)  # fmt: skip
    q, v = run.q[-1], run.v[-1]
    theirs = (np.array([given[name] for name in names]) for given in (PLACES, SPEEDS))
    q_theirs, v_theirs = theirs
    assert np.abs(q - q_theirs).max() < 2e-9
    later = ((q_theirs - q) / v)[np.abs(v) > 10]
    np.testing.assert_allclose(later, 1.0e-12, rtol=0.05)

    def open_at(q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        places, rates = solver.constraints(q, v)
        return float(np.abs(places).max()), float(np.abs(rates).max())

    def energy(q: np.ndarray, v: np.ndarray) -> float:
        work = solver.model.parameters["mom"] * q[names.index("qbeta")]
        return float(solver.energy(q, v)) + spring(solver.model, q[names.index("qgamma")]) - work

    first = energy(start.q, start.v)
    assert max(open_at(q, v)) < 1e-13
    assert abs(energy(q, v) - first) < 2e-12 * first
    gap, rate = open_at(q_theirs, v_theirs)
    assert gap < 1e-15
    assert 5e-10 < rate < 2e-9
    assert 1e-10 < abs(energy(q_theirs, v_theirs) - first) < 3e-10
