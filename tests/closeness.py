"""When numbers count as equal: to a part of the largest of those expected, or of one."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Close(Protocol):
    """Fails unless what is found is what is expected; not-a-numbers equal nothing."""

    def __call__(
        self,
        found: Any,
        expected: Any,
        tolerance: float = ...,
        *,
        what: str = "",
        scale: float = 1.0,
    ) -> None: ...


def within(tolerance: float) -> Close:
    """Equality to such a part, where a test asks for no other; the scale is the least one."""

    def close(
        found: Any,
        expected: Any,
        tolerance: float = tolerance,
        *,
        what: str = "",
        scale: float = 1.0,
    ) -> None:
        found, expected = (np.asarray(x, dtype=float) for x in (found, expected))
        allowed = tolerance * max(scale, float(np.abs(expected).max(initial=0.0)))
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=allowed, equal_nan=False, err_msg=what
        )

    return close


#: What is left of some hundred operations in doubles.
close = within(1e-11)
