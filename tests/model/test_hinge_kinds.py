"""One record a kind of hinge: what is read off it, what it refuses, and where it is listed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import loop_models
import numpy as np
import pytest
import random_models
import sympy as sp
from independent.joints import joint_motion
from test_massless import chain

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import Hinge, Model
from mstmm.model.parts import hinge_kinds
from mstmm.model.parts.hinge_kinds import ANGLE, HINGE_KINDS, Q1, HingeKind, flat
from mstmm.symbolic.mechanics.hinges import joint
from mstmm.symbolic.pages.hinge import constrained, hinge_page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"
KINDS = [kind for kinds in HINGE_KINDS.values() for kind in kinds.values()]


def ids(kind: HingeKind) -> str:
    return f"{kind.name}-{kind.dimension}D"


@pytest.mark.parametrize("kind", KINDS, ids=ids)
def test_a_kind_can_be_cut_if_its_pose_tells_a_condition_a_constrained_direction(
    kind: HingeKind,
) -> None:
    enough = kind.conditions == constrained(joint(kind.dimension, kind.name)).cols
    assert (kind.why_not_cut == "") == enough


@pytest.mark.parametrize("kind", KINDS, ids=ids)
def test_coordinates_are_zero_where_the_frames_coincide(kind: HingeKind) -> None:
    rest = dict.fromkeys(kind.q, sp.Integer(0))
    if kind.has_quaternion:
        rest[hinge_kinds.TURN[0]] = sp.Integer(1)
    assert kind.rotation.xreplace(rest).is_Identity
    assert not any(x.xreplace(rest) for x in kind.position)


def documented_rows() -> list[str]:
    """The table of kinds: by name, what the child does in the plane and in space."""
    plane, space = HINGE_KINDS[2], HINGE_KINDS[3]
    return [
        f"| `{name}` | {plane[name].does if name in plane else '–'} "
        f"| {space[name].does if name in space else '–'} |"
        for name in dict.fromkeys((*plane, *space))
    ]


def test_the_documents_list_every_kind() -> None:
    lines = PAGE.read_text().splitlines()
    start = lines.index("| hinge | in the plane, the child | in space, the child |") + 2
    rows = documented_rows()
    assert lines[start : start + len(rows)] == rows, "\n".join(rows)
    assert not lines[start + len(rows)].startswith("|")


def test_a_size_belongs_to_kinds_that_have_it() -> None:
    pins = loop_models.four_bar()
    with pytest.raises(ModelError, match="hinge A · pitch: a pin hinge has none; leave it out"):
        replace(pins, hinges=(replace(pins.hinges[0], pitch=0.1), *pins.hinges[1:]))


FORWARD = ("riccati", "articulated", "overall", "slaats", "dca", "hdca")
INVERSE = ("rnea-body", "rnea-spatial", "rnea-hybrid", "rnea-mixed")
OTHERS = ("closed-form", "derivatives", "jacobians", "sensitivities", "inverse-rates")
#: No screw of a rack stands still in either body, that of a slot's shift only in the parent.
REFUSED = {
    "rack": ("dca", "hdca", "jacobians", "sensitivities"),
    "slot": ("dca", "hdca"),
}
#: The others are in the slow run.
BRIEF = ("dca", "overall", "rnea-hybrid", "jacobians")


@pytest.mark.parametrize(
    "algorithm",
    [
        pytest.param(x, marks=() if x in BRIEF else pytest.mark.slow)
        for x in (*FORWARD, *INVERSE, *OTHERS)
    ],
)
@pytest.mark.parametrize(("dimension", "kind"), [(2, "rack"), (3, "slot")])
def test_every_algorithm_takes_it_or_refuses_it_by_name(
    dimension: int, kind: str, algorithm: str
) -> None:
    """In a tree, described from either side, against virtual power of all bodies.

    What the others compute is judged where they are, for every kind that they take.
    """
    tree = random_models.joint_tree(Random(5), dimension, [kind], 3)
    q, v = tree.q0, [0.7 - 0.4 * k for k in range(len(tree.speeds))]
    expected = np.array(joint_motion(tree, q, v).accelerations, dtype=float)
    scale = max(1.0, np.abs(expected).max())
    if algorithm in REFUSED[kind]:
        with pytest.raises(UsageError, match=f"no {kind} hinge|{kind} hinges|several freedoms"):
            mstmm.compile(tree, algorithm=algorithm, target="numpy")
        return
    solver = mstmm.compile(tree, algorithm=algorithm, target="numpy")
    if algorithm in FORWARD:
        assert np.abs(solver.accelerations(q, v) - expected).max() < 1e-10 * scale
    elif algorithm in INVERSE:
        assert np.abs(solver.inverse_dynamics(q, v, expected)).max() < 1e-10 * scale


# A kind that nobody has heard of is taken, or refused by name

#: A crank of one metre whose end turns twice as fast as it: given by no condition, nor by a lead.
CRANK = HingeKind(
    "crank",
    2,
    "rides on a crank",
    (ANGLE,),
    flat(2 * Q1),
    (sp.cos(Q1) - 1, sp.sin(Q1)),
)


@pytest.fixture
def cranked(monkeypatch: pytest.MonkeyPatch) -> Model:
    """A four-bar whose pin at C is a crank."""
    monkeypatch.setitem(HINGE_KINDS[2], "crank", CRANK)  # type: ignore[arg-type]
    pins = loop_models.four_bar()
    hinges = [replace(h, kind="crank") if h.name == "C" else h for h in pins.hinges]
    return replace(pins, hinges=tuple(hinges), cuts=("D",), q0=(), v0=())


def test_what_cannot_be_cut_is_not_chosen_and_refused_by_name(cranked: Model) -> None:
    assert replace(cranked, cuts=(), q0=(), v0=()).cuts == ("D",)
    for names in (("C",), ("C", "D")):
        with pytest.raises(ModelError, match="hinge C: cannot be cut: it is crank, a kind whose"):
            replace(cranked, cuts=names, q0=(), v0=())


def test_a_loop_needs_a_hinge_that_can_be_cut(cranked: Model) -> None:
    cranks = tuple(replace(hinge, kind="crank") for hinge in cranked.hinges)
    for names in ((), ("B",)):
        with pytest.raises(ModelError, match="nor can any other hinge of its loop, which needs"):
            replace(cranked, hinges=cranks, cuts=names, q0=(), v0=())


def test_its_page_claims_no_cut_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    swing = replace(CRANK, name="swing", rotation=flat(Q1))
    monkeypatch.setitem(HINGE_KINDS[2], "swing", swing)  # type: ignore[arg-type]
    page = hinge_page(2, "swing")
    assert page.ok
    assert page.checks
    assert not any("closes a loop" in check.claim for check in page.checks)
    said = [line.text for section in page.sections for line in section.statements]
    assert any("it cannot be cut: swing, a kind whose pose" in text for text in said)


def test_a_driven_one_is_held_and_may_be_cut(cranked: Model) -> None:
    hinges = tuple(
        replace(h, motion=(sp.Rational(1, 3),)) if h.name == "C" else h for h in cranked.hinges
    )
    model = replace(cranked, hinges=hinges, cuts=("C",), q0=(), v0=())
    assert mstmm.compile(model, target="numpy").model.cuts == ("C",)


@pytest.mark.parametrize("algorithm", ["jacobians", "sensitivities", "dca"])
def test_what_needs_a_screw_that_stands_still_refuses_it_by_name(
    cranked: Model, algorithm: str
) -> None:
    tree = replace(cranked, hinges=cranked.hinges[:3], cuts=(), q0=(), v0=())
    with pytest.raises(UsageError, match="crank hinge"):
        mstmm.compile(tree, algorithm=algorithm, target="numpy")


def test_a_massless_body_that_moves_undetermined_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(HINGE_KINDS[2], "crank", CRANK)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"body 2 · mass: neither .* its hinge 2 allows"):
        chain(("pin", "crank"), (True, False), 2)
    model = chain(("crank", "fixed"), (False, True), 2)
    found = mstmm.compile(model, target="numpy").accelerations([0.2], [0.5])
    assert abs(found[0]) > 1e-3


def test_force_in_a_cut_whose_coordinates_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned by twice its coordinate and shifted along it: its conditions are known, not q."""
    half = replace(CRANK, name="half", rotation=flat(2 * Q1), position=(sp.Integer(0),) * 2)
    monkeypatch.setitem(HINGE_KINDS[2], "half", half)  # type: ignore[arg-type]
    pins = loop_models.four_bar()
    last: Hinge = replace(pins.hinges[3], kind="half", force=(sp.Symbol("u1", real=True) / -5,))
    model = replace(pins, hinges=(*pins.hinges[:3], last), cuts=("D",), q0=(), v0=())
    with pytest.raises(ModelError, match="hinge D: cannot be cut: a force acts in it, and the coo"):
        mstmm.compile(model, target="numpy")
