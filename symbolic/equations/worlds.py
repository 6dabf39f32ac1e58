"""What letters mean at an exact instant; a paper's world states no equation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .matrices import Mat, Terms
from .tokens import EquationError

#: What functions of a world raise of values that its indices do not have.
UNKNOWN = (LookupError, TypeError, ValueError, AttributeError)


class World:
    """An instant: the values of letters and the sets that indices run over.

    `letters`: for each declared pattern (`Vb_i`, `ξ_12^X`) a function of the values of its running
    indices, those below before those above. It yields a SymPy matrix, a `Mat`, a number, a series
    (anything with `terms`, the coefficients of powers of the time), or None where there is none.
    `sets`: by name, functions of the values that they depend on. `coordinates`: by which ∂_k goes.
    `checks`: by name, what no equation says: of the print or not, pairs of a left side and terms.
    """

    letters: Mapping[str, Callable[..., Any]] = {}
    sets: Mapping[str, Callable[..., Iterable[Any]]] = {}
    coordinates: tuple[Any, ...] = ()
    checks: Mapping[str, Callable[[bool], Iterable[tuple[Any, ...]]]] = {}

    def known(self, name: str, own: tuple[Any, ...]) -> tuple[Terms, bool] | None:
        """A letter's series and whether it moves, found once; None where there is none."""
        found = self.__dict__.setdefault("_known", {})
        if (name, own) not in found:
            found[name, own] = self._found(name, own)
        known: tuple[Terms, bool] | None = found[name, own]
        return known

    def _found(self, name: str, own: tuple[Any, ...]) -> tuple[Terms, bool] | None:
        try:
            value = self.letters[name](*own)
            terms = getattr(value, "terms", (value,))
            return None if value is None else ([Mat.of(x) for x in terms], hasattr(value, "terms"))
        except UNKNOWN:
            return None

    def less(self, a: Any, b: Any) -> bool:
        """Whether a < b, as of bodies on one way."""
        return bool(a < b)

    def parent(self, a: Any) -> Any:
        raise EquationError("there are no parents here")

    def along(self, by: tuple[Any, ...]) -> World:
        """The motion in which these coordinates grow at unit rate each, and nothing else moves."""
        raise EquationError("there are no coordinates here")

    def still(self) -> World:
        """The instant at which nothing moves, where a letter is varied by itself."""
        return self
