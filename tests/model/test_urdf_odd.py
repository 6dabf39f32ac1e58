"""Robots' files as people write them: each odd one loads as it is meant, or says what to do."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from urdf_text import joint, link, random_robot, robot

import mstmm
from mstmm.errors import ModelError, ModelWarning
from mstmm.model import Model
from mstmm.model.files.urdf import read_urdf

CASES = Path(__file__).parents[1] / "data" / "cases"
KINDS = ("revolute", "continuous", "prismatic", "fixed")


@dataclass(frozen=True)
class Oddity:
    """What is done to a file's text, and what is said of it: `told` by a warning, or `refused`."""

    change: Callable[[Random, str], str | bytes]
    told: str = ""
    refused: str = ""


def somewhere(pattern: str, new: str) -> Callable[[Random, str], str]:
    """One of the places of the pattern, by chance, in a new form."""

    def change(rng: Random, text: str) -> str:
        found = rng.choice([*re.finditer(pattern, text)])
        return text[: found.start()] + found.expand(new) + text[found.end() :]

    return change


def inside(more: str) -> Callable[[Random, str], str]:
    """More at the end of the robot."""
    return lambda _, text: text.replace("</robot>", f"{more}</robot>")


def ahead(more: str) -> Callable[[Random, str], str]:
    return lambda _, text: more + text


#: The last joint, whose child is a leaf.
LAST = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>{4}</joint>'

#: Of these the model is the same as without.
MENDED = {
    "namespace": Oddity(somewhere("<robot ", '<robot xmlns="http://drake.mit.edu" ')),
    "schema": Oddity(
        somewhere("<robot ", '<robot xmlns:x="http://y" x:schemaLocation="http://y z.xsd" ')
    ),
    "capitals": Oddity(
        lambda _, text: re.sub('type="(.)', lambda x: f'type="{x[1].upper()}', text), "taken for"
    ),
    "commas": Oddity(somewhere(r'xyz="(\S+) (\S+) (\S+)"', r'xyz="\1, \2,\3"'), "has commas"),
    "plus": Oddity(somewhere('<mass value="', '<mass value="+')),
    "blanks": Oddity(somewhere('parent link="(l[0-9]+)"', 'parent link=" \\1\t"')),
    "mark": Oddity(lambda _, text: b"\xef\xbb\xbf" + text.encode()),
    "line": Oddity(ahead("\n\n"), "no well-formed XML"),
    "dashes": Oddity(inside("<!-- one -- two -->"), "no well-formed XML"),
    "bytes": Oddity(
        lambda _, text: text.replace("</robot>", "<!-- Räder --></robot>").encode("latin-1"),
        "no well-formed XML",
    ),
    "end": Oddity(lambda _, text: f"{text}\n\0", "no well-formed XML"),
    "prefix": Oddity(inside('<gazebo><control:pid p="1"/></gazebo>'), "unbound prefix"),
    "macro that is seen": Oddity(
        somewhere("<visual>", '<visual><xacro:grey xmlns:xacro="http://ros.org/xacro"/>')
    ),
    "long axis": Oddity(
        lambda _, text: re.sub(
            'axis xyz="[^"]*1.0[^"]*"', lambda x: x[0].replace("1.0", "4.0"), text
        )
    ),
    "limits": Oddity(
        lambda _, text: text.replace('lower="-9" upper="9"', 'lower="9" upper="-9"'), "exchanged"
    ),
    "simulator": Oddity(inside('<gazebo reference="l1"><mu1>0.2</mu1></gazebo>')),
    "transmission": Oddity(
        inside('<transmission name="t"><joint name="no"/><actuator name="m"/></transmission>')
    ),
}
#: Of these something else than in the file without is read.
TAKEN = {
    "no mass at all": Oddity(
        lambda _, text: re.sub("<inertial>.*?</inertial>", "", text), "no mass or no inertia"
    ),
    "some have no mass": Oddity(
        lambda rng, text: re.sub(
            "<inertial>.*?</inertial>", lambda x: x[0] if rng.random() < 0.5 else "", text
        )
    ),
    "zeros": Oddity(
        lambda _, text: re.sub('(<mass value=|i[xyz]{2}=)"[^"]*"', r'\1"0"', text),
        "no mass or no inertia",
    ),
    "no body": Oddity(
        lambda _, text: re.sub('(ixx)="[^"]*"', r'\1="1000"', text), "no rigid body has"
    ),
    "products": Oddity(
        lambda _, text: re.sub(' ixy="[^"]*"', "", text), "has no ixy; taken for 0"
    ),
    "infinite": Oddity(lambda _, text: text.replace('upper="9"', 'upper="inf"')),
    "nothing to move": Oddity(
        lambda _, text: text.replace('lower="-9" upper="9"', 'lower="0" upper="0"')
    ),
    "ball": Oddity(
        inside(link("b") + LAST.format("ball", "spherical", "l1", "b", "")), "taken for a ball"
    ),
    "no root": Oddity(
        lambda _, text: re.sub('<link name="l0".*?(/>|</link>)', "", text, count=1)
        if '<link name="l0"/>' in text
        else text
    ),
    "follows": Oddity(
        inside(link("f") + joint("f", "continuous", "l1", "f", more='<mimic joint="g"/>')
               + link("g") + joint("g", "continuous", "l1", "g"))
    ),
}  # fmt: skip
REFUSED = {
    "empty": Oddity(lambda *_: '<robot name="x"/>', refused="links: the file has none"),
    "link twice": Oddity(inside(link("l1")), refused="link l1: two links.*rename"),
    "joint twice": Oddity(
        inside(link("x") + joint("j1", "fixed", "l1", "x")), refused="joint j1: two.*rename"
    ),
    "no name": Oddity(
        inside("<link/>"), refused=r"link number \d+: <link> has no name; give it one"
    ),
    "no type": Oddity(
        inside('<joint name="x"/>'), refused="joint x: <joint> has no type; give it one"
    ),
    "no parent": Oddity(
        inside('<joint name="x" type="fixed"/>'), refused="joint x: there is no <parent>; add it"
    ),
    "unknown type": Oddity(
        inside(link("x") + joint("x", "screw", "l1", "x")),
        refused="joint x · type: 'screw' is no type of URDF; write one of revolute",
    ),
    "no axis": Oddity(
        inside(link("x") + joint("x", "revolute", "l1", "x", axis=(0, 0, 0))),
        refused='joint x · axis: has no direction.*give it one, such as "0 0 1"',
    ),
    "NaN": Oddity(inside(link("x", float("nan"))), refused="link x · value: must be a finite"),
    "negative mass": Oddity(inside(link("x", -1.0)), refused="link x · mass: must not be neg"),
    "decimal comma": Oddity(
        inside(link("x").replace('value="1.0"', 'value="1,0"')),
        refused="link x · value: .*'1,0'; write points, not commas",
    ),
    "macro": Oddity(
        inside(link("x").replace('value="1.0"', 'value="${m}"')),
        refused=r"link x · value: .*'\$\{m\}', a macro of xacro; expand it first: xacro FILE",
    ),
    "macro's name": Oddity(
        inside('<link name="${side}_hip"/>'), refused="link number .*a macro of xacro; expand it"
    ),
    "macros": Oddity(
        inside('<xacro:leg xmlns:xacro="http://ros.org/xacro"/>'),
        refused="<xacro:leg>; expand it first: xacro FILE > robot.urdf",
    ),
    "macros without prefix": Oddity(
        inside("<xacro:leg/>"), refused="<xacro:leg>; expand it first: xacro FILE > robot.urdf"
    ),
    "no child": Oddity(
        inside(joint("x", "fixed", "l1", "tool")),
        refused="joint x · child: there is no link 'tool'; correct the name, or add the link",
    ),
    "unknown parent": Oddity(
        inside(link("x") + joint("x", "fixed", "tool", "x")), refused="joint x · parent: .*'tool'"
    ),
    "two roots": Oddity(inside(link("x")), refused="here: .*x.*; join them by a fixed joint"),
    "two parents": Oddity(
        inside(joint("x", "fixed", "l0", "l1")),
        refused="link l1: has two parents, by the joints .*leave out one of them, or write the cl",
    ),
    "circle": Oddity(
        inside(link("x") + link("y")
               + joint("x", "fixed", "y", "x") + joint("y", "fixed", "x", "y")),
        refused="link x: is not connected to the root.*leave out one",
    ),
    "lost leader": Oddity(
        inside(link("x") + joint("x", "continuous", "l1", "x", more='<mimic joint="lost"/>')),
        refused=r'joint x · mimic: follows lost.*correct the file, or hold.*locked=\{"x": 0.0\}',
    ),
    "own leader": Oddity(
        inside(link("x") + joint("x", "continuous", "l1", "x", more='<mimic joint="x"/>')),
        refused="hinge x · mimic: the hinges follow each other in a circle: x – x",
    ),
    "half an inertia": Oddity(
        inside(link("x").replace("ixx", "Ixx")), refused="link x: <inertia> has no ixx; give"
    ),
    "no mass": Oddity(
        inside('<link name="x"><inertial><inertia ixx="1"/></inertial></link>'),
        refused="link x: <inertial> has no <mass>; add it, or leave out <inertial>",
    ),
    "no position": Oddity(
        inside(link("x") + joint("x", "prismatic", "l1", "x",
                                 more='<limit lower="nan" upper="1"/>')),
        refused="joint x · lower: must be a finite number",
    ),
    "entity": Oddity(
        lambda _, text: text.replace("<robot ", '<!DOCTYPE robot [<!ENTITY a "b">]><robot ', 1),
        refused="refused.*entities.*remove them",
    ),
    "cut off": Oddity(lambda _, text: text[:-30], refused="no well-formed XML.*correct it there"),
    "another root": Oddity(
        lambda _, text: text.replace("<robot ", "<sdf ").replace("</robot>", "</sdf>"),
        refused="holds a <sdf>, no <robot>",
    ),
}  # fmt: skip
EVERY = {**MENDED, **TAKEN, **REFUSED}


def plain(rng: Random) -> str:
    """A robot whose joints have one coordinate or none, its first link with mass or without."""
    return random_robot(rng, 4, KINDS, root_mass=rng.random() < 0.5)


def loaded(path: Path, text: str | bytes) -> tuple[Model, list[str]]:
    """The model of a text, and what is warned of."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = read_urdf(path)
    assert all(issubclass(each.category, ModelWarning) for each in told)
    return model, [str(each.message) for each in told]


@pytest.mark.parametrize("name", EVERY)
def test_an_odd_file_loads_as_it_is_meant_or_says_what_to_do(name: str, tmp_path: Path) -> None:
    oddity, rng = EVERY[name], Random(name)
    path = tmp_path / "robot.urdf"
    for _ in range(2):
        text = plain(rng)
        odd = oddity.change(rng, text)
        if oddity.refused:
            with pytest.raises(ModelError, match=oddity.refused):
                loaded(path, odd)
            continue
        model, told = loaded(path, odd)
        assert not oddity.told or any(oddity.told in each for each in told), told
        if name in MENDED:
            assert model == loaded(path, text)[0]


def refusal(path: Path, text: str | bytes) -> str:
    """Why a text is refused; nothing if it loads as something that moves."""
    try:
        model, _ = loaded(path, text)
    except ModelError as error:
        return str(error)
    return "" if model.speeds else "moves nothing"


@pytest.mark.parametrize("seed", range(5))
def test_a_hundred_robots_with_several_oddities(seed: int, tmp_path: Path) -> None:
    """Twenty each: what only has to be mended loads, all else says what to do."""
    rng, path = Random(seed), tmp_path / "robot.urdf"
    names = sorted({**MENDED, **TAKEN, **REFUSED})
    loads = 0
    for _ in range(20):
        chosen = rng.sample(names, rng.randrange(1, 4))
        text: str | bytes = plain(rng)
        done = []
        for name in chosen:
            if isinstance(text, str):
                text = EVERY[name].change(rng, text) if "<robot" in text else text
                done.append(name)
        refusing = [EVERY[name].refused for name in done if EVERY[name].refused]
        said = refusal(path, text)
        assert not said or (refusing and said.startswith(f"{path}: ")), (done, said)
        loads += not said
    assert loads >= 3


@pytest.mark.parametrize("text", ["<!--", "<a:b", " c:d='", "&", "<robot "])
def test_hostile_texts_are_refused_at_once(text: str, tmp_path: Path) -> None:
    """A million of what begins something and never ends: each is looked at once, not by all."""
    path = tmp_path / "robot.urdf"
    path.write_text("<robot>" + text * 1_000_000)
    with pytest.raises(ModelError, match="no well-formed XML"):
        read_urdf(path)


def test_a_robot_that_is_put_together_twice_warns_once(tmp_path: Path) -> None:
    """Links without inertia are held: what is odd of the others is told one time."""
    path = tmp_path / "robot.urdf"
    odd = link("b", inertia=(0.02, 0, 0, 0.03, 0, 0.06))
    path.write_text(
        robot(link("a"), odd, '<link name="c"/>', joint("j", "revolute", "a", "b"),
              joint("k", "revolute", "b", "c", axis=(1, 0, 0)))
    )  # fmt: skip
    with pytest.warns(ModelWarning) as told:
        assert mstmm.load(path, hold_massless=True).speeds == ("uj",)
    assert [str(each.message).partition(":")[0] for each in told] == ["body b · inertia"]


def test_small_files_of_the_world_load() -> None:
    """A default namespace, and a name in capitals."""
    for name in ("namespace.urdf", "capitals.URDF"):
        model = mstmm.load(CASES / name)
        assert model.coordinates == ("qshoulder",)


def test_a_file_of_macros_is_read_as_a_robot(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf.xacro"
    text = robot(link("a"), link("b"), joint("j", "revolute", "a", "b"))
    path.write_text(text.replace("<robot", '<robot xmlns:xacro="http://ros.org/xacro"'))
    assert mstmm.load(path).coordinates == ("qj",)
    path.write_text(path.read_text().replace("</robot>", "<xacro:leg/></robot>"))
    with pytest.raises(ModelError, match="<xacro:leg>; expand it first"):
        mstmm.load(path)


def test_exchanged_and_infinite_limits(tmp_path: Path) -> None:
    """Limits that are out of order are exchanged; the start is where they let it be."""
    path = tmp_path / "robot.urdf"
    limits = '<limit lower="3" upper="1"/>', '<limit lower="2" upper="inf"/>'
    text = robot(link("a"), link("b"), link("c"),
                 joint("j", "revolute", "a", "b", more=limits[0]),
                 joint("k", "prismatic", "b", "c", more=limits[1]))  # fmt: skip
    model, told = loaded(path, text)
    assert model.position_limits == ((1.0, 3.0), (2.0, float("inf")))
    assert model.q0 == (2.0, 2.0)
    assert told == ["joint j · limit: the lower, 3, exceeds the upper, 1; exchanged"]
    assert replace(model, kinematic=True).position_limits == model.position_limits
