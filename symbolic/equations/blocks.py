"""Sums, products and blocks of series whose shapes may not fit."""

from __future__ import annotations

from . import matrices as of
from .functions import shape
from .matrices import Mat, Terms
from .tokens import NoValueError, Place


def extended(series: Terms, n: int) -> Terms:
    return (series + [Mat.zeros(*series[0].shape)] * n)[: n + 1]


def total(parts: list[Terms], at: Place) -> Terms:
    """The sum; a number beside a square matrix is that multiple of the identity."""
    shapes = {part[0].shape for part in parts}
    if len(shapes) > 1:
        parts = [x for x in parts if not (x[0].shape == (1, 1) and all(m.zero for m in x))]
        shapes = {part[0].shape for part in parts}
    if len(shapes) == 2 and (1, 1) in shapes and (big := max(shapes))[0] == big[1]:
        parts = [
            [Mat.eye(big[0]).times(x[0, 0]) for x in part] if part[0].shape == (1, 1) else part
            for part in parts
        ]
        shapes = {big}
    if len(shapes) > 1:
        other = next(x for x in parts if x[0].shape != parts[0][0].shape)
        said = f"a {shape(parts[0])} and a {shape(other)} matrix cannot be added"
        raise NoValueError(said, at)
    found = parts[0]
    for part in parts[1:]:
        found = of.add(found, part)
    return found


def multiplied(a: Terms, b: Terms, at: Place) -> Terms:
    numbers = a[0].shape == (1, 1), b[0].shape == (1, 1)
    if a[0].cols == b[0].rows and not (numbers[0] and not numbers[1] and b[0].rows != 1):
        return of.product(a, b)
    if numbers[0]:
        return of.scaled(b, a)
    if numbers[1]:
        return of.scaled(a, b)
    raise NoValueError(f"a {shape(a)} and a {shape(b)} matrix do not fit together", at)


def sizes(rows: list[list[Terms]]) -> tuple[list[int], list[int]]:
    """Heights and widths of blocks; a number takes the size of what is beside it."""
    given = [[None if x[0].shape == (1, 1) else x[0].shape for x in row] for row in rows]
    heights = [max((s[0] for s in row if s), default=0) for row in given]
    widths = [max((s[1] for s in col if s), default=0) for col in zip(*given, strict=True)]
    for j, width in enumerate(widths):
        widths[j] = width or (heights[j] if j < len(heights) else 0) or 1
    for i, height in enumerate(heights):
        heights[i] = height or (widths[i] if i < len(widths) else 0) or 1
    return heights, widths


def sized(m: Mat, height: int, width: int, at: Place) -> Mat:
    """A block; 0, and multiples of 1, in the size of their place."""
    if m.shape == (1, 1) and (height, width) != (1, 1):
        if height == width:
            return Mat.eye(height).times(m[0, 0])
        if m.zero:
            return Mat.zeros(height, width)
        raise NoValueError(f"a number is a block of {height} × {width}", at)
    if m.shape != (height, width):
        said = f"a {m.rows} × {m.cols} block stands where {height} × {width} goes"
        raise NoValueError(said, at)
    return m
