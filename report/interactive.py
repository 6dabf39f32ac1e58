"""A model as a page to play with: sliders for its state and parameters, all that follows from them,
and the motion; the numbers are those of the emitted C, compiled to WebAssembly."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from ..codegen.emit import Sources, emit
from ..codegen.lower import lower
from ..codegen.targets.c.webassembly import reactor
from ..errors import MstmmError, UsageError
from ..model import GROUND, Model
from ..model.expressions.quantities import Quantity, exact_expression
from ..model.parts.units import coordinate_units, speed_units
from ..runtime.derived import Derived
from ..runtime.files import check_folder, made_beside
from ..symbolic.language.letters import letters
from ..symbolic.language.program import (
    Call,
    Entry,
    Map,
    Port,
    Program,
    Ref,
    Storage,
    result,
)
from ..symbolic.mechanics.matrices import Algebra
from ..symbolic.mechanics.traced import At, Tracer, tracing
from ..symbolic.methods.algorithms import chosen
from ..symbolic.methods.riccati.letters import LETTERS, in_letters
from .documents.words import sentence
from .drawing.figure import Anchor, Figure, figure
from .drawing.moving import beam_of, moving
from .environment import environment
from .state import State, placed
from .vibration.swinging import swinging

#: A page has a slider for each number of a state: with more it would be no page to play with.
LARGEST = 40

#: The largest overall equation that is shown entry by entry.
WIDEST = 60

#: The step of the motion, s.
STEP = 1e-3

#: The entries of a state in the plane and in space: accelerations, then loads.
PLANAR, PLANAR_LOADS = ("ẍ", "ÿ", "Ω̇_z"), ("m_z", "q_x", "q_y")
SPATIAL = ("ẍ", "ÿ", "z̈", "Ω̇_x", "Ω̇_y", "Ω̇_z")
SPATIAL_LOADS = ("m_x", "m_y", "m_z", "q_x", "q_y", "q_z")

#: A part of what the page's script reads.
Panel: TypeAlias = dict[str, Any]

#: What a page shows of a program, if it has it.
SHOWN = ("accelerations", "rates", "retract", "constraints", "correction", "poses", "energy")

#: The entry that tells where vertices stand in their bodies, and its result.
DRAWING, VERTICES = "drawing", "vertices"

POINTS = letters("""
    place    | p | 3 |                             | a point of the model
    vertices | r | 3 | own: the model's own points | a vertex of the drawing, in its body's axes
""")


@dataclass(frozen=True, repr=False)
class Interactive:
    """What the page of a derivation holds: its solvers as C, and all that its script must know.

    `main` computes the paper's letters or loads, energy, poses and motion; `overall` the overall
    transfer equation, None where it is too wide or the model has none.
    """

    derived: Derived
    state: State
    main: Sources
    entries: tuple[str, ...]
    overall: Sources | None
    shape: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<Interactive page of {self.derived.model.name}>"

    def html(self, command: str = "") -> str:
        """The page, self-contained; it says by which `command` it was written.

        Raises
            ToolchainError: the extra `cc` (the `ziglang` wheel) is not installed, or fails.
        """
        model = self.derived.model
        parts = {"main": _compiled(self.main, self.entries)}
        if self.overall:
            parts["overall"] = _compiled(self.overall, ("overall_equation",))
        data = {**self.shape, "parts": parts, "dt": STEP}
        return (
            environment()
            .get_template("html/interactive.html.jinja")
            .render(
                title=f"{model.name}: move it",
                about=sentence(model.description or "a multibody system"),
                command=command,
                # No text of a model may end the script that holds it.
                data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
            )
        )

    def save(self, path: str | Path) -> None:
        """Write the page, whole or not at all.

        Raises
            UsageError: a folder that cannot be written.
            ToolchainError: the extra `cc` (the `ziglang` wheel) is not installed, or fails.
        """
        path = Path(path)
        check_folder(path.parent)
        with made_beside(path.parent) as scratch:
            (scratch / path.name).write_text(self.html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        title = escape(f"{self.derived.model.name}: move it", quote=True)
        return (
            f'<iframe srcdoc="{escape(self.html(), quote=True)}" title="{title}" '
            'style="width: 100%; height: 800px; border: 0"></iframe>'
        )


def interactive(derived: Derived, state: State) -> Interactive:
    """The page of a derivation, at this state to begin with.

    Raises
        UsageError: the algorithm gives no accelerations in speeds, or the model is too large or has
            what is not drawn while it is changed.
    Source
        own
    """
    model = derived.model
    _check(derived)
    drawn = figure(placed(model, state))
    size = float(np.linalg.norm(np.ptp(drawn.vertices[0], axis=0))) or 1.0
    program, entries, panels = _program(derived, drawn)
    main = emit(lower(program, entries), "c")
    overall = _overall(derived)
    shape = {
        "name": model.name,
        "sliders": [*_sliders(model, state, size)],
        "t": state.t,
        "timed": "t" in main.interface.sizes,
        "panels": [*panels, *([] if overall is None else [_equation(overall)])],
        "results": [*_results(model, program)],
        "figure": moving(model, drawn),
        "bodies": [body.name for body in model.bodies],
        "closes": main.interface.can_close,
        "modes": swinging(model, state, size),
    }
    return Interactive(derived, state, main, entries, overall, shape)


def _check(derived: Derived) -> None:
    model, program = derived.model, derived.program()
    names = {entry.name for entry in program.entries}
    if not {"accelerations", "rates", "poses"} <= names:
        raise UsageError(
            "an interactive page needs accelerations in the speeds, which "
            f"{derived.algorithm.name} does not give; riccati does"
        )
    if len(model.speeds) > LARGEST:
        raise UsageError(
            f"{model.name} has {len(model.speeds)} speeds; an interactive page has sliders for "
            f"{LARGEST} at most"
        )
    if model.base is not None:
        raise UsageError(
            f"{model.name} stands on a moving base, which an interactive page cannot draw"
        )


# The program


def _program(derived: Derived, drawn: Figure) -> tuple[Program, tuple[str, ...], list[Panel]]:
    """What the page runs, its entries, and the panels of matrices."""
    model, method = derived.model, derived.algorithm
    program = method.program(derived.plan, runtime=tuple(model.parameters))
    has_letters = any(entry.name == LETTERS for entry in derived.program().entries)
    panels: list[Panel] = []
    loads = "joint_loads"
    if has_letters:
        program = in_letters(program, derived.plan, forced=False)
        program, panels = _given_back(program)
        loads = LETTERS
    program = _with_drawing(program, [*_calls(model, drawn)])
    known = {entry.name: entry for entry in program.entries}
    wanted = tuple(name for name in (*SHOWN, loads, DRAWING) if name in known)
    return program, wanted, panels


def _given_back(program: Program) -> tuple[Program, list[Panel]]:
    """The paper's letters in buffers of the caller, and the panels that show them."""
    (letters,) = (entry for entry in program.entries if entry.name == LETTERS)
    names = {name: name.replace(" ", "_") for name in letters.results}
    arrays = dict(program.arrays)
    shown: dict[str, dict[str, list[Panel]]] = {"ends": {}, "bodies": {}}
    for name, own in names.items():
        array = arrays.pop(name)
        arrays[own] = replace(array, name=own, storage=Storage.RESULT, owner=own)
        letter = name.removesuffix(" of").rstrip("0123456789")
        of = shown["bodies" if letter == "U" else "ends"]
        for k, member in enumerate(program.sets[array.index_set]):
            of.setdefault(member, []).append(_matrix(array.port, letter, own, k))
    calls = tuple(
        replace(call, writes={p: Ref(names[x.array], x.member) for p, x in call.writes.items()})
        for call in program.step(LETTERS).single_calls()
    )
    steps = (replace(s, calls=calls) if s.name == LETTERS else s for s in program.steps)
    # The loads come with them: one call gives all that the page shows.
    results = (*names.values(), *(name for name in ("a", "loads") if name in arrays))
    entries = (replace(e, results=results) if e is letters else e for e in program.entries)
    told = replace(program, arrays=arrays, steps=tuple(steps), entries=tuple(entries))
    return told, [
        _panel("Riccati coefficients", "z_a = S z_b + e at the end", shown["ends"]),
        _panel("Transfer matrices", "z_O = U z_I of the body", shown["bodies"], broad=True),
    ]


def _panel(title: str, says: str, choices: Mapping[str, list[Panel]], broad: bool = False) -> Panel:
    """A choice of matrices; `broad` ones have the page's whole width."""
    return {
        "title": title,
        "says": says,
        "broad": broad,
        "choices": [{"name": name, "matrices": found} for name, found in choices.items()],
    }


def _matrix(port: Port, letter: str, buffer: str, k: int) -> Panel:
    sides, heads = _labels(port, letter)
    return {
        "letter": letter, "part": "main", "buffer": buffer, "at": k * len(port.entries),
        "sides": sides, "heads": heads,
    }  # fmt: skip


def _labels(port: Port, letter: str) -> tuple[list[str], list[str]]:
    """What the rows and the columns of a matrix in the paper's letters belong to."""
    planar = port.rows in (3, 7)
    motion, loads = (PLANAR, PLANAR_LOADS) if planar else (SPATIAL, SPATIAL_LOADS)
    if letter == "U":
        further = (port.cols - 1) // len(loads) - 2
        heads = [*motion, *loads, *(f"{x},{k + 2}" for k in range(further) for x in loads), "1"]
        return [*motion, *loads, "1"], heads
    sides = [*loads]
    if letter.startswith("S"):
        return sides, [*motion]
    return sides, ["1"] if port.cols == 1 else [f"μ_{k + 1}" for k in range(port.cols)]


def _with_drawing(program: Program, calls: Sequence[Call]) -> Program:
    """The program with one more entry: the vertices of the drawing, in their bodies' axes."""
    members = tuple(call.member for call in calls)
    step = Map(DRAWING, "vertices of the drawing in their bodies", tuple(calls))
    return replace(
        program,
        sets={**program.sets, VERTICES: members},
        arrays={**program.arrays, VERTICES: result(VERTICES, VERTICES, 3)},
        steps=(*program.steps, step),
        entries=(*program.entries, Entry(DRAWING, step.title, (DRAWING,), (VERTICES,))),
    )


@tracing(POINTS, {}, {})
def _vertex(x: At, _: Algebra, t: Tracer) -> tuple[str, ...]:
    t.called("vertex", "a vertex of the drawing")
    x.vertices = x.place
    return (VERTICES,)


def _calls(model: Model, drawn: Figure) -> Iterator[Call]:
    kernel = _vertex.of(dimension=3)
    for k, anchor in enumerate(drawn.anchors):
        if anchor is not None and not beam_of(model, anchor):
            member = str(k)
            place = {"place": _placed(model, anchor)}
            yield Call(kernel, member, place, {VERTICES: Ref(VERTICES, member)})


def _placed(model: Model, anchor: Anchor) -> sp.Matrix:
    """An anchor's place in its body's own axes, in the model's parameters."""
    local = _column(anchor.local)
    if anchor.point is None:
        return local
    ground = anchor.body == GROUND
    owner = None if ground else model.body(anchor.body)
    point = model.ground_point(anchor.point) if owner is None else owner.point(anchor.point)
    if isinstance(point.axes, tuple):
        local = sp.Matrix([[exact_expression(x) for x in row] for row in point.axes]) * local
    elif point.axes is not None:
        angle = exact_expression(point.axes)
        c, s = sp.cos(angle), sp.sin(angle)
        local = sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]) * local
    return local + _column(point.position)


def _column(vector: Sequence[Quantity]) -> sp.Matrix:
    found = [exact_expression(x) for x in vector]
    return sp.Matrix([*found, *[sp.S.Zero] * (3 - len(found))])


def _overall(derived: Derived) -> Sources | None:
    """The overall transfer equation as C, where it is small enough to be looked at."""
    model = derived.model
    try:
        program = chosen("overall").program(derived.plan, runtime=tuple(model.parameters))
    except MstmmError:
        return None
    if len(program.sets["unknowns"]) > WIDEST:
        return None
    return emit(lower(program, ("overall_equation",)), "c")


def _equation(overall: Sources) -> Panel:
    sets = overall.interface.sets
    sides, heads = [*map(_row, sets["rows"])], [*sets["unknowns"]]
    matrix = {
        "letter": "U_all", "part": "overall", "buffer": "U_all", "at": 0,
        "sides": sides, "heads": heads, "right": "r_all",
    }  # fmt: skip
    says = (
        "U_all unknowns = r_all. A row is named by the equation that it comes from: a tree's main "
        "equation at its last body, the geometric equation of a body's further input, or a beam's "
        "or a hinge's own one; the number after the point counts its components. A column is an "
        "entry of the state at the end between two elements (0 is the ground), or the relative "
        "acceleration of a hinge."
    )
    return _panel("Overall transfer equation", says, {"": [matrix]}, broad=True)


def _row(name: str) -> str:
    """`geometric 7 2 1`, a row's name in the program, as one reads it: geometric 7 I_2 · 1."""
    kind, *at, component = name.split(" ")
    if kind == "geometric":
        at[-1] = f"I_{at[-1]}"
    elif kind == "main":
        # Of several trees each is told by its last body.
        at.pop()
    return f"{' '.join([kind, *at])} · {component}"


def _compiled(sources: Sources, entries: Sequence[str]) -> Panel:
    interface = sources.interface
    return {
        "wasm": base64.b64encode(reactor(sources, entries)).decode("ascii"),
        "buffers": dict(interface.sizes),
        "inputs": list(interface.inputs),
        "entries": list(entries),
    }


# What is moved, and what is shown


def _sliders(model: Model, state: State, size: float) -> Iterator[Panel]:
    """A slider for each coordinate, speed and parameter, with how far it goes."""
    for k, unit in enumerate(coordinate_units(model)):
        if unit.unit == "m":
            reach = max(0.5 * size, 2.0 * abs(state.q[k]))
            low, high = state.q[k] - reach, state.q[k] + reach
        else:
            low, high = (-np.pi, np.pi) if unit.unit == "rad" else (-1.0, 1.0)
        yield _slider("q", k, unit.name, unit.unit, unit.meaning, low, high, state.q[k])
    for k, speed in enumerate(speed_units(model)):
        reach = max(10.0 if speed.unit == "rad/s" else 5.0 * size, 2.0 * abs(state.v[k]))
        yield _slider("v", k, speed.name, speed.unit, speed.meaning, -reach, reach, state.v[k])
    for k, (name, value) in enumerate(state.parameters.items()):
        low, high = sorted((0.1 * value, 3.0 * value)) if value else (-1.0, 1.0)
        yield _slider("p", k, name, "", f"parameter {name}", low, high, value)


def _slider(
    buffer: str, at: int, name: str, unit: str, meaning: str, low: float, high: float, value: float
) -> Panel:
    return {
        "buffer": buffer, "at": at, "name": name, "unit": unit, "meaning": meaning,
        "low": low, "high": high, "value": value,
    }  # fmt: skip


def _results(model: Model, program: Program) -> Iterator[Panel]:
    """The tables of numbers: accelerations, and loads end by end."""
    units = speed_units(model)
    sides = [f"{unit.name} {unit.acceleration}".replace("^2", "²") for unit in units]
    yield {"title": "Accelerations", "buffer": "a", "sides": sides, "heads": ["rate of the speed"]}
    if "loads" in program.arrays:
        ends = [*program.sets[program.arrays["loads"].index_set]]
        yield {
            "title": "Loads, N m and N",
            "buffer": "loads",
            "sides": ends,
            "heads": [*SPATIAL_LOADS],
        }
