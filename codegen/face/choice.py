"""An algorithm by its name and options, as a caller says it: it is looked up when it must be.

The list of algorithms brings all their formulas with it. Code that is in the cache does without.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...symbolic.methods.algorithms import Algorithm


@dataclass(frozen=True)
class Choice:
    """The name of an algorithm, and those of its options that are not at their defaults."""

    name: str
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def named(cls, name: str, **options: Any) -> Choice:
        """The algorithm of this name; an option that is None has its default."""
        given = {key: value for key, value in options.items() if value is not None}
        return cls(name, tuple(sorted(given.items())))

    @classmethod
    def of(cls, algorithm: Algorithm) -> Choice:
        """What says which algorithm this is."""
        given = {x.name: getattr(algorithm, x.name) for x in fields(algorithm)}
        defaults = {x.name: x.default for x in fields(algorithm)}
        changed = {name: value for name, value in given.items() if value != defaults[name]}
        made = cls.named(algorithm.name, **changed)
        vars(made)["algorithm"] = algorithm
        return made

    @cached_property
    def algorithm(self) -> Algorithm:
        """The algorithm itself.

        Raises
            UsageError: there is none of this name, or it has no such option.
        """
        from ...symbolic.methods.algorithms import chosen

        return chosen(self.name, **dict(self.options))

    @property
    def text(self) -> str | None:
        """Name and options as text that means the same everywhere, if they are plain."""
        return repr((self.name, self.options)) if _is_plain(self.options) else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Choice, (self.name, self.options)


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or type(value) in (str, int, float, bool)
