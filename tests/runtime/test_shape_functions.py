"""Shape functions that a user gives: built-in ones written out, other bases, statics, refusals."""

from __future__ import annotations

import pickle
import random
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from beam_models import beam_state, beam_tree
from closeness import close
from compiler import TARGET, TARGETS
from independent.beams import beam_motion
from proofs import proof_of_blocks
from typer.testing import CliRunner

import mstmm
from mstmm.cli.app import app
from mstmm.errors import ModelError
from mstmm.model import GROUND, Beam, Body, End, Hinge, Model, Point
from mstmm.model.files.toml import from_text, to_text
from mstmm.model.remembered import identity
from mstmm.report.documents.html import html
from mstmm.report.drawing.places import places, shapes
from mstmm.report.overall import overall_document
from mstmm.runtime.motions.bending import largest_slope
from mstmm.runtime.solver import compile_model
from mstmm.symbolic.mechanics.beams import Functions
from mstmm.symbolic.plans.deduction import deduce

XI = sp.Symbol("xi")

#: The first built-in functions, as anyone would write them.
ALONG = ("xi", "xi*(2*xi - 1)")
ACROSS = ("xi^2", "xi^2*(2*xi - 1)", "xi**2*(6*xi**2 - 6*xi + 1)")

Given = "int | tuple[object, ...]"


def arm(axial: Given, bending: Given, **changes: object) -> Model:
    """A beam pinned to the ground, a body welded to its tip."""
    points = (Point("I", (0, 0)), Point("M", (0.45, 0), 0.3), Point("O", (1.2, 0)))
    given = {"length": 1.2, "density": 0.9, "axial_stiffness": 80.0, "bending_stiffness": 7.0}
    given |= {"points": points, "damping": 0.01, **changes}
    return Model(
        name="arm",
        dimension=2,
        bodies=(
            Body("t", 0.4, 0.03, (0.1, 0), (Point("c", (0, 0)),)),
            Beam("b", axial=axial, bending=bending, **given),
        ),
        hinges=(
            Hinge("r", "pin", (End(GROUND, "O"), End("b", "I"))),
            Hinge("w", "fixed", (End("b", "O"), End("t", "c"))),
        ),
        gravity=(0, -9.81),
        absolute=False,
    )


def state() -> tuple[list[float], list[float]]:
    rng = random.Random(5)
    q = [0.4, *(rng.uniform(-0.1, 0.1) for _ in range(5))]
    return q, [rng.uniform(-1, 1) for _ in q]


# The same functions, the same numbers


@pytest.mark.parametrize(("algorithm", "target"), [("riccati", TARGET), ("overall", "numpy")])
def test_built_in_functions_may_be_written_out(algorithm: str, target: str) -> None:
    """Motions and energy, too, where code is compiled."""
    q, v = state()
    known, given = (
        compile_model(model, algorithm=algorithm, target=target)
        for model in (arm(2, 3), arm(ALONG, ACROSS))
    )
    close(given.accelerations(q, v), known.accelerations(q, v), 1e-12)
    close(given.joint_loads(q, v), known.joint_loads(q, v), 1e-12)
    if algorithm == "overall":
        return
    close(given.energy(q, v), np.asarray(known.energy(q, v)), 1e-12)
    runs = [of.simulate(q, v, t_end=0.05, dt=1e-3) for of in (known, given)]
    close(runs[1].q, runs[0].q, 1e-12)
    close(runs[1].v, runs[0].v, 1e-12)


def test_inverse_dynamics_is_the_same() -> None:
    q, v = state()
    a = np.linspace(-1, 1, len(v))
    known, given = (
        compile_model(of, algorithm="rnea-body", target="numpy").inverse_dynamics(q, v, a)
        for of in (arm(2, 3), arm(ALONG, ACROSS))
    )
    close(given, known, 1e-12)


def test_pictures_and_the_warning_of_slopes_take_given_functions() -> None:
    known, given = arm(2, 3), arm(ALONG, ACROSS)
    q, xs = np.array([state()[0]]), np.linspace(0, 1.2, 7)
    one, other = (places(of, q, np.zeros(1)).along(of.beams[0], xs) for of in (known, given))
    close(other, one, 1e-14)
    for first, second in zip(
        *(shapes(of.beams[0], 1.2, 0.7) for of in (known, given)), strict=True
    ):
        close(second, np.array(first), 1e-14)
    powers = arm(0, ("xi^2", "xi^5"))
    slope = largest_slope(powers, powers.beams[0], np.array([[0, 0.05, 0.01]]), {})
    assert slope == pytest.approx((2 * 0.05 + 5 * 0.01) / 1.2, rel=1e-14)
    assert given.coordinate_units == known.coordinate_units


def test_a_picture_shows_the_sections_where_the_solver_has_them() -> None:
    """The weld's section, of functions without any symmetry, against the generated pose."""
    model = arm(("xi - 0.3*xi^3",), ("xi^2*(3 - xi)", "xi^5"))
    q = np.array([[0.4, 0.02, 0.1, -0.05]])
    placed = places(model, q, np.zeros(1))
    close(placed.at(End("b", "O")), placed.frame("t"), 1e-14)


def test_another_basis_of_the_same_space_moves_alike() -> None:
    """The tip of a beam let go at rest, with built-in functions and with powers of ξ."""
    tips = []
    for bending in (3, ("xi^2", "xi^3", "xi^4")):
        solver = compile_model(arm(0, bending), target=TARGET)
        run = solver.simulate([0.4, 0, 0, 0], [0, 0, 0, 0], t_end=0.5, dt=1e-3, record=0.05)
        tips.append(solver.poses(run.q)[:, 0])
    assert np.ptp(tips[0][:, 1, 3]) > 0.1
    close(tips[1], tips[0], 1e-9)


# Other functions


def test_two_beams_differ_by_their_functions_alone() -> None:
    """As many functions each, and other ones: against multipliers, in 50 digits."""
    given = iter(
        [(("xi",), ("xi^2", "xi^3")), (("xi - 0.2*xi^2",), ("0.1*xi^2*(3 - xi)", "xi^5")), (1, 2)]
    )
    model = beam_tree(random.Random(11), 3, beams=1.0)
    bodies = []
    for beam in model.bodies:
        axial, bending = next(given)
        bodies.append(replace(beam, axial=axial, bending=bending, foreshortening=True))
    model = replace(model, bodies=tuple(bodies), q0=(), v0=())
    q, v = beam_state(random.Random(1), model)
    expected = beam_motion(model, q, v)
    solver = compile_model(model, target="numpy")
    close(solver.accelerations(q, v), np.array(expected.accelerations, dtype=float), 1e-9)
    loads = np.array([expected.loads[end] for end in solver.ends], dtype=float)
    close(solver.joint_loads(q, v)[:, 2:5], loads, 1e-9)
    assert len({Functions.of(beam).label for beam in model.beams}) == 3


@pytest.mark.parametrize("target", TARGETS)
def test_generated_code_of_given_functions_is_proven(target: str) -> None:
    model = arm(1, ("xi^2*(6 - 4*xi + xi^2)", "0.1*xi^6"))
    proof = proof_of_blocks(compile_model(model, target=target))
    assert proof.ok, proof.worst


def test_one_static_deflection_gives_rayleighs_quotient() -> None:
    """φ = ξ² (6 − 4 ξ + ξ²), under a uniform load: φ'' = 12 (1 − ξ)².

    ∫ φ''² = 144/5 and ∫ φ² = 36/5 − 48/6 + 28/7 − 8/8 + 1/9 = 104/45, so that
    ω² = EI/ρA L⁴ · (144/5) / (104/45) = 162/13 · EI/ρA L⁴; a cantilever has 3.516² = 12.36.
    """
    points = (Point("I", (0, 0)),)
    beam = Beam("b", 2.0, 1.5, 1e5, 60.0, 0, ("xi^2*(6 - 4*xi + xi^2)",), points)
    held = Hinge("r", "fixed", (End(GROUND, "O"), End("b", "I")))
    model = Model("cantilever", 2, (beam,), (held,), (0, 0), absolute=False)
    solver = compile_model(model, target="numpy")
    stiffness = -solver.accelerations([1e-3], [0.0])[0] / 1e-3
    assert stiffness == pytest.approx(float(Fraction(162, 13)) * 60.0 / 1.5 / 2.0**4, rel=1e-5)


def test_names_of_kernels_tell_functions_apart() -> None:
    assert Functions(1, 2).label == "1_2_shortened"
    labels = {
        Functions.of(arm(axial, bending).beams[0]).label
        for axial, bending in ((2, 3), (ALONG, 3), (2, ACROSS), (ALONG, ACROSS))
    }
    assert len(labels) == 4
    assert all(label.startswith("2_3_shortened") for label in labels)


# What is kept


def test_functions_are_kept_multiplied_out_and_exact() -> None:
    beam = arm(["xi"], ("0.1*xi^2", XI**2 * (3 - XI), sp.Poly(XI**4 / 3, XI))).beams[0]
    assert beam.axial == ("xi",)
    assert beam.bending == ("xi**2/10", "-xi**3 + 3*xi**2", "xi**4/3")
    assert beam.bending_functions[0] == (0, 0, Fraction(1, 10))
    assert (beam.axial_modes, beam.bending_modes, beam.modes) == (1, 3, 4)
    long = arm(0, ("0.12345678901234567891*xi^2",)).beams[0].bending_functions[0][2]
    assert long == Fraction("0.12345678901234567891")


def test_files_and_pickles_give_equal_models_back() -> None:
    model = arm(("xi",), ("0.1*xi^2*(6 - 4*xi + xi^2)", "xi^3/7"))
    assert from_text(to_text(model)) == model
    assert pickle.loads(pickle.dumps(model)) == model
    same = arm(("(xi + xi)/2",), (XI**2 * (6 - 4 * XI + XI**2) / 10, "xi**3/7"))
    assert identity(same) == identity(model)
    assert identity(arm(("xi",), ("0.1*xi^2*(6 - 4*xi + xi^2)", "xi^3/8"))) != identity(model)


def test_check_and_the_page_of_the_overall_equation_list_them(tmp_path: Path) -> None:
    model = arm(2, ("xi^2*(3 - xi)", "xi^7"))
    mstmm.write(model, tmp_path / "arm.toml")
    said = CliRunner().invoke(app, ["check", str(tmp_path / "arm.toml")]).stdout
    assert "1 beam with 2 axial and 2 bending shape functions" in said.replace("\n  ", " ")
    assert "bending functions of b: -xi**3 + 3*xi**2, xi**7" in said
    assert "axial functions of" not in said
    page = html(overall_document(deduce(model)))
    assert "2 axial, 2 bending functions" in page
    shown = [re.sub("<[^>]*>", "", x) for x in re.findall(r"<math[^>]*>.*?</math>", page)]
    assert [x for x in shown if x.startswith("φ")] == ["φ1=−ξ3+3&#x2062;ξ2", "φ2=ξ7"]
    assert "ψ" not in page


def test_laws_may_read_the_coordinates_of_all_functions() -> None:
    model = arm(5, tuple(f"xi^{k}" for k in range(2, 7)))
    text = to_text(model).replace('kind = "pin"', 'kind = "pin"\nforce = "-etab_10"')
    assert str(from_text(text).hinges[0].force[0]) == "-etab_10"


# What is refused

POLYNOMIAL = "must be a polynomial in xi alone with rational coefficients"
REFUSED = [
    ("bending", (), "lists no function; list some, or write 0"),
    ("axial", ("xi",) * 9, "lists 9 functions; at most 8 are taken"),
    ("bending", "xi^2", "must be a whole number from 0 to 8, or a list of polynomials in xi"),
    ("bending", ("xi^2*L",), "'xi^2*L', must be a polynomial in xi alone"),
    ("bending", ("sin(xi)",), f"function 1, 'sin(xi)', {POLYNOMIAL}"),
    ("bending", ("xi^2", "pi*xi^3"), f"function 2, 'pi*xi^3', {POLYNOMIAL}"),
    ("bending", ("xi^2/(1 + xi)",), POLYNOMIAL),
    ("bending", ("xi^2.5",), POLYNOMIAL),
    ("bending", ("xi^13",), "its degree is more than 12"),
    ("bending", ("xi^2*(1 + (1 + xi)^64)^64",), "its degree is more than 12"),
    ("bending", ("xi^7*(1 + xi)^7",), "its degree is more than 12"),
    ("bending", (f"({'10^64*' * 6}xi)^12",), "it has a coefficient of too many digits"),
    ("bending", ("xi^2 +",), "is no expression"),
    ("bending", ("xi**2*" + "9" * 31,), "has a coefficient of more than 30 digits; round or scale"),
    ("bending", ("xi**2*1e-999999999",), "exceeds the range of double precision"),
    ("bending", (XI * sp.Symbol("x"),), "x is none"),
    ("bending", (2.0,), "it is neither a text nor of SymPy"),
    ("axial", ("1 + xi",), "function 1, '1 + xi', must vanish at xi = 0, where the beam is clamp"),
    ("bending", ("1 + xi^2",), "must vanish with its slope at xi = 0"),
    ("bending", ("xi^2", "xi + xi^3"), "function 2, 'xi + xi^3', must vanish with its slope at"),
    ("bending", ("0*xi",), "function 1, '0*xi', is zero; leave it out"),
    (
        "bending",
        ("xi^2 + xi^4", "xi^3", "xi^4 + xi^3 + xi^2"),
        "function 3, 'xi^4 + xi^3 + xi^2', is zero or a sum of multiples of those before it; leave",
    ),
]


@pytest.mark.parametrize(("field", "functions", "message"), REFUSED, ids=range(len(REFUSED)))
def test_bad_functions_are_refused(field: str, functions: object, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        arm(**{"axial": 1, "bending": 1, field: functions})
    assert str(caught.value).startswith(f"beam b · {field}: ")
    assert message in str(caught.value)


def test_a_refusal_points_at_the_file() -> None:
    text = to_text(arm(1, 2))
    with pytest.raises(ModelError, match=r"^beams.b.bending: function 1, 'xi', must vanish with"):
        from_text(text.replace("bending = 2", 'bending = ["xi"]'))
    with pytest.raises(ModelError, match=r"^beams.b.axial: must be a whole number or a list, is a"):
        from_text(text.replace("axial = 1", 'axial = "xi"'))
