"""Numbers of things in words, for the titles of kernels."""

from __future__ import annotations

_WORDS = ("no", "one", "two", "three", "four", "five", "six")

_PLURALS = {"freedom": "freedoms", "momentum": "momenta", "joint momentum": "joint momenta"}


def counted(number: int, thing: str) -> str:
    """`no input`, `one freedom`, `two columns`."""
    word = _WORDS[number] if number < len(_WORDS) else str(number)
    return f"{word} {thing if number < 2 else _PLURALS.get(thing, f'{thing}s')}"


def called(kind: str) -> str:
    """A kind with its article: `a pin`, `an elastic`, `a universal`."""
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"
