"""Models in files: TOML into a `Model`, and back.

The tables are those of `tables`; every quantity is a number or the text of an expression.
"""

from __future__ import annotations

import json
import re
import stat
import tomllib
from collections.abc import Container, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import sympy as sp

from ...errors import ModelError, UsageError
from ..expressions.quantities import parameter
from ..expressions.text import write as written
from ..model import Model
from ..parts.bodies import Beam, End, Point
from ..parts.forces import Force
from ..parts.frames import Frame
from ..parts.hinge_kinds import SIZES
from ..parts.hinges import GROUND, Mimic
from ..parts.limits import FREE
from ..parts.lumped import lumped_mass
from ..topology import choose_cuts, read_hinges
from .beams import OF_SECTIONS
from .building import Builder
from .located import located

#: Enough for ten thousand bodies; a longer line than this holds no table or expression.
MAX_BYTES = 8_000_000
MAX_LINE = 8_000


def read(path: str | Path) -> Model:
    """The model that a file describes.

    Raises
        UsageError: there is no such file, or it cannot be read.
        ModelError: the file describes no system; names the table and the key.
    Source
        own
    """
    try:
        with open(path, "rb") as file:
            if not stat.S_ISREG(Path(path).stat().st_mode):
                raise UsageError(f"{path} is no regular file")
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        if len(raw) > MAX_BYTES:
            raise ModelError(f"the file has more than {MAX_BYTES} bytes")
        return from_text(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: byte {error.start + 1} is no UTF-8 text") from None
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def from_text(text: str) -> Model:
    """The model that a TOML text describes.

    Raises
        ModelError: it describes no system; names the table and the key.
    Source
        own
    """
    if not text.strip():
        raise ModelError("the file is empty; a model has name, dimension, gravity, bodies, hinges")
    if max(map(len, text.splitlines()), default=0) > MAX_LINE:
        raise ModelError(f"a line has more than {MAX_LINE} characters")
    try:
        content = tomllib.loads(text)
    except (RecursionError, MemoryError):
        raise ModelError("the file nests too deeply") from None
    except ValueError as error:
        raise ModelError(f"is no TOML: {error}") from None
    table = located(content)
    try:
        return Builder(table).model()
    except ModelError as error:
        raise _pointing(error, table.beams) from None


def _pointing(error: ModelError, beams: Container[str]) -> ModelError:
    """The error with table and key in place of element and field."""
    where = " · ".join(part for part in (error.element, error.field) if part)
    message = str(error)[len(where) + 2 :] if where else str(error)
    kind, _, name = error.element.partition(" ")
    body, _, point = kind.partition(":")
    if kind == "ground":
        name = ""
    tables = {
        "body": "bodies",
        "beam": "beams",
        "hinge": "hinges",
        "load": "loads",
        "force": "forces",
        "sensor": "sensors",
        "frame": "frames",
        "input": "inputs",
        "table": "tables",
        "model": "",
    }
    owner = "beams" if body in beams else "bodies"
    element = f"{owner}.{body}.points.{point}" if point else tables.get(kind, kind)
    fields = {
        "ends": "parent, child",
        "force or motion": "force, motion",
        "q0": "start.positions",
        "v0": "start.speeds",
        "ground": "points",
        "stiffness or damping": "spring, damper",
        "stiffness": "spring.stiffness",
        "rest": "spring.rest",
        "damping": "damper.damping",
    }
    if kind in ("force", "sensor"):
        fields = {}
    field = fields.get(error.field, error.field)
    if field.startswith("axes of point "):
        field = f"points.{field.removeprefix('axes of point ')}.axes"
    elif field.startswith("point "):
        place = "x" if kind == "beam" else "position"
        field = f"points.{field.removeprefix('point ')}.{place}"
    return ModelError(message, field=".".join(part for part in (element, name, field) if part))


def write(model: Model, path: str | Path) -> None:
    """Write the model into a file; `read` gives an equal model back.

    Raises
        UsageError: the file cannot be written.
        ModelError: an expression of the model has no text in files.
    Source
        own
    """
    try:
        Path(path).write_bytes(to_text(model).encode())
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def to_text(model: Model) -> str:
    """The model as the text of a file; the same model gives the same text.

    Raises
        ModelError: an expression of the model has no text in files.
    Source
        own
    """
    started = {asked.owner for asked in model.asked} | read_hinges(model)
    inputs = {x.name: x for x in model.inputs}
    automatic = {
        choose_cuts(model.dimension, model.hinges, started, narrow=x) for x in (False, True)
    }
    tables: dict[str, dict[str, object]] = {
        "": {
            "name": model.name,
            "description": model.description or None,
            "dimension": model.dimension,
            "coordinates": "absolute" if model.absolute else "joint",
            "kinematic": model.kinematic or None,
            "gravity": model.gravity,
            "cuts": None if {model.cuts} == automatic else model.cuts,
            "root": model.root or None,
        },
        "first_inputs": dict(model.first_inputs),
        "parameters": {
            name: float(value) for name, value in model.parameters.items() if name not in inputs
        },
        **{
            f"inputs.{name}": {
                "default": float(model.parameters[name]),
                "unit": each.unit or None,
                "limits": each.limits if each.limits != FREE else None,
            }
            for name, each in inputs.items()
        },
        **_points("ground", model.ground),
    }
    for table in model.tables:
        tables[f"tables.{table.name}"] = {
            "of": table.of,
            "at": table.at,
            "frequency": table.frequency or None,
        }
        tables[f"tables.{table.name}.values"] = dict(table.columns)
    if model.base is not None:
        angle = model.dimension == 2 and len(model.base.angles) == 1
        tables["base"] = {
            "position": model.base.position or None,
            "angle" if angle else "angles": model.base.angles[0] if angle else model.base.angles,
        }
    for body in model.bodies:
        if isinstance(body, Beam):
            tables |= _beam(body)
            continue
        where = f"bodies.{body.name}"
        lumped = body.inertia == lumped_mass(body.name, 1, model.dimension).inertia
        tables[where] = {
            "kind": "lumped" if lumped else None,
            "mass": body.mass,
            "inertia": None if lumped else body.inertia,
            "centre": body.centre,
            "spin": _said(body.spin),
        }
        tables |= _points(where, body.points)
    for hinge in model.hinges:
        parent, child = (_end(model, end) for end in hinge.ends)
        tables[f"hinges.{hinge.name}"] = {
            "kind": hinge.kind,
            "parent": parent,
            "child": child,
            **{size.name: getattr(hinge, size.name) or None for size in SIZES},
            "force": hinge.force or None,
            "motion": hinge.motion or None,
            "rotor": hinge.rotor or None,
            "mimic": None if hinge.mimic is None else _mimic(hinge.mimic),
            "potential": None if hinge.potential == 0 else hinge.potential,
        }
        if hinge.stiffness:
            tables[f"hinges.{hinge.name}.spring"] = {
                "stiffness": hinge.stiffness,
                "rest": hinge.rest or None,
            }
        if hinge.damping:
            tables[f"hinges.{hinge.name}.damper"] = {"damping": hinge.damping}
        if hinge.limits:
            tables[f"hinges.{hinge.name}.limits"] = {
                key: value or None for key, value in vars(hinge.limits).items()
            }
    for frame in model.frames:
        tables[f"frames.{_key(frame.name)}"] = {
            "body": _frame_body(model, frame),
            "position": frame.position,
            "axes": frame.axes,
        }
    for load in model.loads:
        tables[f"loads.{load.name}"] = {
            "body": f"{load.body}:{load.point}" if load.point else load.body,
            "force": load.force or None,
            "moment": load.moment or None,
            "frame": load.frame,
        }
    for force in model.forces:
        tables[f"forces.{force.name}"] = _force(model, force)
    for sensor in model.sensors:
        ends = tuple(_end(model, end).removesuffix(":") for end in sensor.ends)
        tables[f"sensors.{sensor.name}"] = {
            **({"on": ends[0]} if len(ends) == 1 else {"between": ends}),
            "along": sensor.along or None,
        }
    who = model.owners
    places, turns = [(name, n) for name, n, _ in who], [(name, n) for name, _, n in who]
    still = (0.0,) * len(model.speeds)
    tables["start.positions"] = _as_asked(
        model,
        _by_owner(model.q0, places),
        _by_owner(model.rest_position(), places),
        speeds=False,
    )
    tables["start.speeds"] = _as_asked(
        model, _by_owner(model.v0, turns), _by_owner(still, turns), speeds=True
    )
    columns = {
        x.column(name): parameter(f"{x.name}_{name}") for x in model.tables for name in x.columns
    }
    named = {x: name for x, name in columns.items() if x.is_Add}
    return "\n".join(
        _table(where, _named(entries, named)) for where, entries in tables.items() if entries
    )


def _named(value: Any, columns: Mapping[sp.Expr, sp.Symbol]) -> Any:
    """The same with the quantities of tables by their names."""
    if isinstance(value, dict):
        return {key: _named(x, columns) for key, x in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_named(x, columns) for x in value)
    return value.xreplace(columns) if columns and isinstance(value, sp.Expr) else value


def _points(where: str, points: Sequence[Point]) -> dict[str, dict[str, object]]:
    return {
        f"{where}.points.{point.name}": {"position": point.position, "axes": point.axes}
        for point in points
    }


def _force(model: Model, force: Force) -> dict[str, object]:
    ends = tuple(_end(model, end).removesuffix(":") for end in force.ends)
    laws = {x.name: getattr(force, x.name) for x in fields(Force) if x.name not in ("name", "ends")}
    said = {key: None if law in (0, ()) else law for key, law in laws.items()}
    return {"on": ends[0], **said} if len(ends) == 1 else {"between": ends, **said}


def _beam(beam: Beam) -> dict[str, dict[str, object]]:
    where = f"beams.{beam.name}"
    own = {
        "length": beam.length,
        **{name: _said(getattr(beam, name)) for name in OF_SECTIONS},
        "axial": beam.axial,
        "bending": beam.bending,
        **{
            name: _said(getattr(beam, name))
            for name in ("damping", "tension", "foundation", "loss", "spin")
        },
        "foreshortening": None if beam.foreshortening else False,
    }
    points = {
        f"{where}.points.{point.name}": {"x": point.position[0], "axes": point.axes}
        for point in beam.points
    }
    return {where: own, **points}


def _said(value: object) -> object:
    """Nothing of what is none."""
    return None if value in (0, (0, 0)) else value


def _mimic(mimic: Mimic) -> dict[str, object]:
    if mimic.law is None:
        own = {"own": True} if mimic.own else {}
        return {key: getattr(mimic, key) for key in ("hinge", "ratio", "offset")} | own
    return {"hinges": mimic.hinges, "law": mimic.law}


def _end(model: Model, end: End) -> str:
    """An end of the ground by its word, unless its point is not placed or a body has the name."""
    if end.body != GROUND or any(body.name == "ground" for body in model.bodies):
        return str(end)
    if end.point == "O":
        return "ground"
    placed = end.point in [point.name for point in model.ground]
    return f"ground:{end.point}" if placed else str(end)


def _frame_body(model: Model, frame: Frame) -> str:
    named = frame.body == GROUND and all(body.name != "ground" for body in model.bodies)
    return "ground" if named else frame.body


def _key(name: str) -> str:
    """A name as a key of TOML, quoted if it holds more than letters, digits, - and _."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _by_owner(state: Sequence[float], owners: Sequence[tuple[str, int]]) -> dict[str, object]:
    entries: dict[str, object] = {}
    first = 0
    for name, count in owners:
        # The sum leaves no −0.0, which would come back as 0.0.
        own = tuple(float(x) + 0.0 for x in state[first : first + count])
        entries[name] = None if count == 0 else own[0] if count == 1 else own
        first += count
    return {name: own for name, own in entries.items() if own is not None}


def _as_asked(
    model: Model, state: dict[str, object], rest: dict[str, object], *, speeds: bool
) -> dict[str, object]:
    """What a start asks, in its order, and what else is not at rest; all where it asks nothing."""
    if not model.asked:
        return state
    entries: dict[str, object] = {}
    for asked in model.asked:
        if asked.speeds == speeds:
            own = asked.values[0] if len(asked.values) == 1 else asked.values
            value = state.get(asked.owner, own)
            key = {True: "fixed", False: "guess", None: ""}[asked.fixed]
            entries[asked.owner] = {key: value} if key else value
    others = {name: value for name, value in state.items() if value != rest[name]}
    return {
        name: {"guess": value} for name, value in others.items() if name not in entries
    } | entries


def _table(where: str, entries: dict[str, object]) -> str:
    """A table without the entries that are None."""
    lines = [f"[{where}]"] if where else []
    for key, value in entries.items():
        if value is not None:
            try:
                lines.append(f"{key} = {_toml(value)}")
            except ModelError as error:
                path = f"{where}.{key}" if where else key
                raise ModelError(str(error), field=path) from None
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, sp.Expr):
        text = written(value)
        plain = isinstance(value, sp.Float) or (value.is_Integer and abs(value) < 2**63)
        return text if plain else f'"{text}"'
    if isinstance(value, str):
        # TOML escapes like JSON, and DEL besides.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return _toml(sp.Integer(value))
    return float.__repr__(float(value))  # type: ignore[arg-type]
