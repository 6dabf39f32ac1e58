"""Model files that nobody would write: seeds changed in their structure and in their letters."""

from __future__ import annotations

import copy
import json
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

#: Numbers at which something ends.
NUMBERS = (
    *(0, 1, -1, 2, 2**31, 2**63 - 1, -(2**63), 0.0, -0.0, 0.5, 1e-9, 1e-308, 5e-324, 1e16, 1e154),
    *(1e308, -1e308, float("inf"), -float("inf"), float("nan"), 3.141592653589793, 999999999999),
)

#: Words of Python, C, files and terminals, and what looks like another word.
NAMES = (
    *(
        "",
        " ",
        "a",
        "A",
        "_",
        "__class__",
        "__import__",
        "double",
        "int",
        "return",
        "lambda",
        "None",
    ),
    *("q1", "u1", "t", "pi", "e", "S", "I", "E", "N", "w", "np", "self", "ground", "main", "errno"),
    *(
        "a b",
        "a-b",
        "a.b",
        "a:b",
        "a/b",
        "../x",
        "/etc/passwd",
        "a\\b",
        "a\nb",
        "a\tb",
        "a\0b",
        "%s",
    ),
    *(
        "\x1b[31mred",
        "\x1b]0;title\x07",
        "\u202eabc",
        "ｄｏｕｂｌｅ",
        "ﬁ",
        "é",
        "e\u0301",
        "😀",
        "Ω",
        "ß",
    ),
    *(
        "x" * 100,
        "x" * 101,
        "x" * 5000,
        "1a",
        "#",
        '"',
        "'",
        "{}",
        "{0}",
        "${x}",
        "[x]",
        "(x)",
        "*",
    ),
    *("*/", "/*", "//", "??/", "\\", "#define x", "sin", "sqrt", "printf", "NULL", "M_PI", "I/O"),
)

#: Functions of expressions, and some that they have not.
FUNCTIONS = (
    *("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "abs", "asin", "acos", "atan", "sign"),
    *("step", "gamma", "eval", "open", "lambda", "factorial", "zeta", "__import__", "Symbol"),
)
SYMBOLS = ("m", "g", "l", "t", "q1", "u1", "pi", "e", "x", "I", "oo", "zoo", "nan", "S")


def expression(rng: Random, depth: int = 0) -> str:
    """A text that reads like an expression, mostly of the grammar of model files."""
    kind = rng.random() if depth < 7 else 0.0
    if kind < 0.35:
        return rng.choice((repr(rng.choice(NUMBERS)), rng.choice(SYMBOLS), str(rng.randint(0, 9))))
    if kind < 0.6:
        return f"{rng.choice(FUNCTIONS)}({expression(rng, depth + 1)})"
    operator = rng.choice(
        (*("+", "-", "*", "/") * 3, "**", "**", "^", "//", "%", "@", ",", "==", " ")
    )
    both = f"{expression(rng, depth + 1)}{operator}{expression(rng, depth + 1)}"
    return f"({both})" if rng.random() < 0.7 else both


def odd_expression(rng: Random) -> str:
    """An expression, or one of those that are long, deep or no expression at all."""
    size = rng.choice((10, 100, 1000, 20_000))
    made: tuple[Callable[[], str], ...] = (
        lambda: expression(rng),
        lambda: expression(rng),
        lambda: broken(rng, expression(rng)),
        lambda: "(" * size + "1" + ")" * size,
        lambda: "-" * size + "1",
        lambda: "+".join(["m"] * size),
        lambda: "*".join(["(m+1)"] * min(size, 1000)),
        lambda: "**".join([str(rng.randint(2, 9))] * rng.randint(2, 9)),
        lambda: f"{expression(rng)}**{10 ** rng.randint(1, 30)}",
        lambda: f"({expression(rng)})**({expression(rng)})",
        lambda: "9" * size,
        lambda: f"1e{rng.randint(-99999, 99999)}",
        lambda: "sin(" * min(size, 2000) + "1" + ")" * min(size, 2000),
        lambda: rng.choice(NAMES),
        lambda: f"{rng.choice(NAMES)}.{rng.choice(NAMES)}({rng.choice(NAMES)})",
    )
    return rng.choice(made)()


def broken(rng: Random, text: str) -> str:
    """A text with letters changed, left out, doubled, moved or cut."""
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in "ij")
        j = min(j, i + rng.choice((1, 3, 30)))
        odd = rng.choice(
            (*NAMES, repr(rng.choice(NUMBERS)), "[", "]", "{", "}", "=", '"', "\n", "<")
        )
        text = rng.choice(
            (
                text[:i] + text[j:],
                text[:i] + odd + text[i:],
                text[:i] + odd + text[j:],
                text[:j] + text[i:],
                text[:i] if rng.random() < 0.2 else text[:i] + text[i:j].swapcase() + text[j:],
            )
        )
    return text


def value(rng: Random, depth: int = 0) -> Any:
    """Something that may stand in the place of something else."""
    made: tuple[Callable[[], Any], ...] = (
        lambda: rng.choice(NUMBERS),
        lambda: rng.choice(NAMES),
        lambda: odd_expression(rng),
        lambda: rng.choice((True, False)),
        lambda: (
            []
            if depth > 2
            else [value(rng, depth + 1) for _ in range(rng.choice((0, 1, 2, 3, 6, 9)))]
        ),
        lambda: {} if depth > 2 else {rng.choice(NAMES): value(rng, depth + 1) for _ in range(2)},
    )
    return rng.choice(made)()


def _places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items: Any = (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    )
    for key, below in items:
        yield (*path, key)
        yield from _places(below, (*path, key))


def _changed(rng: Random, tree: dict[str, Any]) -> None:
    """Change one place of a tree."""
    places = list(_places(tree))
    if not places:
        return
    *path, key = rng.choice(places)
    holder: Any = tree
    for step in path:
        holder = holder[step]
    kind = rng.random()
    if kind < 0.45:
        old = holder[key]
        number = isinstance(old, (int, float)) and rng.random() < 0.6
        holder[key] = rng.choice(NUMBERS) if number else value(rng)
    elif kind < 0.6:
        del holder[key]
    elif kind < 0.8 and isinstance(holder, dict):
        holder[rng.choice((*NAMES, *map(str, (p[-1] for p in places))))] = holder.pop(key)
    elif isinstance(holder, dict):
        *other, last = rng.choice(places)
        source: Any = tree
        for step in other:
            source = source[step]
        holder[key] = copy.deepcopy(source[last])
    else:
        holder.insert(rng.randrange(len(holder) + 1), value(rng))


def _toml(thing: Any) -> str:
    """A value as TOML on one line."""
    if isinstance(thing, bool):
        return str(thing).lower()
    if isinstance(thing, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in thing.items()) + "}"
    if isinstance(thing, list):
        return "[" + ", ".join(map(_toml, thing)) + "]"
    return _quoted(thing) if isinstance(thing, str) else repr(thing)


def _quoted(text: str) -> str:
    return (
        json.dumps(text, ensure_ascii=True)
        if text.isascii()
        else json.dumps(text, ensure_ascii=False)
    )


def _key(name: str) -> str:
    return _quoted(str(name))


def toml_of(tree: dict[str, Any]) -> str:
    return "\n".join(f"{_key(name)} = {_toml(thing)}" for name, thing in tree.items())


def toml(rng: Random, seeds: list[str]) -> str:
    """A model file, changed in its structure, or in its letters."""
    text = rng.choice(seeds)
    if rng.random() < 0.25:
        return broken(rng, text)
    tree = tomllib.loads(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        _changed(rng, tree)
    return toml_of(tree)


def expressions(rng: Random, text: str) -> str:
    """A model one of whose numbers is an expression."""
    tree = tomllib.loads(text)
    tree["bodies"]["rod"]["mass"] = odd_expression(rng)
    if rng.random() < 0.5:
        tree["bodies"]["rod"]["mass"] = 1.0
        tree["hinges"]["pivot"]["force"] = odd_expression(rng)
    return toml_of(tree)


def names(rng: Random, text: str) -> str:
    """A model whose model, body, hinge and parameter have odd names."""
    tree = tomllib.loads(text)
    body, hinge, parameter, point, name = (rng.choice(NAMES) for _ in range(5))
    tree["name"] = name
    tree["bodies"] = {body: tree["bodies"]["rod"] | {"points": {point: {}}}}
    tree["bodies"][body]["mass"] = parameter
    tree["hinges"] = {hinge: tree["hinges"]["pivot"] | {"child": f"{body}:{point}"}}
    tree["parameters"] = {parameter: 2.0, "g": 9.81}
    return toml_of(tree)


def xml(rng: Random, seeds: list[str]) -> str:
    """A robot's file, changed in its elements, attributes, or letters; or a bomb of entities."""
    text = rng.choice(seeds)
    kind = rng.random()
    if kind < 0.25:
        return broken(rng, text)
    if kind < 0.3:
        return _entities(rng, text)
    root = ElementTree.fromstring(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        _element(rng, root)
    # What no XML can hold (control characters) is left in: readers meet it in real files too.
    return ElementTree.tostring(root, encoding="unicode")


def _element(rng: Random, root: ElementTree.Element) -> None:
    parents = [(parent, k) for parent in root.iter() for k in range(len(parent))]
    chosen = rng.choice(list(root.iter()))
    kind = rng.random()
    if kind < 0.45 and chosen.attrib:
        key = rng.choice(sorted(chosen.attrib))
        numbers = " ".join(
            repr(rng.choice(NUMBERS)) for _ in range(rng.choice((0, 1, 2, 3, 4, 6, 7)))
        )
        others = [x for each in root.iter() for x in each.attrib.values()]
        chosen.set(key, rng.choice((numbers, numbers, rng.choice(NAMES), rng.choice(others))))
    elif kind < 0.55 and chosen.attrib:
        del chosen.attrib[rng.choice(sorted(chosen.attrib))]
    elif kind < 0.6:
        chosen.set(rng.choice(("name", "type", "value", "axis", "pos", "x")), rng.choice(NAMES))
    elif kind < 0.75 and parents:
        parent, k = rng.choice(parents)
        parent.remove(parent[k])
    elif kind < 0.9 and parents:
        parent, k = rng.choice(parents)
        chosen.insert(rng.randrange(len(chosen) + 1), copy.deepcopy(parent[k]))
    else:
        chosen.tag = rng.choice(("x", *(each.tag for each in root.iter())))


def _entities(rng: Random, text: str) -> str:
    """Entities that grow tenfold each, or that are read from a file."""
    start = text.index("<", text.find("?>") + 1 if "?>" in text else 0)
    grown = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 9))
    kinds = (f'<!ENTITY a0 "x">{grown}', '<!ENTITY a8 SYSTEM "file:///etc/passwd">')
    head = f"<!DOCTYPE r [{rng.choice(kinds)}]>"
    return head + text[start:].replace('="', '="&a8;', 1 + rng.randrange(9))
