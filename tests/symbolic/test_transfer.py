"""Root, directions, first inputs, cuts: what is chosen, what a model may choose itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import loop_models
import pytest
import random_models
from typer.testing import CliRunner

import mstmm
from mstmm.cli.app import app
from mstmm.errors import ModelError
from mstmm.model import Body, End, Hinge, Model, Point
from mstmm.model.files.toml import from_text, to_text
from mstmm.symbolic.plans.directions import transfer
from mstmm.symbolic.plans.transfer import Transfer, symbol


def bar(name: str, *points: str) -> Body:
    return Body(
        name, 1.0, 0.1, (0.1, 0.2), tuple(Point(p, (0.3 * k, 0.1)) for k, p in enumerate(points))
    )


def model(bodies: list[Body], *hinges: str, **more: object) -> Model:
    """Hinges as `name kind parent child`."""
    made = []
    for text in hinges:
        name, kind, parent, child = text.split()
        made.append(Hinge(name, kind, (End.parse(parent), End.parse(child))))
    return Model("m", 2, tuple(bodies), tuple(made), (0, -9.81), absolute=False, **more)  # type: ignore[arg-type]


def states(found: Transfer) -> list[str]:
    return [symbol(end.indices) for end in found.ends]


def conditions(found: Transfer) -> list[str]:
    return [end.condition for end in found.ends]


def labels(found: Transfer) -> list[str]:
    return [element.label for element in found.elements]


CHAIN = ["A pin 0:O 1:a", "B pin 1:b 2:a"]


def chain(**more: object) -> Model:
    return model([bar("1", "a", "b"), bar("2", "a", "b", "c")], *CHAIN, **more)


def test_chain_hangs_from_its_pin() -> None:
    found = transfer(chain())
    assert (found.form, labels(found), states(found)) == (
        "chain",
        ["2", "B", "1"],
        ["z_1,0", "z_2,0"],
    )
    assert conditions(found) == ["pinned", "free"]
    assert str(found.ends[1].at) == "2:b"


@pytest.mark.parametrize("root", ["2:c", "2:b"])
def test_a_free_end_as_root_turns_the_chain_around(root: str) -> None:
    found = transfer(chain(root=root))
    assert labels(found) == ["1", "B", "2"]
    assert (states(found), conditions(found)) == (["z_2,0", "z_1,0"], ["free", "pinned"])
    assert str(found.ends[0].at) == root
    hinge = found.elements[1]
    assert (str(hinge.inputs[0]), str(hinge.output)) == ("1:b", "2:a")


@pytest.mark.parametrize("root", ["A", "1:a"])
def test_the_pin_as_root_by_both_its_names(root: str) -> None:
    assert transfer(chain(root=root)).ends == transfer(chain()).ends


def test_a_hinge_that_is_no_mere_condition_is_an_element() -> None:
    slide = transfer(model([bar("1", "a")], "A prismatic 0:O 1:a"))
    assert (labels(slide), states(slide)) == (["1", "A"], ["z_A,0", "z_1,0"])
    assert conditions(slide) == ["clamped", "free"]
    forced = replace(chain(), hinges=(replace(chain().hinges[0], force=(1.0,)), chain().hinges[1]))
    assert labels(transfer(forced)) == ["2", "B", "1", "A"]
    driven = replace(
        forced, hinges=(replace(chain().hinges[0], motion=(0.5,)), chain().hinges[1]), q0=(), v0=()
    )
    last = transfer(driven).elements[-1]
    assert (last.label, last.freedoms) == ("A", 0)


def test_root_in_the_middle_of_the_kinematic_tree() -> None:
    bodies = [bar("1", "a", "b"), bar("2", "a", "b", "c", "d"), bar("3", "a")]
    made = model(bodies, *CHAIN, "C fixed 2:b 3:a", root="2:d")
    found = transfer(made)
    assert labels(found) == ["1", "B", "3", "C", "2"]
    middle = found.elements[-1]
    assert [str(end) for end in middle.inputs] == ["2:a", "2:b"]
    assert middle.tips == ((1, 2), (2, 3))
    assert states(found) == ["z_2,0", "z_1,0", "z_3,0"]
    turned = transfer(replace(made, first_inputs={"2": "b"}))
    assert [str(end) for end in turned.elements[-1].inputs] == ["2:b", "2:a"]
    assert states(turned) == ["z_2,0", "z_3,0", "z_1,0"]


def test_several_grounded_ends_are_tips() -> None:
    found = transfer(replace(loop_models.four_bar(), cuts=("B",)))
    assert (found.form, found.pairs) == ("chain", ())
    assert conditions(found) == ["pinned", "pinned"]


def test_a_smooth_free_hinge_to_the_ground_holds_nothing() -> None:
    found = transfer(model([bar("1", "a", "b")], "A free 0:O 1:a"))
    assert conditions(found) == ["free", "free"]
    assert [str(end.at) for end in found.ends] == ["1:a", "1:b"]
    assert states(found) == ["z_1,O", "z_1,I"]


def test_a_body_without_a_free_point_has_its_load_free_end_at_its_hinge() -> None:
    bodies = [bar("1", "a", "x"), bar("2", "a")]
    found = transfer(model(bodies, "F free 0:O 1:x", "B pin 1:a 2:a"))
    assert [str(end.at) for end in found.ends] == ["1:x", "2:a"]


def ring(*extra: str, **more: object) -> Model:
    bodies = [bar(str(k), "a", "b", "c") for k in (1, 2, 3)]
    return model(bodies, "P pin 1:b 2:a", "Q pin 2:b 3:a", "R pin 3:b 1:a", *extra, **more)


def test_a_ring_is_closed_in_itself() -> None:
    found = transfer(ring("F free 0:O 2:c", cuts=("R",)))
    assert (found.form, labels(found)) == ("closed loop", ["1", "P", "2", "Q", "3", "R"])
    assert states(found) == ["z_R,1", "z_1,R"]
    (pair,) = found.pairs
    assert pair.ring
    assert (pair.kept, pair.dropped) == (1, 0)
    assert "z_R,1 = z_1,R" in found.describe()


def test_a_ring_with_a_root_or_a_pin_is_a_general_system() -> None:
    free = transfer(ring("F free 0:O 2:c", cuts=("R",), root="1:c"))
    assert (free.form, states(free)) == ("general system", ["z_1,0", "z_1,R", "z_R,1"])
    pinned = transfer(ring("F pin 0:O 2:c", cuts=("R",)))
    assert (pinned.form, conditions(pinned)[0]) == ("general system", "pinned")


def test_two_trees_each_with_its_root() -> None:
    bodies = [bar("1", "a", "b"), bar("2", "a", "b")]
    found = transfer(model(bodies, "A pin 0:O 1:a", "B slot 0:P 2:a", root="1:b"))
    assert [tree.form for tree in found.trees] == ["chain", "chain"]
    assert states(found) == ["z_1,O", "z_1,I", "z_B,0", "z_2,0"]
    assert "equation: 2 chains, " in found.describe()


def test_a_hinge_with_a_body_s_name_gets_an_h() -> None:
    bodies = [bar("1", "a", "b"), bar("h1", "a", "b")]
    found = transfer(model(bodies, "1 pin 1:b h1:a", "h1 slot 0:O 1:a"))
    assert labels(found) == ["h1", "hh1", "1", "hhh1"]


@pytest.mark.parametrize("seed", range(40))
def test_order_and_counts_on_random_models(seed: int) -> None:
    rng = Random(seed)
    made = (
        random_models.joint_tree(rng, 2 + seed % 2)
        if seed % 3
        else loop_models.loop_model(rng, 2 + seed % 2, rng.randint(2, 6), 2)[0]
    )
    found = transfer(made)
    assert len(set(labels(found))) == len(found.elements)
    assert len({end.indices for end in found.ends}) == len(found.ends)
    for i, element in enumerate(found.elements):
        if element.feeds is not None:
            assert element.feeds[0] > i
        for first, second in pairwise(element.tips):
            assert first[1] == second[0]
    for tree in found.trees:
        inputs = {
            i for tip in range(*tree.tips) for i, _ in found.route(tip) if found.elements[i].is_body
        }
        further = sum(len(found.elements[i].inputs) - 1 for i in inputs)
        assert further == tree.tips[1] - tree.tips[0] - 1


# What cannot be


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"root": "B"}, "no hinge to the ground; name one (A)"),
        ({"root": "2:a"}, "joined to 1:b by hinge B; a root is a boundary end"),
        ({"root": "7:a"}, "there is no body '7'"),
        ({"root": "2:x"}, "has no point 'x'"),
        ({"root": "2:a:b"}, "written body:point"),
        ({"root": End("2", "c")}, "must be a text (body:point)"),
        ({"first_inputs": "1"}, "must map bodies to their points"),
        ({"first_inputs": {"9": "a"}}, "there is no body '9'"),
        ({"first_inputs": {"1": "x"}}, "has no point 'x'"),
    ],
)
def test_impossible_choices_are_refused(more: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError, match=r"^(root|first_inputs): ") as error:
        chain(**more)
    assert said in str(error.value)


def test_a_first_input_where_nothing_hangs_is_refused() -> None:
    bodies = [bar("1", "a", "b", "c"), bar("2", "a")]
    with pytest.raises(ModelError, match="nothing is hinged to 1:c; take one of: a, b"):
        model(bodies, "A pin 0:O 1:a", "B pin 1:b 2:a", first_inputs={"1": "c"})


def test_a_first_input_that_is_the_output_is_refused() -> None:
    with pytest.raises(ModelError, match=r"1:a is no input for this root.*one of: b"):
        transfer(chain(first_inputs={"1": "a"}))


# Files and the command line


def test_choices_go_through_a_file() -> None:
    made = chain(root="2:c", first_inputs={"1": "a"})
    text = to_text(made)
    assert 'root = "2:c"' in text
    assert "[first_inputs]" in text
    assert from_text(text) == made
    inline = text.replace('[first_inputs]\n1 = "a"\n', "").replace(
        "coordinates", 'first_inputs = { 1 = "a" }\ncoordinates', 1
    )
    assert from_text(inline) == made


def test_files_point_at_the_key() -> None:
    text = to_text(chain(root="2:c"))
    for wrong, said in (("2:a", "root: 2:a is joined"), ("nowhere", "root: 'nowhere' is no hinge")):
        with pytest.raises(ModelError, match=said):
            from_text(text.replace('root = "2:c"', f'root = "{wrong}"'))


def test_check_shows_the_choices(tmp_path: Path) -> None:
    path = tmp_path / "chain.toml"
    path.write_text(to_text(chain(root="2:c")))
    shown = CliRunner().invoke(app, ["check", str(path)])
    assert shown.exit_code == 0
    assert "root z_2,0 (2:c free); tips: z_1,0 (1:a pinned)" in shown.stdout


def test_the_solver_does_not_depend_on_the_root() -> None:
    first, second = (mstmm.compile(m, target="numpy") for m in (chain(), chain(root="2:c")))
    q, v = [0.3, -0.4], [1.0, 2.0]
    assert (first.accelerations(q, v) == second.accelerations(q, v)).all()
