"""Models of beams with known natural frequencies, as texts of model files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import mpmath as mp
import numpy as np

#: Sections by the names of the fields of files.
SLENDER = {"density": 1, "axial_stiffness": 1e4, "bending_stiffness": 1}
FRAME = {**SLENDER, "axial_stiffness": 1e3}
THICK = {**SLENDER, "axial_stiffness": 400, "shear_stiffness": 120, "rotary_inertia": 1 / 400}
SPATIAL = {
    **{"density": 1, "axial_stiffness": 1e3, "bending_stiffness": [1, 2.3]},
    **{"torsional_stiffness": 0.7, "polar_inertia": 0.01},
}


def top(dimension: int, name: str) -> str:
    return f'name = "{name}"\ndimension = {dimension}\ngravity = {[0] * dimension}\n'


def beam(
    name: str,
    length: float,
    section: Mapping[str, object],
    axes: Mapping[str, object] | None = None,
    **more: float,
) -> str:
    """A beam from `root` to `tip`; `axes` of these points, `more` points by their places."""
    said = "".join(f"{key} = {value}\n" for key, value in section.items())
    text = f"[beams.{name}]\nlength = {length!r}\n{said}"
    for point, x in {"root": 0.0, **more, "tip": length}.items():
        text += f"[beams.{name}.points.{point}]\nx = {x!r}\n"
        if axes and point in axes:
            text += f"axes = {axes[point]}\n"
    return text


def body(name: str, mass: float, inertia: object, points: Sequence[str], **at: object) -> str:
    text = f"[bodies.{name}]\nmass = {mass}\ninertia = {inertia}\n"
    text += f"centre = {at['centre']}\n" if "centre" in at else ""
    for point in points:
        text += f"[bodies.{name}.points.{point}]\n"
        text += f"axes = {at[point]}\n" if point in at else ""
    return text


def hinge(name: str, kind: str, parent: str, child: str, **more: str) -> str:
    text = f'[hinges.{name}]\nkind = "{kind}"\nparent = "{parent}"\nchild = "{child}"\n'
    return text + "".join(f"{key} = {value}\n" for key, value in more.items())


def ground(**axes: object) -> str:
    return "".join(f"[ground.points.{name}]\naxes = {value}\n" for name, value in axes.items())


def cantilever(section: Mapping[str, object], dimension: int = 2, length: float = 1.0) -> str:
    text = top(dimension, "cantilever") + beam("arm", length, section)
    return text + hinge("wall", "fixed", "ground", "arm:root")


def free_beam(section: Mapping[str, object]) -> str:
    return (
        top(2, "free-beam") + beam("arm", 1.0, section) + hinge("air", "free", "ground", "arm:root")
    )


def angle(degrees: float) -> float:
    return math.radians(degrees)


def l_frame() -> str:
    """A column with an arm across its top; the arm's point at the column has axes of its own."""
    text = top(2, "l-frame") + ground(foot=angle(90))
    text += beam("column", 1.0, FRAME) + beam("arm", 0.6, FRAME, {"root": angle(90)})
    text += hinge("foot", "fixed", "ground:foot", "column:root")
    return text + hinge("corner", "fixed", "column:tip", "arm:root")


def shafts() -> str:
    """Four discs on three shafts along the first axis, free to turn; all else is stiff."""
    J, GJ = [1.2, 0.8, 0.5, 2.0], [500.0, 900.0, 400.0]
    rho, length = [0.4, 0.7, 0.3], [0.5, 0.6, 0.5]
    along = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # the third axis is the first one
    text = top(3, "shafts") + ground(bearing=along)
    stiff = {"density": 1, "axial_stiffness": 1e9, "bending_stiffness": [1e8, 1e8]}
    for k in range(4):
        inertia = [J[k], J[k], J[k], 0, 0, 0]
        text += body(f"disc{k}", 1, inertia, ["left", "right", "bearing"], bearing=along)
    text += hinge("bearing", "revolute", "ground:bearing", "disc0:bearing")
    for k in range(3):
        section = {**stiff, "torsional_stiffness": GJ[k], "polar_inertia": rho[k]}
        text += beam(f"shaft{k}", length[k], section)
        text += hinge(f"left{k}", "fixed", f"disc{k}:right", f"shaft{k}:root")
        text += hinge(f"right{k}", "fixed", f"shaft{k}:tip", f"disc{k + 1}:left")
    return text


def axes_along(way: Sequence[float], up: Sequence[float]) -> np.ndarray:
    """Axes of which the first has this way, and the third is as near to `up` as it can be."""
    x = np.array(way) / np.linalg.norm(way)
    z = np.array(up) - np.dot(up, x) * x
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def spatial_frame(backward: bool = False) -> str:
    """Three beams on end, clamped at A, with a body at D; `backward`: they run from D to A."""
    A, B, C, D = (np.array(x) for x in ([0, 0, 0], [0, 0, 1], [0.8, 0.3, 1.2], [0.8, 0.9, 0.4]))
    text, turn = top(3, "spatial-frame"), np.diag([-1.0, -1, 1]) if backward else np.eye(3)
    ways = [(A, B, [1, 0, 0]), (B, C, [0, 0, 1]), (C, D, [0, 0, 1])]
    axes = [axes_along(b - a, up) @ turn for a, b, up in ways]
    root, tip = ("tip", "root") if backward else ("root", "tip")
    before = np.eye(3)
    text += hinge("foot", "fixed", "ground", f"beam0:{root}")
    for k, (a, b, _) in enumerate(ways):
        # The point at the root side has the axes of what is before, so that none are turned there.
        own = axes[k].T @ before
        text += beam(f"beam{k}", float(np.linalg.norm(b - a)), SPATIAL, {root: own.tolist()})
        if k < 2:
            text += hinge(f"corner{k}", "fixed", f"beam{k}:{tip}", f"beam{k + 1}:{root}")
        before = axes[k]
    text += body("head", 0.3, [0.01, 0.02, 0.015, 0, 0, 0], ["neck"], neck=axes[2].tolist())
    return text + hinge("neck", "fixed", f"beam2:{tip}", "head:neck")


def star() -> str:
    """Eight equal arms on a sprung hub."""
    angles = {f"p{k}": angle(45 * k) for k in range(8)}
    text = top(2, "star") + body("hub", 2.0, 0.3, ["base", *angles], **angles)
    text += hinge("base", "elastic", "ground", "hub:base", spring="{ stiffness = [50, 50, 20] }")
    for k in range(8):
        text += beam(f"arm{k}", 1.0, FRAME) + hinge(
            f"root{k}", "fixed", f"hub:p{k}", f"arm{k}:root"
        )
    return text


def flexible_arm() -> str:
    """Two flexible links on sprung joints, with hubs and a tip; the elbow at 0.9 rad."""
    text = top(2, "flexible-arm") + body("shoulder", 0, 0.02, ["axle", "out"])
    text += body("elbow", 0.5, 0.02, ["in", "axle"]) + body("head", 0.4, 0.01, ["neck"])
    text += beam("upper", 1.0, FRAME) + beam("fore", 0.8, FRAME)
    text += hinge("shoulder", "pin", "ground", "shoulder:axle", spring="{ stiffness = 300 }")
    text += hinge("upper0", "fixed", "shoulder:out", "upper:root")
    text += hinge("upper1", "fixed", "upper:tip", "elbow:in")
    spring = "{ stiffness = 80, rest = 0.9 }"
    text += hinge("elbow", "pin", "elbow:axle", "fore:root", spring=spring)
    text += hinge("fore1", "fixed", "fore:tip", "head:neck")
    return text + "[start.positions]\nelbow = 0.9\n"


def by_hand(d: int, w: Any, of: Mapping[str, float]) -> mp.matrix:
    """exp(G l) of (u, λ), G being written entry by entry from the balance of a slice."""
    n = 3 if d == 2 else 6
    x = {name: mp.mpf(value) for name, value in of.items()}
    G, turn = mp.zeros(2 * n), n - 1
    G[0, n], G[n, 0] = 1 / x["EA"], -x["rhoA"] * w
    # A tension turns with its section: of the force across at rest it shears by f − T θ, and with
    # the same angle it has a moment.
    c = 1 - x["gz"] * x["T0"]
    G[1, turn], G[1, n + 1], G[turn, n + turn] = c, x["gz"], 1 / x["EIz"]
    G[n + 1, 1] = x["kw"] - x["rhoA"] * w
    G[n + turn, n + 1], G[n + turn, turn] = -c, x["T0"] * c - x["rhoIz"] * w
    if d == 3:
        G[3, n + 3], G[n + 3, 3] = 1 / x["GJ"], -x["rhoJ"] * w
        c = 1 - x["gy"] * x["T0"]
        G[2, 4], G[2, n + 2], G[4, n + 4] = -c, x["gy"], 1 / x["EIy"]
        G[n + 2, 2] = x["kw"] - x["rhoA"] * w
        G[n + 4, n + 2], G[n + 4, 4] = c, x["T0"] * c - x["rhoIy"] * w
    return mp.expm(G * x["l"], method="taylor")


#: By the names of the reference cases: the text, how many eigenvalues lie at zero besides.
CASES: Mapping[str, tuple[str, int]] = {
    "01-clamped-free-EB": (cantilever(SLENDER), 0),
    "02-clamped-free-Timoshenko": (cantilever(THICK), 0),
    "03-free-free-EB": (free_beam(SLENDER), 3),
    "03-free-free-Timoshenko": (free_beam(THICK), 3),
    "06-L-frame": (l_frame(), 0),
    "07-shaft-distributed": (shafts(), 1),
    "09-spatial-frame": (spatial_frame(), 0),
    "12-square-cantilever": (cantilever({**SPATIAL, "bending_stiffness": [1, 1]}, 3), 0),
    "12-star-cluster": (star(), 0),
    "13-flexible-arm": (flexible_arm(), 0),
}


# Held at both ends: the hinge that is cut is one to the ground, at the end of a beam


def cut(name: str, text: str) -> str:
    """The same, cut at a hinge."""
    return text.replace("\ngravity", f'\ncuts = ["{name}"]\ngravity', 1)


def portal() -> str:
    """Two columns with a beam across, clamped at both feet."""
    text = top(2, "portal") + ground(left=angle(90), right=angle(-90)) + "position = [1.4, 0]\n"
    text += beam("left", 1.0, FRAME) + beam("across", 1.4, FRAME, {"root": angle(90)})
    text += beam("right", 1.0, FRAME, {"root": angle(90)})
    text += hinge("foot", "fixed", "ground:left", "left:root")
    text += hinge("corner1", "fixed", "left:tip", "across:root")
    text += hinge("corner2", "fixed", "across:tip", "right:root")
    return cut("foot2", text + hinge("foot2", "fixed", "ground:right", "right:tip"))


def four_bar(opened: str = "D") -> str:
    """Elastic links A(0, 0) B(0, 0.3) C D(0.9, 0) on pins, with a spring at A; cut at a pin."""
    A, B, D = np.array([0.0, 0]), np.array([0.0, 0.3]), np.array([0.9, 0])
    C = np.array([0.8664318083507377, 0.7992954250522133])
    text = top(2, "four-bar") + "[ground.points.D]\nposition = [0.9, 0]\n"
    ways = [math.atan2(*(b - a)[::-1]) for a, b in ((A, B), (B, C), (C, D))]
    turns = [ways[0], ways[1] - ways[0], ways[2] - ways[1]]
    for name, length in (("crank", 0.3), ("coupler", 1.0), ("rocker", 0.8)):
        text += beam(name, length, FRAME)
    spring = f"{{ stiffness = 5, rest = {ways[0]!r} }}"
    text += hinge("A", "pin", "ground", "crank:root", spring=spring)
    text += hinge("B", "pin", "crank:tip", "coupler:root")
    text += hinge("C", "pin", "coupler:tip", "rocker:root")
    text += hinge("D", "pin", "ground:D", "rocker:tip")
    turns.append(-sum(turns))  # of D, which is in the way of the ground
    at = {"A": turns[0], "B": turns[1], "C": turns[2], "D": -turns[3]}
    start = "".join(f"{x} = {turn!r}\n" for x, turn in at.items() if x != opened)
    return cut(opened, f"{text}[start.positions]\n{start}")


def sprung_head() -> str:
    """A cantilever with an eccentric head, whose centre of mass hangs on a spring across."""
    text = top(2, "sprung-head") + beam("arm", 1.0, SLENDER)
    text += body("head", 0.7, 0.05, ["neck", "middle"], centre=[0.1, 0.02])
    text = text.replace(
        "[bodies.head.points.middle]\n", "[bodies.head.points.middle]\nposition = [0.1, 0.02]\n"
    )
    spring = "{ stiffness = [0, 40, 0], rest = [1.1, 0.02, 0] }"
    text += hinge("spring", "elastic", "ground", "head:middle", spring=spring)
    text += hinge("neck", "fixed", "arm:tip", "head:neck")
    text += hinge("wall", "fixed", "ground", "arm:root")
    return cut("wall", f"{text}[start.positions]\nspring = [1.1, 0.02, 0]\n")


CASES = {
    **CASES,
    "04-tip-mass-spring": (sprung_head(), 0),
    "06-portal-frame": (portal(), 0),
    "11-four-bar-elastic": (four_bar(), 0),
}


def two_spans(root: str = "middle") -> str:
    """Spans of 1 and 0.7 on a pin and two rollers, one of which is the root."""
    text = top(2, "two-spans") + "[ground.points.left]\nposition = [-1.0, 0]\n"
    text += "[ground.points.right]\nposition = [0.7, 0]\n"
    text += beam("left", 1.0, SLENDER) + beam("right", 0.7, SLENDER)
    text += hinge("middle", "slot", "ground", "right:root" if root == "middle" else "left:tip")
    text += hinge("joint", "fixed", "left:tip", "right:root")
    text += hinge("pin", "pin", "ground:left", "left:root")
    text += hinge("roller", "slot", "ground:right", "right:tip")
    cuts = [x for x in ("pin", "middle", "roller") if x != root]
    return text.replace("\ngravity", f"\ncuts = {cuts}\ngravity", 1).replace("'", '"')


def rods(lumps: int) -> str:
    """Lumps of 0.5 kg between equal rods in a line, both ends fixed; across all is stiff."""
    rod = {"density": 1, "axial_stiffness": 1, "bending_stiffness": 1e12}
    text = top(2, "rods") + f"[ground.points.end]\nposition = [{lumps + 1}, 0]\n"
    text += "".join(beam(f"rod{k}", 1.0, rod) for k in range(lumps + 1))
    text += hinge("wall", "fixed", "ground", "rod0:root")
    for k in range(1, lumps + 1):
        text += body(f"lump{k}", 0.5, 0.1, ["a", "b"])
        text += hinge(f"a{k}", "fixed", f"rod{k - 1}:tip", f"lump{k}:a")
        text += hinge(f"b{k}", "fixed", f"lump{k}:b", f"rod{k}:root")
    return cut("end", text + hinge("end", "fixed", "ground:end", f"rod{lumps}:tip"))


def sprung_tip(at: str) -> str:
    """A sloping beam between a wall and springs along other axes, cut at one of these hinges."""
    slope, way = angle(40), [math.cos(angle(40)), math.sin(angle(40))]
    text = top(2, "sprung-tip") + ground(wall=slope) + f"[ground.points.end]\nposition = {way}\n"
    text += beam("arm", 1.0, FRAME) + hinge("wall", "fixed", "ground:wall", "arm:root")
    spring = f"{{ stiffness = [3e6, 20, 7e3], rest = [0, 0, {slope!r}] }}"
    text += hinge("spring", "elastic", "ground:end", "arm:tip", spring=spring)
    start = f"[start.positions]\nspring = [0, 0, {slope!r}]\n" if at == "wall" else ""
    return cut(at, text + start)


def ring(sides: int = 6) -> str:
    """A free ring of equal beams with stiff corners, cut at one of them."""
    text, turn = top(2, "ring"), 2 * math.pi / sides
    for k in range(sides):
        text += beam(f"side{k}", 1.0, FRAME, {"root": -turn})
    text = text.replace(f"root]\nx = 0.0\naxes = {-turn}\n", "root]\nx = 0.0\n", 1)
    text += f"[beams.side0.points.closed]\nx = 0.0\naxes = {-turn}\n"
    text += hinge("air", "free", "ground", "side0:root")
    for k in range(sides - 1):
        text += hinge(f"corner{k}", "fixed", f"side{k}:tip", f"side{k + 1}:root")
    return cut("last", text + hinge("last", "fixed", f"side{sides - 1}:tip", "side0:closed"))


def head_on_a_line() -> str:
    """A cantilever with an eccentric head, on a spring between points that pulls at nothing."""
    text = sprung_head().replace('cuts = ["wall"]\n', "")
    before, _, after = text.partition("[hinges.spring]")
    text = before + after[after.index("[hinges.neck]") :].partition("[start.positions]")[0]
    text += "[ground.points.above]\nposition = [1.1, 2.02]\n[forces.spring]\n"
    return text + 'between = ["head:middle", "ground:above"]\nstiffness = 40\nrest = 2.0\n'


CASES = {
    **CASES,
    "05-two-span": (two_spans(), 0),
    "10-ring-hexagon": (ring(), 3),
    "11-four-bar-elastic-cut": (four_bar("C"), 0),
}

#: The same in other words: cut elsewhere, or a spring as a force between points.
OTHERWISE = {
    "04-tip-mass-spring": head_on_a_line(),
    "05-two-span": two_spans("pin"),
    "06-portal-frame": portal().replace('"foot2"', '"corner1"', 1),
    "10-ring-hexagon": ring().replace('"last"', '"corner2"', 1),
    "11-four-bar-elastic": four_bar("B"),
}
