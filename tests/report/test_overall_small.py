"""det U_all(ω) of what `derive --overall --algorithm linear` prints, against counts and modes."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy as sp
from cell_models import SLENDER, cantilever, l_frame
from commands import answer, run
from overall_small import Printed, PrintedFrame, unloaded
from small_motions import Dense, closed_model, resting_tree, spring_chain

import mstmm
from mstmm.model import Model
from mstmm.model.files.toml import from_text
from mstmm.symbolic.pages.named import displaced, named_matrices


def five(squares: np.ndarray, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 1.3 * abs(squares).max(), 5)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_of_trees_it_is_det_of_k_less_omega2_m(seed: int) -> None:
    """In the plane and in space, with rotors, on springs of any kind: up to its sign, exactly."""
    model = unloaded(resting_tree(seed), seed)
    dense, printed = Dense(model, np.array(model.q0)), Printed(model, model.q0)
    at = five(dense.eigenvalues, seed)
    signs, logs = np.transpose([np.linalg.slogdet(printed(x)) for x in at])
    known = np.transpose([np.linalg.slogdet(dense.K - x * dense.M) for x in at])
    np.testing.assert_allclose(logs, known[1], atol=1e-7)
    assert len({*(signs * known[0])}) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    "model",
    [
        spring_chain(3),
        closed_model(2),
        closed_model(4),
        closed_model(1),  # in space, cut at a cylindrical hinge, and at a ball
        closed_model(3),
        mstmm.load("geared-shafts").with_own_coordinates(),
    ],
)
def test_it_is_the_product_of_the_counts_pivots_and_zero_at_frequencies(model: Model) -> None:
    model = unloaded(model, 1)
    modes = mstmm.compile(model, algorithm="linear", target="numpy").modes(model.q0, count=20)
    printed, at = Printed(model, model.q0), five(modes.squares, 7)
    signs, logs = np.transpose([np.linalg.slogdet(printed(x)) for x in at])
    known, below = modes.determinant(np.sqrt(at))
    np.testing.assert_allclose(logs, known, atol=1e-7)
    assert len({*(signs * (-1.0) ** below)}) == 1
    for square in modes.squares:
        least = [
            np.linalg.svd(printed(x), compute_uv=False)[-1] for x in (square, 1.1 * square + 1)
        ]
        assert least[0] < 1e-9 * least[1]


@pytest.mark.long
@pytest.mark.parametrize("name", ["cantilever", "portal-frame", "l-frame"])
def test_of_beams_it_is_zero_where_the_count_jumps(name: str) -> None:
    """U is exp(G l) there, by scipy; its ratio to the pivots' product has no zero."""
    texts = {"cantilever": cantilever(SLENDER), "l-frame": l_frame()}
    model = from_text(texts[name]) if name in texts else mstmm.load(name)
    modes = mstmm.compile(model, algorithm="linear", target="numpy").modes(count=5)
    printed, at = PrintedFrame(model), five(modes.squares, 3)
    signs, logs = np.transpose([np.linalg.slogdet(printed(x)) for x in at])
    known, below = modes.determinant(np.sqrt(at))
    assert len({*(signs * (-1.0) ** below)}) == 1
    assert np.ptp(logs - known) < 0.5
    for square in modes.squares:
        assert np.sign(np.linalg.det(printed(square * (1 - 1e-7)))) == -np.sign(
            np.linalg.det(printed(square * (1 + 1e-7)))
        )


def test_what_is_printed_is_what_is_evaluated() -> None:
    """From accelerations: −ω² where loads follow from motions, nothing in the column of 1."""
    model = unloaded(resting_tree(0), 0)
    for one in named_matrices(mstmm.derive(model).overall):
        small = displaced(one)
        assert small is not None
        text = str(small.matrix)
        if one.matrix.shape == (5, 5):
            omega = sp.Symbol("omega", positive=True)
            turned = small.matrix[2:4, :2] + omega**2 * one.matrix[2:4, :2]
            assert turned.expand().is_zero_matrix
        if one.factor.letter == "G":
            assert "omega**2*rho" in text
            assert "- kappa" in text


def test_where_conditions_of_loops_follow_from_others_it_is_zero_everywhere() -> None:
    """As the page says; of this loop three of four do, and the count leaves those out."""
    model = unloaded(closed_model(5), 1)
    printed = Printed(model, model.q0)
    for square in (3.0, 70.0):
        found = np.linalg.svd(printed(square), compute_uv=False)
        assert found[-3] < 1e-13 * found[0] < 1e-4 * found[-4]
    said = " ".join(answer("derive", "slider-crank", "--overall", "--algorithm", "linear").split())
    assert "it is zero everywhere" in said


def test_what_has_no_such_equation_is_refused_as_text_and_as_json() -> None:
    for name, said in (("ross-rotor", "spins about its axis"), ("spatial-frame", "beam in space")):
        for more in ((), ("--format", "json")):
            found = run("derive", name, "--overall", "--algorithm", "linear", *more)
            assert found.exit_code == 2
            assert said in found.stderr
    given = ("derive", "double-pendulum", "--overall", "--algorithm", "linear")
    found = json.loads(answer(*given, "--json"))
    assert found["ends"][0]["known"] == "r = 0, m = 0"
    assert "of double-pendulum without its weight" in " ".join(answer(*given).split())
