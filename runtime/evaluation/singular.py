"""Single states in singular positions of the loops: what follows there from states beside them.

Where conditions of loops come to depend on each other, multipliers and accelerations can be had
from the state to a few digits or to none. With speeds that go on along one branch they have a
limit: all that depends on the closed states q ± k s q̇ of that branch is smooth, so that it follows
from those with k = 1, 2, 3 to order s⁶, as in motions (`motion_singular.c`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, SingularPositionError
from ...model import Model
from ...model.expressions.quantities import shorten
from ...symbolic.language.tolerances import AROUND, NEAREST, SINGULAR, WIDENINGS
from ..stepping.outcomes import DONE
from .arrays import Floats
from .backend import Backend
from .lost import independent, loops_lost
from .noted import Met, closes_at
from .solved import Solves, Watch, solves_of

#: The entries that solve for multipliers and depend on the speeds alone besides: they have a limit.
LIMITED = ("accelerations", "joint_loads", "end_states", "driving_forces")

#: Those that solve for them and have none, or not here.
REFUSED = ("momentum_rates", "derivatives", "pullback")

#: The even polynomial of degree 4 through the values at s, 2 s, 3 s, at 0.
SMOOTH = (1.5, -0.6, 0.1)

#: Below this part of what pivots can be, single states have lost half of their digits and more.
LOST = 1e-8

#: Speeds that belong to a branch come back from the states beside it within this part of them.
SAME_SPEEDS = 1e-4

#: Of loops that are open the speeds there are turned: by so much of the gap by the square of the
#: distance, in rad, but by no more than the second.
OPENED, MOST_TURNED = 3.0, 1e-3

#: Values on both sides are apart if they differ by this part of the largest; they grow as 1 / s if
#: these differences, times s, differ by less than the second.
APART, ALIKE = 1e-4, 0.2

#: Sets of parameters whose regular pivots are remembered.
REMEMBERED = 16

Rows = dict[str, Floats]


class Watched:
    """An entry that solves for multipliers, looked after: its limit, or an error.

    `closer` closes loops and gives the rates of the coordinates.
    """

    def __init__(self, model: Model, entry: str, backend: Backend, closer: Backend) -> None:
        self.model, self.entry, self.backend, self.closer = model, entry, backend, closer
        solves = closer.interface.can_close and entry in (*LIMITED, *REFUSED)
        self.solves = solves_of(backend, entry) if solves else None
        self.watches = self.solves is not None
        #: Of each solve least pivot and rank from which on a state is regular, and between them the
        #: most that it may drop; none is before the first is met.
        self.limits = np.full((self.solves.count if self.solves else 0, 3), [0.0, np.inf, np.inf])
        self._regular: dict[bytes, Met | None] = {}

    def watch(self) -> Watch | None:
        """What a door asks after each call, if it has to."""
        return self.solves.watch(self.limits) if isinstance(self.solves, Solves) else None

    def run(self, buffers: Mapping[str, Floats], strict: bool = True) -> bool:
        """Fill the entry's results; False where one is not finite.

        In a singular position loads may grow beyond all bounds; what is left of them if that is
        taken away is given where this is not `strict`.

        Raises
            SingularPositionError: a state is in a singular position and has no limit.
        """
        states = len(next(iter(buffers.values())))
        if not states:
            return self.backend.run(self.entry, buffers)
        met = self._met(buffers)
        if met is None or not self.watches or self._is_regular(met, buffers):
            return met is not None
        for k in range(states):
            row = {name: array[k : k + 1] for name, array in buffers.items()}
            met = self._met(row)
            if met is None:
                return False
            if not self._is_regular(met, row):
                self._settle(row, met, f" of state {k}" if states > 1 else "", strict)
        return True

    def bound(self, buffers: Mapping[str, Floats], call: Callable[[], bool]) -> Callable[[], bool]:
        """`run` of the one state in these buffers, which `call` evaluates."""
        solves = self.solves
        if solves is None:
            return call

        def run() -> bool:
            solves.forget()
            if not call():
                return False
            return self._is_regular(solves.recall(), buffers) or self.run(buffers)

        return run

    def firmness(self, row: Rows) -> float:
        """How far the conditions at one state are from being dependent, as a length."""
        met = self._met(row)
        return 0.0 if met is None else self._firmness(met, row)

    def _firmness(self, met: Met, row: Rows) -> float:
        regular = self.regular(row.get("p", np.zeros((1, 0))))
        if regular is not None and met.loses(regular):
            return 0.0
        return float(np.sqrt(met.least_part(regular)))

    def passing(self, row: Rows) -> tuple[float, float] | None:
        """In what time a singular position comes that is near this state, seen within which time.

        None where none is near, or the states beside it do not tell.
        """
        met = self._met(row)
        if met is None or self._is_regular(met, row):
            return None
        for s, before, after in self._pairs(row):
            offset, levels = 0.0, zip(before, after, strict=True)
            for k, (w, (x, y)) in enumerate(zip(SMOOTH, levels, strict=True), start=1):
                one, other = float(x["firmness"][0]), float(y["firmness"][0])
                offset += w * k * s * (one - other) / (one + other)
            return offset, len(SMOOTH) * s
        return None

    def _met(self, buffers: Mapping[str, Floats]) -> Met | None:
        if self.solves is None:
            return Met.nothing() if self.backend.run(self.entry, buffers) else None
        self.solves.forget()
        good = self.backend.run(self.entry, buffers)
        return self.solves.recall() if good else None

    # What is regular

    def _is_regular(self, met: Met, buffers: Mapping[str, Floats]) -> bool:
        if met.keeps(self.limits):
            return True
        regular = self.regular(self._default(buffers))
        if regular is None:
            return True
        self.limits[:] = regular.limits(SINGULAR)
        if met.keeps(self.limits):
            return True
        own = self.regular(buffers.get("p", np.zeros((1, 0)))[:1])
        return own is None or met.keeps(own.limits(SINGULAR))

    def _default(self, buffers: Mapping[str, Floats]) -> Floats:
        defaults = np.array([self.closer.interface.defaults])
        return defaults if "p" in buffers else np.zeros((1, 0))

    def regular(self, parameters: Floats) -> Met | None:
        """What solves meet around the model's start, with these parameters; none if open.

        Raises
            NumericsError: rounding takes conditions away that are of their own.
        """
        key = parameters.tobytes()
        if key not in self._regular:
            around = [(q, self._met_at(q, parameters)) for q in self._around(parameters)]
            found = [met for _, met in around if met is not None]
            self._see_told(found, [q for q, met in around if met is not None], parameters)
            self._regular[key] = reduce(Met.firmer, found) if found else None
            while len(self._regular) > REMEMBERED:
                self._regular.pop(next(iter(self._regular)))
        return self._regular[key]

    def _see_told(self, met: Sequence[Met], places: Sequence[Floats], parameters: Floats) -> None:
        """Raises where solves take more conditions for redundant than their slopes are.

        These say nothing of masses: where light bodies bear heavy ones, Λ loses conditions.
        """
        of, solves = self.closer.interface, self.solves
        if not met or solves is None or "constraints" not in of.arguments:
            return
        fewest = min((solves.lost(x) for x in met), key=lambda lost: sum(lost.values()))
        t = np.zeros((1, 1))
        ranks = [independent(self._slopes(q, t, parameters)) for q in places]
        more = sum(fewest.values()) - (len(of.closed) - max(ranks))
        if more <= 0:
            return
        where = dict.fromkeys(closes_at(place, self.backend.interface) for place in fewest)
        raise NumericsError(
            f"{self.entry} of {self.model.name}: {more} of the conditions of the loops that close "
            f"at {shorten([*where])} cannot be told from rounding, though they "
            "are conditions of their own, as where light bodies of a loop bear heavy ones; compile "
            'with algorithm="overall", or give masses and levers that differ by less'
        )

    def _met_at(self, q: Floats, parameters: Floats) -> Met | None:
        sizes = self.backend.interface.sizes
        names = {*self.backend.interface.arguments[self.entry]}
        row = {name: np.zeros((1, sizes[name])) for name in names}
        return self._met(row | {"q": q} | ({"p": parameters} if "p" in names else {}))

    def _around(self, parameters: Floats) -> Iterator[Floats]:
        """The start, and places beside it, as far as they can be closed."""
        start, number = np.array([self.model.q0]), np.arange(len(self.model.q0))
        for shift in range(3):
            away = AROUND * np.sin(1.0 + 7.3 * shift + 2.4 * number) if shift else 0.0
            still = np.zeros((1, len(self.model.speeds)))
            q = self._closed(start + away, still, np.zeros((1, 1)), parameters)
            if q is not None:
                yield q

    def _closed(self, q: Floats, v: Floats, t: Floats, parameters: Floats) -> Floats | None:
        """The closed place near q; the speeds `v` are corrected where they stand."""
        of = self.closer.interface
        place = self._unit(q)
        given = {name: np.zeros((1, of.sizes[name])) for name in of.closing}
        given |= {"q": place, "t": t, "p": parameters}
        if not of.hamiltonian:
            given |= {"v": v}
        if self.closer.project(given) != DONE:
            return None
        if of.hamiltonian:
            v[...] = self._passed(place, v, t, parameters)
        return place

    def _passed(self, q: Floats, v: Floats, t: Floats, parameters: Floats) -> Floats:
        """Of speeds what the loops let pass at a closed place, by the joint momenta of the tree."""
        of = self.closer.interface
        names = {*of.arguments["momenta"], *of.arguments["velocities"]}
        given = {name: np.zeros((1, of.sizes[name])) for name in names}
        given |= {"q": q, "v": v, "t": t, "p": parameters}
        if not self.closer.run("momenta", given):
            return v
        given["mom"] = given["pn"]
        return given["vel"] if self.closer.run("velocities", given) else v

    def _unit(self, q: Floats) -> Floats:
        if "retract" not in self.closer.interface.arguments:
            return q.copy()
        found = np.empty_like(q)
        self.closer.run("retract", {"q": np.ascontiguousarray(q), "qn": found})
        return found

    # What follows where it is not

    def _settle(self, row: Rows, met: Met, where: str, strict: bool) -> None:
        """Writes the limit of the results into a row, as far as they have one."""
        regular = self.regular(row.get("p", np.zeros((1, 0))))
        assert regular is not None
        found = self._limit(row) if self.entry in LIMITED else None
        lost = not met.keeps(regular.limits(LOST))
        if found is None and not lost:
            return
        grows = found is not None and any(grown.any() for _, grown in found.values())
        if found is None or (grows and lost and strict):
            raise SingularPositionError(
                f"{self.entry} of {self.model.name}: the coordinates{where} are a singular "
                f"position of the loops{self._lost(row)}, or so near to one that rounding tells "
                "them not apart: "
                f"more than one motion leads on from there, and {self._reason(row, grows)}; "
                "simulate with dopri5 or a fixed step passes through such positions, and states "
                f"beside them are regular{held_beams(self.model)}"
            )
        for name, (limit, grown) in found.items():
            row[name][...] = np.where(grown, limit if lost else row[name], limit)

    def _lost(self, row: Rows) -> str:
        """Which loops are in a singular position, in words."""
        of, parameters = self.closer.interface, row.get("p", np.zeros((1, 0)))
        still, t = np.zeros((1, len(self.model.speeds))), row.get("t", np.zeros((1, 1)))
        away = AROUND * np.sin(8.3 + 2.4 * np.arange(row["q"].shape[1]))
        beside = self._closed(row["q"] + away, still, t, parameters)
        if beside is None or "constraints" not in of.arguments:
            return ""

        here, there = (self._slopes(q, t, parameters) for q in (row["q"], beside))
        return loops_lost(self.model, of.sets["conditions"], here, there)

    def _slopes(self, q: Floats, t: Floats, parameters: Floats) -> Floats:
        """J, each row divided by what its condition is judged by."""
        of, still = self.closer.interface, np.zeros((1, len(self.model.speeds)))
        speeds = np.vstack([np.eye(still.size), still])
        rows = {"q": q, "v": speeds, "t": t, "p": parameters}
        names = (*of.arguments["constraints"], *of.results["constraints"])
        given = {name: np.zeros((len(speeds), of.sizes[name])) for name in names}
        for name, array in given.items():
            array[...] = rows.get(name, 0.0)
        self.closer.run("constraints", given)
        rates = given["phid"]
        return np.asarray((rates[:-1] - rates[-1]).T / np.array(of.extents)[:, np.newaxis])

    def _reason(self, row: Rows, grows: bool) -> str:
        if self.entry in REFUSED:
            return f"{self.entry} cannot be had from the state alone"
        if grows:
            return "with these speeds some of its loads grow beyond all bounds"
        if not row["v"].any():
            return "at rest it does not say which"
        return "its speeds belong to none"

    def _limit(self, row: Rows) -> dict[str, tuple[Floats, npt.NDArray[np.bool_]]] | None:
        """The results' limits along the speeds, and which of them grow without one, if any has."""
        fastest = np.abs(row["v"]).max(initial=0.0)
        for s, before, after in self._pairs(row):
            pairs = list(zip(before, after, strict=True))
            names = (*self.backend.interface.results[self.entry], "v")
            # Of what has no size of its own, such as accelerations that are zero, speeds tell one.
            least = {"a": fastest**2, "v": fastest}
            found = {
                name: _even([(x[name], y[name]) for x, y in pairs], least.get(name, 0.0))
                for name in names
            }
            turned = min(OPENED * self._gap(row) / (s * fastest) ** 2, MOST_TURNED)
            same = np.abs(found.pop("v")[0] - row["v"]).max() <= (SAME_SPEEDS + turned) * fastest
            return found if same else None
        return None

    def _gap(self, row: Rows) -> float:
        """How far the loops are open, in m or parts of 1."""
        of = self.closer.interface
        if "constraints" not in of.arguments:
            return 0.0
        given = {name: np.zeros((1, of.sizes[name])) for name in of.arguments["constraints"]}
        given |= {name: x for name, x in row.items() if name in given}
        self.closer.run("constraints", given)
        return float(np.abs(given["phi"]).max(initial=0.0))

    def _pairs(self, row: Rows) -> Iterator[tuple[float, list[Rows], list[Rows]]]:
        """States s, 2 s, 3 s before and after this one, for the first s where all are regular."""
        rates = np.empty_like(row["q"])
        self.closer.run("rates", {"q": row["q"], "v": row["v"], "qd": rates})
        fastest = np.abs(row["v"]).max(initial=0.0)
        for wider in range(WIDENINGS if fastest > 0.0 else 0):
            s = NEAREST * 2.0**wider / fastest
            before = [self._beside(row, rates, -k * s) for k in (1, 2, 3)]
            after = [self._beside(row, rates, k * s) for k in (1, 2, 3)]
            found = [x for x in before if x], [x for x in after if x]
            if len(found[0]) == len(found[1]) == len(SMOOTH):
                yield s, *found

    def _beside(self, row: Rows, rates: Floats, later: float) -> Rows | None:
        """The results so much later, and the speeds there; none if that is not regular either."""
        parameters = row.get("p", np.zeros((1, 0)))
        v, t = row["v"].copy(), row.get("t", np.zeros((1, 1))) + later
        q = self._closed(row["q"] + later * rates, v, t, parameters)
        if q is None:
            return None
        at = {name: array.copy() for name, array in row.items()} | {"q": q, "v": v, "t": t}
        met = self._met(at)
        if met is None or not self._is_regular(met, at):
            return None
        names = (*self.backend.interface.results[self.entry], "v")
        return {name: at[name] for name in names} | {
            "firmness": np.array([self._firmness(met, at)])
        }


def _even(
    pairs: Sequence[tuple[Floats, Floats]], least: float
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """What is between values at −s and s, −2 s and 2 s, −3 s and 3 s, if they are smooth.

    And which of them are not: those that grow as 1 / s, by more than a part of their size, which is
    `least` at least. The rounding of values that are zero grows too, but not so.
    """
    limit = sum((w / 2.0) * (x + y) for w, (x, y) in zip(SMOOTH, pairs, strict=True))
    near, *others = (k * (y - x) for k, (x, y) in enumerate(pairs, start=1))
    size = max(least, *(np.abs(x).max(initial=0.0) for x in pairs[0]))
    alike = [np.abs(x - near) < ALIKE * np.abs(near) for x in others]
    return np.asarray(limit), np.all(alike, axis=0) & (np.abs(near) > APART * size)


def held_beams(model: Model) -> str:
    """Which beams may be why a loop leaves no motion, as the end of a message."""
    from ...model.topology import inextensible

    names = inextensible(model)
    if not names:
        return ""
    one = len(names) == 1
    return (
        f"; beam{'' if one else 's'} {', '.join(names)}, held at several points, cannot bend "
        f"without an axial function: give {'it' if one else 'them'} axial = 1 or more"
    )
