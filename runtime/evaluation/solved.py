"""What the solves of a library or a module have met in this thread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...codegen.solves.elimination import BOUNDED, DROPPED, FLOOR, FORGOTTEN, MET
from .arrays import Floats
from .backend import Backend, CBatchLibrary, CLibrary, NumpyModule
from .noted import Met, Noting, NumpySolves

#: What a door reads after each call: where in the workspace, lanes, how many solves, their limits.
Watch = tuple[int, int, int, Floats]


class Solves(Noting):
    """What an entry's solves for multipliers met in this thread's workspace since `forget`."""

    def __init__(self, backend: CLibrary | CBatchLibrary, numbers: Sequence[int]) -> None:
        super().__init__(backend.interface, numbers)
        self.width, self._backend = backend.width, backend
        self._first = numbers[0] if numbers else 0

    @staticmethod
    def tells(backend: CLibrary | CBatchLibrary) -> bool:
        """Does the library solve for multipliers at all?"""
        return "met" in dict(backend.workspace_type.fields)

    def _met(self) -> npt.NDArray[np.float64]:
        """Of each solve and of each lane a row of what is noted, then of the floor."""
        met = self._backend.ffi.buffer(self._backend.work().met)
        rows = np.frombuffer(met, dtype=np.float64).reshape(-1, self.width, MET)
        return rows[self._first : self._first + self.count]

    def forget(self) -> None:
        self._met()[:, :, :FLOOR] = FORGOTTEN

    def recall(self) -> Met:
        """Of all states since."""
        rows = self._met()[:, :, :FLOOR]
        found = rows.min(axis=1)
        found[:, DROPPED] = rows[:, :, DROPPED].max(axis=1)
        return Met(found)

    def bound(self, floor: Floats | None) -> None:
        """Pivots up to the floor of each solve are taken for zero from now on; or none are."""
        self._met()[:, :, FLOOR] = 0.0 if floor is None else floor[:, np.newaxis]
        self._met()[:, :, FLOOR + 1] = 0.0 if floor is None else BOUNDED

    def watch(self, limits: Floats) -> Watch:
        """What a door reads after each call; `limits` are those of each solve."""
        at = self._backend.ffi.offsetof(self._backend.workspace_type, "met")
        before = 8 * MET * self.width * self._first
        return at + before, self.width, self.count, limits


def every_solve(library: CLibrary | CBatchLibrary) -> Solves:
    """What all solves of a library met."""
    return Solves(library, range(len(library.interface.solves)))


def solves_of(backend: Backend, entry: str) -> Solves | NumpySolves | None:
    """What the solves of a backend's entry met, or nothing if there are none."""
    numbers = backend.interface.noting[entry]
    if isinstance(backend, NumpyModule):
        met = getattr(backend.module, "MET", None)
        return met and NumpySolves(met, backend.interface, numbers)
    if not isinstance(backend, CLibrary | CBatchLibrary):
        return None  # a device does not say what its solves met
    return Solves(backend, numbers) if Solves.tells(backend) else None
