"""A model file's content as tables; where it is something else, the table and key are named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from ...errors import ModelError
from ..parts.naming import nearest
from .tables import HingeTable, ModelTable, Table

#: How the keys are written that a table must have.
WRITTEN = {
    "name": 'write name = "arm"',
    "dimension": "write dimension = 2 of the plane, or 3",
    "gravity": "write gravity = [0, -9.81] of the plane, [0, 0, -9.81] of space (m/s²)",
    "hinges": "a model has one at least, [hinges.NAME]",
    "mass": "write mass = 1.2 (kg); a link without mass has mass = 0 and inertia = 0",
    "body": "write the body's name, or ground",
    "kind": 'write kind = "pin" (plane), "revolute" (space), "prismatic" or another one',
    "parent": 'write parent = "ground", "ground:point" or "body:point"',
    "child": 'write child = "body:point"',
    "hinge": "write the name of the hinge that is followed",
    "stiffness": "write stiffness = 40 (N/m or N m/rad)",
    "damping": "write damping = 0.2 (N s/m or N m s/rad)",
    "length": "write length = 0.5 (m)",
    "density": "write density = 2.7 (kg/m)",
    "axial_stiffness": "write axial_stiffness = 1e6 (E A, N)",
    "bending_stiffness": "write bending_stiffness = 20 (E I, N m²)",
    "E": "write E = 210e9 (N/m²)",
    "rho": "write rho = 7850 (kg/m³)",
    "shape": 'write shape = "rectangle", "circle" or "tube"',
    "of": 'write of = "W", the parameter whose values are listed in at',
    "at": "write at = [0, 100, 200], the values of that parameter, ascending",
    "values": "write values.k = [1e6, 2e6, 3e6], a number for each that at has",
    "points": "a beam is hinged at one point at least, points.root = { x = 0 }",
}


def schema() -> str:
    """The JSON Schema of model files.

    Source
        own
    """
    found = msgspec.json.schema(ModelTable)
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**draft, **found}, indent=1, ensure_ascii=False) + "\n"


def located(content: dict[str, Any]) -> ModelTable:
    """The content as tables.

    Raises
        ModelError: a key is unknown or missing, or holds the wrong type; names table and key.
    Source
        own
    """
    try:
        return msgspec.convert(content, ModelTable)
    except msgspec.ValidationError:
        raise _explained(content, ModelTable, "") from None


def _explained(content: Any, table: Any, where: str) -> ModelError:
    """The innermost table that cannot be converted: its message has the names of all keys."""
    if isinstance(content, dict) and _is_table(table):
        for key, hint in get_type_hints(table).items():
            for name, inner, entry in _tables_in(content.get(key), hint):
                try:
                    msgspec.convert(entry, inner)
                except msgspec.ValidationError:
                    path = ".".join(part for part in (where, key, name) if part)
                    return _explained(entry, inner, path)
    try:
        msgspec.convert(content, table)
    except msgspec.ValidationError as error:
        return _reworded(str(error), table, where)
    raise AssertionError(where)


def _tables_in(content: Any, hint: Any) -> Iterable[tuple[str, Any, Any]]:
    """The tables that a key holds: name (none for the key itself), type and content."""
    if not isinstance(content, dict):
        return
    if get_origin(hint) is dict:
        inner = get_args(hint)[1]
        table = next((kind for kind in get_args(inner) if _is_table(kind)), inner)
        for name, entry in content.items():
            yield name, table if isinstance(entry, dict) else inner, entry
        return
    for kind in (hint, *get_args(hint)):
        if _is_table(kind):
            yield "", kind, content


def _is_table(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Table)


def _reworded(message: str, table: Any, where: str) -> ModelError:
    message, _, path = message.partition(" - at `")
    inner = path.rstrip("`").removeprefix("key in `").removeprefix("$").lstrip(".")
    key = ".".join(part for part in (where, inner) if part).replace(".[", "[")
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", message, re.DOTALL):
        known = list(table.__struct_fields__)
        elsewhere = table is HingeTable and found[1] in ("axes", "origin")
        remedy = (
            " (a hinge lies at its parent's and child's points: their `position` and `axes` say "
            "where it is and along what it moves; or `axis` and `through` of the hinge itself)"
            if elsewhere
            else nearest(found[1], known)
        )
        return ModelError(
            f"there is no such key{remedy}; there are: {', '.join(known)}",
            field=".".join(part for part in (where, found[1]) if part),
        )
    if found := re.fullmatch(r"Object missing required field `(.*)`", message):
        where = ".".join(part for part in (key, found[1]) if part)
        return ModelError(f"is missing: {WRITTEN[found[1]]}", field=where)
    if found := re.fullmatch(r"Expected `(.*)`, got `(.*)`", message):
        wanted = _words(found[1])
        if "float" not in found[1]:
            wanted = wanted.replace("a number", "a whole number")
        return ModelError(f"must be {wanted}, is {_words(found[2])}", field=key)
    return ModelError(message, field=key)


def _words(types: str) -> str:
    """`int | float | str` as a user of files says it."""
    words = {
        "int": "a number",
        "float": "a number",
        "str": "a text",
        "array": "a list",
        "object": "a table",
        "bool": "true or false",
        "null": "",
    }
    said = dict.fromkeys(words.get(kind, f"a {kind}") for kind in types.split(" | "))
    return " or ".join(word for word in said if word)
