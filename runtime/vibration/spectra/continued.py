"""All eigenvalues at many values of a parameter: each row's about where those before lead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...evaluation.arrays import Floats
from ..stiffness import Complex, ComplexStiffness, Whole
from .spectrum import Spectrum, Survey, listed, logarithm_of, placed, square
from .winding import Boxes, Logarithm, counted_within
from .zeros import FEW, Disc, told_in

#: A disc about where an eigenvalue is expected, and how near others share it, by its place.
RADIUS, SHARED = 9e-3, 2.5e-2

#: Secants begin so far aside, as a part of the place; at most so many, until they move it by less.
ASIDE, SECANTS, SETTLED = 1e-5, 12, 1e-13

#: So many rows before tell where eigenvalues go next.
BEFORE = 3


class _Row(NamedTuple):
    """Eigenvalues in a region that is not about 0 alone, in the order of the row before.

    `number` is the winding number around it, `at_zero` how many are zero.
    """

    place: float
    sides: Floats
    number: int
    at_zero: int
    values: Complex
    times: Whole
    radii: Floats


def found_along(
    stiffness: ComplexStiffness, survey: Survey, radius: float, parameters: Floats
) -> list[Spectrum]:
    """As `found_within`, of rows of parameters that change little from each to the next.

    Where the eigenvalues of the rows before lead, secants find them, or discs that are looked into.
    Where these do not hold as many as the region by its winding number, the row is searched like
    one alone.

    Raises
        NumericsError: a list is not whole.
    """
    logarithm, rows, before = logarithm_of(stiffness, parameters), list[_Row](), list[_Row]()
    steps = np.linalg.norm(np.diff(parameters, axis=0), axis=1)
    for lane, place in enumerate(np.append(0.0, np.cumsum(steps)).tolist()):
        found = _continued(logarithm, lane, place, survey.zero, before) if before else None
        if found is None:
            found = _searched(stiffness, survey, radius, parameters[[lane]], place)
        before = [*_ordered(found, before)][-BEFORE:]
        found = before[-1]
        rows.append(found)
    each = [_sorted(row, survey.zero) for row in rows]
    number = np.array([row.number for row in rows])
    found_ = listed(stiffness, each, np.array([row.sides for row in rows]), number, parameters)
    return [x.only(np.abs(x.values) <= radius) for x in found_]


def _searched(
    stiffness: ComplexStiffness, survey: Survey, radius: float, row: Floats, place: float
) -> _Row:
    box = square(stiffness, radius, row)
    ((values, times, radii),), number = placed(stiffness, survey, box, row)
    other = values != 0
    at_zero = int(times[~other].sum())
    return _Row(
        place, box.sides[0], int(number[0]), at_zero, values[other], times[other], radii[other]
    )


def _sorted(row: _Row, zero: float) -> tuple[Complex, Whole, Floats]:
    """All eigenvalues of a row by their size, those at 0 among them."""
    values, times, radii = row.values, row.times, row.radii
    if row.at_zero:
        others = np.abs(values).min(initial=max(row.sides[3], 100 * zero)) / 8
        values, times = np.append(0.0, values), np.append(row.at_zero, times)
        radii = np.append(others, radii)
    order = np.lexsort([values.imag, np.abs(values)])
    return values[order], times[order], radii[order]


def _continued(
    logarithm: Logarithm, lane: int, place: float, zero: float, before: list[_Row]
) -> _Row | None:
    """The eigenvalues of a row, if they are as many as of the row before and where these lead."""
    last, lanes = before[-1], np.array([lane])
    box, expected = Boxes(last.sides[np.newaxis], lanes), _expected(before, place)
    discs = _discs(expected, last.times, zero)
    if discs is None:
        return None
    alone = _by_secants(logarithm, lane, expected, discs, last.sides)
    known = np.append(alone, alone[alone.imag > 0].conj()) if alone is not None else expected[:0]
    others, none = _without(logarithm, known, last.at_zero), np.zeros(1, np.int64)
    if zero and counted_within(others, np.array([zero]), lanes, none) != 0:
        return None
    (number,) = box.counted(others, none + last.number - last.at_zero - len(known))
    if number + len(known) + last.at_zero != last.number:
        return None
    if alone is not None:
        return last._replace(
            place=place, values=alone, radii=np.array([disc.wide for disc in discs])
        )
    left = np.array([last.number - last.at_zero])
    told, complete = told_in(logarithm, box, left, discs)
    if not complete.all() or _twice(told.values, told.radii):
        return None
    return last._replace(place=place, values=told.values, times=told.multiplicity, radii=told.radii)


def _without(logarithm: Logarithm, known: Complex, at_zero: int) -> Logarithm:
    """log f without the zeros that are known: it turns by the others alone, in few steps."""

    def others(s: Complex, lanes: Whole) -> Complex:
        apart = np.log(s[:, np.newaxis] - known).sum(axis=1) + at_zero * np.log(s)
        found: Complex = logarithm(s, lanes) - apart
        return found

    return others


def _by_secants(
    logarithm: Logarithm, lane: int, expected: Complex, discs: list[Disc], sides: Floats
) -> Complex | None:
    """The zero in each disc, where as many discs as zeros hold at least one: then it is the one.

    From where they are expected, by secants of f; none where one is not well inside its disc, or
    near the region's edge, or several share a disc.
    """
    if len(discs) != len(expected) or any(disc.count > 1 for disc in discs):
        return None
    centres = np.array([disc.centre for disc in discs])
    own = np.abs(expected[:, np.newaxis] - centres).argmin(axis=0)
    s, before = expected[own], expected[own] * (1 + ASIDE)
    lanes = np.full(len(s), lane)
    f, f_before = logarithm(s, lanes), logarithm(before, lanes)
    left = np.arange(len(s))
    for _ in range(SECANTS):
        with np.errstate(all="ignore"):
            step = (s[left] - before[left]) / (1 - np.exp(f_before[left] - f[left]))
        step = np.where(np.isfinite(step), step, 0.0)
        before[left], f_before[left] = s[left], f[left]
        s[left] = s[left] - step
        left = left[np.abs(step) > SETTLED * np.abs(s[left])]
        if not left.size:
            break
        f[left] = logarithm(s[left], lanes[left])
    s = np.where(centres.imag == 0, s.real, s)
    west, east, _, north = sides
    radii = np.array([disc.radius for disc in discs])
    room = np.min([s.real - west, east - s.real, north - s.imag], axis=0)
    good = (np.abs(s - centres) < radii / 2) & (room > radii)
    return s if good.all() and not left.size else None


def _ordered(row: _Row, before: list[_Row]) -> list[_Row]:
    """The rows before, and this one in their order; it alone if its eigenvalues are others."""
    if not before or row.times.sum() != before[-1].times.sum():
        return [row]
    expected = _expected(before, row.place)
    order = np.abs(expected[:, np.newaxis] - row.values).argmin(axis=1)
    if not np.array_equal(np.sort(order), np.arange(len(row.values))):
        return [row]
    values, times, radii = (x[order] for x in (row.values, row.times, row.radii))
    whole = row._replace(values=values, times=times, radii=radii)
    return [*before, whole] if np.array_equal(times, before[-1].times) else [whole]


def _expected(before: list[_Row], place: float) -> Complex:
    """Where the polynomials through the rows before lead."""
    places = np.array([row.place for row in before])
    if len(np.unique(places)) < len(places):
        return before[-1].values
    apart = places[:, np.newaxis] - places + np.eye(len(places))
    parts = np.where(np.eye(len(places)) > 0, 1.0, (place - places) / apart)
    weights = parts.prod(axis=1)
    found: Complex = sum(w * row.values for w, row in zip(weights, before, strict=True))
    return found


def _discs(expected: Complex, times: Whole, zero: float) -> list[Disc] | None:
    """A disc about each that is expected alone, or about several; none if they are too many."""
    size = np.abs(expected)
    if (size <= 100 * zero).any():
        return None
    near, mirrored = (
        np.abs(expected[:, np.newaxis] - x) < SHARED * size for x in (expected, expected.conj())
    )
    near |= mirrored
    near |= near.T
    for _ in range(FEW):
        near = near @ near
    discs = []
    for group in np.unique(near, axis=0):
        own, count = expected[group], times[group]
        centre = complex(own.mean())
        if mirrored[np.ix_(group, group)].any():  # about the real axis, with those below it
            centre, count = complex(centre.real), count * (1 + (own.imag > 0))
        radius = np.abs(own - centre).max() + RADIUS * abs(centre)
        count = int(count.sum())
        if count > FEW:
            return None
        # What is alone in a disc and close to its centre is as far from others as its edge.
        wide = radius / 5 if count == 1 else 0.0
        discs.append(Disc(centre, float(radius), count, 0, wide))
    return discs


def _twice(values: Complex, radii: Floats) -> bool:
    """Is one of two overlapping discs listed by both?"""
    apart = np.abs(values[:, np.newaxis] - values) + np.diag(np.full(len(values), np.inf))
    return bool((apart <= radii).any())
