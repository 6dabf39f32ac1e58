"""The elements of a model as the papers draw them: bodies, hinges, and where states are passed."""

from __future__ import annotations

from html import escape

from ..symbolic.plans.transfer import Transfer

#: The most elements that a drawing shows.
MOST = 60

WIDE, HIGH, MARGIN = 76, 58, 34


def topology_svg(transfer: Transfer) -> str:
    """Bodies as bars, hinges as circles, arrows from the tips to the root; none of a large model.

    Source
        own
    """
    elements = transfer.elements
    if len(elements) > MOST:
        return ""
    deepest = max(transfer.depth)
    rows = _rows(transfer)
    at = {
        i: (MARGIN + (deepest - depth) * WIDE + WIDE / 2, MARGIN + rows[i] * HIGH)
        for i, depth in enumerate(transfer.depth)
    }
    parts = [_arrow(at[i], at[e.feeds[0]]) for i, e in enumerate(elements) if e.feeds is not None]
    grounded = {end.element: end for end in transfer.ends if end.at.body == "0"}
    for i, element in enumerate(elements):
        x, y = at[i]
        if element.feeds is None:
            parts.append(_arrow((x, y), (x + WIDE * 0.8, y)))
        end = grounded.get(i)
        if end is not None:
            parts.append(_ground(x + WIDE * 0.8 if not end.entry else x - WIDE * 0.5, y))
        parts.append(_body(x, y) if element.is_body else _hinge(x, y))
        name = element.name if len(element.name) < 12 else element.name[:10] + "…"
        parts.append(
            f'<text x="{x:g}" y="{y + (25 if element.is_body else 23):g}">{escape(name)}</text>'
        )
    for pair in transfer.pairs:
        one, other = (at[transfer.ends[k].element] for k in (pair.kept, pair.dropped))
        parts.append(_cut(one, other))
    width = 2 * MARGIN + (deepest + 0.6) * WIDE
    height = 2 * MARGIN + max(rows.values()) * HIGH + 12
    return (
        f'<svg class="topology" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img" '
        f'aria-label="{escape(_words(transfer), quote=True)}">{"".join(parts)}</svg>'
    )


def _words(transfer: Transfer) -> str:
    names = ", ".join(element.name for element in transfer.elements[:12])
    more = "" if len(transfer.elements) <= 12 else ", …"
    return f"the {len(transfer.elements)} elements in transfer order: {names}{more}"


def _rows(transfer: Transfer) -> dict[int, float]:
    """A row for each tip, what they feed halfway between them."""
    feeders: dict[int, list[int]] = {}
    for i, element in enumerate(transfer.elements):
        if element.feeds is not None:
            feeders.setdefault(element.feeds[0], []).append(i)
    rows: dict[int, float] = {}
    free = 0
    for i in range(len(transfer.elements)):
        if i in feeders:
            rows[i] = sum(rows[k] for k in feeders[i]) / len(feeders[i])
        else:
            rows[i], free = free, free + 1
    return rows


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (u, v) = start, end
    tip = u - 12
    head = f'<path class="head" d="M{tip:g},{v:g} l-8,-4 v8 z"/>'
    return f'<path d="M{x:g},{y:g} C{x + 34:g},{y:g} {u - 46:g},{v:g} {tip - 6:g},{v:g}"/>{head}'


def _body(x: float, y: float) -> str:
    return f'<rect x="{x - 26:g}" y="{y - 9:g}" width="52" height="18" rx="9"/>'


def _hinge(x: float, y: float) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="9"/>'


def _ground(x: float, y: float) -> str:
    lines = "".join(f"M{x:g},{y + k:g} l8,7 " for k in (-14, -5, 4))
    return f'<path d="M{x:g},{y - 14:g} v28 {lines}"/>'


def _cut(one: tuple[float, float], other: tuple[float, float]) -> str:
    (x, y), (u, v) = one, other
    low = max(y, v) + 32
    return f'<path class="cut" d="M{x:g},{y + 10:g} Q{(x + u) / 2:g},{low:g} {u:g},{v + 10:g}"/>'
